//! The progress of a run: steps, and observers that may stop it.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use crate::error::Stop;

/// The progress of a computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What is being computed.
    pub what: &'static str,
    /// Units done.
    pub done: u64,
    /// Units in total, if known.
    pub total: Option<u64>,
}

/// Observes a run and may stop it. Progress bars, time limits and Ctrl-C are observers.
pub trait Observer: Send + Sync {
    /// Called after every step; `Break` stops the run.
    fn on_step(&self, step: &Step) -> ControlFlow<Stop>;
}

/// An observer that does nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Observer for Silent {
    fn on_step(&self, _: &Step) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}

/// Passes steps to another observer and stops the run at a deadline.
pub struct Limited {
    /// The other observer.
    pub observer: Arc<dyn Observer>,
    /// When to stop.
    pub deadline: Instant,
}

impl Observer for Limited {
    fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
        self.observer.on_step(step)?;
        match Instant::now() < self.deadline {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(Stop::TimeLimit),
        }
    }
}
