//! One row of a plan: a ranker, and the selector of its features.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::method_expression::format_expression;
use super::{ConfiguredSelector, DataPlan, Figures, Method, Protocol, Row};
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
    /// Name of the ranker; `None` for the model of the selector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranker: Option<String>,
    /// The selector of its features; `None` for all features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub select: Option<SelectPlan>,
    /// Fixed parameters of the ranker.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) fixed: BTreeMap<String, String>,
    /// Parameters of the ranker to tune, with the values to try.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) grid: BTreeMap<String, Vec<String>>,
    /// Published figures, by data set.
    #[serde(default, skip_serializing, deserialize_with = "super::figures::figures_by_data")]
    pub(super) published: BTreeMap<String, Figures>,
    /// Figures of another implementation, by data set.
    #[serde(default, skip_serializing, deserialize_with = "super::figures::figures_by_data")]
    pub(super) reference: BTreeMap<String, Figures>,
    /// Published selection time in minutes, by data set.
    #[serde(default, skip_serializing)]
    pub(super) minutes: BTreeMap<String, String>,
    /// Published numbers of features per fold and of recurring features, by data set.
    #[serde(default, skip_serializing)]
    pub(super) agreement: BTreeMap<String, [String; 2]>,
    /// A parameter and its value, for a series of rows that are also compared with the first one.
    #[serde(default, skip_serializing)]
    pub along: Option<(String, String)>,
    /// Rows whose numbers of features are compared with this one.
    #[serde(default, skip_serializing)]
    pub sparser_than: Vec<String>,
    /// Features published as recurring, by data set.
    #[serde(default, skip_serializing)]
    pub(super) recurs: BTreeMap<String, Vec<u32>>,
    /// The row to compare with query by query.
    #[serde(default, skip_serializing)]
    pub against: Option<String>,
    /// The number of seeds, to show the variance of randomised methods; by default that of the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<u64>,
    /// Takes minutes.
    #[serde(default, skip_serializing)]
    pub slow: bool,
    /// Deterministic: every implementation must agree to the last published digit.
    #[serde(default, skip_serializing)]
    pub exact: bool,
    /// Without figures of another implementation: must reach the published ones.
    #[serde(default, skip_serializing)]
    pub reaches_published: bool,
}

/// A selector of a row.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectPlan {
    /// Name of the selector.
    pub selector: String,
    /// Fixed parameters.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) fixed: BTreeMap<String, String>,
    /// Parameters to tune, with the values to try.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) grid: BTreeMap<String, Vec<String>>,
    /// Numbers of features to choose from on validation data; empty if the method decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub k: Vec<usize>,
}
impl RowPlan {
    /// Selects, tunes and evaluates on the folds of a data set.
    pub fn run(&self, protocol: &Protocol, run: &Run, folds: &[Fold]) -> Result<Row> {
        protocol.run(&self.method()?, run, folds)
    }

    /// The same row without published figures.
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

    /// The ranker with its fixed parameters as an expression.
    pub(super) fn ranker_expression(&self) -> Option<String> {
        self.ranker.as_ref().map(|ranker| expression(ranker, &self.fixed))
    }

    /// The selector with its fixed parameters as an expression.
    pub(super) fn selector_expression(&self) -> Option<String> {
        self.select.as_ref().map(|select| {
            let sizes: Vec<String> = select.k.iter().map(usize::to_string).collect();
            let k = (!sizes.is_empty()).then(|| ("k".to_owned(), sizes.join(",")));
            expression(&select.selector, &select.fixed.clone().into_iter().chain(k).collect())
        })
    }

    /// Selector, ranker and parameters, checked.
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
        if let Some(ConfiguredSelector { selector, fixed, grid, .. }) = &method.selecting {
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

    /// The published figures for a data set.
    pub fn published(&self, data: &DataPlan) -> Option<&Figures> {
        self.published.get(&data.name)
    }

    /// The figures of another implementation for a data set.
    pub fn reference(&self, data: &DataPlan) -> Option<&Figures> {
        self.reference.get(&data.name)
    }

    /// The published numbers of features per fold and of recurring features for a data set.
    pub fn agreement(&self, data: &DataPlan) -> Option<&[String; 2]> {
        self.agreement.get(&data.name)
    }

    /// The published selection time in minutes for a data set.
    pub fn minutes(&self, data: &DataPlan) -> Option<&str> {
        self.minutes.get(&data.name).map(String::as_str)
    }

    /// The features published as recurring for a data set.
    pub fn recurs(&self, data: &DataPlan) -> &[u32] {
        self.recurs.get(&data.name).map_or(&[], Vec::as_slice)
    }

    /// The fixed parameters of the ranker, as text.
    pub fn set(&self) -> String {
        describe_fixed(&self.fixed).join("; ")
    }

    /// The tuned parameters of the ranker, as text.
    pub fn tuned(&self) -> String {
        describe_grid(&self.grid).join("; ")
    }
}

impl SelectPlan {
    fn selecting(&self) -> Result<ConfiguredSelector> {
        Ok(ConfiguredSelector {
            selector: registry::selector(&self.selector)?,
            fixed: self.fixed.clone().into_iter().collect(),
            grid: self.grid.clone().into_iter().collect(),
            sizes: self.k.clone(),
        })
    }

    /// The fixed parameters, as text.
    pub fn set(&self) -> String {
        let k = (self.k.len() == 1).then(|| format!("k {}", self.k[0]));
        describe_fixed(&self.fixed).into_iter().chain(k).collect::<Vec<_>>().join("; ")
    }

    /// The tuned parameters, as text.
    pub fn tuned(&self) -> String {
        let sizes: Vec<String> = self.k.iter().map(usize::to_string).collect();
        let k = (sizes.len() > 1).then(|| format!("k {}", sizes.join(", ")));
        describe_grid(&self.grid).into_iter().chain(k).collect::<Vec<_>>().join("; ")
    }
}

/// The error for a selector that trains no model, without a ranker.
pub(super) fn no_ranker(selector: &str) -> Error {
    Error::plan(
        format!("{selector} trains no model of its own, and no ranker is given"),
        remedy!["name a ranker such as ranksvm-primal with ", Rankers],
    )
}

fn expression(name: &str, settings: &BTreeMap<String, String>) -> String {
    format_expression(name, settings.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}

fn describe_fixed(fixed: &BTreeMap<String, String>) -> Vec<String> {
    fixed.iter().map(|(name, value)| format!("{name} {value}")).collect()
}

fn describe_grid(grid: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    grid.iter().map(|(name, values)| format!("{name} {}", values.join(", "))).collect()
}
