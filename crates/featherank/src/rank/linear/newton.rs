//! Newton's method for the squared hinge over preference pairs: the solver behind RankSVM in the
//! primal.
//!
//! Minimises ½ Σ pₖwₖ² + (C/2) Σ max(0, 1 − wᵀδ)² over the pairs' differences δ. The function is
//! convex, once differentiable and piecewise quadratic. A step solves (P + C XᵀLX) v = −∇, with L
//! the Laplacian of the violated pairs, followed by an exact line search along v. For up to 512
//! features XᵀLX is computed block by block and factorised; for more, conjugate gradients use
//! products with it, which cost two passes over the rows each.
//!
//! Scaling feature k by a factor v before training is equivalent to the penalty pₖ = 1/v² and
//! rescaling the weight afterwards, so methods that reweight features need no copy of the data.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;

use super::cholesky::PivotedCholesky;
use super::design::Design;
use super::pair_free::{Preferences, Violations};
use crate::engine::BLOCKS_IN_MEMORY;
use crate::error::{Error, Result};
use crate::remedy;
use crate::run::Run;
use crate::stop::StopToken;
use crate::vector::dot;

/// Up to this many features the Hessian is formed. On OHSUMED this is 1.4 times as fast as
/// conjugate gradients for C = 10⁻⁴ and 12 times for C = 1, which requires many products.
const DENSE: usize = 512;

/// Maximum number of steps; a few are usual, since the function is piecewise quadratic.
const STEPS: u64 = 200;

/// The squared-hinge problem on one training set, for any C and any penalties.
#[derive(Debug)]
pub struct SquaredHingeProblem<'a> {
    design: &'a Design<'a>,
    preferences: Preferences,
}

/// The solution of Newton's method.
#[derive(Debug, Clone, PartialEq)]
pub struct NewtonSolution {
    /// One weight per feature of the design.
    pub weights: Vec<f64>,
    /// The value of the objective at the start and after every step.
    pub objectives: Vec<f64>,
    /// The Euclidean norm of the gradient at the weights.
    pub gradient_norm: f64,
}

/// A point, with the quantities computed there.
struct NewtonIterate {
    weights: Vec<f64>,
    scores: Vec<f64>,
    violations: Violations,
}

impl<'a> SquaredHingeProblem<'a> {
    /// Fails if there is no preference pair.
    pub fn new(design: &'a Design<'a>) -> Result<Self> {
        let preferences = Preferences::of_design(design)?;
        Ok(SquaredHingeProblem { design, preferences })
    }

    /// Number of preference pairs.
    pub fn pairs(&self) -> u64 {
        self.preferences.pairs()
    }

    /// Objective and gradient at some weights.
    pub fn value(&self, c: f64, penalties: &[f64], weights: &[f64]) -> (f64, Vec<f64>) {
        let point = self.point(weights.to_vec(), self.design.scores(weights));
        (objective(c, penalties, &point), self.gradient(c, penalties, &point))
    }

    /// The product of the Hessian at some weights with a vector.
    pub fn curvature(&self, c: f64, penalties: &[f64], weights: &[f64], v: &[f64]) -> Vec<f64> {
        let at = self.preferences.violations(&self.design.scores(weights));
        self.product(c, penalties, &at, v)
    }

    /// The minimum for one C, up to the point at which a step would lower the objective by less
    /// than the fraction `tolerance`.
    pub fn solve(
        &self,
        run: &Run,
        c: f64,
        penalties: &[f64],
        start: &[f64],
        tolerance: f64,
    ) -> Result<NewtonSolution> {
        let mut point = self.point(start.to_vec(), self.design.scores(start));
        let mut objectives = vec![objective(c, penalties, &point)];
        let mut gradient = self.gradient(c, penalties, &point);
        for step in 1..=STEPS {
            run.step("minimising the pairwise loss", step, None)?;
            let direction = self.direction(run, c, penalties, &point.violations, &gradient)?;
            let decrement = -dot(&direction, &gradient);
            let last = objectives[objectives.len() - 1];
            if decrement.is_nan() || decrement <= tolerance * last {
                break;
            }
            let next = self.line_minimum(run, c, penalties, &point, &direction)?;
            let value = objective(c, penalties, &next);
            // Only rounding errors are left.
            if value.is_nan() || value >= last {
                break;
            }
            point = next;
            objectives.push(value);
            gradient = self.gradient(c, penalties, &point);
        }
        if !point.weights.iter().all(|w| w.is_finite()) {
            return Err(diverged(c));
        }
        Ok(NewtonSolution {
            weights: point.weights,
            objectives,
            gradient_norm: dot(&gradient, &gradient).sqrt(),
        })
    }

    /// The minima for several values of C, each warm-started from its neighbour.
    pub fn path(&self, run: &Run, cs: &[f64], tolerance: f64) -> Result<Vec<NewtonSolution>> {
        let penalties = vec![1.0; self.design.width()];
        let mut start = vec![0.0; self.design.width()];
        let solve = |&c: &f64| {
            let solution = self.solve(run, c, &penalties, &start, tolerance)?;
            start.clone_from(&solution.weights);
            Ok(solution)
        };
        cs.iter().map(solve).collect()
    }

    fn point(&self, weights: Vec<f64>, scores: Vec<f64>) -> NewtonIterate {
        let violations = self.preferences.violations(&scores);
        NewtonIterate { weights, scores, violations }
    }

    fn gradient(&self, c: f64, penalties: &[f64], at: &NewtonIterate) -> Vec<f64> {
        let loss = self.design.transposed(&at.violations.squared_gradient);
        loss.iter().zip(&at.weights).zip(penalties).map(|((g, w), p)| p * w + c * g).collect()
    }

    fn product(&self, c: f64, penalties: &[f64], at: &Violations, v: &[f64]) -> Vec<f64> {
        let loss = self.design.transposed(&self.preferences.curvature(at, &self.design.scores(v)));
        loss.iter().zip(v).zip(penalties).map(|((h, v), p)| p * v + c * h).collect()
    }

    fn direction(
        &self,
        run: &Run,
        c: f64,
        penalties: &[f64],
        at: &Violations,
        gradient: &[f64],
    ) -> Result<Vec<f64>> {
        let negative_gradient: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let width = self.design.width();
        if width > DENSE {
            let product = |v: &[f64]| run.check().map(|()| self.product(c, penalties, at, v));
            return conjugate_gradients(product, &negative_gradient);
        }
        let mut matrix: Vec<f64> =
            second_derivative(run.stop(), self.design, &self.preferences, at)?
                .into_iter()
                .map(|h| c * h)
                .collect();
        matrix.iter_mut().step_by(width + 1).zip(penalties).for_each(|(cell, p)| *cell += p);
        Ok(PivotedCholesky::new(matrix, 0.0).solve(&negative_gradient))
    }

    fn line_minimum(
        &self,
        run: &Run,
        c: f64,
        penalties: &[f64],
        from: &NewtonIterate,
        direction: &[f64],
    ) -> Result<NewtonIterate> {
        let change = self.design.scores(direction);
        let at = |t: f64| {
            run.check()?;
            let moved = |(a, b): (&f64, &f64)| a + t * b;
            let weights: Vec<f64> = from.weights.iter().zip(direction).map(moved).collect();
            Ok(self.point(weights, from.scores.iter().zip(&change).map(moved).collect()))
        };
        let weighted = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).zip(penalties).map(|((a, b), p)| p * a * b).sum::<f64>()
        };
        let derivative = |point: &NewtonIterate| {
            weighted(&point.weights, direction)
                + c * dot(&point.violations.squared_gradient, &change)
        };
        let curvature = |point: &NewtonIterate| {
            weighted(direction, direction)
                + c * dot(&self.preferences.curvature(&point.violations, &change), &change)
        };
        Ok(line_minimum(
            derivative(from),
            1.0,
            f64::INFINITY,
            EXACT_TOLERANCE,
            at,
            derivative,
            curvature,
        )?
        .1)
    }
}

/// The Hessian of the squared hinge with respect to the weights at the point of `at`, XᵀLX, in
/// row-major order.
pub(crate) fn second_derivative(
    stop: &StopToken,
    design: &Design<'_>,
    preferences: &Preferences,
    at: &Violations,
) -> Result<Vec<f64>> {
    let width = design.width();
    let of_block = |block: usize| {
        let columns = design.rows_of(preferences.block(block));
        // In row-major order: document by document.
        let x: Vec<f64> = columns.row_iter().flat_map(|row| row.iter().copied()).collect();
        let mut curved = vec![0.0; x.len()];
        preferences.curvature_of_block(at, block, width, &x, &mut curved);
        let [x, curved] =
            [&x, &curved].map(|rows| MatRef::from_column_major_slice(rows, width, columns.nrows()));
        let mut product = Mat::<f64>::zeros(width, width);
        let whole = BlockStructure::Rectangular;
        // The product is symmetric: one triangle suffices. Single-threaded, because the blocks
        // already use all cores.
        matmul(
            product.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Replace,
            x,
            whole,
            curved.transpose(),
            whole,
            1.0,
            Par::Seq,
        );
        product
    };
    let mut total = Mat::<f64>::zeros(width, width);
    // A few blocks at a time: the matrices of all blocks together could be larger than the data.
    let blocks: Vec<usize> = (0..preferences.blocks()).collect();
    for some in blocks.chunks(BLOCKS_IN_MEMORY) {
        stop.check()?;
        let parts: Vec<Mat<f64>> = some.par_iter().map(|&block| of_block(block)).collect();
        total = parts.into_iter().fold(total, |sum, next| sum + next);
    }
    let cells = (0..width * width).map(|at| (at / width, at % width));
    Ok(cells.map(|(k, l)| total[(k.max(l), k.min(l))]).collect())
}

/// The fraction of the initial derivative at which a line search has found the minimum, up to
/// rounding errors.
pub(crate) const EXACT_TOLERANCE: f64 = 1e-10;

/// The minimum of a convex, piecewise quadratic function along a line from 0 to `most`, and the
/// point there; the search starts at `guess`. It stops when the derivative is at most the fraction
/// `close` of the initial derivative. The derivative (`first` at 0) is increasing and piecewise
/// linear, so Newton's method within a bracket finds its zero in a few steps, each of which only
/// sorts the documents again.
pub(crate) fn line_minimum<P>(
    first: f64,
    guess: f64,
    most: f64,
    close: f64,
    at: impl Fn(f64) -> Result<P>,
    derivative: impl Fn(&P) -> f64,
    curvature: impl Fn(&P) -> f64,
) -> Result<(f64, P)> {
    let (mut low, mut high, mut t) = (0.0, f64::INFINITY, guess.min(most));
    let mut point = at(t)?;
    for _ in 0..50 {
        let derivative = derivative(&point);
        if derivative.abs() <= close * first.abs() || (derivative < 0.0 && t >= most) {
            break;
        }
        *(if derivative < 0.0 { &mut low } else { &mut high }) = t;
        let newton = t - derivative / curvature(&point);
        let inside = newton > low && newton < high;
        let next = if inside {
            newton
        } else if high.is_finite() {
            0.5 * (low + high)
        } else {
            2.0 * t
        };
        let next = next.min(most);
        if next == t {
            break;
        }
        t = next;
        point = at(t)?;
    }
    Ok((t, point))
}

fn objective(c: f64, penalties: &[f64], at: &NewtonIterate) -> f64 {
    let squares: f64 = at.weights.iter().zip(penalties).map(|(w, p)| p * w * w).sum();
    0.5 * squares + c * at.violations.squared
}

/// Solves A x = b for a symmetric positive definite A, to a thousandth of the norm of b: the next
/// Newton step corrects the rest.
fn conjugate_gradients(
    product: impl Fn(&[f64]) -> Result<Vec<f64>>,
    b: &[f64],
) -> Result<Vec<f64>> {
    let mut x = vec![0.0; b.len()];
    let (mut residual, mut search) = (b.to_vec(), b.to_vec());
    let mut length = dot(b, b);
    let enough = 1e-6 * length;
    for _ in 0..2 * b.len() {
        if length <= enough {
            break;
        }
        let image = product(&search)?;
        let step = length / dot(&search, &image);
        x.iter_mut().zip(&search).for_each(|(x, s)| *x += step * s);
        residual.iter_mut().zip(&image).for_each(|(r, i)| *r -= step * i);
        let next = dot(&residual, &residual);
        search.iter_mut().zip(&residual).for_each(|(s, r)| *s = r + next / length * *s);
        length = next;
    }
    Ok(x)
}

/// The error for numerical overflow.
pub(crate) fn diverged(c: f64) -> Error {
    Error::numerical(
        format!("the weights diverge with c = {c}"),
        remedy!["lower ", Parameter("c"), ", or normalise the features"],
    )
}
