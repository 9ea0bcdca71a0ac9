//! Per-query gains and losses of a method relative to its baseline, and the worst queries.

use featherank::experiment::Results;
use featherank::internals::text::p_value;
use featherank::measure::risk::risk_report;
use featherank::measure::significance::bootstrap_difference;
use featherank::select::Selection;
use serde::Serialize;

use crate::grouped::{CONFIDENCE, Grouped};

/// A method relative to its baseline.
#[derive(Serialize)]
pub struct BaselineComparison {
    pub method: String,
    pub baseline: String,
    pub measure: String,
    /// Queries that count for both.
    pub queries: usize,
    pub mean: f64,
    pub baseline_mean: f64,
    /// Mean difference with its confidence interval.
    pub difference: f64,
    pub low: f64,
    pub high: f64,
    pub wins: usize,
    pub losses: usize,
    pub ties: usize,
    /// Losses of at least 20 %.
    pub large_losses: usize,
    pub alpha: f64,
    pub f_risk: f64,
    pub f_reward: f64,
    pub t_risk: f64,
    /// As text, written as everywhere.
    pub p: String,
    /// Differences of queries in descending order; an evenly spaced sample if there are too many to
    /// draw.
    pub differences: Vec<f64>,
    pub worst: Vec<QueryLoss>,
}

/// A query with a loss.
#[derive(Serialize)]
pub struct QueryLoss {
    pub query: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fold: Option<usize>,
    pub value: f64,
    pub baseline: f64,
    pub difference: f64,
}

/// The maximum number of queries listed, and of queries drawn.
const LISTED: usize = 10;
const DRAWN: usize = 1000;
/// Extra weight of losses if the document does not specify it, as in `featherank evaluate`.
const ALPHA: f64 = 5.0;
const RESAMPLES: usize = 1000;

/// A query, by its position in the values.
struct FoldQuery<'a> {
    id: &'a str,
    fold: Option<usize>,
}

/// Comparisons of all methods that have a baseline.
pub fn of_results(results: &Results, groups: &[Grouped<'_>]) -> Vec<BaselineComparison> {
    let of_fold = |fold: &featherank::experiment::FoldData| {
        let number = fold.number;
        fold.queries.iter().map(move |_| number).collect::<Vec<_>>()
    };
    let numbers = results.folds.iter().flat_map(of_fold);
    let ids = results.folds.iter().flat_map(|fold| &fold.queries);
    let queries: Vec<FoldQuery<'_>> =
        ids.zip(numbers).map(|(id, fold)| FoldQuery { id, fold: Some(fold) }).collect();
    let Some(measure) = results.measures.first() else { return Vec::new() };
    let compare_group = |group: &Grouped<'_>| {
        let (baseline, values) = baseline(results, groups, group)?;
        let own = group.per_query(&results.folds, 0);
        compare(group.name, &baseline, measure, &queries, (&own, &values), ALPHA, results.seed)
    };
    groups.iter().filter_map(compare_group).collect()
}

/// Comparison of the features selected by `auto` with all features.
pub fn of_selection(selection: &Selection) -> Vec<BaselineComparison> {
    let Some(advice) = selection.advice.as_ref().filter(|advice| advice.returned.is_some()) else {
        return Vec::new();
    };
    let queries: Vec<FoldQuery<'_>> =
        advice.queries.iter().map(|id| FoldQuery { id, fold: None }).collect();
    let (own, all) = (numbers(&advice.per_query), numbers(&advice.per_query_of_all));
    let method = format!("{} selected features", selection.selected.len());
    let alpha = advice.demand.alpha;
    compare(&method, "all features", &advice.measure, &queries, (&own, &all), alpha, selection.seed)
        .into_iter()
        .collect()
}

/// All features with the same ranker if available, otherwise the mean of single features.
fn baseline(
    results: &Results,
    groups: &[Grouped<'_>],
    group: &Grouped<'_>,
) -> Option<(String, Vec<f64>)> {
    let is_all = |other: &&Grouped<'_>| {
        other.selector.is_none()
            && other.ranker == group.ranker
            && other.ranker.is_some()
            && other.name != group.name
            && !other.cells.is_empty()
    };
    if let Some(all) = groups.iter().find(is_all) {
        return Some((all.name.to_owned(), all.per_query(&results.folds, 0)));
    }
    let names = results.folds.first()?.baselines.keys();
    let is_everywhere =
        |name: &&String| results.folds.iter().all(|fold| fold.baselines.contains_key(*name));
    let known: Vec<&String> = names.filter(is_everywhere).collect();
    let name = *known.iter().find(|name| name.contains("mean")).or_else(|| known.first())?;
    let of_folds =
        results.folds.iter().flat_map(|fold| fold.baselines.get(name).into_iter().flatten());
    Some((name.clone(), of_folds.map(|value| value.unwrap_or(f64::NAN)).collect()))
}

fn numbers(values: &[Option<f64>]) -> Vec<f64> {
    values.iter().map(|value| value.unwrap_or(f64::NAN)).collect()
}

fn compare(
    method: &str,
    baseline: &str,
    measure: &str,
    queries: &[FoldQuery<'_>],
    (own, other): (&[f64], &[f64]),
    alpha: f64,
    seed: u64,
) -> Option<BaselineComparison> {
    let report = risk_report(own, other, alpha);
    let interval = bootstrap_difference(own, other, CONFIDENCE, RESAMPLES, seed);
    let mut order: Vec<(usize, f64)> = (0..own.len())
        .map(|query| (query, own[query] - other[query]))
        .filter(|(_, d)| !d.is_nan())
        .collect();
    if order.is_empty() {
        return None;
    }
    order.sort_by(|(p, a), (q, b)| b.total_cmp(a).then(p.cmp(q)));
    let loss = |&(query, difference): &(usize, f64)| QueryLoss {
        query: queries[query].id.to_owned(),
        fold: queries[query].fold,
        value: own[query],
        baseline: other[query],
        difference,
    };
    let lost = order.iter().rev().take_while(|(_, difference)| *difference < 0.0);
    Some(BaselineComparison {
        method: method.to_owned(),
        baseline: baseline.to_owned(),
        measure: measure.to_owned(),
        queries: report.queries,
        mean: report.model_mean,
        baseline_mean: report.baseline_mean,
        difference: report.model_mean - report.baseline_mean,
        low: interval.low,
        high: interval.high,
        wins: report.wins_losses.wins,
        losses: report.wins_losses.losses,
        ties: report.wins_losses.ties,
        large_losses: report.wins_losses.large_losses,
        alpha,
        f_risk: report.trade_off.f_risk,
        f_reward: report.trade_off.f_reward,
        t_risk: report.trade_off.t_risk,
        p: p_value(report.trade_off.p),
        differences: thinned(&order),
        worst: lost.take(LISTED).map(loss).collect(),
    })
}

/// An evenly spaced sample that includes the first and the last.
fn thinned(order: &[(usize, f64)]) -> Vec<f64> {
    if order.len() <= DRAWN {
        return order.iter().map(|(_, difference)| *difference).collect();
    }
    (0..DRAWN).map(|place| order[place * (order.len() - 1) / (DRAWN - 1)].1).collect()
}
