//! Labels: relevance divided into grades with the given balance.
//!
//! The thresholds are quantiles over all documents, the same for every query, so easy queries have
//! more relevant documents than hard ones. The hardest queries, by their best document, have none;
//! every other query has at least one.

use super::config::{SynthConfig, refused};
use crate::data::Queries;
use crate::error::Result;

/// Replaces the relevance of every document by its grade.
pub(super) fn cut(
    config: &SynthConfig,
    queries: &Queries,
    mut relevance: Vec<f32>,
) -> Result<Vec<f32>> {
    let best: Vec<usize> = queries.iter().map(|rows| best_row(&relevance, rows)).collect();
    let mut hardest: Vec<usize> = (0..queries.len()).collect();
    hardest.sort_by(|&a, &b| relevance[best[a]].total_cmp(&relevance[best[b]]).then(a.cmp(&b)));
    let mut without = vec![false; queries.len()];
    hardest.iter().take(config.queries_without_relevant()).for_each(|&query| without[query] = true);

    let others = || (0..queries.len()).filter(|&query| !without[query]);
    let mut pool: Vec<f32> =
        others().flat_map(|query| &relevance[queries.rows(query)]).copied().collect();
    let wanted = config.documents_from_grade(1);
    if wanted > pool.len() {
        let expected = format!(
            "a smaller share: the other queries have {} documents, fewer than {wanted} relevant ones",
            pool.len()
        );
        return Err(refused("no_relevant", config.no_relevant, expected));
    }
    let mut cuts = Vec::with_capacity(config.labels.len() - 1);
    for grade in (1..config.labels.len()).rev() {
        // The best document of a query is relevant whatever its value, so it must not take a place
        // in the first grade.
        if grade == 1 {
            pool.clear();
            for query in others() {
                let rows = queries.rows(query);
                pool.extend(
                    rows.map(|row| if row == best[query] { f32::INFINITY } else { relevance[row] }),
                );
            }
        }
        cuts.push(kth_largest(&mut pool, config.documents_from_grade(grade)));
    }
    cuts.reverse();
    // If the first grade has hardly any share, its threshold may exceed the next one.
    (1..cuts.len()).for_each(|grade| cuts[grade] = cuts[grade].max(cuts[grade - 1]));

    for query in 0..queries.len() {
        for row in queries.rows(query) {
            let reached = cuts.partition_point(|&cut| cut <= relevance[row]);
            let grade = if row == best[query] { reached.max(1) } else { reached };
            relevance[row] = if without[query] { 0.0 } else { grade as f32 };
        }
    }
    Ok(relevance)
}

/// The row with the highest relevance, the first among equals.
fn best_row(relevance: &[f32], rows: std::ops::Range<usize>) -> usize {
    rows.clone()
        .fold(rows.start, |best, row| if relevance[row] > relevance[best] { row } else { best })
}

/// The k-th largest value; for k = 0 a value that none reaches.
fn kth_largest(values: &mut [f32], k: usize) -> f32 {
    match k {
        0 => f32::INFINITY,
        _ => *values.select_nth_unstable_by(k - 1, |a, b| b.total_cmp(a)).1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(labels: &[f64], no_relevant: f64) -> SynthConfig {
        SynthConfig {
            queries: 3,
            documents: 10,
            labels: labels.to_vec(),
            no_relevant,
            ..SynthConfig::default()
        }
    }

    fn queries() -> Queries {
        Queries::from_sizes(&[4, 4, 2])
    }

    const RELEVANCE: [f32; 10] = [9., 8., 7., 6., 5., 0., 1., 2., 4., 3.];

    /// Four of ten are relevant, two of them with grade 2. By value these would be 9, 8, 7, 6; but
    /// every query has one.
    #[test]
    fn every_query_has_a_relevant_document_and_the_balance_is_exact() {
        let labels = cut(&config(&[0.6, 0.2, 0.2], 0.0), &queries(), RELEVANCE.to_vec()).unwrap();
        assert_eq!(labels, [2., 2., 0., 0., 1., 0., 0., 0., 1., 0.]);
    }

    /// The best document of the third query (4) is the lowest, so this is the one query in three
    /// without a relevant document.
    #[test]
    fn the_hardest_queries_have_no_relevant_document() {
        let labels =
            cut(&config(&[0.6, 0.3, 0.1], 1.0 / 3.0), &queries(), RELEVANCE.to_vec()).unwrap();
        assert_eq!(labels, [2., 1., 1., 0., 1., 0., 0., 0., 0., 0.]);
    }

    #[test]
    fn an_impossible_balance_is_rejected() {
        let error =
            cut(&config(&[0.1, 0.9], 1.0 / 3.0), &queries(), RELEVANCE.to_vec()).unwrap_err();
        assert!(error.to_string().contains("no_relevant"), "{error}");
    }
}
