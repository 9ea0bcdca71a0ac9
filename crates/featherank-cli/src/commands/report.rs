//! `featherank report`: write an HTML report.

use std::path::{Path, PathBuf};

use featherank::Error;
use featherank::data::{check_target, write_atomically};
use featherank_report::Source;

use crate::output::Output;

#[derive(clap::Args)]
pub struct Args {
    /// results.json, the directory that contains it, or a selection from `featherank select -o`
    #[arg(value_name = "RESULTS")]
    results: PathBuf,
    /// File to write
    #[arg(long, short, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
}

pub fn run(args: &Args, output: &Output) -> anyhow::Result<()> {
    let path = &args.output;
    check_target(path)?;
    let source = Source::open(&args.results)?;
    if is_same_file(source.path(), path) {
        return Err(Error::settings(
            format!("the page would overwrite {}, its own source", path.display()),
            "name another file with -o",
        )
        .into());
    }
    let page = source.render()?;
    write_atomically(path, |out| {
        out.write_all(page.as_bytes()).map_err(|e| Error::io("write", path, e))
    })?;
    output.print(format!("wrote {}: open it in a browser", path.display()))
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}
