//! NGAS, naive greedy search for feature selection: each feature is followed by a dissimilar one.
//!
//! The first feature is the most relevant one. Then, with s the feature chosen last: u is the
//! remaining feature least similar to s, v the remaining one most similar to u, and the more
//! relevant of u and v is next (Gigli, Lucchese, Nardini & Perego, ICTIR 2016; u if they are
//! equally relevant). The search is naive because it considers the last feature only, not all
//! chosen ones.
//!
//! Similarity is the absolute value of Spearman's correlation, as in the authors' code;
//! correlations are computed within queries and averaged, `scope = pooled` treats all documents as
//! one list. Relevance in the paper is the NDCG of LambdaMART trained on the feature alone:
//! `relevance = lambdamart`, here with 100 trees and measured on the training data. The default
//! ranks by the feature itself, which takes one pass over the rows and differs for features whose
//! low values indicate relevance.

use super::redundancy::RelevanceAndRedundancy;
use super::traversal::traverse;
use crate::declare::method;
use crate::engine::Engine;
use crate::error::Result;
use crate::run::Run;
use crate::select::shared_params::{relevance_params, similarity_params};
use crate::select::{Findings, Selector};

method! {
    /// Naive greedy search: add the feature least similar to the last one, or its more relevant
    /// nearest neighbour.
    pub struct NGAS: Selector as "ngas" in Filter,
        cites ["gigli2016"], AsPublished, Passes,
        with [compares_pairs]
    {
        use relevance_params!();
        use similarity_params!("spearman");
    }
}

impl Selector for NGAS {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let facts = RelevanceAndRedundancy::of(run, engine, &self.relevance, &self.similarity)?;
        traverse(run, engine.schema(), &facts, |last, left| next(&facts, last, left))
    }
}

fn next(facts: &RelevanceAndRedundancy, last: usize, left: &[usize]) -> usize {
    let similarity = |a: usize, b: usize| facts.similarity(a, b);
    let least_similar =
        |best: usize, f: usize| if similarity(last, f) < similarity(last, best) { f } else { best };
    let u = left.iter().copied().fold(left[0], least_similar);
    let most_similar =
        |best: usize, f: usize| if similarity(u, f) > similarity(u, best) { f } else { best };
    match left.iter().copied().filter(|&f| f != u).reduce(most_similar) {
        Some(v) if facts.relevance[v] > facts.relevance[u] => v,
        _ => u,
    }
}

#[cfg(test)]
mod tests {
    use super::super::redundancy::worked_example;
    use super::*;

    /// From 0 the least similar is 3 (.1), whose neighbour 2 is more relevant; from 2 it is 4
    /// (.05), whose neighbour 1 (.2) is more relevant; from 1 it is 3 (.15), followed by its
    /// neighbour 4.
    #[test]
    fn follows_the_worked_example() {
        let fixture =
            serde_json::from_str(include_str!("../../../tests/fixtures/gas_divfs.json")).unwrap();
        let facts = worked_example(&fixture);
        let (mut order, mut left) = (vec![0], vec![1, 2, 3, 4]);
        while order.len() < 4 {
            order.push(next(&facts, order[order.len() - 1], &left));
            left.retain(|f| !order.contains(f));
        }
        assert_eq!(serde_json::json!(order), fixture["ngas"]);
    }
}
