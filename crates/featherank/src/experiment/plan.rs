//! A plan of experiments: data sets, rankers with what is fixed and what is tuned, and the figures to compare with.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::{Protocol, Row};
use crate::data::ReadOptions;
use crate::data::folds::{Fold, FoldFiles};
use crate::error::{Error, Result};
use crate::rank::tune::{Grid, Settings};
use crate::registry;
use crate::run::Run;

/// A plan, as `experiments/*.json` hold it.
#[derive(Debug, Clone, Deserialize)]
pub struct Plan {
    /// The data sets.
    pub data: Vec<DataPlan>,
    /// The rows of each data set's table.
    pub rows: Vec<RowPlan>,
}

/// A data set.
#[derive(Debug, Clone, Deserialize)]
pub struct DataPlan {
    /// Its name in tables.
    pub name: String,
    /// Its folder below the folder of all data, with folds in a form that [`FoldFiles::find`] knows.
    pub folder: String,
    /// How far means may lie apart before the difference is more than chance.
    pub tolerance: Figures,
    /// Whether the papers' MAP agrees with their own NDCG for this data, so that it may be compared with.
    #[serde(default = "yes")]
    pub published_map: bool,
}

fn yes() -> bool {
    true
}

/// MAP, NDCG@1, NDCG@5, NDCG@10 and, where it matters, the number of features; `None` where it was not printed.
pub type Figures = Vec<Option<f64>>;

/// One row of a table.
#[derive(Debug, Clone, Deserialize)]
pub struct RowPlan {
    /// Its name.
    pub name: String,
    /// The ranker in the registry.
    pub ranker: String,
    /// Parameters that are set.
    fixed: BTreeMap<String, String>,
    /// Parameters that validation data chooses, and the values to try.
    grid: BTreeMap<String, Vec<String>>,
    /// What papers print, by data set.
    published: BTreeMap<String, Figures>,
    /// What another implementation got, by data set.
    reference: BTreeMap<String, Figures>,
    /// Takes minutes.
    #[serde(default)]
    pub slow: bool,
    /// Has one answer, so that every implementation must agree to the last printed digit.
    #[serde(default)]
    pub exact: bool,
    /// Has no figures of another implementation, and must reach those of the papers.
    #[serde(default)]
    pub reaches_published: bool,
}

impl Plan {
    /// Reads a plan.
    pub fn parse(json: &str) -> Result<Self> {
        serde_json::from_str(json)
            .map_err(|error| Error::invalid("plan of experiments", error, "see experiments/"))
    }
}

impl DataPlan {
    /// Reads all folds below the folder of all data.
    pub fn read(&self, root: &Path) -> Result<Vec<Fold>> {
        let folds = FoldFiles::find(&root.join(&self.folder))?;
        folds.iter().map(|fold| fold.read(&ReadOptions::default())).collect()
    }
}

impl RowPlan {
    /// Tunes and tests the row's ranker on a data set's folds.
    pub fn run(&self, protocol: &Protocol, run: &Run, folds: &[Fold]) -> Result<Row> {
        let fixed: Settings = self.fixed.clone().into_iter().collect();
        let grid: Grid = self.grid.clone().into_iter().collect();
        protocol.run(registry::ranker(&self.ranker)?, &fixed, &grid, run, folds)
    }

    /// What papers print for a data set.
    pub fn published(&self, data: &DataPlan) -> Option<&Figures> {
        self.published.get(&data.name)
    }

    /// What another implementation got on a data set.
    pub fn reference(&self, data: &DataPlan) -> Option<&Figures> {
        self.reference.get(&data.name)
    }

    /// What is tuned, and how, in a few words.
    pub fn tuned(&self) -> String {
        let parameter = |(name, values): (&String, &Vec<String>)| format!("{name} {}", values.join(", "));
        self.grid.iter().map(parameter).collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_name_rankers_and_parameters_that_exist() {
        let plan = Plan::parse(include_str!("../../../../experiments/letor.json")).unwrap();
        for row in &plan.rows {
            let spec = registry::ranker(&row.ranker).unwrap();
            let tried =
                row.grid.iter().flat_map(|(name, values)| values.iter().map(move |value| (name, value)));
            for (name, value) in row.fixed.iter().chain(tried) {
                let set = [(name.clone(), value.clone())];
                assert!(
                    crate::params::Params::new(spec.name, spec.params, &set).is_ok(),
                    "{} {name}",
                    row.name
                );
            }
        }
        assert!(Plan::parse("{}").unwrap_err().to_string().contains("missing field"));
    }
}
