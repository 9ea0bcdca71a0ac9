//! Non-convex penalties on pairwise support vector machines: ℓp, logarithm and MCP, each as a
//! sequence of weighted lassos.
//!
//! Minimises (1/|P|) Σ max(0, 1 − wᵀ(xᵢ − xⱼ))² + λ Σ g(|wₖ|) over the pairs of one query with yᵢ >
//! yⱼ (Laporte, Flamary, Canu, Déjean & Mothe, IEEE Trans. Neural Networks and Learning Systems
//! 2014). The penalty is replaced by its tangent at the last weights, λ Σ βₖ|wₖ| with βₖ =
//! g′(|wₖ|), again and again from β = 1 on: small weights cost more in each round and vanish, large
//! ones cost less and are shrunk less than by a lasso.
//!
//! | `penalty` | βₖ |
//! |---|---|
//! | `l0.5` | p / (\|wₖ\| + ε)^(1 − p), with `p` = ½ by default |
//! | `log` | 1 / (\|wₖ\| + ε) |
//! | `mcp` | max(0, 1 − \|wₖ\| / (γλ)) |
//!
//! The loss is a mean over pairs: with the sum, λ grows with the number of pairs, γλ is larger than
//! any weight and MCP is a lasso. Each lasso starts from the last one's weights and is solved by a
//! proximal Newton method ([`super::proximal_newton`]) where the paper uses an accelerated proximal
//! gradient; both find its minimum, and the certificate `kkt` is the largest violation of the
//! conditions of optimality of the last one, in units of λ. Rounds end when no weight changes by
//! more than 1e-6 of the largest, or after `rounds`. Features to keep are not penalised.

use super::path::{Family, PathSearch, Sparse};
use super::proximal_newton::{Penalty, minimise};
use super::sample::Sample;
use super::tuning::Tuning;
use crate::engine::Engine;
use crate::error::Result;
use crate::params::{Kind, Param};
use crate::registry::{Category, Status};
use crate::run::Run;
use crate::select::{Selection, Selector, SelectorSpec};

/// Weights that change by less, as a share of the largest, have settled.
const SETTLED: f64 = 1e-6;

/// The largest violation of the conditions of optimality, in units of λ.
const TOLERANCE: f64 = 1e-8;

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `penalty` | `l0.5` | l0.5, log, mcp | the penalty |
/// | `lambda` | `auto` | auto, or 1e-12 to 1e9 | its weight against the mean loss; chosen on validation data unless set |
/// | `p` | `0.5` | 0 to 1 | exponent of ℓp |
/// | `epsilon` | `0.01` | 1e-12 to 1e9 | keeps the slopes of ℓp and log finite |
/// | `gamma` | `3` | 1e-9 to 1e12 | how far MCP reaches, in units of λ |
/// | `rounds` | `20` | 1 to 10000 | weighted lassos after the first, at most |
/// | `measure`, `slack`, `standardise` | | see [`Tuning`] | how the model is chosen |
pub struct NonconvexSvm {
    shape: Shape,
    lambda: Vec<f64>,
    rounds: u64,
    tuning: Tuning,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    Power { p: f64, epsilon: f64 },
    Log { epsilon: f64 },
    Mcp { gamma: f64 },
}

impl Shape {
    /// g′, what a little more of a weight costs.
    fn derivative(self, weight: f64, lambda: f64) -> f64 {
        match self {
            Shape::Power { p, epsilon } => p / (weight.abs() + epsilon).powf(1.0 - p),
            Shape::Log { epsilon } => 1.0 / (weight.abs() + epsilon),
            Shape::Mcp { gamma } => (1.0 - weight.abs() / (gamma * lambda)).max(0.0),
        }
    }
}

/// The registry's entry.
pub const SPEC: SelectorSpec = SelectorSpec {
    name: "nonconvex-svm",
    summary: "features that a pairwise support vector machine uses under a penalty that spares large weights",
    category: Category::Embedded,
    cites: &["laporte2014"],
    status: Status::AsPublished,
    scales_out: true,
    resumes: false,
    uses_valid: true,
    leaves_model: true,
    params: &[
        Param {
            name: "penalty",
            kind: Kind::Choice(&["l0.5", "log", "mcp"]),
            default: "l0.5",
            meaning: "the penalty",
        },
        Param {
            name: "lambda",
            kind: Kind::Values { min: 1e-12, max: 1e9 },
            default: "auto",
            meaning: "weight of the penalty against the mean loss; chosen on validation data unless set",
        },
        Param {
            name: "p",
            kind: Kind::Real { min: 0.0, max: 1.0 },
            default: "0.5",
            meaning: "exponent of the penalty l0.5",
        },
        Param {
            name: "epsilon",
            kind: Kind::Real { min: 1e-12, max: 1e9 },
            default: "0.01",
            meaning: "keeps the slopes of l0.5 and log finite",
        },
        Param {
            name: "gamma",
            kind: Kind::Real { min: 1e-9, max: 1e12 },
            default: "3",
            meaning: "how far mcp reaches, in units of lambda",
        },
        Param {
            name: "rounds",
            kind: Kind::Whole { min: 1, max: 10_000 },
            default: "20",
            meaning: "weighted lassos after the first, at most",
        },
        Tuning::MEASURE,
        Tuning::SLACK,
        Tuning::STANDARDISE,
    ],
    build: |params| {
        let epsilon = params.real("epsilon")?;
        Ok(Box::new(NonconvexSvm {
            shape: match params.text("penalty") {
                "log" => Shape::Log { epsilon },
                "mcp" => Shape::Mcp { gamma: params.real("gamma")? },
                _ => Shape::Power { p: params.real("p")?, epsilon },
            },
            lambda: params.values("lambda")?,
            rounds: params.whole("rounds")?,
            tuning: Tuning::from_params(params)?,
        }))
    },
};

impl Selector for NonconvexSvm {
    fn select(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        PathSearch { families: &[self], tuning: &self.tuning, given: &self.lambda }
            .select(run, engine)
    }
}

impl Family for NonconvexSvm {
    fn settings(&self, _: &Sample<'_>, lambda: f64) -> Vec<(&'static str, f64)> {
        vec![("lambda", lambda)]
    }

    /// Quarters of decades; MCP spares large weights altogether and needs more.
    fn grid(&self, _: &Sample<'_>) -> Result<Vec<f64>> {
        let quarters = match self.shape {
            Shape::Mcp { .. } => 3..=10,
            _ => 6..=12,
        };
        Ok(quarters.map(|quarters| 10f64.powf(-f64::from(quarters) / 4.0)).collect())
    }

    fn fit(&self, sample: &Sample<'_>, lambda: f64, near: Option<&Sparse>) -> Result<Vec<Sparse>> {
        // What the neighbour's first lasso found: its last weights come from other prices.
        let start = near.map_or_else(|| vec![0.0; sample.width()], |near| near.state.clone());
        let price =
            |k: usize, derivative: f64| if sample.is_kept(k) { 0.0 } else { lambda * derivative };
        let lasso = |derivatives: &[f64], start: &[f64]| {
            let penalty =
                Penalty::lasso(derivatives.iter().enumerate().map(|(k, &s)| price(k, s)).collect());
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
            let settled = changes.fold(0.0, f64::max) <= SETTLED * largest;
            solution = next;
            if settled {
                break;
            }
        }
        let model = Sparse::new(solution.weights, "kkt", solution.violation / lambda);
        Ok(vec![Sparse { state: first.weights, ..model }])
    }
}
