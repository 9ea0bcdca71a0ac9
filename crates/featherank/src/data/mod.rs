//! Ranking data: the [`Dataset`], views of it, readers, writers, normalisers, folds and synthetic
//! data.

mod costs;
mod dataset;
mod feature_list;
mod features;
mod fingerprint;
pub mod folds;
mod hash;
mod normalise;
mod overlap;
pub(crate) mod paths;
mod queries;
pub(crate) mod read;
mod sources;
pub mod synth;
mod text_column;
mod view;
pub(crate) mod write;

pub use costs::{Costs, costs_of, read_costs};
pub use dataset::Dataset;
pub use features::{Feature, FeatureId, FeatureTable};
pub(crate) use fingerprint::Fingerprint;
pub(crate) use hash::Fnv;
pub use normalise::{Normaliser, Scale, Scaler};
pub use overlap::{DataPart, Overlap, check_disjoint, check_parts};
pub(crate) use paths::{PathRole, PathUse, check_paths, lock_beside};
pub use queries::Queries;
pub(crate) use read::shorten;
pub use read::{Format, Missing, ReadOptions, Unjudged};
#[cfg(feature = "parquet")]
pub use read::{PartSource, Parts, RangeSource};
#[cfg(feature = "shards")]
pub(crate) use read::{QueryRows, RowIndex};
pub use read::{read, read_bytes, read_like};
pub use sources::DataSources;
pub use text_column::TextColumn;
pub use view::View;
pub(crate) use write::{PathLock, is_stream, not_a_formula};
pub use write::{WriteOptions, write};
pub(crate) use write::{write_atomically, write_bytes};

/// The error for a file that needs a cargo feature which this build does not have.
#[cfg(not(all(feature = "parquet", feature = "compression")))]
fn needs_feature(name: &str, format: &str, feature: &str) -> crate::Error {
    crate::Error::unsupported(
        format!("{name}: this build of featherank has no support for {format}"),
        format!("build it with the cargo feature `{feature}`"),
    )
}
