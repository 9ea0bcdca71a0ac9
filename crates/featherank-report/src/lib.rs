//! Results as one self-contained HTML page that works offline and can be printed.
//!
//! Rust prepares everything that is shown, including statistics ([`content`], one file per tab in
//! [`tabs`]), as one JSON document. A small script (`page/`) draws it with plotly.js (`vendor/`).
//! User-supplied text, such as feature names, is part of the data and is inserted as text nodes
//! only.
//!
//! ```no_run
//! let results = featherank::experiment::Results::load("results.json".as_ref())?;
//! let page = featherank_report::render(&results)?;
//! # Ok::<(), featherank::Error>(())
//! ```

mod check;
mod commands;
mod content;
mod grouped;
mod page;
mod source;
mod tabs;

use std::path::Path;

use featherank::Result;
use featherank::experiment::Results;
use featherank::internals::shell;
use featherank::select::Selection;

pub use source::ReportSource;

/// Renders an experiment. The same results give the same bytes.
///
/// # Errors
/// Inconsistent results, such as a number of values that differs from the number of queries.
pub fn render(results: &Results) -> Result<String> {
    render_as(results, Path::new("results.json"))
}

/// Renders one selection, which is or will be saved as `file`.
///
/// # Errors
/// An inconsistent selection.
pub fn render_selection(selection: &Selection, file: &Path) -> Result<String> {
    check::selection(selection).map_err(|what| check::damaged(what, file))?;
    // Commands of the page run from any folder.
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    page::page(&content::of_selection(selection, &file))
}

fn render_as(results: &Results, file: &Path) -> Result<String> {
    check::results(results).map_err(|what| check::damaged(what, file))?;
    page::page(&content::of_results(results))
}
