//! Linear regression: least squares on the labels, document by document.
//!
//! Minimises Σ (yᵢ − β₀ − wᵀxᵢ)² + `ridge` ‖w‖² (Hoerl & Kennard 1970). The pointwise ranker that
//! evolutionary feature selection fits thousands of times (Sousa et al., CIKM 2016), hence the form
//! of [`LeastSquares`]: one pass over the rows, then any subset of features without another pass.
//! The intercept is kept: without it the weights would have to explain the mean label, and rank
//! worse. Linearly dependent features get weight 0, whereas a minimum-norm solution would
//! distribute the weight; the predictions agree.
//!
//! With `centring = query`, labels and features are centred on their means in the query, so that
//! the fit ignores differences between queries, which cannot affect a ranking.

use super::least_squares::LeastSquares;
use crate::data::View;
use crate::declare::{choice, method};
use crate::engine::passes::Centring;
use crate::error::Result;
use crate::rank::{Model, Ranker, SubsetFit};
use crate::run::Run;

method! {
    /// Linear least squares on the labels, with an intercept.
    pub struct LinearRegression: Ranker as "linear-regression",
        cites ["hoerl1970", "sousa2016"], AsPublished, Passes,
        with [compares_pairs],
        grid [ridge: ["0", "1", "10", "100", "1000", "10000"]]
    {
        /// Centre features over all documents, or within each query.
        let centring: Choice<CentringScope> = "overall",
        /// Ridge penalty, added to the sum of squared errors.
        let ridge: Real(0.0..=1e12) = "0",
        derive problem: LeastSquares = LeastSquares { centring: centring.centring(), ridge };
    }
}

choice! {
    /// The documents over which means are computed.
    pub enum CentringScope {
        /// All documents.
        Overall = "overall",
        /// The documents of each query.
        Query = "query",
    }
}

impl CentringScope {
    const fn centring(self) -> Centring {
        match self {
            CentringScope::Overall => Centring::Overall,
            CentringScope::Query => Centring::PerQuery,
        }
    }
}

impl Ranker for LinearRegression {
    fn learn(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        self.for_subsets(run, train, valid)?(train.features())
    }

    /// One pass over the rows serves all subsets.
    fn for_subsets<'a>(
        &'a self,
        run: &'a Run,
        train: &'a View<'a>,
        _: Option<&'a View<'a>>,
    ) -> Result<SubsetFit<'a>> {
        self.problem.for_subsets(run, train)
    }

    fn least_squares(&self) -> Option<LeastSquares> {
        Some(self.problem)
    }
}
