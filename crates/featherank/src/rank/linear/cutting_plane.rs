//! Cutting planes for ½‖w‖² + C R(w), with R a convex risk that is the maximum of very many linear
//! functions.
//!
//! The 1-slack form of structural SVMs (Joachims, Finley & Yu, Machine Learning 2009): each round
//! computes the linear function that is tangent to the risk at some w, adds it to a working set,
//! and minimises ½‖w‖² + C max over the working set in its dual: maximise Σ αₖbₖ − ½‖Σ αₖzₖ‖²
//! subject to α ≥ 0 and Σ α ≤ C, where w = Σ αₖzₖ. The dual value is a lower bound, the objective
//! of the best w so far an upper bound; the method stops when their gap is at most `tolerance`
//! times the upper bound.
//!
//! Departure from the paper in the points at which planes are computed: not the working set's w,
//! but the point a tenth of the way towards it from the best point on the line between it and the
//! best w so far (Franc & Sonnenburg, JMLR 2009), which needs several times fewer planes.

use super::design::Design;
use super::newton::diverged;
use super::simplex_qp::SimplexQp;
use crate::error::{Error, Result};
use crate::remedy;
use crate::run::Run;
use crate::vector::dot;

/// Where a plane is computed, as a fraction of the way from the best point to the working set's
/// optimum.
const TOWARDS: f64 = 0.1;

/// Maximum number of rounds.
const ROUNDS: u64 = 5_000;

/// A plane whose dual variable has been 0 for more than this many rounds is dropped.
const IDLE: u64 = 50;

/// A convex function of scores that is the maximum of many linear functions, which are generated on
/// demand.
pub trait Risk: Sync {
    /// The linear function that is tangent to the risk at these scores: risk(s) ≥ `offset` − Σ
    /// `coefficients`ᵢ sᵢ everywhere.
    fn plane(&self, scores: &[f64]) -> Plane;
}

/// A linear lower bound of a risk: `offset` − Σ `coefficients`ᵢ sᵢ.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    /// Its value at scores of 0.
    pub offset: f64,
    /// Its decrease per unit of each document's score.
    pub coefficients: Vec<f64>,
}

impl Plane {
    /// Its value at these scores.
    pub fn at(&self, scores: &[f64]) -> f64 {
        self.offset - dot(&self.coefficients, scores)
    }
}

/// The solution of the method.
#[derive(Debug, Clone, PartialEq)]
pub struct CuttingPlaneSolution {
    /// One weight per feature of the design.
    pub weights: Vec<f64>,
    /// ½‖w‖² + C R(w).
    pub objective: f64,
    /// A lower bound on the minimum of the objective.
    pub lower_bound: f64,
    /// Number of planes computed.
    pub planes: usize,
}

/// Weights, the resulting scores, and the objective.
#[derive(Clone)]
struct CuttingPlaneIterate {
    weights: Vec<f64>,
    scores: Vec<f64>,
    objective: f64,
}

/// Minimises ½‖w‖² + `c` R(Xw), from `start`, to a relative gap of `tolerance`.
pub fn minimise(
    run: &Run,
    design: &Design<'_>,
    risk: &dyn Risk,
    c: f64,
    tolerance: f64,
    start: &[f64],
) -> Result<CuttingPlaneSolution> {
    let scores = design.scores(start);
    let plane = risk.plane(&scores);
    let objective = 0.5 * dot(start, start) + c * plane.at(&scores);
    let mut best = CuttingPlaneIterate { weights: start.to_vec(), scores, objective };
    let mut working = WorkingSet::new(design.width(), c);
    working.add(&plane, design);
    let mut lower_bound = f64::NEG_INFINITY;
    let mut planes = 1;
    for round in 1.. {
        run.step("adding cutting planes", round, None)?;
        if round > ROUNDS {
            return Err(Error::numerical(
                format!("no convergence within {ROUNDS} cutting planes for c = {c}"),
                remedy![
                    "lower ",
                    Parameter("c"),
                    ", raise ",
                    Parameter("epsilon"),
                    ", or normalise the features"
                ],
            ));
        }
        lower_bound = lower_bound.max(working.solve());
        if !best.objective.is_finite() {
            return Err(diverged(c));
        }
        if best.objective - lower_bound <= tolerance * best.objective {
            break;
        }
        let scores = design.scores(&working.weights);
        best = best_between(run, risk, c, &best, &working.weights, &scores)?;
        let towards = |(a, b): (&f64, &f64)| a + TOWARDS * (b - a);
        let weights: Vec<f64> = best.weights.iter().zip(&working.weights).map(towards).collect();
        let scores: Vec<f64> = best.scores.iter().zip(&scores).map(towards).collect();
        let plane = risk.plane(&scores);
        planes += 1;
        working.add(&plane, design);
        let objective = 0.5 * dot(&weights, &weights) + c * plane.at(&scores);
        if objective < best.objective {
            best = CuttingPlaneIterate { weights, scores, objective };
        }
    }
    Ok(CuttingPlaneSolution {
        weights: best.weights,
        objective: best.objective,
        lower_bound,
        planes,
    })
}

/// The best point on the line from the best point so far to another point, by bisection on the
/// derivative of the objective.
fn best_between(
    run: &Run,
    risk: &dyn Risk,
    c: f64,
    from: &CuttingPlaneIterate,
    to: &[f64],
    to_scores: &[f64],
) -> Result<CuttingPlaneIterate> {
    let direction: Vec<f64> = to.iter().zip(&from.weights).map(|(a, b)| a - b).collect();
    let change: Vec<f64> = to_scores.iter().zip(&from.scores).map(|(a, b)| a - b).collect();
    let (mut low, mut high) = (0.0, 1.0);
    let mut best = from.clone();
    for round in 0..12 {
        run.check()?;
        // Start with the far end, where the minimum often lies.
        let t = if round == 0 { 1.0 } else { 0.5 * (low + high) };
        let moved = |(a, b): (&f64, &f64)| a + t * b;
        let weights: Vec<f64> = from.weights.iter().zip(&direction).map(moved).collect();
        let scores: Vec<f64> = from.scores.iter().zip(&change).map(moved).collect();
        let plane = risk.plane(&scores);
        let objective = 0.5 * dot(&weights, &weights) + c * plane.at(&scores);
        let derivative = dot(&weights, &direction) - c * dot(&plane.coefficients, &change);
        if objective < best.objective {
            best = CuttingPlaneIterate { weights, scores, objective };
        }
        if derivative <= 0.0 {
            low = t;
            if round == 0 {
                break;
            }
        } else {
            high = t;
        }
    }
    Ok(best)
}

/// The planes so far, as functions of the weights, and the minimum over them.
struct WorkingSet {
    c: f64,
    offsets: Vec<f64>,
    coefficients: Vec<Vec<f64>>,
    idle: Vec<u64>,
    qp: SimplexQp,
    weights: Vec<f64>,
}

impl WorkingSet {
    /// Starts with the plane 0, because risks are not negative; its dual variable is the slack of Σ
    /// α ≤ C.
    fn new(width: usize, c: f64) -> Self {
        let zero = vec![0.0; width];
        let mut qp = SimplexQp::new();
        qp.add(&[0.0], 0.0);
        WorkingSet {
            c,
            offsets: vec![0.0],
            coefficients: vec![zero.clone()],
            idle: vec![0],
            qp,
            weights: zero,
        }
    }

    fn add(&mut self, plane: &Plane, design: &Design<'_>) {
        // In units of C, so that the dual variables sum to 1.
        let of_weights: Vec<f64> =
            design.transposed(&plane.coefficients).into_iter().map(|z| self.c * z).collect();
        let offset = self.c * plane.offset;
        let mut products: Vec<f64> =
            self.coefficients.iter().map(|known| dot(known, &of_weights)).collect();
        products.push(dot(&of_weights, &of_weights));
        self.qp.add(&products, offset);
        self.coefficients.push(of_weights);
        self.offsets.push(offset);
        self.idle.push(0);
    }

    /// Moves to the minimum over the planes, drops planes that have been inactive for long, and
    /// returns the dual value.
    fn solve(&mut self) -> f64 {
        let shares = self.qp.solve().to_vec();
        self.weights.fill(0.0);
        let mut value = 0.0;
        for ((share, coefficients), offset) in
            shares.iter().zip(&self.coefficients).zip(&self.offsets)
        {
            self.weights.iter_mut().zip(coefficients).for_each(|(w, z)| *w += share * z);
            value += share * offset;
        }
        value -= 0.5 * dot(&self.weights, &self.weights);
        for (idle, share) in self.idle.iter_mut().zip(&shares) {
            *idle = if *share > 0.0 { 0 } else { *idle + 1 };
        }
        for plane in
            (1..shares.len()).rev().filter(|&plane| self.idle[plane] > IDLE).collect::<Vec<_>>()
        {
            self.qp.remove(plane);
            self.coefficients.remove(plane);
            self.offsets.remove(plane);
            self.idle.remove(plane);
        }
        value
    }
}
