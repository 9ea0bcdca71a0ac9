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

/// Feature selection for learning to rank: find the few features that a ranker needs.
#[derive(Parser)]
#[command(
    name = "featherank",
    version,
    long_about = PURPOSE,
    after_help = EXAMPLES,
    after_long_help = "For one command: featherank COMMAND --help",
    propagate_version = true,
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    command: CliCommand,
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

/// The examples after the short help.
const EXAMPLES: &str = "\
Examples:
  featherank demo
  featherank select train.txt -o selection.json
  featherank compare train.txt --methods top-k,mrmr,rfe --rankers lambdamart -o results";

#[derive(Subcommand)]
enum CliCommand {
    /// Run the whole workflow on synthetic data: select, compare, report
    Demo(commands::demo::DemoArgs),
    /// Summarise ranking data and report problems: constant, duplicate and correlated features
    Inspect(commands::inspect::InspectArgs),
    /// Select features for a ranker
    Select(Box<commands::select::SelectArgs>),
    /// Train a ranker and save the model
    Train(commands::train::TrainArgs),
    /// Score documents with a saved model
    Rank(commands::rank::RankArgs),
    /// Convert a model to the format of a search engine or of another library
    Export(commands::export::ExportArgs),
    /// Evaluate rankings: effectiveness, statistical significance and risk
    Evaluate(Box<commands::evaluate::EvaluateArgs>),
    /// Compare selectors and rankers by cross-validation: effectiveness, risk and stability
    Compare(Box<commands::compare::CompareArgs>),
    /// Write an HTML report of a comparison or of a selection
    Report(commands::report::ReportArgs),
    /// Convert data to LETOR text or Parquet
    Convert(commands::convert::ConvertArgs),
    /// Generate synthetic data with known relevant, redundant, noisy and risky features
    Synth(commands::synth::SynthArgs),
    /// List measures, selectors and rankers, or show one with its parameters
    Methods(commands::methods::MethodsArgs),
    /// Print or write the manual pages
    Man(commands::man::ManArgs),
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
    let (cli, matches) = match parse(arguments.clone()) {
        Ok(parsed) => parsed,
        Err(error) => return errors::report_usage(&error, &arguments),
    };
    let output = Output::new(&cli.common, paths::writes_to_standard_output(&matches));
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
        CliCommand::Demo(args) => commands::demo::run(&args, &cli.common, output),
        CliCommand::Inspect(args) => commands::inspect::run(&args, &cli.common, output),
        CliCommand::Select(args) => {
            let options = paths::reading_options(matches);
            commands::select::run(&args, options, &cli.common, cluster, output)
        }
        CliCommand::Train(args) => commands::train::run(&args, output),
        CliCommand::Rank(args) => commands::rank::run(&args, output),
        CliCommand::Export(args) => commands::export::run(&args, output),
        CliCommand::Evaluate(args) => commands::evaluate::run(&args, &cli.common, cluster, output),
        CliCommand::Compare(args) => commands::compare::run(&args, matches, output),
        CliCommand::Report(args) => commands::report::run(&args, output),
        CliCommand::Convert(args) => commands::convert::run(&args, output),
        CliCommand::Synth(args) => commands::synth::run(&args, output),
        CliCommand::Methods(args) => commands::methods::run(&args, output),
        CliCommand::Man(args) => commands::man::run(&args, Cli::command(), output),
        CliCommand::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "featherank", &mut script);
            output.print_bytes(&script)
        }
    }
}
