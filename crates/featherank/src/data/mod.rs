//! Ranking data: the [`Dataset`], views of it, readers, writers, normalisers, folds and synthetic
//! data.

mod costs;
mod dataset;
mod feature_list;
mod features;
mod fingerprint;
pub mod folds;
mod normalise;
mod overlap;
mod paths;
mod read;
pub mod synth;
mod text_column;
mod view;
mod write;

pub use costs::{Costs, costs_of, read_costs};
pub(crate) use dataset::Fnv;
pub use dataset::{Dataset, Queries};
pub use features::{Feature, FeatureId, FeatureTable};
pub(crate) use fingerprint::Fingerprint;
pub use normalise::{Normaliser, Scale, Scaler};
pub use overlap::{Overlap, check_disjoint};
#[doc(hidden)] // For front ends, which know the options.
pub use paths::{PathRole, PathUse, check_paths};
pub(crate) use read::shorten;
pub use read::{Format, Missing, ReadOptions, Unjudged};
#[cfg(feature = "parquet")]
pub use read::{PartSource, Parts, RangeSource};
#[cfg(feature = "shards")]
pub(crate) use read::{QueryRows, RowIndex};
pub use read::{guessed_separator, read, read_bytes, read_like, read_like_until, read_until};
pub use text_column::TextColumn;
pub use view::View;
pub(crate) use write::{PathLock, not_a_formula};
pub use write::{WriteOptions, write};
#[doc(hidden)] // For front ends, which write other files in the same way.
pub use write::{check_target, discard_unfinished_writes, write_atomically, write_bytes};

/// The error for a file that needs a cargo feature which this build does not have.
#[cfg(not(all(feature = "parquet", feature = "compression")))]
fn needs_feature(name: &str, format: &str, feature: &str) -> crate::Error {
    crate::Error::unsupported(
        format!("{name}: this build of featherank has no support for {format}"),
        format!("build it with the cargo feature `{feature}`"),
    )
}
