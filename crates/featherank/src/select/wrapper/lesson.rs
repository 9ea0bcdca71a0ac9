//! A ranker that learns subsets of features and is judged: from rows, or by passes alone where it
//! is least squares.
//!
//! Least squares need one matrix of sums of products of what is learnt from; then all subsets at
//! hand are judged in one pass. That is done by passes even where the rows are here, so that the
//! answer does not depend on where they are.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::elimination::shares;
use crate::data::{FeatureId, FeatureTable, View};
use crate::engine::passes::{Centring, LinearMeans, LinearMeasures, MeasureSums, Moments};
use crate::engine::{Ask, Engine, PartEngine};
use crate::error::Result;
use crate::measure::Measure;
use crate::rank::linear::least_squares::{SubsetSolver, Sums, Weights};
use crate::rank::{LinearModel, Model, Ranker, SubsetFit, model_importance};
use crate::run::{Run, Silent};
use crate::select::forward::Scored;
use crate::select::rows::needs_rows;

/// Who watches lessons. Their steps are the rankers that are trained; what happens within one would
/// drown them.
pub struct Watch<'a> {
    run: &'a Run,
    silent: Run,
    trained: AtomicU64,
}

impl<'a> Watch<'a> {
    pub fn new(run: &'a Run) -> Self {
        let silent = Run { observer: Arc::new(Silent), ..run.clone() };
        Watch { run, silent, trained: AtomicU64::new(0) }
    }

    /// The run without steps.
    pub fn silent(&self) -> &Run {
        &self.silent
    }

    fn trained(&self, count: usize) -> Result<()> {
        let trained = self.trained.fetch_add(count as u64, Ordering::Relaxed) + count as u64;
        self.run.step("training rankers", trained, None)
    }
}

/// What is learnt from and what is judged on.
pub struct Material<'a> {
    features: Vec<FeatureId>,
    learn: PartEngine<'a>,
    judge: PartEngine<'a>,
    /// For rankers that need them.
    rows: Option<Rows<'a>>,
    /// What passes said of what is learnt from, for lessons to come.
    known: Mutex<Vec<(Centring, Arc<Known>)>>,
}

struct Rows<'a> {
    learn: View<'a>,
    check: Option<View<'a>>,
    judge: View<'a>,
}

/// All that least squares need of what is learnt from.
struct Known {
    sums: Sums,
    /// How far each feature of the data spreads within queries.
    spreads: Vec<f64>,
}

impl<'a> Material<'a> {
    /// For a ranker and subsets of some features; `check` stops rankers that look at such data
    /// while they learn.
    pub fn new(
        ranker: &dyn Ranker,
        learn: PartEngine<'a>,
        check: Option<&PartEngine<'a>>,
        judge: PartEngine<'a>,
        features: &[FeatureId],
    ) -> Result<Self> {
        let view = |part: &PartEngine<'a>| {
            let view = part.view().ok_or_else(|| needs_rows("the ranker"))?;
            Ok(view.with_features(features.to_vec()))
        };
        let rows = match ranker.least_squares() {
            Some(_) => None,
            None => {
                let check = check.map(view).transpose()?.filter(|check| check.documents() > 0);
                Some(Rows { learn: view(&learn)?, check, judge: view(&judge)? })
            }
        };
        Ok(Material { features: features.to_vec(), learn, judge, rows, known: Mutex::default() })
    }

    /// The rows that are learnt from, where the ranker needs them.
    pub fn learnt_rows(&self) -> Option<&View<'a>> {
        self.rows.as_ref().map(|rows| &rows.learn)
    }

    /// The queries that are learnt from.
    pub fn learn(&self) -> &PartEngine<'a> {
        &self.learn
    }

    /// The queries that are judged on.
    pub fn judge(&self) -> &PartEngine<'a> {
        &self.judge
    }

    /// What passes say, asked once.
    fn known(&self, centring: Centring) -> Result<Arc<Known>> {
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = lock().iter().find(|(own, _)| *own == centring) {
            return Ok(Arc::clone(known));
        }
        let learn: &dyn Engine = &self.learn;
        let moments = learn.ask(&Moments)?;
        let is_alive = |f: FeatureId| !moments.features[f.index()].is_dead();
        let sums = Sums::of_passes(learn, &self.features, is_alive, centring)?;
        let spreads = moments.features.iter().map(|feature| feature.deviation_within()).collect();
        let known = Arc::new(Known { sums, spreads });
        lock().push((centring, Arc::clone(&known)));
        Ok(known)
    }
}

/// A ranker at work on some material.
pub struct Lesson<'a> {
    watch: &'a Watch<'a>,
    measure: &'a Measure,
    material: &'a Material<'a>,
    learner: Learner<'a>,
}

enum Learner<'a> {
    Rows { fit: SubsetFit<'a>, rows: &'a Rows<'a> },
    Passes { solver: SubsetSolver, known: Arc<Known> },
}

/// Subsets that were learnt.
pub struct Taught<'l> {
    measure: &'l Measure,
    judge: &'l PartEngine<'l>,
    subsets: &'l [Vec<FeatureId>],
    learnt: Learnt<'l>,
}

enum Learnt<'l> {
    Models { rows: &'l Rows<'l>, models: Vec<Model> },
    Weights { known: &'l Known, weights: Vec<Weights> },
}

impl<'a> Lesson<'a> {
    /// Does what is the same for all subsets of the material's features.
    pub fn new(
        watch: &'a Watch<'a>,
        ranker: &'a dyn Ranker,
        measure: &'a Measure,
        material: &'a Material<'a>,
    ) -> Result<Self> {
        let learner = match (ranker.least_squares(), &material.rows) {
            (Some(least_squares), _) => {
                let known = material.known(least_squares.centring)?;
                Learner::Passes { solver: known.sums.solver(least_squares.ridge), known }
            }
            (None, Some(rows)) => {
                let fit = ranker.for_subsets(&watch.silent, &rows.learn, rows.check.as_ref())?;
                Learner::Rows { fit, rows }
            }
            (None, None) => return Err(needs_rows("the ranker")),
        };
        Ok(Lesson { watch, measure, material, learner })
    }

    /// Trains the ranker on each subset.
    pub fn teach<'l>(&'l self, subsets: &'l [Vec<FeatureId>]) -> Result<Taught<'l>> {
        let learnt = match &self.learner {
            Learner::Rows { fit, rows } => {
                let train = |subset: &Vec<FeatureId>| {
                    let model = fit(subset)?;
                    self.watch.trained(1)?;
                    Ok(model)
                };
                Learnt::Models {
                    rows,
                    models: subsets.par_iter().map(train).collect::<Result<_>>()?,
                }
            }
            Learner::Passes { solver, known } => {
                let weights = subsets.par_iter().map(|subset| solver.weights(subset)).collect();
                self.watch.trained(subsets.len())?;
                Learnt::Weights { known, weights }
            }
        };
        Ok(Taught { measure: self.measure, judge: &self.material.judge, subsets, learnt })
    }
}

impl Taught<'_> {
    /// For each subset, the measure of every query that is judged on.
    pub fn judged(&self) -> Result<Vec<Vec<f64>>> {
        match &self.learnt {
            Learnt::Models { rows, models } => self.each(models, rows, |values| values),
            Learnt::Weights { weights, .. } => linear_values(self.judge, self.measure, weights),
        }
    }

    /// For each subset, the measure over all queries that are judged on.
    pub fn means(&self) -> Result<MeasureSums> {
        match &self.learnt {
            Learnt::Models { rows, models } => {
                let means =
                    self.each(models, rows, |values| MeasureSums::of(self.measure, &[values]))?;
                Ok(MeasureSums::concat(means))
            }
            Learnt::Weights { weights, .. } => {
                let judge: &dyn Engine = self.judge;
                judge.ask(&LinearMeans(measuring(self.measure, weights)))
            }
        }
    }

    fn each<T: Send>(
        &self,
        models: &[Model],
        rows: &Rows<'_>,
        of_values: impl Fn(Vec<f64>) -> T + Sync,
    ) -> Result<Vec<T>> {
        let judge = |model: &Model| {
            Ok(of_values(self.measure.per_query(&model.score(&rows.judge)?, &rows.judge)))
        };
        models.par_iter().map(judge).collect()
    }

    /// How much each feature of the subset at a place matters to what was learnt of it, as shares
    /// of 1, most important first.
    pub fn shares(&self, place: usize) -> Result<Scored> {
        let importance = match &self.learnt {
            Learnt::Models { rows, models } => model_importance(&models[place], &rows.learn)?,
            Learnt::Weights { known, weights } => {
                let size =
                    |&(f, weight): &(FeatureId, f64)| (f, weight.abs() * known.spreads[f.index()]);
                weights[place].iter().map(size).collect()
            }
        };
        Ok(shares(&importance, &self.subsets[place]))
    }

    /// The models, for columns of a table.
    pub fn models(self, table: &FeatureTable) -> Vec<Model> {
        match self.learnt {
            Learnt::Models { models, .. } => models,
            Learnt::Weights { weights, .. } => {
                weights.iter().map(|weights| LinearModel::new(table, weights).into()).collect()
            }
        }
    }
}

/// For each linear model, the measure of every query of an engine, in one pass.
pub fn linear_values(
    engine: &dyn Engine,
    measure: &Measure,
    models: &[Weights],
) -> Result<Vec<Vec<f64>>> {
    Ok(engine.ask(&measuring(measure, models))?.per_query)
}

/// The request to measure linear models.
fn measuring(measure: &Measure, models: &[Weights]) -> LinearMeasures {
    let mut features: Vec<FeatureId> = models.iter().flatten().map(|(f, _)| *f).collect();
    features.sort_unstable();
    features.dedup();
    let dense = |model: &Weights| {
        let mut weights = vec![0.0; features.len()];
        for (f, weight) in model {
            features.binary_search(f).into_iter().for_each(|place| weights[place] = *weight as f32);
        }
        weights
    };
    let weights = models.par_iter().map(dense).collect();
    LinearMeasures { measure: measure.clone(), features, weights }
}
