//! FSMRank: a pairwise model whose penalty depends on the scores of single features and on their
//! similarity.
//!
//! Minimises (1/|P|) Σ max(0, 1 − wᵀ(xᵢ − xⱼ))² + ½ λ₁ |w|ᵀA|w| + λ₂ Σ |wₖ| / sₖ over the pairs of
//! one query with yᵢ > yⱼ, where sₖ is a measure of the ranking by feature k alone and A holds
//! absolute correlations: features that rank badly alone have a higher penalty, and so do pairs of
//! redundant features. Lai, Pan, Tang & Yu, IEEE Trans. Neural Networks and Learning Systems 2013;
//! only the abstract was available, the formula is our interpretation of it, and Laporte et al.
//! (2015) confirm that the penalty combines ℓ1 and ℓ2.
//!
//! The matrix of absolute correlations is rarely positive semidefinite, and the problem would not
//! be convex: its negative eigenvalues are set to 0. The paper uses Nesterov's accelerated gradient
//! in the positive and negative parts of w; here a proximal Newton method finds the same minimum in
//! fewer passes (`proximal_newton.rs`), with the largest violation of the optimality
//! conditions as certificate `kkt`, in units of λ₂. The scores sₖ are computed on the queries of
//! the sample; similarity, which does not depend on labels, on all training data. Kept features are
//! not penalised.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use faer::{Mat, Side};

use super::path::{Family, PathSearch, SparseModel};
use super::proximal_newton::{Penalty, minimise};
use super::sample::Sample;
use crate::data::FeatureId;
use crate::declare::method;
use crate::engine::passes::{Moments, feature_means};
use crate::engine::{Ask, Engine};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::remedy;
use crate::run::Run;
use crate::select::shared_params::{similarity_params, standardise_param, tuning_params};
use crate::select::{Findings, Selector};

/// Values of λ₁ that are tried.
const LAMBDA1_GRID: [f64; 3] = [1e-3, 1e-2, 1e-1];

/// Values of λ₂ that are tried, from sparse to dense.
const LAMBDA2_GRID: [f64; 9] = [3e-2, 1.7e-2, 1e-2, 5.5e-3, 3e-3, 1.7e-3, 1e-3, 5.5e-4, 3e-4];

/// The largest violation of the optimality conditions, in units of λ₂.
const TOLERANCE: f64 = 1e-8;

/// The lower bound of the importance of a feature, as a share of the largest; without it penalties
/// would be unbounded.
const LEAST_IMPORTANCE: f64 = 1e-3;

method! {
    /// Pairwise linear model with penalties on features that rank badly alone and on similar
    /// features.
    pub struct FSMRank: Selector as "fsmrank" in Embedded,
        cites ["lai2013fsm", "laporte2015"], Reconstruction, Passes,
        with [uses_valid, leaves_model, compares_pairs]
    {
        /// Weight of the penalty on similar features; auto: tuned on validation data.
        lambda1: Values(0.0..=1e9) = "auto",
        /// Weight of the penalty on single features; auto: tuned on validation data.
        lambda2: Values(1e-12..=1e9) = "auto",
        /// Measure of the importance of a single feature.
        importance: Measure = "ndcg[ties=expected]@10",
        use similarity_params!("pearson");
        use tuning_params!();
    }
}

impl Selector for FSMRank {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let (features, _) = engine.ask(&Moments)?.varying_within_queries();
        let matrix = self.similarity.of(engine, &features)?;
        let cell = |a, b| if a == b { 1.0 } else { matrix.or_zero(a, b).abs() };
        let similarities = Mat::from_fn(features.len(), features.len(), cell);
        let similarity = run.stop().unless_stopped(move || semidefinite(&similarities))??;
        let factors = PenaltyFactors {
            importance: self.importance.clone(),
            features,
            importances: Mutex::default(),
            similarity,
        };
        let lambdas = if self.lambda1.is_empty() { &LAMBDA1_GRID[..] } else { &self.lambda1 };
        let families: Vec<Coupled<'_>> =
            lambdas.iter().map(|&lambda1| Coupled { lambda1, factors: &factors }).collect();
        let families: Vec<&dyn Family> =
            families.iter().map(|family| family as &dyn Family).collect();
        PathSearch { families: &families, tuning: &self.tuning, given: &self.lambda2 }
            .select(run, engine)
    }
}

/// The inputs of the penalty: the importance of each varying feature, and the similarity of each
/// pair.
struct PenaltyFactors {
    importance: Measure,
    features: Vec<FeatureId>,
    /// The importance of each feature alone, by the fingerprint of the data.
    importances: Mutex<HashMap<String, Arc<[f64]>>>,
    similarity: Vec<f64>,
}

impl PenaltyFactors {
    /// The places of a sample's features in these arrays.
    fn places(&self, sample: &Sample<'_>) -> Vec<usize> {
        sample.features().iter().filter_map(|f| self.features.binary_search(f).ok()).collect()
    }

    /// The importance of each feature alone on some data; computed once.
    fn importances(&self, engine: &dyn Engine) -> Result<Arc<[f64]>> {
        let lock = || self.importances.lock().unwrap_or_else(PoisonError::into_inner);
        let data = &engine.schema().fingerprint;
        if let Some(known) = lock().get(data) {
            return Ok(Arc::clone(known));
        }
        let importances: Arc<[f64]> =
            feature_means(engine, &self.importance, &self.features)?.into();
        lock().insert(data.clone(), Arc::clone(&importances));
        Ok(importances)
    }

    /// 1 / sₖ for every feature of a sample, on its own queries; 0 for kept features.
    fn of_features(&self, sample: &Sample<'_>) -> Result<Vec<f64>> {
        let importances = self.importances(sample.engine())?;
        let importances: Vec<f64> =
            self.places(sample).into_iter().map(|place| importances[place]).collect();
        let best = importances.iter().copied().fold(0.0, f64::max);
        if best <= 0.0 {
            return Err(Error::nothing_counts(
                format!(
                    "no query counts under {}, so that no feature has a score",
                    self.importance
                ),
                remedy!["choose another measure of ", Parameter("importance")],
            ));
        }
        let factor = |(k, s): (usize, &f64)| {
            if sample.is_kept(k) { 0.0 } else { 1.0 / s.max(LEAST_IMPORTANCE * best) }
        };
        Ok(importances.iter().enumerate().map(factor).collect())
    }
}

/// Models for one value of λ₁.
struct Coupled<'a> {
    lambda1: f64,
    factors: &'a PenaltyFactors,
}

impl Family for Coupled<'_> {
    fn settings(&self, _: &Sample<'_>, lambda2: f64) -> Vec<(&'static str, f64)> {
        vec![("lambda1", self.lambda1), ("lambda2", lambda2)]
    }

    fn grid(&self, _: &Sample<'_>) -> Result<Vec<f64>> {
        Ok(LAMBDA2_GRID.to_vec())
    }

    fn fit(
        &self,
        sample: &Sample<'_>,
        lambda2: f64,
        warm_start: Option<&SparseModel>,
    ) -> Result<Vec<SparseModel>> {
        let places = self.factors.places(sample);
        let all = self.factors.features.len();
        let similarity = |(a, b): (usize, usize)| {
            let is_penalised = !sample.is_kept(a) && !sample.is_kept(b);
            if is_penalised {
                self.lambda1 * self.factors.similarity[places[a] * all + places[b]]
            } else {
                0.0
            }
        };
        let cells = (0..places.len()).flat_map(|a| (0..places.len()).map(move |b| (a, b)));
        let linear =
            self.factors.of_features(sample)?.into_iter().map(|factor| lambda2 * factor).collect();
        let penalty = Penalty { linear, coupling: cells.map(similarity).collect() };
        let start =
            warm_start.map_or_else(|| vec![0.0; sample.width()], |model| model.weights.clone());
        let solution = minimise(sample, &penalty, &start, lambda2 * TOLERANCE)?;
        Ok(vec![SparseModel::new(solution.weights, "kkt", solution.violation / lambda2)])
    }
}

/// The nearest positive semidefinite matrix to a symmetric one, in row-major order.
fn semidefinite(matrix: &Mat<f64>) -> Result<Vec<f64>> {
    let width = matrix.nrows();
    if width == 0 {
        return Ok(Vec::new());
    }
    let eigen = matrix.self_adjoint_eigen(Side::Lower).map_err(|_| {
        Error::numerical(
            "the eigenvalues of the correlations between features cannot be computed",
            remedy!["choose another ", Parameter("similarity")],
        )
    })?;
    let (vectors, values) = (eigen.U(), eigen.S().column_vector());
    if values.iter().all(|value| *value >= 0.0) {
        return Ok((0..width * width).map(|at| matrix[(at / width, at % width)]).collect());
    }
    let scaled = Mat::from_fn(width, width, |a, v| vectors[(a, v)] * values[v].max(0.0));
    let projected = scaled * vectors.transpose();
    let symmetric = |at: usize| {
        0.5 * (projected[(at / width, at % width)] + projected[(at % width, at / width)])
    };
    Ok((0..width * width).map(symmetric).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first example has no negative eigenvalue, the second has one.
    #[test]
    fn projection_removes_negative_directions_only() {
        let fine =
            semidefinite(&Mat::from_fn(2, 2, |a, b| if a == b { 1.0 } else { 0.5 })).unwrap();
        assert_eq!(fine, [1.0, 0.5, 0.5, 1.0]);
        let rows = [[1.0, 0.9, 0.0], [0.9, 1.0, 0.9], [0.0, 0.9, 1.0]];
        let projected = semidefinite(&Mat::from_fn(3, 3, |a, b| rows[a][b])).unwrap();
        // The eigenvector of 1 − .9√2 is (½, −√½, ½): removing its component adds (.9√2 − 1) times
        // its outer square.
        let excess = 0.9 * 2f64.sqrt() - 1.0;
        let v = [0.5, -(0.5f64.sqrt()), 0.5];
        for (at, cell) in projected.iter().enumerate() {
            let expected = rows[at / 3][at % 3] + excess * v[at / 3] * v[at % 3];
            assert!((cell - expected).abs() < 1e-12, "{cell} {expected}");
        }
    }
}
