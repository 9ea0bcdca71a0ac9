//! FenchelRank: the mean squared hinge over preference pairs within an ℓ1 ball, one feature per
//! step.
//!
//! Minimises (1/|P|) Σ max(0, 1 − wᵀ(xᵢ − xⱼ))² subject to ‖w‖₁ ≤ r (Lai et al., IEEE Trans.
//! Computers 2013). With g the gradient and j its largest component, u = −r sign(gⱼ) eⱼ is the
//! vertex of the ball with the largest predicted decrease, and w moves to the minimum of the loss
//! on the line to it; the line search stops when at most a ten-thousandth of the gradient is left.
//! ⟨g, w⟩ + r‖g‖∞ is the Fenchel gap, an upper bound on the remaining decrease, and the certificate
//! `gap`; the method stops when it is at most ε, or after T steps. A step adds at most one feature,
//! so ε and T affect the model: fewer steps give sparser models. Pairs are never enumerated.
//!
//! As published, every radius starts from w = 0 (`start = zero`): the starting point determines
//! which features enter. `start = neighbour` starts from the model of the next smaller radius,
//! which is faster. Kept features are chosen, but the ball constrains them as well. Once the
//! weights use less than half of a radius, larger radii are not tried: the constraint is no longer
//! active.

use super::RADII;
use super::path::{Family, PathSearch, SparseModel};
use super::sample::{LineDerivatives, Loss, Sample};
use crate::declare::{choice, method};
use crate::engine::Engine;
use crate::error::Result;
use crate::rank::linear::newton::line_minimum;
use crate::run::Run;
use crate::select::shared_params::{radius_param, standardise_param, tuning_params};
use crate::select::{Findings, Selector};
use crate::vector::dot;

method! {
    /// Pairwise linear model within an l1 ball, built one feature per step.
    pub struct FenchelRank: Selector as "fenchel-rank" in Embedded,
        cites ["lai2013fenchel", "laporte2015"], AsPublished, Passes,
        with [uses_valid, leaves_model]
    {
        use radius_param!();
        /// Stop when the Fenchel duality gap is at most this.
        epsilon: Real(1e-12..=1.0) = "0.01",
        /// Maximum number of steps.
        steps: Whole(1..=10_000_000) = "1000",
        /// Start from zero weights, or from the model of the next smaller ball.
        start: Choice<FenchelStart> = "zero",
        use tuning_params!();
    }
}

choice! {
    /// The weights that the solver starts from.
    pub enum FenchelStart {
        /// Zero.
        Zero = "zero",
        /// Those for the next smaller ball.
        Neighbour = "neighbour",
    }
}

/// The share of the gradient that may be left at the end of a step; less would take another pass
/// over the data.
const CLOSE: f64 = 1e-4;

impl Selector for FenchelRank {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        PathSearch { families: &[self], tuning: &self.tuning, given: &self.r }.select(run, engine)
    }
}

impl Family for FenchelRank {
    fn settings(&self, _: &Sample<'_>, r: f64) -> Vec<(&'static str, f64)> {
        vec![("r", r)]
    }

    fn grid(&self, _: &Sample<'_>) -> Result<Vec<f64>> {
        Ok(RADII.to_vec())
    }

    fn fit(
        &self,
        sample: &Sample<'_>,
        r: f64,
        warm_start: Option<&SparseModel>,
    ) -> Result<Vec<SparseModel>> {
        let inside = |model: &&SparseModel| model.weights.iter().map(|w| w.abs()).sum::<f64>() <= r;
        let warm_start =
            warm_start.filter(|_| self.start == FenchelStart::Neighbour).filter(inside);
        let mut weights =
            warm_start.map_or_else(|| vec![0.0; sample.width()], |model| model.weights.clone());
        let mut loss = sample.loss(&weights)?;
        // The first step ends at a vertex or close to it.
        let mut guess = 1.0;
        let mut step = 1;
        loop {
            sample.run.step("stepping to vertices of the l1 ball", step, Some(self.steps))?;
            let steepest = steepest(&loss.gradient);
            let gap = gap(&loss, &weights, r);
            if gap <= self.epsilon || step > self.steps {
                // If the weights use less than half of the radius, the constraint is no longer
                // active.
                let ends_path = weights.iter().map(|w| w.abs()).sum::<f64>() < 0.5 * r;
                return Ok(vec![SparseModel {
                    ends_path,
                    ..SparseModel::new(weights, "gap", gap)
                }]);
            }
            let mut corner = vec![0.0; sample.width()];
            corner[steepest] = -r * loss.gradient[steepest].signum();
            (weights, loss) = line_search(sample, &weights, &loss, &corner, &mut guess)?;
            step += 1;
        }
    }
}

/// The minimum of the loss on the line from some weights to others, along which the loss decreases.
/// `guess` is the initial position on the line, and on return the final one. The search uses only
/// the features with non-zero weights: passes over few columns instead of all.
fn line_search(
    sample: &Sample<'_>,
    from: &[f64],
    loss: &Loss,
    to: &[f64],
    guess: &mut f64,
) -> Result<(Vec<f64>, Loss)> {
    let used: Vec<usize> = (0..from.len()).filter(|&k| from[k] != 0.0 || to[k] != 0.0).collect();
    let own = sample.restricted(&used);
    let corner: Vec<f64> = used.iter().map(|&k| to[k]).collect();
    let between = |t: f64, k: usize| (1.0 - t) * from[k] + t * to[k];
    let at = |t: f64| {
        let weights: Vec<f64> = used.iter().map(|&k| between(t, k)).collect();
        // From the point at t only 1 − t of the line remains; in its second half the derivative is
        // therefore taken towards the start.
        let (other, share) = if t < 0.5 {
            (corner.clone(), 1.0 - t)
        } else {
            (used.iter().map(|&k| from[k]).collect(), -t)
        };
        let LineDerivatives { first, second } = own.line_derivatives(&weights, &other)?;
        Ok(LineDerivatives { first: first / share, second: second / (share * share) })
    };
    let first: f64 = used.iter().map(|&k| loss.gradient[k] * (to[k] - from[k])).sum();
    let (t, _) = line_minimum(first, *guess, 1.0, CLOSE, at, |at| at.first, |at| at.second)?;
    *guess = t;
    let weights: Vec<f64> = (0..from.len()).map(|k| between(t, k)).collect();
    let loss = sample.loss(&weights)?;
    Ok((weights, loss))
}

/// The place of the largest component of the gradient; ties go to the first.
fn steepest(gradient: &[f64]) -> usize {
    (0..gradient.len())
        .reduce(|best, k| if gradient[k].abs() > gradient[best].abs() { k } else { best })
        .unwrap_or(0)
}

/// An upper bound on the possible decrease of the loss within a ball: ⟨g, w⟩ + r‖g‖∞.
pub(super) fn gap(loss: &Loss, weights: &[f64], r: f64) -> f64 {
    dot(&loss.gradient, weights)
        + r * loss.gradient.iter().map(|gradient| gradient.abs()).fold(0.0, f64::max)
}
