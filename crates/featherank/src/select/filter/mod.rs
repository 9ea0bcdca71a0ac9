//! Filters: methods that score features without training a ranker.

pub(super) mod best_gain;
pub(crate) mod cfs;
pub(crate) mod consistency;
pub(crate) mod discrete;
pub(super) mod div_fs;
pub(crate) mod fcbf;
pub(super) mod gas;
pub(super) mod hcas;
pub(super) mod hierarchical;
pub(crate) mod interact;
mod k_means;
pub(super) mod mrmr;
pub(super) mod ngas;
pub(super) mod rank_filter;
mod redundancy;
pub(super) mod relevance;
pub(crate) mod similarity;
pub(super) mod top_k;
mod trade_off;
mod traversal;
pub(super) mod xgas;
