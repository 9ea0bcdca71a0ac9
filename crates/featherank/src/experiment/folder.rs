//! The folder of an experiment: what it is for, and the cells that are done, so that work which was
//! cut off goes on.
//!
//! `plan.json` says what the folder is for; whoever asks for something else is refused, because a
//! table must never mix two experiments. `cells/` has one document for each cell that is done,
//! which appears when it is complete. `results.json` and the tables are made from them.

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::row_plan::RowPlan;
use super::tables::{Form, tables};
use super::{Cell, Results};
use crate::data::write_atomically;
use crate::document;
use crate::error::{Error, Result};
use crate::remedy;

const PLAN: (&str, u32) = ("comparison", 1);
const CELL: (&str, u32) = ("cell", 1);

/// The folder of an experiment.
#[derive(Debug, Clone)]
pub struct ResultsFolder {
    path: PathBuf,
}

/// What a folder is for: two experiments that agree in this give the same results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Purpose {
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
    /// What tells the training, validation and test part of each fold from any other data.
    pub data: Vec<[String; 3]>,
}

impl ResultsFolder {
    /// A folder that exists or can be made, and holds no results of a release yet to come.
    pub fn open(path: &Path) -> Result<Self> {
        let folder = ResultsFolder { path: path.to_owned() };
        if path.exists() && !path.is_dir() {
            return Err(Error::document(
                "this is a file, and results need a folder",
                path,
                remedy!["name another folder with ", Output],
            ));
        }
        let results = folder.path("results.json");
        if results.exists() {
            if !folder.path("plan.json").exists() {
                return Err(Error::document(
                    "this folder holds a results.json without its plan.json",
                    path,
                    remedy!["name another folder with ", Output],
                ));
            }
            // A damaged one is made again from the cells; one of a newer release is not for us to
            // replace.
            Results::check_replaceable(&results)?;
        }
        let cells = folder.path("cells");
        fs::create_dir_all(&cells).map_err(|e| Error::io("create", &cells, e))?;
        Ok(folder)
    }

    /// A file of the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Says what the folder is for, or finds that it is for this.
    pub(super) fn claim(&self, purpose: &Purpose) -> Result<()> {
        let path = self.path("plan.json");
        if !path.exists() {
            return document::save(PLAN.0, PLAN.1, purpose, &path);
        }
        let there: Purpose = document::load(PLAN.0, PLAN.1, &path)?;
        let value = |purpose: &Purpose| serde_json::to_value(purpose).unwrap_or(Value::Null);
        match difference(&value(&there), &value(purpose), "") {
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

    /// A document among the cells: nothing where it is not there, an error where it is damaged.
    pub(super) fn kept<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        let path = self.path("cells").join(name);
        if !path.exists() {
            return Ok(None);
        }
        document::load(CELL.0, CELL.1, &path).map(Some)
    }

    /// Keeps a document among the cells.
    pub(super) fn keep<T: Serialize>(&self, name: &str, content: &T) -> Result<()> {
        document::save_compact(CELL.0, CELL.1, content, &self.path("cells").join(name))
    }

    /// Writes the results and all tables.
    pub fn write(&self, results: &Results) -> Result<()> {
        results.save(&self.path("results.json"))?;
        let tables = tables(results)?;
        for form in Form::ALL {
            let path = self.path(&format!("tables.{}", form.ending()));
            let text = form.write(&results.title, &tables);
            write_atomically(&path, |out| {
                out.write_all(text.as_bytes()).map_err(|e| Error::io("write", &path, e))
            })?;
        }
        Ok(())
    }
}

/// The file of a cell: readable, and different for every cell, whatever methods are called.
pub(super) fn file_name(row: usize, cell: &Cell) -> String {
    format!("fold{}-seed{}-{}.json", cell.fold, cell.seed, slug(row, &cell.method))
}

/// A row's number and as much of its name as every file system takes.
pub(super) fn slug(row: usize, name: &str) -> String {
    const LONGEST: usize = 60;
    let plain =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    let words: String = plain.collect();
    let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(LONGEST).collect();
    format!("{:03}-{name}", row + 1)
}

/// The first thing in which two documents differ, and how.
fn difference(there: &Value, here: &Value, at: &str) -> Option<String> {
    let below = |name: &str| if at.is_empty() { name.to_owned() } else { format!("{at}, {name}") };
    match (there, here) {
        _ if there == here => None,
        (Value::Object(a), Value::Object(b)) => {
            let mut names: Vec<&String> =
                a.keys().chain(b.keys().filter(|name| !a.contains_key(*name))).collect();
            // Another seed deals other folds: what was asked for says more than what came of it.
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

/// A value in a few words: rows by their names.
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

    fn purpose() -> Purpose {
        Purpose {
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
    fn a_folder_is_for_one_experiment() {
        let folder = tempfile::tempdir().unwrap();
        let open = ResultsFolder::open(&folder.path().join("new/results")).unwrap();
        open.claim(&purpose()).unwrap();
        open.claim(&purpose()).unwrap();
        let refused = |change: &dyn Fn(&mut Purpose), says: &str| {
            let mut other = purpose();
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
    fn folders_that_are_none_of_ours_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.json");
        fs::write(&path, "precious").unwrap();
        let says = |path: &Path| ResultsFolder::open(path).unwrap_err().to_string();
        assert!(says(&path).contains("is a file"));
        assert!(says(folder.path()).contains("without its plan.json"));
        fs::write(folder.path().join("plan.json"), "{}").unwrap();
        fs::write(&path, r#"{"featherank":"results","version":99}"#).unwrap();
        assert!(says(folder.path()).contains("version 99"));
        assert_eq!(fs::read_to_string(&path).unwrap(), r#"{"featherank":"results","version":99}"#);
        // Damaged results can be made again from the cells.
        fs::write(&path, "").unwrap();
        assert!(ResultsFolder::open(folder.path()).is_ok());
    }

    #[test]
    fn names_of_cells_suit_every_file_system() {
        assert_eq!(slug(0, "BestGain, δ = .055"), "001-bestgain-055");
        assert_eq!(slug(11, "../../etc/passwd"), "012-etc-passwd");
        assert_eq!(slug(1, &"x".repeat(500)).len(), 64);
    }
}
