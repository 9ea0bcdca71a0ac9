//! Non-convex penalties on pairwise support vector machines: ℓp, logarithm and MCP, each as a
//! sequence of weighted lassos.
//!
//! Minimises (1/|P|) Σ max(0, 1 − wᵀ(xᵢ − xⱼ))² + λ Σ g(|wₖ|) over the pairs of one query with yᵢ >
//! yⱼ (Laporte, Flamary, Canu, Déjean & Mothe, IEEE Trans. Neural Networks and Learning Systems
//! 2014). Each round replaces the penalty by its tangent at the last weights, λ Σ βₖ|wₖ| with βₖ =
//! g′(|wₖ|), starting from β = 1: the penalty of small weights increases in each round until they
//! vanish; large weights are penalised less and are shrunk less than by a lasso.
//!
//! | `penalty` | βₖ |
//! |---|---|
//! | `l0.5` | p / (\|wₖ\| + ε)^(1 − p), with `p` = ½ by default |
//! | `log` | 1 / (\|wₖ\| + ε) |
//! | `mcp` | max(0, 1 − \|wₖ\| / (γλ)) |
//!
//! The loss is a mean over pairs: with the sum, λ would grow with the number of pairs, γλ would
//! exceed any weight and MCP would be a lasso. Each lasso starts from the weights of the previous
//! one and is solved by a proximal Newton method (`proximal_newton.rs`) instead of the
//! paper's accelerated proximal gradient; both find its minimum, and the certificate `kkt` is the
//! largest violation of the optimality conditions of the last lasso, in units of λ. Rounds end when
//! no weight changes by more than 1e-6 of the largest, or after `rounds`. Kept features are not
//! penalised.

use super::path::{Family, PathSearch, SparseModel};
use super::proximal_newton::{Penalty, minimise};
use super::sample::Sample;
use crate::declare::{choice, method};
use crate::engine::Engine;
use crate::error::Result;
use crate::run::Run;
use crate::select::shared_params::{standardise_param, tuning_params};
use crate::select::{Findings, Selector};

/// Weights have converged if they change by less than this share of the largest.
const CONVERGENCE_TOLERANCE: f64 = 1e-6;

/// The largest violation of the optimality conditions, in units of λ.
const TOLERANCE: f64 = 1e-8;

method! {
    /// Pairwise linear SVM with a nonconvex penalty, which shrinks large weights less than l1 does.
    pub struct NonconvexSVM: Selector as "nonconvex-svm" in Embedded,
        cites ["laporte2014"], AsPublished, Passes,
        with [uses_valid, leaves_model]
    {
        /// Nonconvex penalty.
        let penalty: Choice<PenaltyName> = "l0.5",
        /// Weight of the penalty relative to the mean loss; auto: tuned on validation data.
        lambda: Values(1e-12..=1e9) = "auto",
        /// Exponent of the penalty l0.5.
        let p: Real(0.0..=1.0) = "0.5",
        /// Keeps the gradients of l0.5 and log finite.
        let epsilon: Real(1e-12..=1e9) = "0.01",
        /// Weight above which mcp is constant, in units of lambda.
        let gamma: Real(1e-9..=1e12) = "3",
        /// Maximum number of reweighted lassos after the first.
        rounds: Whole(1..=10_000) = "20",
        use tuning_params!();
        derive shape: PenaltyShape = PenaltyShape::new(penalty, p, epsilon, gamma);
    }
}

choice! {
    /// A nonconvex penalty.
    pub enum PenaltyName {
        /// The sum of powers of absolute weights.
        Power = "l0.5",
        /// The sum of logarithms.
        Log = "log",
        /// The minimax concave penalty.
        Mcp = "mcp",
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum PenaltyShape {
    Power { p: f64, epsilon: f64 },
    Log { epsilon: f64 },
    Mcp { gamma: f64 },
}

impl PenaltyShape {
    fn new(penalty: PenaltyName, p: f64, epsilon: f64, gamma: f64) -> Self {
        match penalty {
            PenaltyName::Power => PenaltyShape::Power { p, epsilon },
            PenaltyName::Log => PenaltyShape::Log { epsilon },
            PenaltyName::Mcp => PenaltyShape::Mcp { gamma },
        }
    }

    /// g′, the derivative of the penalty with respect to the size of a weight.
    fn derivative(self, weight: f64, lambda: f64) -> f64 {
        match self {
            PenaltyShape::Power { p, epsilon } => p / (weight.abs() + epsilon).powf(1.0 - p),
            PenaltyShape::Log { epsilon } => 1.0 / (weight.abs() + epsilon),
            PenaltyShape::Mcp { gamma } => (1.0 - weight.abs() / (gamma * lambda)).max(0.0),
        }
    }
}

impl Selector for NonconvexSVM {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        PathSearch { families: &[self], tuning: &self.tuning, given: &self.lambda }
            .select(run, engine)
    }
}

impl Family for NonconvexSVM {
    fn settings(&self, _: &Sample<'_>, lambda: f64) -> Vec<(&'static str, f64)> {
        vec![("lambda", lambda)]
    }

    /// Quarters of decades; MCP does not penalise large weights at all and needs more values.
    fn grid(&self, _: &Sample<'_>) -> Result<Vec<f64>> {
        let quarters = match self.shape {
            PenaltyShape::Mcp { .. } => 3..=10,
            _ => 6..=12,
        };
        Ok(quarters.map(|quarters| 10f64.powf(-f64::from(quarters) / 4.0)).collect())
    }

    fn fit(
        &self,
        sample: &Sample<'_>,
        lambda: f64,
        warm_start: Option<&SparseModel>,
    ) -> Result<Vec<SparseModel>> {
        // Starts from the neighbour's first lasso: its last weights belong to other values of β.
        let start =
            warm_start.map_or_else(|| vec![0.0; sample.width()], |model| model.state.clone());
        let weight =
            |k: usize, derivative: f64| if sample.is_kept(k) { 0.0 } else { lambda * derivative };
        let lasso = |derivatives: &[f64], start: &[f64]| {
            let penalty = Penalty::lasso(
                derivatives.iter().enumerate().map(|(k, &s)| weight(k, s)).collect(),
            );
            minimise(sample, &penalty, start, lambda * TOLERANCE)
        };
        let first = lasso(&vec![1.0; sample.width()], &start)?;
        let mut solution = first.clone();
        for round in 1..=self.rounds {
            sample.run.step("reweighting", round, Some(self.rounds))?;
            let derivatives: Vec<f64> =
                solution.weights.iter().map(|&w| self.shape.derivative(w, lambda)).collect();
            let next = lasso(&derivatives, &solution.weights)?;
            let largest = next.weights.iter().fold(0.0f64, |most, w| most.max(w.abs()));
            let changes = next.weights.iter().zip(&solution.weights).map(|(a, b)| (a - b).abs());
            let settled = changes.fold(0.0, f64::max) <= CONVERGENCE_TOLERANCE * largest;
            solution = next;
            if settled {
                break;
            }
        }
        let model = SparseModel::new(solution.weights, "kkt", solution.violation / lambda);
        Ok(vec![SparseModel { state: first.weights, ..model }])
    }
}
