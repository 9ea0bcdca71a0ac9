//! RankSVM in the primal: squared hinge on preference pairs, by Newton's method.
//!
//! Minimises ½‖w‖² + (C/2) Σ max(0, 1 − wᵀ(xᵢ − xⱼ))² over the pairs of one query with yᵢ > yⱼ
//! (Chapelle & Keerthi, Information Retrieval 2010). There is no intercept, which cannot affect a
//! ranking, and no scaling of features. See `newton.rs` for the solver and `pair_free.rs` for why
//! its cost does not depend on the number of pairs.
//!
//! In the paper, C multiplies a sum over pairs; good values then depend on the number of pairs.
//! With `scale = mean`, the default, `c` multiplies their mean instead, C = c / number of pairs:
//! values from 30 to 500 work well on very different data. Departure from the published code in the
//! precision: that code stops at a relative decrease of 10⁻⁴ after at most 20 steps.

use super::design::Design;
use super::newton::SquaredHingeProblem;
use crate::data::View;
use crate::declare::{choice, method};
use crate::error::Result;
use crate::rank::{Model, Ranker};
use crate::run::Run;

/// Parameters for the weight of the loss on preference pairs.
macro_rules! loss_weight_params {
    ({$($state:tt)*} {$($rest:tt)*}) => {
        $crate::method! { $($state)*
            /// Weight of the loss relative to half the squared norm of the weights.
            let c: Real(1e-12..=1e12) = "100",
            /// Whether c multiplies the mean loss of the pairs or, as published, the sum.
            let scale: Choice<$crate::rank::linear::ranksvm_primal::LossScale> = "mean",
            derive loss: $crate::rank::linear::ranksvm_primal::LossWeight =
                $crate::rank::linear::ranksvm_primal::LossWeight { c, scale };
            $($rest)*
        }
    };
}

pub(super) use loss_weight_params;

method! {
    /// RankSVM with squared hinge loss, trained by Newton's method.
    pub struct RankSVMPrimal: Ranker as "ranksvm-primal",
        cites ["chapelle2010"], AsPublished, Rows,
        grid [c: LossWeight::GRID]
    {
        use loss_weight_params!();
        /// Stop when a step would lower the objective by less than this share.
        tolerance: Real(1e-15..=0.1) = "1e-9",
    }
}

/// The weight of the loss on preference pairs.
#[derive(Debug, Clone, Copy)]
pub(super) struct LossWeight {
    pub(super) c: f64,
    pub(super) scale: LossScale,
}

choice! {
    /// The loss that `c` multiplies.
    pub enum LossScale {
        /// The mean loss of a pair.
        Mean = "mean",
        /// The sum over all pairs, as published.
        Sum = "sum",
    }
}

impl LossWeight {
    pub(super) const GRID: [&'static str; 7] = ["0.3", "3", "30", "100", "300", "3000", "30000"];

    /// The factor of the sum over pairs.
    pub(super) fn of_sum(self, pairs: u64) -> f64 {
        match self.scale {
            LossScale::Mean => self.c / pairs as f64,
            LossScale::Sum => self.c,
        }
    }
}

impl Ranker for RankSVMPrimal {
    fn learn(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        self.learn_from(run, train, valid, None)
    }

    fn learn_from(
        &self,
        run: &Run,
        train: &View<'_>,
        _: Option<&View<'_>>,
        warm_start: Option<&Model>,
    ) -> Result<Model> {
        let design = Design::new(train)?;
        let problem = SquaredHingeProblem::new(&design)?;
        let c = self.loss.of_sum(problem.pairs());
        let penalties = vec![1.0; design.width()];
        let solution =
            problem.solve(run, c, &penalties, &design.weights_of(warm_start), self.tolerance)?;
        Ok(design.model(&solution.weights).into())
    }
}
