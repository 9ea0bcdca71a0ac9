//! The subcommands, one per file.

pub mod compare;
pub mod convert;
pub mod demo;
pub mod evaluate;
pub mod export;
pub mod inspect;
pub mod man;
pub mod methods;
pub mod rank;
pub mod redundancy;
pub mod report;
pub mod select;
pub mod synth;
pub mod train;

use featherank::data::Dataset;
use featherank::internals::text::counted;

/// The size of a data set in words.
fn extent(data: &Dataset) -> String {
    [
        counted(data.queries().len(), "quer|y|ies"),
        counted(data.documents(), "document"),
        counted(data.features().len(), "feature"),
    ]
    .join(", ")
}
