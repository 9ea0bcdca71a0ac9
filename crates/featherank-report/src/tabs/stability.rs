//! How far selections agree: across folds and seeds, across draws of queries, and between methods.

use std::collections::BTreeMap;

use featherank::experiment::{Results, Stability, jaccard};
use serde::Serialize;

use crate::grouped::{CONFIDENCE, Grouped, mean};

/// The tab.
#[derive(Serialize)]
pub struct Stable {
    /// Ids, those chosen most often first; features that nobody chose are left out.
    pub features: Vec<u32>,
    pub methods: Vec<Choices>,
    /// Mean Jaccard similarity of selections from the same fold and seed, methods by methods;
    /// nothing where they share none.
    pub alike: Vec<Vec<Option<f64>>>,
}

/// How one method chooses.
#[derive(Serialize)]
pub struct Choices {
    pub method: String,
    /// Share of the selections with each of the tab's features.
    pub shares: Vec<f64>,
    pub selections: usize,
    /// Nogueira's stability with its interval.
    pub agreement: Option<Agreement>,
    /// The same over draws of training queries, and how many there were.
    pub draws: usize,
    pub agreement_of_draws: Option<Agreement>,
}

/// A value and where the true one lies.
#[derive(Serialize)]
pub struct Agreement {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// Of all methods that select.
pub fn of(results: &Results, groups: &[Grouped<'_>]) -> Option<Stable> {
    let selecting: Vec<&Grouped<'_>> =
        groups.iter().filter(|group| group.selector.is_some() && !group.cells.is_empty()).collect();
    let sets: Vec<Vec<Vec<u32>>> = selecting
        .iter()
        .map(|group| group.cells.iter().map(|(_, done)| done.features.clone()).collect())
        .collect();
    let share = |sets: &[Vec<u32>], id: u32| {
        mean(sets.iter().map(|set| f64::from(u8::from(set.contains(&id)))))
    };
    let mut totals: BTreeMap<u32, f64> = BTreeMap::new();
    for id in sets.iter().flatten().flatten() {
        totals.entry(*id).or_insert_with(|| sets.iter().map(|sets| share(sets, *id)).sum());
    }
    let mut features: Vec<(u32, f64)> = totals.into_iter().collect();
    features.sort_by(|(f, a), (g, b)| b.total_cmp(a).then(f.cmp(g)));
    let features: Vec<u32> = features.into_iter().map(|(id, _)| id).collect();
    if features.is_empty() {
        return None;
    }
    let choices = |(group, sets): (&&Grouped<'_>, &Vec<Vec<u32>>)| {
        let draws: Vec<Vec<u32>> = results
            .resamples
            .iter()
            .filter(|draw| draw.method == group.name)
            .map(|draw| draw.features.clone())
            .collect();
        Choices {
            method: group.name.to_owned(),
            shares: features.iter().map(|&id| share(sets, id)).collect(),
            selections: sets.len(),
            agreement: agreement(sets, results.features.len()),
            draws: draws.len(),
            agreement_of_draws: agreement(&draws, results.features.len()),
        }
    };
    let methods = selecting.iter().zip(&sets).map(choices).collect();
    let row = |a| selecting.iter().map(|b| alike(a, b)).collect();
    Some(Stable { methods, alike: selecting.iter().map(|a| row(a)).collect(), features })
}

/// Nothing where there is nothing to compare.
fn agreement(sets: &[Vec<u32>], features: usize) -> Option<Agreement> {
    let agreement = Stability::of(sets, features, CONFIDENCE).ok()?.agreement?;
    Some(Agreement {
        value: agreement.value,
        low: agreement.interval.low,
        high: agreement.interval.high,
    })
}

/// Two methods on the same folds with the same seeds.
fn alike(a: &Grouped<'_>, b: &Grouped<'_>) -> Option<f64> {
    let value = mean(a.cells.iter().flat_map(|(cell, done)| {
        let same =
            b.cells.iter().filter(|(other, _)| (other.fold, other.seed) == (cell.fold, cell.seed));
        same.map(|(_, other)| jaccard(&done.features, &other.features))
    }));
    (!value.is_nan()).then_some(value)
}
