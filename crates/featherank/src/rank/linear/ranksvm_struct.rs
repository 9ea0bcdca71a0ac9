//! RankSVM by cutting planes: the hinge loss, not squared, on preference pairs.
//!
//! Minimises ½‖w‖² + C Σ max(0, 1 − wᵀ(xᵢ − xⱼ)) over the pairs of one query with yᵢ > yⱼ
//! (Joachims, KDD 2002 and 2006), by the 1-slack cutting planes (`cutting_plane.rs`). The plane
//! at w sums the violated pairs, which `pair_free.rs` counts per document in O(n log n) per
//! query.
//!
//! C multiplies the sum over pairs (`scale = sum`) or, by default, their mean. SVM^rank's own `-c`
//! is divided among queries instead, so its values do not carry over.

use super::cutting_plane::{Plane, Risk, minimise};
use super::design::Design;
use super::pair_free::Preferences;
use super::ranksvm_primal::{LossWeight, loss_weight_params};
use crate::data::View;
use crate::declare::method;
use crate::error::Result;
use crate::rank::{Model, Ranker};
use crate::run::Run;

/// The parameter for the stopping criterion of cutting planes.
macro_rules! epsilon_param {
    ({$($state:tt)*} {$($rest:tt)*}) => {
        $crate::method! { $($state)*
            /// Stop when the gap to the lower bound is at most this share of the objective.
            epsilon: Real(1e-12..=0.1) = "1e-3",
            $($rest)*
        }
    };
}

pub(super) use epsilon_param;

method! {
    /// RankSVM with hinge loss, trained by cutting planes.
    pub struct RankSVMStruct: Ranker as "ranksvm-struct",
        cites ["joachims2002", "joachims2006", "joachims2009", "franc2009"], AsPublished, Rows,
        grid [c: LossWeight::GRID]
    {
        use loss_weight_params!();
        use epsilon_param!();
    }
}

impl Ranker for RankSVMStruct {
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
        let risk = PairHinge(Preferences::of_design(&design)?);
        let c = self.loss.of_sum(risk.0.pairs());
        let solution =
            minimise(run, &design, &risk, c, self.epsilon, &design.weights_of(warm_start))?;
        Ok(design.model(&solution.weights).into())
    }
}

/// Σ max(0, 1 − margin) over preference pairs.
#[derive(Debug)]
pub struct PairHinge(pub Preferences);

impl Risk for PairHinge {
    fn plane(&self, scores: &[f64]) -> Plane {
        let at = self.0.violations(scores);
        Plane {
            offset: at.count as f64,
            coefficients: at.hinge_gradient.iter().map(|g| -g).collect(),
        }
    }
}
