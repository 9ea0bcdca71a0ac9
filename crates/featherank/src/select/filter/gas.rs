//! GAS: features that rank well alone, each choice lowering the scores of similar features.
//!
//! Worth of a feature at the start: the measure when documents are sorted by it alone. The feature
//! worth most is added, and every other one loses 2c times its similarity to it. Without `k` the
//! method goes on while the worth is at least `threshold`.
//!
//! Geng, Liu, Qin & Li: Feature selection for ranking, SIGIR 2007, in the variant GAS-E, worth by
//! an evaluation measure. Similarity is the mean of Kendall's τ over queries, with its sign: a
//! feature that contradicts a chosen one gains. The threshold is the second parameter that Costa &
//! Silva (2010) speak of. Neither paper prints values; c = .02 works.

use crate::engine::{Engine, Schema};
use crate::error::Result;
use crate::params::{Kind, Param};
use crate::registry::{Category, Status};
use crate::run::Run;
use crate::select::filter::redundancy::RelevanceAndRedundancy;
use crate::select::filter::relevance::Relevance;
use crate::select::filter::similarity::Similarity;
use crate::select::filter::trade_off::trade_off;
use crate::select::{Selection, Selector, SelectorSpec};

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `c` | 0.02 | 0 to 1000 | how much likeness to a chosen feature costs |
/// | `threshold` | 0 | −1000 to 1000 | without `k`: stop when no feature is worth this much |
/// | `measure` | `map[ties=expected]` | any measure | what "ranks well" means |
/// | `similarity`, `scope` | `kendall`, `query` | see [`Similarity`] | likeness |
pub struct Gas {
    c: f64,
    threshold: f64,
    relevance: Relevance,
    similarity: Similarity,
}

/// The registry's entry.
pub const SPEC: SelectorSpec = SelectorSpec {
    name: "gas",
    summary: "features that rank well alone and unlike each other",
    category: Category::Filter,
    cites: &["geng2007", "costa2010"],
    status: Status::AsPublished,
    scales_out: true,
    resumes: false,
    uses_valid: false,
    leaves_model: false,
    params: &[
        Param {
            name: "c",
            kind: Kind::Real { min: 0.0, max: 1000.0 },
            default: "0.02",
            meaning: "how much likeness to a chosen feature costs",
        },
        Param {
            name: "threshold",
            kind: Kind::Real { min: -1000.0, max: 1000.0 },
            default: "0",
            meaning: "without k: stop when no feature is worth this much",
        },
        Relevance::measure("map[ties=expected]"),
        Similarity::kind("kendall"),
        Similarity::SCOPE,
    ],
    build: |params| {
        Ok(Box::new(Gas {
            c: params.real("c")?,
            threshold: params.real("threshold")?,
            relevance: Relevance::from_params(params)?,
            similarity: Similarity::from_params(params)?,
        }))
    },
};

impl Selector for Gas {
    fn select(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let facts = RelevanceAndRedundancy::of(run, engine, &self.relevance, &self.similarity)?;
        self.choose(run, engine.schema(), &facts)
    }
}

impl Gas {
    fn choose(
        &self,
        run: &Run,
        schema: &Schema,
        facts: &RelevanceAndRedundancy,
    ) -> Result<Selection> {
        trade_off(
            run,
            schema,
            facts,
            |f, chosen| 2.0 * self.c * facts.correlation(f, chosen),
            |f, similarity, _| facts.relevance[f] - similarity,
            Some(self.threshold),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;
    use crate::select::filter::redundancy::worked_example;
    use crate::select::filter::trade_off::tests::{ids, path, run_over};

    #[test]
    fn picks_and_weights_of_the_worked_example() {
        let fixture =
            serde_json::from_str(include_str!("../../../tests/fixtures/gas_divfs.json")).unwrap();
        let facts = worked_example(&fixture);
        let (run, schema) = run_over(5);
        for (c, expected) in fixture["gas"].as_object().unwrap() {
            let params = Params::new("gas", SPEC.params, &[]).unwrap();
            let gas = Gas {
                c: c.parse().unwrap(),
                threshold: 0.0,
                relevance: Relevance::from_params(&params).unwrap(),
                similarity: Similarity::from_params(&params).unwrap(),
            };
            let selection = gas.choose(&run, &schema, &facts).unwrap();
            assert_eq!(path(&selection)[..4], ids(&expected["order"])[..], "c = {c}");
            // A feature's weight is frozen when it is chosen.
            let weights = &expected["weights_after_each"][3];
            for step in &selection.path[..4] {
                let weight = weights[step.feature as usize].as_f64().unwrap();
                assert!((step.value - weight).abs() < 1e-9, "c = {c}, feature {}", step.feature);
            }
            let at_least_zero = selection.path.iter().take_while(|step| step.value >= 0.0).count();
            assert_eq!(selection.selected.len(), at_least_zero);
        }
    }
}
