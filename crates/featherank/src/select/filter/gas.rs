//! GAS: features that rank well alone; each choice lowers the scores of similar features.
//!
//! The initial score of a feature is the measure when documents are sorted by it alone. The feature
//! with the highest score is added, and the score of every other feature decreases by 2c times its
//! similarity to the added one. Without `k` the method continues while the highest score is at
//! least `threshold`.
//!
//! Geng, Liu, Qin & Li: Feature selection for ranking, SIGIR 2007, in the variant GAS-E, which
//! scores features by an evaluation measure. Similarity is the mean of Kendall's τ over queries,
//! with its sign: the score of a feature that is negatively correlated with a chosen one increases.
//! The threshold is the second parameter that Costa & Silva (2010) mention. Neither paper prints
//! values; c = .02 works.

use crate::declare::method;
use crate::engine::{Engine, Schema};
use crate::error::Result;
use crate::run::Run;
use crate::select::filter::redundancy::RelevanceAndRedundancy;
use crate::select::filter::trade_off::trade_off;
use crate::select::shared_params::{relevance_measure_param, similarity_params};
use crate::select::{Findings, Selector};

method! {
    /// Greedy search for features with high relevance and low similarity to each other.
    pub struct GAS: Selector as "gas" in Filter,
        cites ["geng2007", "costa2010"], AsPublished, Passes,
        with [compares_pairs]
    {
        /// Weight of the similarity to selected features.
        c: Real(0.0..=1000.0) = "0.02",
        /// Without k: stop when the best remaining score is below this.
        threshold: Real(-1000.0..=1000.0) = "0",
        use relevance_measure_param!("map[ties=expected]");
        use similarity_params!("kendall");
    }
}

impl Selector for GAS {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
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
    ) -> Result<Findings> {
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
            let found = gas.choose(&run, &schema, &facts).unwrap();
            assert_eq!(path(&found)[..4], ids(&expected["order"])[..], "c = {c}");
            // A feature's score is fixed when it is chosen.
            let weights = &expected["weights_after_each"][3];
            for (f, value) in &found.path[..4] {
                let weight = weights[f.index()].as_f64().unwrap();
                assert!((value - weight).abs() < 1e-9, "c = {c}, feature {}", f.0);
            }
            let at_least_zero = found.path.iter().take_while(|(_, value)| *value >= 0.0).count();
            assert_eq!(found.selected.len(), at_least_zero);
        }
    }
}
