//! One row of a plan: a ranker, and the selector of its features.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::method_expression::format_expression;
use super::{ComparedMethod, ConfiguredSelector, Protocol, Row};
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
    pub fixed: BTreeMap<String, String>,
    /// Parameters of the ranker to tune, with the values to try.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub grid: BTreeMap<String, Vec<String>>,
    /// The number of seeds, to show the variance of randomised methods; by default that of the
    /// plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<u64>,
}

/// A selector of a row.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectPlan {
    /// Name of the selector.
    pub selector: String,
    /// Fixed parameters.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fixed: BTreeMap<String, String>,
    /// Parameters to tune, with the values to try.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub grid: BTreeMap<String, Vec<String>>,
    /// Numbers of features to choose from on validation data; empty if the method decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub k: Vec<usize>,
}

impl RowPlan {
    /// Selects, tunes and evaluates on the folds of a data set.
    pub fn run(&self, protocol: &Protocol, run: &Run, folds: &[Fold]) -> Result<Row> {
        protocol.run(&self.method()?, run, folds)
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
    pub(super) fn checked_method(&self) -> Result<ComparedMethod> {
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

    fn method(&self) -> Result<ComparedMethod> {
        let (fixed, grid) =
            (self.fixed.clone().into_iter().collect(), self.grid.clone().into_iter().collect());
        Ok(match (&self.ranker, &self.select) {
            (Some(ranker), None) => ComparedMethod::ranker(registry::ranker(ranker)?, fixed, grid),
            (Some(ranker), Some(select)) => {
                ComparedMethod::ranker(registry::ranker(ranker)?, fixed, grid)
                    .after(select.selecting()?)
            }
            (None, Some(select)) => ComparedMethod::own_model(select.selecting()?),
            (None, None) => {
                return Err(Error::invalid(
                    "row of a plan",
                    &self.name,
                    "a ranker, a selector or both",
                ));
            }
        })
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
