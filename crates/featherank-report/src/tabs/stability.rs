//! Stability of selections: over folds and seeds, over bootstrap samples, and between methods.

use std::collections::BTreeMap;

use featherank::experiment::{Results, Stability, jaccard};
use serde::Serialize;

use crate::grouped::{CONFIDENCE, Grouped, mean};

/// The tab.
#[derive(Serialize)]
pub struct StabilityTab {
    /// Ids of the features selected at least once, most frequent first.
    pub features: Vec<u32>,
    pub methods: Vec<SelectionFrequencies>,
    /// Mean Jaccard similarity of selections from the same fold and seed, methods by methods;
    /// `None` if they share no cell.
    pub similarity: Vec<Vec<Option<f64>>>,
}

/// The selection frequencies of one method.
#[derive(Serialize)]
pub struct SelectionFrequencies {
    pub method: String,
    /// Share of the selections that contain each feature.
    pub shares: Vec<f64>,
    pub selections: usize,
    /// Nogueira's stability with its confidence interval.
    pub agreement: Option<StabilityEstimate>,
    /// Number of bootstrap samples, and the stability over them.
    pub draws: usize,
    pub agreement_of_draws: Option<StabilityEstimate>,
}

/// A value with its confidence interval.
#[derive(Serialize)]
pub struct StabilityEstimate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// The stability of all methods that select features.
pub fn of(results: &Results, groups: &[Grouped<'_>]) -> Option<StabilityTab> {
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
        SelectionFrequencies {
            method: group.name.to_owned(),
            shares: features.iter().map(|&id| share(sets, id)).collect(),
            selections: sets.len(),
            agreement: agreement(sets, results.features.len()),
            draws: draws.len(),
            agreement_of_draws: agreement(&draws, results.features.len()),
        }
    };
    let methods = selecting.iter().zip(&sets).map(choices).collect();
    let row = |a| selecting.iter().map(|b| similarity(a, b)).collect();
    Some(StabilityTab { methods, similarity: selecting.iter().map(|a| row(a)).collect(), features })
}

/// The stability of selections; `None` if it is not defined.
fn agreement(sets: &[Vec<u32>], features: usize) -> Option<StabilityEstimate> {
    let agreement = Stability::of(sets, features, CONFIDENCE).ok()?.agreement?;
    Some(StabilityEstimate {
        value: agreement.value,
        low: agreement.interval.low,
        high: agreement.interval.high,
    })
}

/// The mean Jaccard similarity of two methods on the same folds and seeds.
fn similarity(a: &Grouped<'_>, b: &Grouped<'_>) -> Option<f64> {
    let value = mean(a.cells.iter().flat_map(|(cell, done)| {
        let same =
            b.cells.iter().filter(|(other, _)| (other.fold, other.seed) == (cell.fold, cell.seed));
        same.map(|(_, other)| jaccard(&done.features, &other.features))
    }));
    (!value.is_nan()).then_some(value)
}
