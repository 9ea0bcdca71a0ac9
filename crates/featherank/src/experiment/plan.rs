//! A plan of experiments: data sets, selectors and rankers with what is fixed and what is tuned, and the figures to compare
//! with.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::{Method, Protocol, Row, Selecting};
use crate::data::ReadOptions;
use crate::data::folds::{Fold, FoldFiles};
use crate::error::{Error, Result};
use crate::registry;
use crate::run::Run;

/// A plan, as `experiments/*.json` hold it.
#[derive(Debug, Clone, Deserialize)]
pub struct Plan {
    /// The heading of its part of the page.
    pub title: String,
    /// What stands before the tables, line by line.
    pub intro: Vec<String>,
    /// What stands after them, line by line.
    pub remarks: Vec<String>,
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

fn one() -> u64 {
    1
}

/// MAP, NDCG@1, NDCG@5, NDCG@10 and, where it matters, the number of features; `None` where it was not printed.
pub type Figures = Vec<Option<f64>>;

/// One row of a table.
#[derive(Debug, Clone, Deserialize)]
pub struct RowPlan {
    /// Its name.
    pub name: String,
    /// The ranker in the registry; without one the selector's own model is tested.
    pub ranker: Option<String>,
    /// What chooses its features; all of them where nothing does.
    pub select: Option<SelectPlan>,
    /// Parameters that are set.
    #[serde(default)]
    fixed: BTreeMap<String, String>,
    /// Parameters that validation data chooses, and the values to try.
    #[serde(default)]
    grid: BTreeMap<String, Vec<String>>,
    /// What papers print, by data set.
    #[serde(default)]
    published: BTreeMap<String, Figures>,
    /// What another implementation got, by data set.
    #[serde(default)]
    reference: BTreeMap<String, Figures>,
    /// How many minutes papers needed to select, by data set, as printed.
    #[serde(default)]
    minutes: BTreeMap<String, String>,
    /// What papers print, by data set, of the features that each fold selects and of how often they repeat.
    #[serde(default)]
    agreement: BTreeMap<String, [String; 2]>,
    /// One of several rows along a parameter, and its value: they are also shown beside each other, against the first of them.
    #[serde(default)]
    pub along: Option<(String, String)>,
    /// Rows whose numbers of features are set beside this one's.
    #[serde(default)]
    pub sparser_than: Vec<String>,
    /// Features that papers name as those that recur, by data set.
    #[serde(default)]
    recurs: BTreeMap<String, Vec<u32>>,
    /// The row whose test queries this one's are compared with, one by one.
    #[serde(default)]
    pub against: Option<String>,
    /// With how many seeds it is run, from 1 on: methods that draw random numbers show their spread.
    #[serde(default = "one")]
    pub seeds: u64,
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

/// A selector of a row.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectPlan {
    /// The selector in the registry.
    pub selector: String,
    /// Parameters that are set.
    #[serde(default)]
    fixed: BTreeMap<String, String>,
    /// Parameters that validation data chooses, and the values to try.
    #[serde(default)]
    grid: BTreeMap<String, Vec<String>>,
    /// Numbers of features that validation data chooses among; empty where the method finds its own.
    #[serde(default)]
    k: Vec<usize>,
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
    /// Selects, tunes and tests on a data set's folds.
    pub fn run(&self, protocol: &Protocol, run: &Run, folds: &[Fold]) -> Result<Row> {
        protocol.run(&self.method()?, run, folds)
    }

    fn method(&self) -> Result<Method> {
        let (fixed, grid) =
            (self.fixed.clone().into_iter().collect(), self.grid.clone().into_iter().collect());
        Ok(match (&self.ranker, &self.select) {
            (Some(ranker), None) => Method::ranker(registry::ranker(ranker)?, fixed, grid),
            (Some(ranker), Some(select)) => {
                Method::ranker(registry::ranker(ranker)?, fixed, grid).after(select.selecting()?)
            }
            (None, Some(select)) => Method::own_model(select.selecting()?),
            (None, None) => {
                return Err(Error::invalid("row of a plan", &self.name, "a ranker, a selector or both"));
            }
        })
    }

    /// What papers print for a data set.
    pub fn published(&self, data: &DataPlan) -> Option<&Figures> {
        self.published.get(&data.name)
    }

    /// What another implementation got on a data set.
    pub fn reference(&self, data: &DataPlan) -> Option<&Figures> {
        self.reference.get(&data.name)
    }

    /// What papers print of the features that each fold selects on a data set, and of how often they repeat.
    pub fn agreement(&self, data: &DataPlan) -> Option<&[String; 2]> {
        self.agreement.get(&data.name)
    }

    /// How many minutes papers needed to select on a data set, as printed.
    pub fn minutes(&self, data: &DataPlan) -> Option<&str> {
        self.minutes.get(&data.name).map(String::as_str)
    }

    /// The features that papers name as those that recur on a data set.
    pub fn recurs(&self, data: &DataPlan) -> &[u32] {
        self.recurs.get(&data.name).map_or(&[], Vec::as_slice)
    }

    /// What of the ranker is set, in a few words.
    pub fn set(&self) -> String {
        set_in_words(&self.fixed).join("; ")
    }

    /// What of the ranker is tuned, and how, in a few words.
    pub fn tuned(&self) -> String {
        tuned_in_words(&self.grid).join("; ")
    }
}

impl SelectPlan {
    fn selecting(&self) -> Result<Selecting> {
        Ok(Selecting {
            selector: registry::selector(&self.selector)?,
            fixed: self.fixed.clone().into_iter().collect(),
            grid: self.grid.clone().into_iter().collect(),
            sizes: self.k.clone(),
        })
    }

    /// What is set, in a few words.
    pub fn set(&self) -> String {
        let k = (self.k.len() == 1).then(|| format!("k {}", self.k[0]));
        set_in_words(&self.fixed).into_iter().chain(k).collect::<Vec<_>>().join("; ")
    }

    /// What is tuned, and how, in a few words.
    pub fn tuned(&self) -> String {
        let sizes: Vec<String> = self.k.iter().map(usize::to_string).collect();
        let k = (sizes.len() > 1).then(|| format!("k {}", sizes.join(", ")));
        tuned_in_words(&self.grid).into_iter().chain(k).collect::<Vec<_>>().join("; ")
    }
}

fn set_in_words(fixed: &BTreeMap<String, String>) -> Vec<String> {
    fixed.iter().map(|(name, value)| format!("{name} {value}")).collect()
}

fn tuned_in_words(grid: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    grid.iter().map(|(name, values)| format!("{name} {}", values.join(", "))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Param, Params};
    use crate::rank::tune::{Grid, Settings};

    fn all_exist(row: &str, method: &str, declared: &'static [Param], fixed: &Settings, grid: &Grid) {
        let tried = grid.iter().flat_map(|(name, values)| values.iter().map(move |value| (name, value)));
        for (name, value) in fixed.iter().map(|(name, value)| (name, value)).chain(tried) {
            let set = [(name.clone(), value.clone())];
            assert!(Params::new(method, declared, &set).is_ok(), "{row}: {name} {value}");
        }
    }

    #[test]
    fn plans_name_methods_and_parameters_that_exist() {
        for json in [
            include_str!("../../../../experiments/letor.json"),
            include_str!("../../../../experiments/filters.json"),
            include_str!("../../../../experiments/embedded.json"),
            include_str!("../../../../experiments/mofsrank.json"),
        ] {
            for row in Plan::parse(json).unwrap().rows {
                let method = row.method().unwrap();
                if let Some(ranker) = method.ranker {
                    all_exist(&row.name, ranker.name, ranker.params, &method.fixed, &method.grid);
                }
                if let Some(Selecting { selector, fixed, grid, .. }) = &method.selecting {
                    all_exist(&row.name, selector.name, selector.params, fixed, grid);
                }
            }
        }
        assert!(Plan::parse("{}").unwrap_err().to_string().contains("missing field"));
    }
}
