//! One training run on subsets of features: its training and evaluation queries.

use std::sync::{Arc, Mutex, PoisonError};

use crate::data::{FeatureId, View};
use crate::engine::passes::{Centring, Moments};
use crate::engine::{Ask, Engine, PartEngine};
use crate::error::Result;
use crate::rank::Ranker;
use crate::rank::linear::least_squares::LeastSquaresSums;
use crate::select::rows::needs_rows;

/// The queries that a ranker is trained on, those it is evaluated on, and the features whose
/// subsets it may use.
pub struct Split<'a> {
    features: Vec<FeatureId>,
    train: PartEngine<'a>,
    judge: PartEngine<'a>,
    /// Only for rankers that need rows.
    pub(super) rows: Option<SplitRows<'a>>,
    /// Answers of passes over the training queries, for the next trainer of this split.
    sums: Mutex<Vec<(Centring, Arc<TrainingSums>)>>,
}

/// The rows of a split.
pub(super) struct SplitRows<'a> {
    pub train: View<'a>,
    pub early_stopping: Option<View<'a>>,
    pub judge: View<'a>,
}

/// The sums over the training queries that least squares need.
pub(super) struct TrainingSums {
    pub sums: LeastSquaresSums,
    /// The standard deviation within queries of each feature of the data.
    pub deviations: Vec<f64>,
}

impl<'a> Split<'a> {
    /// A split for a ranker and subsets of `features`. Rankers that support early stopping evaluate
    /// the queries of `early_stopping` while they train.
    pub fn new(
        ranker: &dyn Ranker,
        train: PartEngine<'a>,
        early_stopping: Option<&PartEngine<'a>>,
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
                let stopping = early_stopping.map(view).transpose()?;
                let early_stopping = stopping.filter(|view| view.documents() > 0);
                Some(SplitRows { train: view(&train)?, early_stopping, judge: view(&judge)? })
            }
        };
        Ok(Split { features: features.to_vec(), train, judge, rows, sums: Mutex::default() })
    }

    /// The rows of the training queries, if the ranker needs rows.
    pub fn training_rows(&self) -> Option<&View<'a>> {
        self.rows.as_ref().map(|rows| &rows.train)
    }

    /// The rows of the evaluation queries, if the ranker needs rows.
    pub fn judge_rows(&self) -> Option<&View<'a>> {
        self.rows.as_ref().map(|rows| &rows.judge)
    }

    /// The queries that the ranker is trained on.
    pub fn train(&self) -> &PartEngine<'a> {
        &self.train
    }

    /// The queries that the ranker is evaluated on.
    pub fn judge(&self) -> &PartEngine<'a> {
        &self.judge
    }

    /// The sums over the training queries that least squares need; the passes run once for each
    /// centring.
    pub(super) fn sums(&self, centring: Centring) -> Result<Arc<TrainingSums>> {
        let lock = || self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, sums)) = lock().iter().find(|(own, _)| *own == centring) {
            return Ok(Arc::clone(sums));
        }
        let train: &dyn Engine = &self.train;
        let moments = train.ask(&Moments)?;
        let varies = |f: FeatureId| !moments.features[f.index()].is_constant_within_queries();
        let sums = LeastSquaresSums::of_passes(train, &self.features, varies, centring)?;
        let deviations =
            moments.features.iter().map(|feature| feature.deviation_within()).collect();
        let sums = Arc::new(TrainingSums { sums, deviations });
        lock().push((centring, Arc::clone(&sums)));
        Ok(sums)
    }
}
