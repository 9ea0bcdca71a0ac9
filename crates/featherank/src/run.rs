//! One run of a method: its seed, constraints, observer, checkpoint and time limit.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use crate::checkpoint::Checkpoint;
pub use crate::constraints::Constraints;
use crate::data::DataSources;
use crate::engine::Engine;
use crate::error::{Error, REPORT_DEFECT, Result};
use crate::progress::{Nested, Quiet, report};
pub use crate::progress::{Observer, ProgressState, Silent, Step, StepLevel, Stoppable};
pub use crate::stop::StopToken;

/// The context of one run.
#[derive(Clone)]
pub struct Run {
    /// The source of all randomness.
    pub seed: u64,
    /// The constraints on the result.
    pub constraints: Constraints,
    /// The files of the data, which results record.
    pub sources: DataSources,
    /// The observer, with the token that stops the run.
    pub observer: Arc<dyn Observer>,
    /// Data on which methods tune themselves; without it they hold out a part of the training data.
    pub valid: Option<Arc<dyn Engine>>,
    /// Where long-running methods save their progress.
    pub checkpoint: Option<Checkpoint>,
    /// Whether a method that can do so returns its best result so far when the run is stopped. If
    /// not, a stop is an error.
    pub best_so_far: bool,
}

impl Run {
    /// A run without an observer.
    pub fn new(seed: u64, constraints: Constraints) -> Self {
        Run {
            seed,
            constraints,
            sources: DataSources::default(),
            observer: Arc::new(Silent),
            valid: None,
            checkpoint: None,
            best_so_far: false,
        }
    }

    /// Stops the run with [`Stop::TimeLimit`](crate::Stop::TimeLimit) after this time, counted from
    /// now.
    #[must_use]
    pub fn stopped_after(mut self, limit: Option<Duration>) -> Self {
        let stop = self.stop().limited(limit);
        self.observer = Arc::new(Stoppable { observer: self.observer, stop });
        self
    }

    /// The same run, whose steps are not reported: for work within a step.
    #[must_use]
    pub(crate) fn quiet(&self) -> Self {
        Run { observer: Arc::new(Quiet(self.observer.clone())), ..self.clone() }
    }

    /// The same run for the work of one unit of a stage, of which `done` of `total` units are done:
    /// its own stages are parts of this unit.
    #[must_use]
    pub fn within(&self, what: &'static str, done: u64, total: u64) -> Self {
        let within = Step::stage(what, done, Some(total));
        let observer = Arc::new(Nested::new(self.observer.clone(), within));
        Run { observer, ..self.clone() }
    }

    /// The token that stops the run.
    pub fn stop(&self) -> &StopToken {
        self.observer.stop()
    }

    /// An error if the run is to stop. Loops that can take long call it.
    pub fn check(&self) -> Result<()> {
        self.stop().check()
    }

    /// Reports a step; an error if the observer stops the run.
    pub fn step(&self, what: &'static str, done: u64, total: Option<u64>) -> Result<()> {
        report(self.observer.as_ref(), &Step::stage(what, done, total))
    }

    /// The state that an interrupted run with the same identity saved, if any.
    pub fn saved<S: DeserializeOwned>(&self) -> Result<Option<S>> {
        self.checkpoint.as_ref().map_or(Ok(None), Checkpoint::load)
    }

    /// The error for a saved state that does not fit the data.
    pub(crate) fn misfit(&self) -> Error {
        self.checkpoint.as_ref().map_or_else(
            || Error::internal("a state was restored without a checkpoint", REPORT_DEFECT),
            Checkpoint::does_not_fit,
        )
    }

    /// Saves a state from which the run can resume, if there is a checkpoint.
    pub fn save<S: Serialize>(&self, state: &S) -> Result<()> {
        self.checkpoint.as_ref().map_or(Ok(()), |checkpoint| checkpoint.save(state))
    }

    /// The outcome of work that a stop may have cut short: `None` if it did and the best result so
    /// far should be returned. The caller then has a short time to make this result, see
    /// [`StopToken::grant_grace`].
    pub fn unless_stopped<T>(&self, outcome: Result<T>) -> Result<Option<T>> {
        match outcome {
            Err(Error::Stopped(_)) if self.may_return_best() => {
                self.stop().grant_grace();
                Ok(None)
            }
            outcome => outcome.map(Some),
        }
    }

    /// Whether the run is stopped for the first time, and the best result so far is wanted.
    fn may_return_best(&self) -> bool {
        let stop = self.stop();
        self.best_so_far && stop.is_stopped() && stop.ended_early().is_none()
    }
}
