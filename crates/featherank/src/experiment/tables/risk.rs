//! Risk: per-query losses relative to single features and to all features.

use super::pooled::{PooledResults, numbers};
use super::{Table, four, named};
use crate::experiment::Results;
use crate::experiment::fold_data::{MAX, MEAN, SINGLE};
use crate::measure::risk::{geo_risk, geo_risk_with_baseline, risk_report};
use crate::text::p_value;

/// Extra weight of losses, as in Sousa et al. 2016.
pub const ALPHA: f64 = 5.0;

/// A table for each baseline.
pub fn tables(results: &Results, methods: &[PooledResults<'_>]) -> Vec<Table> {
    let of_features = [
        (MEAN, "Risk relative to the mean of single features"),
        (MAX, "Risk relative to the best single feature of each query"),
        (SINGLE, "Risk relative to the best single feature on training data"),
    ];
    let mut tables = Vec::new();
    for (name, title) in of_features {
        if let Some(baseline) = baseline(results, name) {
            let against = |_: &PooledResults<'_>| Some(&baseline[..]);
            tables.extend(table(results, methods, title, against, Some(&baseline)));
        }
    }
    let full = |method: &PooledResults<'_>| {
        let same_ranker =
            |other: &&PooledResults<'_>| other.selector.is_none() && other.ranker == method.ranker;
        methods
            .iter()
            .find(same_ranker)
            .filter(|_| method.selector.is_some())
            .map(|full| &full.per_query[0][..])
    };
    tables.extend(table(
        results,
        methods,
        "Risk relative to all features with the same ranker",
        full,
        None,
    ));
    tables
}

/// The values of a baseline on the test queries of all folds.
fn baseline(results: &Results, name: &str) -> Option<Vec<f64>> {
    let of_folds =
        results.folds.iter().map(|fold| fold.baselines.get(name).map(|values| numbers(values)));
    of_folds.collect::<Option<Vec<_>>>().map(|folds| folds.concat())
}

/// A row for each method that has this baseline. `besides` is an additional system for GeoRisk.
fn table<'a>(
    results: &Results,
    methods: &'a [PooledResults<'_>],
    title: &str,
    against: impl Fn(&'a PooledResults<'_>) -> Option<&'a [f64]>,
    besides: Option<&Vec<f64>>,
) -> Option<Table> {
    let header =
        ["", "method", "F_RISK", "T_RISK", "p", "GeoRisk", "wins", "losses", "losses ≥ 20 %"];
    let mut table = Table::new(title, &header);
    // GeoRisk needs all queries of every system: methods with failed cells are excluded.
    let whole: Vec<usize> = (0..methods.len()).filter(|&i| methods[i].complete).collect();
    let systems: Vec<Vec<f64>> = whole.iter().map(|&i| methods[i].per_query[0].clone()).collect();
    let together = match besides {
        Some(baseline) => geo_risk_with_baseline(&systems, baseline, ALPHA).geo_risk,
        None => geo_risk(&systems, ALPHA).geo_risk,
    };
    for (i, method) in methods.iter().enumerate().filter(|(_, method)| !method.cells.is_empty()) {
        let Some(baseline) = against(method) else { continue };
        let report = risk_report(&method.per_query[0], baseline, ALPHA);
        let geo = whole.iter().position(|&other| other == i).map(|place| four(together[place]));
        let (trade_off, counts) = (&report.trade_off, &report.wins_losses);
        let mut row = named(i, method);
        row.extend([
            four(trade_off.f_risk),
            format!("{:.2}", trade_off.t_risk),
            p_value(trade_off.p),
            geo.unwrap_or_default(),
            counts.wins.to_string(),
            counts.losses.to_string(),
            counts.large_losses.to_string(),
        ]);
        table.rows.push(row);
    }
    table.notes.push(format!(
        "{}, test queries of all folds together; losses weigh {} times as much as gains in T_RISK and GeoRisk; GeoRisk is relative to all methods{}",
        results.measures.first().map_or("", |name| name),
        1.0 + ALPHA,
        if besides.is_some() { " and the baseline" } else { "" }
    ));
    (!table.rows.is_empty()).then_some(table)
}
