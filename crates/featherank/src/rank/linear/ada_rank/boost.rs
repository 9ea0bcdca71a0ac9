//! The state of boosting, and the rounds of the paper.

use rayon::prelude::*;

use super::AdaRank;
use crate::error::{Error, Result};
use crate::rank::linear::design::Design;
use crate::rank::linear::validation::{Validation, per_query, ranges};
use crate::remedy;
use crate::run::Run;

/// A feature in the ensemble and its α.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pick {
    pub feature: usize,
    pub alpha: f64,
}

/// The state of boosting.
pub(super) struct Boost<'a> {
    pub ranker: &'a AdaRank,
    run: &'a Run,
    design: &'a Design<'a>,
    pub validation: Validation<'a>,
    /// E(q, h): the measure of every counted query when a single feature ranks it.
    alone: Vec<Vec<f64>>,
    /// Queries that count under the measure.
    counted: Vec<usize>,
    /// P(q) of the counted queries.
    pub distribution: Vec<f64>,
    pub picks: Vec<Pick>,
    /// The largest range of every feature within a query.
    ranges: Vec<f64>,
}

impl<'a> Boost<'a> {
    pub fn new(
        ranker: &'a AdaRank,
        run: &'a Run,
        design: &'a Design<'a>,
        validation: Validation<'a>,
    ) -> Result<Self> {
        let of_feature = |feature: usize| {
            run.check()?;
            let mut alone = vec![0.0; design.width()];
            alone[feature] = 1.0;
            Ok(per_query(&ranker.measure, design, &design.scores(&alone)))
        };
        let mut alone: Vec<Vec<f64>> =
            (0..design.width()).into_par_iter().map(of_feature).collect::<Result<_>>()?;
        // Whether a query counts depends on its labels only, so the first feature decides for all.
        let counted: Vec<usize> =
            (0..design.queries().len()).filter(|&q| !alone[0][q].is_nan()).collect();
        for values in &mut alone {
            *values = counted.iter().map(|&q| values[q]).collect();
        }
        if alone.iter().flatten().any(|value| *value > 1.0 + 1e-9) {
            return Err(Error::invalid(
                "measure for AdaRank",
                &ranker.measure,
                "a measure with values between 0 and 1",
            ));
        }
        let distribution = vec![1.0 / counted.len() as f64; counted.len()];
        let (picks, ranges) = (Vec::new(), ranges(design));
        let boost =
            Boost { ranker, run, design, validation, alone, counted, distribution, picks, ranges };
        if boost.best(|_| true).is_none() {
            return Err(Error::nothing_counts(
                format!("no feature ranks any relevant document under {}", ranker.measure),
                remedy!["choose another ", Parameter("measure")],
            ));
        }
        Ok(boost)
    }

    /// The feature with the best weighted mean of the measure, ties going to the first.
    pub fn best(&self, allowed: impl Fn(usize) -> bool) -> Option<usize> {
        let mut best = (0.0, None);
        for (feature, alone) in self.alone.iter().enumerate() {
            let repeated = || self.picks.iter().any(|pick| pick.feature == feature);
            if !allowed(feature) || (!self.ranker.repeats && repeated()) {
                continue;
            }
            let value: f64 = self.distribution.iter().zip(alone).map(|(p, e)| p * e).sum();
            if value > best.0 {
                best = (value, Some(feature));
            }
        }
        best.1
    }

    /// Adds a feature to the ensemble; returns its α, and E(q, f) of the new ensemble.
    pub fn add(&mut self, feature: usize) -> (f64, Vec<f64>) {
        let alpha = alpha(&self.distribution, &self.alone[feature]);
        self.picks.push(Pick { feature, alpha });
        let values =
            per_query(&self.ranker.measure, self.design, &self.design.scores(&self.weights()));
        (alpha, self.counted.iter().map(|&q| values[q]).collect())
    }

    pub fn weights(&self) -> Vec<f64> {
        let mut weights = vec![0.0; self.design.width()];
        self.picks.iter().for_each(|pick| weights[pick.feature] += pick.alpha);
        weights.iter_mut().zip(&self.ranges).for_each(|(weight, range)| *weight /= range);
        weights
    }

    pub fn report(&self, round: u64) -> Result<()> {
        self.run.step("boosting features", round, Some(self.ranker.rounds))
    }

    /// Runs the rounds of the paper.
    pub fn follow_paper(&mut self) -> Result<()> {
        for round in 1..=self.ranker.rounds {
            let Some(feature) = self.best(|_| true) else { break };
            let (_, values) = self.add(feature);
            self.report(round)?;
            let weights = self.weights();
            self.validation.is_enough(&weights);
            // An ensemble of one feature ranks the same with any α > 0: neither its ranking nor P
            // will change again.
            if self.picks.len() > 1 && self.picks.iter().all(|pick| pick.feature == feature) {
                break;
            }
            self.distribution = normalised(values.iter().map(|e| (-e).exp()));
        }
        Ok(())
    }
}

/// ½ ln[Σ P (1 + E) / Σ P (1 − E)].
fn alpha(distribution: &[f64], values: &[f64]) -> f64 {
    let sum =
        |sign: f64| distribution.iter().zip(values).map(|(p, e)| p * (1.0 + sign * e)).sum::<f64>();
    0.5 * (sum(1.0) / sum(-1.0).max(1e-10)).ln()
}

/// The weights divided by their sum.
pub(super) fn normalised(weights: impl Iterator<Item = f64>) -> Vec<f64> {
    let weights: Vec<f64> = weights.collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn numbers(value: &Value) -> Vec<f64> {
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    }

    #[test]
    fn first_round_matches_the_fixture() {
        let fixture: Value =
            serde_json::from_str(include_str!("../../../../tests/fixtures/adarank.json")).unwrap();
        let by_query: Vec<Vec<f64>> =
            fixture["perf_query_by_feature"].as_array().unwrap().iter().map(numbers).collect();
        let first = &fixture["round1"];
        let chosen = first["chosen"].as_u64().unwrap() as usize;
        let values: Vec<f64> = by_query.iter().map(|query| query[chosen]).collect();
        let got = alpha(&numbers(&first["P"]), &values);
        assert!((got - first["alpha"].as_f64().unwrap()).abs() < 1e-9, "{got}");
        let next = normalised(values.iter().map(|e| (-e).exp()));
        let expected = numbers(&first["P_next_if_f_t_equals_h_1"]);
        assert!(next.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{next:?}");
    }

    #[test]
    fn a_perfect_feature_gets_a_finite_weight() {
        let got = alpha(&[0.5, 0.5], &[1.0, 1.0]);
        assert!(got.is_finite() && got > 5.0, "{got}");
    }
}
