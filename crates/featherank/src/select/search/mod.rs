//! Searches through subsets of features, for methods that can say how good a subset is.

mod best_first;

pub use best_first::{BestFirstSearch, FoundSubset, SubsetMerit};
