//! EGRank: weights with a bounded ℓ1 norm, fitted by multiplicative updates (exponentiated
//! gradient).
//!
//! Minimises the mean of max(0, 1 − wᵀ(xᵢ − xⱼ))² over preference pairs under ‖w‖₁ ≤ r (Du, Pan,
//! Ding, Lai, Huang: EGRank, Information Sciences 467, 2018). With w = r (u⁺ − u⁻) the 2d numbers u
//! are shares that sum to 1. A step multiplies each by exp(∓η r gₖ), with g the gradient, and
//! divides by the sum. The method starts from equal shares and stops when the Fenchel gap ⟨g, w⟩ +
//! r ‖g‖∞, an upper bound on the distance of the loss from its minimum, is at most `epsilon`, or
//! after `steps` steps. Shares are stored as logarithms, so that none underflows.
//!
//! With `eta` set, the step is the published one. Otherwise steps are accelerated: Nesterov's
//! method with the entropy of shares as its distance (Auslender & Teboulle, SIAM Journal on
//! Optimization 2006), whose step is a multiplicative update of the same kind. A line search finds
//! the step length, momentum restarts when it increases the loss, and each r starts near the
//! solution of the previous one. This reaches the same minimum after some hundred passes over the
//! rows for all values of r, whereas a fixed η converges slowly if small and not at all if large.
//!
//! Shares never become 0. Features with |wₖ| below `threshold` of ‖w‖₁ are removed, except for the
//! largest one; the paper does not specify the threshold. The certificate `gap` is that of the
//! point before the removal. With `k` the k features with the largest |weight| × standard deviation
//! are taken, and the model is refitted to them with the same r, for every r that is tried. The
//! path of the selection has all features by |weight| × standard deviation.

use super::RADII;
use super::fenchel_rank::gap;
use super::path::{Family, PathSearch, SparseModel, nothing_ranks};
use super::sample::{Loss, Sample};
use crate::declare::method;
use crate::engine::Engine;
use crate::error::Result;
use crate::run::Run;
use crate::select::shared_params::{radius_param, standardise_param, tuning_params};
use crate::select::{Findings, Selector};

/// The part of all shares that is distributed evenly before a search starts from another solution:
/// a share close to 0 could not grow again.
const EVEN: f64 = 0.1;

/// Shares below this are rounding errors of averages.
const LEAST: f64 = 1e-300;

/// Losses (1 for an empty model) and distances between shares that differ by less than this are
/// equal.
const EQUAL: f64 = 1e-14;

method! {
    /// Pairwise linear model of bounded l1 norm, trained by exponentiated gradient descent.
    pub struct EGRank: Selector as "eg-rank" in Embedded,
        cites ["du2018", "auslender2006"], AsPublished, Passes,
        with [uses_valid, leaves_model]
    {
        use radius_param!();
        /// Step size; auto: accelerated steps of adaptive size.
        eta: Auto(1e-9..=1e6) = "auto",
        /// Largest accepted difference between the loss and its minimum.
        epsilon: Real(1e-10..=1.0) = "0.01",
        /// Maximum number of steps for each value of r.
        steps: Whole(1..=1_000_000) = "1000",
        /// Weights below this share of the sum of absolute weights are set to 0.
        threshold: Real(0.0..=1.0) = "0.01",
        use tuning_params!();
    }
}

impl Selector for EGRank {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        PathSearch { families: &[self], tuning: &self.tuning, given: &self.r }.select(run, engine)
    }
}

/// The parameter is r.
impl Family for EGRank {
    fn settings(&self, _: &Sample<'_>, value: f64) -> Vec<(&'static str, f64)> {
        vec![("r", value)]
    }

    fn grid(&self, _: &Sample<'_>) -> Result<Vec<f64>> {
        Ok(RADII.to_vec())
    }

    fn fit(
        &self,
        sample: &Sample<'_>,
        value: f64,
        warm_start: Option<&SparseModel>,
    ) -> Result<Vec<SparseModel>> {
        if sample.pairs() == 0.0 {
            return Err(nothing_ranks());
        }
        let found = self.minimise(sample, value, warm_start.map(|model| &model.state[..]))?;
        let effect = |k: usize| sample.effect(k, found.weights[k]);
        let mut order: Vec<(usize, f64)> = (0..sample.width()).map(|k| (k, effect(k))).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let (weights, gap) = match sample.run.constraints.k {
            Some(k) => {
                let places = first(sample, &order, k);
                let own = sample.restricted(&places);
                let refit = self.minimise(&own, value, None)?;
                let mut weights = vec![0.0; sample.width()];
                places.iter().zip(refit.weights).for_each(|(&place, w)| weights[place] = w);
                (weights, refit.gap)
            }
            None => (self.cut(sample, &found.weights), found.gap),
        };
        Ok(vec![SparseModel { order, state: found.state, ..SparseModel::new(weights, "gap", gap) }])
    }

    fn counts_itself(&self) -> bool {
        true
    }
}

/// The places of the kept features and of the first ones, `k` in total with the unusable kept
/// features; ascending.
fn first(sample: &Sample<'_>, order: &[(usize, f64)], k: usize) -> Vec<usize> {
    let (mut places, free): (Vec<usize>, Vec<usize>) =
        order.iter().map(|(place, _)| *place).partition(|&place| sample.is_kept(place));
    let left = k.saturating_sub(sample.run.constraints.keep.len());
    places.extend(free.into_iter().take(left));
    places.sort_unstable();
    places
}

/// The result of a search.
struct SimplexSolution {
    weights: Vec<f64>,
    gap: f64,
    /// The shares, and the estimated curvature.
    state: Vec<f64>,
}

impl EGRank {
    /// The weights without those below the threshold.
    fn cut(&self, sample: &Sample<'_>, weights: &[f64]) -> Vec<f64> {
        let sum: f64 = weights.iter().map(|w| w.abs()).sum();
        let largest = weights.iter().map(|w| w.abs()).fold(0.0, f64::max);
        let least = (self.threshold * sum).min(largest);
        let stays = |k: usize| weights[k].abs() >= least || sample.is_kept(k);
        (0..weights.len()).map(|k| if stays(k) { weights[k] } else { 0.0 }).collect()
    }

    fn minimise(
        &self,
        sample: &Sample<'_>,
        radius: f64,
        warm_start: Option<&[f64]>,
    ) -> Result<SimplexSolution> {
        let even = 0.5 / sample.width() as f64;
        let ball = Ball { sample, radius };
        match self.eta {
            Some(eta) => self.published(&ball, vec![even; 2 * sample.width()], eta),
            None => {
                let warm_start = warm_start.and_then(|state| state.split_last());
                let start = warm_start.map(|(_, shares)| {
                    shares.iter().map(|u| (1.0 - EVEN) * u + EVEN * even).collect()
                });
                // Differences between documents have twice the variance of documents, and the loss
                // has twice the curvature.
                let widest = sample.spreads().iter().copied().fold(0.0, f64::max);
                let curvature =
                    warm_start.map_or(4.0 * widest * widest, |(curvature, _)| *curvature);
                self.accelerated(
                    &ball,
                    start.unwrap_or_else(|| vec![even; 2 * sample.width()]),
                    curvature,
                )
            }
        }
    }

    /// Steps of constant length.
    fn published(&self, ball: &Ball<'_>, start: Vec<f64>, eta: f64) -> Result<SimplexSolution> {
        let mut logs = logarithms(&start);
        let mut point = ball.point(start)?;
        for step in 1..=self.steps {
            logs = normalised(
                logs.iter()
                    .zip(&point.gradient)
                    .map(|(log, gradient)| log - eta * gradient)
                    .collect(),
            );
            point = ball.point(exponentials(&logs))?;
            ball.sample.run.step("updating weights", step, Some(self.steps))?;
            if point.gap <= self.epsilon {
                break;
            }
        }
        Ok(ball.found(point, 0.0))
    }

    /// Accelerated steps: the gradient is evaluated between the average of shares so far and the
    /// current shares.
    fn accelerated(
        &self,
        ball: &Ball<'_>,
        start: Vec<f64>,
        mut curvature: f64,
    ) -> Result<SimplexSolution> {
        let (mut average, mut logs) = (start.clone(), logarithms(&start));
        let mut share = 1.0;
        let mut best: Option<SimplexIterate> = None;
        for step in 1..=self.steps {
            let middle = ball.point(mixed(&average, &exponentials(&logs), share))?;
            // The curvature estimate is too large if earlier points had a larger curvature.
            curvature /= 1.5;
            let before = curvature;
            let (next, is_stuck) = loop {
                let length = 1.0 / (share * curvature * ball.radius * ball.radius);
                let moved = normalised(
                    logs.iter()
                        .zip(&middle.gradient)
                        .map(|(log, gradient)| log - length * gradient)
                        .collect(),
                );
                let shares = exponentials(&moved);
                let far: f64 =
                    shares.iter().zip(moved.iter().zip(&logs)).map(|(u, (a, b))| u * (a - b)).sum();
                let point = ball.point(mixed(&average, &shares, share))?;
                let change = predicted_change(&middle.gradient, &point.shares, &middle.shares);
                let allowed = change + curvature * (ball.radius * share).powi(2) * far;
                let is_stuck = far <= EQUAL;
                if is_stuck || point.loss <= middle.loss + allowed + EQUAL {
                    logs = moved;
                    break (point, is_stuck);
                }
                curvature *= 2.0;
            };
            ball.sample.run.step("updating weights", step, Some(self.steps))?;
            let is_uphill = predicted_change(&next.gradient, &next.shares, &average) > 0.0;
            average.clone_from(&next.shares);
            let is_last = is_stuck && share == 1.0;
            if is_stuck {
                // The step was shortened by rounding errors of the loss.
                curvature = before;
            }
            if (is_uphill || is_stuck) && share < 1.0 {
                share = 1.0;
                logs = logarithms(&average);
            } else {
                share = 2.0 / (1.0 + (1.0 + 4.0 / (share * share)).sqrt());
            }
            for point in [(step > 1).then_some(middle), Some(next)].into_iter().flatten() {
                if best.as_ref().is_none_or(|best| point.gap < best.gap) {
                    best = Some(point);
                }
            }
            if is_last || best.as_ref().is_some_and(|best| best.gap <= self.epsilon) {
                break;
            }
        }
        best.map(|best| ball.found(best, curvature)).ok_or_else(nothing_ranks)
    }
}

/// Weights whose absolute values sum to at most the radius.
struct Ball<'a> {
    sample: &'a Sample<'a>,
    radius: f64,
}

/// Shares, and the loss at that point.
struct SimplexIterate {
    shares: Vec<f64>,
    loss: f64,
    /// The derivative of the loss with respect to each share.
    gradient: Vec<f64>,
    gap: f64,
}

impl Ball<'_> {
    fn weights(&self, shares: &[f64]) -> Vec<f64> {
        let (plus, minus) = shares.split_at(self.sample.width());
        plus.iter().zip(minus).map(|(plus, minus)| self.radius * (plus - minus)).collect()
    }

    fn point(&self, shares: Vec<f64>) -> Result<SimplexIterate> {
        let weights = self.weights(&shares);
        let loss = self.sample.loss(&weights)?;
        let gap = gap(&loss, &weights, self.radius);
        let Loss { value, gradient, .. } = loss;
        let of_minus = gradient.iter().map(|g| -self.radius * g);
        let gradient = gradient.iter().map(|g| self.radius * g).chain(of_minus).collect();
        // Negative values are rounding errors.
        Ok(SimplexIterate { shares, loss: value, gradient, gap: gap.max(0.0) })
    }

    fn found(&self, point: SimplexIterate, curvature: f64) -> SimplexSolution {
        let weights = self.weights(&point.shares);
        let mut state = point.shares;
        state.push(curvature);
        SimplexSolution { weights, gap: point.gap, state }
    }
}

fn logarithms(shares: &[f64]) -> Vec<f64> {
    shares.iter().map(|u| u.max(LEAST).ln()).collect()
}

fn exponentials(logs: &[f64]) -> Vec<f64> {
    logs.iter().map(|log| log.exp()).collect()
}

/// Logarithms of the same shares, normalised to sum to 1.
fn normalised(mut logs: Vec<f64>) -> Vec<f64> {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum = logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln() + largest;
    logs.iter_mut().for_each(|log| *log -= sum);
    logs
}

fn mixed(a: &[f64], b: &[f64], share_of_b: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| (1.0 - share_of_b) * a + share_of_b * b).collect()
}

/// The change of the loss between two points that a gradient predicts.
fn predicted_change(gradient: &[f64], to: &[f64], from: &[f64]) -> f64 {
    gradient
        .iter()
        .zip(to.iter().zip(from))
        .map(|(gradient, (to, from))| gradient * (to - from))
        .sum()
}
