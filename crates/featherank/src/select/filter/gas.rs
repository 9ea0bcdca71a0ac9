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

use crate::declare::method;
use crate::engine::{Engine, Schema};
use crate::error::Result;
use crate::run::Run;
use crate::select::filter::redundancy::RelevanceAndRedundancy;
use crate::select::filter::trade_off::trade_off;
use crate::select::shared_params::{relevance_measure_param, similarity_params};
use crate::select::{Selection, Selector};

method! {
    /// Features that rank well alone and unlike each other.
    pub struct GAS: Selector as "gas" in Filter,
        cites ["geng2007", "costa2010"], AsPublished, Passes
    {
        /// How much likeness to a chosen feature costs.
        c: Real(0.0..=1000.0) = "0.02",
        /// Without k: stop when no feature is worth this much.
        threshold: Real(-1000.0..=1000.0) = "0",
        use relevance_measure_param!("map[ties=expected]");
        use similarity_params!("kendall");
    }
}

impl Selector for GAS {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let facts = RelevanceAndRedundancy::of(run, engine, &self.relevance, &self.similarity)?;
        self.choose(run, engine.schema(), &facts)
    }
}

impl GAS {
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
    use crate::select::filter::redundancy::worked_example;
    use crate::select::filter::trade_off::tests::{ids, path, run_over};

    #[test]
    fn picks_and_weights_of_the_worked_example() {
        let fixture =
            serde_json::from_str(include_str!("../../../tests/fixtures/gas_divfs.json")).unwrap();
        let facts = worked_example(&fixture);
        let (run, schema) = run_over(5);
        for (c, expected) in fixture["gas"].as_object().unwrap() {
            let gas = GAS::builder().c(c.parse().unwrap()).build().unwrap();
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
