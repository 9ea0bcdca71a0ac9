//! Sparse pairwise support vector machines against worked numbers, explicit pairs, their certificates and real data.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

mod common;

use common::embedded::{
    MQ2008, OHSUMED, close, differences, five_folds, fixture, from_rows, loss, numbers, run, select,
    shared_data, weights,
};
use featherank::engine::LocalEngine;
use featherank::select::embedded::proximal_newton::{Penalty, minimise};
use featherank::select::embedded::sample::{Sample, Scale};
use proptest::prelude::*;

/// LIBLINEAR's way: one weight after the other over explicit pairs, until nothing moves.
fn coordinate_descent(pairs: &[Vec<f64>], c: f64) -> Vec<f64> {
    let mut w = vec![0.0; pairs[0].len()];
    for _ in 0..20_000 {
        let mut moved = 0.0f64;
        for k in 0..w.len() {
            let slope = c * loss(pairs, &w).1[k];
            // An upper bound of the curvature: no line search is needed.
            let bend = 2.0 * c * pairs.iter().map(|pair| pair[k] * pair[k]).sum::<f64>();
            if bend > 0.0 {
                let free = w[k] - slope / bend;
                let next = free.signum() * (free.abs() - 1.0 / bend).max(0.0);
                moved = moved.max((next - w[k]).abs());
                w[k] = next;
            }
        }
        if moved < 1e-12 {
            break;
        }
    }
    w
}

#[test]
fn l1_svm_equals_worked_numbers() {
    let fixture = fixture(include_str!("fixtures/liblinear_l1.json"));
    let data = shared_data();
    let pairs = differences(&data);
    for (c, expected) in fixture["solutions"].as_object().unwrap() {
        let found = select("l1-svm", &[("c", c), ("scale", "none")], &data);
        let w = weights(found.model.as_ref().unwrap(), 3);
        // Rounding the fixture to 32 bits moves its results by about 1e-7.
        close(&w, &numbers(&expected["w"]), 2e-6);
        let c: f64 = c.parse().unwrap();
        let objective = w.iter().map(|w| w.abs()).sum::<f64>() + c * loss(&pairs, &w).0;
        close(&[objective], &[expected["objective"].as_f64().unwrap()], 1e-6);
        assert_eq!(found.selected.len() as u64, expected["nnz"].as_u64().unwrap());
        assert!(found.certificate["kkt"] <= 1e-8, "{:?}", found.certificate);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// The same objective as coordinate descent over explicit pairs, and a certificate that those pairs confirm.
    #[test]
    fn l1_svm_equals_coordinate_descent_over_explicit_pairs(
        cells in proptest::collection::vec(-8i8..8, 60),
        labels in proptest::collection::vec(0u8..3, 12),
        c in prop::sample::select(vec![0.01, 0.1, 1.0, 10.0]),
    ) {
        let rows: Vec<Vec<f64>> =
            cells.chunks(5).map(|row| row.iter().map(|&x| f64::from(x) / 8.0).collect()).collect();
        let data = from_rows(&rows, labels.into_iter().map(f32::from).collect(), &[5, 7]);
        let explicit = differences(&data);
        if explicit.is_empty() {
            return Ok(());
        }
        let (run, engine) = (run(), LocalEngine::new(data, 1).unwrap());
        let Ok(sample) = Sample::of(&run, &engine, Scale::None) else { return Ok(()) };
        let lasso = 1.0 / (c * sample.pairs());
        let penalty = Penalty::lasso(vec![lasso; sample.width()]);
        let found = minimise(&sample, &penalty, &vec![0.0; sample.width()], 1e-9 * lasso).unwrap();
        prop_assert!(found.violation <= 1e-9 * lasso, "{}", found.violation);
        let total = found.objective / lasso;
        let mut w = vec![0.0; 5];
        sample.features().iter().zip(&found.weights).for_each(|(f, x)| w[f.index()] = *x);
        let objective = |w: &[f64]| w.iter().map(|w| w.abs()).sum::<f64>() + c * loss(&explicit, w).0;
        prop_assert!((objective(&w) - total).abs() <= 1e-9 * total);
        let other = objective(&coordinate_descent(&explicit, c));
        prop_assert!(total <= other * (1.0 + 1e-9) && total >= other * (1.0 - 1e-4));
        for (slope, w) in loss(&explicit, &w).1.iter().map(|g| c * g).zip(&w) {
            let far = if *w == 0.0 { (slope.abs() - 1.0).max(0.0) } else { (slope + w.signum()).abs() };
            prop_assert!(far <= 1e-8, "{far}");
        }
    }
}

/// One answer, to the fourth decimal, in which an independent implementation gives it.
#[test]
fn l1_svm_on_real_data_is_the_reference() {
    for (folder, c, expected) in
        [(OHSUMED, "1e-4", [0.4492, 0.4580, 5.0]), (MQ2008, "1e-3", [0.4803, 0.2308, 12.4])]
    {
        let Some(got) = five_folds(folder, "l1-svm", &[("c", c)]) else { return };
        close(&got, &expected, 1e-4);
    }
}
