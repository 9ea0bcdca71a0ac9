//! `featherank select`: choose features.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use featherank::Error;
use featherank::checkpoint::Checkpoint;
use featherank::data::{FeatureTable, check_target};
use featherank::engine::{Engine, LocalEngine};
use featherank::registry;
use featherank::run::{Constraints, Limited, Observer, Run};
use featherank::select::{Fit, Generation, Searched, Selection, SelectorSpec};

use crate::arguments::{Common, Reading, parse_duration, parse_setting, read_costs};
use crate::output::{Output, table};
use crate::progress::Progress;
use crate::scale::{Cluster, Opening, Scale};

#[derive(clap::Args)]
pub struct Args {
    /// Training data, as one data set; `-` is standard input
    #[arg(required = true, value_name = "TRAIN")]
    train: Vec<PathBuf>,
    /// Validation data, on which methods that tune or judge do so; may be repeated [default: parts
    /// of the training data]
    #[arg(long, value_name = "FILE")]
    valid: Vec<PathBuf>,
    /// The method; see `featherank methods`. auto finds the smallest set that is as good as all
    /// features
    #[arg(long, default_value = "auto")]
    method: String,
    /// The ranker that the features are for, of methods that train one; as `-p ranker=NAME`
    #[arg(long, value_name = "NAME")]
    ranker: Option<String>,
    /// What rankings are judged by, of methods that do; as `-p measure=NAME`
    #[arg(long, value_name = "NAME")]
    measure: Option<String>,
    /// A parameter of the method; may be repeated
    #[arg(short, long = "param", value_name = "KEY=VALUE", value_parser = parse_setting)]
    params: Vec<(String, String)>,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the selection to this JSON file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the final model of a method that trains one to this JSON file
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    long: LongRun,
    #[command(flatten)]
    scale: Scale,
    #[command(flatten)]
    reading: Reading,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Long runs")]
struct LongRun {
    /// Keep what is needed to go on in this file; the same command goes on from it, and removes it
    /// in the end
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Stop after this time and return the best so far: 90s, 10m, 1h30m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    time_limit: Option<Duration>,
}

#[derive(clap::Args)]
#[command(next_help_heading = "What may be chosen")]
struct Limits {
    /// Choose exactly this many features [default: as many as the method finds; all that are alive,
    /// best first, if it only orders them]
    #[arg(long, value_name = "N")]
    k: Option<usize>,
    /// Features that must be chosen: names, ids, ranges of ids (bm25,3,10-15)
    #[arg(long, value_name = "LIST")]
    keep: Option<String>,
    /// Features that must not be chosen
    #[arg(long, value_name = "LIST")]
    drop: Option<String>,
    /// What features cost: a name or id and a number per line; 1 each without it
    #[arg(long, value_name = "FILE")]
    costs: Option<PathBuf>,
    /// The most that all chosen features may cost together
    #[arg(long, value_name = "COST")]
    budget: Option<f64>,
}

impl Limits {
    fn constraints(&self, features: &FeatureTable) -> featherank::Result<Constraints> {
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
    /// All parameters of the method, those with an option of their own too.
    fn parameters(&self, spec: &SelectorSpec) -> featherank::Result<Vec<(String, String)>> {
        let mut all = self.params.clone();
        for (name, value) in [("ranker", &self.ranker), ("measure", &self.measure)] {
            let Some(value) = value else { continue };
            if spec.params.iter().all(|param| param.name != name) {
                return Err(Error::Conflict {
                    what: format!("{} has no {name} that --{name} could set", spec.name),
                    help: format!("leave it out, or see `featherank methods {}`", spec.name),
                });
            }
            all.push((name.to_owned(), value.clone()));
        }
        Ok(all)
    }
}

pub fn run(
    args: &Args,
    common: &Common,
    cluster: Option<&dyn Cluster>,
    output: &Output,
) -> anyhow::Result<()> {
    let spec = registry::selector(&args.method)?;
    let params = args.parameters(spec)?;
    for path in [&args.output, &args.model, &args.long.checkpoint].into_iter().flatten() {
        check_target(path)?;
    }
    if args.long.checkpoint.is_some() && !spec.resumes {
        output.note(format!("{} keeps no checkpoint; --checkpoint makes no difference", spec.name));
    }
    let deadline = args.long.time_limit.and_then(|limit| Instant::now().checked_add(limit));
    if args.model.is_some() && !spec.leaves_model {
        return Err(no_model(spec.name).into());
    }
    if !args.valid.is_empty() && !spec.uses_valid {
        output.note(format!("{} does not tune itself; --valid makes no difference", spec.name));
    }
    let watched = Progress::start(output);
    // A method that has no answer before its end is stopped without one.
    let observer: Arc<dyn Observer> = match deadline.filter(|_| !spec.resumes) {
        Some(deadline) => Arc::new(Limited { observer: watched, deadline }),
        None => watched,
    };
    let how = Opening {
        reading: &args.reading,
        threads: common.threads,
        observer: observer.clone(),
        cluster,
        output,
    };
    let open = |files: &[PathBuf]| args.scale.open(files, &how, &|| spec.check_remote(&params));
    let opened = open(&args.train)?;
    let engine = opened.engine.as_ref();
    let constraints = args.limits.constraints(&engine.schema().features)?;
    let valid: Option<Arc<dyn Engine>> = match (args.valid.is_empty(), engine.local()) {
        (true, _) => None,
        (false, Some(data)) => {
            let valid = args.reading.read_like(&args.valid, data, &args.train, output)?;
            Some(Arc::new(LocalEngine::new(valid, common.threads)?.observed_by(observer.clone())))
        }
        (false, None) => Some(open(&args.valid)?.engine),
    };
    let checkpoint =
        args.long.checkpoint.as_ref().filter(|_| spec.resumes).map(|path| Checkpoint::new(path));
    let run = Run { observer, valid, deadline, checkpoint, ..Run::new(args.seed, constraints) };
    let start = Instant::now();
    let selection = spec.run(&params, &run, engine).inspect_err(|error| {
        if let (Error::Stopped(_) | Error::Shard { .. }, Some(path)) =
            (error, args.long.checkpoint.as_ref().filter(|path| path.exists()))
        {
            output.note(format!("{} is kept: the same command goes on from it", path.display()));
        }
    })?;
    if let Some(path) = &args.output {
        selection.save(path)?;
    }
    if let Some(path) = &args.model {
        selection.model.as_ref().ok_or_else(|| no_model(spec.name))?.save(path)?;
    }
    match &run.checkpoint {
        Some(checkpoint) if !selection.unfinished => checkpoint.remove()?,
        Some(_) => {
            output.note("time is up; the checkpoint is kept: the same command goes on from it")
        }
        None if selection.unfinished => output.note("time is up; this is the best so far"),
        None => {}
    }
    if output.json() {
        opened.explanation().into_iter().for_each(|text| output.note(text));
        return output.print(selection.to_json()?.trim_end());
    }
    output.print(summary(&selection))?;
    opened.explanation().map_or(Ok(()), |text| output.print(format!("\n{text}")))?;
    output.note(format!("\nseed {}, {:.2} s", selection.seed, start.elapsed().as_secs_f64()));
    for path in [&args.output, &args.model].into_iter().flatten() {
        output.note(format!("wrote {}", path.display()));
    }
    Ok(())
}

fn no_model(method: &str) -> Error {
    Error::Conflict {
        what: format!("{method} trains no model that --model could write"),
        help: "use an embedded method or mofsrank, or save the selection with -o and train with --selection"
            .into(),
    }
}

/// How the model of an embedded method was found, for people.
fn fitted(fit: &Fit, tried: usize) -> String {
    let settings = fit.settings.iter().map(|(name, value)| format!("{name} {value:.3e}"));
    let worth = fit.value.map(|value| format!("{value:.4} on validation data"));
    // Below that are rounding errors, which differ from machine to machine.
    let certificates = fit.certificate.iter().map(|(name, value)| match value {
        ..1e-8 => format!("{name} below 1e-8"),
        _ => format!("{name} {value:.1e}"),
    });
    let parts: Vec<String> = settings.chain(worth).chain(certificates).collect();
    format!("the model, one of {tried}: {}", parts.join(", "))
}

/// How a search among subsets went, for people.
fn searched(searched: &Searched) -> String {
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
        "the subset, one of {} that no other dominates: {}; best of the first generation {:.4}, of the last {:.4}",
        searched.front.len(),
        objectives.join(", "),
        best(searched.generations.first()),
        best(searched.generations.last())
    )
}

/// The selection as a table for people.
pub fn summary(selection: &Selection) -> String {
    let costly = selection.selected.iter().any(|chosen| chosen.cost != 1.0);
    let parameters: Vec<String> =
        selection.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut lines = vec![format!(
        "{} chose {} of {} features ({})",
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
        selection.fits.iter().find(|fit| fit.chosen).map(|fit| fitted(fit, selection.fits.len())),
    );
    lines.extend(selection.searched.as_ref().map(searched));
    lines.extend(selection.notes.iter().map(|note| format!("note: {note}")));
    if !selection.set_aside.is_empty() {
        let aside: Vec<String> = selection
            .set_aside
            .iter()
            .map(|f| f.name.clone().unwrap_or_else(|| f.id.to_string()))
            .collect();
        lines.push(format!("set aside, constant within every query: {}", aside.join(", ")));
    }
    lines.join("\n")
}
