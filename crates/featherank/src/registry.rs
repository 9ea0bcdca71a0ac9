//! The registry of measures, selectors and rankers: the command line, Python, the documentation and
//! the tests are driven by it.

use serde::Serialize;

pub use crate::declare::{Category, DataAccess, Status};
pub use crate::measure::{MEASURES, ParameterEntry};
#[doc(hidden)] // For front ends, whose own names are looked up in the same way.
pub use crate::names::unknown;
use crate::params::Param;
pub use crate::rank::{RANKERS, ranker};
pub use crate::select::{SELECTORS, selector};

/// One row of `featherank methods`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// `measure`, `selector` or `ranker`.
    pub kind: &'static str,
    /// The name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Keys of papers.
    pub cites: &'static [&'static str],
    /// Filter, wrapper or embedded, for selectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// How close to its paper.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Runs on rows that are not in this process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scales_out: Option<bool>,
    /// Returns its best result so far when it is stopped, and resumes from a checkpoint; for
    /// selectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_so_far: Option<bool>,
    /// Its parameters; for measures the options of its name.
    pub parameters: Vec<ParameterEntry>,
    /// What is tried when its parameters are chosen on validation data, for rankers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<TuningGrid>,
}

/// A parameter and the values that are tried for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TuningGrid {
    /// The parameter.
    pub name: &'static str,
    /// Its values.
    pub values: &'static [&'static str],
}

impl From<&Param> for ParameterEntry {
    fn from(param: &Param) -> Self {
        ParameterEntry {
            name: param.name.into(),
            default: param.default.into(),
            range: param.kind.range(),
            meaning: param.meaning.into(),
        }
    }
}

/// All entries, measures first.
pub fn entries() -> Vec<Entry> {
    let measures = MEASURES.iter().map(|spec| Entry {
        kind: "measure",
        name: spec.name,
        summary: spec.summary,
        cites: spec.cites,
        category: None,
        status: None,
        scales_out: None,
        best_so_far: None,
        parameters: spec.option_entries(),
        tried: Vec::new(),
    });
    let selectors = SELECTORS.iter().map(|spec| Entry {
        kind: "selector",
        name: spec.name,
        summary: spec.summary,
        cites: spec.cites,
        category: Some(spec.category),
        status: Some(spec.status),
        scales_out: Some(spec.access.is_passes()),
        best_so_far: Some(spec.resumes),
        parameters: spec.params.iter().map(ParameterEntry::from).collect(),
        tried: Vec::new(),
    });
    let rankers = RANKERS.iter().map(|spec| Entry {
        kind: "ranker",
        name: spec.name,
        summary: spec.summary,
        cites: spec.cites,
        category: None,
        status: Some(spec.status),
        scales_out: Some(spec.access.is_passes()),
        best_so_far: None,
        parameters: spec.params.iter().map(ParameterEntry::from).collect(),
        tried: spec.grid.iter().map(|&(name, values)| TuningGrid { name, values }).collect(),
    });
    measures.chain(selectors).chain(rankers).collect()
}
