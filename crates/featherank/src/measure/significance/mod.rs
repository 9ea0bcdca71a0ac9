//! Paired tests, intervals and margins over per-query values.
//!
//! The query is the unit: every function takes one value per query, and two systems are compared on
//! the same queries in the same order. NaN means that a query does not count; it is omitted for
//! both systems.
//!
//! | question | function |
//! |---|---|
//! | do the means differ? | [`paired_t`], or without normality [`wilcoxon()`] |
//! | the same decision, a million times? | [`SignedRankLevel`], on values held as [`PerQuery`] |
//! | do they differ, in several tests? | [`holm()`] on the p-values |
//! | how large is the mean, or the difference? | [`bootstrap_mean`], [`bootstrap_difference`] |
//! | is the new system good enough? | [`non_inferior`], [`non_inferior_by_share`] |
//! | which of several systems are? | [`jointly_non_inferior`] |
//!
//! "Not significantly worse" is not "good enough": with few queries nothing is significant. Use
//! [`non_inferior`] for that question: it requires evidence.

mod bootstrap;
mod holm;
mod joint;
mod non_inferiority;
pub(crate) mod number;
pub(crate) mod pairs;
mod per_query;
mod quick_wilcoxon;
pub(crate) mod student;
pub(crate) mod t_test;
mod wilcoxon;

pub use bootstrap::{Interval, bootstrap_difference, bootstrap_mean, quantile};
pub(crate) use bootstrap::{observed_bootstrap_mean, resample_blocks};
pub use holm::holm;
pub use joint::jointly_non_inferior;
pub use non_inferiority::{NonInferiority, non_inferior, non_inferior_by_share};
pub use per_query::PerQuery;
pub use quick_wilcoxon::SignedRankLevel;
pub use t_test::{TTest, one_sample_t, paired_t};
pub use wilcoxon::{
    EXACT_LIMIT, Wilcoxon, WilcoxonMethod, wilcoxon, wilcoxon_counting, wilcoxon_differences,
};

/// The customary significance level.
pub const LEVEL: f64 = 0.05;
