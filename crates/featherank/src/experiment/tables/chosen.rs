//! Selection frequencies: over folds, as in tables 3 to 6 of the BestGain report, over seeds, and
//! over bootstrap samples.

use std::collections::BTreeMap;

use super::pooled::PooledResults;
use super::{Table, named};
use crate::error::Result;
use crate::experiment::Results;

/// The maximum number of features listed.
const LISTED: usize = 10;

/// One table over folds and seeds, and one over bootstrap samples if there are any.
pub fn tables(results: &Results, methods: &[PooledResults<'_>]) -> Result<Vec<Table>> {
    let selecting = || {
        methods
            .iter()
            .enumerate()
            .filter(|(_, method)| method.selector.is_some() && !method.cells.is_empty())
    };
    let mut tables = Vec::new();
    let folds = results.folds.len();
    let times: Vec<String> = (1..=folds).rev().map(|times| times.to_string()).collect();
    let by_count = format!("in {} folds", times.join(", "));
    let mut table = Table::new(
        "Selected features by fold",
        &["", "method", "features by fold", &by_count, "most frequent"],
    );
    for (i, method) in selecting() {
        let first: Vec<Vec<u32>> = of_seed(method, results.seed);
        let sizes: Vec<String> = first.iter().map(|features| features.len().to_string()).collect();
        let mut row = named(i, method);
        row.extend([
            sizes.join(" "),
            counts(&first, folds),
            most_frequent(results, &method.selections()),
        ]);
        table.rows.push(row);
    }
    table.notes.push("numbers by fold are those of the first seed; the most frequent features with the number of folds, and of seeds if the method is randomised, that selected them".into());
    tables.push(table);
    let mut table = Table::new(
        "Selected features over bootstrap samples of the training queries",
        &["", "method", "samples", "stability", "95 % interval", "most frequent"],
    );
    for (i, method) in selecting() {
        let draws: Vec<Vec<u32>> = results
            .resamples
            .iter()
            .filter(|draw| draw.method == method.name)
            .map(|draw| draw.features.clone())
            .collect();
        if !draws.is_empty() {
            let mut row = named(i, method);
            row.push(draws.len().to_string());
            row.extend(super::cost::stability(&draws, results.features.len())?);
            row.push(most_frequent(results, &draws));
            table.rows.push(row);
        }
    }
    table.notes.push(
        "queries are sampled with replacement within each fold; samples of all folds together"
            .into(),
    );
    tables.push(table);
    tables.retain(|table| !table.rows.is_empty());
    Ok(tables)
}

/// The selections of each fold with one seed.
fn of_seed(method: &PooledResults<'_>, seed: u64) -> Vec<Vec<u32>> {
    let cells = method.cells.iter().filter(|(cell, _)| cell.seed == seed);
    cells.map(|(_, done)| done.features.clone()).collect()
}

/// Features and the number of selections that contain them, most frequent first, then by id.
fn times(selections: &[Vec<u32>]) -> Vec<(u32, usize)> {
    let mut times: BTreeMap<u32, usize> = BTreeMap::new();
    selections.iter().flatten().for_each(|&id| *times.entry(id).or_default() += 1);
    let mut times: Vec<(u32, usize)> = times.into_iter().collect();
    times.sort_by_key(|&(id, times)| (std::cmp::Reverse(times), id));
    times
}

/// The number of features selected in all folds, in all but one, and so on down to one.
fn counts(selections: &[Vec<u32>], folds: usize) -> String {
    let times = times(selections);
    let count =
        |wanted: usize| times.iter().filter(|&&(_, times)| times == wanted).count().to_string();
    (1..=folds).rev().map(count).collect::<Vec<_>>().join(" ")
}

/// The most frequent features by name, with counts.
fn most_frequent(results: &Results, selections: &[Vec<u32>]) -> String {
    let label = |id: u32| {
        let feature = results.features.iter().find(|feature| feature.id == id);
        feature.map_or_else(|| id.to_string(), |feature| feature.label())
    };
    let named = times(selections)
        .into_iter()
        .take(LISTED)
        .map(|(id, times)| format!("{} ({times}×)", label(id)));
    named.collect::<Vec<_>>().join(", ")
}
