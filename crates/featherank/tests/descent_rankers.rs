//! Iterative rankers: worked examples, gradients against finite differences, rounds by hand, and
//! monotonic quantities.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use featherank::data::synth::{Preset, generate};
use featherank::data::{Dataset, FeatureTable, Queries};
use featherank::internals::design::Design;
use featherank::internals::lambda::Lambdas;
use featherank::internals::listnet::{cross_entropy, top_one};
use featherank::measure::Measure;
use featherank::rank::tune::{TrialOutcome, declared_grid, tune};
use featherank::rank::{Model, RankerSpec, Scorer};
use featherank::registry::ranker;
use featherank::run::{Constraints, Run};
use rand::Rng;
use serde_json::Value;

fn run() -> Run {
    Run::new(7, Constraints::default())
}

fn settings(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn fit(name: &str, set: &[(&str, &str)], data: &Dataset) -> Model {
    ranker(name).unwrap().fit(&settings(set), &run(), &data.view(), None).unwrap()
}

/// The weights by feature id.
fn weights(model: &Model) -> Vec<(u32, f64)> {
    let Scorer::Linear(model) = &model.scorer else { return Vec::new() };
    model.weights().iter().map(|w| (w.feature.id, w.weight)).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn assert_near(got: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len());
    let near = got.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance);
    assert!(near, "{got:?} instead of {expected:?}");
}

/// One query from rows of features.
fn one_query(rows: &Value, labels: &[f64]) -> Dataset {
    let rows: Vec<Vec<f64>> = rows.as_array().unwrap().iter().map(numbers).collect();
    let columns = (0..rows[0].len()).flat_map(|f| rows.iter().map(move |row| row[f] as f32));
    let labels: Vec<f32> = labels.iter().map(|&label| label as f32).collect();
    let queries = Queries::from_sizes(&[labels.len()]);
    Dataset::new(columns.collect(), labels, queries, FeatureTable::numbered(rows[0].len(), 1))
}

fn tiny() -> Dataset {
    generate(&Preset::Tiny.config()).unwrap().0
}

fn training_value(measure: &str, model: &Model, data: &Dataset) -> f64 {
    let measure: Measure = measure.parse().unwrap();
    measure.summary(&measure.per_query(&model.score(&data.view()).unwrap(), &data.view()))
}

#[test]
fn listnet_equals_the_fixture() {
    let fixture: Value = serde_json::from_str(include_str!("fixtures/listnet.json")).unwrap();
    let (labels, scores) = (numbers(&fixture["labels"]), numbers(&fixture["scores"]));
    let (target, implied) = (top_one(labels.iter().copied()), top_one(scores.iter().copied()));
    assert_near(&target, &numbers(&fixture["p_label"]), 1e-9);
    assert_near(&implied, &numbers(&fixture["p_score"]), 1e-9);
    let loss = fixture["cross_entropy"].as_f64().unwrap();
    assert_near(&[cross_entropy(&target, &scores)], &[loss], 1e-9);
    let gradient: Vec<f64> = implied.iter().zip(&target).map(|(s, y)| s - y).collect();
    assert_near(&gradient, &numbers(&fixture["grad_scores"]), 1e-9);
    let data = one_query(&fixture["X"], &labels);
    let design = Design::new(&data.view()).unwrap();
    // Features are single precision.
    assert_near(&design.transposed(&gradient), &numbers(&fixture["grad_w"]), 1e-7);
}

#[test]
fn listnet_gradient_equals_finite_differences() {
    let mut random =
        featherank::internals::random::stream(3, featherank::internals::random::Purpose::Test, 0);
    let mut draw = |n: usize, scale: f64| -> Vec<f64> {
        (0..n).map(|_| ((random.next_u32() % 2001) as f64 / 1000.0 - 1.0) * scale).collect()
    };
    for n in [1, 2, 5, 30] {
        let (target, scores) = (top_one(draw(n, 2.0).into_iter()), draw(n, 5.0));
        let implied = top_one(scores.iter().copied());
        for i in 0..n {
            let moved = |by: f64| {
                let mut scores = scores.clone();
                scores[i] += by;
                cross_entropy(&target, &scores)
            };
            let derivative = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!(
                (derivative - (implied[i] - target[i])).abs() < 1e-9,
                "{n} documents, score {i}: {derivative}"
            );
        }
    }
}

#[test]
fn listnet_loss_decreases_every_epoch() {
    let data = tiny();
    let view = data.view();
    let loss = |epochs: usize| {
        let set = [("eta", "0.0005"), ("epochs", &epochs.to_string()[..])];
        let scores = fit("listnet", &set, &data).score(&view).unwrap();
        let (mut start, mut total) = (0, 0.0);
        for labels in view.labels() {
            let own = &scores[start..start + labels.len()];
            start += labels.len();
            if labels.iter().all(|label| *label == labels[0]) {
                continue;
            }
            let target = top_one(labels.iter().map(|&y| f64::from(y)));
            total += cross_entropy(&target, &own.iter().map(|&s| f64::from(s)).collect::<Vec<_>>());
        }
        total
    };
    let losses: Vec<f64> = (1..=12).map(loss).collect();
    assert!(losses.windows(2).all(|pair| pair[1] < pair[0]), "{losses:?}");
}

#[test]
fn lambdas_equal_the_fixture() {
    let fixture: Value = serde_json::from_str(include_str!("fixtures/lambda.json")).unwrap();
    let (labels, scores) = (numbers(&fixture["labels"]), numbers(&fixture["scores"]));
    let data = one_query(&fixture["linear_X"], &labels);
    let (mut lambda, mut hessian) = (vec![0.0; 4], vec![0.0; 4]);
    for cutoff in [None, Some(4)] {
        Lambdas::new(cutoff).of_query(&scores, data.labels(), &mut lambda, &mut hessian);
        assert_near(&lambda, &numbers(&fixture["lambda_"]), 1e-9);
        assert_near(&hessian, &numbers(&fixture["hessian"]), 1e-9);
    }
    let step: Vec<f64> = Design::new(&data.view())
        .unwrap()
        .transposed(&lambda)
        .iter()
        .map(|gradient| 0.1 * gradient)
        .collect();
    assert_near(&step, &numbers(&fixture["linear_lambdarank_step_eta_0_1"]), 1e-8);
}

#[test]
fn lambdarank_increases_ndcg_with_more_epochs() {
    let data = tiny();
    let value = |epochs: &str| {
        let model = fit("lambdarank", &[("eta", "0.01"), ("epochs", epochs)], &data);
        training_value("ndcg[ties=expected]", &model, &data)
    };
    let (one, some, many) = (value("1"), value("100"), value("1000"));
    assert!(one < some && some < many, "{one} {some} {many}");
}

/// On the training data coordinate ascent never ends below its starting point, for any seed and
/// measure.
#[test]
fn coordinate_ascent_never_ends_below_its_start() {
    let data = tiny();
    let features = data.features().len();
    for (seed, measure) in
        [(1, "ndcg[ties=expected]@10"), (2, "map[ties=expected]"), (3, "err[ties=expected]")]
    {
        let set = settings(&[("measure", measure), ("restarts", "1")]);
        let spec = ranker("coordinate-ascent").unwrap();
        let model =
            spec.fit(&set, &Run::new(seed, Constraints::default()), &data.view(), None).unwrap();
        let alone: f64 = (1..=features)
            .map(|f| {
                training_value(
                    measure,
                    &fit("single-feature", &[("feature", &f.to_string())], &data),
                    &data,
                )
            })
            .fold(0.0, f64::max);
        let reached = training_value(measure, &model, &data);
        assert!(reached > alone, "{measure}: {reached}, and {alone} by one feature");
        let sum: f64 = weights(&model).iter().map(|(_, weight)| weight.abs()).sum();
        assert!(sum.is_finite() && sum > 0.0);
    }
}

/// Three queries of two documents, the relevant one first. Feature 1 ranks it first in queries 1
/// and 2, feature 2 in query 3; in query 2 feature 2 ties. Average precision: (1, 1, ½) and (½, ¾,
/// 1).
fn three_queries() -> Dataset {
    let values = vec![1., 0., 1., 0., 0., 1., /* feature 2 */ 0., 1., 0., 0., 1., 0.];
    let labels = vec![1., 0., 1., 0., 1., 0.];
    Dataset::new(values, labels, Queries::from_sizes(&[2, 2, 2]), FeatureTable::numbered(2, 1))
}

/// Round 1: P = ⅓; the scores of the features are 2.5/3 and 2.25/3; α = ½ ln(5.5/0.5) = ½ ln 11 =
/// 1.198948. Round 2, paper: P ∝ (e⁻¹, e⁻¹, e^−½) = (.274069, .274069, .451862); the scores of the
/// features are .774069 and .794449; α = ½ ln(1.794449/.205551) = 1.083378. Round 2, RankLib: P ∝
/// (e^−α, e^−α, e^−α/2) = (.261701, .261701, .476599) with e^−α = 11^−½; the scores of the features
/// are .761701 and .803725; α = ½ ln(1.803725/.196275) = 1.109045.
#[test]
fn adarank_two_rounds_by_hand() {
    let data = three_queries();
    for (update, second) in [("paper", 1.083_378), ("ranklib", 1.109_045)] {
        let got = weights(&fit("adarank-map", &[("rounds", "2"), ("update", update)], &data));
        assert_eq!([got[0].0, got[1].0], [1, 2]);
        assert_near(&[got[0].1, got[1].1], &[1.198_948, second], 1e-6);
    }
}

/// Feature 2 is correct once, and never on a query that feature 1 ranks incorrectly: the paper's
/// update always picks feature 1. RankLib rejects it at the second pick, uses feature 2, then tries
/// feature 1 again.
#[test]
fn adarank_uses_a_second_feature_only_if_configured() {
    let values = vec![1., 0., 1., 0., 1., 0., /* feature 2 */ 1., 0., 0., 1., 0., 1.];
    let labels = vec![1., 0., 1., 0., 1., 0.];
    let data =
        Dataset::new(values, labels, Queries::from_sizes(&[2, 2, 2]), FeatureTable::numbered(2, 1));
    let used = |set: &[(&str, &str)]| {
        weights(&fit("adarank-ndcg", set, &data)).into_iter().map(|(id, _)| id).collect::<Vec<_>>()
    };
    assert_eq!(used(&[]), [1]);
    assert_eq!(used(&[("repeats", "forbid")]), [1, 2]);
    assert_eq!(used(&[("update", "ranklib")]), [1, 2]);
    assert_eq!(used(&[("update", "ranklib"), ("rounds", "2")]), [1], "the only pick is not lost");
    assert_eq!(used(&[("update", "ranklib"), ("enqueue", "false"), ("repeats", "forbid")]), [1, 2]);
}

#[test]
fn adarank_requires_measures_up_to_one() {
    let data = tiny();
    let error = ranker("adarank-ndcg")
        .unwrap()
        .fit(&settings(&[("measure", "dcg@10")]), &run(), &data.view(), None)
        .unwrap_err();
    assert!(error.to_string().contains("between 0 and 1"), "{error}");
}

/// Column 1 and its copy, column 2, and noise.
#[test]
fn copies_share_the_weight_or_the_first_is_chosen() {
    let labels = vec![2., 0., 1., 0., 1., 0.];
    let ranks = vec![0.9f32, 0.1, 0.6, 0.2, 0.8, 0.3];
    let noise = vec![0.3f32, 0.4, 0.1, 0.2, 0.9, 0.5];
    let values = [ranks.clone(), ranks, noise].concat();
    let data =
        Dataset::new(values, labels, Queries::from_sizes(&[4, 2]), FeatureTable::numbered(3, 1));
    for name in ["listnet", "lambdarank"] {
        let got = weights(&fit(name, &[], &data));
        assert_eq!(got[0].1, got[1].1, "{name} has no reason to prefer one copy");
    }
    for name in ["adarank-ndcg", "adarank-map"] {
        assert_eq!(weights(&fit(name, &[], &data))[0].0, 1, "{name}: the first of equals");
    }
}

/// Labels that follow feature 1; feature 2 is its negation.
fn opposites() -> Dataset {
    let labels = vec![2., 1., 0., 1., 0., 0.];
    let ranks = [0.9f32, 0.5, 0.1, 0.8, 0.3, 0.2];
    let values = ranks.iter().copied().chain(ranks.iter().map(|x| 1.0 - x)).collect();
    Dataset::new(values, labels, Queries::from_sizes(&[3, 3]), FeatureTable::numbered(2, 1))
}

fn tuned_feature(
    spec: &RankerSpec,
    data: &Dataset,
    values: &[&str],
) -> (String, Vec<TrialOutcome>) {
    let grid = vec![("feature".to_owned(), values.iter().map(|&value| value.to_owned()).collect())];
    let measure: Measure = "map[ties=expected]".parse().unwrap();
    let tuned = tune(spec, &[], &grid, &run(), &data.view(), &data.view(), &measure).unwrap();
    (tuned.settings[0].1.clone(), tuned.trials.into_iter().map(|trial| trial.outcome).collect())
}

#[test]
fn tuning_chooses_the_best_and_the_first_of_ties() {
    let (spec, data) = (ranker("single-feature").unwrap(), opposites());
    let (chosen, outcomes) = tuned_feature(spec, &data, &["2", "1", "best"]);
    assert_eq!(chosen, "1", "feature 1 and the best one are the same");
    assert!(
        matches!(outcomes[..], [TrialOutcome::Value(worst), TrialOutcome::Value(1.0), TrialOutcome::Value(1.0)] if worst < 1.0)
    );
    let (chosen, outcomes) = tuned_feature(spec, &data, &["9", "2"]);
    assert_eq!(chosen, "2");
    assert!(
        matches!(&outcomes[0], TrialOutcome::Failed(why) if why.contains("no feature called")),
        "{outcomes:?}"
    );
}

#[test]
fn tuning_prefers_any_ranking_to_a_constant_one() {
    let data = opposites();
    // Feature 3 is constant: in file order, best first, it would be the best.
    let values = [data.values(), &[1.0; 6]].concat();
    let queries = Queries::from_sizes(&[3, 3]);
    let data = Dataset::new(values, data.labels().to_vec(), queries, FeatureTable::numbered(3, 1));
    let spec = ranker("single-feature").unwrap();
    let measure: Measure = "map".parse().unwrap();
    let grid = vec![("feature".to_owned(), vec!["3".to_owned(), "2".to_owned()])];
    let tuned = tune(spec, &[], &grid, &run(), &data.view(), &data.view(), &measure).unwrap();
    assert_eq!(tuned.trials[0].outcome, TrialOutcome::Constant(1.0));
    assert_eq!(tuned.settings, settings(&[("feature", "2")]));
    let only = vec![("feature".to_owned(), vec!["3".to_owned()])];
    assert!(tune(spec, &[], &only, &run(), &data.view(), &data.view(), &measure).is_ok());
}

#[test]
fn grids_omit_settings_fixed_by_the_user() {
    let spec = ranker("adarank-ndcg").unwrap();
    let fixed = settings(&[("update", "ranklib")]);
    let grid = declared_grid(spec, &fixed);
    assert_eq!(grid.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["repeats"]);
    let data = tiny();
    let (view, measure) = (data.view(), "map[ties=expected]".parse::<Measure>().unwrap());
    let tuned = tune(spec, &fixed, &grid, &run(), &view, &view, &measure).unwrap();
    assert_eq!(tuned.trials.len(), 2);
    assert_eq!(tuned.settings[0], fixed[0]);
    let whole = declared_grid(spec, &[]);
    let error = tune(spec, &fixed, &whole, &run(), &view, &view, &measure).unwrap_err().to_string();
    assert!(error.contains("either a fixed value"), "{error}");
}

#[test]
fn validation_keeps_an_earlier_step() {
    let folds = featherank::data::folds::split(&tiny(), 3, 1).unwrap();
    let (train, valid) = (folds[0].train.view(), folds[0].valid.view());
    let measure: Measure = "ndcg[ties=expected]@10".parse().unwrap();
    for name in ["listnet", "lambdarank", "adarank-ndcg", "adarank-map", "coordinate-ascent"] {
        let spec = ranker(name).unwrap();
        let own: Measure = if name == "adarank-map" {
            "map[ties=expected]".parse().unwrap()
        } else {
            measure.clone()
        };
        let value =
            |model: Model| own.summary(&own.per_query(&model.score(&valid).unwrap(), &valid));
        let last = value(spec.fit(&[], &run(), &train, None).unwrap());
        let patient = match name {
            "listnet" | "lambdarank" => settings(&[("patience", "0")]),
            _ => Vec::new(),
        };
        let best = value(spec.fit(&patient, &run(), &train, Some(&valid)).unwrap());
        assert!(best >= last, "{name}: {best} after {last}");
    }
}
