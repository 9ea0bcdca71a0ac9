//! Runs one cell: a method on one fold with one seed, and the curve over numbers of features.

use std::collections::BTreeMap;
use std::time::Instant;

use super::memory;
use super::protocol::FoldOutcome;
use super::{ComparedMethod, CompletedCell, CurvePoint, Protocol, ResourceUsage};
use crate::data::folds::Fold;
use crate::data::{FeatureId, View};
use crate::error::{Error, Result};
use crate::measure::{Measure, counted};
use crate::rank::RankerSpec;
use crate::run::Run;
use crate::select::Selection;

/// The approximate number of points of a curve.
const POINTS: i32 = 8;

/// Selects, tunes and evaluates.
pub(super) fn run(
    protocol: &Protocol,
    method: &ComparedMethod,
    run: &Run,
    fold: &Fold,
    curves: bool,
) -> Result<CompletedCell> {
    memory::reset_peak();
    let start = Instant::now();
    let has_curve = curves && method.selecting.is_some() && method.ranker.is_some();
    let parts = 1 + u64::from(has_curve);
    let outcome = protocol.fold(method, &run.within("selecting", 0, parts), fold)?;
    let seconds = start.elapsed().as_secs_f64() + outcome.borrowed;
    let peak_bytes = memory::peak();
    let curve = match (&outcome.selected, method.ranker) {
        (Some(selected), Some(ranker)) if has_curve => {
            let run = run.within("evaluating sizes", 1, parts);
            curve(&selected.selection, ranker, &outcome.settings, &run, fold, &protocol.choose)?
        }
        _ => Vec::new(),
    };
    let FoldOutcome { settings, valid, test, features, selected, .. } = outcome;
    let cost = match &selected {
        Some(selected) => selected.selection.selected.iter().map(|chosen| chosen.cost).sum(),
        None => {
            let table = fold.train.features();
            let used = table.iter().filter(|(_, feature)| features.contains(&feature.id));
            used.map(|(column, _)| run.constraints.cost(column)).sum()
        }
    };
    let (mut selecting, mut select_seconds, mut searched) = (BTreeMap::new(), 0.0, None);
    if let Some(selected) = selected {
        selecting.extend(selected.settings);
        selecting.extend(selected.k.map(|k| ("k".to_owned(), k.to_string())));
        select_seconds = selected.seconds;
        searched = selected.selection.searched;
    }
    let searched = searched.unwrap_or_default();
    Ok(CompletedCell {
        features,
        cost,
        selecting,
        ranking: settings.into_iter().collect(),
        valid,
        test: test.iter().map(|values| counted(values)).collect(),
        measured: ResourceUsage { select_seconds, seconds, peak_bytes },
        curve,
        front: searched.front,
        generations: searched.generations,
    })
}

/// The value of the first features of the selection path on validation data, with the chosen
/// parameters.
fn curve(
    selection: &Selection,
    ranker: &RankerSpec,
    settings: &[(String, String)],
    run: &Run,
    fold: &Fold,
    measure: &Measure,
) -> Result<Vec<CurvePoint>> {
    let table = fold.train.features();
    let columns: BTreeMap<u32, FeatureId> =
        table.iter().map(|(column, feature)| (feature.id, column)).collect();
    let path: Vec<FeatureId> =
        selection.path.iter().filter_map(|step| columns.get(&step.feature).copied()).collect();
    let mut points = Vec::new();
    let sizes = sizes(path.len());
    let total = sizes.len() as u64;
    for (size, done) in sizes.into_iter().zip(0..) {
        let run = &run.within("evaluating sizes", done, total);
        let (train, valid) = (fold.train.view(), fold.valid.view());
        let (train, valid) =
            (train.with_features(&path[..size]), valid.with_features(&path[..size]));
        match point(ranker, settings, run, &train, &valid, measure) {
            Ok((value, error)) => points.push(CurvePoint { features: size, value, error }),
            Err(stopped @ Error::Stopped(_)) => return Err(stopped),
            // Too few features for this ranker: the curve starts at a larger size.
            Err(_) => {}
        }
    }
    Ok(points)
}

/// The value on validation data and its standard error over queries.
fn point(
    ranker: &RankerSpec,
    settings: &[(String, String)],
    run: &Run,
    train: &View<'_>,
    valid: &View<'_>,
    measure: &Measure,
) -> Result<(f64, f64)> {
    let model = ranker.fit(settings, run, train, Some(valid))?;
    let per_query = measure.per_query(&model.score_until(valid, run.stop())?, valid);
    let values: Vec<f64> = per_query.iter().copied().filter(|value| !value.is_nan()).collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let error = if values.len() > 1 { (squares / (count - 1.0) / count).sqrt() } else { 0.0 };
    Ok((measure.summary(&per_query), error))
}

/// Numbers of features from one to all, in a geometric sequence.
fn sizes(all: usize) -> Vec<usize> {
    let step = |i: i32| (all as f64).powf(f64::from(i) / f64::from(POINTS - 1)).round() as usize;
    let mut sizes: Vec<usize> =
        (0..POINTS).map(step).filter(|size| (1..=all).contains(size)).collect();
    sizes.dedup();
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_range_from_one_to_all_features() {
        assert_eq!(sizes(45), [1, 2, 3, 5, 9, 15, 26, 45]);
        assert_eq!(sizes(4), [1, 2, 3, 4]);
        assert_eq!((sizes(1), sizes(0)), (vec![1], vec![]));
        assert_eq!(sizes(700).len(), 8);
    }
}
