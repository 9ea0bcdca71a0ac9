//! Filters: methods that look at features without training a ranker.

pub mod hcas;
pub mod hierarchical;
mod k_means;
mod landscape;
pub mod ngas;
pub mod rank_filter;
mod relevance;
pub mod similarity;
pub mod top_k;
mod walk;
pub mod xgas;
