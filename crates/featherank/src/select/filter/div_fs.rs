//! DivFS: result diversification applied to features. There are three rules, with r the measure of
//! a feature alone, s the similarity of two features, and S the features chosen so far; all start
//! with the feature of the largest r.
//!
//! - `mmr`, maximal marginal relevance: the largest (1 − λ) r(f) + λ/|S| Σ (1 − s(f, g)) over g in
//!   S.
//! - `mpt`, modern portfolio theory: the largest r(f) − b σ²(f) − 2b σ(f) Σ σ(g) s(f, g), σ² the
//!   variance of r over queries.
//! - `msd`, maximum sum dispersion: pair by pair, the largest (1 − λ)(r(f) + r(g)) + 2λ (1 − s(f,
//!   g)).
//!
//! Naini & Altingovde: Exploiting result diversification methods for feature selection in learning
//! to rank, ECIR 2014. Sousa et al. (2016) use the better of MMR and MPT with 20, 30 or 40 % of the
//! features, λ and b from .1 to .9. All features have the same weight in the portfolio, regardless
//! of their position. Each round starts from r itself, not from the discounted value of the
//! previous round. λ of .5 or more is almost pure diversity.

use crate::data::FeatureId;
use crate::declare::{choice, method};
use crate::engine::{Engine, Schema};
use crate::error::Result;
use crate::run::Run;
use crate::select::filter::redundancy::RelevanceAndRedundancy;
use crate::select::filter::trade_off::trade_off;
use crate::select::forward::{Criterion, forward};
use crate::select::shared_params::{relevance_measure_param, similarity_params};
use crate::select::{Findings, Selector};

choice! {
    /// How relevance and diversity are combined.
    pub enum DiversityRule {
        /// Maximal marginal relevance.
        Mmr = "mmr",
        /// Modern portfolio theory.
        Mpt = "mpt",
        /// Max-sum diversification.
        Msd = "msd",
    }
}

#[derive(Debug, Clone, Copy)]
enum DiversityCriterion {
    Mmr { lambda: f64 },
    Mpt { b: f64 },
    Msd { lambda: f64 },
}

method! {
    /// Search-result diversification applied to features: relevance against similarity.
    pub struct DivFS: Selector as "divfs" in Filter,
        cites ["naini2014", "sousa2016"], Reconstruction, Passes,
        with [compares_pairs]
    {
        /// How relevance and diversity are combined.
        let rule: Choice<DiversityRule> = "mmr",
        /// Weight of diversity in mmr and msd.
        let lambda: Real(0.0..=1.0) = "0.1",
        /// Risk aversion of mpt.
        let b: Real(0.0..=1000.0) = "0.5",
        use relevance_measure_param!("ndcg[ties=expected]@10");
        use similarity_params!("kendall");
        derive rule: DiversityCriterion = DiversityCriterion::new(rule, lambda, b);
    }
}

impl Selector for DivFS {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let facts = RelevanceAndRedundancy::of(run, engine, &self.relevance, &self.similarity)?;
        let variances = || self.relevance.variances(engine, &facts.features);
        self.rule.choose(run, engine.schema(), &facts, variances)
    }
}

impl DiversityCriterion {
    fn new(rule: DiversityRule, lambda: f64, b: f64) -> Self {
        match rule {
            DiversityRule::Mmr => DiversityCriterion::Mmr { lambda },
            DiversityRule::Mpt => DiversityCriterion::Mpt { b },
            DiversityRule::Msd => DiversityCriterion::Msd { lambda },
        }
    }

    fn choose(
        self,
        run: &Run,
        schema: &Schema,
        facts: &RelevanceAndRedundancy,
        variances: impl FnOnce() -> Result<Vec<f64>>,
    ) -> Result<Findings> {
        let relevance = &facts.relevance;
        match self {
            DiversityCriterion::Mmr { lambda } => {
                let unlike = |f, chosen| 1.0 - facts.correlation(f, chosen);
                let score = |f: usize, unlike: f64, chosen: usize| {
                    (1.0 - lambda) * relevance[f] + lambda * unlike / chosen.max(1) as f64
                };
                trade_off(run, schema, facts, unlike, score, None)
            }
            DiversityCriterion::Mpt { b } => {
                let variance = variances()?;
                let shared =
                    |f, chosen: usize| variance[chosen].sqrt() * facts.correlation(f, chosen);
                let score = |f: usize, shared: f64, chosen: usize| match chosen {
                    0 => relevance[f],
                    _ => relevance[f] - b * variance[f] - 2.0 * b * variance[f].sqrt() * shared,
                };
                trade_off(run, schema, facts, shared, score, None)
            }
            DiversityCriterion::Msd { lambda } => {
                forward(run, schema, &facts.features, &facts.unusable, &mut Pairs { facts, lambda })
            }
        }
    }
}

/// Every second feature is the best partner of the one before it; the first feature of a pair is
/// scored by its best pair.
struct Pairs<'a> {
    facts: &'a RelevanceAndRedundancy,
    lambda: f64,
}

impl Pairs<'_> {
    fn pair(&self, f: usize, g: usize) -> f64 {
        let relevance = &self.facts.relevance;
        (1.0 - self.lambda) * (relevance[f] + relevance[g])
            + 2.0 * self.lambda * (1.0 - self.facts.correlation(f, g))
    }
}

impl Criterion for Pairs<'_> {
    fn scores(&mut self, chosen: &[FeatureId], candidates: &[FeatureId]) -> Result<Vec<f64>> {
        let places: Vec<usize> = candidates.iter().filter_map(|&f| self.facts.place(f)).collect();
        let last = chosen.last().and_then(|&last| self.facts.place(last));
        if let (Some(last), 1) = (last, chosen.len() % 2) {
            return Ok(places.iter().map(|&f| self.pair(f, last)).collect());
        }
        let best_pair = |&f: &usize| {
            let others = places.iter().filter(|&&g| g != f).map(|&g| self.pair(f, g));
            // With an odd number of features, the last one has no partner.
            let alone = (1.0 - self.lambda) * self.facts.relevance[f];
            others.reduce(f64::max).unwrap_or(alone)
        };
        Ok(places.iter().map(best_pair).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::filter::redundancy::worked_example;
    use crate::select::filter::trade_off::tests::{ids, path, run_over};

    #[test]
    fn picks_of_the_worked_examples() {
        let fixture: serde_json::Value =
            serde_json::from_str(include_str!("../../../tests/fixtures/gas_divfs.json")).unwrap();
        let facts = worked_example(&fixture);
        let variance = &fixture["variance"];
        let variances =
            || Ok(variance.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect());
        let (run, schema) = run_over(5);
        let order = |rule: DiversityCriterion| {
            path(&rule.choose(&run, &schema, &facts, variances).unwrap())
        };
        for (lambda, expected) in fixture["mmr"].as_object().unwrap() {
            let lambda = lambda.parse().unwrap();
            assert_eq!(
                order(DiversityCriterion::Mmr { lambda })[..4],
                ids(expected)[..],
                "mmr {lambda}"
            );
        }
        for (lambda, expected) in fixture["msd"].as_object().unwrap() {
            let lambda = lambda.parse().unwrap();
            assert_eq!(
                order(DiversityCriterion::Msd { lambda })[..4],
                ids(expected)[..],
                "msd {lambda}"
            );
        }
        for (b, expected) in fixture["mpt"].as_object().unwrap() {
            let found = DiversityCriterion::Mpt { b: b.parse().unwrap() }
                .choose(&run, &schema, &facts, variances)
                .unwrap();
            assert_eq!(path(&found)[..4], ids(&expected["order"])[..], "mpt {b}");
            for ((f, value), scores) in
                found.path[1..].iter().zip(expected["scores"].as_array().unwrap())
            {
                let score = scores[f.0.to_string()].as_f64().unwrap();
                assert!((value - score).abs() < 1e-9, "mpt {b}, feature {}", f.0);
            }
        }
    }
}
