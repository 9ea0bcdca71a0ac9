//! The method `auto`: planted noise is dropped, the guarantees hold, and interrupted runs resume.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::common::StopAt;
use featherank::data::synth::{Preset, Role, SynthConfig, Truth, generate};
use featherank::data::{Dataset, FeatureId, FeatureTable};
use featherank::engine::LocalEngine;
use featherank::registry;
use featherank::run::{Checkpoint, Constraints, Run};
use featherank::select::auto::Verdict;
use featherank::select::{Exclusion, Selection};
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
    // Features that are constant within queries are noise as well; trees could use them.
    let noisy: BTreeSet<u32> = [Role::Noisy, Role::Constant]
        .into_iter()
        .flat_map(|role| truth.with_role(role))
        .map(|feature| feature.id)
        .collect();
    for set in [SHORT, &[("settings", "trees=60"), ("methods", "elimination")]] {
        let chosen = select(&data, &run(), set).unwrap();
        let advice = chosen.advice.as_ref().unwrap();
        let kept = ids(&chosen).intersection(&noisy).count();
        assert!(kept <= 1, "{set:?}: {:?} of {noisy:?}", ids(&chosen));
        assert!((3..16).contains(&chosen.selected.len()), "{set:?}: {:?}", ids(&chosen));
        // The statements about the choice hold: the bound lies above the accepted loss, and that of
        // the next size does not.
        assert_eq!(advice.verdict, Verdict::Shown);
        let tried = &advice.tried[advice.returned.unwrap()];
        assert_eq!(tried.features, chosen.selected.len());
        assert_eq!(tried.set.iter().copied().collect::<BTreeSet<_>>(), ids(&chosen));
        assert!(tried.effectiveness.lower_bound > -0.02 * advice.all.unwrap(), "{tried:?}");
        assert_eq!(advice.risk_verdict == Verdict::Shown, tried.risk.holds);
        let next = &advice.tried[advice.next.unwrap()];
        assert!(next.features < tried.features && !next.effectiveness.holds);
        // The curve goes down to one feature.
        assert_eq!(advice.tried.last().unwrap().features, 1);
    }
}

#[test]
fn required_risk_keeps_at_least_as_many_features() {
    let (data, _) = planted(300);
    let size = |rule: &str| {
        let chosen = select(&data, &run(), &[SHORT, &[("risk", rule)]].concat()).unwrap();
        let advice = chosen.advice.unwrap();
        if rule == "require" && chosen.selected.len() < 24 {
            assert_eq!(advice.risk_verdict, Verdict::Shown);
        }
        assert!(rule != "ignore" || advice.risk_verdict == Verdict::NotTested);
        chosen.selected.len()
    };
    assert!(size("require") >= size("report"));
    assert_eq!(size("report"), size("ignore"));
}

/// A size that the user asks for is tested as such, and the verdict is about it.
#[test]
fn the_verdict_is_about_the_returned_set() {
    let (data, _) = planted(300);
    let advice = |constraints: Constraints| {
        let chosen = select(&data, &with(constraints), SHORT).unwrap();
        let advice = chosen.advice.clone().unwrap();
        let tried = advice.tried[advice.returned.unwrap()].clone();
        assert_eq!(tried.set.iter().copied().collect::<BTreeSet<_>>(), ids(&chosen));
        assert_eq!(advice.verdict == Verdict::Shown, tried.effectiveness.holds);
        (advice.verdict, chosen.selected.len(), tried)
    };
    let one = advice(Constraints { k: Some(1), ..Constraints::default() });
    assert_eq!((one.0, one.1, one.2.features), (Verdict::NotShown, 1, 1));
    let most = advice(Constraints { k: Some(22), ..Constraints::default() });
    assert_eq!((most.0, most.1, most.2.features), (Verdict::Shown, 22, 22));
    let costs = vec![1.0; data.features().len()];
    let cheap = Constraints { costs, budget: Some(2.0), ..Constraints::default() };
    let cheap = advice(cheap);
    assert!(cheap.0 == Verdict::NotShown && cheap.1 == 2 && cheap.2.cost <= 2.0, "{cheap:?}");
    let few = select(&planted(12).0, &run(), SHORT).unwrap();
    assert_eq!(few.advice.unwrap().verdict, Verdict::NotTested);
}

/// Of features that equal each other one is considered: the one to keep, the cheapest, or the
/// first.
#[test]
fn duplicates_are_excluded() {
    let (data, _) = planted(100);
    let columns = (0..26).chain(0..3).map(FeatureId);
    let values = columns.flat_map(|f| data.column(f).to_vec()).collect();
    let twice = Dataset::new(
        values,
        data.labels().to_vec(),
        data.queries().clone(),
        FeatureTable::numbered(29, 1),
    );
    let excluded = |constraints: Constraints| -> Vec<(u32, String)> {
        let chosen = select(&twice, &with(constraints), SHORT).unwrap();
        let aside =
            chosen.set_aside.iter().filter(|one| matches!(one.reason, Exclusion::EqualTo(_)));
        aside.map(|one| (one.id, one.reason.to_string())).collect()
    };
    let of = |ids: &[(u32, u32)]| -> Vec<(u32, String)> {
        ids.iter().map(|(id, other)| (*id, format!("equal to feature {other}"))).collect()
    };
    assert_eq!(excluded(Constraints::default()), of(&[(27, 1), (28, 2), (29, 3)]));
    let keep = Constraints { keep: vec![FeatureId(26)], ..Constraints::default() };
    assert_eq!(excluded(keep), of(&[(1, 27), (28, 2), (29, 3)]));
    let mut costs = vec![1.0; 29];
    costs[1] = 2.0;
    let costs = Constraints { costs, ..Constraints::default() };
    assert_eq!(excluded(costs), of(&[(27, 1), (2, 28), (29, 3)]));
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
        "each query is listed once"
    );
    let pairs: Vec<(f64, f64)> = advice
        .per_query
        .iter()
        .zip(&advice.per_query_of_all)
        .filter_map(|(a, b)| Some(((*a)?, (*b)?)))
        .collect();
    let count = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    assert!((mean(|pair| pair.1) - advice.all.unwrap()).abs() < 1e-12);
    if let Some(place) = advice.returned {
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
    let run = Run { best_so_far: true, ..run().stopped_after(Some(Duration::ZERO)) };
    let kept = select(&data, &run, SHORT).unwrap();
    assert!(kept.unfinished && kept.selected.len() == 24, "{:?}", kept.notes);
    assert!(kept.notes[0].contains("the time limit was reached"), "{:?}", kept.notes);
}

#[test]
fn invalid_settings_are_rejected() {
    let (data, _) = planted(80);
    for (name, value, says) in [
        ("methods", "top-k,auto", "another method"),
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
