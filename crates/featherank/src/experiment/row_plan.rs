//! One row of a plan: a ranker, and what chooses its features.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::words::in_one_word;
use super::{DataPlan, Figures, Method, Protocol, Row, Selecting};
use crate::data::folds::Fold;
use crate::error::{Error, Result};
use crate::params::Params;
use crate::registry;
use crate::remedy;
use crate::run::Run;

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
    #[serde(default, skip_serializing, deserialize_with = "super::figures::figures_by_data")]
    pub(super) published: BTreeMap<String, Figures>,
    /// What another implementation got, by data set.
    #[serde(default, skip_serializing, deserialize_with = "super::figures::figures_by_data")]
    pub(super) reference: BTreeMap<String, Figures>,
    /// How many minutes papers needed to select, by data set, as printed.
    #[serde(default, skip_serializing)]
    pub(super) minutes: BTreeMap<String, String>,
    /// What papers print, by data set, of the features that each fold selects and of how often they
    /// repeat.
    #[serde(default, skip_serializing)]
    pub(super) agreement: BTreeMap<String, [String; 2]>,
    /// One of several rows along a parameter, and its value: they are also shown beside each other,
    /// against the first of them.
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
    /// With how many seeds it is run: methods that draw random numbers show their spread. As many
    /// as the plan says where nothing is said.
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
    /// Numbers of features that validation data chooses among; empty where the method finds its
    /// own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub k: Vec<usize>,
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
        let tried = |fixed: &[(String, String)],
                     grid: &[(String, Vec<String>)]|
         -> Vec<[(String, String); 1]> {
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
                return Err(Error::invalid(
                    "row of a plan",
                    &self.name,
                    "a ranker, a selector or both",
                ));
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

    /// What papers print of the features that each fold selects on a data set, and of how often
    /// they repeat.
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
    Error::plan(
        format!("{selector} trains no model of its own, and no ranker is given"),
        remedy!["name a ranker such as ranksvm-primal with ", Rankers],
    )
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
