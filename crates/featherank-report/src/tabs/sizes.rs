//! Effectiveness by number of features: curves on validation data, and results on test data.

use std::collections::BTreeMap;

use featherank::experiment::Results;
use featherank::select::Selection;
use serde::Serialize;

use super::methods::MethodSummary;
use crate::commands::sizes_are_costs;
use crate::grouped::{Grouped, mean};

/// Half the width of a 95 % interval in standard errors (normal approximation).
const HALF_WIDTH: f64 = 1.959_963_984_540_054;

/// The tab.
#[derive(Serialize)]
pub struct Sizes {
    /// The measure of the curves.
    pub measure: String,
    pub curves: Vec<MethodCurve>,
    /// Whether curves have confidence bands.
    pub bands: bool,
    /// Whether sizes are costs, and not numbers of features.
    pub by_cost: bool,
    /// A reference level, such as all features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// Whether methods also have results on test data.
    pub tested: bool,
    pub remark: String,
}

/// The curve of a method.
#[derive(Serialize)]
pub struct MethodCurve {
    pub name: String,
    pub points: Vec<SizePoint>,
}

/// A point of a curve.
#[derive(Serialize, PartialEq, Debug)]
pub struct SizePoint {
    pub features: usize,
    /// The cost, if sizes are costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    pub value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Number of folds with this size.
    pub folds: usize,
}

/// A horizontal reference line.
#[derive(Serialize)]
pub struct Level {
    pub name: String,
    pub value: f64,
}

/// The curves of all methods that evaluated several sizes.
pub fn of_results(
    results: &Results,
    groups: &[Grouped<'_>],
    methods: &[MethodSummary],
) -> Option<Sizes> {
    let curve =
        |group: &Grouped<'_>| MethodCurve { name: group.name.to_owned(), points: points(group) };
    let curves: Vec<MethodCurve> =
        groups.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect();
    if methods.is_empty() {
        return None;
    }
    Some(Sizes {
        measure: results.choose.clone(),
        bands: !curves.is_empty(),
        by_cost: false,
        curves,
        level: None,
        tested: true,
        remark: String::new(),
    })
}

/// Means over folds. Folds have different validation queries, so their errors are independent;
/// seeds of one fold share queries and are averaged first.
fn points(group: &Grouped<'_>) -> Vec<SizePoint> {
    let mut sizes: BTreeMap<usize, BTreeMap<usize, Vec<(f64, f64)>>> = BTreeMap::new();
    for (cell, done) in &group.cells {
        for point in &done.curve {
            let folds = sizes.entry(point.features).or_default();
            folds.entry(cell.fold).or_default().push((point.value, point.error));
        }
    }
    let point = |(features, folds): (usize, BTreeMap<usize, Vec<(f64, f64)>>)| {
        let of_fold = |of: fn(&(f64, f64)) -> f64| -> Vec<f64> {
            folds.values().map(|seeds| mean(seeds.iter().map(of))).collect()
        };
        let (values, errors) = (of_fold(|seed| seed.0), of_fold(|seed| seed.1));
        let value = mean(values.iter().copied());
        let error =
            errors.iter().map(|error| error * error).sum::<f64>().sqrt() / errors.len() as f64;
        SizePoint {
            features,
            cost: None,
            value,
            low: Some(value - HALF_WIDTH * error),
            high: Some(value + HALF_WIDTH * error),
            folds: folds.len(),
        }
    };
    sizes.into_iter().map(point).collect()
}

/// The sets that `auto` evaluated, the models that an embedded method fitted, or the path of the
/// method.
pub fn of_selection(selection: &Selection) -> Option<Sizes> {
    let plain = |features, value| SizePoint {
        features,
        cost: None,
        value,
        low: None,
        high: None,
        folds: 1,
    };
    let curve = |points| vec![MethodCurve { name: selection.method.clone(), points }];
    if let Some(advice) = selection.advice.as_ref().filter(|advice| !advice.tried.is_empty()) {
        let by_cost = sizes_are_costs(selection);
        let mut points: Vec<SizePoint> = advice
            .tried
            .iter()
            .map(|tried| SizePoint {
                features: tried.features,
                cost: by_cost.then_some(tried.cost),
                value: tried.value,
                low: Some(tried.value - HALF_WIDTH * tried.error),
                high: Some(tried.value + HALF_WIDTH * tried.error),
                folds: advice.folds,
            })
            .collect();
        match by_cost {
            true => points.sort_by(|a, b| a.cost.unwrap_or(0.0).total_cmp(&b.cost.unwrap_or(0.0))),
            false => points.sort_by_key(|point| point.features),
        }
        return Some(Sizes {
            measure: advice.measure.clone(),
            curves: curve(points),
            bands: true,
            by_cost,
            level: advice.all.map(|value| Level { name: "all features".into(), value }),
            tested: false,
            remark: "All values are measured on held-out queries.".into(),
        });
    }
    let mut fitted: Vec<SizePoint> =
        selection.fits.iter().filter_map(|fit| Some(plain(fit.features, fit.value?))).collect();
    let remark = match fitted.is_empty() {
        false => "Each point is a fitted model.",
        true => "The score of the method at each step.",
    };
    if fitted.is_empty() {
        fitted = selection.path.iter().map(|step| plain(step.size, step.value)).collect();
    }
    fitted.sort_by_key(|point| point.features);
    (fitted.len() > 1 && selection.advice.is_none()).then(|| Sizes {
        measure: selection
            .parameters
            .get("measure")
            .cloned()
            .unwrap_or_else(|| "score of the method".into()),
        curves: curve(fitted),
        bands: false,
        by_cost: false,
        level: None,
        tested: false,
        remark: remark.into(),
    })
}
