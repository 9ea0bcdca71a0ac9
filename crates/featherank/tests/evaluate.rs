//! Rankings side by side: what the table and the JSON of `featherank evaluate` are made from.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use featherank::data::synth::{Preset, generate};
use featherank::data::{Dataset, FeatureId};
use featherank::evaluate::{Evaluation, EvaluationPlan, Ranking, RiskBaseline, evaluate, feature_scores};
use featherank::measure::risk::t_risk;
use featherank::measure::significance::paired_t;

fn plan() -> EvaluationPlan {
    let measures = ["map", "gmap", "ndcg[empty=skip]@10"].map(|name| name.parse().unwrap()).to_vec();
    EvaluationPlan { measures, alpha: 5.0, resamples: 500, seed: 3 }
}

fn evaluated(data: &Dataset, baseline: Option<&RiskBaseline>) -> Evaluation {
    let rankings: Vec<Ranking> =
        (0..3).map(|f| feature_scores(data, FeatureId(f))).chain([Ranking::constant(data)]).collect();
    evaluate(data, &rankings, &plan(), baseline).unwrap()
}

#[test]
fn intervals_hold_the_value_whatever_the_mean() {
    let data = generate(&Preset::Tiny.config()).unwrap().0;
    for ranking in evaluated(&data, None).rankings {
        for value in &ranking.values {
            assert!(
                (value.interval.low..=value.interval.high).contains(&value.value),
                "{}: {value:?}",
                ranking.name
            );
        }
        // The geometric mean lies below the arithmetic one, and so does its interval.
        assert!(ranking.values[1].interval.high < ranking.values[0].interval.high, "{}", ranking.name);
    }
}

#[test]
fn every_pair_is_compared_under_every_measure() {
    let data = generate(&Preset::Tiny.config()).unwrap().0;
    let found = evaluated(&data, None);
    assert_eq!(found.comparisons.len(), 3 * 6);
    for c in &found.comparisons {
        assert!(c.t_p_holm >= c.t_p && c.wilcoxon_p_holm >= c.wilcoxon_p);
        let per_query = |ranking: usize| &found.rankings[ranking].values[c.measure].per_query;
        if c.measure == 0 {
            assert_eq!(c.t_p, paired_t(per_query(c.a), per_query(c.b)).p);
        }
        // The same queries are left out for every ranking: it is the labels that decide.
        assert!(per_query(c.a).iter().zip(per_query(c.b)).all(|(x, y)| x.is_nan() == y.is_nan()));
    }
    assert!(found.rankings[0].values[2].per_query.iter().any(|value| value.is_nan()));
}

#[test]
fn risk_is_measured_against_the_baseline_under_the_first_measure() {
    let data = generate(&Preset::Tiny.config()).unwrap().0;
    let per_query = evaluated(&data, None).rankings[1].values[0].per_query.clone();
    let baseline = RiskBaseline { name: "feature 2".into(), per_query: per_query.clone() };
    let found = evaluated(&data, Some(&baseline));
    for ranking in &found.rankings {
        let risk = ranking.risk.as_ref().unwrap();
        assert_eq!(risk.report.trade_off.t_risk, t_risk(&ranking.values[0].per_query, &per_query, 5.0));
    }
    assert_eq!(found.rankings[1].risk.as_ref().unwrap().report.trade_off.f_risk, 0.0);
}

#[test]
fn labels_that_a_measure_cannot_express_are_refused() {
    let data = generate(&Preset::Tiny.config()).unwrap().0;
    let plan = EvaluationPlan { measures: vec!["err[max=1]@5".parse().unwrap()], ..plan() };
    assert!(evaluate(&data, &[Ranking::constant(&data)], &plan, None).is_err());
}
