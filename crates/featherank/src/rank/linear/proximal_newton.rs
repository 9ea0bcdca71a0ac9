//! Proximal Newton method for the squared hinge over preference pairs with a weighted ℓ1 penalty.
//!
//! Minimises Σ pₖ|wₖ| + C Σ max(0, 1 − wᵀδ)² over the pairs' differences δ, with penalties pₖ ≥ 0. No pair is looked at: slopes and
//! curvatures come from [`super::pair_free`]. A step replaces the loss by its quadratic model on a working set (the weights that
//! are not 0, and those at 0 that want to leave it, at most 512 of them, worst first) and minimises model and penalty by
//! coordinate descent. From time to time all weights of the set move at once to the minimum for their present signs, or as far as no
//! sign changes: correlated features would need thousands of sweeps otherwise. The step is halved until it pays.
//!
//! Lee, Sun & Saunders (SIAM J. Optimization 2014) for the method; Yuan, Ho & Lin (JMLR 2012) for the coordinate descent.
//!
//! The solution carries its certificate: how far it is from the conditions of optimality, |∇ₖ| ≤ pₖ where wₖ = 0 and
//! ∇ₖ = −pₖ sign wₖ elsewhere.

use super::cholesky::PivotedCholesky;
use super::design::Design;
use super::newton::{diverged, second_derivative};
use super::pair_free::{Preferences, Violations};
use crate::error::Result;
use crate::run::Run;

/// The most features of a working set.
const WORKING_SET: usize = 512;

/// Steps at most; a few are usual, since the loss is piecewise quadratic.
const STEPS: u64 = 500;

/// Sweeps of coordinate descent at most; the next step goes on where it was.
const SWEEPS: usize = 1000;

/// Sweeps between two moves of all weights at once.
const SWEEPS_BETWEEN: usize = 5;

/// Columns whose pivot is below this, on the scale of correlations, are combinations of others.
const SINGULAR: f64 = 1e-10;

/// Where the method ended.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseSolution {
    /// One weight a feature of the design, 0 for most.
    pub weights: Vec<f64>,
    /// The value of the objective.
    pub objective: f64,
    /// The largest violation of the conditions of optimality, on the scale of the penalties.
    pub violation: f64,
}

/// A point, and everything known about it.
struct Point {
    weights: Vec<f64>,
    scores: Vec<f64>,
    violations: Violations,
    objective: f64,
}

/// Minimises for one C from some start, until the conditions of optimality are violated by `tolerance` at most.
pub fn minimise(
    run: &Run,
    design: &Design<'_>,
    preferences: &Preferences,
    c: f64,
    penalties: &[f64],
    start: &[f64],
    tolerance: f64,
) -> Result<SparseSolution> {
    let at = |weights: Vec<f64>, scores: Vec<f64>| {
        let violations = preferences.violations(&scores);
        let penalty: f64 = weights.iter().zip(penalties).map(|(w, p)| p * w.abs()).sum();
        let objective = penalty + 2.0 * c * violations.squared;
        Point { weights, scores, violations, objective }
    };
    let mut point = at(start.to_vec(), design.scores(start));
    let mut violation = f64::INFINITY;
    for step in 1..=STEPS {
        run.step("minimising the sparse pairwise loss", step, None)?;
        let slopes = design.transposed(&point.violations.squared_slope);
        let gradient: Vec<f64> = slopes.iter().map(|slope| 2.0 * c * slope).collect();
        let far = |k: usize| distance(gradient[k], point.weights[k], penalties[k]);
        violation = (0..gradient.len()).map(far).fold(0.0, f64::max);
        // Also true where numbers have grown too large.
        if !(violation > tolerance && point.objective.is_finite()) {
            break;
        }
        let mut places: Vec<usize> =
            (0..gradient.len()).filter(|&k| point.weights[k] != 0.0 || far(k) > 0.0).collect();
        places.sort_by(|&a, &b| far(b).total_cmp(&far(a)).then(a.cmp(&b)));
        places.truncate(WORKING_SET);
        places.sort_unstable();
        let pick = |all: &[f64]| -> Vec<f64> { places.iter().map(|&k| all[k]).collect() };
        let curved = second_derivative(&design.restricted(&places), preferences, &point.violations);
        let mut model = Quadratic {
            curvature: curved.into_iter().map(|h| 2.0 * c * h).collect(),
            slope: pick(&gradient),
            weights: pick(&point.weights),
            penalties: pick(penalties),
        };
        model.minimise(0.01 * tolerance.max(1e-3 * violation));
        let mut direction = vec![0.0; gradient.len()];
        places.iter().zip(&model.weights).for_each(|(&k, w)| direction[k] = w - point.weights[k]);
        match halve(&point, &direction, &gradient, penalties, &design.scores(&direction), at) {
            Some(next) => point = next,
            // Rounding errors are all that is left.
            None => break,
        }
    }
    if !point.weights.iter().all(|w| w.is_finite()) || !point.objective.is_finite() {
        return Err(diverged(c));
    }
    Ok(SparseSolution { weights: point.weights, objective: point.objective, violation })
}

/// The longest of the steps 1, ½, ¼ … that lowers the objective by its share of what was foreseen.
fn halve(
    from: &Point,
    direction: &[f64],
    gradient: &[f64],
    penalties: &[f64],
    change: &[f64],
    at: impl Fn(Vec<f64>, Vec<f64>) -> Point,
) -> Option<Point> {
    let of_penalty: f64 = (0..direction.len())
        .map(|k| penalties[k] * ((from.weights[k] + direction[k]).abs() - from.weights[k].abs()))
        .sum();
    let foreseen = gradient.iter().zip(direction).map(|(g, d)| g * d).sum::<f64>() + of_penalty;
    let mut t = 1.0;
    for _ in 0..40 {
        let along = |(a, b): (&f64, &f64)| a + t * b;
        let weights = from.weights.iter().zip(direction).map(along).collect();
        let next = at(weights, from.scores.iter().zip(change).map(along).collect());
        if next.objective <= from.objective + 0.01 * t * foreseen && next.objective < from.objective {
            return Some(next);
        }
        t *= 0.5;
    }
    None
}

/// How far a weight is from the condition of optimality.
fn distance(slope: f64, weight: f64, penalty: f64) -> f64 {
    match weight {
        0.0 => (slope.abs() - penalty).max(0.0),
        _ => (slope + penalty * weight.signum()).abs(),
    }
}

/// A quadratic model of the loss around the weights it starts from, and the penalty.
struct Quadratic {
    /// Row after row.
    curvature: Vec<f64>,
    /// Of the model at the present weights.
    slope: Vec<f64>,
    weights: Vec<f64>,
    penalties: Vec<f64>,
}

impl Quadratic {
    fn minimise(&mut self, tolerance: f64) {
        for sweep in 1..=SWEEPS {
            (0..self.weights.len()).for_each(|k| self.move_one(k));
            let far = |k: usize| distance(self.slope[k], self.weights[k], self.penalties[k]);
            if (0..self.weights.len()).map(far).fold(0.0, f64::max) <= tolerance {
                break;
            }
            if sweep % SWEEPS_BETWEEN == 0 {
                self.move_all();
            }
        }
    }

    fn row(&self, k: usize) -> &[f64] {
        &self.curvature[k * self.weights.len()..(k + 1) * self.weights.len()]
    }

    /// Puts one weight where it is best while the others stay.
    fn move_one(&mut self, k: usize) {
        let (bend, weight) = (self.row(k)[k], self.weights[k]);
        if bend <= 0.0 {
            return;
        }
        let free = weight - self.slope[k] / bend;
        self.shift(k, free.signum() * (free.abs() - self.penalties[k] / bend).max(0.0));
    }

    fn shift(&mut self, k: usize, weight: f64) {
        let by = weight - self.weights[k];
        if by != 0.0 {
            let width = self.weights.len();
            let row = &self.curvature[k * width..(k + 1) * width];
            self.slope.iter_mut().zip(row).for_each(|(slope, h)| *slope += by * h);
            self.weights[k] = weight;
        }
    }

    /// Moves all weights that are not 0 towards the minimum for their signs, as far as no sign changes.
    fn move_all(&mut self) {
        let support: Vec<usize> = (0..self.weights.len()).filter(|&k| self.weights[k] != 0.0).collect();
        let matrix = support.iter().flat_map(|&k| support.iter().map(move |&l| (k, l)));
        let matrix = matrix.map(|(k, l)| self.row(k)[l]).collect();
        let downhill: Vec<f64> =
            support.iter().map(|&k| -self.slope[k] - self.penalties[k] * self.weights[k].signum()).collect();
        let direction = PivotedCholesky::new(matrix, SINGULAR).solve(&downhill);
        // A weight without penalty may change its sign.
        let border = |(&k, d): (&usize, &f64)| match -self.weights[k] / d {
            t if t > 0.0 && self.penalties[k] > 0.0 => t,
            _ => f64::INFINITY,
        };
        let borders: Vec<f64> = support.iter().zip(&direction).map(border).collect();
        let t = borders.iter().copied().fold(1.0, f64::min);
        for ((&k, d), border) in support.iter().zip(&direction).zip(borders) {
            self.shift(k, if border <= t { 0.0 } else { self.weights[k] + t * d });
        }
    }
}
