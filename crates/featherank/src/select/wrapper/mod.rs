//! Wrappers: selectors that train a ranker for many subsets of features.

pub mod greedy;
pub mod mofsrank;
pub mod spea2;
