//! Number and stability of the selected features, time and memory.

use super::pooled::PooledResults;
use super::{Table, four, mean, named};
use crate::error::Result;
use crate::experiment::{Results, Stability};

/// Confidence level of the stability interval.
pub const CONFIDENCE: f64 = 0.95;

/// A row for each method.
pub fn table(results: &Results, methods: &[PooledResults<'_>]) -> Result<Table> {
    let features = results.features.len();
    let costly = results.done().any(|(_, done)| done.cost != done.features.len() as f64);
    let mut table =
        Table::new("Features, time and memory", &["", "method", "features", "sparsity ratio"]);
    table.header.extend(costly.then(|| "cost".to_owned()));
    table.header.extend(
        ["stability", "95 % interval", "selection s", "total s", "peak MiB"].map(str::to_owned),
    );
    for (i, method) in methods.iter().enumerate().filter(|(_, method)| !method.cells.is_empty()) {
        let over = |value: &dyn Fn(&crate::experiment::CompletedCell) -> f64| {
            mean(method.cells.iter().map(|(_, done)| value(done)))
        };
        let size = over(&|done| done.features.len() as f64);
        let [stability, interval] = stability(&method.selections(), features)?;
        let peak = method.cells.iter().filter_map(|(_, done)| done.measured.peak_bytes).max();
        let mut row = named(i, method);
        row.extend([format!("{size:.1}"), four(size / features as f64)]);
        row.extend(costly.then(|| format!("{:.2}", over(&|done| done.cost))));
        row.extend([stability, interval]);
        row.push(if method.selector.is_some() {
            format!("{:.2}", over(&|done| done.measured.select_seconds))
        } else {
            String::new()
        });
        row.push(format!("{:.2}", over(&|done| done.measured.seconds)));
        row.push(
            peak.map_or_else(String::new, |bytes| {
                format!("{:.0}", bytes as f64 / f64::from(1 << 20))
            }),
        );
        table.rows.push(row);
    }
    table.notes.push(format!(
        "means over folds and seeds; sparsity ratio: share of the {features} features that are used; stability: Nogueira, Sechidis & Brown (2018), over folds, and over seeds if the method is randomised"
    ));
    table.notes.push(
        "seconds per cell: the selection with the chosen parameters, and the total including tuning; peak: maximum memory of the process while a cell ran".into(),
    );
    let all =
        results.redundancy.as_ref().map_or(usize::MAX, |similarity| similarity.features.len());
    for (i, method) in
        methods.iter().enumerate().filter(|(_, method)| !method.selections().is_empty())
    {
        if method.selections().iter().all(|chosen| chosen.len() >= all) {
            let letter = crate::evaluate::letter(i);
            table.notes.push(format!("{letter} selects every feature that varies: without a number of features (k) it only orders them"));
        }
    }
    Ok(table)
}

/// Nogueira's stability and its interval as text; empty if it is not defined.
pub fn stability(selections: &[Vec<u32>], features: usize) -> Result<[String; 2]> {
    if selections.len() < 2 {
        return Ok(Default::default());
    }
    let found = Stability::of(selections, features, CONFIDENCE)?.agreement;
    Ok(found.map_or_else(Default::default, |found| {
        [
            format!("{:.3}", found.value),
            format!("{:.3} to {:.3}", found.interval.low, found.interval.high),
        ]
    }))
}
