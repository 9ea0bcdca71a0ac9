//! ℓ1-SVM: squared hinge on preference pairs under a lasso penalty, which keeps most weights at
//! exactly 0.
//!
//! Minimises ‖w‖₁ + C Σ max(0, 1 − wᵀ(xᵢ − xⱼ))² over the pairs of one query with yᵢ > yⱼ: the
//! ℓ1-regularised, ℓ2-loss machine of LIBLINEAR (Fan et al., JMLR 2008, `-s 5`, no bias) on
//! differences of documents, as Laporte et al. (Document numérique 2015) use it to select features
//! for ranking. LIBLINEAR descends coordinate by coordinate over all pairs; here a proximal Newton
//! method finds the same minimum without looking at a pair ([`super::proximal_newton`]). The
//! certificate `kkt` is the largest violation of the conditions of optimality, |∇ₖ| ≤ 1 where wₖ =
//! 0 and ∇ₖ = −sign wₖ elsewhere.
//!
//! The path starts at the C below which no feature is in the model, and goes on for 3½ decades in
//! quarters. Parts of the training data are given the C with the same weight on the mean loss of a
//! pair. Features to keep are not penalised.

use super::path::{Family, PathSearch, Sparse, nothing_ranks};
use super::proximal_newton::{Penalty, minimise};
use super::sample::Sample;
use crate::declare::method;
use crate::engine::Engine;
use crate::error::Result;
use crate::run::Run;
use crate::select::shared_params::{standardise_param, tuning_params};
use crate::select::{Selection, Selector};

/// Values of C on the path.
const VALUES: i32 = 14;

method! {
    /// Features that a pairwise support vector machine under a lasso penalty uses.
    pub struct L1SVM: Selector as "l1-svm" in Embedded,
        cites ["fan2008", "laporte2015"], AsPublished, Passes,
        with [uses_valid, leaves_model]
    {
        /// Weight of the sum over pairs against the penalty; chosen on validation data unless set.
        c: Values(1e-12..=1e12) = "auto",
        use tuning_params!();
        /// The largest violation of the conditions of optimality.
        tolerance: Real(1e-12..=0.1) = "1e-8",
    }
}

impl Selector for L1SVM {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let given: Vec<f64> = self.c.iter().map(|c| c * engine.schema().pairs as f64).collect();
        PathSearch { families: &[self], tuning: &self.tuning, given: &given }.select(run, engine)
    }
}

/// The parameter is C times the number of pairs: the weight of the mean loss of a pair.
impl Family for L1SVM {
    fn settings(&self, sample: &Sample<'_>, value: f64) -> Vec<(&'static str, f64)> {
        vec![("c", value / sample.pairs())]
    }

    fn grid(&self, sample: &Sample<'_>) -> Result<Vec<f64>> {
        let first = first_to_enter(sample)?;
        Ok((1..=VALUES).map(|i| 10f64.powf(f64::from(i) / 4.0) * first).collect())
    }

    fn fit(&self, sample: &Sample<'_>, value: f64, near: Option<&Sparse>) -> Result<Vec<Sparse>> {
        let lasso = 1.0 / value;
        let price = |k: usize| if sample.is_kept(k) { 0.0 } else { lasso };
        let penalty = Penalty::lasso((0..sample.width()).map(price).collect());
        let start = near.map_or_else(|| vec![0.0; sample.width()], |near| near.weights.clone());
        let solution = minimise(sample, &penalty, &start, lasso * self.tolerance)?;
        Ok(vec![Sparse::new(solution.weights, "kkt", solution.violation / lasso)])
    }
}

/// The weight of the mean loss below which a lasso keeps all features out.
pub(super) fn first_to_enter(sample: &Sample<'_>) -> Result<f64> {
    let gradient = sample.loss(&vec![0.0; sample.width()])?.gradient;
    let steepest = gradient.iter().map(|gradient| gradient.abs()).fold(0.0, f64::max);
    // Rounding errors of a sum that is 0 are no gradient.
    if steepest < f64::EPSILON { Err(nothing_ranks()) } else { Ok(1.0 / steepest) }
}
