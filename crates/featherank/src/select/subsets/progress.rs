//! Progress in trained rankers, instead of the steps within each of them.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Result;
use crate::progress::report;
use crate::run::{Run, Step, StopToken};

/// Counts the rankers that a run has trained and reports each as one step. The steps within a
/// ranker are not reported: there are too many of them.
pub struct TrainingProgress<'a> {
    run: &'a Run,
    quiet: Run,
    trained: AtomicU64,
}

impl<'a> TrainingProgress<'a> {
    /// No ranker has been trained yet.
    pub fn new(run: &'a Run) -> Self {
        TrainingProgress { run, quiet: run.quiet(), trained: AtomicU64::new(0) }
    }

    /// The run whose steps are not reported, for training a single ranker.
    pub fn quiet_run(&self) -> &Run {
        &self.quiet
    }

    /// The token that stops the run.
    pub fn stop(&self) -> &StopToken {
        self.run.stop()
    }

    /// Reports that `count` more rankers have been trained; fails if the run was cancelled.
    pub fn report(&self, count: usize) -> Result<()> {
        let trained = self.trained.fetch_add(count as u64, Ordering::Relaxed) + count as u64;
        // A stage of its own would hide that of the method.
        report(self.run.observer.as_ref(), &Step::pass("training rankers", trained, None))
    }
}
