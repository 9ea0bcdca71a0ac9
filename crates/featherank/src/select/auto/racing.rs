//! Which candidates are tried in further repetitions, and when repetitions suffice.
//!
//! Repetitions average out the variation between training sets. Candidates that are unlikely to
//! pass are not tried again: they keep their estimates and cannot be recommended. Of the methods,
//! the best two at each size remain. Sizes far above one that is clearly as good as all features
//! are not tried again either. Repetitions end if bounds are narrow compared with the margin, or if
//! the variation between repetitions contributes little to them. This depends on variances only,
//! not on the differences, so that it does not favour candidates that happen to look good.

use super::curve::{Candidate, Curve};

/// After so many repetitions, candidates whose test statistic is below a value are not tried again.
const LEAST_STATISTIC: [(usize, f64); 3] = [(1, -1.5), (2, 0.0), (4, 1.0)];

/// After so many repetitions, at most [`METHODS_PER_SIZE`] methods are tried for each size.
const REPETITIONS_BEFORE_METHODS_ARE_DROPPED: usize = 2;

/// The number of methods that remain at each size.
const METHODS_PER_SIZE: usize = 2;

/// A candidate whose test statistic is above this is clearly as good as all features.
const CLEAR_STATISTIC: f64 = 5.0;

/// The number of sizes above a clear one that are tried again.
const SIZES_ABOVE_CLEAR: usize = 2;

/// Standard errors below this share of the margin are small enough.
const NARROW_ERROR: f64 = 0.15;

/// The largest share of a squared standard error that the variation between repetitions may have.
const LARGEST_NOISE_SHARE: f64 = 0.2;

/// The candidates that are tried in a repetition.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenCandidates {
    /// For each method, whether each size is tried.
    open: Vec<Vec<bool>>,
}

impl OpenCandidates {
    /// All candidates.
    pub fn all(methods: usize, sizes: usize) -> Self {
        OpenCandidates { open: vec![vec![true; sizes]; methods] }
    }

    /// Those that the finished repetitions, at least one, leave open. Sizes from `allowed` on may
    /// be returned; the largest of them is the answer if no size passes.
    pub fn after(finished: usize, curve: &Curve, allowed: usize, sizes: usize) -> Self {
        let methods = curve.candidates.len() / sizes.max(1);
        let reached = |(repetitions, _): &&(usize, f64)| *repetitions <= finished;
        let threshold = LEAST_STATISTIC.iter().rev().find(reached);
        let least = threshold.map_or(f64::NEG_INFINITY, |(_, least)| *least);
        let is_clear = |one: &&Candidate| statistic(one) > CLEAR_STATISTIC;
        let clear = curve.candidates.iter().filter(is_clear).map(|one| one.size).max();
        let first = clear.map_or(0, |clear| clear.saturating_sub(SIZES_ABOVE_CLEAR));
        let mut open = vec![vec![false; sizes]; methods];
        for one in &curve.candidates {
            let better =
                |other: &&Candidate| other.size == one.size && statistic(other) > statistic(one);
            let place = curve.candidates.iter().filter(better).count();
            let is_among_best =
                finished < REPETITIONS_BEFORE_METHODS_ARE_DROPPED || place < METHODS_PER_SIZE;
            let is_likely = statistic(one) >= least && one.size >= first;
            open[one.method][one.size] = is_among_best && (one.size == allowed || is_likely);
        }
        OpenCandidates { open }
    }

    /// The number of candidates that are tried.
    pub fn count(&self) -> usize {
        self.open.iter().flatten().filter(|is_open| **is_open).count()
    }

    /// The number of methods whose candidates of a size are tried.
    pub fn count_of(&self, size: usize) -> usize {
        self.open.iter().filter(|of_method| of_method[size]).count()
    }

    /// Whether a size of a method is tried.
    pub fn has(&self, method: usize, size: usize) -> bool {
        self.open[method][size]
    }

    /// Whether any size of a method is tried.
    pub fn any_of(&self, method: usize) -> bool {
        self.open[method].contains(&true)
    }

    /// Whether this or a smaller size of a method is tried.
    pub fn reaches(&self, method: usize, size: usize) -> bool {
        self.open[method][size..].contains(&true)
    }
}

/// The number of repetitions that suffice, as the finished ones suggest.
pub fn repetitions(finished: usize, curve: &Curve, open: &OpenCandidates) -> usize {
    let needed = |one: &Candidate| {
        let narrow = NARROW_ERROR * one.effectiveness.margin;
        if one.standard_error <= narrow {
            return finished;
        }
        let Some(noise) = one.noise else { return finished + 1 };
        // Repetitions reduce the noise n of a squared standard error s² to n · finished / r, and
        // the rest stays.
        let of_noise = one.standard_error.powi(2) * noise;
        let rest = one.standard_error.powi(2) - of_noise;
        let allowed =
            (rest * LARGEST_NOISE_SHARE / (1.0 - LARGEST_NOISE_SHARE)).max(narrow * narrow - rest);
        match allowed > 0.0 {
            true => (finished as f64 * of_noise / allowed).ceil() as usize,
            false => usize::MAX,
        }
    };
    let candidates = curve.candidates.iter().filter(|one| open.has(one.method, one.size));
    candidates.map(needed).max().unwrap_or(finished)
}

/// The test statistic of a candidate's effectiveness.
fn statistic(one: &Candidate) -> f64 {
    (one.effectiveness.mean_difference + one.effectiveness.margin) / one.standard_error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::significance::NonInferiority;

    /// A candidate whose statistic and noise are given; the margin is 1, the standard error 0.5.
    fn candidate(size: usize, method: usize, statistic: f64, noise: Option<f64>) -> Candidate {
        let mean_difference = 0.5 * statistic - 1.0;
        let test =
            NonInferiority { mean_difference, lower_bound: 0.0, margin: 1.0, p: 1.0, holds: false };
        Candidate {
            size,
            method,
            features: 9 - size,
            per_query: Vec::new(),
            effectiveness: test.clone(),
            risk: test,
            standard_error: 0.5,
            noise,
        }
    }

    fn curve(statistics: &[[f64; 3]], noise: Option<f64>) -> Curve {
        let sizes = statistics.iter().enumerate();
        let candidates = sizes.flat_map(|(size, of_methods)| {
            of_methods.iter().enumerate().map(move |(m, &t)| candidate(size, m, t, noise))
        });
        Curve { queries: Vec::new(), all: Vec::new(), candidates: candidates.collect() }
    }

    #[test]
    fn unlikely_candidates_are_not_tried_again() {
        let curve = curve(&[[4.0, 4.0, 4.0], [3.0, 2.0, 0.5], [-1.0, -2.0, 0.5]], None);
        let open = |finished| OpenCandidates::after(finished, &curve, 0, 3).open;
        let by_size = |finished: usize, size: usize| -> Vec<bool> {
            open(finished).iter().map(|of_method| of_method[size]).collect()
        };
        assert_eq!(by_size(1, 1), [true, true, true]);
        assert_eq!(by_size(1, 2), [true, false, true]);
        // Two methods remain, and the threshold rises.
        assert_eq!(by_size(2, 1), [true, true, false]);
        assert_eq!(by_size(2, 2), [false, false, true]);
        assert_eq!(by_size(4, 2), [false, false, false]);
    }

    #[test]
    fn sizes_far_above_a_clear_one_are_not_tried_again_unless_they_are_the_answer() {
        let row = [9.0; 3];
        let curve = curve(&[row, row, row, row, [1.5; 3]], None);
        let open = OpenCandidates::after(2, &curve, 0, 5);
        let sizes: Vec<bool> = (0..5).map(|size| open.has(0, size)).collect();
        assert_eq!(sizes, [true, true, true, true, true], "two sizes in reserve");
        let clear = OpenCandidates::after(2, &super::tests::curve(&[row; 5], None), 0, 5);
        let sizes: Vec<bool> = (0..5).map(|size| clear.has(0, size)).collect();
        assert_eq!(sizes, [true, false, true, true, true]);
        assert!(clear.reaches(0, 1) && clear.any_of(1));
    }

    /// The noise of a squared error of .25 falls with the number of repetitions until it is a
    /// fifth.
    #[test]
    fn repetitions_end_when_they_add_little() {
        let needed = |noise| {
            let curve = curve(&[[4.0; 3]], noise);
            let open = OpenCandidates::all(3, 1);
            repetitions(2, &curve, &open)
        };
        assert_eq!(needed(None), 3, "unknown after one repetition");
        assert_eq!(needed(Some(0.1)), 1, "enough already");
        // .2 of noise and .05 of the rest: .0125 is allowed, 16 times less; rounding may add one.
        assert!((32..=33).contains(&needed(Some(0.8))), "{}", needed(Some(0.8)));
    }
}
