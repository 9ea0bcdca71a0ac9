//! The folder of an experiment: its plan and its completed cells, from which an interrupted
//! experiment resumes.
//!
//! `plan.json` identifies the experiment; a different experiment is refused, because tables must
//! never mix two experiments. `cells/` contains one document per completed cell, written
//! atomically. `results.json` and the tables are generated from them. `.lock` keeps two experiments
//! from using the folder at the same time.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::row_plan::RowPlan;
use super::tables::{TableFormat, tables};
use super::{ComparisonCell, Results};
use crate::data::{PathLock, write_bytes};
use crate::document;
use crate::error::{Error, Result};
use crate::remedy;

// Version 2 of both: with a checksum.
const PLAN: (&str, u32) = ("comparison", 2);
const CELL: (&str, u32) = ("cell", 2);

/// The file that is locked while a run uses the folder.
const LOCK: &str = ".lock";

/// The folder of an experiment.
#[derive(Debug, Clone)]
pub struct ResultsFolder {
    path: PathBuf,
    /// Held until the last copy is dropped.
    _lock: Arc<PathLock>,
}

/// Identifies an experiment: two experiments with the same identity give the same results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ExperimentIdentity {
    pub release: String,
    pub title: String,
    pub seed: u64,
    pub choose: String,
    pub measures: Vec<String>,
    pub bootstraps: u64,
    pub curves: bool,
    pub recommend: bool,
    pub rows: Vec<RowPlan>,
    pub costs: Vec<f64>,
    /// Fingerprints of the training, validation and test part of each fold.
    pub data: Vec<[String; 3]>,
}

impl ResultsFolder {
    /// The files that a comparison writes, besides its cells.
    pub const FILES: &[&str] =
        &["plan.json", "results.json", "tables.txt", "tables.md", "tables.csv", "tables.tex"];

    /// All names in the folder that a comparison may replace, besides its cells.
    pub const REPLACED: &[&str] =
        &["plan.json", "results.json", "tables.txt", "tables.md", "tables.csv", "tables.tex", LOCK];

    /// Opens or creates a folder, and holds it until it is dropped; refuses one that contains
    /// results of a newer version, or that another run holds.
    pub fn open(path: &Path) -> Result<Self> {
        if path.exists() && !path.is_dir() {
            return Err(Error::document(
                "this is a file, not a folder",
                path,
                remedy!["name another folder with ", Output],
            ));
        }
        let foreign = Self::FILES.iter().find(|name| path.join(name).exists());
        if let Some(name) = foreign.filter(|_| !path.join("plan.json").exists()) {
            return Err(Error::document(
                format!("this folder holds a {name} without a plan.json of featherank"),
                path,
                remedy!["name another folder with ", Output],
            ));
        }
        let results = path.join("results.json");
        if results.exists() {
            // Damaged results are regenerated from the cells; those of a newer version are not
            // replaced.
            Results::check_replaceable(&results)?;
        }
        let cells = path.join("cells");
        fs::create_dir_all(&cells).map_err(|e| Error::io("create", &cells, e))?;
        let lock = PathLock::take("folder", path, &path.join(LOCK))?;
        Ok(ResultsFolder { path: path.to_owned(), _lock: Arc::new(lock) })
    }

    /// The path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes the identity of the experiment, or checks it against the existing one.
    pub(super) fn claim(&self, identity: &ExperimentIdentity) -> Result<()> {
        let path = self.path("plan.json");
        if !path.exists() {
            return document::save(PLAN.0, PLAN.1, identity, &path);
        }
        let there: ExperimentIdentity = document::load(PLAN.0, PLAN.1, &path)?;
        let value =
            |identity: &ExperimentIdentity| serde_json::to_value(identity).unwrap_or(Value::Null);
        match difference(&value(&there), &value(identity), "") {
            None => Ok(()),
            Some(difference) => Err(Error::document(
                format!("this folder holds another experiment: {difference}"),
                &self.path,
                remedy![
                    "name another folder with ",
                    Output,
                    ", or repeat the experiment that this folder was made with"
                ],
            )),
        }
    }

    /// Whether the folder holds a completed cell.
    pub fn has_cells(&self) -> bool {
        let Ok(entries) = fs::read_dir(self.path("cells")) else { return false };
        let mut paths = entries.flatten().map(|entry| entry.path());
        paths.any(|path| path.extension().is_some_and(|e| e == "json") && path.is_file())
    }

    /// Reads a document from `cells/`: `None` if it does not exist, an error if it is damaged.
    pub(super) fn load<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        let path = self.path("cells").join(name);
        if !path.exists() {
            return Ok(None);
        }
        let text = document::read_state(CELL.0, CELL.1, &path)?;
        document::content(CELL.0, &text, &path).map(Some)
    }

    /// Writes a document to `cells/`.
    pub(super) fn save<T: Serialize>(&self, name: &str, content: &T) -> Result<()> {
        document::save_compact(CELL.0, CELL.1, content, &self.path("cells").join(name))
    }

    /// Writes the results and all tables.
    pub fn write(&self, results: &Results) -> Result<()> {
        results.save(&self.path("results.json"))?;
        let tables = tables(results)?;
        for format in TableFormat::ALL {
            let path = self.path(&format!("tables.{}", format.extension()));
            let text = format.write(&results.title, &tables);
            write_bytes(&path, text.as_bytes())?;
        }
        Ok(())
    }
}

/// The file name of a cell: readable, and unique for every cell.
pub(super) fn file_name(row: usize, cell: &ComparisonCell) -> String {
    format!("fold{}-seed{}-{}.json", cell.fold, cell.seed, slug(row, &cell.method))
}

/// The number of a row and its name, restricted to characters that every file system accepts.
pub(super) fn slug(row: usize, name: &str) -> String {
    const LONGEST: usize = 60;
    let plain =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    let words: String = plain.collect();
    let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(LONGEST).collect();
    format!("{:03}-{name}", row + 1)
}

/// Describes the first difference between two documents.
fn difference(there: &Value, here: &Value, at: &str) -> Option<String> {
    let below = |name: &str| if at.is_empty() { name.to_owned() } else { format!("{at}, {name}") };
    match (there, here) {
        _ if there == here => None,
        (Value::Object(a), Value::Object(b)) => {
            let mut names: Vec<&String> =
                a.keys().chain(b.keys().filter(|name| !a.contains_key(*name))).collect();
            // Report differences in options before differences in data, which follow from them.
            names.sort_by_key(|name| *name == "data");
            let part = |name: &String| {
                let of = |map: &serde_json::Map<String, Value>| {
                    map.get(name).cloned().unwrap_or(Value::Null)
                };
                difference(&of(a), &of(b), &below(name))
            };
            names.into_iter().find_map(part)
        }
        (Value::Array(_), Value::Array(_)) if at == "data" => {
            Some("the data, or how it is divided into folds, is not the same".into())
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => (1..)
            .zip(a.iter().zip(b))
            .find_map(|(i, (a, b))| difference(a, b, &below(&i.to_string()))),
        (Value::Array(a), Value::Array(b)) => {
            let only = |of: &[Value], others: &[Value]| {
                of.iter().find(|value| !others.contains(value)).map(named)
            };
            let (more, which) = match (only(b, a), only(a, b)) {
                (Some(value), _) => (value, "is here and not there"),
                (_, Some(value)) => (value, "is there and not here"),
                _ => return Some(format!("{at}: {} there and {} here", a.len(), b.len())),
            };
            Some(format!("{at}: {more} {which}"))
        }
        _ => Some(format!("{at} is {} there and {} here", named(there), named(here))),
    }
}

/// A short description of a value; rows by name.
fn named(value: &Value) -> String {
    match value {
        Value::Null => "nothing".into(),
        Value::String(text) => text.clone(),
        Value::Object(map) => map.get("name").map_or_else(|| value.to_string(), named),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::tests::every_flip_is_refused;
    use std::collections::BTreeMap;

    fn identity() -> ExperimentIdentity {
        ExperimentIdentity {
            release: "1".into(),
            title: "t".into(),
            seed: 1,
            choose: "map".into(),
            measures: vec!["map".into(), "ndcg@5".into()],
            bootstraps: 0,
            curves: true,
            recommend: false,
            rows: vec![RowPlan {
                name: "a".into(),
                ranker: Some("rankrls".into()),
                ..RowPlan::default()
            }],
            costs: Vec::new(),
            data: vec![["x".into(), "y".into(), "z".into()]],
        }
    }

    #[test]
    fn a_folder_belongs_to_one_experiment() {
        let folder = tempfile::tempdir().unwrap();
        let open = ResultsFolder::open(&folder.path().join("new/results")).unwrap();
        open.claim(&identity()).unwrap();
        open.claim(&identity()).unwrap();
        let refused = |change: &dyn Fn(&mut ExperimentIdentity), says: &str| {
            let mut other = identity();
            change(&mut other);
            let error = open.claim(&other).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        };
        refused(&|p| p.seed = 2, "seed is 1 there and 2 here");
        refused(&|p| p.measures[1] = "map".into(), "measures, 2 is ndcg@5 there and map here");
        refused(&|p| drop(p.measures.pop()), "measures: ndcg@5 is there and not here");
        refused(&|p| p.rows[0].ranker = None, "rows, 1, ranker is rankrls there and nothing here");
        refused(
            &|p| p.rows.push(RowPlan { name: "b".into(), ..RowPlan::default() }),
            "rows: b is here and not there",
        );
        refused(&|p| p.data[0][2] = "changed".into(), "the data, or how it is divided");
    }

    #[test]
    fn damaged_plans_and_cells_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let open = ResultsFolder::open(folder.path()).unwrap();
        open.claim(&identity()).unwrap();
        every_flip_is_refused(&open.path("plan.json"), || open.claim(&identity()));
        let content = BTreeMap::from([("value", 0.1 + 0.2), ("cost", 3.0)]);
        assert!(!open.has_cells());
        open.save("cell.json", &content).unwrap();
        assert!(open.has_cells());
        let load = || open.load::<serde_json::Map<String, Value>>("cell.json");
        every_flip_is_refused(&open.path("cells").join("cell.json"), load);
    }

    #[test]
    fn unrelated_folders_are_not_modified() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.json");
        fs::write(&path, "precious").unwrap();
        let says = |path: &Path| ResultsFolder::open(path).unwrap_err().to_string();
        assert!(says(&path).contains("is a file"));
        assert!(says(folder.path()).contains("results.json without a plan.json"));
        let tables = folder.path().join("other");
        fs::create_dir(&tables).unwrap();
        fs::write(tables.join("tables.csv"), "precious").unwrap();
        assert!(says(&tables).contains("tables.csv without a plan.json"));
        fs::write(folder.path().join("plan.json"), "{}").unwrap();
        fs::write(&path, r#"{"featherank":"results","version":99}"#).unwrap();
        assert!(says(folder.path()).contains("version 99"));
        assert_eq!(fs::read_to_string(&path).unwrap(), r#"{"featherank":"results","version":99}"#);
        // Damaged results are regenerated from the cells.
        fs::write(&path, "").unwrap();
        let open = ResultsFolder::open(folder.path()).unwrap();
        let held = says(folder.path());
        assert!(held.contains(&format!("in use by process {}", std::process::id())), "{held}");
        drop(open);
        assert!(ResultsFolder::open(folder.path()).is_ok());
    }

    #[test]
    fn the_list_of_files_is_complete() {
        let tables = TableFormat::ALL.map(|format| format!("tables.{}", format.extension()));
        let files = ["plan.json", "results.json"].map(str::to_owned).into_iter().chain(tables);
        assert_eq!(files.collect::<Vec<_>>(), ResultsFolder::FILES);
        assert_eq!([ResultsFolder::FILES, &[LOCK]].concat(), ResultsFolder::REPLACED);
    }

    #[test]
    fn cell_file_names_are_portable() {
        assert_eq!(slug(0, "BestGain, δ = .055"), "001-bestgain-055");
        assert_eq!(slug(11, "../../etc/passwd"), "012-etc-passwd");
        assert_eq!(slug(1, &"x".repeat(500)).len(), 64);
    }
}
