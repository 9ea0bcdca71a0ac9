//! Wrappers: selectors that train a ranker for many subsets of features.

pub mod backward;
pub mod best_first;
pub mod boruta;
pub mod btfs;
pub(super) mod elimination;
pub mod greedy;
pub mod mofsrank;
pub mod rank_wrapper;
pub mod rfe;
pub mod spea2;
pub(super) mod training;
