//! FenchelRank: the mean squared hinge over preference pairs within an ℓ1 ball, one feature a step.
//!
//! Minimises (1/|P|) Σ max(0, 1 − wᵀ(xᵢ − xⱼ))² subject to ‖w‖₁ ≤ r (Lai et al., IEEE Trans.
//! Computers 2013). With g the gradient and j its largest component, u = −r sign(gⱼ) eⱼ is the
//! corner of the ball that promises most, and w moves to the minimum of the loss on the line to it,
//! where no more than a ten-thousandth of the gradient is left. ⟨g, w⟩ + r‖g‖∞ is the Fenchel gap, a
//! bound on what is left to gain, and the certificate `gap`; the method stops when it is at most ε,
//! or after T steps. A step brings in one feature at most, so ε and T shape the model: fewer steps
//! are sparser. No pair is looked at.
//!
//! As published every radius starts from w = 0 (`start = zero`): where the walk starts decides
//! which features it passes. `start = neighbour` starts from the model of the next smaller radius,
//! which is faster. Features to keep are chosen, but the ball is the same for them. Radii beyond
//! one that the weights do not use half of are not tried: the ball no longer binds there.

use super::RADII;
use super::path::{Family, PathSearch, Sparse};
use super::sample::{LineDerivatives, Loss, Sample};
use crate::declare::{choice, method};
use crate::engine::Engine;
use crate::error::Result;
use crate::rank::linear::newton::minimum_along;
use crate::run::Run;
use crate::select::shared_params::{radius_param, standardise_param, tuning_params};
use crate::select::{Selection, Selector};
use crate::vector::dot;

method! {
    /// Features that a pairwise model within an l1 ball takes in, one a step.
    pub struct FenchelRank: Selector as "fenchel-rank" in Embedded,
        cites ["lai2013fenchel", "laporte2015"], AsPublished, Passes,
        with [uses_valid, leaves_model]
    {
        use radius_param!();
        /// Stops at a Fenchel gap of this.
        epsilon: Real(1e-12..=1.0) = "0.01",
        /// Stops after so many steps.
        steps: Whole(1..=10_000_000) = "1000",
        /// Start from zero, or from the model of the next smaller ball.
        start: Choice<Start> = "zero",
        use tuning_params!();
    }
}

choice! {
    /// The weights that the solver starts from.
    pub enum Start {
        /// Zero.
        Zero = "zero",
        /// Those for the next smaller ball.
        Neighbour = "neighbour",
    }
}

/// What may be left of the gradient at the end of a step; less would take another pass over the data.
const CLOSE: f64 = 1e-4;

impl Selector for FenchelRank {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
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

    fn fit(&self, sample: &Sample<'_>, r: f64, near: Option<&Sparse>) -> Result<Vec<Sparse>> {
        let inside = |near: &&Sparse| near.weights.iter().map(|w| w.abs()).sum::<f64>() <= r;
        let near = near.filter(|_| self.start == Start::Neighbour).filter(inside);
        let mut weights =
            near.map_or_else(|| vec![0.0; sample.width()], |near| near.weights.clone());
        let mut loss = sample.loss(&weights)?;
        // The first step goes to a corner, or most of the way.
        let mut guess = 1.0;
        for step in 1.. {
            sample.run.step("walking to corners of the ball", step, Some(self.steps))?;
            let steepest = steepest(&loss.gradient);
            let gap = gap(&loss, &weights, r);
            if gap <= self.epsilon || step > self.steps {
                // A ball that the weights do not use half of no longer binds.
                let ends_path = weights.iter().map(|w| w.abs()).sum::<f64>() < 0.5 * r;
                return Ok(vec![Sparse { ends_path, ..Sparse::new(weights, "gap", gap) }]);
            }
            let mut corner = vec![0.0; sample.width()];
            corner[steepest] = -r * loss.gradient[steepest].signum();
            (weights, loss) = walk(sample, &weights, &loss, &corner, &mut guess)?;
        }
        unreachable!("the loop ends after the last step")
    }
}

/// The minimum of the loss on the line from some weights to others, which promise something.
/// `guess` is where to look first, and where it was in the end. The search looks at the features
/// with weights alone: passes over few columns instead of all.
fn walk(
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
        // Seen from the point at t only 1 − t of the line is left; at its end, where nothing is,
        // one looks back.
        let (other, share) = if t < 0.5 {
            (corner.clone(), 1.0 - t)
        } else {
            (used.iter().map(|&k| from[k]).collect(), -t)
        };
        let LineDerivatives { first, second } = own.towards(&weights, &other)?;
        Ok(LineDerivatives { first: first / share, second: second / (share * share) })
    };
    let first: f64 = used.iter().map(|&k| loss.gradient[k] * (to[k] - from[k])).sum();
    let (t, _) = minimum_along(first, *guess, 1.0, CLOSE, at, |at| at.first, |at| at.second)?;
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

/// What is left to gain within a ball, at most: ⟨g, w⟩ + r‖g‖∞.
pub(super) fn gap(loss: &Loss, weights: &[f64], r: f64) -> f64 {
    dot(&loss.gradient, weights)
        + r * loss.gradient.iter().map(|gradient| gradient.abs()).fold(0.0, f64::max)
}
