//! Filters: methods that look at features without training a ranker.

pub mod similarity;
pub mod top_k;
