//! Effectiveness: test means and significant differences between methods.

use super::pooled::PooledResults;
use super::{Table, four, named};
use crate::evaluate::{PairedTest, beaten, compare};
use crate::experiment::Results;
use crate::measure::Measure;
use crate::measure::significance::LEVEL;
use crate::text::counted;

/// A row for each method, three columns for each measure.
pub fn table(results: &Results, methods: &[PooledResults<'_>]) -> Table {
    let mut table = Table::new("Effectiveness on test data", &["", "method"]);
    let mut comparisons = Vec::new();
    for (m, name) in results.measures.iter().enumerate() {
        table.header.extend([name.clone(), "t".into(), "Wilcoxon".into()]);
        let values: Vec<&[f64]> = methods.iter().map(|method| &method.per_query[m][..]).collect();
        if let Ok(measure) = name.parse::<Measure>() {
            comparisons.extend(compare(m, &measure, &values));
        }
    }
    for (i, method) in methods.iter().enumerate() {
        let mut row = named(i, method);
        for (m, value) in method.means.iter().enumerate() {
            let letters = |test| beaten(&comparisons, m, i, test, LEVEL);
            let mark = if method.complete || value.is_nan() { "" } else { "*" };
            row.extend([
                four(*value) + mark,
                letters(PairedTest::T),
                letters(PairedTest::Wilcoxon),
            ]);
        }
        table.rows.push(row);
    }
    let queries: usize = results.folds.iter().map(|fold| fold.queries.len()).sum();
    let folds = results.folds.len();
    table.notes.push(format!(
        "means of {}; parameters chosen by {} on validation data",
        counted(folds, "test mean"),
        results.choose
    ));
    table.notes.push(format!(
        "letters mark methods that this one beats significantly over {queries} test queries (paired t-test, Wilcoxon signed-rank test; Holm, level {LEVEL})"
    ));
    if methods.iter().any(|method| !method.complete) {
        table.notes.push("* some cells failed: mean of the others".into());
    }
    table
}
