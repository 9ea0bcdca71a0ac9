//! The conformance of rankers.

use std::sync::Arc;

use super::{names, odd, permuted, rearranged, tiny};
use crate::common::{Stages, StopAt};
use featherank::data::folds::train_valid_test;
use featherank::data::{Dataset, FeatureId, FeatureTable, Queries, View};
use featherank::measure::Measure;
use featherank::params::Params;
use featherank::rank::{Model, RankerSpec};
use featherank::registry::{RANKERS, ranker};
use featherank::run::{Constraints, Run};
use featherank::select::Selection;
use featherank::{Error, Stop};

fn fit(spec: &RankerSpec, view: &View<'_>) -> Vec<f32> {
    spec.fit(&[], &Run::new(7, Constraints::default()), view, None).unwrap().score(view).unwrap()
}

/// These sample documents, so that another order of rows is another sample; their quality must be
/// the same.
const DRAW_DOCUMENTS: &[&str] = &["random-forest"];

#[test]
fn rankers_do_not_depend_on_threads() {
    let data = tiny();
    for spec in RANKERS {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(spec, &data.view()))
        };
        let expected = with(1);
        assert!([2, 7].iter().all(|&threads| with(threads) == expected), "{}", spec.name);
    }
}

#[test]
fn rankers_learn_and_ignore_the_order_of_rows() {
    let data = tiny();
    let in_order: Vec<usize> = (0..data.queries().len()).collect();
    let reversed = rearranged(&data, &in_order, |rows| rows.reverse());
    let measure: Measure = "ndcg@10".parse().unwrap();
    for spec in RANKERS {
        let (a, b) = (fit(spec, &data.view()), fit(spec, &reversed.view()));
        let value = |scores: &[f32], data: &Dataset| {
            measure.summary(&measure.per_query(scores, &data.view()))
        };
        assert!(
            value(&a, &data) > value(&vec![0.0; data.documents()], &data),
            "{} learns nothing",
            spec.name
        );
        assert!((value(&a, &data) - value(&b, &reversed)).abs() < 0.02, "{}", spec.name);
        if DRAW_DOCUMENTS.contains(&spec.name) {
            continue;
        }
        // Sums in another order differ in their last digits.
        let range = |scores: &[f32]| scores.iter().fold(0f32, |most, score| most.max(score.abs()));
        for rows in data.queries().iter() {
            let pairs = a[rows.clone()].iter().zip(b[rows].iter().rev());
            let apart = pairs.map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
            assert!(apart <= 1e-3 * range(&a), "{}: {apart} of {}", spec.name, range(&a));
        }
    }
}

/// Columns in another order give the same model.
#[test]
fn models_do_not_depend_on_the_order_of_columns() {
    let (data, names) = (tiny(), names(tiny().features().len()));
    let named = data.clone().with_names(names);
    let run = Run::new(7, Constraints::default());
    for spec in RANKERS {
        let model = |data: &Dataset| spec.fit(&[], &run, &data.view(), None).unwrap();
        let (expected, reversed) = (model(&data), model(&permuted(&data)));
        assert_eq!(reversed.to_json().unwrap(), expected.to_json().unwrap(), "{}", spec.name);
        let in_file = permuted(&named);
        let (expected, found) = (model(&named), model(&in_file));
        let labels = |model: &Model| model.features().iter().map(|f| f.label()).collect::<Vec<_>>();
        assert_eq!(labels(&found), labels(&expected), "{}", spec.name);
        let scores = |model: &Model| model.score(&named.view()).unwrap();
        assert_eq!(scores(&found), scores(&expected), "{}", spec.name);
        assert_eq!(found.importances(), expected.importances(), "{}", spec.name);
    }
}

/// A single query, no relevant document, one feature, more features than documents: a model or a
/// clear error.
#[test]
fn rankers_handle_unusual_data() {
    let data = |sizes: &[usize], labels: Vec<f32>, features: usize| {
        let values = (0..labels.len() * features).map(|i| (i * 7919 % 101) as f32).collect();
        Dataset::new(
            values,
            labels,
            Queries::from_sizes(sizes),
            FeatureTable::numbered(features, 1),
        )
    };
    let no_features = data(&[3], vec![0., 1., 2.], 0);
    let no_documents = data(&[], vec![], 2);
    let constant = Dataset::new(
        vec![1.0; 6],
        vec![0., 1., 2.],
        Queries::from_sizes(&[3]),
        FeatureTable::numbered(2, 1),
    );
    let odd_data = [
        ("odd queries", odd()),
        ("one query", data(&[6], vec![0., 1., 2., 0., 0., 1.], 3)),
        ("one document per query", data(&[1, 1, 1], vec![0., 1., 2.], 2)),
        ("no relevant document", data(&[4, 4], vec![0.; 8], 2)),
        ("all relevant", data(&[4, 4], vec![1.; 8], 2)),
        ("one feature", data(&[4, 4], vec![0., 1., 0., 2., 1., 1., 0., 0.], 1)),
        ("more features than documents", data(&[3, 3], vec![0., 1., 2., 1., 0., 0.], 40)),
        ("constant features", constant),
        ("no features", no_features),
        ("no documents", no_documents),
    ];
    for spec in RANKERS {
        for (what, data) in &odd_data {
            match spec.fit(&[], &Run::new(7, Constraints::default()), &data.view(), None) {
                Ok(model) => {
                    let scores = model.score(&data.view()).unwrap();
                    assert!(
                        scores.iter().all(|score| score.is_finite()),
                        "{} with {what}",
                        spec.name
                    );
                }
                Err(error @ (Error::NothingCounts(_) | Error::Numerical(_))) => {
                    assert!(!error.to_string().is_empty());
                }
                Err(error) => panic!("{} with {what}: {error}", spec.name),
            }
        }
        assert!(fit(spec, &odd().view()).iter().all(|score| score.is_finite()), "{}", spec.name);
    }
}

/// Rankers that monitor a measure return an error if no query counts, instead of keeping their
/// first step or never ending.
#[test]
fn measures_that_count_no_query_are_rejected() {
    let data = tiny();
    let set = [("measure".to_owned(), "map[rel=9,empty=skip]".to_owned())];
    let run = Run::new(7, Constraints::default());
    for spec in
        RANKERS.iter().filter(|spec| spec.params.iter().any(|param| param.name == "measure"))
    {
        let view = data.view();
        let fit = |valid| spec.fit(&set, &run, &view, valid);
        if let Err(error) = fit(Some(&view)) {
            assert!(matches!(error, Error::NothingCounts(_)), "{}: {error}", spec.name);
        } else {
            assert_eq!(spec.name, "single-feature", "looks at training data only");
        }
        // Without validation data: a model or an error, but it terminates.
        let _ = fit(None);
    }
}

#[test]
fn labels_too_large_for_gains_are_rejected() {
    let labels = vec![2000., 0., 1., 0.];
    let data = Dataset::new(
        vec![4., 3., 2., 1.],
        labels,
        Queries::from_sizes(&[4]),
        FeatureTable::numbered(1, 1),
    );
    for name in ["lambdamart", "lambdarank"] {
        let spec = ranker(name).unwrap();
        let error =
            spec.fit(&[], &Run::new(7, Constraints::default()), &data.view(), None).unwrap_err();
        assert!(error.to_string().contains("at most 53"), "{name}: {error}");
    }
}

/// A subset fitted from shared work equals the subset fitted alone.
#[test]
fn shared_work_does_not_change_fitted_subsets() {
    let data = tiny();
    let run = Run::new(7, Constraints::default());
    let half = data.queries().len() / 2;
    let (train, valid) = (
        data.view().with_query_span(0..half),
        data.view().with_query_span(half..data.queries().len()),
    );
    for spec in RANKERS {
        let params = Params::new(spec.name, spec.params, &[]).unwrap();
        let ranker = (spec.build)(&params).unwrap();
        let fit = ranker.for_subsets(&run, &train, Some(&valid)).unwrap();
        for subset in [vec![0, 4, 6, 11], vec![4], vec![11, 4, 0, 1, 2, 6]] {
            let features: Vec<FeatureId> = subset.into_iter().map(FeatureId::from).collect();
            let (train, valid) =
                (train.with_features(features.clone()), valid.with_features(features.clone()));
            let alone = ranker.fit(&run, &train, Some(&valid)).unwrap().score(&valid).unwrap();
            let shared = fit(&features).unwrap().score(&valid).unwrap();
            let range = alone.iter().fold(0f32, |most, score| most.max(score.abs()));
            let apart = alone.iter().zip(&shared).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
            assert!(apart <= 1e-5 * range, "{} {features:?}: {apart} of {range}", spec.name);
        }
    }
}

/// Interrupting a ranker at any step returns its own kind of error.
#[test]
fn rankers_can_be_interrupted_at_every_step() {
    let data = tiny();
    for spec in RANKERS {
        for step in [0, 1, 5] {
            let observer = StopAt::step(step);
            let run = Run { observer, ..Run::new(7, Constraints::default()) };
            match spec.fit(&[], &run, &data.view(), None) {
                Err(Error::Stopped(Stop::Interrupted)) => {}
                finished => assert!(finished.is_ok() && step > 0, "{} reports no step", spec.name),
            }
        }
    }
}

/// Work within a stage reports parts of it: nothing replaces a stage that has not ended, and no bar
/// moves back.
#[test]
fn stages_follow_each_other() {
    let fold = train_valid_test(&tiny(), 1).unwrap();
    let (train, valid) = (fold.train.view(), fold.valid.view());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for spec in RANKERS {
        for valid in [None, Some(&valid)] {
            let stages = Arc::new(Stages::default());
            let observer = stages.clone();
            let run = Run { observer, ..Run::new(7, Constraints::default()) };
            pool.install(|| spec.fit(&[], &run, &train, valid).unwrap());
            assert_eq!(stages.faults(), Vec::<String>::new(), "{}", spec.name);
        }
    }
}

#[test]
fn models_round_trip_through_json() {
    let (data, folder) = (tiny(), tempfile::tempdir().unwrap());
    let path = folder.path().join("model.json");
    for spec in RANKERS {
        let model =
            spec.fit(&[], &Run::new(7, Constraints::default()), &data.view(), None).unwrap();
        model.save(&path).unwrap();
        let loaded = Model::load(&path).unwrap();
        assert_eq!(
            loaded.score(&data.view()).unwrap(),
            model.score(&data.view()).unwrap(),
            "{}",
            spec.name
        );
        assert!(Selection::load(&path).is_err(), "a model is no selection");
    }
}
