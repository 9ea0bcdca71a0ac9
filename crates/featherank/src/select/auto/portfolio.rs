//! The methods that propose subsets: a few different ones, as many as the data and the time allow.
//!
//! Elimination trains the user's own ranker and removes the features least important to it. The
//! others use criteria that no single ranker has: a filter that estimates the contribution of a
//! feature to those chosen, least squares with forward selection, and a sparse linear model. All of
//! them order all features, so that there is a set of every size.

use std::time::Duration;

use crate::declare::Category;
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::params::{Kind, Param, Settings};
use crate::select::{SelectorSpec, auto};

/// The number of values in the data (documents × features) up to which all methods are used.
const FEW_VALUES: f64 = 1e6;

/// The number of values that are used; of larger data a sample of the queries is used.
const MANY_VALUES: f64 = 1e8;

/// The approximate number of values that one method processes in a second, for five folds, twenty
/// sizes and a hundred trees each.
const VALUES_A_SECOND: f64 = 1e5;

/// The name of elimination, which is not a registered selector.
pub const ELIMINATION: &str = "elimination";

/// All methods that may propose, in order of preference.
const PROPOSERS: &[&str] = &[ELIMINATION, "best-gain", "greedy-rankrls", "l1-svm"];

/// A method that proposes sets.
#[derive(Clone, Copy)]
pub enum Proposer {
    /// Elimination of the features that are least important to the ranker.
    Elimination,
    /// The first features of a selector's order.
    Order(&'static SelectorSpec),
}

impl Proposer {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Proposer::Elimination => ELIMINATION,
            Proposer::Order(spec) => spec.name,
        }
    }

    /// Whether the method itself needs rows.
    pub fn needs_rows(self) -> Result<bool> {
        match self {
            Proposer::Elimination => Ok(false),
            Proposer::Order(spec) => Ok(!spec.data_access(&[])?.is_passes()),
        }
    }

    fn named(name: &str) -> Result<Self> {
        match name {
            ELIMINATION => Ok(Proposer::Elimination),
            auto::NAME => Err(Error::invalid("method of auto", name, "another method")),
            _ => Ok(Proposer::Order(crate::select::selector(name)?)),
        }
    }
}

/// The parameters of a selector that proposes: an embedded method chooses its model by the measure
/// of this run.
pub fn settings(spec: &SelectorSpec, measure: &Measure) -> Settings {
    let is_tuned =
        |param: &&Param| spec.category == Category::Embedded && param.kind == Kind::Measure;
    let measures = spec.params.iter().filter(is_tuned);
    measures.map(|param| (param.name.to_owned(), measure.to_string())).collect()
}

/// The proposers that the user names; `None` for `auto`.
pub fn requested(names: &str) -> Result<Option<Vec<Proposer>>> {
    if names == "auto" {
        return Ok(None);
    }
    named(names).map(Some)
}

/// Proposers by their names, separated by commas.
pub fn named(names: &str) -> Result<Vec<Proposer>> {
    names.split(',').map(|name| Proposer::named(name.trim())).collect()
}

/// The number of held-out values of queries that suffice: with fewer queries, they are divided into
/// folds more often.
const HELD_OUT_VALUES: f64 = 1500.0;

/// The number of values (documents × features) that all repetitions process together at most.
const REPEATED_VALUES: f64 = 5e6;

/// The largest number of repetitions.
const MOST_REPETITIONS: f64 = 10.0;

/// The effort that data of a size justifies.
pub struct Effort {
    pub proposers: Vec<Proposer>,
    /// The share of the queries that are used.
    pub share: f64,
    /// How often the queries are divided into folds at most.
    pub repetitions: usize,
}

/// The effort for data with this many values (documents × features) and queries with documents of
/// different relevance.
pub fn effort(values: f64, queries: usize, limit: Option<Duration>) -> Result<Effort> {
    // Limits below one second are reported elsewhere.
    let affordable =
        limit.map_or(f64::INFINITY, |limit| limit.as_secs_f64().max(1.0) * VALUES_A_SECOND);
    let most = if values <= FEW_VALUES { PROPOSERS.len() } else { 2 };
    let looked_at = values.min(MANY_VALUES).min(affordable);
    let methods = ((affordable / looked_at) as usize).clamp(1, most);
    let proposers = PROPOSERS[..methods].iter().map(|name| Proposer::named(name));
    let repetitions = (HELD_OUT_VALUES / queries.max(1) as f64)
        .min(REPEATED_VALUES / values)
        .round()
        .clamp(1.0, MOST_REPETITIONS);
    Ok(Effort {
        proposers: proposers.collect::<Result<_>>()?,
        share: looked_at / values,
        repetitions: repetitions as usize,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_data_and_short_times_ask_fewer() {
        let asked = |values: f64, seconds: Option<u64>| {
            let effort = effort(values, 1500, seconds.map(Duration::from_secs)).unwrap();
            (effort.proposers.len(), effort.share)
        };
        assert_eq!(asked(1e6, None), (4, 1.0));
        assert_eq!(asked(5e7, None), (2, 1.0));
        assert_eq!(asked(4e8, None), (2, 0.25));
        assert_eq!(asked(1e6, Some(20)), (2, 1.0));
        assert_eq!(asked(1e8, Some(100)), (1, 0.1));
    }

    #[test]
    fn few_queries_are_divided_more_often() {
        let repetitions = |values, queries| effort(values, queries, None).unwrap().repetitions;
        assert_eq!(
            [repetitions(5e5, 100), repetitions(5e5, 500), repetitions(5e5, 5000)],
            [10, 3, 1]
        );
        assert_eq!(repetitions(2.5e6, 100), 2, "but large lists take time");
    }

    #[test]
    fn names_are_checked() {
        let names: Vec<&str> =
            named("elimination, top-k").unwrap().into_iter().map(Proposer::name).collect();
        assert_eq!(names, ["elimination", "top-k"]);
        assert!(named("auto").is_err_and(|e| e.to_string().contains("another method")));
        assert!(named("topk").is_err_and(|e| e.to_string().contains("top-k")));
    }
}
