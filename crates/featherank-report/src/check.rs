//! Consistency checks of documents, which may have been written by other programs.

use std::path::Path;

use featherank::Error;
use featherank::experiment::Results;
use featherank::select::Selection;

/// The error for an inconsistent document.
pub fn damaged(what: String, path: &Path) -> Error {
    Error::Document {
        what: format!("this document is inconsistent: {what}"),
        path: path.to_owned(),
        help: "write it again with featherank".into(),
    }
}

/// Checks that values match queries and that cells match folds.
pub fn results(results: &Results) -> Result<(), String> {
    results.contradiction().map_or(Ok(()), Err)?;
    results.recommendation.as_deref().map_or(Ok(()), selection)
}

/// Checks that indices are in range and that values match queries.
pub fn selection(selection: &Selection) -> Result<(), String> {
    let Some(advice) = &selection.advice else { return Ok(()) };
    for place in [advice.returned, advice.next].into_iter().flatten() {
        if place >= advice.tried.len() {
            return Err(format!("size {place} of {} that were tried", advice.tried.len()));
        }
    }
    same("all features", advice.per_query_of_all.len(), advice.queries.len())?;
    same("the chosen features", advice.per_query.len(), advice.queries.len())
}

fn same(what: &str, values: usize, queries: usize) -> Result<(), String> {
    if values == queries {
        Ok(())
    } else {
        Err(format!("{what} has {values} values for {queries} queries"))
    }
}
