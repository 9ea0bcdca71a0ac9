//! Sparse pairwise support vector machines against worked examples, explicit pairs, their
//! certificates and real data.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use crate::common::embedded::{
    MQ2008, OHSUMED, close, coordinate_descent, differences, five_folds, fixture, from_rows, ids,
    loss, numbers, run, select, shared_data, tiny, weights,
};
use featherank::data::FeatureId;
use featherank::engine::LocalEngine;
use featherank::internals::proximal_newton::{Penalty, minimise};
use featherank::internals::rank_rwfs::{Reweighted, ReweightingRule};
use featherank::internals::sample::{Sample, Standardisation};
use featherank::registry::ranker;
use proptest::prelude::*;

#[test]
fn l1_svm_equals_worked_numbers() {
    let fixture = fixture(include_str!("fixtures/liblinear_l1.json"));
    let data = shared_data();
    let pairs = differences(&data);
    for (c, expected) in fixture["solutions"].as_object().unwrap() {
        let found = select("l1-svm", &[("c", c), ("standardise", "false")], &data);
        let w = weights(found.model.as_ref().unwrap(), 3);
        // Rounding the fixture to 32 bits changes its results by about 1e-7.
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

    /// The same objective as coordinate descent over explicit pairs, and a certificate confirmed by
    /// those pairs.
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
        let Ok(sample) = Sample::of(&run, &engine, Standardisation::None) else { return Ok(()) };
        let lasso = 1.0 / (c * sample.pairs());
        let penalty = Penalty::lasso(vec![lasso; sample.width()]);
        let found = minimise(&sample, &penalty, &vec![0.0; sample.width()], 1e-9 * lasso).unwrap();
        prop_assert!(found.violation <= 1e-9 * lasso, "{}", found.violation);
        let total = found.objective / lasso;
        let mut w = vec![0.0; 5];
        sample.features().iter().zip(&found.weights).for_each(|(f, x)| w[f.index()] = *x);
        let objective = |w: &[f64]| w.iter().map(|w| w.abs()).sum::<f64>() + c * loss(&explicit, w).0;
        prop_assert!((objective(&w) - total).abs() <= 1e-9 * total);
        let (other, settled) = coordinate_descent(&explicit, c);
        let other = objective(&other);
        prop_assert!(total <= other * (1.0 + 1e-9), "{total} {other}");
        prop_assert!(!settled || total >= other * (1.0 - 1e-9), "{total} {other}");
        for (derivative, w) in loss(&explicit, &w).1.iter().map(|g| c * g).zip(&w) {
            let far = if *w == 0.0 { (derivative.abs() - 1.0).max(0.0) } else { (derivative + w.signum()).abs() };
            prop_assert!(far <= 1e-8, "{far}");
        }
    }
}

/// A unique solution, equal to that of an independent implementation to the fourth decimal.
#[test]
fn l1_svm_on_real_data_equals_the_reference() {
    for (folder, c, expected) in
        [(OHSUMED, "1e-4", [0.4492, 0.4580, 5.0]), (MQ2008, "1e-3", [0.4803, 0.2308, 12.4])]
    {
        let Some(got) = five_folds(folder, "l1-svm", &[("c", c)]) else { return };
        close(&got, &expected, 1e-4);
    }
}

/// The samples of the shared data, unscaled.
fn with_sample<T>(work: impl FnOnce(&Sample<'_>) -> T) -> T {
    let (run, engine) = (run(), LocalEngine::new(shared_data(), 1).unwrap());
    work(&Sample::of(&run, &engine, Standardisation::None).unwrap())
}

fn reweighted(rule: ReweightingRule, target: usize) -> Reweighted {
    Reweighted { rule, threshold: 1e-5, target, exactly: false, precision: 0.0 }
}

/// C = 1, times the seven pairs.
fn rounds(rule: ReweightingRule, target: usize) -> Vec<Vec<f64>> {
    with_sample(|sample| reweighted(rule, target).rounds(sample, 7.0, &[0.0; 3]).unwrap())
}

#[test]
fn reweighting_equals_worked_numbers() {
    let fixture = fixture(include_str!("fixtures/rankrwfs.json"));
    for (rule, name) in [
        (ReweightingRule::L1, "l1_trace"),
        (ReweightingRule::L0, "l0_trace"),
        (ReweightingRule::L0, "arom_trace"),
    ] {
        let trace = rounds(rule, 0);
        let expected = fixture[name].as_array().unwrap();
        assert!(trace.len() >= 4);
        let mut removed = [false; 3];
        for (got, expected) in trace.iter().zip(expected) {
            // The fixture continues with features below the threshold; here they are removed.
            let weights: Vec<f64> = numbers(&expected["w_eff"]);
            let left: Vec<f64> =
                weights.iter().zip(removed).map(|(&w, gone)| if gone { 0.0 } else { w }).collect();
            close(got, &left, 2e-6);
            weights.iter().zip(&mut removed).for_each(|(w, gone)| *gone |= w.abs() < 1e-5);
        }
    }
}

/// The properties of the rules: the limit of each, and how much faster `l0` removes features.
#[test]
fn reweighting_converges_to_the_documented_limits() {
    let fixture = fixture(include_str!("fixtures/rankrwfs.json"));
    let data = shared_data();
    let pairs = differences(&data);
    let trace = rounds(ReweightingRule::L1, 0);
    let limit = trace.last().unwrap();
    close(limit, &numbers(&fixture["l1_limit_400_iters"]), 1e-5);
    // The minimum of ‖w‖₁ + (C/2) Σ max(0, 1 − wᵀδ)²: half the weight of l1-svm's sum.
    let lasso = select("l1-svm", &[("c", "0.5"), ("standardise", "false")], &data);
    close(limit, &weights(lasso.model.as_ref().unwrap(), 3), 1e-5);
    let gradient = loss(&pairs, limit).1;
    close(&[gradient[0] / 2.0, gradient[2] / 2.0], &[-1.0, -1.0], 1e-4);
    assert!(gradient[1].abs() / 2.0 < 1.0);
    // Stationary for Σ log|w| + (C/2) Σ max(0, 1 − wᵀδ)²: w ∇ = −1 for every remaining weight.
    let trace = rounds(ReweightingRule::L0, 0);
    let limit = trace.last().unwrap();
    let gradient = loss(&pairs, limit).1;
    for (w, derivative) in limit.iter().zip(&gradient).filter(|(w, _)| **w != 0.0) {
        close(&[w * derivative / 2.0], &[-1.0], 1e-4);
    }
    assert!(limit.iter().any(|w| *w != 0.0));
    // One decays by about a half per round, the other quadratically.
    assert_eq!(
        (rounds(ReweightingRule::L0, 2).len(), rounds(ReweightingRule::L1, 2).len()),
        (4, 15)
    );
}

/// The remaining features are retrained, unscaled; AROM is RankRWFS-ℓ0 by another name.
#[test]
fn reweighted_methods_retrain_the_remaining_features() {
    let data = shared_data();
    let set = [("c", "1"), ("share", "0.7"), ("standardise", "false")];
    for method in ["rankrwfs-l1", "rankrwfs-l0", "rank-l2-arom"] {
        let found = select(method, &set, &data);
        assert_eq!(ids(&found), [1, 3], "{method}");
        let view = data.view().with_features(vec![FeatureId(0), FeatureId(2)]);
        let trained =
            ranker("ranksvm-primal").unwrap().fit(&[("c".into(), "7".into())], &run(), &view, None);
        close(&weights(found.model.as_ref().unwrap(), 3), &weights(&trained.unwrap(), 3), 1e-6);
        assert!(found.certificate["gradient"] <= 1e-10, "{method}");
    }
    let (arom, l0) = (select("rank-l2-arom", &[], &tiny()), select("rankrwfs-l0", &[], &tiny()));
    assert_eq!(
        (arom.selected, arom.model.unwrap().scorer),
        (l0.selected, l0.model.unwrap().scorer)
    );
}

#[test]
fn coupled_penalties_equal_worked_numbers() {
    let fixture = fixture(include_str!("fixtures/fsmrank.json"));
    let similarity: Vec<f64> =
        fixture["similarity"].as_array().unwrap().iter().flat_map(numbers).collect();
    for (lambdas, expected) in fixture["solutions"].as_object().unwrap() {
        let (lambda1, lambda2) = lambdas.split_once(',').unwrap();
        let (lambda1, lambda2): (f64, f64) = (lambda1.parse().unwrap(), lambda2.parse().unwrap());
        let penalty = Penalty {
            linear: numbers(&fixture["importance"]).iter().map(|s| lambda2 / s).collect(),
            coupling: similarity.iter().map(|a| lambda1 * a).collect(),
        };
        let found = with_sample(|sample| minimise(sample, &penalty, &[0.0; 3], 1e-10).unwrap());
        close(&found.weights, &numbers(&expected["w"]), 2e-6);
        close(&[found.objective], &[expected["objective"].as_f64().unwrap()], 1e-7);
        assert!(found.violation <= 1e-10);
    }
}

/// The fixture uses the sum of losses: λ and γλ are a seventh and the same of ours, over seven
/// pairs.
#[test]
fn nonconvex_penalties_equal_worked_numbers() {
    let fixture = fixture(include_str!("fixtures/nonconvex.json"));
    let data = shared_data();
    let lambda = (1.0f64 / 7.0).to_string();
    for (penalty, name, epsilon) in
        [("log", "log", "0.1"), ("l0.5", "l05", "0.01"), ("mcp", "mcp", "0.01")]
    {
        let expected = &fixture["solutions"][name];
        let after = |rounds: usize| {
            let rounds = rounds.to_string();
            let set = [
                ("penalty", penalty),
                ("lambda", lambda.as_str()),
                ("epsilon", epsilon),
                ("gamma", "21"),
                ("rounds", rounds.as_str()),
                ("standardise", "false"),
            ];
            weights(select("nonconvex-svm", &set, &data).model.as_ref().unwrap(), 3)
        };
        let trace = expected["trace"].as_array().unwrap();
        for (round, expected) in trace.iter().enumerate().skip(1) {
            close(&after(round), &numbers(expected), 2e-6);
        }
        close(&after(7), &numbers(&expected["final"]), 2e-6);
    }
}
