//! `featherank compare`: methods and rankers on folds, cell by cell.

use std::path::{Path, PathBuf};

use featherank::experiment::{
    CellOutcome, Comparison, DataPlan, FoldSource, Form, News, Plan, Results, ResultsFolder,
    split_outside_brackets, tables,
};
use featherank::measure::Measure;
use featherank::run::{Constraints, Run};
use featherank::{Error, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::arguments::{Reading, read_costs};
use crate::output::Output;
use crate::progress::Progress;

#[derive(clap::Args)]
pub struct Args {
    /// A LETOR folder (Fold1 … or S1 … S5), three or more part files, one file to deal into folds,
    /// or a plan (plan.toml)
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    #[command(flatten)]
    what: What,
    /// Folder for results; the same command goes on where it was interrupted
    #[arg(long, short, value_name = "DIR", default_value = "results")]
    output: PathBuf,
    /// Cells to run side by side; 0 means as many as cores and memory allow. Results do not depend
    /// on it
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// Folder that the data of a plan is in [default: the plan's own]
    #[arg(long = "data", value_name = "ROOT")]
    root: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
}

/// What a plan would say.
#[derive(clap::Args)]
#[command(next_help_heading = "What to compare")]
struct What {
    /// Selectors, with settings in brackets: top-k,best-gain[delta=0.03],l1-svm; see `featherank
    /// methods`
    #[arg(long, value_name = "LIST")]
    methods: Option<String>,
    /// Rankers, with settings in brackets; `own` is the model that a selector trains itself
    /// [default: own]
    #[arg(long, value_name = "LIST")]
    rankers: Option<String>,
    /// Numbers of features among which validation data chooses [default: as many as each method
    /// finds]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    k: Vec<usize>,
    /// Folds that one file is dealt into [default: 5]
    #[arg(long, value_name = "N")]
    folds: Option<usize>,
    /// Measures on test data, the most important first [default: ndcg@10,map]
    #[arg(long, short, value_name = "LIST")]
    measure: Option<String>,
    /// Measure on validation data that chooses settings [default: the first measure, ties by
    /// expected value]
    #[arg(long, value_name = "MEASURE")]
    choose: Option<String>,
    /// Seeds with which everything is run [default: 1]
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// The first seed [default: 1]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Draws of the training queries from which features are selected, to see how stable selections
    /// are [default: 0]
    #[arg(long, value_name = "N")]
    bootstraps: Option<u64>,
    /// Use the rankers' defaults instead of choosing settings on validation data
    #[arg(long)]
    no_tune: bool,
    /// Do not judge other numbers of features on validation data
    #[arg(long)]
    no_curves: bool,
    /// Let `auto` recommend a set on all data, for the first ranker
    #[arg(long)]
    recommend: bool,
    /// What features cost: a name or id and a number per line
    #[arg(long, value_name = "FILE")]
    costs: Option<PathBuf>,
}

impl What {
    /// The first option that a plan would say, where one was given.
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
            let plan = args.what.plan()?;
            // Before data is read, which may take long.
            plan.crossed()?;
            let folder = ResultsFolder::open(&args.output)?;
            let spinner = output.spinner("reading".into());
            let source =
                FoldSource::find(&args.data, args.what.folds, plan.seed, &args.reading.options())?;
            drop(spinner);
            vec![compare(args, plan, String::new(), source, &folder, output)?]
        }
    };
    match found.iter().any(|results| results.done().next().is_some()) {
        true => Ok(()),
        false => Err(anyhow::anyhow!("every cell failed; the table above says why")),
    }
}

/// A plan's data sets, one after the other; each in a folder of its own where there are several.
fn with_plan(args: &Args, path: &Path, output: &Output) -> anyhow::Result<Vec<Results>> {
    if args.data.len() > 1 {
        return Err(refused("a plan names its own data", "name the plan alone").into());
    }
    if let Some(option) = args.what.given() {
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

/// Carries out a plan on one data set and prints the tables.
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
    if let Some(path) = &args.what.costs {
        let costs = read_costs(path, &comparison.features()?)?;
        comparison = comparison.with_costs(costs);
    }
    let results = carry_out(&comparison, folder, args.jobs, output)?;
    match output.json() {
        true => output.print_json(&results)?,
        false => output.print(Form::Text.write(&results.title, &tables(&results)?).trim_end())?,
    }
    let files = "results.json, tables.txt, tables.md, tables.csv and tables.tex";
    output.note(format!("\nseed {}; wrote {files} in {}", results.seed, folder.path("").display()));
    Ok(results)
}

/// Runs what the folder does not hold yet, and writes everything.
pub fn carry_out(
    comparison: &Comparison,
    folder: &ResultsFolder,
    jobs: usize,
    output: &Output,
) -> Result<Results> {
    let progress = CellProgress::new(output);
    let run = Run { observer: Progress::watch(), ..Run::new(1, Constraints::default()) };
    let results =
        comparison.run(folder, &run, jobs, &|news| progress.show(news)).inspect_err(|error| {
            progress.clear();
            if matches!(error, Error::Stopped(_) | Error::Io { .. }) {
                output.note(format!(
                    "cells that are done are kept in {}: the same command goes on from them",
                    folder.path("").display()
                ));
            }
        })?;
    progress.clear();
    folder.write(&results)?;
    Ok(results)
}

/// The words that repeat an experiment: all but those that do not matter for what is found.
fn command(words: impl Iterator<Item = String>) -> Vec<String> {
    const WITH_VALUE: [&str; 4] = ["--jobs", "--threads", "--output", "-o"];
    const ALONE: [&str; 3] = ["--quiet", "-q", "--json"];
    let mut kept = vec!["featherank".to_owned()];
    // The program itself may be several words, as from Python.
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

/// A bar over all cells on a terminal, a line for each cell where output is piped.
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

    fn show(&self, news: &News<'_>) {
        match news {
            News::Found(done, total) => {
                self.bar.set_length(*total as u64);
                self.bar.set_position(*done as u64);
                if *done > 0 {
                    self.say(format!("{done} of {total} cells are done already"));
                }
            }
            News::Ended(cell, done, total) => {
                self.bar.set_position(*done as u64);
                let what = match &cell.outcome {
                    CellOutcome::Done(found) => {
                        if self.output.live() {
                            return;
                        }
                        let seconds = found.measured.seconds;
                        format!(
                            "{:.4} on validation data, {} features, {seconds:.2} s",
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
            News::Note(note) => self.say(format!("note: {note}")),
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
    fn what_does_not_matter_is_no_part_of_the_command() {
        let words = "path/featherank --threads 2 compare -q data --jobs=3 --k 5 -o out --output=x --json --threads=1";
        let kept = command(words.split(' ').map(str::to_owned));
        assert_eq!(kept, ["featherank", "compare", "data", "--k", "5"]);
    }
}
