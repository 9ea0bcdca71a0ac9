//! In-memory row access, and the error when the engine is remote.

use crate::data::Dataset;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::rank::{RANKERS, RankerSpec};
use crate::select::SELECTORS;

/// The rows, if they are in this process.
pub(crate) fn rows<'a>(method: &str, engine: &'a dyn Engine) -> Result<&'a Dataset> {
    engine.local().ok_or_else(|| needs_rows(method))
}

/// The error for a method or ranker that needs rows.
pub(crate) fn needs_rows(method: &str) -> Error {
    Error::unsupported(refused(method), format!("load the data into memory, or use {}", methods()))
}

/// Rejects a ranker that needs rows if the engine has none.
pub(crate) fn check_ranker(method: &str, ranker: &RankerSpec, engine: &dyn Engine) -> Result<()> {
    match ranker.access.is_passes() || engine.local().is_some() {
        true => Ok(()),
        false => Err(ranker_needs_rows(method, ranker)),
    }
}

/// The error for a method whose ranker needs rows.
pub(crate) fn ranker_needs_rows(method: &str, ranker: &RankerSpec) -> Error {
    let rankers =
        names(RANKERS.iter().filter(|spec| spec.access.is_passes()).map(|spec| spec.name));
    Error::unsupported(
        refused(&format!("{method} with ranker={}", ranker.name)),
        format!("use a ranker that needs passes only: {rankers}; or {}", methods()),
    )
}

fn refused(method: &str) -> String {
    format!("{method} needs rows, and they are not in this process")
}

fn methods() -> String {
    let names =
        names(SELECTORS.iter().filter(|spec| spec.access.is_passes()).map(|spec| spec.name));
    format!("a method that needs passes only: {names}")
}

fn names(names: impl Iterator<Item = &'static str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
