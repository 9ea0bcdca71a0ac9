//! `featherank export`: convert a model to the format of another system.

use std::path::PathBuf;

use featherank::Error;
use featherank::export::{ExportOptions, TARGETS, target};
use featherank::internals::text::wrapped;
use featherank::internals::write_bytes;
use featherank::select::Exportable;

use crate::errors::CommandResult;
use crate::output::{Output, help_width};

#[derive(clap::Args)]
#[command(after_help = targets())]
pub struct ExportArgs {
    /// Model written by `featherank train`; or a selection, for targets that list features
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Target system; see the list below
    #[arg(long, value_name = "TARGET")]
    to: String,
    /// File to write; `-` is standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Name of the model in the target system [default: featherank]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// File that defines all features in the target system: an Elasticsearch feature set or a Solr
    /// feature store
    #[arg(long, value_name = "FILE")]
    featureset: Option<PathBuf>,
    /// Number of columns of the data, for lightgbm and xgboost-json [default: up to the last column
    /// used by the model]
    #[arg(long, value_name = "N")]
    columns: Option<usize>,
    /// Distinguish missing values from zeros, for solr and solr-features (Solr 9.2 or later)
    #[arg(long)]
    keep_missing: bool,
}

/// The list of targets, shown below the options.
fn targets() -> String {
    let width = TARGETS.iter().map(|target| target.name.len()).max().unwrap_or(0);
    let line = |target: &&featherank::export::Target| {
        let line = format!("  {:width$}  {}", target.name, target.summary);
        wrapped(&line, help_width(), width + 4)
    };
    format!("Targets:\n{}", TARGETS.iter().map(line).collect::<Vec<_>>().join("\n"))
}

pub fn run(args: &ExportArgs, output: &Output) -> CommandResult {
    let target = target(&args.to)?;
    let document = Exportable::load(&args.model)?;
    let read =
        |path: &PathBuf| std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e));
    let options = ExportOptions {
        name: args.name.clone(),
        featureset: args.featureset.as_ref().map(read).transpose()?,
        columns: args.columns,
        keep_missing: args.keep_missing,
    };
    let bytes = document.export(target, &options)?;
    let path = &args.output;
    write_bytes(path, &bytes)?;
    output.note_written(path);
    Ok(())
}
