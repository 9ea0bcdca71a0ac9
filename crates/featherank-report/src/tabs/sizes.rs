//! What numbers of features are worth: curves on validation data, and where every method ends on
//! test data.

use std::collections::BTreeMap;

use featherank::experiment::Results;
use featherank::select::Selection;
use serde::Serialize;

use super::methods::MethodSummary;
use crate::grouped::{Grouped, mean};

/// Half the width of a 95 % interval, in standard errors; there are always many queries.
const REACH: f64 = 1.959_963_984_540_054;

/// The tab.
#[derive(Serialize)]
pub struct Sizes {
    /// What the curves show.
    pub measure: String,
    pub curves: Vec<Curve>,
    /// Whether curves have bands.
    pub bands: bool,
    /// A level to compare with, such as all features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// Whether methods also have a point from test data.
    pub tested: bool,
    pub remark: String,
}

/// What is known of a method by size.
#[derive(Serialize)]
pub struct Curve {
    pub name: String,
    pub points: Vec<SizePoint>,
}

/// A size.
#[derive(Serialize, PartialEq, Debug)]
pub struct SizePoint {
    pub features: usize,
    pub value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// How many folds know this size.
    pub folds: usize,
}

/// A line across the picture.
#[derive(Serialize)]
pub struct Level {
    pub name: String,
    pub value: f64,
}

/// Curves of all methods that tried several sizes.
pub fn of_results(
    results: &Results,
    groups: &[Grouped<'_>],
    methods: &[MethodSummary],
) -> Option<Sizes> {
    let curve = |group: &Grouped<'_>| Curve { name: group.name.to_owned(), points: points(group) };
    let curves: Vec<Curve> =
        groups.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect();
    if methods.is_empty() {
        return None;
    }
    Some(Sizes {
        measure: results.choose.clone(),
        bands: !curves.is_empty(),
        curves,
        level: None,
        tested: true,
        remark: String::new(),
    })
}

/// Means over folds. Folds hold different validation queries, so that their errors add up as
/// independent ones; seeds of one fold share queries and are averaged first.
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
            value,
            low: Some(value - REACH * error),
            high: Some(value + REACH * error),
            folds: folds.len(),
        }
    };
    sizes.into_iter().map(point).collect()
}

/// Sizes that `auto` tried, models that an embedded method fitted, or the method's own path.
pub fn of_selection(selection: &Selection) -> Option<Sizes> {
    let plain = |features, value| SizePoint { features, value, low: None, high: None, folds: 1 };
    let curve = |points| vec![Curve { name: selection.method.clone(), points }];
    if let Some(advice) = selection.advice.as_ref().filter(|advice| !advice.tried.is_empty()) {
        let mut points: Vec<SizePoint> = advice
            .tried
            .iter()
            .map(|tried| SizePoint {
                features: tried.features,
                value: tried.value,
                low: Some(tried.value - REACH * tried.error),
                high: Some(tried.value + REACH * tried.error),
                folds: advice.folds,
            })
            .collect();
        points.sort_by_key(|point| point.features);
        return Some(Sizes {
            measure: advice.measure.clone(),
            curves: curve(points),
            bands: true,
            level: Some(Level { name: "all features".into(), value: advice.all }),
            tested: false,
            remark: "Every value comes from queries that the models have not seen.".into(),
        });
    }
    let mut fitted: Vec<SizePoint> =
        selection.fits.iter().filter_map(|fit| Some(plain(fit.features, fit.value?))).collect();
    let remark = match fitted.is_empty() {
        false => "One point for every model that was fitted on the way.",
        true => "What the method itself says of every step.",
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
            .unwrap_or_else(|| "the method’s own measure".into()),
        curves: curve(fitted),
        bands: false,
        level: None,
        tested: false,
        remark: remark.into(),
    })
}
