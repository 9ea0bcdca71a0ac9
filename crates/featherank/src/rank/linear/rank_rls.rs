//! RankRLS: least squares on differences between documents of one query.
//!
//! Minimises Σ over pairs i < j of one query of ((yᵢ − yⱼ) − wᵀ(xᵢ − xⱼ))² + λ‖w‖² (Pahikkala et
//! al., Machine Learning 2009). With L = ⊕ (n I − 11ᵀ), the Laplacian of all pairs of each query,
//! that is (XᵀLX + λI) w = XᵀLy: pairs are never formed, because the sums over pairs are sums over
//! centred documents times the size of the query. Documents with equal labels form pairs, too.
//!
//! `weighting = queries` uses the centring matrix I − 11ᵀ/n instead, as RLScore does: the weight of
//! a query then grows linearly with its number of documents instead of quadratically. This is ridge
//! regression centred within queries.

use super::least_squares::LeastSquares;
use crate::data::View;
use crate::declare::{choice, method};
use crate::engine::passes::Centring;
use crate::error::Result;
use crate::rank::{Model, Ranker, SubsetFit};
use crate::run::Run;

method! {
    /// Regularised least squares on pairwise differences within queries.
    pub struct RankRLS: Ranker as "rankrls",
        cites ["pahikkala2009"], AsPublished, Passes,
        with [compares_pairs],
        grid [lambda: ["0.01", "1", "100", "10000", "100000", "1000000"]]
    {
        /// Ridge penalty relative to the sum of squared errors.
        let lambda: Real(0.0..=1e12) = "1",
        /// Weight queries by their number of pairs or of documents.
        let weighting: Choice<PairWeighting> = "pairs",
        derive problem: LeastSquares =
            LeastSquares { centring: weighting.centring(), ridge: lambda };
    }
}

choice! {
    /// What determines the weight of a query.
    pub enum PairWeighting {
        /// Its number of document pairs.
        Pairs = "pairs",
        /// Its number of documents.
        Queries = "queries",
    }
}

impl PairWeighting {
    /// The centring that gives queries these weights.
    pub const fn centring(self) -> Centring {
        match self {
            PairWeighting::Pairs => Centring::PerPair,
            PairWeighting::Queries => Centring::PerQuery,
        }
    }
}

impl Ranker for RankRLS {
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
