//! RankSVM by cutting planes: the plain hinge on preference pairs.
//!
//! Minimises ½‖w‖² + C Σ max(0, 1 − wᵀ(xᵢ − xⱼ)) over the pairs of one query with yᵢ > yⱼ
//! (Joachims, KDD 2002 and 2006), by the 1-slack [cutting planes](super::cutting_plane). The plane
//! at w adds up the violated pairs, which [`super::pair_free`] counts by document in O(n log n) a
//! query.
//!
//! C multiplies the sum over pairs (`scale = sum`) or, by default, their mean. SVM^rank's own `-c`
//! is spread over queries instead, so its values do not carry over.

use super::cutting_plane::{Plane, Risk, minimise};
use super::design::Design;
use super::pair_free::Preferences;
use super::ranksvm_primal::LossWeight;
use crate::data::View;
use crate::error::Result;
use crate::params::{Kind, Param};
use crate::rank::{Model, Ranker, RankerSpec};
use crate::registry::Status;
use crate::run::Run;

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `c` | `100` | 1e-12 to 1e12 | weight of the loss against ½‖w‖² |
/// | `scale` | `mean` | `mean`, `sum` | whether `c` multiplies the mean loss of a pair or, as published, the sum |
/// | `epsilon` | `1e-3` | 1e-12 to 0.1 | stops when the objective is surely within this share of its minimum |
pub struct RankSvmStruct {
    loss: LossWeight,
    epsilon: f64,
}

/// When cutting planes are enough.
pub(super) const EPSILON: Param = Param {
    name: "epsilon",
    kind: Kind::Real { min: 1e-12, max: 0.1 },
    default: "1e-3",
    meaning: "stops when the objective is surely within this share of its minimum",
};

/// The registry's entry.
pub const SPEC: RankerSpec = RankerSpec {
    name: "ranksvm-struct",
    summary: "hinge on preference pairs, by cutting planes",
    cites: &["joachims2002", "joachims2006", "joachims2009", "franc2009"],
    status: Status::AsPublished,
    scales_out: false,
    takes_missing: false,
    params: &[LossWeight::C, LossWeight::SCALE, EPSILON],
    grid: &[("c", LossWeight::GRID)],
    build: |params| {
        Ok(Box::new(RankSvmStruct {
            loss: LossWeight::new(params)?,
            epsilon: params.real("epsilon")?,
        }))
    },
};

impl Ranker for RankSvmStruct {
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
        let risk = PairHinge(Preferences::of_design(&design)?);
        let c = self.loss.of_sum(risk.0.pairs());
        let solution = minimise(run, &design, &risk, c, self.epsilon, &design.weights_of(near))?;
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
            slope: at.hinge_slope.iter().map(|slope| -slope).collect(),
        }
    }
}
