//! A ranker trained and evaluated on subsets of features: on rows, or by passes alone for least
//! squares.
//!
//! Least squares need one matrix of sums of products over the training queries; then all subsets
//! are evaluated in one pass. This applies even if the rows are in memory, so that the result does
//! not depend on the location of the rows.

use std::sync::Arc;

use rayon::prelude::*;

use super::linear::{linear_means, linear_values};
use super::progress::TrainingProgress;
use super::split::{Split, SplitRows, TrainingSums};
use crate::data::{FeatureId, FeatureTable};
use crate::engine::PartEngine;
use crate::engine::passes::MeasureSums;
use crate::error::Result;
use crate::measure::Measure;
use crate::rank::linear::least_squares::{SubsetSolver, Weights};
use crate::rank::{LinearModel, Model, Ranker, SubsetFit, model_importance};
use crate::select::forward::Scored;
use crate::select::rows::needs_rows;
use crate::stop::StopToken;

/// Trains one ranker on subsets of a split's features.
pub struct SubsetTrainer<'a> {
    progress: &'a TrainingProgress<'a>,
    measure: &'a Measure,
    split: &'a Split<'a>,
    method: FitMethod<'a>,
}

enum FitMethod<'a> {
    Rows { fit: SubsetFit<'a>, rows: &'a SplitRows<'a> },
    Passes { solver: SubsetSolver, sums: Arc<TrainingSums> },
}

/// Rankers trained on subsets.
pub struct FittedSubsets<'t> {
    measure: &'t Measure,
    judge: &'t PartEngine<'t>,
    subsets: &'t [Vec<FeatureId>],
    stop: &'t StopToken,
    fitted: Fitted<'t>,
}

enum Fitted<'t> {
    Models { rows: &'t SplitRows<'t>, models: Vec<Model> },
    Weights { sums: &'t TrainingSums, weights: Vec<Weights> },
}

impl<'a> SubsetTrainer<'a> {
    /// Does the work that is the same for all subsets of the split's features.
    pub fn new(
        progress: &'a TrainingProgress<'a>,
        ranker: &'a dyn Ranker,
        measure: &'a Measure,
        split: &'a Split<'a>,
    ) -> Result<Self> {
        let method = match (ranker.least_squares(), &split.rows) {
            (Some(least_squares), _) => {
                let sums = split.sums(least_squares.centring)?;
                FitMethod::Passes { solver: sums.sums.solver(least_squares.ridge), sums }
            }
            (None, Some(rows)) => {
                let (run, stopping) = (progress.quiet_run(), rows.early_stopping.as_ref());
                FitMethod::Rows { fit: ranker.for_subsets(run, &rows.train, stopping)?, rows }
            }
            (None, None) => return Err(needs_rows("the ranker")),
        };
        Ok(SubsetTrainer { progress, measure, split, method })
    }

    /// The split that the ranker is trained and evaluated on.
    pub fn split(&self) -> &'a Split<'a> {
        self.split
    }

    /// Trains the ranker on each subset.
    pub fn fit<'t>(&'t self, subsets: &'t [Vec<FeatureId>]) -> Result<FittedSubsets<'t>> {
        let fitted = match &self.method {
            FitMethod::Rows { fit, rows } => {
                let train = |subset: &Vec<FeatureId>| {
                    let model = fit(subset)?;
                    self.progress.report(1)?;
                    Ok(model)
                };
                let models = subsets.par_iter().map(train).collect::<Result<_>>()?;
                Fitted::Models { rows, models }
            }
            FitMethod::Passes { solver, sums } => {
                let weights = subsets.par_iter().map(|subset| solver.weights(subset)).collect();
                self.progress.report(subsets.len())?;
                Fitted::Weights { sums, weights }
            }
        };
        let (measure, judge) = (self.measure, self.split.judge());
        Ok(FittedSubsets { measure, judge, subsets, stop: self.progress.stop(), fitted })
    }
}

impl FittedSubsets<'_> {
    /// For each subset, the measure of every evaluation query of the split.
    pub fn per_query(&self) -> Result<Vec<Vec<f64>>> {
        match &self.fitted {
            Fitted::Models { rows, models } => self.judge_rows(models, rows, |values| values),
            Fitted::Weights { weights, .. } => linear_values(self.judge, self.measure, weights),
        }
    }

    /// For each subset, the measure over all evaluation queries of the split.
    pub fn means(&self) -> Result<MeasureSums> {
        match &self.fitted {
            Fitted::Models { rows, models } => {
                let mean = |values| MeasureSums::of(self.measure, &[values]);
                Ok(MeasureSums::concat(self.judge_rows(models, rows, mean)?))
            }
            Fitted::Weights { weights, .. } => linear_means(self.judge, self.measure, weights),
        }
    }

    fn judge_rows<T: Send>(
        &self,
        models: &[Model],
        rows: &SplitRows<'_>,
        summarise: impl Fn(Vec<f64>) -> T + Sync,
    ) -> Result<Vec<T>> {
        let judge = |model: &Model| {
            let scores = model.score_until(&rows.judge, self.stop)?;
            Ok(summarise(self.measure.per_query(&scores, &rows.judge)))
        };
        models.par_iter().map(judge).collect()
    }

    /// The importance of each feature of the subset at `place` to the ranker trained on it, as
    /// shares of 1, most important first.
    pub fn importance(&self, place: usize) -> Result<Scored> {
        let importance = match &self.fitted {
            Fitted::Models { rows, models } => model_importance(&models[place], &rows.train)?,
            Fitted::Weights { sums, weights } => {
                let effect = |&(f, weight): &(FeatureId, f64)| {
                    (f, weight.abs() * sums.deviations[f.index()])
                };
                weights[place].iter().map(effect).collect()
            }
        };
        Ok(importance_shares(&importance, &self.subsets[place]))
    }

    /// The models, for the columns of a table.
    pub fn into_models(self, table: &FeatureTable) -> Vec<Model> {
        match self.fitted {
            Fitted::Models { models, .. } => models,
            Fitted::Weights { weights, .. } => {
                weights.iter().map(|weights| LinearModel::new(table, weights).into()).collect()
            }
        }
    }
}

/// The importance of each feature as a share of 1, most important first; ties by column.
fn importance_shares(importance: &[(FeatureId, f64)], features: &[FeatureId]) -> Scored {
    let of = |f: FeatureId| {
        importance.iter().find(|(own, _)| *own == f).map_or(0.0, |(_, value)| *value)
    };
    let total: f64 = importance.iter().map(|(_, value)| value).sum();
    let share = |&f: &FeatureId| (f, if total > 0.0 { of(f) / total } else { 0.0 });
    let mut shares: Scored = features.iter().map(share).collect();
    shares.sort_by(|(f, a), (g, b)| b.total_cmp(a).then(f.cmp(g)));
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, Queries};
    use crate::rank::TreeEnsemble;
    use crate::rank::tree::Tree;

    /// Friedman's relative influence: gains of 4 and 3 on feature 0, 1 on feature 1, 2 on feature
    /// 2; none on feature 3.
    #[test]
    fn shares_equal_the_fixture_s_influence() {
        let text = include_str!("../../../tests/fixtures/btfs.json");
        let fixture: serde_json::Value = serde_json::from_str(text).unwrap();
        let influence = &fixture["relative_influence"];
        let gains = influence["split_gains"].as_array().unwrap();
        let tree = Tree {
            feature: gains.iter().map(|gain| gain[0].as_u64().unwrap() as u32).collect(),
            gain: gains.iter().map(|gain| gain[1].as_f64().unwrap()).collect(),
            threshold: vec![0.0; 4],
            missing_left: vec![false; 4],
            left: vec![-1, -2, -3, -4],
            right: vec![1, 2, 3, -5],
            leaf: vec![0.0; 5],
        };
        let data = Dataset::new(
            vec![0.; 8],
            vec![0., 1.],
            Queries::from_sizes(&[2]),
            FeatureTable::numbered(4, 0),
        );
        let features = data.features().iter().take(3).map(|(_, feature)| feature.clone()).collect();
        let model = TreeEnsemble::new(features, vec![tree]).into();
        let all: Vec<FeatureId> = (0..4).map(FeatureId).collect();
        let found = importance_shares(&model_importance(&model, &data.view()).unwrap(), &all);
        assert_eq!(found.iter().map(|(f, _)| f.0).collect::<Vec<_>>(), [0, 2, 1, 3]);
        for (f, share) in found {
            let expected = influence["influence_pct"][f.0.to_string()].as_f64().unwrap_or(0.0);
            assert!((100.0 * share - expected).abs() < 1e-9);
        }
    }
}
