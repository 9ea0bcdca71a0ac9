//! The results of an experiment: a versioned document from which tables and the report are
//! generated.
//!
//! A cell is one method on one fold with one seed. It holds the value of each test query, so that
//! statistics and charts can be computed later without rerunning the experiment.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::data::{DataSources, Feature};
use crate::document;
use crate::error::Result;
use crate::select::{FrontSubset, Generation, Selection};

/// The results of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The title.
    pub title: String,
    /// The version of featherank that ran it.
    pub release: String,
    /// The command that repeats it, as arguments.
    pub command: Vec<String>,
    /// The files of the data, if a ranker can be trained on them as they are.
    #[serde(default, skip_serializing_if = "DataSources::is_empty")]
    pub sources: DataSources,
    /// The seed.
    pub seed: u64,
    /// The measure for choosing parameters on validation data.
    pub choose: String,
    /// The measures on test data, most important first.
    pub measures: Vec<String>,
    /// The features of the data.
    pub features: Vec<Feature>,
    /// The folds, in order.
    pub folds: Vec<FoldData>,
    /// Every method on every fold with every seed, including failures.
    pub cells: Vec<ComparisonCell>,
    /// Selections on bootstrap samples of the training queries, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resamples: Vec<Resample>,
    /// Correlations of the features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redundancy: Option<FeatureSimilarity>,
    /// The recommendation of `auto` on the data of all folds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<Box<Selection>>,
}

/// Facts about the data of a fold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoldData {
    /// The number of the fold, from 1.
    pub number: usize,
    /// Ids of the test queries, in the order of all per-query values.
    pub queries: Vec<String>,
    /// The number of documents of the training, validation and test part.
    pub documents: [usize; 3],
    /// Baselines for risk: the first measure on each test query, by name.
    pub baselines: BTreeMap<String, Vec<Option<f64>>>,
}

/// One method on one fold with one seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparisonCell {
    /// The method's name in tables.
    pub method: String,
    /// The selector; `None` for all features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// The ranker; `None` for the model of the selector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranker: Option<String>,
    /// The fold's number.
    pub fold: usize,
    /// The seed.
    pub seed: u64,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: CellOutcome,
}

/// The outcome of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellOutcome {
    /// The result.
    Done(Box<CompletedCell>),
    /// The reason of the failure.
    Failed(String),
}

/// The result of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompletedCell {
    /// Ids of the features, best first.
    pub features: Vec<u32>,
    /// Their total cost; their number if costs are not known.
    pub cost: f64,
    /// The parameters of the selector, fixed and tuned.
    pub selecting: BTreeMap<String, String>,
    /// The parameters of the ranker, fixed and tuned.
    pub ranking: BTreeMap<String, String>,
    /// The value of the parameters on validation data.
    pub valid: f64,
    /// For each measure, the value of each test query; `None` if a query does not count.
    pub test: Vec<Vec<Option<f64>>>,
    /// Time and memory: the only part that differs when an experiment is repeated.
    pub measured: ResourceUsage,
    /// The value of other numbers of features on validation data, in increasing order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
    /// The Pareto front of the search.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub front: Vec<FrontSubset>,
    /// The generations of the search.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generations: Vec<Generation>,
}

/// Time and memory of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ResourceUsage {
    /// Seconds for the selection.
    pub select_seconds: f64,
    /// Seconds for the whole cell, including tuning.
    pub seconds: f64,
    /// Peak memory of the process in bytes, if the system reports it. Cells that run in parallel
    /// share it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
}

/// The selection of a method on a bootstrap sample of the training queries of a fold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resample {
    /// The method's name in tables.
    pub method: String,
    /// The fold's number.
    pub fold: usize,
    /// The number of the sample, from 1.
    pub draw: u64,
    /// Ids of the features, best first.
    pub features: Vec<u32>,
}

/// The value of a number of features on validation data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The number of features.
    pub features: usize,
    /// The measure for choosing parameters.
    pub value: f64,
    /// Its standard error over queries.
    pub error: f64,
}

/// Correlations of features, ordered so that similar features are adjacent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureSimilarity {
    /// The correlation coefficient.
    pub correlation: String,
    /// Ids of the varying features, in that order.
    pub features: Vec<u32>,
    /// Rows and columns in that order; `None` if there is no query in which both features vary.
    pub matrix: Vec<Vec<Option<f64>>>,
    /// Groups of redundant features, as ids.
    pub groups: Vec<Vec<u32>>,
}

const KIND: &str = "results";
/// Version 2: with a checksum.
const VERSION: u32 = 2;

impl Results {
    /// The completed cells with their results.
    pub fn done(&self) -> impl Iterator<Item = (&ComparisonCell, &CompletedCell)> {
        self.cells.iter().filter_map(|cell| match &cell.outcome {
            CellOutcome::Done(done) => Some((cell, &**done)),
            CellOutcome::Failed(_) => None,
        })
    }

    /// The names of the methods in the order of the cells, without duplicates.
    pub fn methods(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for cell in &self.cells {
            if !names.contains(&cell.method.as_str()) {
                names.push(&cell.method);
            }
        }
        names
    }

    /// Writes the document, atomically.
    pub fn save(&self, path: &Path) -> Result<()> {
        document::save(KIND, VERSION, self, path)
    }

    /// Refuses to replace a document of a newer version.
    pub(super) fn check_replaceable(path: &Path) -> Result<()> {
        document::check_replaceable(KIND, VERSION, path)
    }

    /// Reads the document.
    pub fn load(path: &Path) -> Result<Self> {
        document::load(KIND, VERSION, path)
    }
}
