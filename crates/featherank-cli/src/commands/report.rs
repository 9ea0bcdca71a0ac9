//! `featherank report`: write an HTML report.

use std::path::PathBuf;

use featherank::internals::write_bytes;
use featherank_report::ReportSource;

use crate::errors::CommandResult;
use crate::output::Output;

#[derive(clap::Args)]
pub struct ReportArgs {
    /// results.json, the directory that contains it, or a selection from `featherank select -o`
    #[arg(value_name = "RESULTS")]
    results: PathBuf,
    /// File to write
    #[arg(long, short, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
}

pub fn run(args: &ReportArgs, output: &Output) -> CommandResult {
    let path = &args.output;
    let source = ReportSource::open(&args.results)?;
    let page = source.render()?;
    write_bytes(path, page.as_bytes())?;
    if path.as_os_str() == "-" {
        return Ok(());
    }
    output.print(format!("wrote {}: open it in a browser", path.display()))
}
