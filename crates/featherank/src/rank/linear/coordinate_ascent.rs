//! Coordinate ascent: optimises a measure on the training data over one weight at a time.
//!
//! Metzler & Croft, Information Retrieval 2007, in the form popularised by RankLib. Weights start
//! equal and always sum to 1 in absolute value. Features are processed in a random order. For each
//! feature, the weight is tried at increasing distances above its current value (the first step is
//! 0.001, or `step` times the absolute weight if that is below 0.002 and not 0; each further step
//! is `scale` times the previous one), then below it, then at 0; the first of the three searches
//! that improves the measure ends the turn at its best trial. A restart ends when a whole round
//! over the features gains at most `tolerance`. Restarts differ in the order of features, and the
//! best one is kept: by validation data if given, which is evaluated after every round.
//!
//! Any measure can be optimised. One trial changes scores by δ·x only, so that it costs one sort
//! per query; all trials of a direction are computed together. `slack` is RankLib's regularisation:
//! `slack` times the distance from equal weights is subtracted from the measure.
//!
//! Departures from RankLib: a step that starts from a small weight keeps its sign, and the gain of
//! a round is measured from the start of the round, not of the restart. Weights refer to features
//! divided by their largest range within a query, and tied documents count by their expected value,
//! as in [`super::ada_rank`].

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::design::Design;
use super::validation::{Validation, informative, per_query, ranges};
use crate::data::View;
use crate::declare::method;
use crate::error::{Error, Result};
use crate::measure::RankingScratch;
use crate::random::{Purpose, stream};
use crate::rank::{Model, Ranker};
use crate::remedy;
use crate::run::Run;

method! {
    /// Direct optimisation of a measure over one weight at a time.
    pub struct CoordinateAscent: Ranker as "coordinate-ascent",
        cites ["metzler2007"], AsPublished, Rows,
        grid [slack: ["0", "0.001", "0.01"]]
    {
        /// Measure to optimise.
        measure: Measure = "ndcg[ties=expected]@10",
        /// Number of restarts, each with its own random orders of features.
        restarts: Whole(1..=1_000) = "5",
        /// Number of trials in each direction.
        iterations: Whole(1..=60) = "25",
        /// Initial step for small weights, as a share of the weight.
        step: Real(1e-6..=1.0) = "0.05",
        /// Factor between consecutive steps.
        scale: Real(1.0..=10.0) = "2",
        /// Smallest gain of a round over all features that continues a restart.
        tolerance: Real(0.0..=1.0) = "0.001",
        /// Regularisation: penalty per unit of distance from equal weights.
        slack: Real(0.0..=1_000.0) = "0",
    }
}

impl Ranker for CoordinateAscent {
    fn learn(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        let design = Design::new(train)?;
        informative(&design)?;
        let mut validation = Validation::new(&self.measure, train, &design, valid, 0)?;
        let ascent = Ascent { ranker: self, design: &design, ranges: ranges(&design) };
        let mut best: Option<AscentPoint> = None;
        for restart in 0..self.restarts {
            let mut point = ascent.start();
            if point.value.is_nan() {
                return Err(Error::nothing_counts(
                    format!("no query of the training data counts under {}", self.measure),
                    remedy!["choose another ", Parameter("measure")],
                ));
            }
            for round in 0.. {
                let before = point.value;
                let mut order: Vec<usize> = (0..design.width()).collect();
                order.shuffle(&mut stream(run.seed, Purpose::Descent, restart << 32 | round));
                for feature in order {
                    run.check()?;
                    ascent.improve(feature, &mut point);
                }
                run.step("optimising single weights", restart + 1, Some(self.restarts))?;
                validation.is_enough(&ascent.weights(&point));
                let gained = point.value - before > self.tolerance;
                if !gained {
                    break;
                }
            }
            if best.as_ref().is_none_or(|best| point.value > best.value) {
                best = Some(point);
            }
        }
        let last = best.map_or_else(Vec::new, |best| ascent.weights(&best));
        Ok(design.model(&validation.best_or(last)).into())
    }
}

/// The objective to maximise.
struct Ascent<'a> {
    ranker: &'a CoordinateAscent,
    design: &'a Design<'a>,
    ranges: Vec<f64>,
}

/// A point of the search: the weights of the features in units of their range, the resulting
/// scores, and the value of the objective.
struct AscentPoint {
    shares: Vec<f64>,
    scores: Vec<f64>,
    value: f64,
}

impl Ascent<'_> {
    fn start(&self) -> AscentPoint {
        let width = self.design.width();
        self.at(vec![1.0 / width as f64; width])
    }

    /// The point with these weights; scores are recomputed, so that rounding errors of many small
    /// changes do not accumulate.
    fn at(&self, shares: Vec<f64>) -> AscentPoint {
        let mut point = AscentPoint { shares, scores: Vec::new(), value: 0.0 };
        point.scores = self.design.scores(&self.weights(&point));
        let values = per_query(&self.ranker.measure, self.design, &point.scores);
        point.value = self.ranker.measure.summary(&values) - self.penalty(&point.shares);
        point
    }

    fn weights(&self, point: &AscentPoint) -> Vec<f64> {
        point.shares.iter().zip(&self.ranges).map(|(share, range)| share / range).collect()
    }

    /// `slack` times the distance of the normalised weights from equal weights.
    fn penalty(&self, shares: &[f64]) -> f64 {
        if self.ranker.slack == 0.0 {
            return 0.0;
        }
        let sum: f64 = shares.iter().map(|share| share.abs()).sum();
        let equal = 1.0 / shares.len() as f64;
        self.ranker.slack
            * shares.iter().map(|share| (share / sum - equal).powi(2)).sum::<f64>().sqrt()
    }

    /// Moves one weight to the best trial, if that improves the objective.
    fn improve(&self, feature: usize, point: &mut AscentPoint) {
        let share = point.shares[feature];
        for direction in [1.0, -1.0, 0.0] {
            let moves = self.moves(share, direction);
            let values = self.try_moves(feature, &moves, point);
            let mut best = (point.value, None);
            for (&by, value) in moves.iter().zip(values) {
                if value > best.0 {
                    best = (value, Some(by));
                }
            }
            let Some(by) = best.1 else { continue };
            let mut shares = point.shares.clone();
            shares[feature] += by;
            let sum: f64 = shares.iter().map(|share| share.abs()).sum();
            shares.iter_mut().for_each(|share| *share /= sum);
            // Rescaling changes the rounding of scores and therefore ties: accept the step by its
            // value after rescaling.
            let next = self.at(shares);
            if next.value > point.value {
                *point = next;
                return;
            }
        }
    }

    /// The distances from the current weight to try.
    fn moves(&self, share: f64, direction: f64) -> Vec<f64> {
        if direction == 0.0 {
            return vec![-share];
        }
        let small = share != 0.0 && 0.001 > 0.5 * share.abs();
        let mut step = direction * if small { self.ranker.step * share.abs() } else { 0.001 };
        let mut by = 0.0;
        let next = |_| {
            by += step;
            step *= self.ranker.scale;
            by
        };
        (0..self.ranker.iterations).map(next).collect()
    }

    /// The objective after each move of one weight. Queries are evaluated in parallel, each with
    /// all moves at once.
    fn try_moves(&self, feature: usize, moves: &[f64], point: &AscentPoint) -> Vec<f64> {
        let of_query = |query: usize| {
            let documents = self.design.queries()[query].clone();
            let column = self.design.values(feature, query);
            let (mut scratch, mut scores) =
                (RankingScratch::default(), Vec::with_capacity(column.len()));
            scratch.labels(&self.design.labels()[documents.clone()]);
            let of_move = |by: &f64| {
                let by = by / self.ranges[feature];
                let now = point.scores[documents.clone()].iter().zip(column);
                scores.clear();
                scores.extend(now.map(|(score, &x)| (score + by * f64::from(x)) as f32));
                self.ranker.measure.of_ranking(&scratch.rank(&scores))
            };
            moves.iter().map(of_move).collect::<Vec<f64>>()
        };
        let by_query: Vec<Vec<f64>> = (0..self.design.queries().len())
            .into_par_iter()
            .with_min_len(4)
            .map(of_query)
            .collect();
        let mut shares = point.shares.clone();
        let of_move = |(i, by): (usize, &f64)| {
            shares[feature] = point.shares[feature] + by;
            // Setting the only non-zero weight to 0 leaves no ranking.
            if shares.iter().all(|share| *share == 0.0) {
                return f64::NEG_INFINITY;
            }
            let values: Vec<f64> = by_query.iter().map(|values| values[i]).collect();
            self.ranker.measure.summary(&values) - self.penalty(&shares)
        };
        moves.iter().enumerate().map(of_move).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synth::{Preset, generate};

    fn ranker(slack: f64) -> CoordinateAscent {
        CoordinateAscent::builder().restarts(1).slack(slack).build().unwrap()
    }

    #[test]
    fn step_sizes_double_for_small_and_large_weights() {
        let (data, _) = generate(&Preset::Tiny.config()).unwrap();
        let (ranker, design) = (ranker(0.0), Design::new(&data.view()).unwrap());
        let ascent = Ascent { ranker: &ranker, design: &design, ranges: ranges(&design) };
        let close = |got: &[f64], expected: [f64; 3]| {
            got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15)
        };
        assert!(close(&ascent.moves(0.1, 1.0), [0.001, 0.003, 0.007]));
        assert!(close(&ascent.moves(0.0, -1.0), [-0.001, -0.003, -0.007]));
        // Half of it is below 0.001: steps start at 5 % of it, downwards.
        assert!(close(&ascent.moves(0.0008, -1.0), [-0.00004, -0.00012, -0.00028]));
        assert_eq!(ascent.moves(0.3, 0.0), [-0.3]);
        assert_eq!(ascent.moves(0.1, 1.0).len(), 25);
    }

    /// After every turn, the value has not decreased and equals the value of the current weights.
    #[test]
    fn no_iteration_lowers_the_measure() {
        let (data, _) = generate(&Preset::Tiny.config()).unwrap();
        for slack in [0.0, 0.01] {
            let (ranker, design) = (ranker(slack), Design::new(&data.view()).unwrap());
            let ascent = Ascent { ranker: &ranker, design: &design, ranges: ranges(&design) };
            let mut point = ascent.start();
            let first = point.value;
            for feature in 0..design.width() {
                let before = point.value;
                ascent.improve(feature, &mut point);
                assert!(point.value >= before, "feature {feature}");
                assert_eq!(ascent.at(point.shares.clone()).value, point.value);
                let sum: f64 = point.shares.iter().map(|share| share.abs()).sum();
                assert!((sum - 1.0).abs() < 1e-9);
            }
            assert!(point.value > first + 0.01, "{first} to {}", point.value);
        }
    }
}
