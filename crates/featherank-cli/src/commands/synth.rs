//! `featherank synth`: generate synthetic data.

use std::path::PathBuf;

use clap::ValueEnum;
use featherank::data::synth::{Preset, SynthConfig, SynthFiles, SynthFormat, generate};

use crate::arguments::parse_setting;
use crate::errors::CommandResult;
use crate::output::Output;

#[derive(clap::Args)]
pub struct SynthArgs {
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

impl From<FileFormat> for SynthFormat {
    fn from(format: FileFormat) -> Self {
        match format {
            FileFormat::Letor => SynthFormat::Letor,
            FileFormat::Parquet => SynthFormat::Parquet,
        }
    }
}

pub fn run(args: &SynthArgs, output: &Output) -> CommandResult {
    let preset = SynthConfig { seed: args.seed, ..args.preset.config() };
    let config = preset.with_settings(&args.settings)?;
    let (data, truth) = {
        let _spinner = output.spinner("generating data".into());
        generate(&config)?
    };
    let files = SynthFiles {
        folder: args.output.clone(),
        format: args.format.into(),
        one_file: args.one_file,
    };
    let path = {
        let _spinner = output.spinner(format!("writing {}", args.output.display()));
        files.write(&data, &truth, config.seed, &mut |path, part| {
            output.note(format!("wrote {}: {}", path.display(), super::extent(part)));
        })?
    };
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
