//! Comparisons of selectors and rankers by cross-validation, as in `featherank compare`.

use std::path::PathBuf;

use featherank::data::ReadOptions;
use featherank::experiment::{ComparisonData, ComparisonJob, FeatureCosts, Plan};
use featherank::run::{Constraints, Run};
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
        let comparison = job.open(observer.stop())?;
        let run = Run { observer, ..Run::new(seed, Constraints::default()) };
        featherank_report::render(&comparison.run_and_save(&folder, &run, 0, &|_| {})?)
    })
}
