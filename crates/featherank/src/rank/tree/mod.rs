//! Tree rankers, on one binned matrix that all feature subsets share.

mod bins;
mod boost;
mod ensemble;
mod grow;
mod histogram;
pub mod lambda_mart;
pub mod mart;
pub mod random_forest;
pub mod regression_tree;
mod split;

use bins::Bins;
pub use ensemble::{Importance, Tree, TreeEnsemble};
