//! Answers that an engine does not compute twice.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::Job;
use crate::error::Result;

/// Answers to passes without parameters ([`Pass::CACHED`](super::Pass::CACHED)), by the type of
/// the pass. Nearly every method asks for the moments of all rows, some several times.
#[derive(Default)]
pub(crate) struct AnswerCache(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl AnswerCache {
    /// Supplies the answer if it is known; otherwise runs the job and keeps the answer.
    pub fn or_run(
        &self,
        job: &mut dyn Job,
        run: impl FnOnce(&mut dyn Job) -> Result<()>,
    ) -> Result<()> {
        if !job.is_cached() {
            return run(job);
        }
        let known = self.answers().get(&job.pass_type()).cloned();
        if known.is_some_and(|answer| job.supply(answer.as_ref())) {
            return Ok(());
        }
        run(job)?;
        if let Some(answer) = job.cacheable() {
            self.answers().insert(job.pass_type(), answer);
        }
        Ok(())
    }

    fn answers(&self) -> std::sync::MutexGuard<'_, HashMap<TypeId, Arc<dyn Any + Send + Sync>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
