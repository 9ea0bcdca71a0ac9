//! Risk measures against independent calculations, and properties that hold for any values.

// Clippy exempts test functions only; helpers should fail on an unreadable fixture as well.
#![allow(clippy::unwrap_used)]

use featherank::measure::risk::*;
use featherank::measure::significance::one_sample_t;
use proptest::prelude::*;
use serde_json::Value;

fn fixture() -> Value {
    serde_json::from_str(include_str!("fixtures/risk.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn transposed(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    (0..rows[0].len()).map(|column| rows.iter().map(|row| row[column]).collect()).collect()
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

#[track_caller]
fn assert_all_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).for_each(|(found, expected)| assert_near(*found, *expected));
}

#[test]
fn trade_offs_equal_the_fixture() {
    let fixture = fixture();
    let (model, baseline) = (numbers(&fixture["model"]), numbers(&fixture["baseline"]));
    for alpha in [0.0, 1.0, 5.0] {
        let expected = &fixture[format!("alpha_{alpha}")];
        let number = |key: &str| expected[key].as_f64().unwrap();
        let found = trade_off(&model, &baseline, alpha, 0.05);
        assert_near(found.f_risk, number("f_risk"));
        assert_near(found.f_reward, number("f_reward"));
        assert_near(found.u_risk, number("u_risk"));
        assert_near(found.standard_error, number("se"));
        assert_near(found.t_risk, number("t_risk"));
        let trade_offs: Vec<f64> = found.per_query.iter().map(|query| query.trade_off).collect();
        assert_all_near(&trade_offs, &numbers(&expected["tradeoff"]));
        assert_near(found.p, one_sample_t(&trade_offs, 0.0).p);
    }
}

#[test]
fn wins_and_losses_equal_the_fixture() {
    let fixture = fixture();
    let report = risk_report(&numbers(&fixture["model"]), &numbers(&fixture["baseline"]), 5.0);
    let count = |key: &str| fixture[key].as_u64().unwrap() as usize;
    let WinsLosses { wins, losses, ties, large_losses } = report.wins_losses;
    assert_eq!(
        (wins, losses, large_losses),
        (count("wins"), count("losses"), count("losses_gt20"))
    );
    assert_eq!(wins + losses + ties, report.queries);
}

#[test]
fn baselines_equal_the_fixture() {
    let fixture = fixture();
    let features = transposed(&rows(&fixture["single_feature_effectiveness"]));
    assert_all_near(&mean_baseline(&features), &numbers(&fixture["mean_baseline"]));
    assert_all_near(&max_baseline(&features), &numbers(&fixture["max_baseline"]));
}

#[test]
fn geo_risk_equals_the_fixture() {
    let fixture = &fixture()["georisk"];
    let systems = transposed(&rows(&fixture["matrix_queries_by_systems"]));
    let found = geo_risk(&systems, fixture["alpha"].as_f64().unwrap());
    assert_all_near(&found.z_risk, &numbers(&fixture["z_risk"]));
    assert_all_near(&found.geo_risk, &numbers(&fixture["geo_risk"]));
}

fn pairs() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    prop::collection::vec((0.0..1.0f64, 0.0..1.0f64), 2..60)
        .prop_map(|pairs| pairs.into_iter().unzip())
}

proptest! {
    #[test]
    fn t_risk_is_the_mean_of_the_contributions((model, baseline) in pairs(), alpha in 0.0..40.0f64) {
        let found = trade_off(&model, &baseline, alpha, 0.05);
        let sum: f64 = found.per_query.iter().map(|query| query.contribution).sum();
        prop_assert!((sum / model.len() as f64 - found.t_risk).abs() < 1e-9);
    }

    #[test]
    fn without_alpha_u_risk_is_the_mean_difference((model, baseline) in pairs()) {
        let sum: f64 = model.iter().zip(&baseline).map(|(model, baseline)| model - baseline).sum();
        prop_assert!((u_risk(&model, &baseline, 0.0) - sum / model.len() as f64).abs() < 1e-12);
    }

    #[test]
    fn u_risk_is_reward_minus_weighted_risk((model, baseline) in pairs(), alpha in 0.0..40.0f64) {
        let expected = f_reward(&model, &baseline) - (1.0 + alpha) * f_risk(&model, &baseline);
        prop_assert!((u_risk(&model, &baseline, alpha) - expected).abs() < 1e-9);
    }

    #[test]
    fn swapping_the_systems_swaps_risk_and_reward((model, baseline) in pairs()) {
        prop_assert_eq!(f_risk(&model, &baseline), f_reward(&baseline, &model));
        let (one, other) = (risk_report(&model, &baseline, 0.0), risk_report(&baseline, &model, 0.0));
        prop_assert_eq!(one.wins_losses.wins, other.wins_losses.losses);
        prop_assert_eq!(one.trade_off.risky, other.trade_off.rewarding);
        prop_assert!((one.trade_off.t_risk + other.trade_off.t_risk).abs() < 1e-9);
    }

    #[test]
    fn queries_that_do_not_count_change_nothing((model, baseline) in pairs(), at in 0usize..60) {
        let at = at.min(model.len());
        let (mut longer_model, mut longer_baseline) = (model.clone(), baseline.clone());
        longer_model.insert(at, 0.5);
        longer_baseline.insert(at, f64::NAN);
        let (with, without) = (risk_report(&longer_model, &longer_baseline, 5.0), risk_report(&model, &baseline, 5.0));
        prop_assert_eq!(with.trade_off.t_risk, without.trade_off.t_risk);
        prop_assert_eq!(with.geo_risk, without.geo_risk);
        prop_assert_eq!(with.wins_losses, without.wins_losses);
        let moved = |query: &usize| if *query >= at { query + 1 } else { *query };
        prop_assert_eq!(with.trade_off.risky, without.trade_off.risky.iter().map(moved).collect::<Vec<_>>());
    }

    #[test]
    fn a_greater_alpha_never_lowers_the_weight_of_a_loss((model, baseline) in pairs(), alpha in 0.0..40.0f64) {
        prop_assert!(u_risk(&model, &baseline, alpha + 1.0) <= u_risk(&model, &baseline, alpha) + 1e-12);
    }
}
