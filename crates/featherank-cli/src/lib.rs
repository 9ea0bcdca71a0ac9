//! The `featherank` command: parses arguments, calls the library and prints the results.
//!
//! It is a library so that the Python package can run the same command.

mod arguments;
mod commands;
mod errors;
mod output;
mod paths;
mod progress;
mod scale;
mod selection_text;
mod signals;
mod style;

use std::ffi::OsString;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use errors::CommandResult;
use output::Output;
pub use scale::{Cluster, ShardRequest};

/// Feature selection for learning to rank.
#[derive(Parser)]
#[command(
    name = "featherank",
    version,
    about,
    long_about = PURPOSE,
    propagate_version = true,
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    common: arguments::Common,
}

/// What the tool is for, and how to begin.
const PURPOSE: &str = "\
Feature selection for learning to rank: find the few features that a ranker needs, on data of
queries, documents and relevance labels (LETOR text, CSV, Parquet, feature logs of search engines).

Examples:
  featherank demo
      see everything on synthetic data, in about a minute
  featherank select train.txt -o selection.json
      find the smallest set of features that ranks as well as all of them
  featherank compare train.txt --methods top-k,mrmr,rfe --rankers lambdamart -o results
      compare selectors by cross-validation; then: featherank report results";

#[derive(Subcommand)]
enum Command {
    /// Run the whole workflow on synthetic data: select, compare, report
    Demo(commands::demo::Args),
    /// Summarise ranking data and report problems: constant, duplicate and correlated features
    Inspect(commands::inspect::Args),
    /// Select features for a ranker
    Select(Box<commands::select::Args>),
    /// Train a ranker and save the model
    Train(commands::train::Args),
    /// Score documents with a saved model
    Rank(commands::rank::Args),
    /// Convert a model to the format of a search engine or of another library
    Export(commands::export::Args),
    /// Evaluate rankings: effectiveness, statistical significance and risk
    Evaluate(Box<commands::evaluate::Args>),
    /// Compare selectors and rankers by cross-validation: effectiveness, risk and stability
    Compare(Box<commands::compare::Args>),
    /// Write an HTML report of a comparison or of a selection
    Report(commands::report::Args),
    /// Convert data to LETOR text or Parquet
    Convert(commands::convert::Args),
    /// Generate synthetic data with known relevant, redundant, noisy and risky features
    Synth(commands::synth::Args),
    /// List measures, selectors and rankers, or show one with its parameters
    Methods(commands::methods::Args),
    /// Print or write the manual pages
    Man(commands::man::Args),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Runs the command and returns the exit code. The first argument is the program name. Only the
/// Python package provides a cluster.
pub fn main(arguments: impl IntoIterator<Item = OsString>, cluster: Option<&dyn Cluster>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    style::choose(style::requested(&arguments));
    let (cli, matches) = match parse(arguments) {
        Ok(parsed) => parsed,
        // Help and version also arrive here, with exit code 0. A closed output is not an error.
        Err(error) => {
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    let output = Output::new(&cli.common);
    let checked = paths::check(&matches).map_err(Into::into);
    match checked.and_then(|()| run(cli, &matches, cluster, &output)) {
        Ok(()) => 0,
        Err(failure) => errors::report(&failure),
    }
}

fn parse(arguments: Vec<OsString>) -> Result<(Cli, ArgMatches), clap::Error> {
    let mut command = Cli::command();
    let matches = command.try_get_matches_from_mut(arguments)?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    Ok((cli, matches))
}

fn run(
    cli: Cli,
    matches: &ArgMatches,
    cluster: Option<&dyn Cluster>,
    output: &Output,
) -> CommandResult {
    signals::handle()?;
    cli.common.start_threads()?;
    match cli.command {
        Command::Demo(args) => commands::demo::run(&args, &cli.common, output),
        Command::Inspect(args) => commands::inspect::run(&args, &cli.common, output),
        Command::Select(args) => commands::select::run(&args, &cli.common, cluster, output),
        Command::Train(args) => commands::train::run(&args, output),
        Command::Rank(args) => commands::rank::run(&args, output),
        Command::Export(args) => commands::export::run(&args, output),
        Command::Evaluate(args) => commands::evaluate::run(&args, &cli.common, cluster, output),
        Command::Compare(args) => commands::compare::run(&args, matches, output),
        Command::Report(args) => commands::report::run(&args, output),
        Command::Convert(args) => commands::convert::run(&args, output),
        Command::Synth(args) => commands::synth::run(&args, output),
        Command::Methods(args) => commands::methods::run(&args, output),
        Command::Man(args) => commands::man::run(&args, Cli::command(), output),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "featherank", &mut script);
            output.print_bytes(&script)
        }
    }
}
