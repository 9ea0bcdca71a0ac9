//! The driver of a selection, used by the command, by Python and by `compare`.
//!
//! A [`SelectionJob`] holds everything a selection needs besides the data: the method and its
//! parameters, the [`Run`] (seed, constraints, observer, validation data), a time limit, a
//! checkpoint and the files to write. The driver guarantees the following:
//! - Unwritable files, and outputs that the method does not have, are rejected before any data is
//!   read ([`SelectionJob::check`]).
//! - A method that can return the best result so far does so when the time limit is reached; any
//!   other method is stopped with [`Stop::TimeLimit`](crate::Stop::TimeLimit).
//! - Validation data that shares queries with the training data is rejected if the method uses it.
//! - The checkpoint is deleted only after the complete selection has been written. Without a file
//!   for the selection, the caller deletes it ([`SelectionOutcome::remove_checkpoint`]).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Selection, SelectorSpec};
use crate::checkpoint::Checkpoint;
use crate::data::{
    DataSources, PathLock, PathRole, PathUse, check_disjoint, check_paths, is_stream,
};
use crate::engine::Engine;
use crate::error::{Error, Result, Stop};
use crate::run::{Constraints, Observer, Run};

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
    /// Why the selection is not complete, if it is the best so far of a stopped run.
    pub stopped: Option<Stop>,
    /// The checkpoint that was kept because the selection is not complete.
    pub kept_checkpoint: Option<PathBuf>,
    /// Sentences about validation queries that may also be training queries.
    pub notes: Vec<String>,
    /// The checkpoint of a complete selection that no file holds.
    finished_checkpoint: Option<Arc<FinishedCheckpoint>>,
}

/// A checkpoint to delete, which no other run may use until then.
#[derive(Debug)]
struct FinishedCheckpoint {
    checkpoint: Checkpoint,
    _lock: Option<PathLock>,
}

impl SelectionOutcome {
    /// False if the time limit was reached first.
    pub fn is_complete(&self) -> bool {
        !self.selection.unfinished
    }

    /// Deletes the checkpoint of a complete selection of a job without an
    /// [`output`](SelectionJob::output), once the selection has been printed or used: until then,
    /// only the checkpoint holds it. In all other cases there is nothing to delete.
    pub fn remove_checkpoint(&self) -> Result<()> {
        self.finished_checkpoint.as_ref().map_or(Ok(()), |finished| finished.checkpoint.remove())
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
        self.run = self.run.stopped_after(limit);
        if limit.is_some() { self.best_so_far() } else { self }
    }

    /// Returns the best result so far if the run is stopped by its token, by Ctrl-C too, and the
    /// method can do so: see [`SelectionOutcome::stopped`]. Otherwise a stop is an error.
    #[must_use]
    pub fn best_so_far(mut self) -> Self {
        self.run.best_so_far = self.method.resumes;
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

    /// Sets the files of the data, which the selection records.
    #[must_use]
    pub fn sources(mut self, sources: DataSources) -> Self {
        self.run.sources = sources;
        self
    }

    /// The observer that engines of this job report to; its token enforces the time limit.
    pub fn observer(&self) -> Arc<dyn Observer> {
        self.run.observer.clone()
    }

    /// The files that [`run`](Self::run) writes.
    pub fn outputs(&self) -> impl Iterator<Item = &Path> {
        self.output.iter().chain(&self.model_output).map(PathBuf::as_path)
    }

    /// Rejects what can be rejected before data is read: files that cannot be written or are given
    /// twice, a checkpoint that another run uses, and a model file for a method that trains no
    /// model.
    pub fn check(&self) -> Result<()> {
        let files = [
            ("the selection", &self.output, PathRole::Output),
            ("the model", &self.model_output, PathRole::Output),
            ("the checkpoint", &self.checkpoint, PathRole::Checkpoint),
        ];
        let files = files
            .into_iter()
            .filter_map(|(what, path, role)| Some(PathUse::new(what, path.as_ref()?, role)));
        check_paths(&files.collect::<Vec<_>>())?;
        // Another run may still take the checkpoint while data is read; `run` checks again.
        self.resumable_from().map(Checkpoint::lock).transpose()?;
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
    #[cfg(feature = "experiments")]
    pub(crate) fn identity(&self, engine: &dyn Engine) -> Result<crate::checkpoint::Work> {
        self.method.work(&self.parameters, &self.run, engine)
    }

    /// Selects features of the data behind the engine, writes the files, and deletes the checkpoint
    /// if the selection is complete and has a file. If it has none, see
    /// [`SelectionOutcome::remove_checkpoint`].
    pub fn run(&self, engine: &dyn Engine) -> Result<SelectionOutcome> {
        let lock = self.resumable_from().map(Checkpoint::lock).transpose()?;
        let notes = self.check_validation(engine)?;
        let checkpoint = self.resumable_from().map(Checkpoint::new);
        let run = Run { checkpoint: checkpoint.clone(), ..self.run.clone() };
        let start = Instant::now();
        let selected = self.method.run(&self.parameters, &run, engine);
        let selection = selected.map_err(|error| self.resumable(error))?;
        let seconds = start.elapsed().as_secs_f64();
        self.save(&selection)?;
        let (mut kept_checkpoint, mut finished_checkpoint) = (None, None);
        match checkpoint {
            Some(_) if selection.unfinished => kept_checkpoint = self.checkpoint.clone(),
            Some(checkpoint) if self.output.is_none() => {
                let finished = FinishedCheckpoint { checkpoint, _lock: lock };
                finished_checkpoint = Some(Arc::new(finished));
            }
            Some(checkpoint) => checkpoint.remove()?,
            None => {}
        }
        let stopped = run.stop().ended_early().filter(|_| selection.unfinished);
        Ok(SelectionOutcome {
            selection,
            seconds,
            stopped,
            kept_checkpoint,
            notes,
            finished_checkpoint,
        })
    }

    /// Writes the files, and a stream last, because its reader may close it early.
    fn save(&self, selection: &Selection) -> Result<()> {
        let save_selection = || self.output.as_ref().map_or(Ok(()), |path| selection.save(path));
        let save_model = || match &self.model_output {
            Some(path) => selection.model.as_ref().ok_or_else(|| self.no_model())?.save(path),
            None => Ok(()),
        };
        match self.output.as_deref().is_some_and(is_stream) {
            true => save_model().and_then(|()| save_selection()),
            false => save_selection().and_then(|()| save_model()),
        }
    }

    /// The checkpoint from which the same job resumes after it was stopped with this error, if it
    /// wrote one. The error of a failed shard names it itself.
    pub fn checkpoint_after(&self, error: &Error) -> Option<&Path> {
        self.written_checkpoint().filter(|_| matches!(error, Error::Stopped(_)))
    }

    /// The error with the checkpoint from which the same job resumes.
    fn resumable(&self, error: Error) -> Error {
        match error {
            Error::Shard { shard, message, .. } => {
                let resume = self.written_checkpoint().map(Path::to_owned);
                Error::Shard { shard, message, resume }
            }
            error => error,
        }
    }

    fn written_checkpoint(&self) -> Option<&Path> {
        self.resumable_from().filter(|path| path.exists())
    }

    /// Rejects validation data that shares queries with the training data, if the method uses it
    /// and the rows of both are in this process.
    fn check_validation(&self, engine: &dyn Engine) -> Result<Vec<String>> {
        let valid = self.run.valid.as_ref().filter(|_| self.method.uses_valid);
        match (engine.local(), valid.and_then(|valid| valid.local())) {
            (Some(train), Some(valid)) => {
                Ok(check_disjoint(train, valid)?.notes("training", "validation"))
            }
            _ => Ok(Vec::new()),
        }
    }

    fn resumable_from(&self) -> Option<&Path> {
        self.checkpoint.as_deref().filter(|_| self.method.resumes)
    }

    fn no_model(&self) -> Error {
        Error::unsupported(
            format!("method `{}` does not train a model", self.method.name),
            "use an embedded method or mofsrank, or save the selection and train a ranker on it",
        )
    }
}

#[cfg(test)]
mod tests;
