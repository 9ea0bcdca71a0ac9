//! Proximal Newton method for the squared hinge over preference pairs, with penalties on the
//! absolute values of weights.
//!
//! Minimises the mean of max(0, 1 − wᵀδ)² over the pairs' differences δ, plus Σ pₖ|wₖ| + ½
//! |w|ᵀQ|w|. With Q = 0 that is a weighted lasso, with p = 0 and Q diagonal a ridge. Pairs are
//! never enumerated: loss, gradients and curvatures are passes of the engine. A step replaces the
//! loss by its quadratic model on a working set (the non-zero weights and the zero weights that
//! violate their optimality condition, at most 512 in total, those with the largest violation
//! first) and minimises model and penalty by coordinate descent. At regular intervals all weights
//! of the set move together to the minimum for their current signs, or as far as no sign changes:
//! correlated features would otherwise need thousands of sweeps. The step is halved until it
//! decreases the objective.
//!
//! Lee, Sun & Saunders (SIAM J. Optimization 2014) for the method; Yuan, Ho & Lin (JMLR 2012) for
//! the coordinate descent.
//!
//! The solution has a certificate: the violation of the optimality conditions. With qₖ = pₖ + Σ
//! Qₖₗ|wₗ| these are |∇ₖ| ≤ qₖ if wₖ = 0 and ∇ₖ = −qₖ sign wₖ otherwise. For a positive
//! semidefinite Q and qₖ ≥ 0 they are sufficient.

use super::sample::{Loss, Sample};
use crate::error::{Error, Result};
use crate::rank::linear::cholesky::PivotedCholesky;
use crate::remedy;

/// The maximum number of features of a working set.
const WORKING_SET: usize = 512;

/// The maximum number of steps; a few are usual, since the loss is piecewise quadratic.
const STEPS: u64 = 500;

/// The maximum number of sweeps of coordinate descent; the next step continues from there.
const SWEEPS: usize = 1000;

/// The number of sweeps between two joint moves of all weights.
const SWEEPS_BETWEEN: usize = 5;

/// Columns whose pivot is below this, on the scale of correlations, are linear combinations of
/// others.
const SINGULAR: f64 = 1e-10;

/// Σ pₖ|wₖ| + ½ |w|ᵀQ|w|.
#[derive(Debug, Clone, PartialEq)]
pub struct Penalty {
    /// p.
    pub linear: Vec<f64>,
    /// Q in row-major order; empty if it is 0.
    pub coupling: Vec<f64>,
}

impl Penalty {
    /// A lasso with a weight for each feature.
    pub fn lasso(linear: Vec<f64>) -> Self {
        Penalty { linear, coupling: Vec::new() }
    }

    /// ½ Σ rₖwₖ².
    pub fn ridge(squares: &[f64]) -> Self {
        let width = squares.len();
        let mut coupling = vec![0.0; width * width];
        coupling.iter_mut().step_by(width + 1).zip(squares).for_each(|(cell, r)| *cell = *r);
        Penalty { linear: vec![0.0; width], coupling }
    }

    fn row(&self, k: usize) -> &[f64] {
        let width = self.linear.len();
        if self.coupling.is_empty() { &[] } else { &self.coupling[k * width..(k + 1) * width] }
    }

    /// The derivative of the penalty with respect to each |wₖ|: q.
    fn gradient(&self, weights: &[f64]) -> Vec<f64> {
        let derivative = |k: usize| {
            self.linear[k] + self.row(k).iter().zip(weights).map(|(q, w)| q * w.abs()).sum::<f64>()
        };
        (0..weights.len()).map(derivative).collect()
    }

    /// The value of the penalty.
    pub fn value(&self, weights: &[f64]) -> f64 {
        let half = |((w, q), p): ((&f64, f64), &f64)| 0.5 * w.abs() * (q + p);
        weights.iter().zip(self.gradient(weights)).zip(&self.linear).map(half).sum()
    }

    fn restricted(&self, places: &[usize]) -> Self {
        let cells = places.iter().flat_map(|&k| places.iter().map(move |&l| (k, l)));
        Penalty {
            linear: places.iter().map(|&k| self.linear[k]).collect(),
            coupling: cells.filter_map(|(k, l)| self.row(k).get(l).copied()).collect(),
        }
    }
}

/// Smaller relative changes of the objective are rounding errors.
const ROUNDING: f64 = 1e-15;

/// The result of the minimisation.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// One weight per feature of the sample; most are 0.
    pub weights: Vec<f64>,
    /// Mean loss and penalty.
    pub objective: f64,
    /// The largest violation of the optimality conditions.
    pub violation: f64,
}

/// A point with its loss, gradient and objective.
struct ProximalIterate {
    weights: Vec<f64>,
    loss: Loss,
    penalty_gradient: Vec<f64>,
    objective: f64,
}

impl ProximalIterate {
    /// The violation of the optimality condition of a weight.
    fn violation_of(&self, k: usize) -> f64 {
        violation(self.loss.gradient[k], self.weights[k], self.penalty_gradient[k])
    }

    fn violation(&self) -> f64 {
        (0..self.weights.len()).map(|k| self.violation_of(k)).fold(0.0, f64::max)
    }

    /// Whether the point has a much smaller violation at the same objective: the objective changes
    /// by the square of the violation, which is lost in rounding long before the violation itself.
    fn refines(&self, other: &ProximalIterate) -> bool {
        self.objective <= (1.0 + ROUNDING) * other.objective
            && self.violation() <= 0.5 * other.violation()
    }
}

/// Minimises from a given start, until the optimality conditions are violated by at most
/// `tolerance`.
pub fn minimise(
    sample: &Sample<'_>,
    penalty: &Penalty,
    start: &[f64],
    tolerance: f64,
) -> Result<Solution> {
    minimise_until(sample, penalty, start, tolerance, 0.0)
}

/// The same, or until a step lowers the objective by a smaller share than `least_gain`.
pub fn minimise_until(
    sample: &Sample<'_>,
    penalty: &Penalty,
    start: &[f64],
    tolerance: f64,
    least_gain: f64,
) -> Result<Solution> {
    let at = |weights: Vec<f64>| -> Result<ProximalIterate> {
        let loss = sample.loss(&weights)?;
        let objective = loss.value + penalty.value(&weights);
        Ok(ProximalIterate {
            penalty_gradient: penalty.gradient(&weights),
            weights,
            loss,
            objective,
        })
    };
    let mut point = at(start.to_vec())?;
    for step in 1..=STEPS {
        sample.run.step("minimising the pairwise loss", step, None)?;
        let violation = point.violation();
        // Also true for numbers that overflowed.
        if !(violation > tolerance && point.objective.is_finite()) {
            break;
        }
        let is_active = |&k: &usize| point.weights[k] != 0.0 || point.violation_of(k) > 0.0;
        let mut places: Vec<usize> = (0..point.weights.len()).filter(is_active).collect();
        places.sort_by(|&a, &b| {
            point.violation_of(b).total_cmp(&point.violation_of(a)).then(a.cmp(&b))
        });
        places.truncate(WORKING_SET);
        places.sort_unstable();
        let pick = |all: &[f64]| -> Vec<f64> { places.iter().map(|&k| all[k]).collect() };
        let mut model = Quadratic {
            curvature: sample.curvature(&point.weights, &places)?,
            gradient: pick(&point.loss.gradient),
            weights: pick(&point.weights),
            penalty_gradient: pick(&point.penalty_gradient),
            penalty: penalty.restricted(&places),
        };
        model.minimise(0.01 * tolerance.max(1e-3 * violation));
        let mut target = point.weights.clone();
        places.iter().zip(&model.weights).for_each(|(&k, w)| target[k] = *w);
        let Some(next) = backtrack(&point, &target, penalty, at)? else { break };
        let is_small_gain = next.objective >= (1.0 - least_gain.max(ROUNDING)) * point.objective;
        let continues = !is_small_gain || (least_gain == 0.0 && next.refines(&point));
        point = next;
        if !continues {
            break;
        }
    }
    if !point.weights.iter().all(|w| w.is_finite()) || !point.objective.is_finite() {
        return Err(diverged());
    }
    Ok(Solution {
        violation: point.violation(),
        weights: point.weights,
        objective: point.objective,
    })
}

/// The longest of the steps 1, ½, ¼ … that lowers the objective by its share of the predicted
/// decrease, or refines the point.
fn backtrack(
    from: &ProximalIterate,
    target: &[f64],
    penalty: &Penalty,
    at: impl Fn(Vec<f64>) -> Result<ProximalIterate>,
) -> Result<Option<ProximalIterate>> {
    let change: Vec<f64> = target.iter().zip(&from.weights).map(|(b, a)| b - a).collect();
    let of_loss: f64 =
        from.loss.gradient.iter().zip(&change).map(|(gradient, by)| gradient * by).sum();
    let predicted = of_loss + penalty.value(target) - penalty.value(&from.weights);
    let mut t = 1.0;
    for _ in 0..40 {
        // The full step ends at exact zeros, which a sum could miss.
        let weights = match t {
            1.0 => target.to_vec(),
            _ => from.weights.iter().zip(&change).map(|(a, by)| a + t * by).collect(),
        };
        let next = at(weights)?;
        let lowers = next.objective <= from.objective + 0.01 * t * predicted
            && next.objective < from.objective;
        if lowers || next.refines(from) {
            return Ok(Some(next));
        }
        t *= 0.5;
    }
    Ok(None)
}

/// The violation of the optimality condition of a weight.
fn violation(gradient: f64, weight: f64, penalty: f64) -> f64 {
    match weight {
        0.0 => (gradient.abs() - penalty).max(0.0),
        _ => (gradient + penalty * weight.signum()).abs(),
    }
}

/// The error for numbers that overflow.
fn diverged() -> Error {
    Error::numerical(
        "the weights diverge",
        remedy![
            "increase the penalty; to scale the features, ",
            ParameterValue("standardise", "true").set()
        ],
    )
}

/// A quadratic model of the loss around the initial weights, and the penalty.
struct Quadratic {
    /// In row-major order.
    curvature: Vec<f64>,
    /// The gradient of the model at the current weights.
    gradient: Vec<f64>,
    weights: Vec<f64>,
    /// The derivative of the penalty at the current weights.
    penalty_gradient: Vec<f64>,
    penalty: Penalty,
}

impl Quadratic {
    fn minimise(&mut self, tolerance: f64) {
        let all: Vec<usize> = (0..self.weights.len()).collect();
        // Without kinks one step reaches the minimum, and copies of a feature get the same weight.
        if all.iter().all(|&k| self.threshold(k) == 0.0) {
            self.move_all(&all);
        }
        for sweep in 1..=SWEEPS {
            (0..self.weights.len()).for_each(|k| self.move_one(k));
            let violation_of =
                |k: usize| violation(self.gradient[k], self.weights[k], self.penalty_gradient[k]);
            if (0..self.weights.len()).map(violation_of).fold(0.0, f64::max) <= tolerance {
                break;
            }
            if sweep % SWEEPS_BETWEEN == 0 {
                let support: Vec<usize> =
                    all.iter().copied().filter(|&k| self.weights[k] != 0.0).collect();
                self.move_all(&support);
            }
        }
    }

    fn row(&self, k: usize) -> &[f64] {
        &self.curvature[k * self.weights.len()..(k + 1) * self.weights.len()]
    }

    /// The entry of Q for two weights.
    fn coupling(&self, k: usize, l: usize) -> f64 {
        self.penalty.row(k).get(l).copied().unwrap_or(0.0)
    }

    /// The derivative of the penalty at weight 0 while the others are fixed.
    fn threshold(&self, k: usize) -> f64 {
        self.penalty_gradient[k] - self.coupling(k, k) * self.weights[k].abs()
    }

    /// Minimises over one weight while the others are fixed.
    fn move_one(&mut self, k: usize) {
        let (of_loss, weight) = (self.row(k)[k], self.weights[k]);
        let curvature = of_loss + self.coupling(k, k);
        if curvature <= 0.0 {
            // The feature is 0 in all pairs with a non-zero loss, so that only the penalty depends
            // on its weight. The caller determines the step length.
            if self.threshold(k) > 0.0 {
                self.shift(k, 0.0);
            }
            return;
        }
        let free = of_loss * weight - self.gradient[k];
        self.shift(k, free.signum() * (free.abs() - self.threshold(k)).max(0.0) / curvature);
    }

    fn shift(&mut self, k: usize, weight: f64) {
        let (by, larger_by) = (weight - self.weights[k], weight.abs() - self.weights[k].abs());
        if by != 0.0 {
            let width = self.weights.len();
            let row = &self.curvature[k * width..(k + 1) * width];
            self.gradient.iter_mut().zip(row).for_each(|(gradient, h)| *gradient += by * h);
            self.penalty_gradient
                .iter_mut()
                .zip(self.penalty.row(k))
                .for_each(|(derivative, q)| *derivative += larger_by * q);
            self.weights[k] = weight;
        }
    }

    /// Moves some weights towards the minimum for their signs, as far as no sign changes.
    fn move_all(&mut self, support: &[usize]) {
        let sign = |k: usize| self.weights[k].signum();
        let cells = support.iter().flat_map(|&k| support.iter().map(move |&l| (k, l)));
        let matrix =
            cells.map(|(k, l)| self.row(k)[l] + sign(k) * sign(l) * self.coupling(k, l)).collect();
        let negative_gradient: Vec<f64> = support
            .iter()
            .map(|&k| -self.gradient[k] - self.penalty_gradient[k] * sign(k))
            .collect();
        let direction = PivotedCholesky::new(matrix, SINGULAR).solve(&negative_gradient);
        // A weight with a zero penalty derivative at 0 may change its sign.
        let border = |(&k, d): (&usize, &f64)| match -self.weights[k] / d {
            t if t > 0.0 && self.threshold(k) > 0.0 => t,
            _ => f64::INFINITY,
        };
        let borders: Vec<f64> = support.iter().zip(&direction).map(border).collect();
        let t = borders.iter().copied().fold(1.0, f64::min);
        for ((&k, d), border) in support.iter().zip(&direction).zip(borders) {
            self.shift(k, if border <= t { 0.0 } else { self.weights[k] + t * d });
        }
    }
}
