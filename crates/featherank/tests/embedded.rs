//! Every embedded method of the registry: its model, its path, its tuning, and unusual data.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use std::sync::Arc;

use crate::common::embedded::{ids, run, select, tiny, try_select, weights, with_k};
use featherank::Error;
use featherank::data::{Dataset, FeatureId, FeatureTable, Queries};
use featherank::engine::LocalEngine;
use featherank::measure::Measure;
use featherank::registry::{Category, SELECTORS};
use featherank::run::{Constraints, Run};
use featherank::select::Selection;

fn methods() -> impl Iterator<Item = &'static str> {
    SELECTORS.iter().filter(|spec| spec.category == Category::Embedded).map(|spec| spec.name)
}

/// The model uses chosen features only, gives finite scores, names its origin, and can be saved and
/// loaded.
#[test]
fn selections_hold_their_model() {
    let data = tiny();
    let folder = crate::common::Folder::new();
    for method in methods() {
        for k in [1, 2, 3, 7, 18] {
            let found = try_select(method, &[], &data, &with_k(k)).unwrap();
            assert_eq!(found.selected.len(), k, "{method}");
            let model = found.model.as_ref().unwrap();
            let used: Vec<u32> = model.features().iter().map(|feature| feature.id).collect();
            assert!(
                !used.is_empty() && used.iter().all(|id| ids(&found).contains(id)),
                "{method} {k}"
            );
            assert!(k > 3 || used.len() == k, "{method} uses {used:?} of {k}");
            assert!(model.score(&data.view()).unwrap().iter().all(|score| score.is_finite()));
            assert_eq!(model.trained.as_ref().unwrap().ranker, method);
            assert_eq!(found.certificate.len(), 1);
            found.save(&folder.path("s.json")).unwrap();
            assert_eq!(Selection::load(&folder.path("s.json")).unwrap(), found);
        }
    }
    let text = std::fs::read_to_string(folder.path("s.json")).unwrap();
    let newer = text.replace("\"featherank\": \"model\"", "\"featherank\": \"tree\"");
    folder.put("s.json", &newer);
    let error = Selection::load(&folder.path("s.json")).unwrap_err().to_string();
    assert!(error.contains("s.json") && error.contains("remove the field `checksum`"), "{error}");
    let edited = newer.lines().filter(|line| !line.starts_with("  \"checksum\""));
    folder.put("s.json", edited.collect::<String>());
    let error = Selection::load(&folder.path("s.json")).unwrap_err().to_string();
    assert!(error.contains("a model of version 3 is expected"), "{error}");
}

/// The best of all models on validation data is chosen, and its value is the measure of the final
/// model.
#[test]
fn validation_data_chooses_the_model() {
    let data = tiny();
    let queries: Vec<usize> = (0..data.queries().len()).collect();
    let (train, valid) = (data.subset(&queries[..40]), data.subset(&queries[40..]));
    let measure: Measure = "map[ties=expected]".parse().unwrap();
    let tuned = Run { valid: Some(Arc::new(LocalEngine::new(valid.clone(), 1).unwrap())), ..run() };
    for method in methods() {
        let found = try_select(method, &[], &train, &tuned).unwrap();
        let chosen: Vec<_> = found.fits.iter().filter(|fit| fit.chosen).collect();
        assert_eq!(chosen.len(), 1, "{method}");
        let best = chosen[0].value.unwrap();
        assert!(
            found.fits.iter().filter_map(|fit| fit.value).all(|value| value <= best + 1e-9),
            "{method}"
        );
        assert!(found.fits.iter().all(|fit| fit.features > 0 || fit.value.is_none()), "{method}");
        let scores = found.model.as_ref().unwrap().score(&valid.view()).unwrap();
        let value = measure.summary(&measure.per_query(&scores, &valid.view()));
        assert!((value - best).abs() < 1e-6, "{method}: {value} is not {best}");
        let narrow = Dataset::new(
            vec![0.; 2],
            vec![0., 1.],
            Queries::from_sizes(&[2]),
            FeatureTable::numbered(1, 1),
        );
        let narrow = Run { valid: Some(Arc::new(LocalEngine::new(narrow, 1).unwrap())), ..run() };
        let error = try_select(method, &[], &train, &narrow).unwrap_err();
        assert!(error.to_string().contains("different features"), "{error}");
    }
}

/// Several values of the parameter replace the path, from sparse to dense; one of them is chosen.
#[test]
fn given_values_replace_the_path() {
    for (method, name, given, path) in [
        ("l1-svm", "c", "1,1e-3,0.1,1e-3", vec![1e-3, 0.1, 1.0]),
        ("rankrwfs-l0", "c", "1e-3,1", vec![1e-3, 1.0]),
        ("fenchel-rank", "r", "2,1", vec![1.0, 2.0]),
        ("eg-rank", "r", "1, 2", vec![1.0, 2.0]),
        ("nonconvex-svm", "lambda", "1e-3,1e-1", vec![1e-1, 1e-3]),
        ("fsmrank", "lambda2", "1e-3,1e-2", vec![1e-2, 1e-3]),
        ("greedy-rankrls", "lambda", "1,100", vec![100.0, 1.0]),
        ("rsrank", "g", "0,5", vec![5.0, 0.0]),
    ] {
        let others = [("iterations", "10"), ("starts", "1"), ("lambda1", "0.01")];
        let spec = SELECTORS.iter().find(|spec| spec.name == method).unwrap();
        let known =
            others.into_iter().filter(|(other, _)| spec.params.iter().any(|p| p.name == *other));
        let set: Vec<(&str, &str)> = known.chain([(name, given)]).collect();
        let found = select(method, &set, &tiny());
        let tried: Vec<f64> = found.fits.iter().map(|fit| fit.settings[name]).collect();
        assert_eq!(tried.len(), path.len(), "{method}: {tried:?}");
        let differs = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-9 * b.abs();
        assert!(!tried.iter().zip(&path).any(differs), "{method}: {tried:?} is not {path:?}");
        assert_eq!(found.fits.iter().filter(|fit| fit.chosen).count(), 1, "{method}");
    }
}

/// A kept feature is in the selection, and a dropped one is not even in the model.
#[test]
fn kept_and_dropped_features_are_respected() {
    let data = tiny();
    for method in methods() {
        let free = select(method, &[], &data);
        let (first, last) = (free.path[0].feature, free.path[free.path.len() - 1].feature);
        let keep = vec![FeatureId(last - 1)];
        let drop = vec![FeatureId(first - 1)];
        let constraints = Constraints { keep, drop, ..Constraints::default() };
        let found = try_select(method, &[], &data, &Run::new(7, constraints)).unwrap();
        assert!(ids(&found).contains(&last) && !ids(&found).contains(&first), "{method}");
        assert_eq!(found.path[0].feature, last, "{method}");
        assert!(found.path.iter().all(|step| step.feature != first), "{method}");
        let w = weights(found.model.as_ref().unwrap(), 20);
        assert!(w[first as usize - 1] == 0.0, "{method}");
    }
}

/// A model or a clear error, and never NaN.
#[test]
fn unusual_data_gives_a_model_or_an_error() {
    let data = |sizes: &[usize], labels: Vec<f32>, features: usize, scale: f32| {
        let values =
            (0..labels.len() * features).map(|i| (i * 7919 % 101) as f32 * scale).collect();
        Dataset::new(
            values,
            labels,
            Queries::from_sizes(sizes),
            FeatureTable::numbered(features, 1),
        )
    };
    let copies = Dataset::new(
        [[0., 1., 2., 3., 0., 5.]; 4].concat(),
        vec![0., 1., 2., 1., 0., 2.],
        Queries::from_sizes(&[3, 3]),
        FeatureTable::numbered(4, 1),
    );
    for (what, data, survives) in [
        ("one query", data(&[6], vec![0., 1., 2., 0., 0., 1.], 3, 1.0), true),
        ("two queries", data(&[3, 3], vec![0., 1., 2., 0., 0., 1.], 3, 1.0), true),
        ("one document per query", data(&[1, 1, 1], vec![0., 1., 2.], 2, 1.0), false),
        ("no relevant document", data(&[4, 4], vec![0.; 8], 2, 1.0), false),
        ("all relevant", data(&[4, 4], vec![1.; 8], 2, 1.0), false),
        ("one feature", data(&[4, 4], vec![0., 1., 0., 2., 1., 1., 0., 0.], 1, 1.0), true),
        (
            "more features than documents",
            data(&[3, 3], vec![0., 1., 2., 1., 0., 0.], 40, 1.0),
            true,
        ),
        ("copies", copies, true),
        ("huge values", data(&[4, 4], vec![0., 1., 0., 2., 1., 1., 0., 0.], 3, 1e30), true),
        ("small values", data(&[4, 4], vec![0., 1., 0., 2., 1., 1., 0., 0.], 3, 1e-20), true),
        ("constant features", data(&[4], vec![0., 1., 0., 2.], 2, 0.0), false),
        ("no features", data(&[3], vec![0., 1., 2.], 0, 1.0), false),
        ("no documents", data(&[], vec![], 2, 1.0), false),
    ] {
        for method in methods() {
            for run in [run(), with_k(1), with_k(2)] {
                match try_select(method, &[], &data, &run) {
                    Ok(found) => {
                        assert!(survives, "{method} with {what}");
                        let scores = found.model.as_ref().unwrap().score(&data.view());
                        assert!(scores.is_ok(), "{method} with {what}: {scores:?}");
                        assert!(
                            found.certificate.values().all(|value| value.is_finite()),
                            "{method} with {what}"
                        );
                        assert!(found.selected.iter().all(|chosen| chosen.score.is_finite()));
                    }
                    Err(
                        error @ (Error::Invalid { .. }
                        | Error::Constraint(_)
                        | Error::NothingCounts(_)
                        | Error::NothingSelected(_)
                        | Error::Numerical(_)),
                    ) => {
                        let too_few = run.constraints.k == Some(2) && data.features().len() < 2;
                        let odd = !survives || too_few || what.contains("values");
                        assert!(odd, "{method} with {what}: {error}");
                    }
                    Err(error) => panic!("{method} with {what}: {error}"),
                }
            }
        }
    }
}
