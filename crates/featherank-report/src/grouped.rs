//! The cells of an experiment grouped by method, and the values of a method on each test query.

use featherank::experiment::{CellOutcome, ComparisonCell, CompletedCell, FoldData, Results};
use featherank::measure::significance::{Interval, bootstrap_mean};
use serde::Serialize;

/// Confidence level of intervals.
pub const CONFIDENCE: f64 = 0.95;
const RESAMPLES: usize = 1000;

/// A method and its cells.
pub struct Grouped<'a> {
    pub name: &'a str,
    pub selector: Option<&'a str>,
    pub ranker: Option<&'a str>,
    pub cells: Vec<(&'a ComparisonCell, &'a CompletedCell)>,
    pub failed: usize,
}

/// All methods, in the order of the cells.
pub fn methods(results: &Results) -> Vec<Grouped<'_>> {
    let group = |name| {
        let mut group =
            Grouped { name, selector: None, ranker: None, cells: Vec::new(), failed: 0 };
        for cell in results.cells.iter().filter(|cell| cell.method == name) {
            (group.selector, group.ranker) = (cell.selector.as_deref(), cell.ranker.as_deref());
            match &cell.outcome {
                CellOutcome::Done(done) => group.cells.push((cell, done)),
                CellOutcome::Failed(_) => group.failed += 1,
            }
        }
        group
    };
    results.methods().into_iter().map(group).collect()
}

impl Grouped<'_> {
    /// The value of each test query, fold by fold: the mean over seeds, NaN if a query does not
    /// count or its fold failed.
    pub fn per_query(&self, folds: &[FoldData], measure: usize) -> Vec<f64> {
        let of_fold = |fold: &FoldData| -> Vec<f64> {
            let tested: Vec<&Vec<Option<f64>>> = self
                .cells
                .iter()
                .filter(|(cell, _)| cell.fold == fold.number)
                .filter_map(|(_, done)| done.test.get(measure))
                .collect();
            let of_query = |query: usize| mean(tested.iter().filter_map(|values| values[query]));
            (0..fold.queries.len()).map(of_query).collect()
        };
        folds.iter().flat_map(of_fold).collect()
    }

    /// The number of folds with results.
    pub fn folds(&self) -> usize {
        let mut folds: Vec<usize> = self.cells.iter().map(|(cell, _)| cell.fold).collect();
        folds.sort_unstable();
        folds.dedup();
        folds.len()
    }
}

/// The mean; NaN if there are no values.
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count)
}

/// A mean with its confidence interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

impl Estimate {
    /// Estimates the mean of per-query values; NaN values do not count.
    pub fn of(values: &[f64], seed: u64) -> Self {
        let Interval { low, high, .. } = bootstrap_mean(values, CONFIDENCE, RESAMPLES, seed);
        Estimate { mean: mean(values.iter().copied().filter(|value| !value.is_nan())), low, high }
    }
}
