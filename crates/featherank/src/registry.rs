//! The registries of measures, selectors and rankers: the command line, the docs and the tests are
//! driven by them.

use serde::Serialize;

use crate::error::{Error, Result};
pub use crate::measure::MEASURES;
use crate::params::Param;
use crate::rank::{self, RankerSpec};
use crate::select::{self, SelectorSpec};

/// All selectors, in the order they are listed.
pub static SELECTORS: &[&SelectorSpec] = &[
    &select::auto::SPEC,
    &select::filter::top_k::SPEC,
    &select::filter::best_gain::SPEC,
    &select::filter::gas::SPEC,
    &select::filter::div_fs::SPEC,
    &select::filter::mrmr::SPEC,
    &select::filter::fcbf::SPEC,
    &select::filter::cfs::SPEC,
    &select::filter::consistency::SPEC,
    &select::filter::interact::SPEC,
    &select::filter::ngas::SPEC,
    &select::filter::xgas::SPEC,
    &select::filter::hcas::SPEC,
    &select::filter::hierarchical::SPEC,
    &select::filter::rank_filter::SPEC,
    &select::wrapper::greedy::SPEC,
    &select::wrapper::spea2::SPEC,
    &select::wrapper::backward::SPEC,
    &select::wrapper::rfe::SPEC,
    &select::wrapper::boruta::SPEC,
    &select::wrapper::rank_wrapper::SPEC,
    &select::wrapper::btfs::SPEC,
    &select::wrapper::best_first::SPEC,
    &select::wrapper::mofsrank::SPEC,
    &select::embedded::l1_svm::SPEC,
    &select::embedded::rank_rwfs::L1,
    &select::embedded::rank_rwfs::L0,
    &select::embedded::rank_rwfs::AROM,
    &select::embedded::fenchel_rank::SPEC,
    &select::embedded::fsm_rank::SPEC,
    &select::embedded::nonconvex_svm::SPEC,
    &select::embedded::greedy_rank_rls::SPEC,
    &select::embedded::eg_rank::SPEC,
    &select::embedded::rs_rank::SPEC,
];

/// All rankers, in the order they are listed.
pub static RANKERS: &[&RankerSpec] = &[
    &rank::single_feature::SPEC,
    &rank::linear::linear_regression::SPEC,
    &rank::linear::rank_rls::SPEC,
    &rank::linear::ranksvm_primal::SPEC,
    &rank::linear::ranksvm_struct::SPEC,
    &rank::linear::svm_map::SPEC,
    &rank::linear::listnet::SPEC,
    &rank::linear::lambda_rank::SPEC,
    &rank::linear::ada_rank::NDCG,
    &rank::linear::ada_rank::MAP,
    &rank::linear::coordinate_ascent::SPEC,
    &rank::tree::regression_tree::SPEC,
    &rank::tree::random_forest::SPEC,
    &rank::tree::mart::SPEC,
    &rank::tree::lambda_mart::SPEC,
];

/// How close an implementation is to its paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Follows the publication; departures are named in the method's documentation.
    AsPublished,
    /// The publication leaves so much open that this is our reading of it.
    Reconstruction,
    /// Ours.
    Original,
}

/// What kind of selector a method is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Looks at features without training a ranker.
    Filter,
    /// Trains a ranker for many subsets.
    Wrapper,
    /// Selects while it trains.
    Embedded,
}

/// One row of `featherank methods`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// `measure`, `selector` or `ranker`.
    pub kind: &'static str,
    /// The name.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Keys of papers.
    pub cites: &'static [&'static str],
    /// Filter, wrapper or embedded, for selectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// How close to its paper.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Runs on rows that are not in this process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scales_out: Option<bool>,
    /// Its parameters; for measures the options of its name.
    pub parameters: Vec<ParameterEntry>,
    /// What is tried when its parameters are chosen on validation data, for rankers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<Tried>,
}

/// A parameter and the values that are tried for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tried {
    /// The parameter.
    pub name: &'static str,
    /// Its values.
    pub values: &'static [&'static str],
}

/// A parameter in `featherank methods`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ParameterEntry {
    /// Name.
    pub name: String,
    /// Default.
    pub default: String,
    /// Range in words.
    pub range: String,
    /// One line for people.
    pub meaning: String,
}

impl From<&Param> for ParameterEntry {
    fn from(param: &Param) -> Self {
        ParameterEntry {
            name: param.name.into(),
            default: param.default.into(),
            range: param.kind.range(),
            meaning: param.meaning.into(),
        }
    }
}

/// Everything there is, measures first.
pub fn entries() -> Vec<Entry> {
    let measures = MEASURES.iter().map(|spec| Entry {
        kind: "measure",
        name: spec.name,
        summary: spec.summary,
        cites: spec.cites,
        category: None,
        status: None,
        scales_out: None,
        parameters: spec.option_entries(),
        tried: Vec::new(),
    });
    let selectors = SELECTORS.iter().map(|spec| Entry {
        kind: "selector",
        name: spec.name,
        summary: spec.summary,
        cites: spec.cites,
        category: Some(spec.category),
        status: Some(spec.status),
        scales_out: Some(spec.scales_out),
        parameters: spec.params.iter().map(ParameterEntry::from).collect(),
        tried: Vec::new(),
    });
    let rankers = RANKERS.iter().map(|spec| Entry {
        kind: "ranker",
        name: spec.name,
        summary: spec.summary,
        cites: spec.cites,
        category: None,
        status: Some(spec.status),
        scales_out: Some(spec.scales_out),
        parameters: spec.params.iter().map(ParameterEntry::from).collect(),
        tried: spec.grid.iter().map(|&(name, values)| Tried { name, values }).collect(),
    });
    measures.chain(selectors).chain(rankers).collect()
}

/// The selector of that name.
pub fn selector(name: &str) -> Result<&'static SelectorSpec> {
    let found = SELECTORS.iter().find(|spec| spec.name == name).copied();
    found.ok_or_else(|| unknown("selector", name, SELECTORS.iter().map(|spec| spec.name)))
}

/// The ranker of that name.
pub fn ranker(name: &str) -> Result<&'static RankerSpec> {
    let found = RANKERS.iter().find(|spec| spec.name == name).copied();
    found.ok_or_else(|| unknown("ranker", name, RANKERS.iter().map(|spec| spec.name)))
}

/// The error for a name that is not there.
pub fn unknown(kind: &str, name: &str, known: impl Iterator<Item = &'static str>) -> Error {
    Error::Unknown { kind: kind.into(), name: name.into(), near: near_names(name, known) }
}

/// Names within two edits of `wanted`, or that begin within one edit of it, nearest first.
pub(crate) fn near_names<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let length = wanted.chars().count();
    let distance = |name: &str| {
        let start: String = name.chars().take(length).collect();
        // Anything begins like a word of three letters.
        let begins = length > 3 && edit_distance(&wanted, &start) <= 1;
        if begins { 1 } else { edit_distance(&wanted, name) }
    };
    let mut near: Vec<(usize, &str)> = names
        .map(|name| (distance(&name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= 2.max(length / 3))
        .collect();
    near.sort();
    near.into_iter().take(3).map(|(_, name)| format!("`{name}`")).collect()
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_nearly_right_are_understood() {
        let near = |name: &str| near_names(name, RANKERS.iter().map(|spec| spec.name));
        assert_eq!(near("lambdamrat")[0], "`lambdamart`");
        assert_eq!(near("RankSVN"), ["`ranksvm-primal`", "`ranksvm-struct`"]);
        assert!(near("xyz").is_empty());
        assert!(near("ra").is_empty(), "two letters are no hint");
    }
}
