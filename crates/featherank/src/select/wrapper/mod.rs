//! Wrappers: selectors that train a ranker for many subsets of features.

pub mod backward;
mod elimination;
pub mod greedy;
pub mod rfe;
mod training;
