//! Times one selector, one correlation matrix or one path of a lasso, for the benchmarks; prints
//! JSON with the seconds and the peak memory.
//!
//! `time_selectors DATA select METHOD [valid=FILE] [key=value]…`, `time_selectors DATA correlate
//! KIND` or `time_selectors DATA lasso C…`. DATA may be several files separated by commas.
//! Reading is timed separately.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use featherank::data::{Dataset, FeatureId, ReadOptions, read};
use featherank::engine::{Engine, LocalEngine, Scope, correlations};
use featherank::internals::proximal_newton::{Penalty, minimise};
use featherank::internals::sample::{Sample, Standardisation};
use featherank::registry::selector;
use featherank::run::{Constraints, Run};
use serde_json::{Value, json};

type TimingResult = Result<Value, Box<dyn std::error::Error>>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [data, what, settings @ ..] = &arguments[..] else {
        return Err("usage: time_selectors DATA select|correlate|lasso NAME [key=value]…".into());
    };
    let start = Instant::now();
    let engine = LocalEngine::new(files(data)?, 0)?;
    let engine: &dyn Engine = &engine;
    let valid = settings.iter().find_map(|setting| setting.strip_prefix("valid="));
    let valid: Option<Arc<dyn Engine>> = match valid {
        Some(valid) => Some(Arc::new(LocalEngine::new(files(valid)?, 0)?)),
        None => None,
    };
    let read = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let found = match (what.as_str(), settings) {
        ("correlate", [kind, ..]) => correlate(engine, kind)?,
        ("lasso", values) => lasso(engine, values)?,
        (_, [name, settings @ ..]) => {
            let settings: Vec<(String, String)> = settings
                .iter()
                .filter_map(|setting| setting.split_once('='))
                .filter(|(key, _)| *key != "valid")
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect();
            let run = Run { valid, ..Run::new(1, Constraints::default()) };
            let selection = selector(name)?.run(&settings, &run, engine)?;
            json!(selection.selected.iter().map(|chosen| chosen.id).collect::<Vec<_>>())
        }
        _ => return Err("name a method or a correlation".into()),
    };
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{}",
        json!({"read": read, "seconds": seconds, "peak_kib": peak_memory(), "found": found})
    );
    Ok(())
}

fn files(names: &str) -> featherank::Result<Dataset> {
    read(&names.split(',').map(PathBuf::from).collect::<Vec<_>>(), &ReadOptions::default())
}

/// Weights by column for each C, from sparse to dense, with warm starts.
fn lasso(engine: &dyn Engine, values: &[String]) -> TimingResult {
    let run = Run::new(1, Constraints::default());
    let sample = Sample::of(&run, engine, Standardisation::None)?;
    let mut weights = vec![0.0; sample.width()];
    let mut found = Vec::new();
    for value in values {
        let lambda = 1.0 / (value.parse::<f64>()? * sample.pairs());
        let penalty = Penalty::lasso(vec![lambda; sample.width()]);
        let solution = minimise(&sample, &penalty, &weights, 1e-8 * lambda)?;
        weights = solution.weights;
        let mut columns = vec![0.0; engine.schema().features.len()];
        sample.features().iter().zip(&weights).for_each(|(f, w)| columns[f.index()] = *w);
        found.push(json!({"c": value, "weights": columns, "kkt": solution.violation / lambda}));
    }
    Ok(json!(found))
}

/// The matrix in row-major order.
fn correlate(engine: &dyn Engine, kind: &str) -> TimingResult {
    let features: Vec<FeatureId> =
        (0..engine.schema().features.len()).map(FeatureId::from).collect();
    let matrix = correlations(engine, kind.parse()?, Scope::Query, &features)?;
    let row = |a: usize| (0..matrix.width()).map(|b| matrix.get(a, b)).collect::<Vec<_>>();
    Ok(json!((0..matrix.width()).map(row).collect::<Vec<_>>()))
}

/// Peak memory, if the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| {
        line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.trim().parse().ok()
    })
}
