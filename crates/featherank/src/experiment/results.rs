//! The results of an experiment: a versioned document from which tables and the report are made.
//!
//! A cell is one method on one fold with one seed. It holds what every query of the test part is
//! worth, so that anything that compares methods, tests or pictures, can be made later without
//! running anything again.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::data::Feature;
use crate::document;
use crate::error::Result;
use crate::select::{Generation, Member, Selection};

/// All that an experiment has found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// What it is called.
    pub title: String,
    /// The release of featherank that ran it.
    pub release: String,
    /// The command that repeats it, as words.
    pub command: Vec<String>,
    /// The seed.
    pub seed: u64,
    /// The measure that chose settings on validation data.
    pub choose: String,
    /// The measures on test data; the first one matters most.
    pub measures: Vec<String>,
    /// The features of the data.
    pub features: Vec<Feature>,
    /// The folds, in order.
    pub folds: Vec<FoldData>,
    /// Every method on every fold; those that failed too.
    pub cells: Vec<Cell>,
    /// What methods select from draws of the training queries, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resamples: Vec<Resample>,
    /// How alike the features are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redundancy: Option<Alike>,
    /// What `auto` recommends on the data of all folds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<Box<Selection>>,
}

/// What is known of a fold's data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoldData {
    /// From 1.
    pub number: usize,
    /// Ids of the test queries, in the order of all values per query.
    pub queries: Vec<String>,
    /// Documents of the training, validation and test part.
    pub documents: [usize; 3],
    /// What single features are worth on the test queries, as baselines of risk: by name, a value
    /// of the first measure for each query.
    pub baselines: BTreeMap<String, Vec<Option<f64>>>,
}

/// One method on one fold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The method's name in tables.
    pub method: String,
    /// The selector; all features without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// The ranker; the selector's own model without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranker: Option<String>,
    /// The fold's number.
    pub fold: usize,
    /// The seed.
    pub seed: u64,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: CellOutcome,
}

/// What came of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellOutcome {
    /// It was tested.
    Done(Box<Done>),
    /// Why it was not.
    Failed(String),
}

/// A cell that was tested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// Ids of the features, best first.
    pub features: Vec<u32>,
    /// What they cost together; their number where costs are not known.
    pub cost: f64,
    /// The selector's settings, those that validation data chose among them.
    pub selecting: BTreeMap<String, String>,
    /// The ranker's.
    pub ranking: BTreeMap<String, String>,
    /// What the settings were worth on validation data.
    pub valid: f64,
    /// For each measure the value of each test query; nothing where a query does not count.
    pub test: Vec<Vec<Option<f64>>>,
    /// What it took: the one part that differs when an experiment is repeated.
    pub measured: Measured,
    /// What other numbers of features were worth on validation data, fewest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
    /// Subsets that no other dominated in a search.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub front: Vec<Member>,
    /// How a search went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generations: Vec<Generation>,
}

/// What a cell took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Seconds that selecting took.
    pub select_seconds: f64,
    /// Seconds that the whole cell took, tuning included.
    pub seconds: f64,
    /// The most memory that the process held meanwhile, in bytes, where the system tells. Cells
    /// that run side by side share it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
}

/// What a method selects from a fold's training queries, drawn with replacement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resample {
    /// The method's name in tables.
    pub method: String,
    /// The fold's number.
    pub fold: usize,
    /// Which draw, from 1.
    pub draw: u64,
    /// Ids of the features, best first.
    pub features: Vec<u32>,
}

/// What a number of features is worth on validation data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// How many.
    pub features: usize,
    /// The measure that chooses.
    pub value: f64,
    /// Its standard error over queries.
    pub error: f64,
}

/// How alike features are, in an order in which those alike stand together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alike {
    /// Which correlation.
    pub correlation: String,
    /// Ids of the live features, in that order.
    pub features: Vec<u32>,
    /// Rows and columns in that order; nothing where two features share no query in which both
    /// differ.
    pub matrix: Vec<Vec<Option<f64>>>,
    /// Groups that are as good as one feature each, as ids.
    pub groups: Vec<Vec<u32>>,
}

const KIND: &str = "results";
const VERSION: u32 = 1;

impl Results {
    /// The cells that were tested, with what they found.
    pub fn done(&self) -> impl Iterator<Item = (&Cell, &Done)> {
        self.cells.iter().filter_map(|cell| match &cell.outcome {
            CellOutcome::Done(done) => Some((cell, &**done)),
            CellOutcome::Failed(_) => None,
        })
    }

    /// The names of the methods, each once, in the order of the cells.
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

    /// Refuses to have a document of a newer release replaced.
    pub(super) fn check_replaceable(path: &Path) -> Result<()> {
        document::check_replaceable(KIND, VERSION, path)
    }

    /// Reads a document back.
    pub fn load(path: &Path) -> Result<Self> {
        document::load(KIND, VERSION, path)
    }
}
