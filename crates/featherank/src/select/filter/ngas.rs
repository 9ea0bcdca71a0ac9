//! NGAS, naive greedy search for feature selection: from each feature to one that is least like it.
//!
//! Starts at the most relevant feature. Then, with s the feature chosen last: u is the remaining
//! feature least similar to s, v the remaining one most similar to u, and the more relevant of u
//! and v is next (Gigli, Lucchese, Nardini & Perego, ICTIR 2016; u when they are equally relevant).
//! Only the last feature counts, not all chosen ones, which is what makes it naive.
//!
//! Similarity is the absolute value of Spearman's correlation, as in the authors' code;
//! correlations are taken within queries and averaged, `scope = pooled` takes all documents as one
//! list. Relevance in the paper is the NDCG of LambdaMART trained on the feature alone: `relevance
//! = lambdamart`, here with 100 trees and measured on the training data. The default ranks by the
//! feature itself, which takes one pass over the rows and differs for features that are better the
//! lower they are.

use super::redundancy::RelevanceAndRedundancy;
use super::walk::walk;
use crate::declare::method;
use crate::engine::Engine;
use crate::error::Result;
use crate::run::Run;
use crate::select::shared_params::{relevance_params, similarity_params};
use crate::select::{Selection, Selector};

method! {
    /// A walk from each feature to the one least like it, or that one's more relevant neighbour.
    pub struct NGAS: Selector as "ngas" in Filter,
        cites ["gigli2016"], AsPublished, Passes
    {
        use relevance_params!();
        use similarity_params!("spearman");
    }
}

impl Selector for NGAS {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let facts = RelevanceAndRedundancy::of(run, engine, &self.relevance, &self.similarity)?;
        walk(run, engine.schema(), &facts, |last, left| next(&facts, last, left))
    }
}

fn next(facts: &RelevanceAndRedundancy, last: usize, left: &[usize]) -> usize {
    let alike = |a: usize, b: usize| facts.similarity(a, b);
    let farthest =
        |best: usize, f: usize| if alike(last, f) < alike(last, best) { f } else { best };
    let u = left.iter().copied().fold(left[0], farthest);
    let nearer = |best: usize, f: usize| if alike(u, f) > alike(u, best) { f } else { best };
    match left.iter().copied().filter(|&f| f != u).reduce(nearer) {
        Some(v) if facts.relevance[v] > facts.relevance[u] => v,
        _ => u,
    }
}

#[cfg(test)]
mod tests {
    use super::super::redundancy::worked_example;
    use super::*;

    /// From 0 the farthest is 3 (.1), whose neighbour 2 is more relevant; from 2 it is 4 (.05),
    /// whose neighbour 1 (.2) is more relevant; from 1 it is 3 (.15) before its neighbour 4.
    #[test]
    fn walks_as_in_the_worked_example() {
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
