//! Convergence of searches: the distribution over runs (folds and seeds) in each generation.

use featherank::measure::significance::quantile;
use featherank::select::{Generation, Selection};
use serde::Serialize;

use crate::grouped::{Grouped, mean};

/// The searches of one method.
#[derive(Serialize)]
pub struct Convergence {
    pub method: String,
    /// Number of searches.
    pub runs: usize,
    pub generations: Vec<GenerationSummary>,
}

/// One generation, over all runs that reached it.
#[derive(Serialize)]
pub struct GenerationSummary {
    /// Number of the generation, from 1.
    pub generation: usize,
    pub runs: usize,
    /// Effectiveness of the best subset.
    pub best: FiveNumbers,
    /// Mean effectiveness of all subsets.
    pub mean: FiveNumbers,
    /// Means over runs.
    pub features: f64,
    pub front: f64,
}

/// The five-number summary of a box plot.
#[derive(Serialize, Debug, PartialEq)]
pub struct FiveNumbers {
    pub least: f64,
    pub q1: f64,
    pub median: f64,
    pub q3: f64,
    pub most: f64,
}

impl FiveNumbers {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let [least, q1, median, q3, most] =
            [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| quantile(&values, share));
        FiveNumbers { least, q1, median, q3, most }
    }
}

/// The convergence of all methods that search.
pub fn of_results(groups: &[Grouped<'_>]) -> Vec<Convergence> {
    let of_group = |group: &Grouped<'_>| {
        let runs: Vec<&[Generation]> =
            group.cells.iter().map(|(_, done)| &done.generations[..]).collect();
        convergence(group.name, &runs)
    };
    groups.iter().filter_map(of_group).collect()
}

/// The convergence of the search behind a selection.
pub fn of_selection(selection: &Selection) -> Vec<Convergence> {
    let searched = selection.searched.iter();
    searched
        .filter_map(|searched| convergence(&selection.method, &[&searched.generations]))
        .collect()
}

fn convergence(method: &str, runs: &[&[Generation]]) -> Option<Convergence> {
    let runs: Vec<&&[Generation]> = runs.iter().filter(|run| !run.is_empty()).collect();
    let longest = runs.iter().map(|run| run.len()).max()?;
    let spread = |index: usize| {
        let those: Vec<&Generation> = runs.iter().filter_map(|run| run.get(index)).collect();
        GenerationSummary {
            generation: index + 1,
            runs: those.len(),
            best: FiveNumbers::of(those.iter().map(|generation| generation.best).collect()),
            mean: FiveNumbers::of(those.iter().map(|generation| generation.mean).collect()),
            features: mean(those.iter().map(|generation| generation.features)),
            front: mean(those.iter().map(|generation| generation.front as f64)),
        }
    };
    let generations = (0..longest).map(spread).collect();
    Some(Convergence { method: method.to_owned(), runs: runs.len(), generations })
}
