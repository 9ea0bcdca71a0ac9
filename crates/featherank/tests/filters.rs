//! Filters made for ranking: properties on synthetic data, and published choices on real data.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use featherank::data::folds::FoldFiles;
use featherank::data::synth::{Preset, generate};
use featherank::data::{Dataset, FeatureId, FeatureTable, Queries, ReadOptions};
use featherank::engine::passes::MergeGains;
use featherank::engine::{Ask, Engine, LocalEngine};
use featherank::internals::random::{Purpose, stream};
use featherank::measure::Measure;
use featherank::registry::selector;
use featherank::run::{Constraints, Run};
use featherank::select::Selection;
use rand::RngExt;

fn select(
    method: &str,
    set: &[(&str, &str)],
    data: Dataset,
    constraints: Constraints,
) -> Selection {
    let set: Vec<(String, String)> =
        set.iter().map(|&(name, value)| (name.into(), value.into())).collect();
    let engine = LocalEngine::new(data, 2).unwrap();
    selector(method).unwrap().run(&set, &Run::new(1, constraints), &engine).unwrap()
}

fn ids(selection: &Selection) -> Vec<u32> {
    selection.selected.iter().map(|chosen| chosen.id).collect()
}

/// The data with its columns doubled: feature d + i is a copy of feature i.
fn with_copies(data: &Dataset) -> Dataset {
    let width = data.features().len();
    let column = |f: usize| data.column(FeatureId::from(f % width));
    let values = (0..2 * width).flat_map(|f| column(f).to_vec()).collect();
    let sizes: Vec<usize> = data.queries().sizes().collect();
    let labels = data.labels().to_vec();
    Dataset::new(values, labels, Queries::from_sizes(&sizes), FeatureTable::numbered(2 * width, 1))
}

/// A ranking merged with itself does not change. (Merged with a copy of one of several chosen
/// features it can still change.)
#[test]
fn copies_have_no_gain_in_best_gain() {
    let (data, _) = generate(&Preset::Tiny.config()).unwrap();
    let width = data.features().len();
    let engine = LocalEngine::new(with_copies(&data), 2).unwrap();
    let engine: &dyn Engine = &engine;
    for measure in ["map[ties=expected]", "map", "ndcg@10", "ndcg[ties=worst]@5", "gmap"] {
        let measure: Measure = measure.parse().unwrap();
        for feature in 0..width {
            let pass = MergeGains {
                measure: measure.clone(),
                relevant_from: 1.0,
                varying: (0..2 * width).map(FeatureId::from).collect(),
                chosen: vec![FeatureId::from(feature)],
                candidates: (0..2 * width).map(FeatureId::from).collect(),
            };
            let gains = engine.ask(&pass).unwrap().gains(&measure);
            assert_eq!(
                (gains[feature], gains[feature + width]),
                (0.0, 0.0),
                "{measure}, feature {feature}"
            );
            assert!(gains.iter().any(|&gain| gain > 0.0), "others gain");
        }
    }
}

/// Binary noise: 60 queries of 40 documents, of which many are equal in all features.
fn noise(seed: u64, constant: Option<f32>) -> Dataset {
    let mut random = stream(seed, Purpose::Test, 0);
    let documents = 60 * 40;
    let mut values: Vec<f32> =
        (0..3 * documents).map(|_| if random.random::<f64>() < 0.5 { 1.0 } else { 0.0 }).collect();
    let labels =
        (0..documents).map(|_| if random.random::<f64>() < 0.2 { 1.0 } else { 0.0 }).collect();
    values.extend(constant.iter().flat_map(|&value| vec![value; documents]));
    let features = FeatureTable::numbered(3 + constant.iter().count(), 1);
    Dataset::new(values, labels, Queries::from_sizes(&[40; 60]), features)
}

/// The gains of features 2 and 3 beside feature 1.
fn gains(data: Dataset, measure: &str) -> Vec<f64> {
    let measure: Measure = measure.parse().unwrap();
    let engine = LocalEngine::new(data, 2).unwrap();
    let pass = MergeGains {
        measure: measure.clone(),
        relevant_from: 1.0,
        varying: vec![FeatureId(0), FeatureId(1), FeatureId(2)],
        chosen: vec![FeatureId(0)],
        candidates: vec![FeatureId(1), FeatureId(2)],
    };
    engine.ask(&pass).unwrap().gains(&measure)
}

/// With expected values for ties, gains equal those of a random order: on average over data they
/// equal gains with the file in random order, although most documents have a duplicate of other
/// relevance.
#[test]
fn expected_ties_equal_random_order_on_average() {
    let draws: Vec<(f64, f64)> = (0..40)
        .map(|seed| {
            let mean = |measure: &str| gains(noise(seed, None), measure).iter().sum::<f64>() / 2.0;
            // Noise is already in random order.
            (mean("map[ties=expected]"), mean("map"))
        })
        .collect();
    let differences: Vec<f64> = draws.iter().map(|(shuffled, file)| shuffled - file).collect();
    let mean = differences.iter().sum::<f64>() / 40.0;
    let variance = differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / 39.0;
    let error = (variance / 40.0).sqrt();
    assert!(mean.abs() < 3.0 * error, "{mean} against a standard error of {error}");
    assert!(error < 0.003, "{error}");
}

#[test]
fn constant_features_change_no_gain() {
    let without = gains(noise(1, None), "map[ties=expected]");
    for value in [1.0, 2.0, 8.0] {
        assert_eq!(gains(noise(1, Some(value)), "map[ties=expected]"), without);
    }
}

/// One feature ranks one query correctly, another one the other: together they rank both, and
/// BestGain adds both.
#[test]
fn best_gain_combines_complementary_features() {
    let columns = [
        [3., 2., 1., 1., 2., 3.], // correct in query 1
        [3., 2., 1., 1., 2., 3.].map(|x: f32| x * 2.0),
        [1., 2., 3., 3., 2., 1.], // correct in query 2
    ];
    let data = || {
        let labels = vec![1., 0., 0., 1., 0., 0.];
        Dataset::new(
            columns.concat(),
            labels,
            Queries::from_sizes(&[3, 3]),
            FeatureTable::numbered(3, 1),
        )
    };
    let selection = select("best-gain", &[], data(), Constraints::default());
    assert_eq!(ids(&selection), [1, 3]);
    // Alone (1 + 1/3)/2; merged 1 in both queries.
    assert!((selection.path[0].value - 2.0 / 3.0).abs() < 1e-12);
    assert!((selection.path[1].value - 1.0 / 3.0).abs() < 1e-12);
    let strict = select("best-gain", &[("delta", "0.5")], data(), Constraints::default());
    assert_eq!(
        (ids(&strict), strict.path.len()),
        (vec![1], 3),
        "tested before adding; the path goes on"
    );
}

/// Relevance from label 2: documents with label 1 are not moved up.
#[test]
fn best_gain_supports_graded_labels_by_a_threshold() {
    let data = || {
        let columns = [[4., 3., 2., 1.], [1., 2., 4., 3.]];
        let labels = vec![0., 1., 2., 0.];
        Dataset::new(
            columns.concat(),
            labels,
            Queries::from_sizes(&[4]),
            FeatureTable::numbered(2, 1),
        )
    };
    let gain = |relevant: &str, measure: &str| {
        let set = [("measure", measure), ("relevant", relevant), ("delta", "0")];
        let constraints = Constraints { keep: vec![FeatureId(0)], ..Constraints::default() };
        select("best-gain", &set, data(), constraints).path[1].value
    };
    // Kept first: order 1 2 3 4, labels 0 1 2 0. The other order is 3 4 2 1. From 2: document 3 is
    // first, then the kept order: 2 0 1 0. AP of label 2 increases from 1/3 to 1.
    assert!((gain("2", "map[rel=2]") - 2.0 / 3.0).abs() < 1e-12);
    // From 1: the run to document 3 is shorter than that over 1 to 2; then 1, 2 against 4, 2: the
    // kept order continues.
    let ap = (1.0 + 2.0 / 3.0) / 2.0 - (1.0 / 2.0 + 2.0 / 3.0) / 2.0;
    assert!((gain("1", "map") - ap).abs() < 1e-12);
}

#[test]
fn unusable_input_is_rejected() {
    let refused = |method: &str,
                   set: &[(&str, &str)],
                   labels: Vec<f32>,
                   constraints: Constraints| {
        let values = vec![3., 1., 2., 9., 8., 7., 5., 5., 5.];
        let data =
            Dataset::new(values, labels, Queries::from_sizes(&[3]), FeatureTable::numbered(3, 1));
        let set: Vec<_> =
            set.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        let engine = LocalEngine::new(data, 1).unwrap();
        selector(method)
            .unwrap()
            .run(&set, &Run::new(1, constraints), &engine)
            .unwrap_err()
            .to_string()
    };
    let free = Constraints::default;
    assert!(refused("top-k", &[], vec![0., 0., 0.], free()).contains("different relevance"));
    assert!(
        refused("best-gain", &[("relevant", "2")], vec![1., 0., 0.], free())
            .contains("no document")
    );
    assert!(
        refused("best-gain", &[("relevant", "1")], vec![0.5, 0., 0.], free())
            .contains("no document")
    );
    let labels = || vec![1., 0., 0.];
    let dropped = Constraints { drop: vec![FeatureId(0), FeatureId(1)], ..free() };
    for method in ["gas", "fcbf"] {
        let message = refused(method, &[], labels(), dropped.clone());
        assert!(
            message.contains("no feature can be selected") && message.contains("2 are dropped"),
            "{message}"
        );
        assert!(!message.contains("`k`"), "{message}");
    }
    let poor = Constraints { budget: Some(0.5), ..free() };
    let message = refused("gas", &[], labels(), poor);
    assert!(message.contains("budget of 0.5") && !message.contains("`k`"), "{message}");
    let many = Constraints { k: Some(3), budget: Some(100.0), ..free() };
    assert!(
        refused("gas", &[], labels(), many).contains("1 features cannot be used"),
        "the budget is not why"
    );
}

/// The choices that Costa & Silva (2010) print for OHSUMED: one feature in every fold, one of them
/// in three folds, two in one each; and the gain of a second one from an independent calculation.
#[test]
fn best_gain_choices_equal_the_report() {
    let Some(folder) = crate::common::real_data("OHSUMED/QueryLevelNorm") else { return };
    let expected = [(8, 0.0489), (11, 0.0479), (11, 0.0537), (10, 0.0541), (11, 0.0459)];
    for (fold, (feature, second)) in FoldFiles::find(&folder).unwrap().iter().zip(expected) {
        let train = fold.read(&ReadOptions::default()).unwrap().train;
        let set = [("measure", "map"), ("delta", "0.055")];
        let selection = select("best-gain", &set, train, Constraints::default());
        assert_eq!(ids(&selection), [feature], "fold {}", fold.number);
        assert!((selection.path[1].value - second).abs() < 5e-5, "{:?}", selection.path[1]);
        assert_eq!(selection.path.len(), 36, "constant features are not on the path");
    }
}
