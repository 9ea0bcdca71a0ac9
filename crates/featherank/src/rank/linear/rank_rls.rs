//! RankRLS: least squares on differences between documents of one query.
//!
//! Minimises Σ over pairs i < j of one query of ((yᵢ − yⱼ) − wᵀ(xᵢ − xⱼ))² + λ‖w‖² (Pahikkala et
//! al., Machine Learning 2009). With L = ⊕ (n I − 11ᵀ), the Laplacian of all pairs of each query,
//! that is (XᵀLX + λI) w = XᵀLy: no pair is ever formed, because the sums over pairs are sums over
//! centred documents times the size of the query. Documents with equal labels form pairs too.
//!
//! `weighting = queries` takes the centring matrix I − 11ᵀ/n instead, as RLScore does: a query then
//! counts by its documents, not by their square. That is linear regression centred within queries,
//! with a ridge.

use super::least_squares::LeastSquares;
use crate::data::View;
use crate::engine::passes::Centring;
use crate::error::Result;
use crate::params::{Kind, Param};
use crate::rank::{Model, Ranker, RankerSpec, SubsetFit};
use crate::registry::Status;
use crate::run::Run;

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `lambda` | `1` | 0 to 1e12 | weight of ‖w‖² against the sum of squared errors |
/// | `weighting` | `pairs` | `pairs`, `queries` | whether a query counts by its pairs or by its documents |
pub struct RankRls(LeastSquares);

/// The registry's entry.
pub const SPEC: RankerSpec = RankerSpec {
    name: "rankrls",
    summary: "regularised least squares on differences between documents of a query",
    cites: &["pahikkala2009"],
    status: Status::AsPublished,
    scales_out: true,
    takes_missing: false,
    params: &[
        Param {
            name: "lambda",
            kind: Kind::Real { min: 0.0, max: 1e12 },
            default: "1",
            meaning: "weight of the squared weights against the sum of squared errors",
        },
        Param {
            name: "weighting",
            kind: Kind::Choice(&["pairs", "queries"]),
            default: "pairs",
            meaning: "whether a query counts by its pairs or by its documents",
        },
    ],
    grid: &[("lambda", &["0.01", "1", "100", "10000", "100000", "1000000"])],
    build: |params| {
        let weighting = if params.text("weighting") == "queries" {
            Centring::PerQuery
        } else {
            Centring::PerPair
        };
        Ok(Box::new(RankRls(LeastSquares { centring: weighting, ridge: params.real("lambda")? })))
    },
};

impl Ranker for RankRls {
    fn fit(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        self.for_subsets(run, train, valid)?(train.features())
    }

    /// One pass over the rows, then no other.
    fn for_subsets<'a>(
        &'a self,
        run: &'a Run,
        train: &'a View<'a>,
        _: Option<&'a View<'a>>,
    ) -> Result<SubsetFit<'a>> {
        self.0.for_subsets(run, train)
    }

    fn least_squares(&self) -> Option<LeastSquares> {
        Some(self.0)
    }
}
