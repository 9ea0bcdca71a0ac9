//! Shared by the tests of embedded methods: worked data, explicit pairs, and the five folds.

use std::sync::Arc;

use featherank::Result;
use featherank::data::folds::FoldFiles;
use featherank::data::synth::{Preset, generate};
use featherank::data::{Dataset, FeatureId, FeatureTable, Queries, ReadOptions};
use featherank::engine::LocalEngine;
use featherank::measure::Measure;
use featherank::rank::{Model, Scorer};
use featherank::registry::selector;
use featherank::run::{Constraints, Run};
use featherank::select::Selection;
use serde_json::Value;

use super::real_data;

/// The folders of the two collections.
pub const OHSUMED: &str = "OHSUMED/QueryLevelNorm";
pub const MQ2008: &str = "MQ2008";

pub fn fixture(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

pub fn from_rows(rows: &[Vec<f64>], labels: Vec<f32>, sizes: &[usize]) -> Dataset {
    let width = rows[0].len();
    let values = (0..width).flat_map(|k| rows.iter().map(move |row| row[k] as f32)).collect();
    Dataset::new(values, labels, Queries::from_sizes(sizes), FeatureTable::numbered(width, 1))
}

/// Two queries, seven documents, three features, shared by the SVM fixtures.
pub fn shared_data() -> Dataset {
    let fixture = fixture(include_str!("../fixtures/ranksvm_primal.json"));
    let rows: Vec<Vec<f64>> = fixture["X"].as_array().unwrap().iter().map(numbers).collect();
    from_rows(&rows, numbers(&fixture["y"]).into_iter().map(|y| y as f32).collect(), &[3, 4])
}

pub fn tiny() -> Dataset {
    generate(&Preset::Tiny.config()).unwrap().0
}

pub fn run() -> Run {
    Run::new(7, Constraints::default())
}

pub fn try_select(
    method: &str,
    set: &[(&str, &str)],
    data: &Dataset,
    run: &Run,
) -> Result<Selection> {
    let set: Vec<_> =
        set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    selector(method)?.run(&set, run, &LocalEngine::new(data.clone(), 0)?)
}

pub fn select(method: &str, set: &[(&str, &str)], data: &Dataset) -> Selection {
    try_select(method, set, data, &run()).unwrap()
}

pub fn with_k(k: usize) -> Run {
    Run::new(7, Constraints { k: Some(k), ..Constraints::default() })
}

/// Weights by feature id, counted from 1.
pub fn weights(model: &Model, width: usize) -> Vec<f64> {
    let Scorer::Linear(linear) = &model.scorer else {
        unreachable!("embedded methods here are linear")
    };
    let mut all = vec![0.0; width];
    linear.weights().iter().for_each(|w| all[w.feature.id as usize - 1] = w.weight);
    all
}

pub fn ids(selection: &Selection) -> Vec<u32> {
    let mut ids: Vec<u32> = selection.selected.iter().map(|chosen| chosen.id).collect();
    ids.sort_unstable();
    ids
}

#[track_caller]
pub fn close(got: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len());
    let apart = got.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart <= tolerance, "{got:?} instead of {expected:?}");
}

/// Values, labels and queries in 64 bits, for sums over explicit pairs.
pub fn differences(data: &Dataset) -> Vec<Vec<f64>> {
    let value = |row: usize| -> Vec<f64> {
        (0..data.features().len())
            .map(|f| f64::from(data.column(FeatureId::from(f))[row]))
            .collect()
    };
    let mut all = Vec::new();
    for rows in data.queries().iter() {
        for (i, j) in rows.clone().flat_map(|i| rows.clone().map(move |j| (i, j))) {
            if data.labels()[i] > data.labels()[j] {
                all.push(value(i).iter().zip(value(j)).map(|(a, b)| a - b).collect());
            }
        }
    }
    all
}

/// Σ max(0, 1 − wᵀδ)² over explicit pairs, and its gradient.
pub fn loss(pairs: &[Vec<f64>], w: &[f64]) -> (f64, Vec<f64>) {
    let (mut sum, mut gradient) = (0.0, vec![0.0; w.len()]);
    for pair in pairs {
        let lost = (1.0 - pair.iter().zip(w).map(|(d, w)| d * w).sum::<f64>()).max(0.0);
        sum += lost * lost;
        gradient.iter_mut().zip(pair).for_each(|(g, d)| *g -= 2.0 * lost * d);
    }
    (sum, gradient)
}

/// LIBLINEAR's method: coordinate descent over explicit pairs; also returns whether it converged.
pub fn coordinate_descent(pairs: &[Vec<f64>], c: f64) -> (Vec<f64>, bool) {
    let mut w = vec![0.0; pairs[0].len()];
    for _ in 0..20_000 {
        let mut moved = 0.0f64;
        for k in 0..w.len() {
            let derivative = c * loss(pairs, &w).1[k];
            // An upper bound of the curvature: no line search is needed.
            let curvature = 2.0 * c * pairs.iter().map(|pair| pair[k] * pair[k]).sum::<f64>();
            if curvature > 0.0 {
                let free = w[k] - derivative / curvature;
                let next = free.signum() * (free.abs() - 1.0 / curvature).max(0.0);
                moved = moved.max((next - w[k]).abs());
                w[k] = next;
            }
        }
        if moved < 1e-12 {
            return (w, true);
        }
    }
    (w, false)
}

/// MAP, NDCG@10 and number of features of the model itself: means over the five folds.
pub fn five_folds(folder: &str, method: &str, set: &[(&str, &str)]) -> Option<[f64; 3]> {
    five_folds_under(&run(), folder, method, set)
}

/// The same under the constraints of a run.
pub fn five_folds_under(
    run: &Run,
    folder: &str,
    method: &str,
    set: &[(&str, &str)],
) -> Option<[f64; 3]> {
    let measures: [Measure; 2] = ["map", "ndcg[letor]@10"].map(|name| name.parse().unwrap());
    let mut sums = [0.0; 3];
    for files in FoldFiles::find(&real_data(folder)?).unwrap() {
        let fold = files.read(&ReadOptions::default()).unwrap();
        let valid = Arc::new(LocalEngine::new(fold.valid, 0).unwrap());
        let run = Run { valid: Some(valid), ..run.clone() };
        let found = try_select(method, set, &fold.train, &run).unwrap();
        let model = found.model.as_ref().unwrap();
        let scores = model.score(&fold.test.view()).unwrap();
        for (sum, measure) in sums.iter_mut().zip(&measures) {
            *sum += measure.summary(&measure.per_query(&scores, &fold.test.view())) / 5.0;
        }
        sums[2] += model.features().len() as f64 / 5.0;
    }
    Some(sums)
}
