//! Ranking data: the [`Dataset`], views of it, readers, writers, normalisers, folds and synthetic
//! data.

mod costs;
mod dataset;
mod features;
mod fingerprint;
pub mod folds;
mod normalise;
mod read;
pub mod synth;
mod text_column;
mod view;
mod write;

pub use costs::read_costs;
pub use dataset::{Dataset, Queries};
pub use features::{Feature, FeatureId, FeatureTable};
pub use fingerprint::Fingerprint;
pub use normalise::{Normaliser, Scale, Scaler};
pub(crate) use read::shorten;
pub use read::{Format, Missing, ReadOptions, Unjudged, read, read_bytes, read_like};
#[cfg(feature = "parquet")]
pub use read::{PartSource, Parts, QueryRows, RangeSource, RowIndex};
pub use text_column::TextColumn;
pub use view::View;
pub use write::{WriteOptions, check_target, discard_unfinished_writes, write, write_atomically};

/// The error for a file that needs a cargo feature which this build does not have.
#[cfg(not(all(feature = "parquet", feature = "compression")))]
fn needs_feature(name: &str, format: &str, feature: &str) -> crate::Error {
    crate::Error::unsupported(
        format!("{name}: this build of featherank has no support for {format}"),
        format!("build it with the cargo feature `{feature}`"),
    )
}
