//! `featherank compare`: compare selectors and rankers by cross-validation.

use std::path::PathBuf;
use std::sync::Arc;

use clap::ArgMatches;
use featherank::experiment::{
    CellOutcome, Comparison, ComparisonData, ComparisonEvent, ComparisonJob, FeatureCosts, Plan,
    Results, ResultsFolder, tables, text_tables, verdict,
};
use featherank::internals::split_outside_brackets;
use featherank::internals::text::{counted, wrapped};
use featherank::run::{Constraints, Observer, Run, Step};
use featherank::{Error, Result};

use crate::arguments::{DEFAULT_MEASURES, Reading, parse_measures};
use crate::errors::{CommandResult, Failure};
use crate::output::Output;
use crate::paths::{reading_options, repeatable};
use crate::progress::Progress;
use crate::selection_text::verdict_text;
use crate::style::{STRONG, styled};

#[derive(clap::Args)]
pub struct CompareArgs {
    /// A LETOR directory (Fold1 … or S1 … S5), three or more files to rotate, one file to split
    /// into folds, or a plan (plan.toml)
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    #[command(flatten)]
    experiment: ExperimentArgs,
    /// Directory for results; rerun the same command to resume
    #[arg(long, short, value_name = "DIR", default_value = "results")]
    output: PathBuf,
    /// Number of cells (method, fold, seed) to run in parallel, 0 for as many as cores and memory
    /// allow; results are the same for any number
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// Directory that contains the data of a plan [default: the directory of the plan]
    #[arg(long = "data", value_name = "ROOT")]
    root: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
}

/// The options that describe an experiment, instead of a plan.
#[derive(clap::Args)]
#[command(next_help_heading = "What to compare")]
struct ExperimentArgs {
    /// Selectors, with parameters in brackets: top-k,best-gain[delta=0.03],l1-svm; see `featherank
    /// methods`
    #[arg(long, value_name = "LIST")]
    methods: Option<String>,
    /// Rankers, with parameters in brackets; `own` is the model trained by the selector itself
    /// [default: own]
    #[arg(long, value_name = "LIST")]
    rankers: Option<String>,
    /// Numbers of features to choose from on validation data [default: decided by each method]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    k: Vec<usize>,
    /// Number of folds to split one file into [default: 5]
    #[arg(long, value_name = "N")]
    folds: Option<usize>,
    /// Measures to report on test data, most important first [default: ndcg@10,map]
    #[arg(long, short, value_name = "LIST")]
    measure: Option<String>,
    /// Measure for choosing parameters on validation data [default: the first measure, with
    /// expected-value ties]
    #[arg(long, value_name = "MEASURE")]
    choose: Option<String>,
    /// Number of random seeds [default: 1]
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// First random seed [default: 1]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Number of bootstrap samples of the training queries for measuring selection stability
    /// [default: 0]
    #[arg(long, value_name = "N")]
    bootstraps: Option<u64>,
    /// Use the rankers' default parameters instead of tuning them on validation data
    #[arg(long)]
    no_tune: bool,
    /// Do not evaluate other numbers of features on validation data
    #[arg(long)]
    no_curves: bool,
    /// Also run `auto` on all data for the first ranker, and report its recommendation
    #[arg(long)]
    recommend: bool,
    /// File with feature costs, one `name cost` or `id cost` per line
    #[arg(long, value_name = "FILE")]
    costs: Option<PathBuf>,
}

impl ExperimentArgs {
    /// The first option given that belongs into a plan.
    fn given(&self) -> Option<&'static str> {
        let options = [
            ("--methods", self.methods.is_some()),
            ("--rankers", self.rankers.is_some()),
            ("--k", !self.k.is_empty()),
            ("--folds", self.folds.is_some()),
            ("--measure", self.measure.is_some()),
            ("--choose", self.choose.is_some()),
            ("--seeds", self.seeds.is_some()),
            ("--seed", self.seed.is_some()),
            ("--bootstraps", self.bootstraps.is_some()),
            ("--no-tune", self.no_tune),
            ("--no-curves", self.no_curves),
            ("--recommend", self.recommend),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    fn plan(&self) -> Result<Plan> {
        let words = |list: &Option<String>| -> Vec<String> {
            split_outside_brackets(list.as_deref().unwrap_or_default()).map(str::to_owned).collect()
        };
        let measures = |list: &str| -> Result<Vec<String>> {
            Ok(parse_measures(list)?.iter().map(ToString::to_string).collect())
        };
        let named = self.measure.as_deref().map(measures).transpose()?;
        let defaults = Plan::default();
        Ok(Plan {
            choose: self.choose.clone(),
            measures: named.unwrap_or_default(),
            default_measures: measures(DEFAULT_MEASURES)?,
            seed: self.seed.unwrap_or(defaults.seed),
            seeds: self.seeds.unwrap_or(defaults.seeds),
            bootstraps: self.bootstraps.unwrap_or(defaults.bootstraps),
            curves: !self.no_curves,
            recommend: self.recommend,
            methods: words(&self.methods),
            rankers: words(&self.rankers),
            k: self.k.clone(),
            tune: !self.no_tune,
            ..defaults
        })
    }
}

impl CompareArgs {
    /// The comparisons to run: one, or one per data set of a plan.
    fn jobs(&self, command: Vec<String>) -> CommandResult<Vec<ComparisonJob>> {
        let is_plan = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "toml");
        let Some(path) = self.data.iter().find(is_plan) else {
            if self.root.is_some() {
                return Err(Failure::usage(
                    "--data is for plans only",
                    "name the data without --data",
                ));
            }
            let data = ComparisonData::Files {
                paths: self.data.clone(),
                folds: self.experiment.folds,
                options: self.reading.options(),
            };
            let plan = self.experiment.plan()?;
            return Ok(vec![ComparisonJob::new(plan, command, data, &self.output)?]);
        };
        if self.data.len() > 1 {
            return Err(Failure::usage(
                "a plan and other data were both given",
                "name the plan alone; it names its data",
            ));
        }
        if let Some(option) = self.experiment.given() {
            let what = format!("{option} and a plan were both given");
            return Err(Failure::usage(what, format!("set it in {}", path.display())));
        }
        let (root, options) = (self.root.as_deref(), self.reading.options());
        Ok(ComparisonJob::of_plan_file(path, root, &options, &command, &self.output)?)
    }
}

pub fn run(args: &CompareArgs, matches: &ArgMatches, output: &Output) -> CommandResult {
    let (mut failed, mut all, mut printed) = (0, 0, Ok(()));
    let options = reading_options(matches);
    for job in args.jobs(repeatable(matches, &["output", "jobs"]))? {
        let job = job.reading_options(options.clone());
        let (results, folder) = compare(args, job, output)?;
        failed += results.cells.len() - results.done().count();
        all += results.cells.len();
        // The results are in files: a closed standard output does not end later comparisons.
        printed = printed.and(print(&results, &folder, output));
    }
    printed?;
    if failed == 0 { Ok(()) } else { Err(Failure::CellsFailed { failed, all }) }
}

/// Runs one comparison.
fn compare(
    args: &CompareArgs,
    job: ComparisonJob,
    output: &Output,
) -> Result<(Results, ResultsFolder)> {
    let folder = job.folder().clone();
    let costs = args.experiment.costs.clone().map_or(FeatureCosts::Equal, FeatureCosts::File);
    let progress = Progress::on_terminal(output);
    let _ = progress.on_step(&Step::pass("reading", 0, None));
    let opened = job.costs(costs).open(progress.stop());
    let comparison = opened.inspect_err(|error| note_resuming(error, &folder, output))?;
    let unlisted = comparison.unlisted_costs();
    if !unlisted.is_empty() {
        output.note(super::select::unlisted(unlisted, &comparison.features()?));
    }
    let results = run_and_save(&comparison, &folder, args.jobs, progress, output)?;
    Ok((results, folder))
}

/// Prints the tables.
fn print(results: &Results, folder: &ResultsFolder, output: &Output) -> CommandResult {
    match output.json() {
        true => output.print_json(results)?,
        false => {
            output.print(answer(results, output.width())?)?;
            let text = text_tables("", &tables(results)?, output.width());
            output.print(format!("\n{}", text.trim()))?
        }
    }
    let files = "results.json, tables.txt, tables.md, tables.csv and tables.tex";
    output.note(format!("\nseed {}; wrote {files} in {}", results.seed, folder.path("").display()));
    Ok(())
}

/// The verdict, and the recommendation of `auto` if there is one.
pub fn answer(results: &Results, width: usize) -> Result<String> {
    let mut lines = vec![styled(STRONG, &wrapped(&verdict(results)?.join(" "), width, 0))];
    if let Some(found) = results.recommendation.as_ref().and_then(|found| found.verdict()) {
        lines.push(verdict_text(&found, width));
    }
    Ok(format!("{}\n\n{}", wrapped(&results.title, width, 0), lines.join("\n\n")))
}

/// Runs the cells that the directory does not contain yet, and writes all results.
pub fn run_and_save(
    comparison: &Comparison,
    folder: &ResultsFolder,
    jobs: usize,
    observer: Arc<Progress>,
    output: &Output,
) -> Result<Results> {
    let run = Run { observer, ..Run::new(1, Constraints::default()) };
    let outcome = comparison.run_and_save(folder, &run, jobs, &|event| show(event, output));
    outcome.inspect_err(|error| note_resuming(error, folder, output))
}

/// Says how to resume, if there is anything to resume from.
fn note_resuming(error: &Error, folder: &ResultsFolder, output: &Output) {
    if Comparison::resumes_after(error) && folder.has_cells() {
        output.note(format!(
            "completed cells are saved in {}; rerun the same command to resume",
            folder.path("").display()
        ));
    }
}

/// Prints one line per cell if output is piped; on a terminal, where a bar shows the progress, only
/// what failed.
fn show(event: &ComparisonEvent<'_>, output: &Output) {
    match event {
        ComparisonEvent::Started(0, _) => {}
        ComparisonEvent::Started(done, total) => output.note(format!(
            "{done} of {} {} already complete",
            counted(*total, "cell"),
            if *total == 1 { "is" } else { "are" }
        )),
        ComparisonEvent::CellFinished(cell, done, total) => {
            let what = match &cell.outcome {
                CellOutcome::Done(_) if output.live() => return,
                CellOutcome::Done(found) => {
                    let seconds = found.measured.seconds;
                    format!(
                        "validation {:.4}, {}, {seconds:.2} s",
                        found.valid,
                        counted(found.features.len(), "feature")
                    )
                }
                CellOutcome::Failed(reason) => {
                    format!("failed: {}", reason.lines().next().unwrap_or_default())
                }
            };
            output.note(format!(
                "{done}/{total} {}, fold {}, seed {}: {what}",
                cell.method, cell.fold, cell.seed
            ));
        }
        ComparisonEvent::Note(note) => output.note(format!("note: {note}")),
    }
}
