//! The per-query values of a method, pooled over folds and seeds.

use crate::error::Result;
use crate::experiment::{ComparisonCell, CompletedCell, FoldData, Results};
use crate::measure::Measure;

use super::mean;

/// One method over all its cells.
pub struct PooledResults<'r> {
    /// Its name.
    pub name: &'r str,
    /// Its selector and ranker.
    pub selector: Option<&'r str>,
    pub ranker: Option<&'r str>,
    /// Its completed cells, in order.
    pub cells: Vec<(&'r ComparisonCell, &'r CompletedCell)>,
    /// By measure, the mean over folds and seeds of the test means.
    pub means: Vec<f64>,
    /// By measure, the value of each test query of all folds, averaged over seeds; NaN if missing.
    pub per_query: Vec<Vec<f64>>,
    /// Whether no cell failed.
    pub complete: bool,
}

impl<'r> PooledResults<'r> {
    /// All methods, in the order of the cells.
    pub fn all(results: &'r Results) -> Result<Vec<Self>> {
        let measures: Vec<Measure> =
            results.measures.iter().map(|name| name.parse()).collect::<Result<_>>()?;
        Ok(results.methods().into_iter().map(|name| Self::new(results, &measures, name)).collect())
    }

    fn new(results: &'r Results, measures: &[Measure], name: &'r str) -> Self {
        let mine = || results.cells.iter().filter(|cell| cell.method == name);
        let cells: Vec<(&ComparisonCell, &CompletedCell)> =
            results.done().filter(|(cell, _)| cell.method == name).collect();
        let summary = |m: usize, measure: &Measure| {
            mean(cells.iter().map(|(_, done)| measure.summary(&numbers(&done.test[m]))))
        };
        let pooled =
            |m: usize| results.folds.iter().flat_map(|fold| over_seeds(fold, &cells, m)).collect();
        PooledResults {
            name,
            selector: mine().find_map(|cell| cell.selector.as_deref()),
            ranker: mine().find_map(|cell| cell.ranker.as_deref()),
            means: measures.iter().enumerate().map(|(m, measure)| summary(m, measure)).collect(),
            per_query: (0..measures.len()).map(pooled).collect(),
            complete: cells.len() == mine().count(),
            cells,
        }
    }

    /// The selected feature ids of each cell; empty without a selector. If all seeds give the same
    /// selections, only those of one seed, because copies would inflate the stability.
    pub fn selections(&self) -> Vec<Vec<u32>> {
        let first = |fold: usize| {
            self.cells
                .iter()
                .find(|(cell, _)| cell.fold == fold)
                .map(|(cell, done)| (cell.seed, &done.features))
        };
        let deterministic = self.cells.iter().all(|(cell, done)| {
            first(cell.fold).is_none_or(|(_, features)| *features == done.features)
        });
        let counts = |cell: &ComparisonCell| {
            !deterministic || first(cell.fold).is_some_and(|(seed, _)| seed == cell.seed)
        };
        let chosen = self.cells.iter().filter(|(cell, _)| self.selector.is_some() && counts(cell));
        chosen.map(|(_, done)| done.features.clone()).collect()
    }
}

/// The values of the test queries of a fold, averaged over seeds.
fn over_seeds(
    fold: &FoldData,
    cells: &[(&ComparisonCell, &CompletedCell)],
    measure: usize,
) -> Vec<f64> {
    let seeds: Vec<Vec<f64>> = cells
        .iter()
        .filter(|(cell, _)| cell.fold == fold.number)
        .map(|(_, done)| numbers(&done.test[measure]))
        .collect();
    (0..fold.queries.len()).map(|query| mean(seeds.iter().map(|values| values[query]))).collect()
}

/// Replaces missing values by NaN, as functions of measures expect.
pub fn numbers(values: &[Option<f64>]) -> Vec<f64> {
    values.iter().map(|value| value.unwrap_or(f64::NAN)).collect()
}
