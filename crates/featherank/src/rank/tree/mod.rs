//! Tree rankers, on one binned matrix that all feature subsets share.

mod bins;
mod boost;
mod ensemble;
mod grow;
mod histogram;
pub(crate) mod lambda_mart;
pub(crate) mod mart;
pub(crate) mod random_forest;
pub(crate) mod regression_tree;
mod split;

use bins::Bins;
pub use ensemble::{Importance, Tree, TreeEnsemble};
