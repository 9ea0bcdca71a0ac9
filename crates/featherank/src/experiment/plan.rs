//! A plan of experiments: data sets, selectors and rankers with what is fixed and what is tuned,
//! and the figures to compare with. The files of `experiments/` are plans, and what `featherank
//! compare` is told on its command line becomes one.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Figures, FoldSource, Protocol, RowPlan};
use crate::data::ReadOptions;
use crate::data::folds::Fold;
use crate::error::{Error, Result};
use crate::measure::{Measure, Ties};

/// A plan, as TOML files hold it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The heading of its part of the page.
    pub title: String,
    /// What stands before the tables, line by line.
    #[serde(default)]
    pub intro: Vec<String>,
    /// What stands after them, line by line.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// The measure on validation data that chooses settings; where none is named the first one of
    /// `measures`, with ties by expected value.
    #[serde(default)]
    pub choose: Option<String>,
    /// The measures on test data, the most important first; those of LETOR's tables where none is
    /// named.
    #[serde(default)]
    pub measures: Vec<String>,
    /// The first seed.
    #[serde(default = "one")]
    pub seed: u64,
    /// With how many seeds rows are run that do not say so themselves.
    #[serde(default = "one")]
    pub seeds: u64,
    /// From how many draws of the training queries features are selected, to see how stable
    /// selections are.
    #[serde(default)]
    pub bootstraps: u64,
    /// Whether other numbers of features are judged on validation data.
    #[serde(default = "yes")]
    pub curves: bool,
    /// Whether `auto` is asked for a recommendation on all data.
    #[serde(default)]
    pub recommend: bool,
    /// The data sets.
    #[serde(default)]
    pub data: Vec<DataPlan>,
    /// Selectors to be crossed with `rankers`, as words such as `best-gain[delta=0.03]`.
    #[serde(default)]
    pub methods: Vec<String>,
    /// Rankers, as words; `own` is the model that a selector trains itself.
    #[serde(default)]
    pub rankers: Vec<String>,
    /// Numbers of features among which validation data chooses, for `methods` that do not say so
    /// themselves.
    #[serde(default)]
    pub k: Vec<usize>,
    /// Whether validation data chooses settings of `rankers` from the values that each declares.
    #[serde(default = "yes")]
    pub tune: bool,
    /// The rows of each data set's table, one by one.
    #[serde(default)]
    pub rows: Vec<RowPlan>,
}

/// A data set.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataPlan {
    /// Its name in tables.
    pub name: String,
    /// Its folder below the folder of all data, with folds in a form that
    /// [`FoldFiles::find`](crate::data::folds::FoldFiles::find) knows.
    #[serde(default)]
    pub folder: Option<String>,
    /// Or its files: three or more parts to rotate, or one file to deal into folds.
    #[serde(default)]
    pub files: Vec<String>,
    /// Into how many folds one file is dealt; five where nothing is said.
    #[serde(default)]
    pub folds: Option<usize>,
    /// How far means may lie apart before the difference is more than chance.
    #[serde(default, deserialize_with = "super::figures::figures")]
    pub tolerance: Figures,
    /// Whether the papers' MAP agrees with their own NDCG for this data, so that it may be compared
    /// with.
    #[serde(default = "yes")]
    pub published_map: bool,
}

fn yes() -> bool {
    true
}

fn one() -> u64 {
    1
}

impl Plan {
    /// Reads a plan.
    pub fn parse(toml: &str) -> Result<Self> {
        toml::from_str(toml).map_err(|error| {
            Error::plan(
                format!("this is not an experiment plan: {}", error.to_string().trim_end()),
                "see docs/compare.md for the format of plans, and experiments/ for examples",
            )
        })
    }

    /// What chooses settings, and what is reported.
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

    /// With how many seeds a row is run.
    pub fn seeds_of(&self, row: &RowPlan) -> u64 {
        row.seeds.unwrap_or(self.seeds)
    }
}

impl DataPlan {
    /// Reads all folds below the folder of all data.
    pub fn read(&self, root: &Path) -> Result<Vec<Fold>> {
        let source = self.source(root, &ReadOptions::default(), 1)?;
        (0..source.len()).map(|fold| source.read(fold)).collect()
    }

    /// The folds, to be read when they are needed.
    pub fn source(&self, root: &Path, options: &ReadOptions, seed: u64) -> Result<FoldSource> {
        let paths: Vec<PathBuf> =
            self.folder.iter().chain(&self.files).map(|path| root.join(path)).collect();
        FoldSource::find(&paths, self.folds, seed, options)
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
                assert!(
                    row.against.iter().chain(&row.sparser_than).all(|other| names.contains(other)),
                    "{}",
                    row.name
                );
            }
        }
    }

    #[test]
    fn what_is_no_plan_is_refused() {
        let says = |toml: &str| Plan::parse(toml).unwrap_err().to_string();
        assert!(says("").contains("missing field `title`"));
        assert!(says("title = \"t\"\nmethod = [\"top-k\"]").contains("unknown field `method`"));
        assert!(says("title = ").contains("not an experiment plan"));
    }
}
