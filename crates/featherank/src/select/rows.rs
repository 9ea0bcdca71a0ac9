//! In-memory row access, and the error when the engine is remote.

use crate::data::Dataset;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::rank::{RANKERS, RankerSpec};
use crate::select::SELECTORS;

/// The rows, if they are in this process.
pub(crate) fn rows<'a>(who: &str, engine: &'a dyn Engine) -> Result<&'a Dataset> {
    engine.local().ok_or_else(|| needs_rows(who))
}

/// The refusal of someone who needs rows.
pub(crate) fn needs_rows(who: &str) -> Error {
    Error::unsupported(refused(who), format!("load the data into memory, or use {}", methods()))
}

/// Refuses to train a ranker for a method where that takes rows.
pub(crate) fn check_ranker(method: &str, ranker: &RankerSpec, engine: &dyn Engine) -> Result<()> {
    match ranker.access.is_passes() || engine.local().is_some() {
        true => Ok(()),
        false => Err(ranker_needs_rows(method, ranker)),
    }
}

/// The refusal of a method whose ranker needs rows.
pub(crate) fn ranker_needs_rows(method: &str, ranker: &RankerSpec) -> Error {
    let rankers =
        names(RANKERS.iter().filter(|spec| spec.access.is_passes()).map(|spec| spec.name));
    Error::unsupported(
        refused(&format!("{method} with ranker={}", ranker.name)),
        format!("use a ranker that works without them: {rankers}; or {}", methods()),
    )
}

fn refused(who: &str) -> String {
    format!("{who} needs the rows, and they are not in this process")
}

fn methods() -> String {
    let names =
        names(SELECTORS.iter().filter(|spec| spec.access.is_passes()).map(|spec| spec.name));
    format!("a method that scales out: {names}")
}

fn names(names: impl Iterator<Item = &'static str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
