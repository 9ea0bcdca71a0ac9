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
fn without_an_output_the_checkpoint_stays_until_the_selection_was_used() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("c.json");
    let job = job("spea2", &SHORT_SEARCH).checkpoint(Some(checkpoint.clone()));
    let outcome = job.run(&engine()).unwrap();
    assert!(outcome.is_complete() && outcome.kept_checkpoint.is_none());
    assert!(checkpoint.exists());
    assert!(job.check().is_err(), "no other run may use it");
    let selection = outcome.selection.clone();
    drop(outcome);
    let resumed = job.run(&engine()).unwrap();
    assert_eq!(resumed.selection, selection);
    resumed.remove_checkpoint().unwrap();
    drop(resumed);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no lock is left");
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
    job.run(&engine()).unwrap().remove_checkpoint().unwrap();
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
    let lost = job.resumable(Error::shard(2, "it was killed")).to_string();
    let named = format!("help: repeat the same run to resume from {}", checkpoint.display());
    assert!(lost.contains("shard 2: it was killed") && lost.contains(&named), "{lost}");
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
    let short_cells =
        [("ranker", "rankrls"), ("methods", "top-k"), ("repetitions", "1"), ("folds", "3")];
    let methods: [(&str, &[(&str, &str)]); 3] =
        [("spea2", &SHORT_SEARCH), ("mofsrank", &short_phases), ("auto", &short_cells)];
    for (method, parameters) in methods {
        // Stopped after each of several steps, so that every phase leaves a state.
        for step in [4, 10, 16, 34] {
            let mut stopped = job(method, parameters).checkpoint(Some(path.clone()));
            stopped.run.observer = Arc::new(StopAfter(step.into()));
            if stopped.run(&engine()).is_ok() {
                continue;
            }
            // `auto` saves no state before it has tuned its ranker.
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
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
