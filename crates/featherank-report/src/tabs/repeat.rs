//! How to reproduce the results.

use std::collections::BTreeMap;
use std::path::Path;

use featherank::experiment::{CellOutcome, Results};
use featherank::select::Selection;
use serde::Serialize;

use crate::commands::{SetSize, select};
use crate::shell;

/// The tab.
#[derive(Serialize)]
pub struct Repeat {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Names and values, in this order.
    pub facts: Vec<(String, String)>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folds: Vec<FoldSize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<CompletedRun>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailedRun>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The size of a fold.
#[derive(Serialize)]
pub struct FoldSize {
    pub number: usize,
    pub queries: usize,
    pub documents: [usize; 3],
}

/// A cell with a result.
#[derive(Serialize)]
pub struct CompletedRun {
    pub method: String,
    pub fold: usize,
    pub seed: u64,
    pub selecting: String,
    pub ranking: String,
    pub features: Vec<u32>,
    pub valid: f64,
}

/// A cell that failed.
#[derive(Serialize)]
pub struct FailedRun {
    pub method: String,
    pub fold: usize,
    pub seed: u64,
    pub reason: String,
}

/// How to reproduce an experiment.
pub fn of_results(results: &Results) -> Repeat {
    let failures = results.cells.iter().filter_map(|cell| match &cell.outcome {
        CellOutcome::Failed(reason) => Some(FailedRun {
            method: cell.method.clone(),
            fold: cell.fold,
            seed: cell.seed,
            reason: reason.clone(),
        }),
        CellOutcome::Done(_) => None,
    });
    let runs = results.done().map(|(cell, done)| CompletedRun {
        method: cell.method.clone(),
        fold: cell.fold,
        seed: cell.seed,
        selecting: settings(&done.selecting),
        ranking: settings(&done.ranking),
        features: done.features.clone(),
        valid: done.valid,
    });
    let folds = results.folds.iter().map(|fold| FoldSize {
        number: fold.number,
        queries: fold.queries.len(),
        documents: fold.documents,
    });
    Repeat {
        command: (!results.command.is_empty()).then(|| shell::command(&results.command)),
        facts: vec![
            ("featherank".into(), results.release.clone()),
            ("seed".into(), results.seed.to_string()),
            ("parameters chosen by".into(), format!("{} on validation data", results.choose)),
            ("measures on test data".into(), results.measures.join(", ")),
        ],
        parameters: BTreeMap::new(),
        folds: folds.collect(),
        runs: runs.collect(),
        failures: failures.collect(),
        notes: Vec::new(),
    }
}

/// How to reproduce a selection.
pub fn of_selection(selection: &Selection, file: &Path) -> Repeat {
    // Not over the file itself: the data may have changed.
    let name = file.file_name().map_or("selection.json".into(), |name| name.to_string_lossy());
    Repeat {
        command: Some(select(selection, &SetSize::Same, &name)),
        facts: vec![
            ("method".into(), selection.method.clone()),
            ("seed".into(), selection.seed.to_string()),
            ("data".into(), selection.data.fingerprint.clone()),
        ],
        parameters: selection.parameters.clone(),
        folds: Vec::new(),
        runs: Vec::new(),
        failures: Vec::new(),
        notes: selection.notes.clone(),
    }
}

fn settings(settings: &BTreeMap<String, String>) -> String {
    settings.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
}
