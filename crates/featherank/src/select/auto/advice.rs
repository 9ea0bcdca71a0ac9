//! The reasons for the choice of `auto`, as reported in a selection.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::curve::{Candidate, NonInferiorityDemand};
use super::sizes::Size;
use super::{AutoBaseline, AutoSelector, RiskRule};
use crate::measure::counted;
use crate::measure::significance::NonInferiority;
use crate::select::subsets::mean_and_error;

/// What is known about the returned set in comparison with all features.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The test passed: the set is smaller than all features and shown to be as good, within the
    /// margin.
    Shown,
    /// Sets of this size were tested and failed, or only all features passed.
    NotShown,
    /// The set was not tested: too few queries, too little time, or only other sets were tested.
    #[default]
    NotTested,
}

impl Verdict {
    /// In words, as shown to users.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Shown => "shown to be as good",
            Verdict::NotShown => "not shown to be as good",
            Verdict::NotTested => "not tested",
        }
    }
}

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
    pub demand: NonInferiorityDemand,
    /// The baseline of risk.
    pub baseline: String,
    /// The number of folds.
    pub folds: usize,
    /// How often the queries were divided into folds.
    #[serde(default)]
    pub repetitions: usize,
    /// The methods that proposed sets.
    pub methods: Vec<String>,
    /// The measure of all features, on queries that their models were not trained on; `None` if
    /// there was no time to train them.
    pub all: Option<f64>,
    /// The sizes that were tried, from the most expensive to the cheapest: sets of the method that
    /// proposed the returned set.
    pub tried: Vec<TestedSize>,
    /// What the test of effectiveness says about the returned set; with risk required, what both
    /// tests say.
    #[serde(default)]
    pub verdict: Verdict,
    /// What the test of risk says about the returned set.
    #[serde(default)]
    pub risk_verdict: Verdict,
    /// The size of the returned set, as an index of `tried`; `None` if it was not tested.
    #[serde(alias = "chosen")]
    pub returned: Option<usize>,
    /// The size below the returned one, as an index of `tried`.
    pub next: Option<usize>,
    /// Ids of the queries.
    pub queries: Vec<String>,
    /// The measure of all features for each query; `None` if the query does not count.
    pub per_query_of_all: Vec<Option<f64>>,
    /// The measure of the returned size for each query; that of all features if it was not tested.
    pub per_query: Vec<Option<f64>>,
}

/// A size and its results on held-out queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestedSize {
    /// The number of features.
    pub features: usize,
    /// The largest cost of its sets; the number of features if costs are not known.
    pub cost: f64,
    /// Ids of the set of this size that all data gives, best first.
    #[serde(default)]
    pub set: Vec<u32>,
    /// The method that proposed the sets.
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
#[derive(Default)]
pub(super) struct SizeFindings<'a> {
    /// The methods that proposed sets.
    pub methods: &'a [String],
    pub sizes: &'a [Size],
    /// For each size, the ids of its set.
    pub sets: Vec<Vec<u32>>,
    /// The candidates of the method that proposed the returned set, by size.
    pub tried: Vec<&'a Candidate>,
    /// The size of the returned set; `None` if it was not tested.
    pub returned: Option<usize>,
    /// The ranker's tuned settings.
    pub settings: &'a [(String, String)],
    /// The measure of all features for each query, and the ids of the queries; empty if there was
    /// no time to train with all features.
    pub all: &'a [f64],
    pub queries: Vec<String>,
    /// How often the queries were divided into folds.
    pub repetitions: usize,
}

impl SizeFindings<'_> {
    /// The verdict on the returned set by one of its tests, or by several; `is_smaller` says
    /// whether the set lacks any feature.
    fn verdict(&self, is_smaller: bool, passes: impl Fn(&Candidate) -> bool) -> Verdict {
        match self.returned.map(|size| self.tried[size]) {
            None => Verdict::NotTested,
            Some(tested) if is_smaller && passes(tested) => Verdict::Shown,
            Some(_) => Verdict::NotShown,
        }
    }
}

impl Advice {
    /// The advice of findings; `is_smaller` says whether the returned set lacks any feature.
    pub(super) fn of(auto: &AutoSelector, found: SizeFindings<'_>, is_smaller: bool) -> Self {
        let SizeFindings { methods, sizes, sets, tried, returned, all, .. } = &found;
        let entry = |(candidate, set): (&&Candidate, &Vec<u32>)| {
            let (value, error) = mean_and_error(&candidate.per_query);
            TestedSize {
                features: candidate.features,
                cost: sizes[candidate.size].limit,
                set: set.clone(),
                methods: vec![methods[candidate.method].clone()],
                value,
                error,
                effectiveness: candidate.effectiveness.clone(),
                risk: candidate.risk.clone(),
            }
        };
        let per_query = returned.map_or_else(|| all.to_vec(), |size| tried[size].per_query.clone());
        let is_required = auto.risk == RiskRule::Require;
        Advice {
            ranker: auto.ranker.name.to_owned(),
            settings: match found.settings {
                [] => auto.settings().0.into_iter().collect(),
                tuned => tuned.iter().cloned().collect(),
            },
            measure: auto.measure.to_string(),
            demand: auto.demand,
            baseline: match auto.baseline {
                AutoBaseline::Mean => "mean of single features",
                AutoBaseline::BestFeature => "best single feature",
                AutoBaseline::Full => "all features",
            }
            .to_owned(),
            folds: auto.folds,
            repetitions: found.repetitions,
            methods: methods.to_vec(),
            all: (!all.is_empty()).then(|| mean_and_error(all).0),
            tried: tried.iter().zip(sets).map(entry).collect(),
            verdict: found.verdict(is_smaller, |tested| {
                tested.effectiveness.holds && (!is_required || tested.risk.holds)
            }),
            risk_verdict: match auto.risk {
                RiskRule::Ignore => Verdict::NotTested,
                _ => found.verdict(is_smaller, |tested| tested.risk.holds),
            },
            returned: *returned,
            next: returned.map(|size| size + 1).filter(|&size| size < tried.len()),
            per_query_of_all: counted(all),
            per_query: counted(&per_query),
            queries: found.queries,
        }
    }
}
