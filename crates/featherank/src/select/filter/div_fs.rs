//! DivFS: result diversification applied to features. Three rules, with r the measure of a feature
//! alone, s the similarity of two features, S the features chosen so far; all start with the
//! feature of the largest r.
//!
//! - `mmr`, maximal marginal relevance: the largest (1 − λ) r(f) + λ/|S| Σ (1 − s(f, g)) over g in
//!   S.
//! - `mpt`, modern portfolio theory: the largest r(f) − b σ²(f) − 2b σ(f) Σ σ(g) s(f, g), σ² the
//!   variance of r over queries.
//! - `msd`, maximum sum dispersion: pair after pair, the largest (1 − λ)(r(f) + r(g)) + 2λ (1 −
//!   s(f, g)).
//!
//! Naini & Altingovde: Exploiting result diversification methods for feature selection in learning
//! to rank, ECIR 2014. Sousa et al. (2016) use the better of MMR and MPT with 20, 30 or 40 % of the
//! features, λ and b from .1 to .9. All features weigh the same in the portfolio whatever their
//! place. Each round starts from r itself, not from the last round's discounted value. λ from .5 on
//! is almost pure diversity.

use crate::data::FeatureId;
use crate::engine::{Engine, Schema};
use crate::error::Result;
use crate::params::{Kind, Param};
use crate::registry::{Category, Status};
use crate::run::Run;
use crate::select::filter::redundancy::RelevanceAndRedundancy;
use crate::select::filter::relevance::Relevance;
use crate::select::filter::similarity::Similarity;
use crate::select::filter::trade_off::trade_off;
use crate::select::forward::{Criterion, forward};
use crate::select::{Selection, Selector, SelectorSpec};

#[derive(Debug, Clone, Copy)]
enum Rule {
    Mmr { lambda: f64 },
    Mpt { b: f64 },
    Msd { lambda: f64 },
}

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `rule` | `mmr` | `mmr`, `mpt`, `msd` | how worth and diversity are combined |
/// | `lambda` | 0.1 | 0 to 1 | share of diversity in `mmr` and `msd` |
/// | `b` | 0.5 | 0 to 1000 | how much `mpt` shuns risk |
/// | `measure` | `ndcg[ties=expected]@10` | any measure | what "ranks well" means |
/// | `similarity`, `scope` | `kendall`, `query` | see [`Similarity`] | likeness |
pub struct DivFs {
    rule: Rule,
    relevance: Relevance,
    similarity: Similarity,
}

/// The registry's entry.
pub const SPEC: SelectorSpec = SelectorSpec {
    name: "divfs",
    summary: "features diversified like search results",
    category: Category::Filter,
    cites: &["naini2014", "sousa2016"],
    status: Status::Reconstruction,
    scales_out: true,
    resumes: false,
    uses_valid: false,
    leaves_model: false,
    params: &[
        Param {
            name: "rule",
            kind: Kind::Choice(&["mmr", "mpt", "msd"]),
            default: "mmr",
            meaning: "how worth and diversity are combined",
        },
        Param {
            name: "lambda",
            kind: Kind::Real { min: 0.0, max: 1.0 },
            default: "0.1",
            meaning: "share of diversity in mmr and msd",
        },
        Param {
            name: "b",
            kind: Kind::Real { min: 0.0, max: 1000.0 },
            default: "0.5",
            meaning: "how much mpt shuns risk",
        },
        Relevance::MEASURE,
        Similarity::kind("kendall"),
        Similarity::SCOPE,
    ],
    build: |params| {
        let lambda = params.real("lambda")?;
        Ok(Box::new(DivFs {
            rule: match params.text("rule") {
                "mpt" => Rule::Mpt { b: params.real("b")? },
                "msd" => Rule::Msd { lambda },
                _ => Rule::Mmr { lambda },
            },
            relevance: Relevance::from_params(params)?,
            similarity: Similarity::from_params(params)?,
        }))
    },
};

impl Selector for DivFs {
    fn select(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let facts = RelevanceAndRedundancy::of(run, engine, &self.relevance, &self.similarity)?;
        let variances = || self.relevance.variances(engine, &facts.features);
        self.rule.choose(run, engine.schema(), &facts, variances)
    }
}

impl Rule {
    fn choose(
        self,
        run: &Run,
        schema: &Schema,
        facts: &RelevanceAndRedundancy,
        variances: impl FnOnce() -> Result<Vec<f64>>,
    ) -> Result<Selection> {
        let relevance = &facts.relevance;
        match self {
            Rule::Mmr { lambda } => {
                let unlike = |f, chosen| 1.0 - facts.correlation(f, chosen);
                let score = |f: usize, unlike: f64, chosen: usize| {
                    (1.0 - lambda) * relevance[f] + lambda * unlike / chosen.max(1) as f64
                };
                trade_off(run, schema, facts, unlike, score, None)
            }
            Rule::Mpt { b } => {
                let variance = variances()?;
                let shared =
                    |f, chosen: usize| variance[chosen].sqrt() * facts.correlation(f, chosen);
                let score = |f: usize, shared: f64, chosen: usize| match chosen {
                    0 => relevance[f],
                    _ => relevance[f] - b * variance[f] - 2.0 * b * variance[f].sqrt() * shared,
                };
                trade_off(run, schema, facts, shared, score, None)
            }
            Rule::Msd { lambda } => {
                forward(run, schema, &facts.features, &facts.dead, &mut Pairs { facts, lambda })
            }
        }
    }
}

/// Every second feature is the best partner of the one before it; the first of a pair has the score that
/// its best pair is.
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
            // The last one of an odd number has nobody left.
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
        let order = |rule: Rule| path(&rule.choose(&run, &schema, &facts, variances).unwrap());
        for (lambda, expected) in fixture["mmr"].as_object().unwrap() {
            let lambda = lambda.parse().unwrap();
            assert_eq!(order(Rule::Mmr { lambda })[..4], ids(expected)[..], "mmr {lambda}");
        }
        for (lambda, expected) in fixture["msd"].as_object().unwrap() {
            let lambda = lambda.parse().unwrap();
            assert_eq!(order(Rule::Msd { lambda })[..4], ids(expected)[..], "msd {lambda}");
        }
        for (b, expected) in fixture["mpt"].as_object().unwrap() {
            let selection = Rule::Mpt { b: b.parse().unwrap() }
                .choose(&run, &schema, &facts, variances)
                .unwrap();
            assert_eq!(path(&selection)[..4], ids(&expected["order"])[..], "mpt {b}");
            for (step, scores) in
                selection.path[1..].iter().zip(expected["scores"].as_array().unwrap())
            {
                let score = scores[step.feature.to_string()].as_f64().unwrap();
                assert!((step.value - score).abs() < 1e-9, "mpt {b}, feature {}", step.feature);
            }
        }
    }
}
