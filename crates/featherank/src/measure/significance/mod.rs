//! Is a difference more than luck? Paired tests, intervals and margins over per-query values.
//!
//! A query is the unit: every function takes one value per query, and two systems are compared on
//! the same queries in the same order. A value of NaN means "this query does not count"; the query
//! is left out, for both.
//!
//! | question | function |
//! |---|---|
//! | do the means differ? | [`paired_t`], or without normality [`wilcoxon()`] |
//! | the same, yes or no, a million times? | [`SignedRankLevel`], on values held as [`PerQuery`] |
//! | the same, asked several times? | [`holm()`] on the p-values |
//! | how large is the mean, or the difference? | [`bootstrap_mean`], [`bootstrap_difference`] |
//! | is the new one good enough? | [`non_inferior`], [`non_inferior_by_share`]; after cross-validation [`non_inferior_across_folds`] |
//!
//! "Not significantly worse" is not "good enough": with few queries nothing is significant. For
//! that question use [`non_inferior`], which needs evidence and not the lack of it.

mod bootstrap;
mod holm;
mod non_inferiority;
pub(crate) mod number;
pub(crate) mod pairs;
mod per_query;
mod quick_wilcoxon;
pub(crate) mod student;
pub(crate) mod t_test;
mod wilcoxon;

pub use bootstrap::{Interval, bootstrap_difference, bootstrap_mean, quantile};
pub use holm::holm;
pub use non_inferiority::{
    NonInferiority, non_inferior, non_inferior_across_folds, non_inferior_by_share,
};
pub use per_query::PerQuery;
pub use quick_wilcoxon::SignedRankLevel;
pub use t_test::{TTest, one_sample_t, paired_t};
pub use wilcoxon::{
    EXACT_LIMIT, Wilcoxon, WilcoxonMethod, wilcoxon, wilcoxon_counting, wilcoxon_differences,
};

/// The level at which the field calls a difference significant.
pub const LEVEL: f64 = 0.05;
