//! Linear regression: least squares on the labels, document by document.
//!
//! Minimises Σ (yᵢ − β₀ − wᵀxᵢ)² + `ridge` ‖w‖² (Hoerl & Kennard 1970). The pointwise ranker that evolutionary feature
//! selection fits thousands of times (Sousa et al., CIKM 2016), hence the form of [`GramSolver`]: one pass over the rows, then any subset of
//! features without another. The intercept is kept: without it the weights would have to explain the mean label, and rank
//! worse. Features that depend on others get weight 0, where a minimum-norm solution would share it out: predictions agree.
//!
//! With `centring = query` labels and features are taken relative to their means in the query, so that nothing is spent
//! on differences between queries, which cannot rank.

use super::design::Design;
use super::gram_solver::GramSolver;
use crate::data::{FeatureId, FeatureTable, View};
use crate::engine::passes::{Centring, Gram, GramPass};
use crate::error::{Error, Result};
use crate::params::{Kind, Param};
use crate::rank::{LinearModel, Model, Ranker, RankerSpec, SubsetFit};
use crate::registry::Status;
use crate::run::Run;

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `centring` | `overall` | `overall`, `query` | whether means are taken over all documents or within each query |
/// | `ridge` | `0` | 0 to 1e12 | times the squared weights, added to the sum of squared errors; features are not rescaled |
pub struct LinearRegression {
    centring: Centring,
    ridge: f64,
}

/// The registry's entry.
pub const SPEC: RankerSpec = RankerSpec {
    name: "linear-regression",
    summary: "least squares on the labels, with an intercept",
    cites: &["hoerl1970", "sousa2016"],
    status: Status::AsPublished,
    scales_out: false,
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
        Ok(Box::new(LinearRegression { centring, ridge: params.real("ridge")? }))
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
        let solver = SubsetSolver::new(train, self.usable(train)?, self.centring, self.ridge);
        Ok(Box::new(move |features| {
            run.step("solving least squares", 1, None)?;
            solver.solve(features)
        }))
    }
}

impl LinearRegression {
    fn usable(&self, train: &View<'_>) -> Result<Vec<FeatureId>> {
        match self.centring {
            Centring::Overall => Ok(train.features().to_vec()),
            // What is constant within every query would be divided by its rounding errors.
            _ => Ok(Design::new(train)?.features().to_vec()),
        }
    }
}

/// Least squares for subsets of some features of a view.
pub(super) struct SubsetSolver<'a> {
    table: &'a FeatureTable,
    features: Vec<FeatureId>,
    solver: GramSolver,
}

impl<'a> SubsetSolver<'a> {
    pub(super) fn new(train: &View<'a>, features: Vec<FeatureId>, centring: Centring, ridge: f64) -> Self {
        let pass = GramPass::new(features, centring);
        let solver = GramSolver::new(Gram::of_view(&pass, train), ridge);
        SubsetSolver { table: train.data().features(), features: pass.features, solver }
    }

    /// The model of those features of the subset that can be used.
    pub(super) fn solve(&self, subset: &[FeatureId]) -> Result<Model> {
        let places: Vec<usize> =
            subset.iter().filter_map(|f| self.features.iter().position(|known| known == f)).collect();
        if places.is_empty() {
            return Err(Error::invalid(
                "features",
                "none that ranks",
                "at least one that differs within a query",
            ));
        }
        let solved = self.solver.solve(&places);
        let weights = places.iter().map(|&place| self.features[place]).zip(solved.weights);
        let used: Vec<(FeatureId, f64)> = weights.filter(|(_, weight)| *weight != 0.0).collect();
        Ok(LinearModel::new(self.table, &used).with_intercept(solved.intercept).into())
    }
}
