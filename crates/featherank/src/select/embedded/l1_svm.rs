//! ℓ1-SVM: squared hinge on preference pairs with a lasso penalty, which sets most weights to
//! exactly 0.
//!
//! Minimises ‖w‖₁ + C Σ max(0, 1 − wᵀ(xᵢ − xⱼ))² over the pairs of one query with yᵢ > yⱼ: the
//! ℓ1-regularised, ℓ2-loss SVM of LIBLINEAR (Fan et al., JMLR 2008, `-s 5`, no bias) on differences
//! of documents, as Laporte et al. (Document numérique 2015) use it to select features for ranking.
//! LIBLINEAR uses coordinate descent over all pairs; here a proximal Newton method finds the same
//! minimum without enumerating pairs (`proximal_newton.rs`). The certificate `kkt` is the
//! largest violation of the optimality conditions, |∇ₖ| ≤ 1 if wₖ = 0 and ∇ₖ = −sign wₖ otherwise.
//!
//! The path starts at the C below which the model is empty, and covers 3½ decades in quarters.
//! Folds of the training data use the C that gives the mean loss of a pair the same weight. Kept
//! features are not penalised.

use super::path::{Family, PathSearch, SparseModel, nothing_ranks};
use super::proximal_newton::{Penalty, minimise};
use super::sample::Sample;
use crate::declare::method;
use crate::engine::Engine;
use crate::error::Result;
use crate::run::Run;
use crate::select::shared_params::{standardise_param, tuning_params};
use crate::select::{Findings, Selector};

/// Values of C on the path.
const VALUES: i32 = 14;

method! {
    /// Pairwise linear SVM with an l1 penalty: the features with non-zero weights.
    pub struct L1SVM: Selector as "l1-svm" in Embedded,
        cites ["fan2008", "laporte2015"], AsPublished, Passes,
        with [uses_valid, leaves_model]
    {
        /// Weight of the summed pair losses relative to the penalty; auto: tuned on validation
        /// data.
        c: Values(1e-12..=1e12) = "auto",
        use tuning_params!();
        /// Largest accepted violation of the optimality conditions.
        tolerance: Real(1e-12..=0.1) = "1e-8",
    }
}

impl Selector for L1SVM {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
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

    fn fit(
        &self,
        sample: &Sample<'_>,
        value: f64,
        warm_start: Option<&SparseModel>,
    ) -> Result<Vec<SparseModel>> {
        let lasso = 1.0 / value;
        let lasso_weight = |k: usize| if sample.is_kept(k) { 0.0 } else { lasso };
        let penalty = Penalty::lasso((0..sample.width()).map(lasso_weight).collect());
        let start =
            warm_start.map_or_else(|| vec![0.0; sample.width()], |model| model.weights.clone());
        let solution = minimise(sample, &penalty, &start, lasso * self.tolerance)?;
        Ok(vec![SparseModel::new(solution.weights, "kkt", solution.violation / lasso)])
    }
}

/// The weight of the mean loss below which a lasso model is empty.
pub(super) fn first_to_enter(sample: &Sample<'_>) -> Result<f64> {
    let gradient = sample.loss(&vec![0.0; sample.width()])?.gradient;
    let steepest = gradient.iter().map(|gradient| gradient.abs()).fold(0.0, f64::max);
    // Rounding errors of a sum that is 0 must not count as a gradient.
    if steepest < f64::EPSILON { Err(nothing_ranks()) } else { Ok(1.0 / steepest) }
}
