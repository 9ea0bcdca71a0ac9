//! Fuzz targets: everything that reads bytes of unknown origin.
//!
//! A [`FuzzTarget`] is a function of bytes that must neither panic, nor hang, nor take much memory.
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
pub struct FuzzTarget {
    /// Its name.
    pub name: &'static str,
    /// Inputs to start from, in addition to those in `fuzz/corpus-seeds/`.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Reads an input; whether it was accepted. Panics if a promise is broken.
    pub run: fn(&[u8]) -> bool,
}

/// All targets.
pub static TARGETS: &[FuzzTarget] = &[
    FuzzTarget { name: "letor", seeds: Vec::new, run: readers::letor },
    FuzzTarget { name: "table", seeds: Vec::new, run: readers::table },
    FuzzTarget { name: "parquet", seeds: Vec::new, run: readers::parquet },
    FuzzTarget { name: "feature_log", seeds: Vec::new, run: readers::feature_log },
    FuzzTarget { name: "side_files", seeds: Vec::new, run: side_files::side_files },
    FuzzTarget { name: "costs", seeds: Vec::new, run: side_files::costs },
    FuzzTarget { name: "plan", seeds: documents::plans, run: documents::plan },
    FuzzTarget { name: "selection", seeds: documents::selections, run: documents::selection },
    FuzzTarget { name: "model", seeds: documents::models, run: documents::model },
    FuzzTarget { name: "results", seeds: documents::all_results, run: documents::results },
    FuzzTarget { name: "cell", seeds: documents::cells, run: documents::cell },
    FuzzTarget {
        name: "feature_list",
        seeds: documents::feature_lists,
        run: documents::feature_list,
    },
    FuzzTarget { name: "checkpoint", seeds: documents::checkpoints, run: documents::checkpoint },
    FuzzTarget { name: "request", seeds: messages::requests, run: messages::request },
    FuzzTarget { name: "reply", seeds: messages::replies, run: messages::reply },
];

/// The target with this name.
pub fn target(name: &str) -> Option<&'static FuzzTarget> {
    TARGETS.iter().find(|target| target.name == name)
}
