//! Times one filter or one correlation matrix, for the benchmarks; prints JSON with the seconds and the most memory used.
//!
//! `time_filters DATA select METHOD [key=value]…` or `time_filters DATA correlate KIND`. Reading is timed apart.

use std::path::PathBuf;
use std::time::Instant;

use featherank::data::{FeatureId, ReadOptions, read};
use featherank::engine::{Engine, LocalEngine, Scope};
use featherank::registry::selector;
use featherank::run::{Constraints, Run};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [data, what, name, settings @ ..] = &arguments[..] else {
        return Err("usage: time_filters DATA select|correlate NAME [key=value]…".into());
    };
    let start = Instant::now();
    let engine = LocalEngine::new(read(&[PathBuf::from(data)], &ReadOptions::default())?, 0)?;
    let read = start.elapsed().as_secs_f64();
    let engine: &dyn Engine = &engine;
    let start = Instant::now();
    let found = match what.as_str() {
        "correlate" => correlate(engine, name)?,
        _ => {
            let settings: Vec<(String, String)> = settings
                .iter()
                .filter_map(|setting| setting.split_once('='))
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect();
            let selection = selector(name)?.run(&settings, &Run::new(1, Constraints::default()), engine)?;
            json!(selection.selected.iter().map(|chosen| chosen.id).collect::<Vec<_>>())
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    println!("{}", json!({"read": read, "seconds": seconds, "peak_kib": peak_memory(), "found": found}));
    Ok(())
}

/// The matrix, row after row.
fn correlate(engine: &dyn Engine, kind: &str) -> Result<Value, Box<dyn std::error::Error>> {
    let features: Vec<FeatureId> = (0..engine.schema().features.len()).map(FeatureId::from).collect();
    let matrix = engine.correlations(kind.parse()?, Scope::Query, &features)?;
    let row = |a: usize| (0..matrix.width()).map(|b| matrix.get(a, b)).collect::<Vec<_>>();
    Ok(json!((0..matrix.width()).map(row).collect::<Vec<_>>()))
}

/// Where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.trim().parse().ok())
}
