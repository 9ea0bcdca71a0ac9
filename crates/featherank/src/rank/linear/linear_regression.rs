//! Linear regression: least squares on the labels, document by document.
//!
//! Minimises Σ (yᵢ − β₀ − wᵀxᵢ)² + `ridge` ‖w‖² (Hoerl & Kennard 1970). The pointwise ranker that
//! evolutionary feature selection fits thousands of times (Sousa et al., CIKM 2016), hence the form
//! of [`LeastSquares`]: one pass over the rows, then any subset of features without another. The
//! intercept is kept: without it the weights would have to explain the mean label, and rank worse.
//! Features that depend on others get weight 0, where a minimum-norm solution would share it out:
//! predictions agree.
//!
//! With `centring = query` labels and features are taken relative to their means in the query, so
//! that nothing is spent on differences between queries, which cannot rank.

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
/// | `centring` | `overall` | `overall`, `query` | whether means are taken over all documents or within each query |
/// | `ridge` | `0` | 0 to 1e12 | times the squared weights, added to the sum of squared errors; features are not rescaled |
pub struct LinearRegression(LeastSquares);

/// The registry's entry.
pub const SPEC: RankerSpec = RankerSpec {
    name: "linear-regression",
    summary: "least squares on the labels, with an intercept",
    cites: &["hoerl1970", "sousa2016"],
    status: Status::AsPublished,
    scales_out: true,
    takes_missing: false,
    params: &[
        Param {
            name: "centring",
            kind: Kind::Choice(&["overall", "query"]),
            default: "overall",
            meaning: "whether means are taken over all documents or within each query",
        },
        Param {
            name: "ridge",
            kind: Kind::Real { min: 0.0, max: 1e12 },
            default: "0",
            meaning: "times the squared weights, added to the sum of squared errors",
        },
    ],
    grid: &[("ridge", &["0", "1", "10", "100", "1000", "10000"])],
    build: |params| {
        let centring =
            if params.text("centring") == "query" { Centring::PerQuery } else { Centring::Overall };
        Ok(Box::new(LinearRegression(LeastSquares { centring, ridge: params.real("ridge")? })))
    },
};

impl Ranker for LinearRegression {
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
