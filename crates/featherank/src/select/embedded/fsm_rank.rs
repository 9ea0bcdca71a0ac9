//! FSMRank: a pairwise model whose penalty knows what features are worth alone and how alike they
//! are.
//!
//! Minimises (1/|P|) Σ max(0, 1 − wᵀ(xᵢ − xⱼ))² + ½ λ₁ |w|ᵀA|w| + λ₂ Σ |wₖ| / sₖ over the pairs of
//! one query with yᵢ > yⱼ, where sₖ is a measure of the ranking by feature k alone and A holds the
//! sizes of correlations: features that rank badly alone cost more, and so do two that say the
//! same. Lai, Pan, Tang & Yu, IEEE Trans. Neural Networks and Learning Systems 2013, whose abstract
//! says so much; the formula is our reading of it, and Laporte et al. (2015) confirm that the
//! penalty mixes ℓ1 and ℓ2.
//!
//! The sizes of correlations are hardly ever a positive semidefinite matrix, and the problem would
//! not be convex: its negative eigenvalues are set to 0. The paper solves by Nesterov's accelerated
//! gradient in the positive and negative parts of w; here a proximal Newton method finds the same
//! minimum in fewer passes ([`super::proximal_newton`]), with the largest violation of the
//! conditions of optimality as certificate `kkt`, in units of λ₂. Worth is taken from the queries
//! that are learnt from; similarity, which no label enters, from all training data. Features to keep
//! have no price.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use faer::{Mat, Side};

use super::path::{Family, PathSearch, Sparse};
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
use crate::select::{Selection, Selector};

/// Values of λ₁ that are tried.
const LIKENESS: [f64; 3] = [1e-3, 1e-2, 1e-1];

/// Values of λ₂ that are tried, from sparse to dense.
const WORTH: [f64; 9] = [3e-2, 1.7e-2, 1e-2, 5.5e-3, 3e-3, 1.7e-3, 1e-3, 5.5e-4, 3e-4];

/// The largest violation of the conditions of optimality, in units of λ₂.
const TOLERANCE: f64 = 1e-8;

/// The importance of a feature is at least this share of the best one, else its price is unbounded.
const LEAST_WORTH: f64 = 1e-3;

method! {
    /// Features of a pairwise model that pays for what ranks badly alone and for what is alike.
    pub struct FSMRank: Selector as "fsmrank" in Embedded,
        cites ["lai2013fsm", "laporte2015"], Reconstruction, Passes,
        with [uses_valid, leaves_model]
    {
        /// Price of likeness; chosen on validation data unless set.
        lambda1: Values(0.0..=1e9) = "auto",
        /// Price of features; chosen on validation data unless set.
        lambda2: Values(1e-12..=1e9) = "auto",
        /// What a feature is worth alone.
        importance: Measure = "ndcg[ties=expected]@10",
        use similarity_params!("pearson");
        use tuning_params!();
    }
}

impl Selector for FSMRank {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let (features, _) = engine.ask(&Moments)?.alive();
        let matrix = self.similarity.of(engine, &features)?;
        let similarity = semidefinite(features.len(), |a, b| matrix.or_zero(a, b).abs())?;
        let prices = Prices {
            importance: self.importance.clone(),
            features,
            importances: Mutex::default(),
            similarity,
        };
        let lambdas = if self.lambda1.is_empty() { &LIKENESS[..] } else { &self.lambda1 };
        let families: Vec<Coupled<'_>> =
            lambdas.iter().map(|&lambda1| Coupled { lambda1, prices: &prices }).collect();
        let families: Vec<&dyn Family> =
            families.iter().map(|family| family as &dyn Family).collect();
        PathSearch { families: &families, tuning: &self.tuning, given: &self.lambda2 }
            .select(run, engine)
    }
}

/// The basis of prices: the importance of each live feature, and the similarity of each two.
struct Prices {
    importance: Measure,
    features: Vec<FeatureId>,
    /// The importance of each feature alone, by the fingerprint of the data.
    importances: Mutex<HashMap<String, Arc<[f64]>>>,
    similarity: Vec<f64>,
}

impl Prices {
    /// Places of a sample's features here.
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

    /// 1 / sₖ for every feature of a sample, by its own queries; 0 for features to keep.
    fn of_features(&self, sample: &Sample<'_>) -> Result<Vec<f64>> {
        let importances = self.importances(sample.engine())?;
        let importances: Vec<f64> =
            self.places(sample).into_iter().map(|place| importances[place]).collect();
        let best = importances.iter().copied().fold(0.0, f64::max);
        if best <= 0.0 {
            return Err(Error::nothing_counts(
                format!("{} counts no query, so no single feature has a score", self.importance),
                remedy!["choose another measure of ", Parameter("importance")],
            ));
        }
        let price = |(k, s): (usize, &f64)| {
            if sample.is_kept(k) { 0.0 } else { 1.0 / s.max(LEAST_WORTH * best) }
        };
        Ok(importances.iter().enumerate().map(price).collect())
    }
}

/// Models for one price of similarity.
struct Coupled<'a> {
    lambda1: f64,
    prices: &'a Prices,
}

impl Family for Coupled<'_> {
    fn settings(&self, _: &Sample<'_>, lambda2: f64) -> Vec<(&'static str, f64)> {
        vec![("lambda1", self.lambda1), ("lambda2", lambda2)]
    }

    fn grid(&self, _: &Sample<'_>) -> Result<Vec<f64>> {
        Ok(WORTH.to_vec())
    }

    fn fit(&self, sample: &Sample<'_>, lambda2: f64, near: Option<&Sparse>) -> Result<Vec<Sparse>> {
        let places = self.prices.places(sample);
        let all = self.prices.features.len();
        let similarity = |(a, b): (usize, usize)| {
            let costs = !sample.is_kept(a) && !sample.is_kept(b);
            if costs {
                self.lambda1 * self.prices.similarity[places[a] * all + places[b]]
            } else {
                0.0
            }
        };
        let cells = (0..places.len()).flat_map(|a| (0..places.len()).map(move |b| (a, b)));
        let linear =
            self.prices.of_features(sample)?.into_iter().map(|price| lambda2 * price).collect();
        let penalty = Penalty { linear, coupling: cells.map(similarity).collect() };
        let start = near.map_or_else(|| vec![0.0; sample.width()], |near| near.weights.clone());
        let solution = minimise(sample, &penalty, &start, lambda2 * TOLERANCE)?;
        Ok(vec![Sparse::new(solution.weights, "kkt", solution.violation / lambda2)])
    }
}

/// The nearest positive semidefinite matrix to a symmetric one with ones on its diagonal, row after
/// row.
fn semidefinite(width: usize, cell: impl Fn(usize, usize) -> f64) -> Result<Vec<f64>> {
    if width == 0 {
        return Ok(Vec::new());
    }
    let matrix = Mat::from_fn(width, width, |a, b| if a == b { 1.0 } else { cell(a, b) });
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
        let fine = semidefinite(2, |_, _| 0.5).unwrap();
        assert_eq!(fine, [1.0, 0.5, 0.5, 1.0]);
        let rows = [[1.0, 0.9, 0.0], [0.9, 1.0, 0.9], [0.0, 0.9, 1.0]];
        let near = semidefinite(3, |a, b| rows[a][b]).unwrap();
        // The eigenvector of 1 − .9√2 is (½, −√½, ½): taking its part away adds (.9√2 − 1) times
        // its square.
        let excess = 0.9 * 2f64.sqrt() - 1.0;
        let v = [0.5, -(0.5f64.sqrt()), 0.5];
        for (at, cell) in near.iter().enumerate() {
            let expected = rows[at / 3][at % 3] + excess * v[at / 3] * v[at % 3];
            assert!((cell - expected).abs() < 1e-12, "{cell} {expected}");
        }
    }
}
