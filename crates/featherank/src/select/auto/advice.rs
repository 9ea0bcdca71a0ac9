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

/// The reasons for this set: the sizes that were tried, the requirements, and the tests of every
/// size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    /// The ranker that will use the features.
    pub ranker: String,
    /// Its settings that differ from the defaults.
    pub settings: BTreeMap<String, String>,
    /// The measure of rankings.
    pub measure: String,
    /// The requirements on a smaller set.
    pub demand: Demand,
    /// The baseline of risk.
    pub baseline: String,
    /// The number of folds.
    pub folds: usize,
    /// The methods that proposed sets.
    pub methods: Vec<String>,
    /// The measure of all features, on queries that their models were not trained on.
    pub all: f64,
    /// The sizes that were tried, from the most expensive to the cheapest.
    pub tried: Vec<Tried>,
    /// The chosen size, as an index of `tried`; `None`, which means all features, if no size
    /// passed.
    pub chosen: Option<usize>,
    /// The first size that failed, as an index of `tried`.
    pub next: Option<usize>,
    /// Ids of the queries.
    pub queries: Vec<String>,
    /// The measure of all features for each query; `None` if the query does not count.
    pub per_query_of_all: Vec<Option<f64>>,
    /// The measure of the chosen size for each query; that of all features if none was chosen.
    pub per_query: Vec<Option<f64>>,
}

/// A size and its results on held-out queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The number of features.
    pub features: usize,
    /// The largest cost of its sets; the number of features if costs are not known.
    pub cost: f64,
    /// The method that proposed the set of each fold.
    pub methods: Vec<String>,
    /// The measure on queries that the models were not trained on.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
    /// The test of effectiveness against all features.
    pub effectiveness: NonInferiority,
    /// The test of risk against all features.
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
