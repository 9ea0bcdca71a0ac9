//! Proximal Newton method for the squared hinge over preference pairs, under penalties on the sizes
//! of weights.
//!
//! Minimises the mean of max(0, 1 − wᵀδ)² over the pairs' differences δ, plus Σ pₖ|wₖ| + ½
//! |w|ᵀQ|w|. With Q = 0 that is a weighted lasso, with p = 0 and Q diagonal a ridge. No pair is
//! looked at: loss, gradients and curvatures are passes of the engine. A step replaces the loss by its
//! quadratic model on a working set (the weights that are not 0, and those at 0 that want to leave
//! it, at most 512 of them, worst first) and minimises model and penalty by coordinate descent.
//! From time to time all weights of the set move at once to the minimum for their present signs, or
//! as far as no sign changes: correlated features would need thousands of sweeps otherwise. The
//! step is halved until it pays.
//!
//! Lee, Sun & Saunders (SIAM J. Optimization 2014) for the method; Yuan, Ho & Lin (JMLR 2012) for
//! the coordinate descent.
//!
//! The solution carries its certificate: how far it is from the conditions of optimality. With qₖ =
//! pₖ + Σ Qₖₗ|wₗ| these are |∇ₖ| ≤ qₖ where wₖ = 0 and ∇ₖ = −qₖ sign wₖ elsewhere. For a positive
//! semidefinite Q and qₖ ≥ 0 they are sufficient.

use super::sample::{Loss, Sample};
use crate::error::{Error, Result};
use crate::rank::linear::cholesky::PivotedCholesky;
use crate::remedy;

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

/// Σ pₖ|wₖ| + ½ |w|ᵀQ|w|.
#[derive(Debug, Clone, PartialEq)]
pub struct Penalty {
    /// p.
    pub linear: Vec<f64>,
    /// Q, row after row; empty where it is 0.
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

    /// What one more unit of each |wₖ| costs: q.
    fn pulls(&self, weights: &[f64]) -> Vec<f64> {
        let pull = |k: usize| {
            self.linear[k] + self.row(k).iter().zip(weights).map(|(q, w)| q * w.abs()).sum::<f64>()
        };
        (0..weights.len()).map(pull).collect()
    }

    /// Its value.
    pub fn value(&self, weights: &[f64]) -> f64 {
        let half = |((w, pull), p): ((&f64, f64), &f64)| 0.5 * w.abs() * (pull + p);
        weights.iter().zip(self.pulls(weights)).zip(&self.linear).map(half).sum()
    }

    fn restricted(&self, places: &[usize]) -> Self {
        let cells = places.iter().flat_map(|&k| places.iter().map(move |&l| (k, l)));
        Penalty {
            linear: places.iter().map(|&k| self.linear[k]).collect(),
            coupling: cells.filter_map(|(k, l)| self.row(k).get(l).copied()).collect(),
        }
    }
}

/// Changes of the objective by a smaller share are rounding errors.
const ROUNDING: f64 = 1e-15;

/// Where the method ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// One weight a feature of the sample, 0 for most.
    pub weights: Vec<f64>,
    /// Mean loss and penalty.
    pub objective: f64,
    /// The largest violation of the conditions of optimality.
    pub violation: f64,
}

/// A point, and everything known about it.
struct Point {
    weights: Vec<f64>,
    loss: Loss,
    pulls: Vec<f64>,
    objective: f64,
}

impl Point {
    /// How far a weight is from the condition of optimality.
    fn far(&self, k: usize) -> f64 {
        distance(self.loss.gradient[k], self.weights[k], self.pulls[k])
    }

    fn violation(&self) -> f64 {
        (0..self.weights.len()).map(|k| self.far(k)).fold(0.0, f64::max)
    }

    /// Much nearer to optimal at the same objective: a violation is seen long after its square, by
    /// which the objective differs, is lost in rounding.
    fn refines(&self, other: &Point) -> bool {
        self.objective <= (1.0 + ROUNDING) * other.objective
            && self.violation() <= 0.5 * other.violation()
    }
}

/// Minimises from some start, until the conditions of optimality are violated by `tolerance` at
/// most.
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
    let at = |weights: Vec<f64>| -> Result<Point> {
        let loss = sample.loss(&weights)?;
        let objective = loss.value + penalty.value(&weights);
        Ok(Point { pulls: penalty.pulls(&weights), weights, loss, objective })
    };
    let mut point = at(start.to_vec())?;
    for step in 1..=STEPS {
        sample.run.step("minimising the pairwise loss", step, None)?;
        let violation = point.violation();
        // Also true where numbers have grown too large.
        if !(violation > tolerance && point.objective.is_finite()) {
            break;
        }
        let wants = |&k: &usize| point.weights[k] != 0.0 || point.far(k) > 0.0;
        let mut places: Vec<usize> = (0..point.weights.len()).filter(wants).collect();
        places.sort_by(|&a, &b| point.far(b).total_cmp(&point.far(a)).then(a.cmp(&b)));
        places.truncate(WORKING_SET);
        places.sort_unstable();
        let pick = |all: &[f64]| -> Vec<f64> { places.iter().map(|&k| all[k]).collect() };
        let mut model = Quadratic {
            curvature: sample.curvature(&point.weights, &places)?,
            gradient: pick(&point.loss.gradient),
            weights: pick(&point.weights),
            pulls: pick(&point.pulls),
            penalty: penalty.restricted(&places),
        };
        model.minimise(0.01 * tolerance.max(1e-3 * violation));
        let mut target = point.weights.clone();
        places.iter().zip(&model.weights).for_each(|(&k, w)| target[k] = *w);
        let Some(next) = halve(&point, &target, penalty, at)? else { break };
        let gains_little = next.objective >= (1.0 - least_gain.max(ROUNDING)) * point.objective;
        let goes_on = !gains_little || (least_gain == 0.0 && next.refines(&point));
        point = next;
        if !goes_on {
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

/// The longest of the steps 1, ½, ¼ … that lowers the objective by its share of what was foreseen,
/// or refines it.
fn halve(
    from: &Point,
    target: &[f64],
    penalty: &Penalty,
    at: impl Fn(Vec<f64>) -> Result<Point>,
) -> Result<Option<Point>> {
    let change: Vec<f64> = target.iter().zip(&from.weights).map(|(b, a)| b - a).collect();
    let of_loss: f64 =
        from.loss.gradient.iter().zip(&change).map(|(gradient, by)| gradient * by).sum();
    let foreseen = of_loss + penalty.value(target) - penalty.value(&from.weights);
    let mut t = 1.0;
    for _ in 0..40 {
        // The whole step ends on exact zeros, which a sum might miss.
        let weights = match t {
            1.0 => target.to_vec(),
            _ => from.weights.iter().zip(&change).map(|(a, by)| a + t * by).collect(),
        };
        let next = at(weights)?;
        let lowers = next.objective <= from.objective + 0.01 * t * foreseen
            && next.objective < from.objective;
        if lowers || next.refines(from) {
            return Ok(Some(next));
        }
        t *= 0.5;
    }
    Ok(None)
}

/// How far a weight is from the condition of optimality.
fn distance(gradient: f64, weight: f64, pull: f64) -> f64 {
    match weight {
        0.0 => (gradient.abs() - pull).max(0.0),
        _ => (gradient + pull * weight.signum()).abs(),
    }
}

/// Numbers too large to go on with.
fn diverged() -> Error {
    Error::numerical(
        "the weights diverge",
        remedy![
            "increase the penalty; to scale the features, ",
            ParameterValue("standardise", "true").set()
        ],
    )
}

/// A quadratic model of the loss around the weights it starts from, and the penalty.
struct Quadratic {
    /// Row after row.
    curvature: Vec<f64>,
    /// Of the model at the present weights.
    gradient: Vec<f64>,
    weights: Vec<f64>,
    /// Of the penalty at the present weights.
    pulls: Vec<f64>,
    penalty: Penalty,
}

impl Quadratic {
    fn minimise(&mut self, tolerance: f64) {
        let all: Vec<usize> = (0..self.weights.len()).collect();
        // Without kinks the minimum is a step away, and copies of a feature get the same weight.
        if all.iter().all(|&k| self.first_pull(k) == 0.0) {
            self.move_all(&all);
        }
        for sweep in 1..=SWEEPS {
            (0..self.weights.len()).for_each(|k| self.move_one(k));
            let far = |k: usize| distance(self.gradient[k], self.weights[k], self.pulls[k]);
            if (0..self.weights.len()).map(far).fold(0.0, f64::max) <= tolerance {
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

    /// Q between two weights.
    fn coupling(&self, k: usize, l: usize) -> f64 {
        self.penalty.row(k).get(l).copied().unwrap_or(0.0)
    }

    /// What the first bit of a weight costs while the others stay.
    fn first_pull(&self, k: usize) -> f64 {
        self.pulls[k] - self.coupling(k, k) * self.weights[k].abs()
    }

    /// Puts one weight where it is best while the others stay.
    fn move_one(&mut self, k: usize) {
        let (of_loss, weight) = (self.row(k)[k], self.weights[k]);
        let curvature = of_loss + self.coupling(k, k);
        if curvature <= 0.0 {
            // No pair that still costs anything knows the feature: only the penalty does. How far
            // to go is for the caller to find out.
            if self.first_pull(k) > 0.0 {
                self.shift(k, 0.0);
            }
            return;
        }
        let free = of_loss * weight - self.gradient[k];
        self.shift(k, free.signum() * (free.abs() - self.first_pull(k)).max(0.0) / curvature);
    }

    fn shift(&mut self, k: usize, weight: f64) {
        let (by, larger_by) = (weight - self.weights[k], weight.abs() - self.weights[k].abs());
        if by != 0.0 {
            let width = self.weights.len();
            let row = &self.curvature[k * width..(k + 1) * width];
            self.gradient.iter_mut().zip(row).for_each(|(gradient, h)| *gradient += by * h);
            self.pulls
                .iter_mut()
                .zip(self.penalty.row(k))
                .for_each(|(pull, q)| *pull += larger_by * q);
            self.weights[k] = weight;
        }
    }

    /// Moves some weights towards the minimum for their signs, as far as no sign changes.
    fn move_all(&mut self, support: &[usize]) {
        let sign = |k: usize| self.weights[k].signum();
        let cells = support.iter().flat_map(|&k| support.iter().map(move |&l| (k, l)));
        let matrix =
            cells.map(|(k, l)| self.row(k)[l] + sign(k) * sign(l) * self.coupling(k, l)).collect();
        let downhill: Vec<f64> =
            support.iter().map(|&k| -self.gradient[k] - self.pulls[k] * sign(k)).collect();
        let direction = PivotedCholesky::new(matrix, SINGULAR).solve(&downhill);
        // A weight whose first bit costs nothing may change its sign.
        let border = |(&k, d): (&usize, &f64)| match -self.weights[k] / d {
            t if t > 0.0 && self.first_pull(k) > 0.0 => t,
            _ => f64::INFINITY,
        };
        let borders: Vec<f64> = support.iter().zip(&direction).map(border).collect();
        let t = borders.iter().copied().fold(1.0, f64::min);
        for ((&k, d), border) in support.iter().zip(&direction).zip(borders) {
            self.shift(k, if border <= t { 0.0 } else { self.weights[k] + t * d });
        }
    }
}
