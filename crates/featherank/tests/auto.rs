//! The method `auto`: planted noise is dropped, the guarantees hold, and interrupted runs resume.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use crate::common::StopAt;
use featherank::checkpoint::Checkpoint;
use featherank::data::synth::{Preset, Role, SynthConfig, Truth, generate};
use featherank::data::{Dataset, FeatureId};
use featherank::engine::LocalEngine;
use featherank::registry;
use featherank::run::{Constraints, Run};
use featherank::select::Selection;
use featherank::{Error, Result, Stop};

fn planted(queries: usize) -> (Dataset, Truth) {
    let config = SynthConfig {
        queries,
        documents: 20 * queries,
        noisy: 10,
        seed: 3,
        ..Preset::Tiny.config()
    };
    generate(&config).unwrap()
}

/// Settings that make a run short.
const SHORT: &[(&str, &str)] = &[("ranker", "rankrls"), ("methods", "elimination,best-gain")];

fn select(data: &Dataset, run: &Run, set: &[(&str, &str)]) -> Result<Selection> {
    let set: Vec<(String, String)> =
        set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    registry::selector("auto")?.run(&set, run, &LocalEngine::new(data.clone(), 2)?)
}

fn with(constraints: Constraints) -> Run {
    Run::new(1, constraints)
}

fn run() -> Run {
    with(Constraints::default())
}

fn ids(selection: &Selection) -> BTreeSet<u32> {
    selection.selected.iter().map(|chosen| chosen.id).collect()
}

#[test]
fn planted_noise_is_dropped_for_linear_rankers_and_for_trees() {
    let (data, truth) = planted(800);
    let noisy: BTreeSet<u32> = truth.with_role(Role::Noisy).map(|feature| feature.id).collect();
    let others = data.features().len() - noisy.len() - truth.with_role(Role::Constant).count();
    for set in [SHORT, &[("settings", "trees=60"), ("methods", "elimination")]] {
        let chosen = select(&data, &run(), set).unwrap();
        let advice = chosen.advice.as_ref().unwrap();
        // No other feature is dropped before the last noise feature; 15 is one of the sizes that
        // are tried.
        let kept = ids(&chosen).intersection(&noisy).count();
        assert_eq!(
            kept,
            chosen.selected.len().saturating_sub(others),
            "{set:?}: {:?}",
            ids(&chosen)
        );
        assert!(kept <= 1, "{set:?}: {:?} of {noisy:?}", ids(&chosen));
        assert!((3..16).contains(&chosen.selected.len()), "{set:?}: {:?}", ids(&chosen));
        // The statements about the choice hold: both bounds lie above the accepted loss, and the
        // next size fails one of the tests.
        let tried = &advice.tried[advice.chosen.unwrap()];
        assert_eq!(tried.features, chosen.selected.len());
        assert!(tried.effectiveness.lower_bound > -0.02 * advice.all, "{tried:?}");
        assert!(tried.risk.lower_bound > -tried.risk.margin, "{tried:?}");
        let next = &advice.tried[advice.next.unwrap()];
        assert!(next.features < tried.features && !(next.effectiveness.holds && next.risk.holds));
    }
}

/// The held-out values are means over the same queries as the bounds, so that a reader can
/// recompute them.
#[test]
fn advice_can_be_recomputed_from_the_reported_values() {
    let (data, _) = planted(300);
    let chosen = select(&data, &run(), SHORT).unwrap();
    let advice = chosen.advice.unwrap();
    assert_eq!(advice.queries.len(), 300);
    assert_eq!(
        advice.queries.iter().collect::<BTreeSet<_>>().len(),
        300,
        "each query is held out once"
    );
    let pairs: Vec<(f64, f64)> = advice
        .per_query
        .iter()
        .zip(&advice.per_query_of_all)
        .filter_map(|(a, b)| Some(((*a)?, (*b)?)))
        .collect();
    let count = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    assert!((mean(|pair| pair.1) - advice.all).abs() < 1e-12);
    if let Some(place) = advice.chosen {
        let tried = &advice.tried[place];
        assert!((mean(|pair| pair.0) - tried.value).abs() < 1e-12);
        let difference = mean(|pair| pair.0 - pair.1);
        assert!((difference - tried.effectiveness.mean_difference).abs() < 1e-12);
    }
}

#[test]
fn narrower_margin_keeps_more_and_few_queries_keep_all() {
    let (data, _) = planted(300);
    let size = |set: &[(&str, &str)]| {
        select(&data, &run(), &[SHORT, set].concat()).unwrap().selected.len()
    };
    let (wide, usual, none) = (size(&[("margin", "0.1")]), size(&[]), size(&[("margin", "0")]));
    assert!(wide <= usual && usual <= none, "{wide} {usual} {none}");
    assert!(wide < none, "{wide} {none}");
    let few = planted(12).0;
    let kept = select(&few, &run(), SHORT).unwrap();
    assert_eq!(kept.selected.len(), 24, "all that differ within queries");
    assert!(kept.notes[0].contains("too few"), "{:?}", kept.notes);
}

/// Costs decide, not numbers of features: an expensive feature is dropped if cheap ones are
/// redundant to it.
#[test]
fn costs_and_constraints_are_respected() {
    let (data, truth) = planted(500);
    let copied = truth.with_role(Role::Redundant).next().unwrap().parent.unwrap();
    let mut costs = vec![1.0; data.features().len()];
    costs[copied as usize - 1] = 40.0;
    let constraints = Constraints { costs: costs.clone(), ..Constraints::default() };
    let wide = [SHORT, &[("margin", "0.1")]].concat();
    let chosen = select(&data, &with(constraints), &wide).unwrap();
    let total = |selection: &Selection| selection.selected.iter().map(|one| one.cost).sum::<f64>();
    assert!(total(&chosen) < 30.0 && !ids(&chosen).contains(&copied), "{:?}", ids(&chosen));
    let advice = chosen.advice.as_ref().unwrap();
    assert!(advice.tried.windows(2).all(|two| two[1].cost < two[0].cost));
    let constraints = Constraints {
        k: Some(4),
        keep: vec![FeatureId(copied - 1)],
        drop: vec![FeatureId(0)],
        ..Constraints::default()
    };
    let chosen = select(&data, &with(constraints), SHORT).unwrap();
    assert!(
        chosen.selected.len() == 4 && ids(&chosen).contains(&copied) && !ids(&chosen).contains(&1)
    );
    let constraints = Constraints { costs, budget: Some(5.0), ..Constraints::default() };
    assert!(total(&select(&data, &with(constraints), SHORT).unwrap()) <= 5.0);
}

/// Validation data is joined with the training data: the queries of both are evaluated.
#[test]
fn validation_data_is_used() {
    let (data, _) = planted(200);
    let (train, valid) =
        (data.subset(&(0..150).collect::<Vec<_>>()), data.subset(&(150..200).collect::<Vec<_>>()));
    let run = Run { valid: Some(Arc::new(LocalEngine::new(valid, 2).unwrap())), ..run() };
    let advice = select(&train, &run, SHORT).unwrap().advice.unwrap();
    assert_eq!(advice.queries.len(), 200);
}

#[test]
fn resuming_after_any_interruption_gives_the_same_bytes() {
    let (data, _) = planted(80);
    let expected = select(&data, &run(), SHORT).unwrap().to_json().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = Checkpoint::new(&folder.path().join("run.json"));
    for step in [3, 20, 60, 90, 130] {
        let run = || Run { checkpoint: Some(checkpoint.clone()), ..run() };
        let stopped = Run { observer: StopAt::step(step), ..run() };
        match select(&data, &stopped, SHORT) {
            Err(Error::Stopped(Stop::Interrupted)) => {}
            other => assert_eq!(other.unwrap().to_json().unwrap(), expected),
        }
        assert_eq!(
            select(&data, &run(), SHORT).unwrap().to_json().unwrap(),
            expected,
            "stopped at {step}"
        );
        let _ = std::fs::remove_file(folder.path().join("run.json"));
    }
}

#[test]
fn without_time_all_features_are_kept_with_a_note() {
    let (data, _) = planted(80);
    let run = Run { deadline: Some(Instant::now()), ..run() };
    let kept = select(&data, &run, SHORT).unwrap();
    assert!(kept.unfinished && kept.selected.len() == 24, "{:?}", kept.notes);
    assert!(kept.notes[0].contains("time was up"), "{:?}", kept.notes);
}

#[test]
fn invalid_settings_are_rejected() {
    let (data, _) = planted(80);
    for (name, value, says) in [
        ("methods", "top-k,auto", "other methods"),
        ("methods", "topk", "top-k"),
        ("ranker", "lambdamrt", "lambdamart"),
        ("margin", "0.9", "margin"),
        ("folds", "2", "folds"),
        ("settings", "depth=3", "depth"),
    ] {
        let error = select(&data, &run(), &[(name, value)]).unwrap_err().to_string();
        assert!(error.contains(says), "{name}={value}: {error}");
    }
}
