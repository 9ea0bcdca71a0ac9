//! One run of a method: its seed, constraints and observer.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::checkpoint::Checkpoint;
pub use crate::constraints::Constraints;
use crate::engine::Engine;
use crate::error::{Error, Result};
pub use crate::progress::{Limited, Observer, Silent, Step};

/// The context of one run.
#[derive(Clone)]
pub struct Run {
    /// The source of all randomness.
    pub seed: u64,
    /// The constraints on the result.
    pub constraints: Constraints,
    /// The observer.
    pub observer: Arc<dyn Observer>,
    /// Data on which methods tune themselves; without it they hold out a part of the training data.
    pub valid: Option<Arc<dyn Engine>>,
    /// Where long-running methods save their progress.
    pub checkpoint: Option<Checkpoint>,
    /// When anytime methods return their best result so far. Other methods ignore it; [`Limited`]
    /// stops them.
    pub deadline: Option<Instant>,
}

impl Run {
    /// A run without an observer.
    pub fn new(seed: u64, constraints: Constraints) -> Self {
        Run {
            seed,
            constraints,
            observer: Arc::new(Silent),
            valid: None,
            checkpoint: None,
            deadline: None,
        }
    }

    /// Reports a step; an error if the observer stops the run.
    pub fn step(&self, what: &'static str, done: u64, total: Option<u64>) -> Result<()> {
        match self.observer.on_step(&Step { what, done, total }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(stop) => Err(Error::Stopped(stop)),
        }
    }

    /// The state that an interrupted run with the same identity saved, if any.
    pub fn saved<S: DeserializeOwned>(&self) -> Result<Option<S>> {
        self.checkpoint.as_ref().map_or(Ok(None), Checkpoint::load)
    }

    /// Saves a state from which the run can resume, if there is a checkpoint.
    pub fn save<S: Serialize>(&self, state: &S) -> Result<()> {
        self.checkpoint.as_ref().map_or(Ok(()), |checkpoint| checkpoint.save(state))
    }

    /// Whether the deadline has passed and the best result so far should be returned.
    pub fn is_out_of_time(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
