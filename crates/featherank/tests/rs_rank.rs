//! RSRank against worked examples, explicit pairs, finite differences and real data.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use crate::common::embedded::{
    OHSUMED, close, fixture, from_rows, numbers, run, select, shared_data, tiny, try_select,
};
use crate::common::real_data;
use featherank::Error;
use featherank::data::folds::FoldFiles;
use featherank::data::{Dataset, FeatureId, ReadOptions};
use featherank::engine::LocalEngine;
use featherank::internals::reduction::weighted_pairs;
use featherank::internals::sample::{Sample, Standardisation};
use proptest::prelude::*;

fn modified_huber(v: f64) -> f64 {
    if v < -1.0 {
        -4.0 * v
    } else if v > 1.0 {
        0.0
    } else {
        (v - 1.0) * (v - 1.0)
    }
}

#[test]
fn loss_and_gradient_equal_worked_numbers() {
    let fixture = fixture(include_str!("fixtures/rsrank.json"));
    for row in fixture["huber_values"].as_array().unwrap() {
        let row = numbers(row);
        assert_eq!(modified_huber(row[0]), row[1]);
    }
    let data = shared_data();
    let beta = numbers(&fixture["beta"]);
    let (run, engine) = (run(), LocalEngine::new(data.clone(), 1).unwrap());
    let sample = Sample::of(&run, &engine, Standardisation::None).unwrap();
    let found = sample.ndcg_pairs(&beta).unwrap();
    // Rounding the fixture's values to 32 bits changes its results by about 1e-7.
    close(&[found.loss], &[fixture["loss"].as_f64().unwrap()], 1e-6);
    close(&found.gradient, &numbers(&fixture["grad"]), 1e-6);
    let (explicit, known) =
        (explicit(&data, &beta), &fixture["pairs_qid_i_j_posi_posj_weight_margin_phi"]);
    let known: Vec<Vec<f64>> = known.as_array().unwrap().iter().map(numbers).collect();
    close(&[found.weight], &[known.iter().map(|pair| pair[5]).sum()], 1e-6);
    assert_eq!(explicit.len(), known.len());
    for pair in explicit {
        let known = known
            .iter()
            .find(|known| (known[1], known[2]) == (pair.better as f64, pair.worse as f64));
        close(&[pair.weight, pair.margin, modified_huber(pair.margin)], &known.unwrap()[5..], 1e-6);
    }
}

struct Pair {
    better: usize,
    worse: usize,
    weight: f64,
    margin: f64,
}

/// All weighted pairs of a linear model. Among tied documents, lower labels come first, and the
/// weight of a pair is the mean over all orders of documents that tie in label too.
fn explicit(data: &Dataset, beta: &[f64]) -> Vec<Pair> {
    let value = |row: usize| -> f64 {
        beta.iter()
            .enumerate()
            .map(|(f, b)| b * f64::from(data.column(FeatureId::from(f))[row]))
            .sum()
    };
    let discount = |position: usize| 1.0 / ((1 + position) as f64).log2();
    let mut all = Vec::new();
    for rows in data.queries().iter() {
        let first = rows.start;
        let scores: Vec<f64> = rows.clone().map(value).collect();
        let labels = &data.labels()[rows];
        let mean_discount = |i: usize| {
            let key = |j: usize| (-scores[j], labels[j]);
            let above = (0..labels.len()).filter(|&j| key(j) < key(i)).count();
            let same = (0..labels.len()).filter(|&j| key(j) == key(i)).count();
            (above + 1..=above + same).map(discount).sum::<f64>() / same as f64
        };
        // Gain and ideal are computed with the library, at positions whose discounts differ by a
        // known amount.
        let unit = discount(1) - discount(2);
        let positions = |better: usize| {
            (0..labels.len()).map(|i| if i == better { 1 } else { 2 }).collect::<Vec<_>>()
        };
        for better in 0..labels.len() {
            for pair in weighted_pairs(labels, &positions(better))
                .iter()
                .filter(|pair| pair.better == better)
            {
                let shift = (mean_discount(better) - mean_discount(pair.worse)).abs();
                all.push(Pair {
                    better: first + better,
                    worse: first + pair.worse,
                    weight: pair.weight / unit * shift,
                    margin: scores[better] - scores[pair.worse],
                });
            }
        }
    }
    all
}

/// Small data on a coarse grid, so that many scores tie; 17 documents fill whole SIMD lanes with a
/// remainder.
fn coarse(cells: &[i8], labels: &[u8]) -> Dataset {
    let rows: Vec<Vec<f64>> =
        cells.chunks(3).map(|row| row.iter().map(|&x| f64::from(x) / 2.0).collect()).collect();
    from_rows(&rows, labels.iter().copied().map(f32::from).collect(), &[6, 17])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Equals sums over explicit pairs, and the gradient of that sum with fixed weights.
    #[test]
    fn the_pass_equals_explicit_pairs_and_finite_differences(
        cells in proptest::collection::vec(-2i8..3, 69),
        labels in proptest::collection::vec(0u8..4, 23),
        beta in proptest::collection::vec(prop::sample::select(vec![-1.0, -0.25, 0.0, 0.5, 0.75]), 3),
    ) {
        let data = coarse(&cells, &labels);
        let (run, engine) = (run(), LocalEngine::new(data.clone(), 1).unwrap());
        let Ok(sample) = Sample::of(&run, &engine, Standardisation::None) else { return Ok(()) };
        prop_assume!(sample.width() == 3);
        let found = sample.ndcg_pairs(&beta).unwrap();
        let pairs = explicit(&data, &beta);
        let loss: f64 = pairs.iter().map(|pair| pair.weight * modified_huber(pair.margin)).sum();
        prop_assert!((found.loss - loss).abs() < 1e-9, "{} is not {loss}", found.loss);
        prop_assert!((found.weight - pairs.iter().map(|pair| pair.weight).sum::<f64>()).abs() < 1e-9);
        for k in 0..3 {
            let column = data.column(FeatureId::from(k));
            let moved = |by: f64| -> f64 {
                let lost = |pair: &Pair| {
                    let step = f64::from(column[pair.better]) - f64::from(column[pair.worse]);
                    pair.weight * modified_huber(pair.margin + by * step)
                };
                pairs.iter().map(lost).sum()
            };
            let derivative = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            prop_assert!((found.gradient[k] - derivative).abs() < 1e-3 * (1.0 + derivative.abs()), "{} {derivative}", found.gradient[k]);
        }
    }

    /// The order of rows and of tied documents has no effect.
    #[test]
    fn result_does_not_depend_on_the_order_of_rows(
        cells in proptest::collection::vec(-1i8..2, 69),
        labels in proptest::collection::vec(0u8..3, 23),
    ) {
        let data = coarse(&cells, &labels);
        let turned: Vec<i8> = [&cells[..18], &cells[18..]]
            .iter().flat_map(|query| query.chunks(3).rev().flatten().copied().collect::<Vec<_>>()).collect();
        let labels: Vec<u8> =
            [&labels[..6], &labels[6..]].iter().flat_map(|query| query.iter().rev().copied()).collect();
        let run = run();
        let answer = |data: Dataset| {
            let engine = LocalEngine::new(data, 1).unwrap();
            let sample = Sample::of(&run, &engine, Standardisation::None).ok()?;
            (sample.width() == 3).then(|| sample.ndcg_pairs(&[0.5, 0.0, -0.5]).unwrap())
        };
        if let (Some(a), Some(b)) = (answer(data), answer(coarse(&turned, &labels))) {
            prop_assert!((a.loss - b.loss).abs() < 1e-9 && (a.weight - b.weight).abs() < 1e-9);
            prop_assert!(a.gradient.iter().zip(&b.gradient).all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }
}

#[test]
fn too_long_steps_are_an_error() {
    let error = try_select("rsrank", &[("eta", "1")], &tiny(), &run()).unwrap_err();
    assert!(
        matches!(error, Error::Numerical(_)) && error.to_string().contains("diverges"),
        "{error}"
    );
}

/// A larger penalty leaves fewer features, for any interval; without a penalty all varying features
/// stay.
#[test]
fn larger_penalties_make_models_sparser() {
    let size = |set: &[(&str, &str)]| select("rsrank", set, &tiny()).selected.len();
    let fits = select("rsrank", &[("starts", "1"), ("iterations", "100")], &tiny()).fits;
    let sizes: Vec<usize> = fits.iter().map(|fit| fit.features).collect();
    assert!(sizes[0] < 8 && sizes[sizes.len() - 1] == 18, "{sizes:?}");
    assert_eq!(size(&[("g", "0")]), 18);
    let middle = fits[2].settings["g"].to_string();
    let published = size(&[("g", &middle), ("interval", "5")]);
    let langford = size(&[("g", &middle), ("interval", "5"), ("truncation", "langford")]);
    assert!(langford < published, "{langford} and {published}");
}

/// The published penalties on one fold: the numbers of features equal those of an independent
/// implementation (27, 23, 15, 9, 6 and 4) within a factor of two, and the published step does not
/// converge.
#[test]
fn penalties_on_real_data_leave_as_many_features_as_the_reference() {
    let Some(folder) = real_data(OHSUMED) else { return };
    let fold = FoldFiles::find(&folder).unwrap()[0].read(&ReadOptions::default()).unwrap();
    for (g, expected) in [("20", 15.0), ("50", 9.0), ("250", 4.0)] {
        let set = [("g", g), ("iterations", "200"), ("starts", "1")];
        let size = select("rsrank", &set, &fold.train).selected.len() as f64;
        assert!(size <= 2.0 * expected && size >= expected / 2.0, "{size} features at {g}");
    }
    let printed = [("g", "0"), ("eta", "0.001"), ("iterations", "100"), ("starts", "1")];
    assert!(try_select("rsrank", &printed, &fold.train, &run()).is_err());
}
