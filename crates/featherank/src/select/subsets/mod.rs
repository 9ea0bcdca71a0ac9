//! Evaluating subsets of features: split the queries, train a ranker on each subset, judge it.
//!
//! | file | contents |
//! |---|---|
//! | `held_out` | [`HeldOut`]: validation data, folds or the training data itself |
//! | `split` | [`Split`]: the queries and features of one training run and the queries it is judged on |
//! | `trainer` | [`SubsetTrainer`] and [`FittedSubsets`]: a ranker trained on subsets |
//! | `evaluator` | [`SubsetEvaluator`]: the measure of subsets over all splits of a run |
//! | `linear` | linear models of many subsets, measured in one pass |
//! | `choose` | the best value, or the smallest subset that is hardly worse |
//! | `repair` | [`SubsetRepair`]: random subsets made to satisfy the constraints |
//! | `progress` | [`TrainingProgress`]: progress in trained rankers |
//!
//! Wrappers, embedded methods, SPEA2, MOFSRank and `auto` all evaluate subsets with this module, so
//! that a rule such as "how many queries are too few to hold some out" exists once.

mod choose;
mod evaluator;
mod held_out;
mod linear;
mod progress;
mod repair;
mod split;
mod trainer;

pub(super) use choose::{
    best_place, mean_and_error, smallest_within_errors, smallest_within_slack,
};
pub(super) use evaluator::SubsetEvaluator;
pub(super) use held_out::{FOLDS, HeldOut, check_counts, checked_validation};
pub(super) use linear::{held_out_values, linear_values, no_query_counts};
pub(super) use progress::TrainingProgress;
pub(super) use repair::SubsetRepair;
pub(super) use split::Split;
pub(super) use trainer::SubsetTrainer;

use crate::engine::Engine;
use crate::error::Result;

/// Runs `work` on the engine's threads.
pub(super) fn on_threads_of<T: Send>(
    engine: &dyn Engine,
    work: impl Fn() -> Result<T> + Send + Sync,
) -> Result<T> {
    let mut done = None;
    engine.within(&mut || done = Some(work()));
    // Engines always run the work they are given.
    done.unwrap_or_else(&work)
}
