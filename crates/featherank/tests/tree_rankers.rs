//! Trees, forests and boosting against worked examples, and properties that hold for any data.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure here is a failed test")]

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use featherank::Stop;
use featherank::data::synth::{Preset, generate};
use featherank::data::{Dataset, FeatureId, FeatureTable, Queries, View};
use featherank::internals::lambda::Lambdas;
use featherank::measure::Measure;
use featherank::rank::Importance;
use featherank::rank::{Model, Scorer, TreeEnsemble, permutation_importance};
use featherank::registry::ranker;
use featherank::run::{Constraints, Observer, Run, Step};
use serde_json::Value;

const TREES: [&str; 4] = ["regression-tree", "random-forest", "mart", "lambdamart"];

fn fixture(name: &str) -> Value {
    let path = format!("{}/tests/fixtures/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn settings(set: &[(&str, &str)]) -> Vec<(String, String)> {
    set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn fit(name: &str, set: &[(&str, &str)], train: &View<'_>, valid: Option<&View<'_>>) -> Model {
    let run = Run::new(3, Constraints::default());
    ranker(name).unwrap().fit(&settings(set), &run, train, valid).unwrap()
}

fn trees(model: &Model) -> &TreeEnsemble {
    match &model.scorer {
        Scorer::Trees(ensemble) => ensemble,
        other => panic!("no trees: {other:?}"),
    }
}

/// Rows of a fixture as one query.
fn one_query(fixture: &Value) -> Dataset {
    let rows: Vec<Vec<f64>> = fixture["X"].as_array().unwrap().iter().map(numbers).collect();
    let values =
        (0..rows[0].len()).flat_map(|f| rows.iter().map(move |row| row[f] as f32)).collect();
    let labels: Vec<f32> = numbers(&fixture["y"]).iter().map(|&y| y as f32).collect();
    let queries = Queries::from_sizes(&[labels.len()]);
    Dataset::new(values, labels, queries, FeatureTable::numbered(rows[0].len(), 1))
}

fn close(got: impl IntoIterator<Item = f64>, expected: &[f64]) {
    let got: Vec<f64> = got.into_iter().collect();
    assert_eq!(got.len(), expected.len());
    assert!(
        got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6),
        "{got:?} is not {expected:?}"
    );
}

#[test]
fn lambdas_equal_the_worked_query() {
    let fixture = fixture("lambda");
    let (scores, labels) = (numbers(&fixture["scores"]), numbers(&fixture["labels"]));
    let labels: Vec<f32> = labels.iter().map(|&y| y as f32).collect();
    let (mut lambda, mut hessian) = (vec![0.0; 4], vec![0.0; 4]);
    Lambdas::new(None).of_query(&scores, &labels, &mut lambda, &mut hessian);
    close(lambda.clone(), &numbers(&fixture["lambda_"]));
    close(hessian.clone(), &numbers(&fixture["hessian"]));
    for (name, documents) in [("leaf_docs_0_2", [0, 2]), ("leaf_docs_1_3", [1, 3])] {
        let sum = |values: &[f64]| documents.iter().map(|&i| values[i]).sum::<f64>();
        close([sum(&lambda) / sum(&hessian)], &[fixture[name].as_f64().unwrap()]);
    }
}

#[test]
fn tree_equals_the_worked_example() {
    let fixture = fixture("regression_tree");
    let data = one_query(&fixture);
    let model = fit("regression-tree", &[("leaves", "3")], &data.view(), None);
    let tree = &trees(&model).trees()[0];
    assert_eq!(tree.feature, [0, 0]);
    close(tree.threshold.iter().map(|&t| f64::from(t)), &[0.3, 0.6]);
    close([tree.gain[0]], &[fixture["root_best"][2].as_f64().unwrap()]);
    assert_eq!((tree.left[0], tree.right[0]), (-1, 1));
    let values = tree.leaf.clone();
    close(model.score(&data.view()).unwrap().into_iter().map(f64::from), &[0., 0., 1., 1., 2., 2.]);
    assert!(values.contains(&0.0) && values.contains(&1.0) && values.contains(&2.0), "{values:?}");
}

#[test]
fn mart_equals_the_worked_example() {
    let fixture = fixture("forest_mart");
    let data = one_query(&fixture);
    for (count, stump) in (1..).zip(fixture["mart"]["stumps"].as_array().unwrap()) {
        let count: String = i32::to_string(&count);
        let set = [("trees", count.as_str()), ("learning-rate", "0.5"), ("leaves", "2")];
        let model = fit("mart", &set, &data.view(), None);
        close(model.score(&data.view()).unwrap().into_iter().map(f64::from), &numbers(&stump["F"]));
        let last = trees(&model).trees().last().unwrap();
        close(
            [f64::from(last.threshold[0]), last.gain[0]],
            &[stump["threshold"].as_f64().unwrap(), stump["gain"].as_f64().unwrap()],
        );
        close(
            last.leaf.iter().map(|value| value / 0.5),
            &[stump["leaf_left"].as_f64().unwrap(), stump["leaf_right"].as_f64().unwrap()],
        );
    }
}

/// The example's bootstrap samples as data sets of their own: each tree predicts the values of the
/// example.
#[test]
fn forest_equals_the_worked_example() {
    let fixture = fixture("forest_mart");
    let data = one_query(&fixture);
    let feature = data.view().with_features(vec![FeatureId(0)]);
    let forest = &fixture["forest"];
    let samples = forest["bootstrap_rows"].as_array().unwrap();
    for (rows, expected) in samples.iter().zip(forest["tree_predictions"].as_array().unwrap()) {
        let rows: Vec<usize> = numbers(rows).iter().map(|&row| row as usize).collect();
        let pick = |column: &[f32]| rows.iter().map(|&row| column[row]).collect::<Vec<f32>>();
        let sample = Dataset::new(
            pick(data.column(FeatureId(0))),
            pick(data.labels()),
            Queries::from_sizes(&[rows.len()]),
            FeatureTable::numbered(1, 1),
        );
        let whole = [("bootstrap", "false"), ("trees", "1")];
        for (name, set) in [("regression-tree", &[][..]), ("random-forest", &whole[..])] {
            let scores = fit(name, set, &sample.view(), None).score(&feature).unwrap();
            close(scores.into_iter().map(f64::from), &numbers(expected));
        }
    }
}

fn tiny() -> Dataset {
    generate(&Preset::Tiny.config()).unwrap().0
}

/// Columns, then the same columns once more.
fn doubled(data: &Dataset) -> Dataset {
    let values = [data.values(), data.values()].concat();
    let features = FeatureTable::numbered(2 * data.features().len(), 1);
    Dataset::new(values, data.labels().to_vec(), data.queries().clone(), features)
}

#[test]
fn a_duplicated_feature_changes_nothing() {
    let data = tiny();
    let twice = doubled(&data);
    for name in TREES {
        let (one, two) = (fit(name, &[], &data.view(), None), fit(name, &[], &twice.view(), None));
        assert_eq!(one.scorer, two.scorer, "{name}");
    }
}

/// An increasing transform of a feature changes thresholds, not the partition of documents.
/// Documents outside a tree's sample could lie between its thresholds, so the forest is trained on
/// all.
#[test]
fn increasing_transforms_of_features_change_no_score() {
    let data = tiny();
    let mut changed = data.clone();
    // Exact in 32 bits, so that distinct values stay distinct.
    changed.for_each_column_mut(|_, _, column| {
        column.iter_mut().filter(|x| **x > 1.0).for_each(|x| *x *= 8.0);
    });
    for name in TREES {
        let set: &[_] =
            if name == "random-forest" { &[("bootstrap", "false"), ("trees", "3")] } else { &[] };
        let scores =
            |data: &Dataset| fit(name, set, &data.view(), None).score(&data.view()).unwrap();
        assert!(scores(&data) == scores(&changed), "{name}");
    }
}

#[test]
fn whole_trees_fit_documents_that_differ_and_forests_get_closer_with_trees() {
    let data = tiny();
    let error = |model: &Model| -> f64 {
        let scores = model.score(&data.view()).unwrap();
        scores.iter().zip(data.labels()).map(|(s, y)| f64::from(s - y).powi(2)).sum()
    };
    assert!(error(&fit("regression-tree", &[], &data.view(), None)) < 1e-9);
    let forest =
        |trees: &str| error(&fit("random-forest", &[("trees", trees)], &data.view(), None));
    assert!(forest("50") < forest("1"), "{} {}", forest("50"), forest("1"));
    let mart = |trees: &str| error(&fit("mart", &[("trees", trees)], &data.view(), None));
    assert!(mart("1") > mart("5") && mart("5") > mart("20"), "squared error falls with every tree");
}

#[test]
fn leaves_hold_at_least_the_required_documents() {
    let data = tiny();
    for (name, set) in [
        ("regression-tree", &[("min-leaf", "50")][..]),
        ("mart", &[("min-leaf", "50"), ("trees", "3")]),
    ] {
        let model = fit(name, set, &data.view(), None);
        for tree in trees(&model).trees() {
            let mut sizes = vec![0; tree.leaf.len()];
            let columns = model.columns(data.features()).unwrap();
            for row in 0..data.documents() {
                sizes[tree.leaf_of(|f| data.column(columns[f as usize])[row])] += 1;
            }
            assert!(sizes.iter().all(|&size| size >= 50), "{name}: {sizes:?}");
        }
    }
}

/// Feature 1 is useful but missing for relevant documents: only a split that separates missing
/// values can use it.
#[test]
fn splits_can_separate_missing_values() {
    let labels: Vec<f32> = (0..40).map(|i| f32::from(i % 4 == 0)).collect();
    let values: Vec<f32> = labels
        .iter()
        .zip(0..)
        .map(|(&y, i)| if y > 0.0 { f32::NAN } else { (i % 7) as f32 })
        .collect();
    let data =
        Dataset::new(values, labels, Queries::from_sizes(&[20, 20]), FeatureTable::numbered(1, 1));
    for name in TREES {
        let scores = fit(name, &[], &data.view(), None).score(&data.view()).unwrap();
        let map: Measure = "map".parse().unwrap();
        assert_eq!(map.summary(&map.per_query(&scores, &data.view())), 1.0, "{name}");
    }
}

#[test]
fn validation_keeps_the_best_round_and_stops() {
    let data = tiny();
    let half = data.queries().len() / 2;
    let train = data.view().with_query_span(0..half);
    let valid = data.view().with_query_span(half..data.queries().len());
    let measure: Measure = "ndcg@10".parse().unwrap();
    for name in ["mart", "lambdamart"] {
        let value = |model: &Model| {
            measure.summary(&measure.per_query(&model.score(&valid).unwrap(), &valid))
        };
        let all = fit(name, &[("trees", "60")], &train, None);
        let best = fit(name, &[("trees", "60")], &train, Some(&valid));
        let kept = trees(&best).trees().len();
        assert!(kept < 60, "{name} kept {kept}");
        assert!(value(&best) > value(&all), "{name}");
        // The rounds that were kept are the first rounds of the other model.
        let leaves = |model: &Model| {
            trees(model).trees()[..kept].iter().map(|t| t.leaf.clone()).collect::<Vec<_>>()
        };
        assert_eq!(leaves(&best), leaves(&all), "{name}");
        let steps = |patience| {
            let steps = Arc::new(Steps::default());
            let run = Run { observer: steps.clone(), ..Run::new(3, Constraints::default()) };
            let set = settings(&[("trees", "60"), ("patience", patience)]);
            ranker(name).unwrap().fit(&set, &run, &train, Some(&valid)).unwrap();
            steps.0.load(Ordering::Relaxed)
        };
        assert!(steps("2") < 60 && steps("60") == 60, "{name}");
    }
}

/// Counts the steps of a run.
#[derive(Default)]
struct Steps(AtomicU64);

impl Observer for Steps {
    fn on_step(&self, _: &Step) -> ControlFlow<Stop> {
        self.0.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    }
}

#[test]
fn importance_counts_all_splits_and_gains_are_positive() {
    let data = tiny();
    let model = fit("lambdamart", &[("trees", "10")], &data.view(), None);
    let ensemble = trees(&model);
    let counts = ensemble.importance(Importance::Count);
    let splits: usize = ensemble.trees().iter().map(|tree| tree.feature.len()).sum();
    assert_eq!(counts.iter().sum::<f64>(), splits as f64);
    assert!(ensemble.importance(Importance::Gain).iter().all(|&gain| gain > 0.0));
    assert_eq!(counts.len(), model.features().len(), "features without a split are not needed");
}

/// Lambda gradients increase NDCG on the training data, for any number of trees.
#[test]
fn more_trees_rank_the_training_data_better() {
    let data = tiny();
    let measure: Measure = "ndcg@10".parse().unwrap();
    let value = |trees: &str| {
        let scores =
            fit("lambdamart", &[("trees", trees)], &data.view(), None).score(&data.view()).unwrap();
        measure.summary(&measure.per_query(&scores, &data.view()))
    };
    assert!(value("5") < value("30") && value("30") < value("200"));
}

#[test]
fn permutation_importance_is_the_decrease_of_the_measure() {
    let data = tiny();
    let run = Run::new(3, Constraints::default());
    let measure: Measure = "ndcg@10".parse().unwrap();
    let model = fit("lambdamart", &[("trees", "30")], &data.view(), None);
    let falls = permutation_importance(&run, &model, &data.view(), &measure, 4).unwrap();
    assert_eq!(falls.len(), model.features().len());
    let gains = trees(&model).importance(Importance::Gain);
    let top = |values: &[f64]| {
        (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap()
    };
    let values: Vec<f64> = falls.iter().map(|f| f.fall).collect();
    assert_eq!(top(&values), top(&gains), "both agree on the feature that matters most");
    for fall in &falls {
        let mean = fall.per_query.iter().sum::<f64>() / fall.per_query.len() as f64;
        assert!((mean - fall.fall).abs() < 1e-12);
    }
    assert!(permutation_importance(&run, &model, &data.view(), &measure, 0).is_err());
}
