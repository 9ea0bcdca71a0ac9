//! Agreement between methods: the similarity of their selections on the same data.

use super::pooled::PooledResults;
use super::{Table, mean, named};
use crate::evaluate::letter;
use crate::experiment::jaccard;

/// The mean Jaccard index of every pair of selectors, over the folds and seeds that both have.
pub fn table(methods: &[PooledResults<'_>]) -> Option<Table> {
    let selecting: Vec<(usize, &PooledResults<'_>)> = methods
        .iter()
        .enumerate()
        .filter(|(_, method)| method.selector.is_some() && !method.cells.is_empty())
        .collect();
    let mut table = Table::new("Agreement between methods", &["", "method"]);
    table.header.extend(selecting.iter().map(|(i, _)| letter(*i)));
    for (i, a) in &selecting {
        let mut row = named(*i, a);
        row.extend(selecting.iter().map(|(_, b)| {
            similarity(a, b).map_or_else(String::new, |value| format!("{value:.2}"))
        }));
        table.rows.push(row);
    }
    table.notes.push(
        "mean Jaccard similarity of the selections on the same fold with the same seed".into(),
    );
    (selecting.len() > 1).then_some(table)
}

fn similarity(a: &PooledResults<'_>, b: &PooledResults<'_>) -> Option<f64> {
    let in_both =
        |(cell, done): &(&crate::experiment::ComparisonCell, &crate::experiment::CompletedCell)| {
            let same = b
                .cells
                .iter()
                .find(|(other, _)| other.fold == cell.fold && other.seed == cell.seed);
            same.map(|(_, other)| jaccard(&done.features, &other.features))
        };
    Some(mean(a.cells.iter().filter_map(in_both))).filter(|value| !value.is_nan())
}
