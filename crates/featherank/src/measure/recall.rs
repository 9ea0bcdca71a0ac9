//! Recall at a cut-off: the share of a query's relevant documents that are among the first k.
//!
//! As in trec_eval (`recall_k`), with the relevant documents of the list as the denominator: the
//! data holds no others. A list shorter than the cut-off is complete, so its recall is 1.

use super::conventions::{Conventions, Key};
use super::precision::relevant_in_top;
use super::{Cutoff, Measure, MeasureSpec, RankedLabels, Summary};

pub(super) const RECALL: MeasureSpec = MeasureSpec {
    name: "recall",
    summary: "share of the relevant documents that are among the first k",
    cites: &[],
    cutoff: Cutoff::Required,
    options: &[Key::Relevant, Key::NoRelevant, Key::Ties],
    defaults: Conventions::STANDARD,
    summarise: Summary::Mean,
    value: recall,
    normaliser: None,
};

fn recall(measure: &Measure, ranking: &RankedLabels<'_>) -> f64 {
    let relevant_from = measure.conventions.relevant_from;
    let relevant = ranking.ideal().iter().take_while(|&&y| y >= relevant_from).count();
    relevant_in_top(measure, ranking, measure.depth(ranking.len())) / relevant as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str, scores: &[f32], labels: &[f32]) -> f64 {
        name.parse::<Measure>().unwrap().of_query(scores, labels)
    }

    #[test]
    fn recall_by_hand() {
        // Ranked labels: 2, 0, 1, 0, 1: three relevant documents.
        let (scores, labels) = ([5., 4., 3., 2., 1.], [2., 0., 1., 0., 1.]);
        for (k, expected) in [(1, 1.0 / 3.0), (2, 1.0 / 3.0), (3, 2.0 / 3.0), (5, 1.0), (9, 1.0)] {
            assert_eq!(value(&format!("recall@{k}"), &scores, &labels), expected, "{k}");
        }
        assert_eq!(value("recall[rel=2]@1", &scores, &labels), 1.0);
        // Two relevant documents among three with the same score: 4/3 of them expected in the
        // top 2.
        let tied = value("recall[ties=expected]@2", &[1., 1., 1.], &[1., 0., 1.]);
        assert!((tied - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(value("recall[ties=worst]@2", &[1., 1., 1.], &[1., 0., 1.]), 0.5);
    }

    #[test]
    fn queries_without_relevant_documents_follow_the_convention() {
        let (scores, labels) = ([2., 1.], [0., 0.]);
        assert_eq!(value("recall@1", &scores, &labels), 0.0);
        assert_eq!(value("recall[empty=one]@1", &scores, &labels), 1.0);
        assert!(value("recall[empty=skip]@1", &scores, &labels).is_nan());
    }

    #[test]
    fn the_top_of_the_list_is_enough() {
        let (scores, labels) = ([1., 9., 3., 8., 2., 8.], [1., 0., 1., 1., 0., 0.]);
        for name in ["recall@2", "recall[ties=expected]@2", "recall[ties=worst]@3"] {
            let measure: Measure = name.parse().unwrap();
            let mut scratch = crate::measure::RankingScratch::default();
            scratch.labels(&labels);
            assert_eq!(
                measure.of_scores(&mut scratch, &scores),
                measure.of_query(&scores, &labels)
            );
        }
    }
}
