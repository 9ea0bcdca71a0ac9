//! Similarity of features: against worked examples, definitions by loops over pairs, and each
//! other.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use featherank::data::synth::{Preset, generate};
use featherank::data::{Dataset, FeatureId, FeatureTable, Queries};
use featherank::engine::passes::{Correlation, kendall_tau_b};
use featherank::engine::{CorrelationMatrix, Engine, LocalEngine, Scope, correlations};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect()
}

#[test]
fn kendall_agrees_with_worked_examples() {
    let fixture: Value = serde_json::from_str(include_str!("fixtures/kendall.json")).unwrap();
    for case in ["case_ties", "case_noties"] {
        let case = &fixture[case];
        let tau = kendall_tau_b(&numbers(&case["x"]), &numbers(&case["y"])).unwrap();
        assert!((tau - case["tau_b"].as_f64().unwrap()).abs() < 1e-9);
    }
}

fn matrix(data: &Dataset, kind: Correlation, scope: Scope) -> CorrelationMatrix {
    let engine = LocalEngine::new(data.clone(), 2).unwrap();
    let engine: &dyn Engine = &engine;
    let features: Vec<FeatureId> = (0..data.features().len()).map(FeatureId::from).collect();
    correlations(engine, kind, scope, &features).unwrap()
}

fn pearson(a: &[f64], b: &[f64]) -> Option<f64> {
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (x, y) = (mean(a), mean(b));
    let sum =
        |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(&a, &b)| f(a - x, b - y)).sum::<f64>();
    let scale = (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt();
    (scale > 1e-12).then(|| sum(&|a, b| a * b) / scale)
}

/// Ranks by counting: the number of smaller values plus half of the equal ones.
fn ranks(column: &[f32]) -> Vec<f64> {
    let rank = |x: &f32| {
        let below = column.iter().filter(|y| *y < x).count() as f64;
        below + column.iter().filter(|y| *y == x).count() as f64 / 2.0
    };
    column.iter().map(rank).collect()
}

fn by_definition(kind: Correlation, a: &[f32], b: &[f32]) -> Option<f64> {
    let wide = |x: &[f32]| x.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
    match kind {
        Correlation::Pearson => pearson(&wide(a), &wide(b)),
        Correlation::Spearman => pearson(&ranks(a), &ranks(b)),
        Correlation::Kendall => {
            let sign = |x: f32, y: f32| f64::from(i8::from(x > y) - i8::from(x < y));
            let pairs = || (0..a.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            let over = |f: &dyn Fn(f64, f64) -> f64| {
                pairs().map(|(i, j)| f(sign(a[i], a[j]), sign(b[i], b[j]))).sum::<f64>()
            };
            let scale = (over(&|x, _| x * x) * over(&|_, y| y * y)).sqrt();
            (scale > 0.0).then(|| over(&|x, y| x * y) / scale)
        }
        Correlation::TopTen => unreachable!("has its own test"),
    }
}

#[test]
fn matrices_are_means_over_the_queries_in_which_both_vary() {
    let (data, _) = generate(&Preset::Tiny.config()).unwrap();
    for kind in [Correlation::Pearson, Correlation::Spearman, Correlation::Kendall] {
        let matrix = matrix(&data, kind, Scope::Query);
        for (a, b) in [(0, 1), (3, 11), (7, 2), (12, 19), (5, 14)] {
            let of_query = |rows: std::ops::Range<usize>| {
                let column = |f: usize| &data.column(FeatureId::from(f))[rows.clone()];
                by_definition(kind, column(a), column(b))
            };
            let values: Vec<f64> = data.queries().iter().filter_map(of_query).collect();
            let mean =
                (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
            match (matrix.get(a, b), mean) {
                (Some(got), Some(mean)) => {
                    assert!((got - mean).abs() < 1e-9, "{kind:?} {a} {b}: {got} {mean}")
                }
                (got, mean) => assert_eq!(got, mean, "{kind:?} {a} {b}"),
            }
            assert_eq!(matrix.get(a, b), matrix.get(b, a));
        }
    }
}

#[test]
fn pooled_matrices_treat_all_documents_as_one_list() {
    let (data, _) = generate(&Preset::Tiny.config()).unwrap();
    for kind in [Correlation::Pearson, Correlation::Spearman, Correlation::Kendall] {
        let matrix = matrix(&data, kind, Scope::Pooled);
        for (a, b) in [(0, 1), (3, 11), (7, 2), (12, 18)] {
            let column = |f: usize| data.column(FeatureId::from(f));
            let expected = by_definition(kind, column(a), column(b)).unwrap();
            assert!((matrix.get(a, b).unwrap() - expected).abs() < 1e-9, "{kind:?} {a} {b}");
        }
    }
    let engine = LocalEngine::new(data, 1).unwrap();
    let engine: &dyn Engine = &engine;
    let refused =
        correlations(engine, Correlation::TopTen, Scope::Pooled, &[FeatureId(0)]).unwrap_err();
    assert!(refused.to_string().contains("within queries only"));
}

/// A copy, a strictly increasing function and the negation of a column; a constant column; one that
/// varies only in queries in which the first does not.
#[test]
fn copies_correlate_perfectly_and_constant_columns_are_undefined() {
    let first = [1., 2., 3., 4., 0., 0., 0., 0.];
    let columns = [
        first,
        first,
        first.map(|x: f32| x * x * x),
        first.map(|x| -x),
        [5.; 8],
        [7., 7., 7., 7., 1., 4., 2., 3.],
    ];
    let data = Dataset::new(
        columns.concat(),
        vec![0., 1., 0., 1., 0., 1., 0., 1.],
        Queries::from_sizes(&[4, 4]),
        FeatureTable::numbered(6, 1),
    );
    for kind in [Correlation::Spearman, Correlation::Kendall, Correlation::TopTen] {
        let matrix = matrix(&data, kind, Scope::Query);
        assert!((matrix.get(0, 1).unwrap() - 1.0).abs() < 1e-12, "{kind:?}");
        assert!((matrix.get(0, 2).unwrap() - 1.0).abs() < 1e-12, "{kind:?}");
        let opposite = if kind == Correlation::TopTen { 0.0 } else { -1.0 };
        assert!((matrix.get(0, 3).unwrap() - opposite).abs() < 1e-12, "{kind:?}");
        assert_eq!((matrix.get(0, 4), matrix.get(0, 5)), (None, None), "{kind:?}");
        assert_eq!(matrix.or_zero(0, 5), 0.0);
    }
}
