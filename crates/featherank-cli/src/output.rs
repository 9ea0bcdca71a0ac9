//! Output: results on standard output, progress and notes on standard error.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::arguments::Common;

/// Writes results and notes as the common options ask.
pub struct Output {
    json: bool,
    quiet: bool,
    live: bool,
}

impl Output {
    /// Configured by the common options.
    pub fn new(common: &Common) -> Self {
        Output { json: common.json, quiet: common.quiet, live: std::io::stderr().is_terminal() }
    }

    /// Whether to print JSON instead of tables.
    pub fn json(&self) -> bool {
        self.json
    }

    /// Whether to suppress progress and notes.
    pub fn quiet(&self) -> bool {
        self.quiet
    }

    /// Whether progress bars can be shown on a terminal.
    pub fn live(&self) -> bool {
        self.live && !self.quiet
    }

    /// Prints a text on standard output.
    pub fn print(&self, text: impl AsRef<str>) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_ref().as_bytes())?;
        Ok(out.write_all(b"\n")?)
    }

    /// Prints a value as JSON on standard output.
    pub fn print_json(&self, value: &impl Serialize) -> anyhow::Result<()> {
        self.print(serde_json::to_string_pretty(value)?)
    }

    /// Prints a note on standard error.
    pub fn note(&self, text: impl AsRef<str>) {
        if !self.quiet {
            // A closed standard error must not stop the work.
            let _ = writeln!(std::io::stderr(), "{}", text.as_ref());
        }
    }

    /// Shows a spinner until the returned value is dropped.
    pub fn spinner(&self, text: String) -> Spinner {
        let bar = if self.live() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        bar.set_style(ProgressStyle::default_spinner());
        bar.set_message(text);
        bar.enable_steady_tick(Duration::from_millis(120));
        Spinner(bar)
    }
}

/// See [`Output::spinner`].
pub struct Spinner(ProgressBar);

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Formats a table: columns of numbers are right-aligned, other columns left-aligned.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header.to_vec());
    table.add_rows(rows.iter().cloned());
    for (i, column) in table.column_iter_mut().enumerate() {
        let numeric = rows.iter().all(|row| row.get(i).is_none_or(|cell| looks_numeric(cell)));
        column.set_padding((0, 2));
        column.set_cell_alignment(if numeric { CellAlignment::Right } else { CellAlignment::Left });
    }
    let text = table.to_string();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn looks_numeric(cell: &str) -> bool {
    // Lists of numbers are left-aligned.
    !cell.contains(", ") && cell.starts_with(|c: char| c.is_ascii_digit() || "-+.<∞".contains(c))
        || cell.is_empty()
}

/// Formats an integer with thousands separators.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    groups.join(",")
}

/// Formats a number with a readable number of digits.
pub fn short(number: f64) -> String {
    match number.abs() {
        0.0 => "0".into(),
        size if !size.is_finite() => number.to_string(),
        size if !(1e-3..1e6).contains(&size) => format!("{number:.2e}"),
        size if size >= 100.0 => format!("{number:.1}"),
        _ => format!("{number:.4}"),
    }
}

/// Formats a p-value.
pub fn p_value(p: f64) -> String {
    if p < 0.0001 { "<.0001".into() } else { format!("{p:.4}").trim_start_matches('0').to_owned() }
}
