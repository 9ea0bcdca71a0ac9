//! `featherank select`: select features.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use featherank::Error;
use featherank::data::{FeatureTable, read_costs};
use featherank::engine::{Engine, LocalEngine};
use featherank::registry;
use featherank::run::{Constraints, Run};
use featherank::select::{
    Fit, Generation, Searched, Selection, SelectionJob, SelectorSpec, UnusedSetting,
};

use crate::arguments::{Common, Reading, parse_duration, parse_setting};
use crate::output::{Output, table};
use crate::progress::Progress;
use crate::scale::{Cluster, Opened, Opening, ScaleArgs};

#[derive(clap::Args)]
pub struct Args {
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
    /// Stop after this time and return the best selection so far: 90s, 10m, 1h30m
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
    /// Features that must be selected: names, ids and ranges of ids (bm25,3,10-15)
    #[arg(long, value_name = "LIST")]
    keep: Option<String>,
    /// Features that must not be selected
    #[arg(long, value_name = "LIST")]
    drop: Option<String>,
    /// File with feature costs, one `name cost` or `id cost` per line [default: 1 each]
    #[arg(long, value_name = "FILE")]
    costs: Option<PathBuf>,
    /// Maximum total cost of the selected features
    #[arg(long, value_name = "COST")]
    budget: Option<f64>,
}

impl ConstraintArgs {
    fn resolve(&self, features: &FeatureTable) -> featherank::Result<Constraints> {
        let list = |list: &Option<String>| {
            list.as_deref().map_or(Ok(Vec::new()), |list| features.resolve_list(list))
        };
        Ok(Constraints {
            k: self.k,
            keep: list(&self.keep)?,
            drop: list(&self.drop)?,
            costs: self.costs.as_ref().map_or(Ok(Vec::new()), |path| read_costs(path, features))?,
            budget: self.budget,
        })
    }
}

impl Args {
    /// All parameters of the method, including those that have an option of their own.
    fn parameters(&self, spec: &SelectorSpec) -> featherank::Result<Vec<(String, String)>> {
        let mut all = self.params.clone();
        for (name, value) in [("ranker", &self.ranker), ("measure", &self.measure)] {
            let Some(value) = value else { continue };
            if spec.params.iter().all(|param| param.name != name) {
                return Err(Error::settings(
                    format!("method `{}` does not take --{name}", spec.name),
                    format!("leave it out; see `featherank methods {}`", spec.name),
                ));
            }
            all.push((name.to_owned(), value.clone()));
        }
        Ok(all)
    }

    /// Opens training and validation data, and adds what depends on them to the job.
    fn open(
        &self,
        job: SelectionJob,
        common: &Common,
        cluster: Option<&dyn Cluster>,
        output: &Output,
    ) -> featherank::Result<(SelectionJob, Opened)> {
        let (reading, threads) = (&self.reading, common.threads);
        let how = Opening { reading, threads, observer: job.observer(), cluster, output };
        let open = |files: &[PathBuf]| self.scale.open(files, &how, &|| job.check_remote());
        let opened = open(&self.train)?;
        let constraints = self.constraints.resolve(&opened.engine.schema().features)?;
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

pub fn run(
    args: &Args,
    common: &Common,
    cluster: Option<&dyn Cluster>,
    output: &Output,
) -> anyhow::Result<()> {
    let spec = registry::selector(&args.method)?;
    let observer = Progress::start(output);
    let run = Run { observer, ..Run::new(args.seed, Constraints::default()) };
    let job = SelectionJob::new(spec, args.parameters(spec)?, run)
        .time_limit(args.long.time_limit)
        .checkpoint(args.long.checkpoint.clone())
        .output(args.output.clone())
        .model_output(args.model.clone());
    job.check()?;
    let (job, opened) = args.open(job, common, cluster, output)?;
    for unused in job.unused() {
        output.note(match unused {
            UnusedSetting::Checkpoint => {
                format!(
                    "method `{}` does not write checkpoints; --checkpoint is ignored",
                    spec.name
                )
            }
            UnusedSetting::Validation => {
                format!("method `{}` does not use validation data; --valid is ignored", spec.name)
            }
        });
    }
    let outcome = job.run(opened.engine.as_ref()).inspect_err(|error| {
        if let Some(path) = job.checkpoint_after(error) {
            output.note(format!("rerun the same command to resume from {}", path.display()));
        }
    })?;
    match &outcome.kept_checkpoint {
        _ if outcome.is_complete() => {}
        Some(path) => output.note(format!(
            "time limit reached; rerun the same command to resume from {}",
            path.display()
        )),
        None => output.note("time limit reached; this is the best selection so far"),
    }
    if output.json() {
        opened.explanation().into_iter().for_each(|text| output.note(text));
        return output.print(outcome.selection.to_json()?.trim_end());
    }
    output.print(summary(&outcome.selection))?;
    opened.explanation().map_or(Ok(()), |text| output.print(format!("\n{text}")))?;
    output.note(format!("\nseed {}, {:.2} s", args.seed, outcome.seconds));
    job.outputs().for_each(|path| output.note(format!("wrote {}", path.display())));
    Ok(())
}

/// Describes the model that an embedded method selected.
fn model_line(fit: &Fit, fits: usize) -> String {
    let settings = fit.settings.iter().map(|(name, value)| format!("{name} {value:.3e}"));
    let value = fit.value.map(|value| format!("validation {value:.4}"));
    // Smaller values are rounding errors, which differ between machines.
    let certificates = fit.certificate.iter().map(|(name, value)| match value {
        ..1e-8 => format!("{name} below 1e-8"),
        _ => format!("{name} {value:.1e}"),
    });
    let parts: Vec<String> = settings.chain(value).chain(certificates).collect();
    format!("model selected from {fits}: {}", parts.join(", "))
}

/// Describes the result of a search over subsets.
fn search_line(searched: &Searched) -> String {
    let chosen = searched.front.iter().find(|member| member.chosen);
    let objectives: Vec<String> = chosen
        .iter()
        .flat_map(|member| &member.objectives)
        .map(|(name, value)| match name.as_str() {
            "features" | "cost" => format!("{name} {value}"),
            _ => format!("{name} {value:.4}"),
        })
        .collect();
    let best =
        |generation: Option<&Generation>| generation.map_or(0.0, |generation| generation.best);
    format!(
        "subset selected from a Pareto front of {}: {}; best value {:.4} in the first generation, {:.4} in the last",
        searched.front.len(),
        objectives.join(", "),
        best(searched.generations.first()),
        best(searched.generations.last())
    )
}

/// Formats a selection as text.
pub fn summary(selection: &Selection) -> String {
    let costly = selection.selected.iter().any(|chosen| chosen.cost != 1.0);
    let parameters: Vec<String> =
        selection.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut lines = vec![format!(
        "{} selected {} of {} features ({})",
        selection.method,
        selection.selected.len(),
        selection.data.features,
        parameters.join(", ")
    )];
    let mut header = vec!["rank", "feature", "score"];
    if costly {
        header.push("cost");
    }
    let row = |(i, chosen): (usize, &featherank::select::Chosen)| {
        let label = chosen.name.clone().unwrap_or_else(|| chosen.id.to_string());
        let mut cells = vec![(i + 1).to_string(), label, format!("{:.4}", chosen.score)];
        if costly {
            cells.push(chosen.cost.to_string());
        }
        cells
    };
    lines.push(table(&header, &selection.selected.iter().enumerate().map(row).collect::<Vec<_>>()));
    lines.extend(
        selection
            .fits
            .iter()
            .find(|fit| fit.chosen)
            .map(|fit| model_line(fit, selection.fits.len())),
    );
    lines.extend(selection.searched.as_ref().map(search_line));
    lines.extend(selection.notes.iter().map(|note| format!("note: {note}")));
    if !selection.set_aside.is_empty() {
        let excluded: Vec<String> = selection
            .set_aside
            .iter()
            .map(|f| f.name.clone().unwrap_or_else(|| f.id.to_string()))
            .collect();
        lines.push(format!("excluded, constant within every query: {}", excluded.join(", ")));
    }
    lines.join("\n")
}
