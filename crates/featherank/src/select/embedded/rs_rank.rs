//! RSRank: pairs weighted by the change of NDCG when they are swapped, and a gradient descent that
//! truncates small weights to 0.
//!
//! Sun, Qin, Tao & Wang (SIGIR 2009) minimise L(β) + g ‖β‖₁, where L is the sum over queries of Σ ω
//! φ(βᵀ(xᵢ − xⱼ)) over pairs with yᵢ > yⱼ; weights ω and loss φ are those of
//! `rank/passes/ndcg_pairs.rs`. This follows their algorithm 1: in every iteration
//! documents are sorted by their scores, ω is computed from the positions, and with ω fixed
//!
//! * β ← β − η ∇L(β), all queries at once;
//! * every K iterations all weights are moved towards 0 by ηg and clipped at 0: the truncated
//!   gradient of Langford, Li & Zhang (JMLR 2009). That paper uses Kηg, since only every K-th step
//!   truncates (`truncation = langford`); at K = 1, as in the experiments, both are the same.
//!
//! The initial β, g and the number of iterations are chosen on validation data, as published. The
//! first initial vector has all weights 1/d, with d features; the others are drawn uniformly
//! between −1/d and 1/d.
//!
//! The published η = 0.001 does not converge on LETOR's OHSUMED, where it oscillates between
//! rankings and their reversals. By default η is 1/λ, with λ the largest curvature of L, estimated
//! by power iteration: a step that always decreases L while ω is fixed. On OHSUMED η is about 4e-5,
//! and less on data with more queries or larger values; fixed points do not depend on it. On its
//! first fold validation data prefers 30 iterations to 100 and 300 for most values of g. If L ends
//! above twice Σω, the loss of an empty model, the descent has diverged, which is an error.
//!
//! ω is positive (equation 3); with the signs printed in section 4.1, it would reward correctly
//! ordered pairs for smaller margins. Since ω changes with the ranking there is no convex problem
//! to certify: the certificate `gradient` is the largest change of a weight in the last iteration
//! divided by η, 0 at a fixed point, in the unit of g. The path of g starts at the value above
//! which all weights stay 0, decreases for 2⅔ decades in thirds, and ends at almost 0, where no
//! feature is truncated. Folds of the training data use the g with the same weight relative to a
//! pair. Kept features are not truncated.

use rand::RngExt;

use super::path::{Family, PathSearch, SparseModel, nothing_ranks};
use super::sample::Sample;
use crate::declare::{choice, method};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::random::{Purpose, stream};
use crate::remedy;
use crate::run::Run;
use crate::select::shared_params::{standardise_param, tuning_params};
use crate::select::{Findings, Selector};

/// The number of values of g on the path, without the last.
const VALUES: i32 = 9;

/// The last g, as a share of the first: too small to truncate any weight.
const NEGLIGIBLE_WEIGHT: f64 = 1e-9;

/// Numbers of iterations that validation data chooses among.
const ITERATIONS: [u64; 3] = [30, 100, 300];

/// Rounds of the power iteration.
const POWER_ROUNDS: u64 = 12;

method! {
    /// Truncated gradient descent on preference pairs weighted by NDCG.
    pub struct RSRank: Selector as "rsrank" in Embedded,
        cites ["sun2009", "langford2009"], AsPublished, Passes,
        with [uses_valid, leaves_model]
    {
        /// Weight of the l1 penalty relative to the loss; auto: tuned on validation data.
        g: Values(0.0..=1e12) = "auto",
        /// Number of gradient steps; auto: tuned on validation data.
        let iterations: AutoWhole(1..=100_000) = "auto",
        /// Number of initial vectors, one of which is chosen on validation data: the first is
        /// uniform, the others are random.
        starts: Whole(1..=100) = "2",
        /// Step size; auto: from the largest curvature.
        let eta: Auto(1e-12..=1.0) = "auto",
        /// Number of iterations between truncations.
        let interval: Whole(1..=1000) = "1",
        /// Truncate weights by eta times g, or by that times the interval.
        let truncation: Choice<RSRankTruncation> = "published",
        use tuning_params!();
        derive descent: Descent = Descent {
            iterations,
            eta,
            interval,
            by_interval: truncation == RSRankTruncation::Langford,
        };
    }
}

choice! {
    /// What weights are truncated by.
    pub enum RSRankTruncation {
        /// By η times g, as published.
        Published = "published",
        /// By that times the interval, as Langford et al. do.
        Langford = "langford",
    }
}

/// The parameters of the descent.
#[derive(Debug, Clone, Copy)]
struct Descent {
    iterations: Option<u64>,
    eta: Option<f64>,
    interval: u64,
    by_interval: bool,
}

impl Selector for RSRank {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let from = |start| FromStart { descent: self.descent, start };
        let families: Vec<FromStart> = (1..=self.starts).map(from).collect();
        let families: Vec<&dyn Family> =
            families.iter().map(|family| family as &dyn Family).collect();
        let given: Vec<f64> = self.g.iter().map(|g| g / engine.schema().pairs as f64).collect();
        PathSearch { families: &families, tuning: &self.tuning, given: &given }.select(run, engine)
    }
}

/// The models from one initial vector; the parameter is g divided by the number of pairs.
struct FromStart {
    descent: Descent,
    start: u64,
}

impl Family for FromStart {
    fn settings(&self, sample: &Sample<'_>, value: f64) -> Vec<(&'static str, f64)> {
        vec![("g", value * sample.pairs()), ("start", self.start as f64)]
    }

    fn grid(&self, sample: &Sample<'_>) -> Result<Vec<f64>> {
        let gradient = sample.ndcg_gradient(&vec![0.0; sample.width()])?;
        let steepest = gradient.iter().map(|gradient| gradient.abs()).fold(0.0, f64::max);
        // Rounding errors of a sum that is 0 must not count as a gradient.
        if steepest < f64::EPSILON {
            return Err(nothing_ranks());
        }
        let first = steepest / sample.pairs();
        let shares = (0..VALUES).map(|i| 10f64.powf(-f64::from(i) / 3.0));
        Ok(shares.chain([NEGLIGIBLE_WEIGHT]).map(|share| share * first).collect())
    }

    fn fit(
        &self,
        sample: &Sample<'_>,
        value: f64,
        warm_start: Option<&SparseModel>,
    ) -> Result<Vec<SparseModel>> {
        // The step length depends on the sample only: it is reused from the neighbour.
        let eta = match (self.descent.eta, warm_start) {
            (Some(eta), _) => eta,
            (None, Some(model)) => model.state[0],
            (None, None) => 1.0 / largest_curvature(sample)?,
        };
        self.descent.follow(sample, initial(sample, self.start), value * sample.pairs(), eta)
    }
}

/// The initial vector with this number, counted from 1. Apart from the scale, a feature's weight
/// does not depend on the other features of the sample.
fn initial(sample: &Sample<'_>, number: u64) -> Vec<f64> {
    let unit = 1.0 / sample.width() as f64;
    if number == 1 {
        return vec![unit; sample.width()];
    }
    let mut random = stream(sample.run.seed, Purpose::Descent, number);
    let last = sample.features().iter().map(|f| f.index()).max().unwrap_or(0);
    let all: Vec<f64> = (0..=last).map(|_| random.random_range(-1.0..1.0)).collect();
    sample.features().iter().map(|f| unit * all[f.index()]).collect()
}

impl Descent {
    /// The models after each number of iterations.
    fn follow(
        &self,
        sample: &Sample<'_>,
        start: Vec<f64>,
        g: f64,
        eta: f64,
    ) -> Result<Vec<SparseModel>> {
        let ends = self.ends();
        let last = ends[ends.len() - 1];
        let cut = eta * g * if self.by_interval { self.interval as f64 } else { 1.0 };
        let mut weights = start;
        let mut models = Vec::with_capacity(ends.len());
        for iteration in 1..=last {
            let gradient = sample.ndcg_gradient(&weights)?;
            let mut moved = 0.0f64;
            for (k, (weight, gradient)) in weights.iter_mut().zip(&gradient).enumerate() {
                let before = *weight;
                *weight -= eta * gradient;
                if iteration % self.interval == 0 && !sample.is_kept(k) {
                    *weight = weight.signum() * (weight.abs() - cut).max(0.0);
                }
                moved = moved.max((*weight - before).abs());
            }
            sample.run.step("descending the gradient", iteration, Some(last))?;
            if ends.contains(&iteration) {
                models.push(SparseModel {
                    settings: vec![("iterations", iteration as f64), ("eta", eta)],
                    state: vec![eta],
                    ..SparseModel::new(weights.clone(), "gradient", moved / eta)
                });
            }
        }
        let end = sample.ndcg_pairs(&weights)?;
        // Written so that a NaN loss counts as divergence.
        if end.loss <= 2.0 * end.weight { Ok(models) } else { Err(self.diverged(eta)) }
    }

    /// Numbers of iterations, rounded up to the next truncation.
    fn ends(&self) -> Vec<u64> {
        let full = |iterations: u64| iterations.div_ceil(self.interval) * self.interval;
        let mut ends: Vec<u64> = match self.iterations {
            Some(iterations) => vec![full(iterations)],
            None => ITERATIONS.map(full).to_vec(),
        };
        ends.dedup();
        ends
    }

    fn diverged(&self, eta: f64) -> Error {
        Error::numerical(
            format!("rsrank diverges with eta = {eta:.3e}: its model is worse than an empty one"),
            match self.eta {
                Some(_) => remedy![
                    "lower ",
                    Parameter("eta"),
                    "; to let the method tune it, ",
                    ParameterValue("eta", "auto").set()
                ],
                None => remedy!["give a lower ", Parameter("eta")],
            },
        )
    }
}

/// The largest curvature of the loss with fixed pair weights, estimated by power iteration.
///
/// While all margins are below 1 the loss is quadratic, and two models in the same direction give
/// the same ranking: the difference of their gradients is the curvature along that direction.
fn largest_curvature(sample: &Sample<'_>) -> Result<f64> {
    // Small enough that all margins are below 1, and large enough to exceed rounding errors.
    const SMALL: f64 = 1e-6;
    let mut direction = vec![1.0; sample.width()];
    let mut largest = 0.0;
    for round in 1..=POWER_ROUNDS {
        let longest = direction.iter().map(|x: &f64| x.abs()).fold(0.0, f64::max);
        let at = |times: f64| {
            let weights: Vec<f64> = direction.iter().map(|x| times * SMALL * x / longest).collect();
            sample.ndcg_gradient(&weights)
        };
        let (near, far) = (at(1.0)?, at(2.0)?);
        let curved: Vec<f64> =
            far.iter().zip(&near).map(|(far, near)| (far - near) / SMALL).collect();
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        largest = norm(&curved) / (norm(&direction) / longest);
        if largest == 0.0 || !largest.is_finite() {
            return Err(nothing_ranks());
        }
        direction = curved;
        sample.run.step("measuring the curvature", round, Some(POWER_ROUNDS))?;
    }
    Ok(largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};
    use crate::engine::LocalEngine;
    use crate::run::Constraints;
    use crate::select::embedded::sample::Standardisation;
    use serde_json::Value;

    fn fixture(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    fn numbers(value: &Value) -> Vec<f64> {
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    }

    /// Two queries, seven documents, three features.
    fn shared_data() -> Dataset {
        let known = fixture(include_str!("../../../tests/fixtures/ranksvm_primal.json"));
        let rows: Vec<Vec<f64>> = known["X"].as_array().unwrap().iter().map(numbers).collect();
        let values = (0..3).flat_map(|k| rows.iter().map(move |row| row[k] as f32)).collect();
        let labels = numbers(&known["y"]).into_iter().map(|y| y as f32).collect();
        Dataset::new(values, labels, Queries::from_sizes(&[3, 4]), FeatureTable::numbered(3, 1))
    }

    fn descent(iterations: u64, interval: u64, by_interval: bool) -> Descent {
        Descent { iterations: Some(iterations), eta: Some(0.01), interval, by_interval }
    }

    fn after(descent: Descent, run: &Run, g: f64, start: Vec<f64>) -> Vec<f64> {
        let engine = LocalEngine::new(shared_data(), 1).unwrap();
        let sample = Sample::of(run, &engine, Standardisation::None).unwrap();
        descent.follow(&sample, start, g, 0.01).unwrap().pop().unwrap().weights
    }

    fn close(got: &[f64], expected: &[f64]) {
        assert!(
            got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-7),
            "{got:?}, not {expected:?}"
        );
    }

    /// One step with and without truncation, one without for a kept feature, and two of which the
    /// second truncates.
    #[test]
    fn steps_equal_worked_numbers() {
        let known = fixture(include_str!("../../../tests/fixtures/rsrank.json"));
        let (free, cut) =
            (numbers(&known["beta_after_gradient"]), numbers(&known["beta_after_truncation"]));
        let run = Run::new(7, Constraints::default());
        let beta = || numbers(&known["beta"]);
        close(&after(descent(1, 1, false), &run, 0.0, beta()), &free);
        close(&after(descent(1, 1, false), &run, 3.0, beta()), &cut);
        let keep = Run::new(7, Constraints { keep: vec![1.into()], ..Constraints::default() });
        close(&after(descent(1, 1, false), &keep, 3.0, beta()), &[cut[0], free[1], cut[2]]);
        // One iteration is rounded up to the interval of two.
        let once = after(descent(1, 2, false), &run, 3.0, beta());
        let free = after(descent(2, 1, false), &run, 0.0, beta());
        close(&once, &free.iter().map(|w| w.signum() * (w.abs() - 0.03)).collect::<Vec<_>>());
        let twice = after(descent(2, 2, true), &run, 1.5, beta());
        close(&twice, &once);
    }

    /// With fixed pair weights, the curvature is that of Σ ω (v − 1)².
    #[test]
    fn curvature_of_one_pair_by_hand() {
        // ω = 1 − 1/log₂3 and δ = (0.6, 0.8): the only direction with curvature is δ, where it is
        // 2ω|δ|².
        let data = Dataset::new(
            vec![0.6, 0.0, 0.8, 0.0],
            vec![1.0, 0.0],
            Queries::from_sizes(&[2]),
            FeatureTable::numbered(2, 1),
        );
        let (run, engine) =
            (Run::new(7, Constraints::default()), LocalEngine::new(data, 1).unwrap());
        let sample = Sample::of(&run, &engine, Standardisation::None).unwrap();
        let expected = 2.0 * (1.0 - 1.0 / 3f64.log2());
        assert!((largest_curvature(&sample).unwrap() - expected).abs() < 1e-6);
    }
}
