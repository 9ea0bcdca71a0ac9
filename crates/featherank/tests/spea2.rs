//! SPEA2 selection: the planted ground truth is found, interrupted runs resume, and every option
//! has its expected effect.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use crate::common::StopAt;
use featherank::data::synth::{Role, SynthConfig, Truth, generate};
use featherank::data::{Dataset, FeatureId};
use featherank::engine::LocalEngine;
use featherank::registry;
use featherank::run::{Checkpoint, Constraints, Run};
use featherank::select::Selection;
use featherank::{Error, Result, Stop};

/// Features that help most queries and hurt two of five, beside useful ones and noise.
fn planted(seed: u64) -> (Dataset, Truth) {
    generate(&SynthConfig {
        queries: 600,
        documents: 12_000,
        useful: 5,
        redundant: 0,
        noisy: 5,
        query_dependent: 0,
        risky: 3,
        risky_share: 0.4,
        constant: 1,
        seed,
        ..SynthConfig::default()
    })
    .unwrap()
}

fn select(data: &Dataset, run: &Run, set: &[(&str, &str)]) -> Result<Selection> {
    let set: Vec<(String, String)> =
        set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    registry::selector("spea2")?.run(&set, run, &LocalEngine::new(data.clone(), 2)?)
}

fn run() -> Run {
    Run::new(1, Constraints::default())
}

fn ids(selection: &Selection) -> BTreeSet<u32> {
    selection.selected.iter().map(|chosen| chosen.id).collect()
}

fn with_role(truth: &Truth, role: Role) -> BTreeSet<u32> {
    truth.with_role(role).map(|feature| feature.id).collect()
}

/// The distances of all pairs would otherwise end the process without an error.
#[test]
fn subsets_that_do_not_fit_are_refused_before_the_search() {
    let data = planted(2).0.with_memory_limit(64 << 20);
    let wide = [("population", "1000"), ("archive", "1000"), ("generations", "5")];
    let error = select(&data, &run(), &wide).unwrap_err().to_string();
    for part in ["population 1000 and archive 1000", "2000 subsets", "at most 1672"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    // The archive never holds more than were born.
    let short = [("population", "10"), ("archive", "1000000"), ("generations", "2")];
    assert!(select(&data, &run(), &short).is_ok());
}

/// The baseline is least squares on the useful features. Features that hurt some queries increase
/// the mean, so E selects them; the mean does not outweigh the queries that would get worse, so E-R
/// does not.
#[test]
fn risky_features_are_kept_for_effectiveness_and_dropped_for_risk() {
    let folder = tempfile::tempdir().unwrap();
    for seed in [2, 5] {
        let (data, truth) = planted(seed);
        let (useful, risky) = (with_role(&truth, Role::Useful), with_role(&truth, Role::Risky));
        let scores = folder.path().join("production.txt");
        let features: Vec<FeatureId> = useful.iter().map(|id| FeatureId(id - 1)).collect();
        let ranker = registry::ranker("linear-regression").unwrap();
        let params = featherank::params::Params::new(ranker.name, ranker.params, &[]).unwrap();
        let view = data.view();
        let model = (ranker.build)(&params)
            .unwrap()
            .fit(&run(), &view.with_features(features), None)
            .unwrap();
        let lines: Vec<String> =
            model.score(&view).unwrap().iter().map(|score| score.to_string()).collect();
        std::fs::write(&scores, lines.join("\n")).unwrap();
        let production = format!("scores:{}", scores.display());
        let effective = ids(&select(&data, &run(), &[("objectives", "e")]).unwrap());
        assert!(risky.is_subset(&effective), "{effective:?} lacks some of {risky:?}");
        let safe =
            ids(&select(&data, &run(), &[("objectives", "e-r"), ("baseline", &production)])
                .unwrap());
        assert_eq!(safe, useful);
    }
}

#[test]
fn noise_is_dropped_if_the_number_of_features_is_an_objective() {
    for (seed, objectives) in [(2, "e-f"), (3, "e-f"), (2, "effectiveness+cost"), (3, "t-f")] {
        let (data, truth) = planted(seed);
        let set = [("objectives", objectives), ("baseline", "mean")];
        let chosen = select(&data, &run(), &set).unwrap();
        let noisy = with_role(&truth, Role::Noisy);
        assert!(ids(&chosen).is_disjoint(&noisy), "{objectives}: {:?} of {noisy:?}", ids(&chosen));
        assert!(chosen.selected.len() >= 2, "{objectives}: {:?}", ids(&chosen));
    }
}

/// Costs are an objective of their own: the cost of one useful feature makes the front prefer
/// others.
#[test]
fn expensive_features_are_dropped_if_cost_is_an_objective() {
    let (data, truth) = planted(2);
    let strongest =
        truth.with_role(Role::Useful).max_by(|a, b| a.weight.total_cmp(&b.weight)).unwrap().id;
    let mut costs = vec![1.0; data.features().len()];
    costs[strongest as usize - 1] = 50.0;
    let run = Run::new(1, Constraints { costs, ..Constraints::default() });
    let set = [("objectives", "effectiveness+cost"), ("choose", "knee")];
    assert!(!ids(&select(&data, &run, &set).unwrap()).contains(&strongest));
    let set = [("objectives", "effectiveness+features"), ("choose", "knee")];
    assert!(ids(&select(&data, &run, &set).unwrap()).contains(&strongest));
}

#[test]
fn the_archive_improves_and_is_reported() {
    let (data, _) = planted(2);
    let chosen = select(&data, &run(), &[("objectives", "e"), ("test", "means")]).unwrap();
    let searched = chosen.searched.as_ref().unwrap();
    let best: Vec<f64> = searched.generations.iter().map(|generation| generation.best).collect();
    assert_eq!(best.len(), 31);
    assert!(best.windows(2).all(|pair| pair[1] >= pair[0] - 1e-12), "{best:?}");
    assert!(best[30] > best[0], "{best:?}");
    let members: Vec<_> = searched.front.iter().filter(|member| member.chosen).collect();
    assert_eq!(members.len(), 1);
    assert_eq!(members[0].features.iter().copied().collect::<BTreeSet<u32>>(), ids(&chosen));
    assert!((members[0].objectives["effectiveness"] - best[30]).abs() < 1e-12);
}

#[test]
fn every_ranker_and_option_gives_an_answer() {
    let small = SynthConfig { queries: 60, documents: 600, ..SynthConfig::default() };
    let (data, _) = generate(&small).unwrap();
    let few = [("population", "6"), ("archive", "8"), ("generations", "2")];
    for (name, value) in [
        ("ranker", "linear-regression"),
        ("ranker", "regression-tree"),
        ("ranker", "random-forest"),
        ("ranker", "ranksvm-primal"),
        ("objectives", "trisk+georisk+cost"),
        ("test", "t-test"),
        ("folds", "3"),
        ("baseline", "max"),
        ("baseline", "feature:3"),
        ("choose", "knee"),
        ("choose", "cheapest"),
        ("measure", "err@10"),
    ] {
        let settings = if value == "random-forest" { "trees=5" } else { "" };
        let set = [&few[..], &[(name, value), ("settings", settings)]].concat();
        let chosen = select(&data, &run(), &set).unwrap_or_else(|e| panic!("{name}={value}: {e}"));
        assert!(
            !chosen.selected.is_empty() && chosen.notes.len() == 1,
            "{name}={value}: {:?}",
            chosen.notes
        );
        let with_folds =
            [&few[..], &[(name, value), ("settings", settings), ("folds", "2")]].concat();
        if name == "ranker" {
            assert_ne!(
                select(&data, &run(), &with_folds).unwrap().searched,
                chosen.searched,
                "{value}"
            );
        }
    }
    for (name, value, says) in [
        ("objectives", "e-g", "joined by +"),
        ("baseline", "best", "scores:FILE"),
        ("baseline", "feature:77", "77"),
        ("baseline", "scores:absent.txt", "absent.txt"),
        ("folds", "1", "0, or 2 to 100"),
        ("folds", "90", "at most 60"),
        ("ranker", "random-forst", "random-forest"),
        ("settings", "c=1", "no parameter of linear-regression"),
    ] {
        let error = select(&data, &run(), &[(name, value)]).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

fn with_checkpoint(path: &Path) -> Run {
    Run { checkpoint: Some(Checkpoint::new(path)), ..run() }
}

#[test]
fn resuming_after_any_interruption_gives_the_same_bytes() {
    let (data, _) =
        generate(&SynthConfig { queries: 60, documents: 600, ..SynthConfig::default() }).unwrap();
    let set = [("population", "8"), ("archive", "10"), ("generations", "6")];
    let whole = select(&data, &run(), &set).unwrap().to_json().unwrap();
    let folder = tempfile::tempdir().unwrap();
    for steps in 1..14 {
        let path = folder.path().join(format!("{steps}.json"));
        let stopped = Run { observer: StopAt::step(steps - 1), ..with_checkpoint(&path) };
        assert!(matches!(select(&data, &stopped, &set), Err(Error::Stopped(Stop::Interrupted))));
        assert_eq!(select(&data, &with_checkpoint(&path), &set).unwrap().to_json().unwrap(), whole);
        // Once more, from the final checkpoint.
        assert_eq!(select(&data, &with_checkpoint(&path), &set).unwrap().to_json().unwrap(), whole);
    }
}

#[test]
fn checkpoints_of_other_runs_are_rejected() {
    let (data, _) =
        generate(&SynthConfig { queries: 60, documents: 600, ..SynthConfig::default() }).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kept.json");
    let set = [("population", "6"), ("archive", "8"), ("generations", "2")];
    select(&data, &with_checkpoint(&path), &set).unwrap();
    let refused = |data: &Dataset, run: &Run, set: &[(&str, &str)], says: &str| {
        let error = select(data, run, set).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    };
    let own = with_checkpoint(&path);
    refused(
        &data,
        &own,
        &[&set[..], &[("level", "0.01")]].concat(),
        "level is 0.05 there and 0.01 here",
    );
    refused(&data, &Run { seed: 9, ..own.clone() }, &set, "the seed is 1 there and 9 here");
    let (other, _) =
        generate(&SynthConfig { queries: 60, documents: 601, ..SynthConfig::default() }).unwrap();
    refused(&other, &own, &set, "the data is not the same");
    let dropped = Run { constraints: Constraints { k: Some(3), ..Constraints::default() }, ..own };
    refused(&data, &dropped, &set, "the constraints differ");
}

#[test]
fn best_result_so_far_is_returned_at_the_time_limit() {
    let (data, _) =
        generate(&SynthConfig { queries: 60, documents: 600, ..SynthConfig::default() }).unwrap();
    let set = [("generations", "1000000000")];
    for wait in [Duration::ZERO, Duration::from_millis(200)] {
        let limited = Run { best_so_far: true, ..run().stopped_after(Some(wait)) };
        let found = select(&data, &limited, &set).unwrap();
        assert!(found.unfinished && !found.selected.is_empty());
        assert!(!found.searched.unwrap().generations.is_empty());
    }
    let late = Run { best_so_far: true, ..run().stopped_after(Some(Duration::ZERO)) };
    assert!(
        !select(&data, &late, &[("generations", "0")]).unwrap().unfinished,
        "there was no more to do"
    );
}
