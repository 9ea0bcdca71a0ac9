//! XGAS, extended naive greedy search: from each feature to the most relevant of those least like
//! it.
//!
//! Starts at the most relevant feature. Of the remaining features, the share `p` that is least
//! similar to the one chosen last stands for election, at least one, and the most relevant of them
//! is next (Gigli, Lucchese, Nardini & Perego, ICTIR 2016). The number is p times the remaining
//! features, rounded half up as the authors' code did. p = 1 orders by relevance.
//!
//! Similarity and relevance, and how they depart from the paper, are those of [`super::ngas`].

use super::redundancy::RelevanceAndRedundancy;
use super::relevance::Relevance;
use super::similarity::Similarity;
use super::walk::walk;
use crate::engine::Engine;
use crate::error::Result;
use crate::params::{Kind, Param};
use crate::registry::{Category, Status};
use crate::run::Run;
use crate::select::{Selection, Selector, SelectorSpec};

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `p` | `0.05` | 0 to 1 | share of the remaining features that stands for election |
/// | `measure` | `ndcg[ties=expected]@10` | any measure | what "ranks well" means |
/// | `relevance` | `alone` | `alone`, `lambdamart` | rank by the feature itself, or by LambdaMART trained on it alone |
/// | `similarity` | `spearman` | `kendall`, `spearman`, `pearson`, `top-10` | the correlation whose size makes features alike |
/// | `scope` | `query` | `query`, `pooled` | averaged over queries, or over all documents at once |
pub struct Xgas {
    share: f64,
    relevance: Relevance,
    similarity: Similarity,
}

/// The registry's entry.
pub const SPEC: SelectorSpec = SelectorSpec {
    name: "xgas",
    summary: "a walk from each feature to the most relevant of those least like it",
    category: Category::Filter,
    cites: &["gigli2016"],
    status: Status::AsPublished,
    scales_out: true,
    resumes: false,
    uses_valid: false,
    leaves_model: false,
    params: &[
        Param {
            name: "p",
            kind: Kind::Real { min: 0.0, max: 1.0 },
            default: "0.05",
            meaning: "share of the remaining features that stands for election",
        },
        Relevance::MEASURE,
        Relevance::BY,
        Similarity::kind("spearman"),
        Similarity::SCOPE,
    ],
    build: |params| {
        let (relevance, similarity) =
            (Relevance::from_params(params)?, Similarity::from_params(params)?);
        Ok(Box::new(Xgas { share: params.real("p")?, relevance, similarity }))
    },
};

impl Selector for Xgas {
    fn select(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let facts = RelevanceAndRedundancy::of(run, engine, &self.relevance, &self.similarity)?;
        walk(run, engine.schema(), &facts, |last, left| next(&facts, self.share, last, left))
    }
}

fn next(facts: &RelevanceAndRedundancy, share: f64, last: usize, left: &[usize]) -> usize {
    let mut least_alike = left.to_vec();
    let order =
        |a: &usize, b: &usize| facts.similarity(last, *a).total_cmp(&facts.similarity(last, *b));
    least_alike.sort_by(|a, b| order(a, b).then(a.cmp(b)));
    least_alike.truncate(((share * left.len() as f64).round() as usize).max(1));
    facts.by_relevance(least_alike)[0]
}

#[cfg(test)]
mod tests {
    use super::super::redundancy::worked_example;
    use super::*;

    #[test]
    fn walks_as_in_the_worked_example() {
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
        assert_eq!(next(&facts, 1.0, 0, &[1, 2, 3, 4]), 1, "all stand for election");
        assert_eq!(next(&facts, 0.0, 0, &[1, 2, 3, 4]), 3, "one at least");
    }
}
