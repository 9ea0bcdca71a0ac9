//! MOFSRank as a whole: planted ground truth, its variants, checkpoints, time limits and rejected
//! settings.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::common::StopAt;
use featherank::data::synth::{Preset, Role, SynthConfig, generate};
use featherank::data::{Dataset, FeatureId};
use featherank::engine::LocalEngine;
use featherank::measure::Measure;
use featherank::registry::selector;
use featherank::run::{Checkpoint, Constraints, Run};
use featherank::select::Selection;

const QUICK: &[(&str, &str)] = &[
    ("population", "12"),
    ("pair-generations", "4"),
    ("feature-generations", "6"),
    ("ensemble-generations", "5"),
    ("c", "30"),
];

fn tiny() -> Dataset {
    generate(&Preset::Tiny.config()).unwrap().0
}

fn select(set: &[(&str, &str)], run: &Run, data: Dataset) -> featherank::Result<Selection> {
    let set: Vec<(String, String)> =
        set.iter().map(|&(name, value)| (name.into(), value.into())).collect();
    selector("mofsrank").unwrap().run(&set, run, &LocalEngine::new(data, 0).unwrap())
}

fn plain() -> Run {
    Run::new(3, Constraints::default())
}

fn ids(selection: &Selection) -> Vec<u32> {
    selection.selected.iter().map(|chosen| chosen.id).collect()
}

/// The measure of a selection's own model.
fn value(selection: &Selection, data: &Dataset) -> f64 {
    let measure: Measure = "ndcg[ties=expected]@10".parse().unwrap();
    let scores = selection.model.as_ref().unwrap().score(&data.view()).unwrap();
    measure.summary(&measure.per_query(&scores, &data.view()))
}

/// Six features that determine the labels and twelve of pure noise: the smallest answer that is not
/// clearly worse than the best on new data consists of the first kind and ranks other new data
/// about as well as a model of all six.
#[test]
fn useful_features_are_kept_and_noise_is_dropped() {
    let config = SynthConfig {
        queries: 240,
        documents: 4_800,
        useful: 6,
        redundant: 0,
        noisy: 12,
        query_dependent: 0,
        risky: 0,
        constant: 0,
        heavy_tails: false,
        ..Preset::Tiny.config()
    };
    let (data, truth) = generate(&config).unwrap();
    let part = |from: usize, to: usize| {
        let all: Vec<FeatureId> = (0..data.features().len()).map(FeatureId::from).collect();
        let view = data.view().with_query_span(from..to);
        let rows: Vec<usize> = view.rows().flatten().collect();
        let values = all.iter().flat_map(|&f| rows.iter().map(move |&row| (f, row)));
        let values = values.map(|(f, row)| data.column(f)[row]).collect();
        let labels = rows.iter().map(|&row| data.labels()[row]).collect();
        let sizes: Vec<usize> = view.rows().map(|rows| rows.len()).collect();
        let names = (from..to).map(|q| data.queries().id(q).to_owned()).collect();
        Dataset::new(
            values,
            labels,
            featherank::data::Queries::new(&sizes, names),
            data.features().clone(),
        )
    };
    let valid = Arc::new(LocalEngine::new(part(80, 160), 0).unwrap());
    let run = Run { valid: Some(valid), ..plain() };
    let found = select(&[("effort", "quick"), ("slack", "1")], &run, part(0, 80)).unwrap();
    let useful: Vec<u32> = truth.with_role(Role::Useful).map(|feature| feature.id).collect();
    let (kept, noise): (Vec<u32>, Vec<u32>) =
        ids(&found).iter().partition(|id| useful.contains(id));
    assert!(kept.len() >= 3 && noise.len() <= 2, "{kept:?} and {noise:?}");
    let test = part(160, 240);
    let with_all = Constraints {
        k: Some(6),
        keep: useful.iter().map(|id| FeatureId(id - 1)).collect(),
        ..Constraints::default()
    };
    let ideal = select(QUICK, &Run { constraints: with_all, ..plain() }, part(0, 80)).unwrap();
    let (own, ideal) = (value(&found, &test), value(&ideal, &test));
    assert!(own > ideal - 0.03, "{own} and {ideal}");
}

/// The returned model has the accuracy that the search reported, and its features are those
/// selected.
#[test]
fn returned_model_is_the_chosen_one() {
    let found = select(QUICK, &plain(), tiny()).unwrap();
    let chosen: Vec<_> = found.fits.iter().filter(|fit| fit.chosen).collect();
    assert_eq!(chosen.len(), 1);
    assert!((value(&found, &tiny()) - chosen[0].settings["accuracy"]).abs() < 1e-6);
    assert!(
        found
            .fits
            .iter()
            .all(|fit| fit.settings["accuracy"] <= chosen[0].settings["accuracy"] + 1e-9)
    );
    let mut of_model: Vec<u32> =
        found.model.as_ref().unwrap().features().iter().map(|f| f.id).collect();
    let mut selected = ids(&found);
    of_model.sort_unstable();
    selected.sort_unstable();
    assert_eq!(of_model, selected);
}

/// Each variant has the expected effect: all pairs without the first phase; a different search
/// without adaptive mutation; without the third phase no more accuracy than the members' own, and
/// with it at least that.
#[test]
fn variants_have_their_expected_effect() {
    let with = |more: &[(&str, &str)]| select(&[QUICK, more].concat(), &plain(), tiny()).unwrap();
    let accuracy = |found: &Selection| {
        found.fits.iter().map(|fit| fit.settings["accuracy"]).fold(0.0, f64::max)
    };
    let whole = with(&[]);
    let all_pairs = featherank::engine::Schema::of(&tiny()).pairs as f64;
    assert!(whole.fits[0].settings["pairs"] < 0.9 * all_pairs);
    let without_pairs = with(&[("instance-selection", "false")]);
    assert!(without_pairs.fits.iter().all(|fit| fit.settings["pairs"] == all_pairs));
    assert_ne!(with(&[("adaptive", "false")]).fits, whole.fits);
    let alone = with(&[("ensemble", "false")]);
    assert!(accuracy(&whole) >= accuracy(&alone), "the members are where the third search starts");
    assert_ne!(with(&[("shares", "half")]).fits, whole.fits);
    let few = with(&[("pairs", "200"), ("instance-selection", "false")]);
    assert!(few.fits.iter().all(|fit| fit.settings["pairs"] == 200.0));
}

fn kept_in(path: &Path, steps: u64) -> Run {
    let observer = StopAt::step(steps);
    Run { observer, checkpoint: Some(Checkpoint::new(path)), ..plain() }
}

/// Interrupted after any generation of any phase, the next run resumes there and ends in the same
/// bytes.
#[test]
fn resuming_from_any_generation_gives_the_same_bytes() {
    let whole = select(QUICK, &plain(), tiny()).unwrap().to_json().unwrap();
    let folder = tempfile::tempdir().unwrap();
    // The random generation and those that follow, of each phase.
    for generation in 0..(5 + 7 + 6) {
        let path = folder.path().join(format!("{generation}.json"));
        assert!(select(QUICK, &kept_in(&path, generation), tiny()).is_err());
        let text = std::fs::read_to_string(&path).unwrap();
        let phase = match generation {
            0..5 => "\"pairs\":{\"generation\"",
            5..12 => "\"features\":{",
            _ => "\"ensemble\":{",
        };
        assert!(text.contains(phase), "{generation}: {}", &text[..300]);
        let rest = select(QUICK, &kept_in(&path, u64::MAX), tiny()).unwrap();
        assert_eq!(rest.to_json().unwrap(), whole, "stopped after generation {generation}");
    }
}

/// If the time limit is reached before the first step there is still an answer: the first
/// generation of each phase.
#[test]
fn best_result_so_far_is_returned_at_the_time_limit() {
    let first_generations =
        ["pair-generations", "feature-generations", "ensemble-generations"].map(|name| (name, "0"));
    let expected = select(&[QUICK, &first_generations].concat(), &plain(), tiny()).unwrap();
    let late = Run { best_so_far: true, ..plain().stopped_after(Some(Duration::ZERO)) };
    let found = select(QUICK, &late, tiny()).unwrap();
    assert!(found.unfinished && !expected.unfinished);
    assert_eq!((found.selected, found.fits), (expected.selected, expected.fits));
    let late_but_whole = select(&[QUICK, &first_generations].concat(), &late, tiny()).unwrap();
    assert!(!late_but_whole.unfinished, "there was no more to do");
}

/// Costs replace numbers of features, and every model on the front is within the budget.
#[test]
fn costs_guide_the_search() {
    let data = tiny();
    let costs: Vec<f64> =
        (0..data.features().len()).map(|f| if f % 2 == 0 { 5.0 } else { 1.0 }).collect();
    let constraints = Constraints { costs, budget: Some(7.0), ..Constraints::default() };
    let found = select(QUICK, &Run { constraints, ..plain() }, data).unwrap();
    assert!(found.selected.iter().map(|chosen| chosen.cost).sum::<f64>() <= 7.0);
    assert!(found.fits.iter().all(|fit| fit.features <= 7));
    let front = found.searched.unwrap().front;
    assert_eq!(front.len(), found.fits.len());
    let chosen = &front.iter().find(|member| member.chosen).unwrap().features;
    assert!(found.selected.iter().all(|selected| chosen.contains(&selected.id)));
}

#[test]
fn invalid_settings_are_rejected() {
    for (set, says) in [
        (("choose", "validation"), "no validation data is given"),
        (("population", "2.5"), "auto, or a whole number from 2 to 10000"),
        (("population", "1"), "auto, or a whole number from 2 to 10000"),
        (("effort", "huge"), "quick, paper, long"),
        (("c", "0"), "auto, or"),
    ] {
        let error = select(&[set], &plain(), tiny()).unwrap_err().to_string();
        assert!(error.contains(says), "{set:?}: {error}");
    }
}

/// A fold that the searches do not use chooses the answer.
#[test]
fn held_out_queries_choose_the_answer() {
    let found = select(&[QUICK, &[("choose", "held-out")]].concat(), &plain(), tiny()).unwrap();
    let chosen = found.fits.iter().find(|fit| fit.chosen).unwrap();
    assert!(found.fits.iter().all(|fit| fit.value.unwrap() <= chosen.value.unwrap() + 1e-9));
    let all_pairs = featherank::engine::Schema::of(&tiny()).pairs as f64;
    let all = select(
        &[QUICK, &[("choose", "held-out"), ("instance-selection", "false")]].concat(),
        &plain(),
        tiny(),
    );
    assert!(all.unwrap().fits[0].settings["pairs"] < 0.95 * all_pairs);
}
