//! A plan: data sets, selectors and rankers with fixed and tuned parameters. The files in
//! `experiments/` are plans, and `featherank compare` builds one from its arguments.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{ComparisonData, FoldSource, Protocol, RowPlan};
use crate::data::ReadOptions;
use crate::data::folds::Fold;
use crate::error::{Error, Result};
use crate::measure::{Measure, Ties};

/// A plan, as written in TOML files.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Its title.
    pub title: String,
    /// The measure for choosing parameters on validation data; by default the first of `measures`
    /// with expected-value ties.
    #[serde(default)]
    pub choose: Option<String>,
    /// The measures to report on test data, most important first; by default those of the LETOR
    /// tables.
    #[serde(default)]
    pub measures: Vec<String>,
    /// The first seed.
    #[serde(default = "one")]
    pub seed: u64,
    /// The number of seeds, unless a row sets its own.
    #[serde(default = "one")]
    pub seeds: u64,
    /// The number of bootstrap samples of the training queries for measuring stability.
    #[serde(default)]
    pub bootstraps: u64,
    /// Whether to evaluate other numbers of features on validation data.
    #[serde(default = "yes")]
    pub curves: bool,
    /// Whether to run `auto` on all data for a recommendation.
    #[serde(default)]
    pub recommend: bool,
    /// The data sets.
    #[serde(default)]
    pub data: Vec<DataPlan>,
    /// Selectors to cross with `rankers`, such as `best-gain[delta=0.03]`.
    #[serde(default)]
    pub methods: Vec<String>,
    /// Rankers; `own` is the model trained by the selector itself.
    #[serde(default)]
    pub rankers: Vec<String>,
    /// Numbers of features to choose from on validation data, unless a method sets its own.
    #[serde(default)]
    pub k: Vec<usize>,
    /// Whether to tune the parameters of `rankers` over the values that each declares.
    #[serde(default = "yes")]
    pub tune: bool,
    /// Additional rows.
    #[serde(default)]
    pub rows: Vec<RowPlan>,
}

/// A data set.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataPlan {
    /// Its name in tables.
    pub name: String,
    /// Its folder relative to the data root, with folds in a layout that
    /// [`FoldFiles::find`](crate::data::folds::FoldFiles::find) knows.
    #[serde(default)]
    pub folder: Option<String>,
    /// Or its files: three or more parts to rotate, or one file to split into folds.
    #[serde(default)]
    pub files: Vec<String>,
    /// Number of folds to split one file into; five by default.
    #[serde(default)]
    pub folds: Option<usize>,
}

fn yes() -> bool {
    true
}

fn one() -> u64 {
    1
}

impl Plan {
    /// Parses a plan.
    pub fn parse(toml: &str) -> Result<Self> {
        toml::from_str(toml).map_err(|error| {
            Error::plan(
                format!("this is not an experiment plan: {}", error.to_string().trim_end()),
                "see docs/compare.md for the format of plans, and experiments/ for examples",
            )
        })
    }

    /// The measures for choosing parameters and for reporting.
    pub fn protocol(&self) -> Result<Protocol> {
        let letor = Protocol::letor()?;
        let report =
            self.measures.iter().map(|name| name.parse()).collect::<Result<Vec<Measure>>>()?;
        let choose = match (&self.choose, report.first()) {
            (Some(name), _) => name.parse()?,
            (None, Some(first)) => first.clone().with_ties(Ties::Expected),
            (None, None) => letor.choose,
        };
        Ok(Protocol::new(choose, if report.is_empty() { letor.report } else { report }))
    }

    /// The number of seeds of a row.
    pub fn seeds_of(&self, row: &RowPlan) -> u64 {
        row.seeds.unwrap_or(self.seeds)
    }
}

impl DataPlan {
    /// Reads all folds relative to the data root.
    pub fn read(&self, root: &Path) -> Result<Vec<Fold>> {
        let source = FoldSource::find(&self.paths(root), self.folds, 1, &ReadOptions::default())?;
        (0..source.len()).map(|fold| source.read(fold)).collect()
    }

    /// The files, as the data of a comparison.
    pub fn files(&self, root: &Path, options: &ReadOptions) -> ComparisonData {
        ComparisonData::Files {
            paths: self.paths(root),
            folds: self.folds,
            options: options.clone(),
        }
    }

    fn paths(&self, root: &Path) -> Vec<PathBuf> {
        self.folder.iter().chain(&self.files).map(|path| root.join(path)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_name_methods_and_parameters_that_exist() {
        for toml in [
            include_str!("../../../../experiments/sousa2016.toml"),
            include_str!("../../../../experiments/sun2009.toml"),
            include_str!("../../../../experiments/laporte2015.toml"),
            include_str!("../../../../experiments/cheng2018.toml"),
            include_str!("../../../../experiments/mofsrank.toml"),
            include_str!("../../../../experiments/costa2010.toml"),
            include_str!("../../../../experiments/auto.toml"),
        ] {
            let plan = Plan::parse(toml).unwrap();
            assert!(!plan.rows.is_empty() && plan.data.len() == 2);
            let names: std::collections::BTreeSet<&String> =
                plan.rows.iter().map(|row| &row.name).collect();
            assert_eq!(names.len(), plan.rows.len(), "{}: two rows of one name", plan.title);
            for row in &plan.rows {
                row.checked_method().unwrap();
            }
        }
    }

    #[test]
    fn invalid_toml_is_refused() {
        let says = |toml: &str| Plan::parse(toml).unwrap_err().to_string();
        assert!(says("").contains("missing field `title`"));
        assert!(says("title = \"t\"\nmethod = [\"top-k\"]").contains("unknown field `method`"));
        assert!(says("title = ").contains("not an experiment plan"));
    }
}
