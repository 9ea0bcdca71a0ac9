//! Least squares for any subset of some features: the statistics that are collected once from the
//! rows, and the solver for the subsets.
//!
//! The rows may be a view in this process or behind an engine, local or remote: two passes collect
//! all statistics.

use std::sync::Arc;

use super::design::Design;
use super::gram_solver::{GramSolver, LeastSquaresSolution};
use crate::data::{FeatureId, FeatureTable, View};
use crate::engine::passes::{Centring, Gram, GramSums};
use crate::engine::{Ask, Engine, Pass, answer_view};
use crate::error::{Error, Result};
use crate::rank::{LinearModel, Model, SubsetFit};
use crate::run::Run;
use crate::stop::StopToken;

/// A ranker that solves least squares on the labels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeastSquares {
    /// The reference for centring columns.
    pub centring: Centring,
    /// Ridge penalty: the factor of the squared weights added to the sum of squared errors.
    pub ridge: f64,
}

impl LeastSquares {
    /// Fits subsets of a view's features after one scan of its rows.
    pub(super) fn for_subsets<'a>(
        self,
        run: &'a Run,
        train: &'a View<'a>,
    ) -> Result<SubsetFit<'a>> {
        let solver =
            LeastSquaresSums::of_view(train, self.centring, run.stop())?.solver(self.ridge);
        Ok(Box::new(move |features| {
            run.step("solving least squares", 1, None)?;
            solver.model(train.data().features(), features, run.stop())
        }))
    }
}

/// Weights of features, all non-zero.
pub type Weights = Vec<(FeatureId, f64)>;

/// The statistics of the rows that least squares needs for any subset and any ridge.
#[derive(Debug, Clone)]
pub struct LeastSquaresSums {
    /// The features that can get a weight.
    features: Vec<FeatureId>,
    gram: Arc<GramSums>,
}

impl LeastSquaresSums {
    /// From a view's features.
    pub(super) fn of_view(view: &View<'_>, centring: Centring, stop: &StopToken) -> Result<Self> {
        let features = match centring {
            Centring::Overall => view.features().to_vec(),
            // Features that are constant within every query would be divided by their rounding
            // errors.
            _ => Design::new(view)?.features().to_vec(),
        };
        let pass = Gram::new(features, centring);
        pass.check_memory(view.data().memory_limit())?;
        let gram = Arc::new(answer_view(&pass, view, stop)?);
        Ok(LeastSquaresSums { features: pass.features, gram })
    }

    /// From features behind an engine, some of which may be constant within every query there.
    pub(crate) fn of_passes(
        engine: &dyn Engine,
        features: &[FeatureId],
        varies: impl Fn(FeatureId) -> bool,
        centring: Centring,
    ) -> Result<Self> {
        let is_usable = |f: &FeatureId| centring == Centring::Overall || varies(*f);
        let features: Vec<FeatureId> = features.iter().copied().filter(is_usable).collect();
        let gram = Arc::new(engine.ask(&Gram::new(features.clone(), centring))?);
        Ok(LeastSquaresSums { features, gram })
    }

    /// A solver for subsets of the features.
    pub(crate) fn solver(&self, ridge: f64) -> SubsetSolver {
        SubsetSolver {
            features: self.features.clone(),
            solver: GramSolver::new(Arc::clone(&self.gram), ridge),
        }
    }
}

/// Least squares for subsets of some features.
#[derive(Debug)]
pub struct SubsetSolver {
    features: Vec<FeatureId>,
    solver: GramSolver,
}

impl SubsetSolver {
    /// The weights of a subset's features; empty if none of them can be used.
    pub fn weights(&self, subset: &[FeatureId]) -> Weights {
        let places = self.places(subset);
        self.named(&places, self.solver.solve(&places)).0
    }

    /// The model of the usable features of the subset; an error if the token is stopped.
    pub(super) fn model(
        &self,
        table: &FeatureTable,
        subset: &[FeatureId],
        stop: &StopToken,
    ) -> Result<Model> {
        if !subset.iter().any(|f| self.features.contains(f)) {
            return Err(Error::nothing_counts(
                "none of the given features varies within a query",
                "train on at least one feature that differs between documents of one query",
            ));
        }
        let places = self.places(subset);
        let (weights, intercept) = self.named(&places, self.solver.solve_until(&places, stop)?);
        Ok(LinearModel::new(table, &weights).with_intercept(intercept).into())
    }

    fn places(&self, subset: &[FeatureId]) -> Vec<usize> {
        let place = |f: &FeatureId| self.features.iter().position(|known| known == f);
        subset.iter().filter_map(place).collect()
    }

    fn named(&self, places: &[usize], solved: LeastSquaresSolution) -> (Weights, f64) {
        let weights = places.iter().map(|&place| self.features[place]).zip(solved.weights);
        (weights.filter(|(_, weight)| *weight != 0.0).collect(), solved.intercept)
    }
}
