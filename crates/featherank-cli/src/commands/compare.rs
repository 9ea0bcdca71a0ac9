//! `featherank compare`: compare selectors and rankers by cross-validation.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::ArgMatches;
use featherank::data::read_costs;
use featherank::experiment::{
    CellOutcome, Comparison, ComparisonData, ComparisonEvent, ComparisonJob, FeatureCosts, Plan,
    Results, ResultsFolder, split_outside_brackets, tables, text_tables, verdict,
};
use featherank::run::{Constraints, Run, Step};
use featherank::text::{counted, wrapped};
use featherank::{Error, Result};

use crate::arguments::{DEFAULT_MEASURES, Reading, parse_measures};
use crate::errors::{CommandResult, Failure};
use crate::output::Output;
use crate::paths::repeatable;
use crate::progress::{Bar, Progress};
use crate::style::{STRONG, of_verdict, styled};

#[derive(clap::Args)]
pub struct Args {
    /// A LETOR directory (Fold1 … or S1 … S5), three or more files to rotate, one file to split into
    /// folds, or a plan (plan.toml)
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
        let measures = parse_measures(self.measure.as_deref().unwrap_or(DEFAULT_MEASURES))?;
        Ok(Plan {
            title: "Comparison".into(),
            choose: self.choose.clone(),
            measures: measures.iter().map(ToString::to_string).collect(),
            seed: self.seed.unwrap_or(1),
            seeds: self.seeds.unwrap_or(1),
            bootstraps: self.bootstraps.unwrap_or(0),
            curves: !self.no_curves,
            recommend: self.recommend,
            data: Vec::new(),
            methods: words(&self.methods),
            rankers: words(&self.rankers),
            k: self.k.clone(),
            tune: !self.no_tune,
            rows: Vec::new(),
        })
    }
}

impl Args {
    /// The comparisons to run: one, or one per data set of a plan.
    fn jobs(&self, command: Vec<String>) -> Result<Vec<ComparisonJob>> {
        let is_plan = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "toml");
        let Some(path) = self.data.iter().find(is_plan) else {
            if self.root.is_some() {
                return Err(Error::settings(
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
            return Err(Error::settings(
                "a plan and other data were both given",
                "name the plan alone; it names its data",
            ));
        }
        if let Some(option) = self.experiment.given() {
            let what = format!("{option} and a plan were both given");
            return Err(Error::settings(what, format!("set it in {}", path.display())));
        }
        let (root, options) = (self.root.as_deref(), self.reading.options());
        ComparisonJob::of_plan_file(path, root, &options, &command, &self.output)
    }
}

pub fn run(args: &Args, matches: &ArgMatches, output: &Output) -> CommandResult {
    let (mut failed, mut all, mut printed) = (0, 0, Ok(()));
    for job in args.jobs(repeatable(matches, &["output", "jobs"]))? {
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
fn compare(args: &Args, job: ComparisonJob, output: &Output) -> Result<(Results, ResultsFolder)> {
    let folder = job.folder().clone();
    let costs = args.experiment.costs.clone().map_or(FeatureCosts::Equal, FeatureCosts::File);
    let comparison = {
        let _spinner = output.spinner("reading".into());
        job.costs(costs).open()?
    };
    if let Some(path) = &args.experiment.costs {
        let features = comparison.features()?;
        let costs = read_costs(path, &features)?;
        if !costs.unlisted.is_empty() {
            output.note(super::select::unlisted(&costs, &features));
        }
    }
    let results = run_and_save(&comparison, &folder, args.jobs, output)?;
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
        lines.push(styled(of_verdict(found.verdict), &wrapped(&found.headline, width, 0)));
    }
    Ok(format!("{}\n\n{}", wrapped(&results.title, width, 0), lines.join("\n\n")))
}

/// Runs the cells that the directory does not contain yet, and writes all results.
pub fn run_and_save(
    comparison: &Comparison,
    folder: &ResultsFolder,
    jobs: usize,
    output: &Output,
) -> Result<Results> {
    let progress = CellProgress::new(output);
    let run = Run { observer: Progress::silent(), ..Run::new(1, Constraints::default()) };
    let outcome = comparison.run_and_save(folder, &run, jobs, &|event| progress.show(event));
    drop(progress);
    outcome.inspect_err(|error| {
        if Comparison::resumes_after(error) {
            output.note(format!(
                "completed cells are saved in {}; rerun the same command to resume",
                folder.path("").display()
            ));
        }
    })
}

/// Shows a progress bar on a terminal, or one line per cell if output is piped.
struct CellProgress<'a> {
    output: &'a Output,
    bar: Option<Arc<Bar>>,
    /// Cells that were complete before: they took no time.
    before: AtomicUsize,
}

impl<'a> CellProgress<'a> {
    fn new(output: &'a Output) -> Self {
        let bar = output.live().then(Bar::start);
        CellProgress { output, bar, before: AtomicUsize::new(0) }
    }

    fn show(&self, event: &ComparisonEvent<'_>) {
        match event {
            ComparisonEvent::Started(done, total) => {
                self.before.store(*done, Ordering::Relaxed);
                self.advance(*done, *total);
                if *done > 0 {
                    self.say(format!(
                        "{done} of {} {} already complete",
                        counted(*total, "cell"),
                        if *total == 1 { "is" } else { "are" }
                    ));
                }
            }
            ComparisonEvent::CellFinished(cell, done, total) => {
                self.advance(*done, *total);
                let what = match &cell.outcome {
                    CellOutcome::Done(found) => {
                        if self.output.live() {
                            return;
                        }
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
                self.say(format!(
                    "{done}/{total} {}, fold {}, seed {}: {what}",
                    cell.method, cell.fold, cell.seed
                ));
            }
            ComparisonEvent::Note(note) => self.say(format!("note: {note}")),
        }
    }

    fn say(&self, line: String) {
        match &self.bar {
            Some(bar) => bar.suspend(|| self.output.note(line)),
            None => self.output.note(line),
        }
    }

    fn advance(&self, done: usize, total: usize) {
        let before = self.before.load(Ordering::Relaxed);
        let [done, total] = [done, total].map(|cells| cells.saturating_sub(before) as u64);
        if let Some(bar) = &self.bar {
            bar.add(&Step::stage("comparing", done, Some(total)));
        }
    }
}
