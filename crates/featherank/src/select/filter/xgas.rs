//! XGAS, extended naive greedy search: each feature is followed by the most relevant of the
//! dissimilar ones.
//!
//! The first feature is the most relevant one. Of the remaining features, the share `p` that is
//! least similar to the feature chosen last, at least one, are candidates, and the most relevant of
//! them is next (Gigli, Lucchese, Nardini & Perego, ICTIR 2016). The number of candidates is p
//! times the remaining features, rounded half up as in the authors' code. p = 1 orders by
//! relevance.
//!
//! Similarity and relevance, and how they depart from the paper, are those of [`super::ngas`].

use super::redundancy::RelevanceAndRedundancy;
use super::traversal::traverse;
use crate::declare::method;
use crate::engine::Engine;
use crate::error::Result;
use crate::run::Run;
use crate::select::shared_params::{relevance_params, similarity_params};
use crate::select::{Findings, Selector};

method! {
    /// Extended naive greedy search: add the most relevant of the features least similar to the
    /// last one.
    pub struct XGAS: Selector as "xgas" in Filter,
        cites ["gigli2016"], AsPublished, Passes,
        with [compares_pairs]
    {
        /// Share of the remaining features, least similar first, considered in each step.
        p: Real(0.0..=1.0) = "0.05",
        use relevance_params!();
        use similarity_params!("spearman");
    }
}

impl Selector for XGAS {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let facts = RelevanceAndRedundancy::of(run, engine, &self.relevance, &self.similarity)?;
        traverse(run, engine.schema(), &facts, |last, left| next(&facts, self.p, last, left))
    }
}

fn next(facts: &RelevanceAndRedundancy, share: f64, last: usize, left: &[usize]) -> usize {
    let mut least_similar = left.to_vec();
    let order =
        |a: &usize, b: &usize| facts.similarity(last, *a).total_cmp(&facts.similarity(last, *b));
    least_similar.sort_by(|a, b| order(a, b).then(a.cmp(b)));
    least_similar.truncate(((share * left.len() as f64).round() as usize).max(1));
    facts.by_relevance(least_similar)[0]
}

#[cfg(test)]
mod tests {
    use super::super::redundancy::worked_example;
    use super::*;

    #[test]
    fn follows_the_worked_example() {
        let fixture =
            serde_json::from_str(include_str!("../../../tests/fixtures/gas_divfs.json")).unwrap();
        let facts = worked_example(&fixture);
        for (share, name) in [(0.3, "0.3"), (0.5, "0.5")] {
            let (mut order, mut left) = (vec![0], vec![1, 2, 3, 4]);
            while order.len() < 4 {
                order.push(next(&facts, share, order[order.len() - 1], &left));
                left.retain(|f| !order.contains(f));
            }
            assert_eq!(serde_json::json!(order), fixture["xgas"][name], "p = {share}");
        }
        assert_eq!(next(&facts, 1.0, 0, &[1, 2, 3, 4]), 1, "all features are considered");
        assert_eq!(next(&facts, 0.0, 0, &[1, 2, 3, 4]), 3, "one at least");
    }
}
