//! Tables of results: effectiveness with significance, risk, size and cost, stability, and
//! agreement between methods.
//!
//! Tables are computed from [`Results`] alone; [`TableFormat`] writes them as text, Markdown, CSV
//! or LaTeX.

mod agreement;
mod chosen;
mod cost;
mod effectiveness;
mod pooled;
mod risk;
mod verdict;
mod write;

use super::{CellOutcome, Results};
use crate::error::Result;
use crate::evaluate::letter;
use pooled::PooledResults;
pub use verdict::verdict;
pub use write::{TableFormat, text_tables};

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The title.
    pub title: String,
    /// The column names.
    pub header: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Notes below the table.
    pub notes: Vec<String>,
}

impl Table {
    fn new(title: impl Into<String>, header: &[&str]) -> Self {
        let header = header.iter().map(|name| (*name).to_owned()).collect();
        Table { title: title.into(), header, rows: Vec::new(), notes: Vec::new() }
    }
}

/// All tables of an experiment.
///
/// # Errors
/// A measure that this version does not know, or inconsistent results.
pub fn tables(results: &Results) -> Result<Vec<Table>> {
    results.check()?;
    let methods = PooledResults::all(results)?;
    let mut tables = vec![effectiveness::table(results, &methods)];
    tables.extend(risk::tables(results, &methods));
    tables.push(cost::table(results, &methods)?);
    tables.extend(chosen::tables(results, &methods)?);
    tables.extend(agreement::table(&methods));
    tables.extend(failures(results));
    Ok(tables)
}

/// The first cells of a row: the letter and the name of a method.
fn named(index: usize, method: &PooledResults) -> Vec<String> {
    vec![letter(index), method.name.to_owned()]
}

/// A number with four decimals; empty for NaN.
fn four(number: f64) -> String {
    if number.is_nan() { String::new() } else { format!("{number:.4}") }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count)
}

/// The cells that failed, with reasons.
fn failures(results: &Results) -> Option<Table> {
    let mut table = Table::new("Failed cells", &["method", "fold", "seed", "reason"]);
    for cell in &results.cells {
        if let CellOutcome::Failed(reason) = &cell.outcome {
            table.rows.push(vec![
                cell.method.clone(),
                cell.fold.to_string(),
                cell.seed.to_string(),
                reason.clone(),
            ]);
        }
    }
    table.notes.push("repeat the same run to retry them".into());
    (!table.rows.is_empty()).then_some(table)
}

#[cfg(test)]
mod tests;
