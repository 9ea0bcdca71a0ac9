//! Evaluation of several rankings: the content of the table and the JSON of `featherank evaluate`.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use crate::common::elsewhere::Elsewhere;
use featherank::data::Normaliser;
use featherank::data::synth::{Preset, SynthConfig, generate};
use featherank::data::{Dataset, FeatureId, FeatureTable, Queries};
use featherank::engine::Engine;
use featherank::evaluate::{
    Evaluation, EvaluationPlan, OverFeatures, RankedBy, Ranking, RiskBaseline, evaluate,
    evaluate_on, feature_scores,
};
use featherank::measure::risk::t_risk;
use featherank::measure::significance::paired_t;
use featherank::rank::{TrainingPlan, train};
use featherank::registry::ranker;
use featherank::run::{Constraints, Run};

fn plan() -> EvaluationPlan {
    let measures =
        ["map", "gmap", "ndcg[empty=skip]@10"].map(|name| name.parse().unwrap()).to_vec();
    EvaluationPlan { measures, alpha: 5.0, resamples: 500, seed: 3 }
}

fn evaluated(data: &Dataset, baseline: Option<&RiskBaseline>) -> Evaluation {
    let rankings: Vec<Ranking> = (0..3)
        .map(|f| feature_scores(data, FeatureId(f)))
        .chain([Ranking::constant(data)])
        .collect();
    evaluate(data, &rankings, &plan(), baseline).unwrap()
}

#[test]
fn intervals_contain_the_value_for_every_kind_of_mean() {
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
        assert!(
            ranking.values[1].interval.high < ranking.values[0].interval.high,
            "{}",
            ranking.name
        );
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
        // The same queries are omitted for every ranking, because the labels decide.
        assert!(per_query(c.a).iter().zip(per_query(c.b)).all(|(x, y)| x.is_nan() == y.is_nan()));
    }
    assert!(found.rankings[0].values[2].per_query.iter().any(|value| value.is_nan()));
}

#[test]
fn risk_is_computed_against_the_baseline_under_the_first_measure() {
    let data = generate(&Preset::Tiny.config()).unwrap().0;
    let per_query = evaluated(&data, None).rankings[1].values[0].per_query.clone();
    let baseline = RiskBaseline { name: "feature 2".into(), per_query: per_query.clone() };
    let found = evaluated(&data, Some(&baseline));
    for ranking in &found.rankings {
        let risk = ranking.risk.as_ref().unwrap();
        assert_eq!(
            risk.report.trade_off.t_risk,
            t_risk(&ranking.values[0].per_query, &per_query, 5.0)
        );
    }
    assert_eq!(found.rankings[1].risk.as_ref().unwrap().report.trade_off.f_risk, 0.0);
}

#[test]
fn labels_that_a_measure_cannot_handle_are_rejected() {
    let data = generate(&Preset::Tiny.config()).unwrap().0;
    let plan = EvaluationPlan { measures: vec!["err[max=1]@5".parse().unwrap()], ..plan() };
    assert!(evaluate(&data, &[Ranking::constant(&data)], &plan, None).is_err());
}

/// Linear models, trees, raw and scaled, single features and the constant ranking: evaluation by
/// passes equals evaluation from scores, to the last bit.
#[test]
fn evaluation_by_passes_equals_evaluation_from_scores() {
    // Enough documents for several blocks.
    let config = SynthConfig {
        queries: 200,
        documents: 10_000,
        max_documents: 200,
        ..SynthConfig::default()
    };
    let data = generate(&config).unwrap().0;
    let engine = Elsewhere::of(&data);
    let run = Run::new(1, Constraints::default());
    let model = |name: &str, normaliser: Normaliser| {
        let params = match name {
            "mart" => vec![("trees".to_owned(), "5".to_owned())],
            _ => Vec::new(),
        };
        let plan = TrainingPlan {
            ranker: ranker(name).unwrap(),
            params: &params,
            features: None,
            normaliser,
            tune: None,
        };
        train(&plan, &run, &mut data.clone(), None).unwrap().model
    };
    let models = [
        ("raw", model("linear-regression", Normaliser::None)),
        ("scaled", model("rankrls", Normaliser::Zscore)),
        ("trees", model("mart", Normaliser::None)),
    ];
    let models = models
        .into_iter()
        .chain(Normaliser::NAMES.map(|(name, normaliser)| (name, model("rankrls", normaliser))));
    let mut rankings = vec![feature_scores(&data, FeatureId(3))];
    let mut ranked = vec![RankedBy::feature(&engine.schema().features, FeatureId(3))];
    for (name, model) in models {
        rankings.push(Ranking { name: name.into(), scores: model.score(&data.view()).unwrap() });
        ranked.push(RankedBy::model(name, model));
    }
    rankings.push(Ranking::constant(&data));
    ranked.push(RankedBy::constant());
    let plan = plan();
    let measure = &plan.measures[0];
    let per_query = measure.per_query(&rankings[1].scores, &data.view());
    let baselines = [
        RiskBaseline { name: "raw".into(), per_query },
        OverFeatures::Mean.as_baseline(&engine, measure).unwrap(),
        OverFeatures::Max.as_baseline(&engine, measure).unwrap(),
    ];
    assert_eq!(ranked[1].as_baseline(&engine, measure).unwrap(), baselines[0]);
    assert_ne!(baselines[1].per_query, baselines[2].per_query);
    for baseline in baselines.iter().map(Some).chain([None]) {
        let text = |found: Evaluation| serde_json::to_string(&found).unwrap();
        let expected = text(evaluate(&data, &rankings, &plan, baseline).unwrap());
        assert_eq!(text(evaluate_on(&engine, &ranked, &plan, baseline).unwrap()), expected);
    }
}

/// Evaluation by passes fails with the same error as scoring from rows.
#[test]
fn passes_and_scoring_reject_the_same_input() {
    let data = generate(&Preset::Tiny.config()).unwrap().0;
    let run = Run::new(1, Constraints::default());
    let model = ranker("linear-regression").unwrap().fit(&[], &run, &data.view(), None).unwrap();
    let changed = |change: fn(f32) -> f32| {
        let values = (0..data.features().len())
            .flat_map(|f| data.column(FeatureId::from(f)))
            .map(|&x| change(x));
        let table = data.features().clone();
        Dataset::new(values.collect(), data.labels().to_vec(), data.queries().clone(), table)
    };
    let narrow = Dataset::new(
        vec![0.; 2],
        vec![0., 1.],
        Queries::from_sizes(&[2]),
        FeatureTable::numbered(1, 1),
    );
    for data in [changed(|_| f32::NAN), changed(|x| x.signum() * f32::MAX), narrow] {
        let expected = model.score(&data.view()).unwrap_err().to_string();
        let ranked = [RankedBy::model("model", model.clone())];
        let error =
            evaluate_on(&Elsewhere::of(&data), &ranked, &plan(), None).unwrap_err().to_string();
        assert_eq!(error, expected);
    }
}
