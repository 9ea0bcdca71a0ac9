//! Fuzz targets: everything that reads bytes of unknown origin.
//!
//! A [`Target`] is a function of bytes that must neither panic, nor hang, nor take much memory.
//! [`drive`] feeds it mutated seeds from a seeded generator, on any toolchain; the crate in `fuzz/`
//! gives the same functions to libFuzzer.
#![allow(clippy::panic, clippy::expect_used, reason = "a fuzz target fails by panicking")]

mod documents;
mod driver;
mod messages;
mod mutate;
mod readers;
mod sample;
mod side_files;
mod workspace;

pub use driver::{Budget, Report, drive};
pub use workspace::remove_files;

/// Something that reads bytes.
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// Inputs to start from, in addition to those in `fuzz/corpus-seeds/`.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Reads an input; whether it was accepted. Panics if a promise is broken.
    pub run: fn(&[u8]) -> bool,
}

/// All targets.
pub static TARGETS: &[Target] = &[
    Target { name: "letor", seeds: Vec::new, run: readers::letor },
    Target { name: "table", seeds: Vec::new, run: readers::table },
    Target { name: "parquet", seeds: Vec::new, run: readers::parquet },
    Target { name: "feature_log", seeds: Vec::new, run: readers::feature_log },
    Target { name: "side_files", seeds: Vec::new, run: side_files::side_files },
    Target { name: "costs", seeds: Vec::new, run: side_files::costs },
    Target { name: "plan", seeds: documents::plans, run: documents::plan },
    Target { name: "selection", seeds: documents::selections, run: documents::selection },
    Target { name: "model", seeds: documents::models, run: documents::model },
    Target { name: "results", seeds: documents::all_results, run: documents::results },
    Target { name: "checkpoint", seeds: documents::checkpoints, run: documents::checkpoint },
    Target { name: "request", seeds: messages::requests, run: messages::request },
    Target { name: "reply", seeds: messages::replies, run: messages::reply },
];

/// The target with this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
