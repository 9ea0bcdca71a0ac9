//! A plan of experiments: data sets, selectors and rankers with what is fixed and what is tuned, and the figures to compare
//! with. The five files of `experiments/` are plans, and what `featherank compare` is told on its command line becomes one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize};

use super::words::in_one_word;
use super::{FoldSource, Method, Protocol, Row, Selecting};
use crate::data::ReadOptions;
use crate::data::folds::Fold;
use crate::error::{Error, Result};
use crate::measure::{Measure, Ties};
use crate::params::Params;
use crate::registry;
use crate::run::Run;

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
    /// The measure on validation data that chooses settings; where none is named the first one of `measures`, with ties by expected value.
    #[serde(default)]
    pub choose: Option<String>,
    /// The measures on test data, the most important first; those of LETOR's tables where none is named.
    #[serde(default)]
    pub measures: Vec<String>,
    /// The first seed.
    #[serde(default = "one")]
    pub seed: u64,
    /// With how many seeds rows are run that do not say so themselves.
    #[serde(default = "one")]
    pub seeds: u64,
    /// From how many draws of the training queries features are selected, to see how stable selections are.
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
    /// Numbers of features among which validation data chooses, for `methods` that do not say so themselves.
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
    /// Its folder below the folder of all data, with folds in a form that [`FoldFiles::find`](crate::data::folds::FoldFiles::find) knows.
    #[serde(default)]
    pub folder: Option<String>,
    /// Or its files: three or more parts to rotate, or one file to deal into folds.
    #[serde(default)]
    pub files: Vec<String>,
    /// Into how many folds one file is dealt; five where nothing is said.
    #[serde(default)]
    pub folds: Option<usize>,
    /// How far means may lie apart before the difference is more than chance.
    #[serde(default, deserialize_with = "figures")]
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

/// MAP, NDCG@1, NDCG@5, NDCG@10 and, where it matters, the number of features; `None`, in files `nan`, where it was not printed.
pub type Figures = Vec<Option<f64>>;

fn figures<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Figures, D::Error> {
    Ok(printed(Vec::deserialize(from)?))
}

fn figures_by_data<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<BTreeMap<String, Figures>, D::Error> {
    let read = BTreeMap::<String, Vec<f64>>::deserialize(from)?;
    Ok(read.into_iter().map(|(data, values)| (data, printed(values))).collect())
}

fn printed(values: Vec<f64>) -> Figures {
    values.into_iter().map(|value| Some(value).filter(|value| !value.is_nan())).collect()
}

/// One row of a table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowPlan {
    /// Its name.
    pub name: String,
    /// The ranker in the registry; without one the selector's own model is tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranker: Option<String>,
    /// What chooses its features; all of them where nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub select: Option<SelectPlan>,
    /// Parameters of the ranker that are set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) fixed: BTreeMap<String, String>,
    /// Parameters of the ranker that validation data chooses, and the values to try.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) grid: BTreeMap<String, Vec<String>>,
    /// What papers print, by data set.
    #[serde(default, skip_serializing, deserialize_with = "figures_by_data")]
    pub(super) published: BTreeMap<String, Figures>,
    /// What another implementation got, by data set.
    #[serde(default, skip_serializing, deserialize_with = "figures_by_data")]
    pub(super) reference: BTreeMap<String, Figures>,
    /// How many minutes papers needed to select, by data set, as printed.
    #[serde(default, skip_serializing)]
    pub(super) minutes: BTreeMap<String, String>,
    /// What papers print, by data set, of the features that each fold selects and of how often they repeat.
    #[serde(default, skip_serializing)]
    pub(super) agreement: BTreeMap<String, [String; 2]>,
    /// One of several rows along a parameter, and its value: they are also shown beside each other, against the first of them.
    #[serde(default, skip_serializing)]
    pub along: Option<(String, String)>,
    /// Rows whose numbers of features are set beside this one's.
    #[serde(default, skip_serializing)]
    pub sparser_than: Vec<String>,
    /// Features that papers name as those that recur, by data set.
    #[serde(default, skip_serializing)]
    pub(super) recurs: BTreeMap<String, Vec<u32>>,
    /// The row whose test queries this one's are compared with, one by one.
    #[serde(default, skip_serializing)]
    pub against: Option<String>,
    /// With how many seeds it is run: methods that draw random numbers show their spread. As many as the plan says where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<u64>,
    /// Takes minutes.
    #[serde(default, skip_serializing)]
    pub slow: bool,
    /// Has one answer, so that every implementation must agree to the last printed digit.
    #[serde(default, skip_serializing)]
    pub exact: bool,
    /// Has no figures of another implementation, and must reach those of the papers.
    #[serde(default, skip_serializing)]
    pub reaches_published: bool,
}

/// A selector of a row.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectPlan {
    /// The selector in the registry.
    pub selector: String,
    /// Parameters that are set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) fixed: BTreeMap<String, String>,
    /// Parameters that validation data chooses, and the values to try.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) grid: BTreeMap<String, Vec<String>>,
    /// Numbers of features that validation data chooses among; empty where the method finds its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub k: Vec<usize>,
}

impl Plan {
    /// Reads a plan.
    pub fn parse(toml: &str) -> Result<Self> {
        toml::from_str(toml).map_err(|error| Error::Conflict {
            what: format!("this is no plan of experiments: {}", error.to_string().trim_end()),
            help: "docs/compare.md says what a plan holds; experiments/ has examples".into(),
        })
    }

    /// What chooses settings, and what is reported.
    pub fn protocol(&self) -> Result<Protocol> {
        let letor = Protocol::letor()?;
        let report = self.measures.iter().map(|name| name.parse()).collect::<Result<Vec<Measure>>>()?;
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
        let paths: Vec<PathBuf> = self.folder.iter().chain(&self.files).map(|path| root.join(path)).collect();
        FoldSource::find(&paths, self.folds, seed, options)
    }
}

impl RowPlan {
    /// Selects, tunes and tests on a data set's folds.
    pub fn run(&self, protocol: &Protocol, run: &Run, folds: &[Fold]) -> Result<Row> {
        protocol.run(&self.method()?, run, folds)
    }

    /// The same without what papers say about it.
    #[must_use]
    pub(super) fn bare(&self) -> RowPlan {
        RowPlan {
            name: self.name.clone(),
            ranker: self.ranker.clone(),
            select: self.select.clone(),
            fixed: self.fixed.clone(),
            grid: self.grid.clone(),
            seeds: self.seeds,
            ..RowPlan::default()
        }
    }

    /// Its ranker with what is set, in one word.
    pub(super) fn ranker_word(&self) -> Option<String> {
        self.ranker.as_ref().map(|ranker| word(ranker, &self.fixed))
    }

    /// Its selector with what is set, in one word.
    pub(super) fn selector_word(&self) -> Option<String> {
        self.select.as_ref().map(|select| {
            let sizes: Vec<String> = select.k.iter().map(usize::to_string).collect();
            let k = (!sizes.is_empty()).then(|| ("k".to_owned(), sizes.join(",")));
            word(&select.selector, &select.fixed.clone().into_iter().chain(k).collect())
        })
    }

    /// Selector, ranker and parameters, all of which must exist.
    pub(super) fn checked_method(&self) -> Result<Method> {
        let method = self.method()?;
        let tried =
            |fixed: &[(String, String)], grid: &[(String, Vec<String>)]| -> Vec<[(String, String); 1]> {
                let values = |(name, values): &(String, Vec<String>)| {
                    values.iter().map(|value| [(name.clone(), value.clone())]).collect::<Vec<_>>()
                };
                fixed.iter().map(|set| [set.clone()]).chain(grid.iter().flat_map(values)).collect()
            };
        if let Some(ranker) = method.ranker {
            for set in tried(&method.fixed, &method.grid) {
                Params::new(ranker.name, ranker.params, &set)?;
            }
        }
        if let Some(Selecting { selector, fixed, grid, .. }) = &method.selecting {
            for set in tried(fixed, grid) {
                Params::new(selector.name, selector.params, &set)?;
            }
            if method.ranker.is_none() && !selector.leaves_model {
                return Err(no_ranker(selector.name));
            }
        }
        Ok(method)
    }

    pub(super) fn method(&self) -> Result<Method> {
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

/// A method without a model of its own needs a ranker.
pub(super) fn no_ranker(selector: &str) -> Error {
    Error::Conflict {
        what: format!("{selector} trains no model of its own, and there is no ranker"),
        help: "name a ranker, such as --rankers ranksvm-primal".into(),
    }
}

fn word(name: &str, settings: &BTreeMap<String, String>) -> String {
    in_one_word(name, settings.iter().map(|(name, value)| (name.as_str(), value.as_str())))
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

    #[test]
    fn plans_name_methods_and_parameters_that_exist() {
        for toml in [
            include_str!("../../../../experiments/sousa2016.toml"),
            include_str!("../../../../experiments/sun2009.toml"),
            include_str!("../../../../experiments/laporte2015.toml"),
            include_str!("../../../../experiments/cheng2018.toml"),
            include_str!("../../../../experiments/mofsrank.toml"),
            include_str!("../../../../experiments/costa2010.toml"),
        ] {
            let plan = Plan::parse(toml).unwrap();
            assert!(!plan.rows.is_empty() && plan.data.len() == 2);
            let names: std::collections::BTreeSet<&String> = plan.rows.iter().map(|row| &row.name).collect();
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
        assert!(says("title = ").contains("no plan of experiments"));
    }
}
