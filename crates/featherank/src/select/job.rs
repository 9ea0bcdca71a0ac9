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
use crate::checkpoint::Checkpoint;
use crate::data::{PathRole, PathUse, check_paths};
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
            ("the selection", &self.output),
            ("the model", &self.model_output),
            ("the checkpoint", &self.checkpoint),
        ];
        let files = files
            .into_iter()
            .filter_map(|(what, path)| Some(PathUse::new(what, path.as_ref()?, PathRole::Output)));
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
    /// if the selection is complete.
    pub fn run(&self, engine: &dyn Engine) -> Result<SelectionOutcome> {
        let _lock = self.resumable_from().map(Checkpoint::lock).transpose()?;
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
        let stopped = run.stop().ended_early().filter(|_| selection.unfinished);
        Ok(SelectionOutcome { selection, seconds, stopped, kept_checkpoint })
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
            format!("method `{}` does not train a model", self.method.name),
            "use an embedded method or mofsrank, or save the selection and train a ranker on it",
        )
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use serde_json::Value;

    use super::*;
    use crate::data::synth::{Preset, generate};
    use crate::document::{self, tests::every_flip_is_refused};
    use crate::engine::LocalEngine;
    use crate::error::Stop;
    use crate::rank::Model;
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
    fn a_checkpoint_in_use_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let checkpoint = folder.path().join("c.json");
        let job = job("spea2", &SHORT_SEARCH).checkpoint(Some(checkpoint.clone()));
        let held = Checkpoint::lock(&checkpoint).unwrap();
        for error in [job.check().unwrap_err(), job.run(&engine()).unwrap_err()] {
            let text = error.to_string();
            assert!(text.contains(&format!("in use by process {}", std::process::id())), "{text}");
        }
        drop(held);
        job.check().unwrap();
        job.run(&engine()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no lock is left");
        // A lock file that no process holds, as after a power failure.
        std::fs::write(folder.path().join("c.json.lock"), "process 1").unwrap();
        job.run(&engine()).unwrap();
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
    fn damaged_selections_and_models_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (selection, model) = (folder.path().join("s.json"), folder.path().join("m.json"));
        let files = job("l1-svm", &[]).output(Some(selection.clone()));
        files.model_output(Some(model.clone())).run(&engine()).unwrap();
        every_flip_is_refused(&selection, || Selection::load(&selection));
        every_flip_is_refused(&model, || Model::load(&model));
    }

    /// Every number, text and list of a state, replaced by unusual ones under a valid checksum: an
    /// error or a result, but no panic.
    #[test]
    fn forged_states_never_panic() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.json");
        let short_phases = [
            ("population", "4"),
            ("pair-generations", "1"),
            ("feature-generations", "1"),
            ("ensemble-generations", "1"),
        ];
        let mut refused = 0;
        for (method, parameters) in [("spea2", &SHORT_SEARCH[..]), ("mofsrank", &short_phases)] {
            // Stopped after each of several steps, so that every phase leaves a state.
            for step in [4, 10, 16] {
                let mut stopped = job(method, parameters).checkpoint(Some(path.clone()));
                stopped.run.observer = Arc::new(StopAfter(step.into()));
                if stopped.run(&engine()).is_ok() {
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                let whole: Value = serde_json::from_str(&text).unwrap();
                for place in places(&whole["state"], "/state".into()) {
                    for odd in ["0", "-1", "1e300", "99999", "\"3:7\"", "[]", "null"] {
                        let mut forged = whole.clone();
                        *forged.pointer_mut(&place).unwrap() = serde_json::from_str(odd).unwrap();
                        let fields = forged.as_object_mut().unwrap();
                        fields.retain(|name, _| name == "work" || name == "state");
                        document::save_compact("checkpoint", 2, &forged, &path).unwrap();
                        let job = job(method, parameters).checkpoint(Some(path.clone()));
                        refused += u32::from(job.run(&engine()).is_err());
                    }
                }
                std::fs::remove_file(&path).unwrap_or_default();
            }
        }
        assert!(refused > 20, "{refused} refused");
    }

    struct StopAfter(std::sync::atomic::AtomicI64);

    impl Observer for StopAfter {
        fn on_step(&self, _: &Step) -> ControlFlow<Stop> {
            match self.0.fetch_sub(1, std::sync::atomic::Ordering::SeqCst) {
                0 => ControlFlow::Break(Stop::Interrupted),
                _ => ControlFlow::Continue(()),
            }
        }
    }

    /// Some places of a document: the first entries of every list.
    fn places(value: &Value, at: String) -> Vec<String> {
        let below: Vec<String> = match value {
            Value::Array(list) => (list.iter().take(1).enumerate())
                .flat_map(|(i, value)| places(value, format!("{at}/{i}")))
                .collect(),
            Value::Object(map) => {
                map.iter().flat_map(|(key, value)| places(value, format!("{at}/{key}"))).collect()
            }
            _ => Vec::new(),
        };
        std::iter::once(at).chain(below).collect()
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

    #[test]
    fn a_checkpoint_that_is_also_the_output_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        let job = job("spea2", &[]).checkpoint(Some(path.clone())).output(Some(path));
        let error = job.check().unwrap_err().to_string();
        assert!(error.contains("the selection and the checkpoint are the same file"), "{error}");
    }
}
