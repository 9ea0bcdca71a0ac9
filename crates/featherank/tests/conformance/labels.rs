//! Labels on other scales than 0, 1, 2: every selector and ranker works, or says what to change.

use super::selectors::short;
use super::tiny;
use featherank::data::synth::{Preset, Role, generate};
use featherank::data::{Dataset, FeatureId};
use featherank::engine::LocalEngine;
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

#[test]
fn selectors_work_on_any_scale_or_name_a_remedy() {
    for (scale, threshold) in SCALES {
        let data = scaled(scale);
        for spec in SELECTORS {
            let refused = match select(spec.name, &[], &data) {
                Ok(found) => {
                    let first = found.selected[0].id;
                    assert!(finds_signal(&found), "{} on {scale:?}: {first}", spec.name);
                    continue;
                }
                Err(error) => error,
            };
            assert!(is_helpful(&refused), "{} on {scale:?}: {refused}", spec.name);
            // The remedies: a threshold that divides the labels, or linear gains.
            let has = |name: &str| spec.params.iter().any(|param| param.name == name);
            let measure = match scale[2] > 53.0 {
                true => "ndcg[gain=linear,ties=expected]@10".to_owned(),
                false => format!("map[rel={threshold},ties=expected]"),
            };
            let mut more = Vec::new();
            if has("measure") {
                more.push(("measure", measure));
            }
            if has("relevant") {
                more.push(("relevant", threshold.to_owned()));
            }
            if spec.name == "greedy" {
                more.push(("settings", format!("relevant={threshold}")));
            }
            match select(spec.name, &more, &data) {
                Ok(found) => assert!(finds_signal(&found), "{} on {scale:?}", spec.name),
                // Lambdas and exponential gains cannot represent such labels.
                Err(error) => assert!(
                    scale[2] > 53.0 || scale[2] < 1e-6,
                    "{} on {scale:?} with {more:?}: {error}",
                    spec.name
                ),
            }
        }
    }
}

/// The default method needs no setting on fractions and on grades from 1.
#[test]
fn the_default_selection_works_without_settings() {
    for (scale, _) in &SCALES[..3] {
        let found = select("auto", &[], &scaled(*scale)).unwrap();
        assert!(finds_signal(&found), "{scale:?}");
    }
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
                    assert!(
                        scale != [0.0, 20.0, 50.0],
                        "{}: grades from 0 divide the documents: {error}",
                        spec.name
                    );
                }
            }
        }
    }
}
