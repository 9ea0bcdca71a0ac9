//! `featherank convert`: convert data between formats.

use std::path::PathBuf;

use featherank::data::{Normaliser, WriteOptions, write};

use crate::arguments::Reading;
use crate::errors::CommandResult;
use crate::output::Output;

#[derive(clap::Args)]
pub struct ConvertArgs {
    /// Files to read; several files form one data set, `-` reads standard input
    #[arg(required = true, value_name = "INPUT")]
    input: Vec<PathBuf>,
    /// File to write: .txt (optionally .gz, .zst or .xz) for LETOR text, .parquet for Parquet, `-`
    /// for text on standard output
    #[arg(value_name = "OUTPUT")]
    to: PathBuf,
    /// Normalisation: none, query-minmax, query-zscore or zscore
    #[arg(long, value_name = "HOW", default_value = "none")]
    normalise: Normaliser,
    /// Omit zeros from text output
    #[arg(long)]
    sparse: bool,
    /// Also write the feature names to FILE, because LETOR text cannot contain them
    #[arg(long, value_name = "FILE")]
    names_out: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
}

pub fn run(args: &ConvertArgs, output: &Output) -> CommandResult {
    let mut data = args.reading.read(&args.input, output)?;
    args.normalise.fit(&data).apply(&mut data);
    let options = WriteOptions { sparse: args.sparse, names: args.names_out.clone() };
    {
        let _spinner = output.spinner(format!("writing {}", args.to.display()));
        write(&data, &args.to, &options)?;
    }
    let named = data.features().iter().any(|(_, feature)| feature.name.is_some());
    let text = args.to.extension().is_none_or(|ending| ending != "parquet");
    if named && text && args.names_out.is_none() {
        output.note(
            "note: LETOR text cannot contain feature names; use --names-out FILE to save them",
        );
    }
    output.note(format!(
        "wrote {}: {}",
        if args.to.as_os_str() == "-" {
            "standard output".into()
        } else {
            args.to.display().to_string()
        },
        super::extent(&data)
    ));
    Ok(())
}
