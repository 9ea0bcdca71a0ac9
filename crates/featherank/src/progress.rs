//! The progress of a run: steps, observers that may stop it, and the state of a progress bar.
//!
//! A run shows one stage at a time. Work within a stage either reports its own stages as parts of a
//! unit ([`Run::within`](crate::run::Run::within)) or reports none (`Run::quiet`), so that it does
//! not replace the stage.

mod state;
#[cfg(feature = "experiments")]
mod units;

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::error::{Error, Result, Stop};
use crate::stop::StopToken;
pub use state::ProgressState;
#[cfg(feature = "experiments")]
pub(crate) use units::ParallelUnits;

/// The progress of a computation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// What is being computed.
    pub what: &'static str,
    /// Units done.
    pub done: u64,
    /// Units in total, if known.
    pub total: Option<u64>,
    /// The work done on units that have not ended, in units: from 0 to 1 for one unit at a time.
    pub part: f64,
    /// The remaining time of the stage, if the reporter can estimate it better than from the share
    /// of the work: units may differ in length.
    pub time_left: Option<Duration>,
    /// Whether this is the progress of the method or of a pass within it.
    pub level: StepLevel,
}

/// What a step is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepLevel {
    /// A stage of the method: features, generations, trees.
    Stage,
    /// A pass over the data, of which a stage may need many.
    Pass,
}

impl Step {
    /// A step of a method.
    pub fn stage(what: &'static str, done: u64, total: Option<u64>) -> Self {
        Step { what, done, total, part: 0.0, time_left: None, level: StepLevel::Stage }
    }

    /// A step of a pass.
    pub fn pass(what: &'static str, done: u64, total: Option<u64>) -> Self {
        Step { level: StepLevel::Pass, ..Step::stage(what, done, total) }
    }

    /// The share of the work that is done, from 0 to 1; `None` if the total is not known.
    pub fn share(&self) -> Option<f64> {
        let total = self.total.filter(|&total| total > 0)?;
        Some(((self.done as f64 + self.part) / total as f64).clamp(0.0, 1.0))
    }
}

/// Observes a run and may stop it: at a step, or anywhere by its token.
pub trait Observer: Send + Sync {
    /// Called after every step; `Break` stops the run.
    fn on_step(&self, step: &Step) -> ControlFlow<Stop>;

    /// The token by which the run is stopped between steps; by default it never is.
    fn stop(&self) -> &StopToken {
        static NEVER: StopToken = StopToken::NEVER;
        &NEVER
    }
}

/// Reports a step; an error if the observer stops the run.
pub(crate) fn report(observer: &dyn Observer, step: &Step) -> Result<()> {
    match observer.on_step(step) {
        ControlFlow::Continue(()) => observer.stop().check(),
        ControlFlow::Break(stop) => Err(Error::Stopped(stop)),
    }
}

/// An observer that does nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Observer for Silent {
    fn on_step(&self, _: &Step) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}

/// Drops the steps of another observer and keeps its token, for work within a step.
pub(crate) struct Quiet(pub Arc<dyn Observer>);

impl Observer for Quiet {
    fn on_step(&self, _: &Step) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }

    fn stop(&self) -> &StopToken {
        self.0.stop()
    }
}

/// Passes the stages of nested work to another observer as parts of one unit of its own stage. Of
/// several stages in a row, the one that has come furthest counts.
pub(crate) struct Nested {
    observer: Arc<dyn Observer>,
    /// The stage, with the number of units done before this one.
    within: Mutex<Step>,
}

impl Nested {
    /// Work within the unit after those that `within` counts as done.
    pub fn new(observer: Arc<dyn Observer>, within: Step) -> Self {
        Nested { observer, within: Mutex::new(within) }
    }
}

impl Observer for Nested {
    fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
        if step.level == StepLevel::Pass {
            return self.observer.on_step(step);
        }
        let mut within = self.within.lock().unwrap_or_else(PoisonError::into_inner);
        within.part = within.part.max(step.share().unwrap_or(0.0));
        let own = *within;
        drop(within);
        self.observer.on_step(&own)
    }

    fn stop(&self) -> &StopToken {
        self.observer.stop()
    }
}

/// Passes steps to another observer, with another token.
pub struct Stoppable {
    /// The other observer.
    pub observer: Arc<dyn Observer>,
    /// The token.
    pub stop: StopToken,
}

impl Observer for Stoppable {
    fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
        self.observer.on_step(step)
    }

    fn stop(&self) -> &StopToken {
        &self.stop
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_stages_are_parts_of_a_unit() {
        struct Last(std::sync::Mutex<Option<Step>>);
        impl Observer for Last {
            fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
                *self.0.lock().unwrap() = Some(*step);
                ControlFlow::Continue(())
            }
        }
        let last = Arc::new(Last(std::sync::Mutex::new(None)));
        let within = Step::stage("trying settings", 1, Some(4));
        let nested = Nested::new(last.clone(), within);
        let _ = nested.on_step(&Step::stage("boosting trees", 50, Some(100)));
        let seen = last.0.lock().unwrap().unwrap();
        assert_eq!((seen.what, seen.share()), ("trying settings", Some(0.375)));
        // A later stage of the same unit does not move the bar back.
        let _ = nested.on_step(&Step::stage("scoring", 1, None));
        assert_eq!(last.0.lock().unwrap().unwrap().share(), Some(0.375));
    }
}
