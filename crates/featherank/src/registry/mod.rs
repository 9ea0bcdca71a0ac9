//! The registry of measures, selectors and rankers: the command line, Python, the documentation and
//! the tests are driven by it.

mod find;
mod markdown;

use serde::Serialize;

pub use self::find::{Matches, find};
pub use self::markdown::markdown;
pub use crate::declare::{Category, DataAccess, Status};
use crate::engine::passes::Correlations;
pub use crate::measure::{MEASURES, ParameterEntry};
use crate::params::Param;
pub use crate::rank::{RANKERS, ranker};
pub use crate::select::{SELECTORS, selector};
use crate::text::grouped;

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
    /// Whether answers of passes suffice, so that rows may be on other machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<DataAccess>,
    /// Returns its best result so far when it is stopped, and resumes from a checkpoint; for
    /// selectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_so_far: Option<bool>,
    /// Compares all pairs of features, in memory that grows with the square of their number; see
    /// [`pairs_within`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compares_pairs: Option<bool>,
    /// Its parameters; for measures the options of its name.
    pub parameters: Vec<ParameterEntry>,
    /// What is tried when its parameters are chosen on validation data, for rankers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<TuningGrid>,
}

impl Entry {
    /// Category, status, data access, what it does when stopped and for how many
    /// features, if the entry has them.
    pub fn facts(&self) -> Vec<String> {
        let stopped = |yes| match yes {
            true => "returns the best so far when stopped",
            false => "returns nothing when stopped",
        };
        let facts = [
            self.category.map(Category::word),
            self.status.map(Status::word),
            self.access.map(DataAccess::words),
            self.best_so_far.map(stopped),
        ];
        // Rounded down: other parts of a method need memory, too.
        let most = pairs_within(8 << 30) / 1000 * 1000;
        let pairs = self
            .compares_pairs
            .filter(|compares| *compares)
            .map(|_| format!("compares pairs: up to {} features in 8 GiB", grouped(most)));
        facts.into_iter().flatten().map(str::to_owned).chain(pairs).collect()
    }

    /// The parameters that tuning tries and their values, in one line; `None` without any.
    pub fn tuning(&self) -> Option<String> {
        let list = |grid: &TuningGrid| format!("{} {}", grid.name, grid.values.join(", "));
        let lists: Vec<String> = self.tried.iter().map(list).collect();
        (!lists.is_empty()).then(|| lists.join("; "))
    }
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

/// The number of features of which a method can compare all pairs in this much memory, in bytes.
pub fn pairs_within(bytes: u64) -> u64 {
    (bytes / Correlations::CELL).isqrt()
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
        access: None,
        best_so_far: None,
        compares_pairs: None,
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
        access: Some(spec.access),
        best_so_far: Some(spec.resumes),
        compares_pairs: Some(spec.compares_pairs),
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
        access: Some(spec.access),
        best_so_far: None,
        compares_pairs: Some(spec.compares_pairs),
        parameters: spec.params.iter().map(ParameterEntry::from).collect(),
        tried: spec.grid.iter().map(|&(name, values)| TuningGrid { name, values }).collect(),
    });
    measures.chain(selectors).chain(rankers).collect()
}
