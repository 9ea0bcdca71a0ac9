//! Progress in trained rankers, instead of the steps within each of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Result;
use crate::run::{Run, Silent};

/// Counts the rankers that a run has trained and reports each as one step. The steps within a
/// ranker are not reported: there are too many of them.
pub struct TrainingProgress<'a> {
    run: &'a Run,
    silent: Run,
    trained: AtomicU64,
}

impl<'a> TrainingProgress<'a> {
    /// No ranker has been trained yet.
    pub fn new(run: &'a Run) -> Self {
        let silent = Run { observer: Arc::new(Silent), ..run.clone() };
        TrainingProgress { run, silent, trained: AtomicU64::new(0) }
    }

    /// The run without an observer, for training a single ranker.
    pub fn silent_run(&self) -> &Run {
        &self.silent
    }

    /// Reports that `count` more rankers have been trained; fails if the run was cancelled.
    pub fn report(&self, count: usize) -> Result<()> {
        let trained = self.trained.fetch_add(count as u64, Ordering::Relaxed) + count as u64;
        self.run.step("training rankers", trained, None)
    }
}
