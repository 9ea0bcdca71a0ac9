//! Checkpoints: the progress of a long run, written atomically, from which the run resumes after it
//! was killed.
//!
//! A checkpoint identifies its run by method, parameters, seed, constraints, data and release. A
//! run resumes from its own checkpoint only. Any other file, and a damaged or edited one, is
//! rejected and left unchanged: a result must never mix two different runs. A lock beside the file
//! keeps two runs from using it at the same time.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::constraints::Constraints;
use crate::data::{PathLock, lock_beside};
use crate::document;
use crate::error::{Error, Result};

const KIND: &str = "checkpoint";
/// Version 2: with a checksum.
const VERSION: u32 = 2;

/// The identity of a run: two runs with equal values compute the same result.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Work {
    /// The method's name.
    pub method: String,
    /// All its parameters.
    pub parameters: BTreeMap<String, String>,
    /// The seed.
    pub seed: u64,
    /// The constraints on the result.
    pub constraints: Constraints,
    /// The fingerprint of the data: it changes with any value, label, query or feature.
    pub data: String,
    /// The fingerprint of the validation data, if any.
    pub valid: Option<String>,
    /// The release of featherank; another one may compute another result.
    pub release: String,
}

impl Work {
    /// Describes the first difference to another run.
    fn difference(&self, other: &Work) -> Option<String> {
        let differs = |what: &str, there: String, here: String| {
            (there != here).then(|| format!("{what} is {there} there and {here} here"))
        };
        let parameter = |(name, here): (&String, &String)| {
            let there = other.parameters.get(name).map_or("missing", |value| value);
            differs(name, there.to_owned(), here.clone())
        };
        differs("the method", other.method.clone(), self.method.clone())
            .or_else(|| self.parameters.iter().find_map(parameter))
            .or_else(|| differs("the seed", other.seed.to_string(), self.seed.to_string()))
            .or_else(|| differs("the release", other.release.clone(), self.release.clone()))
            .or_else(|| (self.data != other.data).then(|| "the data is not the same".into()))
            .or_else(|| {
                (self.valid != other.valid).then(|| "the validation data is not the same".into())
            })
            .or_else(|| (self != other).then(|| "the constraints differ".into()))
    }
}

/// The file in which a run saves its progress.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    path: PathBuf,
    work: Work,
}

#[derive(Serialize)]
struct SavedState<'a, S> {
    work: &'a Work,
    state: &'a S,
}

#[derive(Deserialize)]
struct LoadedState<S> {
    state: S,
}

#[derive(Deserialize)]
struct WorkAlone {
    work: Work,
}

impl Checkpoint {
    /// A checkpoint in a file, which need not exist yet.
    pub fn new(path: &Path) -> Self {
        Checkpoint { path: path.to_owned(), work: Work::default() }
    }

    /// The same file for the run with this identity.
    #[must_use]
    pub(crate) fn of(&self, work: Work) -> Self {
        Checkpoint { path: self.path.clone(), work }
    }

    /// The state saved by an earlier run with the same identity. An error if the file holds
    /// anything else.
    pub fn load<S: DeserializeOwned>(&self) -> Result<Option<S>> {
        if !self.path.exists() {
            return Ok(None);
        }
        let text = document::read_state(KIND, VERSION, &self.path)?;
        let WorkAlone { work } = document::content(KIND, &text, &self.path)?;
        if let Some(difference) = self.work.difference(&work) {
            return Err(Error::Document {
                what: format!("this checkpoint belongs to another run: {difference}"),
                path: self.path.clone(),
                help: "repeat the run that wrote it, or give this run another file".into(),
            });
        }
        let LoadedState { state } = document::content(KIND, &text, &self.path)?;
        Ok(Some(state))
    }

    /// The error for a state that does not fit the data.
    pub(crate) fn does_not_fit(&self) -> Error {
        Error::document(
            "this checkpoint is damaged: its state does not fit the data",
            &self.path,
            "delete the file to start over",
        )
    }

    /// Holds the checkpoint for this process; an error if another run holds it.
    pub(crate) fn lock(path: &Path) -> Result<PathLock> {
        PathLock::take("checkpoint", path, &lock_beside(path)?)
    }

    /// Replaces the saved state.
    pub fn save<S: Serialize>(&self, state: &S) -> Result<()> {
        document::save_compact(KIND, VERSION, &SavedState { work: &self.work, state }, &self.path)
    }

    /// Removes the file, if it exists: the run has ended and its result is saved.
    pub fn remove(&self) -> Result<()> {
        match fs::remove_file(&self.path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::io("remove", &self.path, e))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::every_flip_is_refused;

    fn checkpoint(folder: &Path, seed: u64) -> Checkpoint {
        let parameters = BTreeMap::from([("measure".to_owned(), "ndcg@10".to_owned())]);
        let work = Work { method: "spea2".into(), parameters, seed, ..Work::default() };
        Checkpoint::new(&folder.join("run.json")).of(work)
    }

    #[test]
    fn a_run_loads_its_last_state() {
        let folder = tempfile::tempdir().unwrap();
        let own = checkpoint(folder.path(), 1);
        assert_eq!(own.load::<Vec<f64>>().unwrap(), None);
        own.save(&vec![1.0]).unwrap();
        own.save(&vec![0.1 + 0.2, 5e-324]).unwrap();
        assert_eq!(own.load().unwrap(), Some(vec![0.1 + 0.2, 5e-324]));
        own.remove().unwrap();
        own.remove().unwrap();
        assert_eq!(own.load::<Vec<f64>>().unwrap(), None);
    }

    #[test]
    fn damaged_and_edited_checkpoints_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let own = checkpoint(folder.path(), 1);
        own.save(&vec![0.5, 0.25]).unwrap();
        every_flip_is_refused(&own.path, || own.load::<Vec<f64>>());
        let mut whole: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(&own.path).unwrap()).unwrap();
        whole.as_object_mut().unwrap().remove("checksum");
        fs::write(&own.path, whole.to_string()).unwrap();
        let error = own.load::<Vec<f64>>().unwrap_err().to_string();
        assert!(error.contains("has no checksum") && error.contains("delete the file"), "{error}");
    }

    #[test]
    fn other_files_are_rejected_and_left_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let own = checkpoint(folder.path(), 1);
        own.save(&vec![0.5; 100]).unwrap();
        let whole = fs::read_to_string(&own.path).unwrap();
        let refused = |by: &Checkpoint, says: &str| {
            let error = by.load::<Vec<f64>>().unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        };
        refused(&checkpoint(folder.path(), 2), "the seed is 1 there and 2 here");
        let mut other = own.clone();
        other.work.parameters.insert("measure".into(), "map".into());
        refused(&other, "measure is ndcg@10 there and map here");
        let mut other = own.clone();
        other.work.constraints.k = Some(3);
        refused(&other, "the constraints differ");
        let mut other = own.clone();
        other.work.data = "changed".into();
        refused(&other, "the data is not the same");
        for cut in [0, 1, 20, whole.len() / 2, whole.len() - 2] {
            fs::write(&own.path, &whole[..cut]).unwrap();
            refused(&own, "featherank checkpoint");
            assert_eq!(fs::read_to_string(&own.path).unwrap(), whole[..cut]);
        }
        fs::write(&own.path, r#"{"featherank":"selection","version":1}"#).unwrap();
        refused(&own, "this is a featherank selection");
    }
}
