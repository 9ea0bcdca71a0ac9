//! Wrappers: selectors that train a ranker for many subsets of features.

pub(super) mod backward;
pub(super) mod best_first;
pub(super) mod boruta;
pub(super) mod btfs;
pub(super) mod elimination;
pub(super) mod greedy;
pub(super) mod mofsrank;
pub(super) mod rank_wrapper;
pub(super) mod rfe;
pub(super) mod spea2;
pub(super) mod training;
