//! `featherank select`: select features.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use featherank::Stop;
use featherank::data::{DataSources, FeatureId, FeatureTable, read_costs};
use featherank::engine::{Engine, LocalEngine};
use featherank::params::check_set_once;
use featherank::registry;
use featherank::run::{Constraints, Run};
use featherank::select::{SelectionJob, SelectionOutcome, SelectorSpec, UnusedSetting};

use crate::arguments::{Common, Reading, parse_duration, parse_setting};
use crate::errors::{CommandResult, Failure};
use crate::output::Output;
use crate::paths::recorded;
use crate::progress::Progress;
use crate::scale::{Cluster, OpenedData, Opening, ScaleArgs};
use crate::selection_text::summary;

#[derive(clap::Args)]
pub struct SelectArgs {
    /// Training data; several files form one data set, `-` reads standard input
    #[arg(required = true, value_name = "TRAIN")]
    train: Vec<PathBuf>,
    /// Validation data for methods that tune or evaluate; repeatable [default: part of the training
    /// data]
    #[arg(long, value_name = "FILE")]
    valid: Vec<PathBuf>,
    /// Selector; see `featherank methods`. auto finds the smallest set that ranks as well as all
    /// features
    #[arg(long, default_value = "auto")]
    method: String,
    /// Ranker to select features for; same as `-p ranker=NAME`
    #[arg(long, value_name = "NAME")]
    ranker: Option<String>,
    /// Measure to optimise; same as `-p measure=NAME`
    #[arg(long, value_name = "NAME")]
    measure: Option<String>,
    /// Parameter of the selector; repeatable
    #[arg(short, long = "param", value_name = "KEY=VALUE", value_parser = parse_setting)]
    params: Vec<(String, String)>,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the selection to FILE as JSON
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the model trained by the selector to FILE as JSON
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    #[command(flatten)]
    constraints: ConstraintArgs,
    #[command(flatten)]
    long: LongRunArgs,
    #[command(flatten)]
    scale: ScaleArgs,
    #[command(flatten)]
    reading: Reading,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Long runs")]
struct LongRunArgs {
    /// Save progress to FILE; rerun the same command to resume. Deleted on success
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Stop after this time: 90s, 10m, 1h30m. auto, spea2 and mofsrank return the best selection so
    /// far, the other methods nothing
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time_limit: Option<Duration>,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Constraints")]
struct ConstraintArgs {
    /// Select exactly N features [default: decided by the method; methods that only rank features
    /// return all of them]
    #[arg(long, value_name = "N")]
    k: Option<usize>,
    /// Features that must be selected: names, ids, ranges of ids and patterns
    /// (tf,3,10-15,20-,bm25.*); --keep=-5 is a range up to 5
    #[arg(long, value_name = "LIST", allow_negative_numbers = true)]
    keep: Option<String>,
    /// Features that must not be selected, as for --keep
    #[arg(long, value_name = "LIST", allow_negative_numbers = true)]
    drop: Option<String>,
    /// File with feature costs, one feature and its cost per line; a feature is written as for
    /// --keep [default: 1 each]
    #[arg(long, value_name = "FILE")]
    costs: Option<PathBuf>,
    /// Maximum total cost of the selected features
    // Negative numbers are refused with the values of other constraints.
    #[arg(long, value_name = "COST", allow_negative_numbers = true)]
    budget: Option<f64>,
}

impl ConstraintArgs {
    fn resolve(&self, features: &FeatureTable, output: &Output) -> featherank::Result<Constraints> {
        let list = |list: &Option<String>| {
            list.as_deref().map_or(Ok(Vec::new()), |list| features.resolve_list(list))
        };
        let read = |path: &PathBuf| read_costs(path, features);
        let costs = self.costs.as_ref().map(read).transpose()?.unwrap_or_default();
        if !costs.unlisted.is_empty() {
            output.note(unlisted(&costs.unlisted, features));
        }
        Ok(Constraints {
            k: self.k,
            keep: list(&self.keep)?,
            drop: list(&self.drop)?,
            costs: costs.values,
            budget: self.budget,
        })
    }
}

/// Which features have no cost in the file.
pub fn unlisted(unlisted: &[FeatureId], features: &FeatureTable) -> String {
    const SHOWN: usize = 8;
    let (count, all) = (unlisted.len(), features.len());
    let names: Vec<String> = unlisted.iter().take(SHOWN).map(|&f| features.label(f)).collect();
    let more = if count > SHOWN { ", …" } else { "" };
    format!(
        "note: no cost is given for {count} of {all} features; they cost 1: {}{more}",
        names.join(", ")
    )
}

impl SelectArgs {
    /// All parameters of the method, including those that have an option of their own.
    fn parameters(&self, spec: &SelectorSpec) -> CommandResult<Vec<(String, String)>> {
        let mut all = self.params.clone();
        for (name, value) in [("ranker", &self.ranker), ("measure", &self.measure)] {
            let Some(value) = value else { continue };
            if spec.params.iter().all(|param| param.name != name) {
                return Err(Failure::usage(
                    format!("method `{}` does not take --{name}", spec.name),
                    format!("leave it out; see `featherank methods {}`", spec.name),
                ));
            }
            all.push((name.to_owned(), value.clone()));
        }
        check_set_once(&all)?;
        Ok(all)
    }

    /// The files of the data, for the commands of reports.
    fn sources(&self, options: Vec<String>) -> DataSources {
        let costs = self.constraints.costs.as_slice();
        DataSources {
            train: recorded(&self.train),
            valid: recorded(&self.valid),
            costs: recorded(costs).pop(),
            options,
        }
    }

    /// Opens training and validation data, and adds what depends on them to the job.
    fn open(
        &self,
        job: SelectionJob,
        common: &Common,
        cluster: Option<&dyn Cluster>,
        output: &Output,
    ) -> CommandResult<(SelectionJob, OpenedData)> {
        let (reading, threads) = (&self.reading, common.threads);
        let how = Opening { reading, threads, observer: job.observer(), cluster, output };
        let open = |files: &[PathBuf]| self.scale.open(files, &how, &|| job.check_remote());
        let opened = open(&self.train)?;
        let constraints = self.constraints.resolve(&opened.engine.schema().features, output)?;
        let validation: Option<Arc<dyn Engine>> = match opened.engine.local() {
            _ if self.valid.is_empty() => None,
            Some(data) => {
                let valid = reading.read_like(&self.valid, data, &self.train, output)?;
                Some(Arc::new(LocalEngine::new(valid, threads)?.observed_by(job.observer())))
            }
            None => Some(open(&self.valid)?.engine),
        };
        Ok((job.constraints(constraints).validation(validation), opened))
    }
}

/// `options` say how data is read.
pub fn run(
    args: &SelectArgs,
    options: Vec<String>,
    common: &Common,
    cluster: Option<&dyn Cluster>,
    output: &Output,
) -> CommandResult {
    let spec = registry::selector(&args.method)?;
    let observer = Progress::start(output);
    let run = Run { observer, ..Run::new(args.seed, Constraints::default()) };
    let job = SelectionJob::new(spec, args.parameters(spec)?, run)
        .time_limit(args.long.time_limit)
        .best_so_far()
        .checkpoint(args.long.checkpoint.clone())
        .output(args.output.clone())
        .sources(args.sources(options))
        .model_output(args.model.clone());
    job.check()?;
    let (job, opened) = args.open(job, common, cluster, output)?;
    for unused in job.unused() {
        output.note(match unused {
            UnusedSetting::Checkpoint => {
                format!(
                    "note: method `{}` does not write checkpoints; --checkpoint is ignored",
                    spec.name
                )
            }
            UnusedSetting::Validation => {
                format!(
                    "note: method `{}` does not use validation data; --valid is ignored",
                    spec.name
                )
            }
        });
    }
    let outcome = job.run(opened.engine.as_ref()).inspect_err(|error| {
        if let Some(path) = job.checkpoint_after(error) {
            output.note(format!("rerun the same command to resume from {}", path.display()));
        }
    })?;
    outcome.notes.iter().for_each(|note| output.note(format!("note: {note}")));
    if let Some(stop) = outcome.stopped {
        let resume = outcome
            .kept_checkpoint
            .as_ref()
            .map(|path| format!("; rerun the same command to resume from {}", path.display()));
        let resume = resume.unwrap_or_default();
        output.note(format!("{stop}; this is the best selection so far{resume}"));
    }
    show(args, &job, &opened, &outcome, output)?;
    outcome.remove_checkpoint()?;
    match outcome.stopped {
        Some(Stop::Interrupted) => Err(Failure::StoppedBySignal),
        _ => Ok(()),
    }
}

/// Prints the selection.
fn show(
    args: &SelectArgs,
    job: &SelectionJob,
    opened: &OpenedData,
    outcome: &SelectionOutcome,
    output: &Output,
) -> CommandResult {
    if output.json() {
        opened.explanation(output.width()).into_iter().for_each(|text| output.note(text));
        return output.print_document(&outcome.selection.to_json()?);
    }
    output.print(summary(&outcome.selection, output.width()))?;
    let explanation = opened.explanation(output.width());
    explanation.map_or(Ok(()), |text| output.print(format!("\n{text}")))?;
    output.note(format!("\nseed {}, {:.2} s", args.seed, outcome.seconds));
    job.outputs().for_each(|path| output.note_written(path));
    Ok(())
}
