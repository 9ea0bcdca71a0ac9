//! RankSVM in the primal: squared hinge on preference pairs, by Newton's method.
//!
//! Minimises ½‖w‖² + (C/2) Σ max(0, 1 − wᵀ(xᵢ − xⱼ))² over the pairs of one query with yᵢ > yⱼ
//! (Chapelle & Keerthi, Information Retrieval 2010). No intercept, which cannot rank, and no
//! scaling of features. See [`super::newton`] for the solver and [`super::pair_free`] for why its
//! cost does not depend on the number of pairs.
//!
//! C multiplies a sum over pairs in the paper; good values then depend on how many pairs there are.
//! With `scale = mean`, the default, `c` multiplies their mean instead, C = c / number of pairs:
//! values from 30 to 500 do well on very different data. Departs from the published code in its
//! precision: that stops at a relative decrease of 10⁻⁴ after at most 20 steps.

use super::design::Design;
use super::newton::SquaredHingeProblem;
use crate::data::View;
use crate::error::Result;
use crate::params::{Kind, Param, Params};
use crate::rank::{Model, Ranker, RankerSpec};
use crate::registry::Status;
use crate::run::Run;

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `c` | `100` | 1e-12 to 1e12 | weight of the loss against ½‖w‖² |
/// | `scale` | `mean` | `mean`, `sum` | whether `c` multiplies the mean loss of a pair or, as published, the sum |
/// | `tolerance` | `1e-9` | 1e-15 to 0.1 | stops when a step would lower the objective by less than this share of it |
pub struct RankSvmPrimal {
    loss: LossWeight,
    tolerance: f64,
}

/// How much the loss on preference pairs counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct LossWeight {
    c: f64,
    mean: bool,
}

impl LossWeight {
    pub(super) const C: Param = Param {
        name: "c",
        kind: Kind::Real { min: 1e-12, max: 1e12 },
        default: "100",
        meaning: "weight of the loss against half the squared weights",
    };
    pub(super) const SCALE: Param = Param {
        name: "scale",
        kind: Kind::Choice(&["mean", "sum"]),
        default: "mean",
        meaning: "whether c multiplies the mean loss of a pair or, as published, the sum",
    };
    pub(super) const GRID: &'static [&'static str] =
        &["0.3", "3", "30", "100", "300", "3000", "30000"];

    pub(super) fn new(params: &Params) -> Result<Self> {
        Ok(LossWeight { c: params.real("c")?, mean: params.text("scale") == "mean" })
    }

    /// What multiplies the sum over pairs.
    pub(super) fn of_sum(self, pairs: u64) -> f64 {
        if self.mean { self.c / pairs as f64 } else { self.c }
    }
}

/// The registry's entry.
pub const SPEC: RankerSpec = RankerSpec {
    name: "ranksvm-primal",
    summary: "squared hinge on preference pairs, by Newton's method",
    cites: &["chapelle2010"],
    status: Status::AsPublished,
    scales_out: false,
    takes_missing: false,
    params: &[
        LossWeight::C,
        LossWeight::SCALE,
        Param {
            name: "tolerance",
            kind: Kind::Real { min: 1e-15, max: 0.1 },
            default: "1e-9",
            meaning: "stops when a step would lower the objective by less than this share of it",
        },
    ],
    grid: &[("c", LossWeight::GRID)],
    build: |params| {
        Ok(Box::new(RankSvmPrimal {
            loss: LossWeight::new(params)?,
            tolerance: params.real("tolerance")?,
        }))
    },
};

impl Ranker for RankSvmPrimal {
    fn fit(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        self.fit_from(run, train, valid, None)
    }

    fn fit_from(
        &self,
        run: &Run,
        train: &View<'_>,
        _: Option<&View<'_>>,
        near: Option<&Model>,
    ) -> Result<Model> {
        let design = Design::new(train)?;
        let problem = SquaredHingeProblem::new(&design)?;
        let c = self.loss.of_sum(problem.pairs());
        let penalties = vec![1.0; design.width()];
        let solution =
            problem.solve(run, c, &penalties, &design.weights_of(near), self.tolerance)?;
        Ok(design.model(&solution.weights).into())
    }
}
