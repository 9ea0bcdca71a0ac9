//! Results of featherank as one self-contained HTML page: it works from disk, without a network,
//! and on paper.
//!
//! Rust prepares everything that is shown, statistics too ([`content`], one file a tab in
//! [`tabs`]), as one JSON document. A small script (`page/`, one file a concern) draws it with
//! plotly.js (`vendor/`). Text of users, such as names of features, travels as data and enters the
//! page as text only.
//!
//! ```no_run
//! let results = featherank::experiment::Results::load("results.json".as_ref())?;
//! let page = featherank_report::render(&results)?;
//! # Ok::<(), featherank::Error>(())
//! ```

mod check;
mod content;
mod grouped;
mod page;
mod shell;
mod source;
mod tabs;

use std::path::Path;

use featherank::Result;
use featherank::experiment::Results;
use featherank::select::Selection;

pub use source::Source;

/// The page of an experiment. The same results give the same bytes.
///
/// # Errors
/// Results that contradict themselves, such as values for other queries than those of their fold.
pub fn render(results: &Results) -> Result<String> {
    render_as(results, Path::new("results.json"))
}

/// The page of one selection, which is or will be saved as `file`.
///
/// # Errors
/// A selection that contradicts itself.
pub fn render_selection(selection: &Selection, file: &Path) -> Result<String> {
    check::selection(selection).map_err(|what| check::damaged(what, file))?;
    page::page(&content::of_selection(selection, file))
}

fn render_as(results: &Results, file: &Path) -> Result<String> {
    check::results(results).map_err(|what| check::damaged(what, file))?;
    page::page(&content::of_results(results))
}
