//! `featherank export`: a model as other systems read it.

use std::io::Write;
use std::path::PathBuf;

use featherank::Error;
use featherank::data::write_atomically;
use featherank::export::{ExportOptions, TARGETS, target};
use featherank::rank::Model;

use crate::output::Output;

#[derive(clap::Args)]
#[command(after_help = targets())]
pub struct Args {
    /// The model, as `featherank train` writes it
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// What to export to; see below
    #[arg(long, value_name = "TARGET")]
    to: String,
    /// Write to this file
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// The model's name where it goes [default: featherank]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The file that defines all features where the model goes: a feature set of Elasticsearch, a
    /// feature store of Solr
    #[arg(long, value_name = "FILE")]
    featureset: Option<PathBuf>,
    /// How many columns the data has, for lightgbm and xgboost-json [default: up to the last one
    /// the model needs]
    #[arg(long, value_name = "N")]
    columns: Option<usize>,
    /// Tell missing values from zeros, for solr and solr-features (Solr 9.2 and later)
    #[arg(long)]
    keep_missing: bool,
}

/// The list of targets under the options.
fn targets() -> String {
    let width = TARGETS.iter().map(|target| target.name.len()).max().unwrap_or(0);
    let line = |target: &&featherank::export::Target| {
        format!("  {:width$}  {}", target.name, target.summary)
    };
    format!("Targets:\n{}", TARGETS.iter().map(line).collect::<Vec<_>>().join("\n"))
}

pub fn run(args: &Args, output: &Output) -> anyhow::Result<()> {
    let target = target(&args.to)?;
    let model = Model::load(&args.model)?;
    let read =
        |path: &PathBuf| std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e));
    let options = ExportOptions {
        name: args.name.clone(),
        featureset: args.featureset.as_ref().map(read).transpose()?,
        columns: args.columns,
        keep_missing: args.keep_missing,
    };
    let bytes = target.export(&model, &options)?;
    let path = &args.output;
    if path.as_os_str() == "-" {
        return Ok(std::io::stdout().lock().write_all(&bytes)?);
    }
    write_atomically(path, |out| out.write_all(&bytes).map_err(|e| Error::io("write", path, e)))?;
    output.note(format!("wrote {}", path.display()));
    Ok(())
}
