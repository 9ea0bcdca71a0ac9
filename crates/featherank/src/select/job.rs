//! The driver of a selection, used by the command, by Python and by `compare`.
//!
//! A [`SelectionJob`] holds everything a selection needs besides the data: the method and its
//! parameters, the [`Run`] (seed, constraints, observer, validation data), a time limit, a
//! checkpoint and the files to write. The driver guarantees the following:
//! - Unwritable files, and outputs that the method does not have, are rejected before any data is
//!   read ([`SelectionJob::check`]).
//! - A method that can return the best result so far does so when the time limit is reached; any
//!   other method is stopped with [`Stop::TimeLimit`](crate::Stop::TimeLimit).
//! - The checkpoint is deleted only after the complete selection has been written.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Selection, SelectorSpec};
use crate::checkpoint::{Checkpoint, Work};
use crate::data::check_target;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::run::{Constraints, Limited, Observer, Run};

/// A selection to run.
///
/// ```
/// use featherank::data::synth::{Preset, generate};
/// use featherank::engine::LocalEngine;
/// use featherank::registry;
/// use featherank::run::{Constraints, Run};
/// use featherank::select::SelectionJob;
///
/// let (data, _) = generate(&Preset::Tiny.config())?;
/// let run = Run::new(1, Constraints { k: Some(5), ..Constraints::default() });
/// let job = SelectionJob::new(registry::selector("top-k")?, Vec::new(), run);
/// let outcome = job.run(&LocalEngine::new(data, 0)?)?;
/// assert!(outcome.is_complete());
/// assert_eq!(outcome.selection.selected.len(), 5);
/// # Ok::<(), featherank::Error>(())
/// ```
#[derive(Clone)]
pub struct SelectionJob {
    method: &'static SelectorSpec,
    parameters: Vec<(String, String)>,
    run: Run,
    checkpoint: Option<PathBuf>,
    output: Option<PathBuf>,
    model_output: Option<PathBuf>,
}

/// The result of a [`SelectionJob`].
#[derive(Debug, Clone)]
pub struct SelectionOutcome {
    /// The selection; the best so far if the time limit was reached.
    pub selection: Selection,
    /// Seconds that the method took, without reading and writing.
    pub seconds: f64,
    /// The checkpoint that was kept because the selection is not complete.
    pub kept_checkpoint: Option<PathBuf>,
}

impl SelectionOutcome {
    /// False if the time limit was reached first.
    pub fn is_complete(&self) -> bool {
        !self.selection.unfinished
    }
}

/// A setting of a job that the method does not use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnusedSetting {
    /// The method neither writes checkpoints nor resumes from them.
    Checkpoint,
    /// The method does not use validation data.
    Validation,
}

impl SelectionJob {
    /// A job without a time limit, a checkpoint or files to write.
    pub fn new(method: &'static SelectorSpec, parameters: Vec<(String, String)>, run: Run) -> Self {
        SelectionJob { method, parameters, run, checkpoint: None, output: None, model_output: None }
    }

    /// Sets the constraints on the selected features.
    #[must_use]
    pub fn constraints(mut self, constraints: Constraints) -> Self {
        self.run.constraints = constraints;
        self
    }

    /// Sets the validation data.
    #[must_use]
    pub fn validation(mut self, validation: Option<Arc<dyn Engine>>) -> Self {
        self.run.valid = validation;
        self
    }

    /// Limits the time from now on, including the time to read data with
    /// [`observer`](Self::observer).
    #[must_use]
    pub fn time_limit(mut self, limit: Option<Duration>) -> Self {
        if let Some(deadline) = limit.and_then(|limit| Instant::now().checked_add(limit)) {
            self.run.deadline = Some(deadline);
            if !self.method.resumes {
                self.run.observer = Arc::new(Limited { observer: self.run.observer, deadline });
            }
        }
        self
    }

    /// Sets the file from which the same job resumes. Methods that do not resume ignore it.
    #[must_use]
    pub fn checkpoint(mut self, path: Option<PathBuf>) -> Self {
        self.checkpoint = path;
        self
    }

    /// Sets the file for the selection.
    #[must_use]
    pub fn output(mut self, path: Option<PathBuf>) -> Self {
        self.output = path;
        self
    }

    /// Sets the file for the model that the method trains.
    #[must_use]
    pub fn model_output(mut self, path: Option<PathBuf>) -> Self {
        self.model_output = path;
        self
    }

    /// The observer that engines of this job report to; it enforces the time limit.
    pub fn observer(&self) -> Arc<dyn Observer> {
        self.run.observer.clone()
    }

    /// The files that [`run`](Self::run) writes.
    pub fn outputs(&self) -> impl Iterator<Item = &Path> {
        self.output.iter().chain(&self.model_output).map(PathBuf::as_path)
    }

    /// Rejects what can be rejected before data is read: files that cannot be written, and a model
    /// file for a method that trains no model.
    pub fn check(&self) -> Result<()> {
        self.outputs().chain(self.checkpoint.as_deref()).try_for_each(check_target)?;
        match self.model_output.is_some() && !self.method.leaves_model {
            true => Err(self.no_model()),
            false => Ok(()),
        }
    }

    /// Rejects a method that needs the rows in this process, for engines that are remote or read
    /// the data in parts.
    pub fn check_remote(&self) -> Result<()> {
        self.method.check_remote(&self.parameters)
    }

    /// The settings that have no effect on this method.
    pub fn unused(&self) -> impl Iterator<Item = UnusedSetting> {
        let checkpoint = self.checkpoint.is_some() && !self.method.resumes;
        let validation = self.run.valid.is_some() && !self.method.uses_valid;
        let checkpoint = checkpoint.then_some(UnusedSetting::Checkpoint);
        checkpoint.into_iter().chain(validation.then_some(UnusedSetting::Validation))
    }

    /// The identity of the job: jobs with the same identity give the same selection.
    pub fn identity(&self, engine: &dyn Engine) -> Result<Work> {
        self.method.work(&self.parameters, &self.run, engine)
    }

    /// Selects features of the data behind the engine, writes the files, and deletes the checkpoint
    /// if the selection is complete.
    pub fn run(&self, engine: &dyn Engine) -> Result<SelectionOutcome> {
        let checkpoint = self.resumable_from().map(Checkpoint::new);
        let run = Run { checkpoint: checkpoint.clone(), ..self.run.clone() };
        let start = Instant::now();
        let selection = self.method.run(&self.parameters, &run, engine)?;
        let seconds = start.elapsed().as_secs_f64();
        if let Some(path) = &self.output {
            selection.save(path)?;
        }
        if let Some(path) = &self.model_output {
            selection.model.as_ref().ok_or_else(|| self.no_model())?.save(path)?;
        }
        let kept_checkpoint = match checkpoint {
            Some(_) if selection.unfinished => self.checkpoint.clone(),
            Some(checkpoint) => {
                checkpoint.remove()?;
                None
            }
            None => None,
        };
        Ok(SelectionOutcome { selection, seconds, kept_checkpoint })
    }

    /// The checkpoint from which the same job resumes after this error, if it wrote one.
    pub fn checkpoint_after(&self, error: &Error) -> Option<&Path> {
        let recoverable = matches!(error, Error::Stopped(_) | Error::Shard { .. });
        self.resumable_from().filter(|path| recoverable && path.exists())
    }

    fn resumable_from(&self) -> Option<&Path> {
        self.checkpoint.as_deref().filter(|_| self.method.resumes)
    }

    fn no_model(&self) -> Error {
        Error::unsupported(
            format!("method `{}` trains no model that could be saved", self.method.name),
            "use an embedded method or mofsrank, or save the selection and train a ranker on it",
        )
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::data::synth::{Preset, generate};
    use crate::engine::LocalEngine;
    use crate::error::Stop;
    use crate::registry;
    use crate::run::Step;

    fn job(method: &str, parameters: &[(&str, &str)]) -> SelectionJob {
        let parameters =
            parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let run = Run::new(1, Constraints::default());
        SelectionJob::new(registry::selector(method).unwrap(), parameters.collect(), run)
    }

    fn engine() -> LocalEngine {
        LocalEngine::new(generate(&Preset::Tiny.config()).unwrap().0, 1).unwrap()
    }

    const SHORT_SEARCH: [(&str, &str); 3] =
        [("generations", "2"), ("population", "6"), ("archive", "6")];

    #[test]
    fn a_complete_job_writes_its_selection_and_deletes_the_checkpoint() {
        let folder = tempfile::tempdir().unwrap();
        let (output, checkpoint) = (folder.path().join("s.json"), folder.path().join("c.json"));
        let job = job("spea2", &SHORT_SEARCH)
            .checkpoint(Some(checkpoint.clone()))
            .output(Some(output.clone()));
        job.check().unwrap();
        let outcome = job.run(&engine()).unwrap();
        assert!(outcome.is_complete() && outcome.kept_checkpoint.is_none());
        assert!(!checkpoint.exists());
        assert_eq!(Selection::load(&output).unwrap(), outcome.selection);
    }

    #[test]
    fn a_method_that_resumes_returns_the_best_so_far_and_keeps_its_checkpoint() {
        let folder = tempfile::tempdir().unwrap();
        let checkpoint = folder.path().join("c.json");
        let limited = job("spea2", &[("generations", "100000")])
            .checkpoint(Some(checkpoint.clone()))
            .time_limit(Some(Duration::from_millis(1)));
        let outcome = limited.run(&engine()).unwrap();
        assert!(!outcome.is_complete());
        assert_eq!(outcome.kept_checkpoint, Some(checkpoint.clone()));
        assert!(checkpoint.exists());
    }

    #[test]
    fn a_method_that_does_not_resume_is_stopped_at_the_time_limit() {
        let job = job("best-gain", &[]).time_limit(Some(Duration::from_nanos(1)));
        let engine = engine().observed_by(job.observer());
        let error = job.run(&engine).unwrap_err();
        assert!(matches!(error, Error::Stopped(Stop::TimeLimit)), "{error}");
    }

    #[test]
    fn an_interrupted_job_names_the_checkpoint_to_resume_from() {
        struct Interrupt;
        impl Observer for Interrupt {
            fn on_step(&self, _: &Step) -> ControlFlow<Stop> {
                ControlFlow::Break(Stop::Interrupted)
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let checkpoint = folder.path().join("c.json");
        let mut job = job("spea2", &SHORT_SEARCH).checkpoint(Some(checkpoint.clone()));
        job.run.observer = Arc::new(Interrupt);
        let error = job.run(&engine()).unwrap_err();
        assert_eq!(job.checkpoint_after(&error), checkpoint.exists().then_some(&*checkpoint));
        std::fs::write(&checkpoint, "").unwrap();
        assert_eq!(job.checkpoint_after(&error), Some(&*checkpoint));
        let other = Error::invalid("k", 0, "at least 1");
        assert_eq!(job.checkpoint_after(&other), None);
    }

    #[test]
    fn settings_without_effect_are_listed() {
        let job = job("top-k", &[])
            .checkpoint(Some("unused.json".into()))
            .validation(Some(Arc::new(engine())));
        let unused: Vec<_> = job.unused().collect();
        assert_eq!(unused, [UnusedSetting::Checkpoint, UnusedSetting::Validation]);
        assert!(job.model_output(Some("model.json".into())).check().is_err());
    }
}
