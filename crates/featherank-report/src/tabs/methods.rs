//! Summary statistics of each method, for the table of methods and the tabs on sizes and time.

use featherank::experiment::Results;
use featherank::internals::letter;
use serde::Serialize;

use crate::grouped::{Estimate, Grouped, mean};

/// Summary statistics of a method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodSummary {
    pub name: String,
    /// The letter of the method in the tables of `compare`, and in charts.
    pub letter: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranker: Option<String>,
    pub folds: usize,
    pub runs: usize,
    pub failed: usize,
    /// Number of features over runs.
    pub features: FeatureCounts,
    /// The value of each measure over all test queries.
    pub values: Vec<Estimate>,
    /// Means over runs.
    pub select_seconds: f64,
    pub seconds: f64,
    /// The maximum over runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
}

/// Mean, minimum and maximum number of features.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FeatureCounts {
    pub mean: f64,
    pub least: usize,
    pub most: usize,
}

/// All methods with at least one result.
pub fn of(results: &Results, groups: &[Grouped<'_>]) -> Vec<MethodSummary> {
    let tested = groups.iter().enumerate().filter(|(_, group)| !group.cells.is_empty());
    tested.map(|(place, group)| summary(results, place, group)).collect()
}

fn summary(results: &Results, place: usize, group: &Grouped<'_>) -> MethodSummary {
    let counts: Vec<usize> = group.cells.iter().map(|(_, done)| done.features.len()).collect();
    let value = |measure| Estimate::of(&group.per_query(&results.folds, measure), results.seed);
    MethodSummary {
        name: group.name.to_owned(),
        letter: letter(place),
        selector: group.selector.map(str::to_owned),
        ranker: group.ranker.map(str::to_owned),
        folds: group.folds(),
        runs: group.cells.len(),
        failed: group.failed,
        features: FeatureCounts {
            mean: mean(counts.iter().map(|&count| count as f64)),
            least: counts.iter().copied().min().unwrap_or(0),
            most: counts.iter().copied().max().unwrap_or(0),
        },
        values: (0..results.measures.len()).map(value).collect(),
        select_seconds: mean(group.cells.iter().map(|(_, done)| done.measured.select_seconds)),
        seconds: mean(group.cells.iter().map(|(_, done)| done.measured.seconds)),
        peak_bytes: group.cells.iter().filter_map(|(_, done)| done.measured.peak_bytes).max(),
    }
}
