//! Tree rankers, over one binned matrix that any number of feature subsets share.

mod ensemble;

pub use ensemble::{Tree, TreeEnsemble};
