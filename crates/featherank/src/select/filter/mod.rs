//! Filters: methods that score features without training a ranker.

pub mod best_gain;
pub mod cfs;
pub mod consistency;
#[doc(hidden)] // For tests.
pub mod discrete;
pub mod div_fs;
pub mod fcbf;
pub mod gas;
pub mod hcas;
pub mod hierarchical;
pub mod interact;
mod k_means;
pub mod mrmr;
pub mod ngas;
pub mod rank_filter;
mod redundancy;
mod relevance;
pub(crate) mod similarity;
pub mod top_k;
mod trade_off;
mod traversal;
pub mod xgas;

pub use discrete::mdl::Encoding;
pub use relevance::RelevanceModel;
