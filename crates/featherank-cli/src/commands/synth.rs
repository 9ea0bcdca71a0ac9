//! `featherank synth`: generate synthetic data.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use featherank::data::synth::{Preset, SynthConfig, generate};
use featherank::data::{Dataset, WriteOptions, folds, write, write_atomically};
use featherank::{Error, Result};

use crate::arguments::parse_setting;
use crate::output::{Output, grouped};

#[derive(clap::Args)]
pub struct Args {
    /// Directory for train, vali, test and truth.json; created if necessary
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
    /// Preset: tiny, letor or web10k
    #[arg(long, default_value = "tiny")]
    preset: Preset,
    /// Override a setting of the preset, for example queries=200 or correlation=0.95; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_setting)]
    settings: Vec<(String, String)>,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Output format
    #[arg(long, value_enum, default_value_t = FileFormat::Letor)]
    format: FileFormat,
    /// Write all queries to one file (data.txt or data.parquet) instead of three
    #[arg(long)]
    one_file: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum FileFormat {
    /// LETOR text, .txt
    Letor,
    /// Parquet, .parquet
    Parquet,
}

pub fn run(args: &Args, output: &Output) -> anyhow::Result<()> {
    let config = configure(args)?;
    let (data, truth) = {
        let _spinner = output.spinner("generating data".into());
        generate(&config)?
    };
    std::fs::create_dir_all(&args.output).map_err(|e| Error::io("create", &args.output, e))?;
    let ending = match args.format {
        FileFormat::Letor => "txt",
        FileFormat::Parquet => "parquet",
    };
    let save = |data: &Dataset, stem: &str| -> Result<()> {
        let path = args.output.join(format!("{stem}.{ending}"));
        let _spinner = output.spinner(format!("writing {}", path.display()));
        write(data, &path, &WriteOptions::default())?;
        output.note(describe(&path, data));
        Ok(())
    };
    if args.one_file {
        save(&data, "data")?;
    } else {
        for (stem, queries) in parts(&data, config.seed)? {
            save(&data.subset(&queries), stem)?;
        }
    }
    let path = args.output.join("truth.json");
    let text = serde_json::to_string_pretty(&truth)? + "\n";
    write_atomically(&path, |out| {
        out.write_all(text.as_bytes()).map_err(|e| Error::io("write", &path, e))
    })?;
    output.note(format!(
        "wrote {}: the role of each feature; seed {}",
        path.display(),
        config.seed
    ));
    if output.json() {
        output.print_json(&truth)?;
    }
    Ok(())
}

/// Three fifths of the queries for training, one for validation, one for testing, as in LETOR.
fn parts(data: &Dataset, seed: u64) -> Result<Vec<(&'static str, Vec<usize>)>> {
    let fifths = folds::k_fold(data.queries().len(), 5, seed)?;
    let mut train: Vec<usize> = fifths[..3].concat();
    train.sort_unstable();
    Ok(vec![("train", train), ("vali", fifths[3].clone()), ("test", fifths[4].clone())])
}

fn configure(args: &Args) -> Result<SynthConfig> {
    let config = SynthConfig { seed: args.seed, ..args.preset.config() };
    let mut value = serde_json::to_value(&config)
        .map_err(|e| Error::invalid("preset", args.preset, e.to_string()))?;
    for (key, text) in &args.settings {
        let known = value.get(key).is_some();
        if !known {
            return Err(Error::invalid(
                "setting",
                key,
                "see the table in the documentation of synthetic data",
            ));
        }
        value[key] =
            serde_json::from_str(text).map_err(|e| Error::invalid(key, text, e.to_string()))?;
    }
    // Setting only the number of queries keeps their mean length.
    let set = |name: &str| args.settings.iter().any(|(key, _)| key == name);
    if set("queries") && !set("documents") && config.queries > 0 {
        let mean = config.documents as f64 / config.queries as f64;
        value["documents"] =
            ((value["queries"].as_f64().unwrap_or(0.0) * mean).round() as u64).into();
    }
    let settings: Vec<String> =
        args.settings.iter().map(|(key, text)| format!("{key}={text}")).collect();
    serde_json::from_value(value)
        .map_err(|e| Error::invalid("setting", settings.join(" "), e.to_string()))
}

fn describe(path: &Path, data: &Dataset) -> String {
    format!(
        "wrote {}: {} queries, {} documents, {} features",
        path.display(),
        grouped(data.queries().len() as u64),
        grouped(data.documents() as u64),
        data.features().len()
    )
}
