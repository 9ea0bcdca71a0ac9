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
mod view;
mod write;

pub use costs::read_costs;
pub use dataset::{Dataset, Queries, TextColumn};
pub use features::{Feature, FeatureId, FeatureTable};
pub use fingerprint::Fingerprint;
pub use normalise::{Normaliser, Scale, Scaler};
pub(crate) use read::shorten;
pub use read::{
    Format, Missing, PartSource, Parts, QueryRows, RangeSource, ReadOptions, RowIndex, Unjudged,
    read, read_bytes, read_like,
};
pub use view::View;
pub use write::{WriteOptions, check_target, discard_unfinished_writes, write, write_atomically};
