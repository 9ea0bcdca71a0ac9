//! Selectors and rankers, run by their names.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use featherank::checkpoint::Checkpoint;
use featherank::data::{Dataset, FeatureId, Normaliser};
use featherank::engine::{Engine, LocalEngine};
use featherank::rank::{TrainingPlan, train as train_ranker};
use featherank::run::{Constraints, Limited, Observer, Run};
use featherank::shards::RemoteEngine;
use featherank::{Error, Result};
use pyo3::prelude::*;

use crate::data::Data;
use crate::errors::OrRaise;
use crate::model::Model;
use crate::shards::Cluster;
use crate::watch::watched;

/// What every method is told besides its parameters.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Settings {
    /// The method's own parameters, as the command takes them.
    params: Vec<(String, String)>,
    seed: u64,
    /// 0 for all cores.
    threads: usize,
    /// Seconds.
    time_limit: Option<f64>,
    progress: Option<Py<PyAny>>,
}

impl Settings {
    fn deadline(&self) -> Option<Instant> {
        let limit = self.time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        limit.and_then(|limit| Instant::now().checked_add(limit))
    }
}

/// What may be chosen. Features are columns, from 0.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Limits {
    k: Option<usize>,
    keep: Vec<usize>,
    drop: Vec<usize>,
    costs: Vec<f64>,
    budget: Option<f64>,
}

impl From<Limits> for Constraints {
    fn from(Limits { k, keep, drop, costs, budget }: Limits) -> Self {
        let columns = |list: Vec<usize>| list.into_iter().map(FeatureId::from).collect();
        Constraints { k, keep: columns(keep), drop: columns(drop), costs, budget }
    }
}

/// Stops work that has no answer before its end when time is up.
fn limited(observer: Arc<dyn Observer>, deadline: Option<Instant>) -> Arc<dyn Observer> {
    match deadline {
        Some(deadline) => Arc::new(Limited { observer, deadline }),
        None => observer,
    }
}

/// Where rows are.
#[derive(FromPyObject)]
pub enum Rows<'py> {
    /// In this process.
    Here(PyRefMut<'py, Data>),
    /// With shards.
    Elsewhere(PyRef<'py, Cluster>),
}

/// The same, free of the interpreter.
enum Taken {
    Here(Box<Dataset>),
    Elsewhere(Arc<RemoteEngine>),
}

impl Rows<'_> {
    fn take(self) -> PyResult<Taken> {
        match self {
            Rows::Here(mut data) => Ok(Taken::Here(Box::new(data.take()?))),
            Rows::Elsewhere(cluster) => Ok(Taken::Elsewhere(cluster.engine())),
        }
    }
}

impl Taken {
    fn engine(self, threads: usize, observer: &Arc<dyn Observer>) -> Result<Arc<dyn Engine>> {
        match self {
            Taken::Here(data) => {
                Ok(Arc::new(LocalEngine::new(*data, threads)?.observed_by(observer.clone())))
            }
            Taken::Elsewhere(engine) => {
                engine.watch(observer.clone());
                Ok(engine)
            }
        }
    }
}

/// Chooses features; the selection as its document's text, and the model of a method that leaves
/// one.
#[pyfunction]
#[pyo3(signature = (method, data, valid, settings, limits, checkpoint))]
pub fn select(
    py: Python<'_>,
    method: &str,
    data: Rows<'_>,
    valid: Option<Rows<'_>>,
    settings: Settings,
    limits: Limits,
    checkpoint: Option<PathBuf>,
) -> PyResult<(String, Option<Model>)> {
    let spec = featherank::registry::selector(method).or_raise(py)?;
    let (data, valid) = (data.take()?, valid.map(Rows::take).transpose()?);
    let constraints = Constraints::from(limits);
    let deadline = settings.deadline();
    let Settings { params, seed, threads, progress, .. } = settings;
    let selection = watched(py, threads, progress.as_ref(), move |observer| {
        let observer = limited(observer, deadline.filter(|_| !spec.resumes));
        let valid = valid.map(|valid| valid.engine(threads, &observer)).transpose()?;
        let engine = data.engine(threads, &observer)?;
        let kept = checkpoint.filter(|_| spec.resumes);
        let checkpoint = kept.as_deref().map(Checkpoint::new);
        let run = Run { observer, valid, deadline, checkpoint, ..Run::new(seed, constraints) };
        let selection =
            spec.run(&params, &run, engine.as_ref()).map_err(|error| match (error, &kept) {
                (Error::Shard { shard, message }, Some(path)) if path.exists() => {
                    let message = format!(
                        "{message}\n  help: {} is kept: the same call goes on from it",
                        path.display()
                    );
                    Error::Shard { shard, message }
                }
                (error, _) => error,
            })?;
        if let Some(checkpoint) = run.checkpoint.filter(|_| !selection.unfinished) {
            checkpoint.remove()?;
        }
        Ok(selection)
    })?;
    Ok((selection.to_json().or_raise(py)?, selection.model.map(Model::from)))
}

/// Trains a ranker on normalised features.
#[pyfunction]
#[pyo3(signature = (ranker, data, valid, settings, normalise))]
pub fn train(
    py: Python<'_>,
    ranker: &str,
    data: &mut Data,
    valid: Option<&mut Data>,
    settings: Settings,
    normalise: &str,
) -> PyResult<Model> {
    let ranker = featherank::registry::ranker(ranker).or_raise(py)?;
    let normaliser: Normaliser = normalise.parse().or_raise(py)?;
    let (mut data, mut valid) = (data.take()?, valid.map(Data::take).transpose()?);
    let deadline = settings.deadline();
    let Settings { params, seed, threads, progress, .. } = settings;
    let trained = watched(py, threads, progress.as_ref(), move |observer| {
        let plan = TrainingPlan { ranker, params: &params, features: None, normaliser, tune: None };
        let run =
            Run { observer: limited(observer, deadline), ..Run::new(seed, Constraints::default()) };
        train_ranker(&plan, &run, &mut data, valid.as_mut())
    })?;
    Ok(Model::from(trained.model))
}
