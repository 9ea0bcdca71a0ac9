//! Comparisons of selectors and rankers by cross-validation, as in `featherank compare`.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use featherank::data::ReadOptions;
use featherank::experiment::{Comparison, ComparisonEvent, FoldSource, Plan, ResultsFolder};
use featherank::run::{Constraints, Observer, Run, Step};
use featherank::{Error, Stop};
use pyo3::prelude::*;

use crate::data::Data;
use crate::errors::OrRaise;
use crate::watch::watched;

/// The arguments of a comparison.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Experiment {
    /// The text of a plan.
    plan: String,
    /// The command that repeats it.
    command: Vec<String>,
    /// Files or a directory, if no data object is given.
    paths: Vec<PathBuf>,
    /// Number of folds.
    folds: Option<usize>,
    /// Costs of the features in column order; empty if unknown.
    costs: Vec<f64>,
    /// Directory for results.
    folder: PathBuf,
    /// 0 for all cores.
    threads: usize,
    progress: Option<Py<PyAny>>,
}

/// Runs a comparison, writes its results, and returns the HTML report.
#[pyfunction]
#[pyo3(signature = (experiment, data))]
pub fn compare(
    py: Python<'_>,
    experiment: Experiment,
    data: Option<&mut Data>,
) -> PyResult<String> {
    let Experiment { plan, command, paths, folds, costs, folder, threads, progress } = experiment;
    let plan = Plan::parse(&plan).or_raise(py)?;
    // Check the plan before reading the data, which may take long.
    plan.crossed().or_raise(py)?;
    let folder = ResultsFolder::open(&folder).or_raise(py)?;
    let data = data.map(Data::take).transpose()?;
    watched(py, threads, progress.as_ref(), move |observer| {
        let seed = plan.seed;
        let source = match data {
            Some(data) => FoldSource::split(data, folds.unwrap_or(FoldSource::FOLDS), seed)?,
            None => FoldSource::find(&paths, folds, seed, &ReadOptions::default())?,
        };
        let title = plan.title.clone();
        let mut comparison = Comparison::new(plan, title, command, source)?;
        if !costs.is_empty() {
            let features = comparison.features()?.len();
            if costs.len() != features {
                return Err(Error::invalid(
                    "number of costs",
                    costs.len(),
                    format!("{features}, one a feature"),
                ));
            }
            comparison = comparison.with_costs(costs);
        }
        let progress = Arc::new(ExperimentProgress {
            observer,
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
        });
        let run = Run { observer: progress.clone(), ..Run::new(seed, Constraints::default()) };
        let results = comparison.run(&folder, &run, 0, &|event| progress.update(event))?;
        folder.write(&results)?;
        featherank_report::render(&results)
    })
}

/// Reports the number of completed experiments instead of the steps within them.
struct ExperimentProgress {
    observer: Arc<dyn Observer>,
    done: AtomicU64,
    total: AtomicU64,
}

impl ExperimentProgress {
    fn update(&self, event: &ComparisonEvent<'_>) {
        if let ComparisonEvent::Started(done, total)
        | ComparisonEvent::CellFinished(_, done, total) = event
        {
            self.done.store(*done as u64, Ordering::Relaxed);
            self.total.store(*total as u64, Ordering::Relaxed);
        }
    }
}

impl Observer for ExperimentProgress {
    fn on_step(&self, _: &Step) -> ControlFlow<Stop> {
        let [done, total] = [&self.done, &self.total].map(|count| count.load(Ordering::Relaxed));
        self.observer.on_step(&Step {
            what: "comparing",
            done,
            total: (total > 0).then_some(total),
        })
    }
}
