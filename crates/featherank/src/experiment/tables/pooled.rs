//! A method's values of all folds and seeds together, query by query.

use crate::error::Result;
use crate::experiment::{Cell, Done, FoldData, Results};
use crate::measure::Measure;

use super::mean;

/// One method over all its cells.
pub struct Pooled<'r> {
    /// Its name.
    pub name: &'r str,
    /// Its selector and ranker.
    pub selector: Option<&'r str>,
    pub ranker: Option<&'r str>,
    /// Its cells that were tested, in order.
    pub cells: Vec<(&'r Cell, &'r Done)>,
    /// By measure, the mean over folds and seeds of the test means, as papers print it.
    pub means: Vec<f64>,
    /// By measure, a value for each test query of all folds, averaged over seeds; NaN where there
    /// is none.
    pub per_query: Vec<Vec<f64>>,
    /// Whether no cell failed.
    pub complete: bool,
}

impl<'r> Pooled<'r> {
    /// All methods, in the order of the cells.
    pub fn all(results: &'r Results) -> Result<Vec<Self>> {
        let measures: Vec<Measure> =
            results.measures.iter().map(|name| name.parse()).collect::<Result<_>>()?;
        Ok(results.methods().into_iter().map(|name| Self::new(results, &measures, name)).collect())
    }

    fn new(results: &'r Results, measures: &[Measure], name: &'r str) -> Self {
        let mine = || results.cells.iter().filter(|cell| cell.method == name);
        let cells: Vec<(&Cell, &Done)> =
            results.done().filter(|(cell, _)| cell.method == name).collect();
        let summary = |m: usize, measure: &Measure| {
            mean(cells.iter().map(|(_, done)| measure.summary(&numbers(&done.test[m]))))
        };
        let pooled =
            |m: usize| results.folds.iter().flat_map(|fold| over_seeds(fold, &cells, m)).collect();
        Pooled {
            name,
            selector: mine().find_map(|cell| cell.selector.as_deref()),
            ranker: mine().find_map(|cell| cell.ranker.as_deref()),
            means: measures.iter().enumerate().map(|(m, measure)| summary(m, measure)).collect(),
            per_query: (0..measures.len()).map(pooled).collect(),
            complete: cells.len() == mine().count(),
            cells,
        }
    }

    /// The ids of the features that its selector chose, cell by cell; nothing without a selector.
    /// Of a method that chooses alike with every seed those of one seed: copies would pass for
    /// agreement.
    pub fn selections(&self) -> Vec<Vec<u32>> {
        let first = |fold: usize| {
            self.cells
                .iter()
                .find(|(cell, _)| cell.fold == fold)
                .map(|(cell, done)| (cell.seed, &done.features))
        };
        let alike = self.cells.iter().all(|(cell, done)| {
            first(cell.fold).is_none_or(|(_, features)| *features == done.features)
        });
        let counts =
            |cell: &Cell| !alike || first(cell.fold).is_some_and(|(seed, _)| seed == cell.seed);
        let chosen = self.cells.iter().filter(|(cell, _)| self.selector.is_some() && counts(cell));
        chosen.map(|(_, done)| done.features.clone()).collect()
    }
}

/// A fold's test queries, averaged over the seeds that were tested.
fn over_seeds(fold: &FoldData, cells: &[(&Cell, &Done)], measure: usize) -> Vec<f64> {
    let seeds: Vec<Vec<f64>> = cells
        .iter()
        .filter(|(cell, _)| cell.fold == fold.number)
        .map(|(_, done)| numbers(&done.test[measure]))
        .collect();
    (0..fold.queries.len()).map(|query| mean(seeds.iter().map(|values| values[query]))).collect()
}

/// Values as functions of measures take them: NaN where a query does not count.
pub fn numbers(values: &[Option<f64>]) -> Vec<f64> {
    values.iter().map(|value| value.unwrap_or(f64::NAN)).collect()
}
