//! The reasons for the choice of `auto`, as reported in a selection.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::fold::FoldResult;
use super::recommendation::Demand;
use super::search::{State, Tests, values};
use super::{AutoSelector, RiskBaseline};
use crate::measure::counted;
use crate::measure::significance::NonInferiority;
use crate::select::subsets::mean_and_error;

/// Why this set: what was tried, what was asked, and what the tests say of every size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    /// The ranker that the features are for.
    pub ranker: String,
    /// Its settings, as far as they are not its defaults.
    pub settings: BTreeMap<String, String>,
    /// What rankings are judged by.
    pub measure: String,
    /// What was asked of a smaller set.
    pub demand: Demand,
    /// What risk is measured against.
    pub baseline: String,
    /// In how many parts the queries were held out.
    pub folds: usize,
    /// The methods that proposed sets.
    pub methods: Vec<String>,
    /// The measure of all features, on queries that their models have not seen.
    pub all: f64,
    /// The sizes that were tried, from the dearest to the cheapest.
    pub tried: Vec<Tried>,
    /// The one that was chosen, as a place in `tried`; all features where none passed.
    pub chosen: Option<usize>,
    /// The first that did not pass, as a place in `tried`.
    pub next: Option<usize>,
    /// Ids of the queries.
    pub queries: Vec<String>,
    /// The measure of all features for each query; nothing where a query does not count.
    pub per_query_of_all: Vec<Option<f64>>,
    /// The measure of the chosen size for each query; that of all features where none was chosen.
    pub per_query: Vec<Option<f64>>,
}

/// A size and what held-out queries say of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// How many features.
    pub features: usize,
    /// The most that its sets cost; the number of features where costs are not known.
    pub cost: f64,
    /// The method that proposed the set of each fold.
    pub methods: Vec<String>,
    /// The measure on queries that the models have not seen.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
    /// Against all features, in effectiveness.
    pub effectiveness: NonInferiority,
    /// Against all features, in risk.
    pub risk: NonInferiority,
}

/// The findings of a search for a size.
pub(super) struct SizeFindings<'a> {
    pub state: &'a State,
    pub limits: &'a [f64],
    pub verdicts: &'a [Tests],
    pub chosen: Option<usize>,
    /// The measure of all features for each query.
    pub all: &'a [f64],
}

impl Advice {
    pub(super) fn of(auto: &AutoSelector, found: &SizeFindings<'_>, queries: Vec<String>) -> Self {
        let SizeFindings { state, limits, verdicts, chosen, all } = found;
        let tried = |(size, tested): (usize, &Vec<FoldResult>)| {
            let (value, error) = mean_and_error(&values(tested));
            let (effectiveness, risk) = verdicts[size].clone();
            Tried {
                features: tested.iter().map(|tested| tested.features).max().unwrap_or(0),
                cost: limits[size],
                methods: tested.iter().map(|tested| state.methods[tested.method].clone()).collect(),
                value,
                error,
                effectiveness,
                risk,
            }
        };
        let per_query = chosen.map_or_else(|| all.to_vec(), |size| values(&state.tested[size]));
        Advice {
            ranker: auto.ranker.name.to_owned(),
            settings: auto.settings().0.into_iter().collect(),
            measure: auto.measure.to_string(),
            demand: auto.demand,
            baseline: match auto.baseline {
                RiskBaseline::Mean => "mean of single features",
                RiskBaseline::BestFeature => "best single feature",
                RiskBaseline::Full => "all features",
            }
            .to_owned(),
            folds: auto.folds,
            methods: state.methods.clone(),
            all: mean_and_error(all).0,
            tried: state.tested.iter().enumerate().map(tried).collect(),
            chosen: *chosen,
            next: verdicts
                .iter()
                .position(|(effectiveness, risk)| !(effectiveness.holds && risk.holds)),
            queries,
            per_query_of_all: counted(all),
            per_query: counted(&per_query),
        }
    }
}
