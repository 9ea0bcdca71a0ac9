//! Gradient boosting: trees are grown sequentially, each fitted to the residuals or gradients of
//! the current ensemble.
//!
//! In each round the objective computes a target and a curvature for every document, a tree is
//! fitted to them, and the value of each leaf is the learning rate times Σ target / Σ curvature
//! over its documents: the mean residual for squared loss, a Newton step for lambdas. With
//! validation data, the ensemble of the best round is returned, and training stops early after a
//! number of rounds without improvement.

use super::grow::{GrowthSettings, Targets, grow};
use super::{Bins, Tree, TreeEnsemble};
use crate::data::View;
use crate::error::Result;
use crate::measure::Measure;
use crate::random::{Purpose, stream};
use crate::rank::linear::validation::no_query_counts;
use crate::run::Run;

/// Settings shared by all boosted rankers.
#[derive(Debug, Clone)]
pub(super) struct Boosting {
    pub trees: usize,
    pub learning_rate: f64,
    pub leaves: usize,
    pub min_leaf: usize,
    pub patience: usize,
    pub measure: Measure,
}

/// The split criterion of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Splits {
    /// Reduction of the squared error of the targets.
    LeastSquares,
    /// Gain of the leaves' Newton steps; the curvature of each leaf must exceed `min_curvature`.
    Newton { min_curvature: f64 },
}

/// The parameters of [`Boosting`], with RankLib's defaults.
macro_rules! boosting_params {
    ({$($state:tt)*} {$($rest:tt)*}) => {
        $crate::method! { $($state)*
            /// Maximum number of trees; with validation data the best number is kept.
            let trees: Whole<usize>(1..=100_000) = "1000",
            /// Learning rate: factor on the scores of each tree.
            let learning_rate: Real(1e-6..=1.0) = "0.1",
            /// Number of leaves per tree, grown best-first.
            let leaves: Whole<usize>(2..=100_000) = "10",
            use min_leaf_param!(min_leaf);
            /// Stop after this many trees without improvement on validation data.
            let patience: Whole<usize>(1..=100_000) = "100",
            /// Measure on validation data.
            let measure: Measure = "ndcg[ties=expected]@10",
            derive boosting: $crate::rank::tree::boost::Boosting =
                $crate::rank::tree::boost::Boosting {
                    trees,
                    learning_rate,
                    leaves,
                    min_leaf,
                    patience,
                    measure,
                };
            $($rest)*
        }
    };
}

pub(super) use boosting_params;

/// Computes the targets and curvatures of all documents from their scores.
pub(super) type BoostingObjective<'a> = dyn FnMut(&[f64], &mut [f64], &mut [f64]) + 'a;

impl Boosting {
    /// Boosts trees over some columns of a binned matrix.
    pub fn boost(
        &self,
        run: &Run,
        bins: &Bins,
        features: &[usize],
        valid: Option<&View<'_>>,
        splits: Splits,
        objective: &mut BoostingObjective<'_>,
    ) -> Result<TreeEnsemble> {
        let documents = bins.documents();
        let min_curvature = match splits {
            Splits::LeastSquares => 0.0,
            Splits::Newton { min_curvature } => min_curvature,
        };
        let growth = GrowthSettings {
            features,
            max_leaves: Some(self.leaves),
            min_leaf: self.min_leaf,
            min_curvature,
            per_split: None,
            stop: run.stop(),
        };
        let mut draws = stream(run.seed, Purpose::TreeFeatures, 0);
        let (mut scores, mut targets, mut curvatures) =
            (vec![0.0; documents], vec![0.0; documents], vec![0.0; documents]);
        let mut trees: Vec<Tree> = Vec::new();
        let mut validation =
            valid.map(|view| BoostingValidation::new(view, bins, &self.measure)).transpose()?;
        for round in 0..self.trees {
            objective(&scores, &mut targets, &mut curvatures);
            run.check()?;
            let rows = (0..documents as u32).collect();
            let mut grown = match splits {
                Splits::LeastSquares => {
                    grow(bins, rows, &Targets::new([&targets], |_| 1), &growth, &mut draws)
                }
                Splits::Newton { .. } => grow(
                    bins,
                    rows,
                    &Targets::new([&targets, &curvatures], |_| 1),
                    &growth,
                    &mut draws,
                ),
            }?;
            grown.set_leaves(|rows| self.learning_rate * leaf(rows, &targets, &curvatures));
            for (rows, value) in grown.leaves() {
                rows.iter().for_each(|&row| scores[row as usize] += value);
            }
            let nothing_left = grown.tree.feature.is_empty();
            trees.push(grown.tree);
            run.step("boosting trees", round as u64 + 1, Some(self.trees as u64))?;
            let Some(validation) = &mut validation else {
                if nothing_left {
                    break;
                }
                continue;
            };
            validation.add(&trees[round], round)?;
            if nothing_left || round >= validation.best_round + self.patience {
                break;
            }
        }
        trees.truncate(validation.map_or(trees.len(), |validation| validation.best_round + 1));
        Ok(TreeEnsemble::used(bins.features(), trees))
    }
}

/// Σ target / Σ curvature over a leaf's documents; 0 if the curvature is not positive.
fn leaf(rows: &[u32], targets: &[f64], curvatures: &[f64]) -> f64 {
    let sum = |values: &[f64]| rows.iter().map(|&row| values[row as usize]).sum::<f64>();
    let curvature = sum(curvatures);
    if curvature > 0.0 { sum(targets) / curvature } else { 0.0 }
}

/// The current scores of the validation data, and the best round on it.
struct BoostingValidation<'a> {
    view: &'a View<'a>,
    columns: Vec<&'a [f32]>,
    measure: &'a Measure,
    scores: Vec<f64>,
    best_value: f64,
    best_round: usize,
}

impl<'a> BoostingValidation<'a> {
    fn new(view: &'a View<'a>, bins: &Bins, measure: &'a Measure) -> Result<Self> {
        let table = view.data().features();
        let column = |feature: &crate::data::Feature| {
            table.resolve(&feature.label()).map(|f| view.data().column(f))
        };
        measure.check_labels(view.labels().flatten().copied().fold(0.0, f32::max))?;
        Ok(BoostingValidation {
            view,
            columns: bins.features().iter().map(column).collect::<Result<_>>()?,
            measure,
            scores: vec![0.0; view.documents()],
            best_value: f64::NEG_INFINITY,
            best_round: 0,
        })
    }

    /// Adds a tree's output and evaluates the ranking.
    fn add(&mut self, tree: &Tree, round: usize) -> Result<()> {
        tree.add_scores(self.view, &self.columns, &mut self.scores);
        let scores: Vec<f32> = self.scores.iter().map(|&score| score as f32).collect();
        let value = self.measure.summary(&self.measure.per_query(&scores, self.view));
        if value.is_nan() {
            return Err(no_query_counts(self.measure));
        }
        if value > self.best_value {
            (self.best_value, self.best_round) = (value, round);
        }
        Ok(())
    }
}
