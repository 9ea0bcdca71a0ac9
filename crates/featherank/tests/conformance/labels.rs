//! Labels on other scales than 0, 1, 2: every selector and ranker works, or says what to change.

use super::selectors::short;
use super::tiny;
use featherank::data::synth::{Preset, Role, generate};
use featherank::data::{Dataset, FeatureId};
use featherank::engine::LocalEngine;
use featherank::measure::Measure;
use featherank::params::{Kind, Param};
use featherank::registry::{RANKERS, SELECTORS};
use featherank::run::{Constraints, Run};
use featherank::select::Selection;
use featherank::{Error, Result};

/// The three grades of [`tiny`] on other scales, and a label that divides the documents.
const SCALES: [([f32; 3], &str); 5] = [
    ([0.0, 0.25, 0.5], "0.25"),
    ([1.0, 3.0, 5.0], "3"),
    ([0.0, 20.0, 50.0], "20"),
    ([0.0, 100.0, 1000.0], "100"),
    ([0.0, 1e-7, 2e-7], "0.0000001"),
];

fn scaled(scale: [f32; 3]) -> Dataset {
    let data = tiny();
    let labels: Vec<f32> = data.labels().iter().map(|&label| scale[label as usize]).collect();
    let all: Vec<FeatureId> = (0..data.features().len()).map(FeatureId::from).collect();
    let values = all.iter().flat_map(|&f| data.column(f).to_vec()).collect();
    Dataset::new(values, labels, data.queries().clone(), data.features().clone())
}

fn run() -> Run {
    Run::new(7, Constraints::default())
}

/// A refusal states a remedy, or which values are valid.
fn is_helpful(error: &Error) -> bool {
    error.remedy().is_some() || matches!(error, Error::Invalid { .. })
}

fn select(name: &str, more: &[(&str, String)], data: &Dataset) -> Result<Selection> {
    let spec = SELECTORS.iter().find(|spec| spec.name == name).unwrap();
    let mut set = short(spec);
    for (name, value) in more {
        set.retain(|(known, _)| known != name);
        set.push(((*name).to_owned(), value.clone()));
    }
    spec.run(&set, &run(), &LocalEngine::new(data.clone(), 1).unwrap())
}

/// Some chosen feature is not one of those that are independent of the labels.
fn finds_signal(selection: &Selection) -> bool {
    let (_, truth) = generate(&Preset::Tiny.config()).unwrap();
    let noise = truth.with_role(Role::Noisy).chain(truth.with_role(Role::Constant));
    let noise: Vec<u32> = noise.map(|feature| feature.id).collect();
    selection.selected.iter().any(|chosen| !noise.contains(&chosen.id))
}

/// Lambdas and exponential gains cannot represent very large and very small labels.
fn is_representable(scale: [f32; 3]) -> bool {
    (1e-6..=53.0).contains(&scale[2])
}

#[test]
fn selectors_work_on_any_scale_without_settings() {
    for (scale, threshold) in SCALES {
        let data = scaled(scale);
        for spec in SELECTORS {
            match select(spec.name, &[], &data) {
                Ok(found) => {
                    let first = found.selected[0].id;
                    assert!(finds_signal(&found), "{} on {scale:?}: {first}", spec.name);
                }
                Err(error) => {
                    assert!(!is_representable(scale), "{} on {scale:?}: {error}", spec.name);
                    assert!(is_helpful(&error), "{} on {scale:?}: {error}", spec.name);
                    let linear = ("measure", "ndcg[gain=linear,ties=expected]@10".to_owned());
                    let has_measure = spec.params.iter().any(|param| param.name == linear.0);
                    // Those that train boosted trees remain.
                    if let Some(Ok(found)) =
                        has_measure.then(|| select(spec.name, &[linear], &data))
                    {
                        assert!(finds_signal(&found), "{} on {scale:?}", spec.name);
                    }
                }
            }
        }
        // The threshold is chosen only if 1 does not divide the labels, and then it is recorded.
        let found = select("best-gain", &[], &data).unwrap();
        let one_divides = scale[0] < 1.0 && scale[2] >= 1.0;
        let expected = if one_divides { "1" } else { threshold };
        assert_eq!(found.parameters["relevant"], expected, "{scale:?}");
        assert_eq!(found.notes.iter().any(|note| note.contains("count as relevant")), !one_divides);
    }
}

/// Every method with a measure of binary relevance rejects a threshold of the user that does not
/// divide the labels.
#[test]
fn thresholds_of_the_user_are_rejected_or_used() {
    let mut methods = 0;
    for (scale, threshold) in &SCALES[..2] {
        let data = scaled(*scale);
        for spec in SELECTORS {
            let is_binary = |text: &str| text.parse::<Measure>().unwrap().relevant_from().is_some();
            let of_map = |param: &&Param| param.kind == Kind::Measure && is_binary(param.default);
            let Some(param) = spec.params.iter().find(of_map) else { continue };
            methods += 1;
            let refused = select(spec.name, &[(param.name, param.default.to_owned())], &data);
            let refused = refused.unwrap_err();
            assert!(refused.to_string().contains("counts labels from 1 on"), "{refused}");
            assert!(refused.remedy().is_some(), "{}: {refused}", spec.name);
            let own = format!("map[ties=expected,rel={threshold}]");
            let found = select(spec.name, &[(param.name, own.clone())], &data).unwrap();
            assert_eq!(found.parameters[param.name], own, "{}", spec.name);
        }
        let relevant = ("relevant", "1".to_owned());
        let refused = select("best-gain", &[relevant], &data).unwrap_err();
        assert!(refused.to_string().contains(threshold), "{refused}");
    }
    assert_eq!(methods, 2 * 14, "methods that tune or rank by average precision");
}

#[test]
fn rankers_work_on_any_scale_or_name_a_remedy() {
    for (scale, _) in SCALES {
        let data = scaled(scale);
        for spec in RANKERS {
            match spec.fit(&[], &run(), &data.view(), None) {
                Ok(model) => {
                    let scores = model.score(&data.view()).unwrap();
                    assert!(scores.iter().all(|s| s.is_finite()), "{} on {scale:?}", spec.name);
                }
                Err(error) => {
                    assert!(is_helpful(&error), "{} on {scale:?}: {error}", spec.name);
                    assert!(!is_representable(scale), "{} on {scale:?}: {error}", spec.name);
                }
            }
        }
    }
}

/// The threshold of a ranker that a wrapper trains depends on the labels, too.
#[test]
fn wrappers_train_rankers_with_a_threshold_that_divides() {
    for (scale, _) in &SCALES[..3] {
        for ranker in ["svm-map", "adarank-map"] {
            let set = [("ranker", ranker.to_owned()), ("settings", String::new())];
            let found = select("rfe", &set, &scaled(*scale)).unwrap();
            assert!(finds_signal(&found), "{ranker} on {scale:?}");
        }
    }
}
