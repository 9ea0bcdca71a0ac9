//! Comparisons of selectors and rankers by cross-validation, as in `featherank compare`.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use featherank::Stop;
use featherank::data::ReadOptions;
use featherank::experiment::{ComparisonData, ComparisonEvent, ComparisonJob, FeatureCosts, Plan};
use featherank::run::{Constraints, Observer, Run, Step, StopToken};
use pyo3::prelude::*;

use crate::background::run_observed;
use crate::data::Data;
use crate::errors::OrRaise;

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
    let seed = plan.seed;
    let costs = match &data {
        Some(data) => data.costs_by_id(&costs)?,
        None => costs,
    };
    let data = match data.map(Data::take).transpose()? {
        Some(data) => ComparisonData::Rows(data, folds),
        None => ComparisonData::Files { paths, folds, options: ReadOptions::default() },
    };
    let costs = if costs.is_empty() { FeatureCosts::Equal } else { FeatureCosts::Values(costs) };
    let job = ComparisonJob::new(plan, command, data, &folder).or_raise(py)?.costs(costs);
    run_observed(py, threads, progress.as_ref(), move |observer| {
        let folder = job.folder().clone();
        let comparison = job.open()?;
        let progress = Arc::new(ExperimentProgress {
            observer,
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
        });
        let run = Run { observer: progress.clone(), ..Run::new(seed, Constraints::default()) };
        let on_event = |event: &ComparisonEvent<'_>| progress.update(event);
        featherank_report::render(&comparison.run_and_save(&folder, &run, 0, &on_event)?)
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
        self.observer.on_step(&Step::stage("comparing", done, (total > 0).then_some(total)))
    }

    fn stop(&self) -> &StopToken {
        self.observer.stop()
    }
}
