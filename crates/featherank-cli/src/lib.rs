//! The `featherank` command: parse, call the library, print. Nothing else.
//!
//! A library, so that the Python package runs the same code under the same name.

mod arguments;
mod commands;
mod errors;
mod output;
mod progress;
mod scale;

use std::ffi::OsString;
use std::io::Write;

use clap::{CommandFactory, Parser, Subcommand};

use output::Output;
pub use scale::{Cluster, Wanted};

/// featherank chooses the ranking features worth paying for.
#[derive(Parser)]
#[command(name = "featherank", version, about, propagate_version = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    common: arguments::Common,
}

#[derive(Subcommand)]
enum Command {
    /// Make data, choose features and compare rankings: all of featherank in a minute
    Demo(commands::demo::Args),
    /// Show what ranking data is like, and what is odd about it
    Inspect(commands::inspect::Args),
    /// Choose features
    Select(Box<commands::select::Args>),
    /// Learn to score documents
    Train(commands::train::Args),
    /// Score documents with a saved model
    Rank(commands::rank::Args),
    /// Write a model as other systems read it
    Export(commands::export::Args),
    /// Compare rankings: effectiveness, significance, risk
    Evaluate(Box<commands::evaluate::Args>),
    /// Compare methods and rankers on folds: tables, significance, risk, stability
    Compare(Box<commands::compare::Args>),
    /// Make a page for the browser from results or from a selection
    Report(commands::report::Args),
    /// Turn data of any readable format into LETOR text or Parquet
    Convert(commands::convert::Args),
    /// Make realistic data with known useful, redundant, noisy and risky features
    Synth(commands::synth::Args),
    /// List measures, selectors and rankers with their parameters
    Methods(commands::methods::Args),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Runs the command with these arguments, of which the first is its own name, and returns the exit
/// code. A cluster is there where the Python package runs it.
pub fn main(arguments: impl IntoIterator<Item = OsString>, cluster: Option<&dyn Cluster>) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        // Help and the version come this way as well, with code 0. A closed output is no reason to
        // fail.
        Err(error) => {
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    let output = Output::new(&cli.common);
    match run(cli, cluster, &output) {
        Ok(()) => 0,
        Err(error) => errors::report(&error),
    }
}

fn run(cli: Cli, cluster: Option<&dyn Cluster>, output: &Output) -> anyhow::Result<()> {
    progress::handle_interrupts()?;
    cli.common.start_threads()?;
    match cli.command {
        Command::Demo(args) => commands::demo::run(&args, &cli.common, output),
        Command::Inspect(args) => commands::inspect::run(&args, &cli.common, output),
        Command::Select(args) => commands::select::run(&args, &cli.common, cluster, output),
        Command::Train(args) => commands::train::run(&args, output),
        Command::Rank(args) => commands::rank::run(&args, output),
        Command::Export(args) => commands::export::run(&args, output),
        Command::Evaluate(args) => commands::evaluate::run(&args, &cli.common, cluster, output),
        Command::Compare(args) => commands::compare::run(&args, output),
        Command::Report(args) => commands::report::run(&args, output),
        Command::Convert(args) => commands::convert::run(&args, output),
        Command::Synth(args) => commands::synth::run(&args, output),
        Command::Methods(args) => commands::methods::run(&args, output),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "featherank", &mut script);
            Ok(std::io::stdout().write_all(&script)?)
        }
    }
}
