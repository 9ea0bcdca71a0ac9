//! `featherank compare`: compare selectors and rankers by cross-validation.

use std::path::{Path, PathBuf};

use featherank::data::read_costs;
use featherank::experiment::{
    CellOutcome, Comparison, ComparisonEvent, DataPlan, FoldSource, Plan, Results, ResultsFolder,
    TableFormat, split_outside_brackets, tables,
};
use featherank::measure::Measure;
use featherank::run::{Constraints, Run};
use featherank::{Error, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::arguments::Reading;
use crate::output::Output;
use crate::progress::Progress;

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
        let measures: Vec<Measure> =
            split_outside_brackets(self.measure.as_deref().unwrap_or("ndcg@10,map"))
                .map(str::parse)
                .collect::<Result<_>>()?;
        if measures.is_empty() {
            return Err(Error::invalid("list of measures", "", "at least one measure"));
        }
        Ok(Plan {
            title: "Comparison".into(),
            intro: Vec::new(),
            remarks: Vec::new(),
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

pub fn run(args: &Args, output: &Output) -> anyhow::Result<()> {
    let plan_file =
        args.data.iter().find(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let found = match plan_file {
        Some(path) => with_plan(args, path, output)?,
        None => {
            if args.root.is_some() {
                return Err(refused("--data is for plans", "name the data itself").into());
            }
            let plan = args.experiment.plan()?;
            // Check the plan before reading the data, which may take long.
            plan.crossed()?;
            let folder = ResultsFolder::open(&args.output)?;
            let spinner = output.spinner("reading".into());
            let source = FoldSource::find(
                &args.data,
                args.experiment.folds,
                plan.seed,
                &args.reading.options(),
            )?;
            drop(spinner);
            vec![compare(args, plan, String::new(), source, &folder, output)?]
        }
    };
    match found.iter().any(|results| results.done().next().is_some()) {
        true => Ok(()),
        false => Err(anyhow::anyhow!("every cell failed; see the table above")),
    }
}

/// Runs the data sets of a plan in order, each in a directory of its own if there are several.
fn with_plan(args: &Args, path: &Path, output: &Output) -> anyhow::Result<Vec<Results>> {
    if args.data.len() > 1 {
        return Err(refused("a plan names its own data", "name the plan alone").into());
    }
    if let Some(option) = args.experiment.given() {
        let what = format!("{option} and a plan were both given");
        return Err(refused(&what, &format!("set it in {}", path.display())).into());
    }
    let text = std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
    let plan = Plan::parse(&text)?;
    if plan.data.is_empty() {
        return Err(
            refused("the plan names no data", "add [[data]] with a name and a folder").into()
        );
    }
    plan.crossed()?;
    let own =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let root = args.root.as_deref().unwrap_or(own);
    let mut found = Vec::new();
    for data in &plan.data {
        let folder = if plan.data.len() > 1 {
            args.output.join(folder_name(data))
        } else {
            args.output.clone()
        };
        let folder = ResultsFolder::open(&folder)?;
        let source = data.source(root, &args.reading.options(), plan.seed)?;
        found.push(compare(args, plan.clone(), data.name.clone(), source, &folder, output)?);
    }
    Ok(found)
}

fn folder_name(data: &DataPlan) -> String {
    data.name
        .chars()
        .map(|c| if c.is_alphanumeric() || "-_".contains(c) { c } else { '_' })
        .collect()
}

fn refused(what: &str, help: &str) -> Error {
    Error::plan(what, help.to_owned())
}

/// Runs a plan on one data set and prints the tables.
fn compare(
    args: &Args,
    plan: Plan,
    data: String,
    source: FoldSource,
    folder: &ResultsFolder,
    output: &Output,
) -> anyhow::Result<Results> {
    let title =
        if data.is_empty() { plan.title.clone() } else { format!("{}: {data}", plan.title) };
    let mut comparison = Comparison::new(plan, title, command(std::env::args()), source)?;
    if let Some(path) = &args.experiment.costs {
        let costs = read_costs(path, &comparison.features()?)?;
        comparison = comparison.with_costs(costs);
    }
    let results = run_and_save(&comparison, folder, args.jobs, output)?;
    match output.json() {
        true => output.print_json(&results)?,
        false => {
            output.print(TableFormat::Text.write(&results.title, &tables(&results)?).trim_end())?
        }
    }
    let files = "results.json, tables.txt, tables.md, tables.csv and tables.tex";
    output.note(format!("\nseed {}; wrote {files} in {}", results.seed, folder.path("").display()));
    Ok(results)
}

/// Runs the cells that the directory does not contain yet, and writes all results.
pub fn run_and_save(
    comparison: &Comparison,
    folder: &ResultsFolder,
    jobs: usize,
    output: &Output,
) -> Result<Results> {
    let progress = CellProgress::new(output);
    let run = Run { observer: Progress::watch(), ..Run::new(1, Constraints::default()) };
    let results =
        comparison.run(folder, &run, jobs, &|event| progress.show(event)).inspect_err(|error| {
            progress.clear();
            if matches!(error, Error::Stopped(_) | Error::Io { .. }) {
                output.note(format!(
                    "completed cells are saved in {}; rerun the same command to resume",
                    folder.path("").display()
                ));
            }
        })?;
    progress.clear();
    folder.write(&results)?;
    Ok(results)
}

/// The command that repeats the experiment, without options that do not affect its results.
fn command(words: impl Iterator<Item = String>) -> Vec<String> {
    const WITH_VALUE: [&str; 4] = ["--jobs", "--threads", "--output", "-o"];
    const ALONE: [&str; 3] = ["--quiet", "-q", "--json"];
    let mut kept = vec!["featherank".to_owned()];
    // The program may consist of several arguments, for example when started from Python.
    let mut words = words.skip_while(|word| word != "compare");
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word.as_str()) {
            words.next();
        } else if !ALONE.contains(&word.as_str())
            && !WITH_VALUE
                .iter()
                .any(|name| word.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')))
        {
            kept.push(word);
        }
    }
    kept
}

/// Shows a progress bar on a terminal, or one line per cell if output is piped.
struct CellProgress<'a> {
    output: &'a Output,
    bar: ProgressBar,
}

impl<'a> CellProgress<'a> {
    fn new(output: &'a Output) -> Self {
        let bar = if output.live() { ProgressBar::new(0) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:32}] {pos}/{len} eta {eta}") {
            bar.set_style(style);
        }
        bar.set_message("comparing");
        CellProgress { output, bar }
    }

    fn show(&self, event: &ComparisonEvent<'_>) {
        match event {
            ComparisonEvent::Started(done, total) => {
                self.bar.set_length(*total as u64);
                self.bar.set_position(*done as u64);
                if *done > 0 {
                    self.say(format!("{done} of {total} cells are already complete"));
                }
            }
            ComparisonEvent::CellFinished(cell, done, total) => {
                self.bar.set_position(*done as u64);
                let what = match &cell.outcome {
                    CellOutcome::Done(found) => {
                        if self.output.live() {
                            return;
                        }
                        let seconds = found.measured.seconds;
                        format!(
                            "validation {:.4}, {} features, {seconds:.2} s",
                            found.valid,
                            found.features.len()
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
        self.bar.suspend(|| self.output.note(line));
    }

    fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_without_effect_are_not_part_of_the_command() {
        let words = "path/featherank --threads 2 compare -q data --jobs=3 --k 5 -o out --output=x --json --threads=1";
        let kept = command(words.split(' ').map(str::to_owned));
        assert_eq!(kept, ["featherank", "compare", "data", "--k", "5"]);
    }
}
