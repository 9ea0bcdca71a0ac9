//! The methods that propose subsets: a few different ones, as many as the data and the time allow.
//!
//! Elimination trains the user's own ranker and removes the features least important to it. The others look
//! at the features in ways that no single ranker does: a filter that asks what a feature adds to
//! those chosen, least squares that add features one at a time, and a sparse linear model. All of
//! them order all features, so that there is a set of every size.

use std::time::Duration;

use crate::error::{Error, Result};
use crate::select::{SelectorSpec, auto};

/// Values in the data (documents × features) up to which all methods are asked.
const FEW_VALUES: f64 = 2e7;

/// Values that are looked at; of larger data a sample of the queries.
const MANY_VALUES: f64 = 1e8;

/// Values that one method works through in a second, about: five folds, twenty sizes, a hundred
/// trees each.
const VALUES_A_SECOND: f64 = 1e5;

/// The name of elimination, which is no selector of its own here.
pub const ELIMINATION: &str = "elimination";

/// All methods that may propose, in order of preference.
const PROPOSERS: &[&str] = &[ELIMINATION, "best-gain", "greedy-rankrls", "l1-svm"];

/// A method that proposes sets.
#[derive(Clone, Copy)]
pub enum Proposer {
    /// What matters least to the ranker leaves.
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
            auto::NAME => Err(Error::invalid("methods of auto", name, "other methods than itself")),
            _ => Ok(Proposer::Order(crate::select::selector(name)?)),
        }
    }
}

/// The proposers that a user asks for; none for `auto`.
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

/// The methods for data with so many values, and the share of its queries that they look at.
pub fn for_data(values: f64, limit: Option<Duration>) -> Result<(Vec<Proposer>, f64)> {
    // Less than a second is no time at all, and is said so elsewhere.
    let affordable =
        limit.map_or(f64::INFINITY, |limit| limit.as_secs_f64().max(1.0) * VALUES_A_SECOND);
    let most = if values <= FEW_VALUES { PROPOSERS.len() } else { 2 };
    let looked_at = values.min(MANY_VALUES).min(affordable);
    let methods = ((affordable / looked_at) as usize).clamp(1, most);
    let proposers = PROPOSERS[..methods].iter().map(|name| Proposer::named(name));
    Ok((proposers.collect::<Result<_>>()?, looked_at / values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_data_and_short_times_ask_fewer() {
        let asked = |values: f64, seconds: Option<u64>| {
            let (proposers, share) = for_data(values, seconds.map(Duration::from_secs)).unwrap();
            (proposers.len(), share)
        };
        assert_eq!(asked(1e6, None), (4, 1.0));
        assert_eq!(asked(5e7, None), (2, 1.0));
        assert_eq!(asked(4e8, None), (2, 0.25));
        assert_eq!(asked(1e6, Some(20)), (2, 1.0));
        assert_eq!(asked(1e8, Some(100)), (1, 0.1));
    }

    #[test]
    fn names_are_checked() {
        let names: Vec<&str> =
            named("elimination, top-k").unwrap().into_iter().map(Proposer::name).collect();
        assert_eq!(names, ["elimination", "top-k"]);
        assert!(named("auto").is_err_and(|e| e.to_string().contains("other methods")));
        assert!(named("topk").is_err_and(|e| e.to_string().contains("top-k")));
    }
}
