//! `featherank synth`: generate synthetic data.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use featherank::data::folds::train_valid_test;
use featherank::data::synth::{Preset, SynthConfig, generate};
use featherank::data::{Dataset, WriteOptions, write};
use featherank::{Error, Result};

use crate::arguments::parse_setting;
use crate::errors::CommandResult;
use crate::output::Output;

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

pub fn run(args: &Args, output: &Output) -> CommandResult {
    let preset = SynthConfig { seed: args.seed, ..args.preset.config() };
    let config = preset.with_settings(&args.settings)?;
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
        let parts = train_valid_test(&data, config.seed)?;
        save(&parts.train, "train")?;
        save(&parts.valid, "vali")?;
        save(&parts.test, "test")?;
    }
    let path = args.output.join("truth.json");
    truth.save(&path)?;
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

fn describe(path: &Path, data: &Dataset) -> String {
    format!("wrote {}: {}", path.display(), super::extent(data))
}
