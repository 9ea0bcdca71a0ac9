//! Searches through subsets of features, for methods that compute the merit of a subset.

mod best_first;

pub use best_first::{BestFirstSearch, FoundSubset, SubsetMerit};
