//! Running selectors and rankers by name.

use std::ffi::CString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use featherank::data::{Dataset, Normaliser};
use featherank::engine::{Engine, LocalEngine};
use featherank::run::{Constraints, Observer, Run};
use featherank::select::{Selection, SelectionJob};
use featherank::shards::RemoteEngine;
use featherank::training::TrainingJob;
use featherank::{Error, Result};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;

use crate::background::run_observed;
use crate::data::{ColumnOrder, Data};
use crate::errors::OrRaise;
use crate::model::PyModel;
use crate::shards::PyCluster;

/// The arguments that every selector and ranker takes, and the method's own parameters.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct RunSettings {
    /// The method's own parameters, spelled as for `-p`.
    params: Vec<(String, String)>,
    seed: u64,
    /// 0 for all cores.
    threads: usize,
    /// Seconds.
    time_limit: Option<f64>,
    progress: Option<Py<PyAny>>,
}

impl RunSettings {
    fn time_limit(&self) -> Option<Duration> {
        self.time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    }
}

/// Constraints on the selected features, which are column numbers from 0.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct ConstraintArguments {
    k: Option<usize>,
    keep: Vec<usize>,
    drop: Vec<usize>,
    costs: Vec<f64>,
    budget: Option<f64>,
}

impl ConstraintArguments {
    /// The constraints on features that are in these columns.
    fn resolve(self, order: &ColumnOrder) -> Constraints {
        let ConstraintArguments { k, keep, drop, costs, budget } = self;
        let features = |list: Vec<usize>| {
            list.iter().filter_map(|&column| order.features().get(column)).copied().collect()
        };
        let (keep, drop) = (features(keep), features(drop));
        let mut by_feature = vec![1.0; costs.len()];
        for (feature, cost) in order.features().iter().zip(costs) {
            by_feature[feature.index()] = cost;
        }
        Constraints { k, keep, drop, costs: by_feature, budget }
    }
}

/// The data of a call, as a Python object.
#[derive(FromPyObject)]
pub enum DataArgument<'py> {
    /// Rows in this process.
    Local(PyRefMut<'py, Data>),
    /// Rows held by shards.
    Remote(PyRef<'py, PyCluster>),
}

/// The same data without a reference to the interpreter, so that threads can use it.
enum DetachedData {
    Local(Box<Dataset>),
    Remote(Arc<RemoteEngine>),
}

impl DataArgument<'_> {
    fn order(&self) -> ColumnOrder {
        match self {
            DataArgument::Local(data) => data.order().clone(),
            DataArgument::Remote(cluster) => cluster.order(),
        }
    }

    fn take(self) -> PyResult<DetachedData> {
        match self {
            DataArgument::Local(mut data) => Ok(DetachedData::Local(Box::new(data.take()?))),
            DataArgument::Remote(cluster) => Ok(DetachedData::Remote(cluster.engine())),
        }
    }
}

impl DetachedData {
    fn engine(self, threads: usize, observer: &Arc<dyn Observer>) -> Result<Arc<dyn Engine>> {
        match self {
            DetachedData::Local(data) => {
                Ok(Arc::new(LocalEngine::new(*data, threads)?.observed_by(observer.clone())))
            }
            DetachedData::Remote(engine) => {
                engine.set_observer(observer.clone());
                Ok(engine)
            }
        }
    }
}

/// Gives notes as warnings of the caller of `fit`.
fn warn(py: Python<'_>, notes: &[String]) -> PyResult<()> {
    for note in notes {
        let warning = CString::new(note.as_str())?;
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &warning, 2)?;
    }
    Ok(())
}

/// Selects features. Returns the JSON document of the selection, and the model if the method trains
/// one.
#[pyfunction]
#[pyo3(signature = (method, data, valid, settings, limits, checkpoint))]
pub fn select(
    py: Python<'_>,
    method: &str,
    data: DataArgument<'_>,
    valid: Option<DataArgument<'_>>,
    settings: RunSettings,
    limits: ConstraintArguments,
    checkpoint: Option<PathBuf>,
) -> PyResult<(String, Option<PyModel>)> {
    let spec = featherank::registry::selector(method).or_raise(py)?;
    let constraints = limits.resolve(&data.order());
    let (data, valid) = (data.take()?, valid.map(DataArgument::take).transpose()?);
    let time_limit = settings.time_limit();
    let RunSettings { params, seed, threads, progress, .. } = settings;
    let outcome = run_observed(py, threads, progress.as_ref(), move |observer| {
        let run = Run { observer, ..Run::new(seed, constraints) };
        let job = SelectionJob::new(spec, params, run).time_limit(time_limit);
        let observer = job.observer();
        let validation = valid.map(|valid| valid.engine(threads, &observer)).transpose()?;
        let engine = data.engine(threads, &observer)?;
        let job = job.validation(validation).checkpoint(checkpoint);
        job.run(engine.as_ref())
    })?;
    warn(py, &outcome.notes)?;
    let document = outcome.selection.to_json().or_raise(py)?;
    outcome.remove_checkpoint().or_raise(py)?;
    Ok((document, outcome.selection.model.map(PyModel::from)))
}

/// The verdict on a selection, given as its document, in the words of every front end; as JSON,
/// None if the method gives none.
#[pyfunction]
pub fn verdict(py: Python<'_>, selection: &str) -> PyResult<Option<String>> {
    let unreadable = |error: serde_json::Error| {
        Error::invalid("selection", error, "a document written by featherank")
    };
    let parsed = serde_json::from_str::<Selection>(selection).map_err(unreadable).or_raise(py)?;
    let found = parsed.verdict().map(|verdict| serde_json::to_string(&verdict));
    found.transpose().map_err(unreadable).or_raise(py)
}

/// Trains a ranker on normalised features.
#[pyfunction]
#[pyo3(signature = (ranker, data, valid, settings, normalise))]
pub fn train(
    py: Python<'_>,
    ranker: &str,
    data: &mut Data,
    valid: Option<&mut Data>,
    settings: RunSettings,
    normalise: &str,
) -> PyResult<PyModel> {
    let ranker = featherank::registry::ranker(ranker).or_raise(py)?;
    let normaliser: Normaliser = normalise.parse().or_raise(py)?;
    let (data, valid) = (data.take()?, valid.map(Data::take).transpose()?);
    let time_limit = settings.time_limit();
    let RunSettings { params, seed, threads, progress, .. } = settings;
    let outcome = run_observed(py, threads, progress.as_ref(), move |observer| {
        let run = Run { observer, ..Run::new(seed, Constraints::default()) };
        let job = TrainingJob::new(ranker, params, run).normaliser(normaliser);
        job.time_limit(time_limit).run(data, valid)
    })?;
    warn(py, &outcome.report.notes)?;
    Ok(PyModel::from(outcome.model))
}
