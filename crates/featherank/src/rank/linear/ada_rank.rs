//! AdaRank: boosts single features into a ranker, with more weight in each round on the queries
//! that the current ensemble ranks badly.
//!
//! Xu & Li, SIGIR 2007. Weak rankers are single features. With E(q, h) the measure of query q when
//! h ranks it and weights P₁(q) = 1/m, every round
//! 1. picks the feature h with the largest Σ P(q) E(q, h), ties going to the first,
//! 2. sets α = ½ ln[Σ P(q)(1 + E(q, h)) / Σ P(q)(1 − E(q, h))], and adds α h to the ensemble f,
//! 3. sets P(q) ∝ exp(−E(q, f)).
//!
//! With NDCG as measure it is AdaRank-NDCG, with average precision AdaRank-MAP. E(q, h) is computed
//! once for all features. The paper's third step depends neither on α nor on the previous P: if the
//! first two rounds pick the same feature, nothing changes any more. `repeats = forbid`, not in the
//! paper, picks each feature at most once and so continues.
//!
//! `update = ranklib` follows RankLib instead: P(q) is multiplied by exp(−α E(q, f)); a feature
//! picked in two consecutive rounds is removed and excluded until training with the other features
//! has ended ("enqueue"), then tried again, the most recent first; a feature that is picked in
//! `streak` consecutive rounds without any change is excluded until something changes; a phase ends
//! when the measure on training data decreases by `tolerance`.
//!
//! With validation data the best round is kept, otherwise the last. Departures from both: for tied
//! documents, E is the mean over their orders (`ties=expected`), because file order carries
//! information in real data and would favour features with many ties. If E(q, h) is 1 in all
//! queries, α is kept finite. Features are divided by their largest range within a query, which is
//! 1 after per-query normalisation; other features therefore need no normalisation.

use rayon::prelude::*;

use super::design::Design;
use super::validation::{Validation, check_labels, informative, per_query, ranges};
use crate::data::View;
use crate::declare::{choice, method};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::rank::{Model, Ranker};
use crate::remedy;
use crate::run::Run;

/// Parameters of both methods; they differ in the measure.
macro_rules! ada_rank_params {
    ({$($state:tt)*} {$($rest:tt)*} $measure:literal) => {
        $crate::method! { $($state)*
            /// Measure to optimise, with values of at most 1.
            let measure: Measure = $measure,
            /// Measure that chooses the number of rounds on validation data.
            let validation: Measure = $measure,
            /// Rules for query weights and stopping: of the paper or of RankLib.
            let update: Choice<UpdateRule> = "paper",
            /// Maximum number of rounds.
            let rounds: Whole(1..=500) = "100",
            /// Whether a feature may be chosen repeatedly.
            let repeats: Choice<FeatureRepeats> = "allow",
            /// RankLib: decrease on training data that ends a phase.
            let tolerance: Real(0.0..=1.0) = "0.002",
            /// RankLib: exclude a feature chosen twice in a row until training with the others has
            /// ended.
            let enqueue: Flag = "true",
            /// RankLib: exclude a feature after this many consecutive choices without a change.
            let streak: Whole(1..=500) = "5",
            derive boosting: AdaRank = AdaRank {
                measure,
                validation,
                update: match update {
                    UpdateRule::Paper => Update::Paper,
                    UpdateRule::RankLib => Update::RankLib { tolerance, enqueue, streak },
                },
                rounds,
                repeats: repeats == FeatureRepeats::Allow,
            };
            $($rest)*
        }
    };
}

method! {
    /// Single features boosted for NDCG.
    pub struct AdaRankNDCG: Ranker as "adarank-ndcg",
        cites ["xu2007"], AsPublished, Rows,
        grid [update: ["paper", "ranklib"], repeats: ["allow", "forbid"]]
    {
        use ada_rank_params!("ndcg[ties=expected]@10");
    }
}

method! {
    /// Single features boosted for average precision.
    pub struct AdaRankMAP: Ranker as "adarank-map",
        cites ["xu2007"], AsPublished, Rows,
        grid [update: ["paper", "ranklib"], repeats: ["allow", "forbid"]]
    {
        use ada_rank_params!("map[ties=expected]");
    }
}

impl Ranker for AdaRankNDCG {
    fn learn(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        self.boosting.learn(run, train, valid)
    }
}

impl Ranker for AdaRankMAP {
    fn learn(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        self.boosting.learn(run, train, valid)
    }
}

choice! {
    /// The rules for query weights and stopping.
    pub enum UpdateRule {
        /// The rules of the paper.
        Paper = "paper",
        /// The rules of RankLib.
        RankLib = "ranklib",
    }
}

choice! {
    /// Whether a feature may be chosen repeatedly.
    pub enum FeatureRepeats {
        /// Features may be picked repeatedly.
        Allow = "allow",
        /// Each feature is picked at most once.
        Forbid = "forbid",
    }
}

/// AdaRank for any measure.
struct AdaRank {
    measure: Measure,
    validation: Measure,
    update: Update,
    rounds: u64,
    repeats: bool,
}

/// The update rule, with its parameters.
enum Update {
    Paper,
    RankLib { tolerance: f64, enqueue: bool, streak: u64 },
}

impl AdaRank {
    fn learn(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        let design = Design::new(train)?;
        informative(&design)?;
        check_labels(&self.measure, &design)?;
        let validation = Validation::new(&self.validation, train, &design, valid, 0)?;
        let mut boost = Boost::new(self, run, &design, validation)?;
        match self.update {
            Update::Paper => boost.follow_paper()?,
            Update::RankLib { tolerance, enqueue, streak } => {
                boost.follow_ranklib(tolerance, enqueue, streak)?;
            }
        }
        let weights = boost.weights();
        Ok(design.model(&boost.validation.best_or(weights)).into())
    }
}

/// A feature in the ensemble and its α.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pick {
    feature: usize,
    alpha: f64,
}

/// The state of boosting.
struct Boost<'a> {
    ranker: &'a AdaRank,
    run: &'a Run,
    design: &'a Design<'a>,
    validation: Validation<'a>,
    /// E(q, h): the measure of every counted query when a single feature ranks it.
    alone: Vec<Vec<f64>>,
    /// Queries that count under the measure.
    counted: Vec<usize>,
    /// P(q) of the counted queries.
    distribution: Vec<f64>,
    picks: Vec<Pick>,
    /// The largest range of every feature within a query.
    ranges: Vec<f64>,
}

impl<'a> Boost<'a> {
    fn new(
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
    fn best(&self, allowed: impl Fn(usize) -> bool) -> Option<usize> {
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
    fn add(&mut self, feature: usize) -> (f64, Vec<f64>) {
        let alpha = alpha(&self.distribution, &self.alone[feature]);
        self.picks.push(Pick { feature, alpha });
        let values =
            per_query(&self.ranker.measure, self.design, &self.design.scores(&self.weights()));
        (alpha, self.counted.iter().map(|&q| values[q]).collect())
    }

    fn weights(&self) -> Vec<f64> {
        let mut weights = vec![0.0; self.design.width()];
        self.picks.iter().for_each(|pick| weights[pick.feature] += pick.alpha);
        weights.iter_mut().zip(&self.ranges).for_each(|(weight, range)| *weight /= range);
        weights
    }

    fn report(&self, round: u64) -> Result<()> {
        self.run.step("boosting features", round, Some(self.ranker.rounds))
    }

    /// Runs the rounds of the paper.
    fn follow_paper(&mut self) -> Result<()> {
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

    /// Runs RankLib's phases: one that excludes features picked in two consecutive rounds, then one
    /// for each of those features.
    fn follow_ranklib(&mut self, tolerance: f64, enqueue: bool, streak: u64) -> Result<()> {
        let mut phases = Phases {
            round: 1,
            tolerance,
            streak,
            last: None,
            value: -1.0,
            waiting: Vec::new(),
            idle: 0,
            left_out: Vec::new(),
        };
        phases.learn(self, enqueue)?;
        while phases.waiting.pop().is_some() {
            phases.learn(self, false)?;
        }
        if self.picks.is_empty() {
            // The last round removed the only pick.
            self.best(|_| true).map(|feature| self.add(feature));
        }
        Ok(())
    }
}

/// State shared by RankLib's phases.
struct Phases {
    round: u64,
    tolerance: f64,
    streak: u64,
    /// The feature picked last.
    last: Option<usize>,
    /// The measure of the ensemble on training data.
    value: f64,
    /// Features that were picked in two consecutive rounds.
    waiting: Vec<usize>,
    /// Number of consecutive picks of one feature without any change.
    idle: u64,
    /// Features that are excluded because they changed nothing too often.
    left_out: Vec<usize>,
}

impl Phases {
    fn learn(&mut self, boost: &mut Boost<'_>, enqueue: bool) -> Result<()> {
        let mut before = (boost.distribution.clone(), self.value);
        while self.round <= boost.ranker.rounds {
            let free =
                |feature| !self.waiting.contains(&feature) && !self.left_out.contains(&feature);
            let Some(feature) = boost.best(free) else { break };
            if enqueue && self.last == Some(feature) {
                self.waiting.push(feature);
                boost.picks.pop();
                (boost.distribution, self.value) = before.clone();
                boost.validation.start_over();
                boost.report(self.round)?;
                self.round += 1;
                continue;
            }
            before = (boost.distribution.clone(), self.value);
            let (alpha, values) = boost.add(feature);
            let value = values.iter().sum::<f64>() / values.len() as f64;
            if !enqueue {
                self.exclude_if_idle(feature, value);
            }
            self.last = Some(feature);
            boost.report(self.round)?;
            let weights = boost.weights();
            boost.validation.is_enough(&weights);
            if value + self.tolerance <= self.value {
                boost.picks.pop();
                break;
            }
            self.value = value;
            let weighted =
                boost.distribution.iter().zip(&values).map(|(p, e)| p * (-alpha * e).exp());
            boost.distribution = normalised(weighted);
            self.round += 1;
        }
        Ok(())
    }

    /// Excludes a feature that is picked repeatedly without any change; re-admits all features
    /// after a change.
    fn exclude_if_idle(&mut self, feature: usize, value: f64) {
        if value != self.value || self.last != Some(feature) {
            self.idle = 0;
            self.left_out.clear();
            return;
        }
        self.idle += 1;
        if self.idle == self.streak {
            self.idle = 0;
            self.left_out.push(feature);
        }
    }
}

/// ½ ln[Σ P (1 + E) / Σ P (1 − E)].
fn alpha(distribution: &[f64], values: &[f64]) -> f64 {
    let sum =
        |sign: f64| distribution.iter().zip(values).map(|(p, e)| p * (1.0 + sign * e)).sum::<f64>();
    0.5 * (sum(1.0) / sum(-1.0).max(1e-10)).ln()
}

fn normalised(weights: impl Iterator<Item = f64>) -> Vec<f64> {
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
            serde_json::from_str(include_str!("../../../tests/fixtures/adarank.json")).unwrap();
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
