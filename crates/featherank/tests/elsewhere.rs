//! Rows that are not in this process: methods that scale out give the same result to the last bit,
//! and the errors of all others list the methods that do.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use std::sync::Arc;

use crate::common::elsewhere::Elsewhere;
use crate::common::embedded::{run, tiny, with_k};
use featherank::data::Dataset;
use featherank::data::synth::{SynthConfig, generate};
use featherank::engine::{Engine, LocalEngine};
use featherank::internals::{CostedEngine, PassCost};
use featherank::params::Kind;
use featherank::registry::{DataAccess, RANKERS, SELECTORS, selector};
use featherank::run::Run;
use featherank::select::SelectorSpec;
use featherank::{Error, Result};

fn settings(set: &[(&str, &str)]) -> Vec<(String, String)> {
    set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The whole selection as it is saved, without timings.
fn saved(method: &str, set: &[(&str, &str)], run: &Run, engine: &dyn Engine) -> Result<String> {
    selector(method)?.run(&settings(set), run, engine)?.to_json()
}

#[track_caller]
fn assert_same(method: &str, set: &[(&str, &str)], data: &Dataset, run: &Run, elsewhere: &Run) {
    let here = saved(method, set, run, &LocalEngine::new(data.clone(), 2).unwrap()).unwrap();
    let there = saved(method, set, elsewhere, &Elsewhere::of(data)).unwrap();
    assert_eq!(there, here, "{method} {set:?}");
}

fn takes_ranker(spec: &SelectorSpec) -> bool {
    spec.params.iter().any(|param| matches!(param.kind, Kind::Ranker))
}

/// Every method of the registry behaves as its entry declares.
#[test]
fn registry_declares_which_methods_need_rows() {
    let data = tiny();
    let elsewhere = Elsewhere::of(&data);
    for spec in SELECTORS {
        let set: &[(&str, &str)] =
            if takes_ranker(spec) { &[("ranker", "linear-regression")] } else { &[] };
        assert_eq!(spec.data_access(&settings(set)).unwrap(), spec.access, "{}", spec.name);
        if spec.access.is_passes() {
            assert_same(spec.name, set, &data, &run(), &run());
            continue;
        }
        let error = saved(spec.name, set, &run(), &elsewhere).unwrap_err();
        assert!(matches!(error, Error::Unsupported(_)), "{}: {error}", spec.name);
        let text = error.to_string();
        assert!(text.contains(&format!("{} needs rows", spec.name)), "{text}");
        for other in SELECTORS.iter().filter(|spec| spec.access.is_passes()) {
            assert!(text.contains(other.name), "{} is not in {text}", other.name);
        }
    }
}

/// Three times as many queries and documents do not increase the bytes of a pass. Two methods test
/// their sets query by query and need values per query.
#[test]
fn bytes_of_passes_do_not_grow_with_documents() {
    let data = |queries: usize| {
        let config = SynthConfig { queries, documents: 5 * queries, ..SynthConfig::default() };
        generate(&config).unwrap().0
    };
    // Counts of either take two bytes in messages.
    let (few, many) = (data(130), data(400));
    for spec in SELECTORS
        .iter()
        .filter(|spec| spec.access.is_passes() && !["auto", "spea2"].contains(&spec.name))
    {
        let set: &[(&str, &str)] =
            if takes_ranker(spec) { &[("ranker", "linear-regression")] } else { &[] };
        let costs = |data: &Dataset| {
            let engine = CostedEngine::new(Arc::new(Elsewhere::of(data)));
            saved(spec.name, set, &run(), &engine).unwrap();
            engine.costs()
        };
        let (few, many) = (costs(&few), costs(&many));
        let names = |costs: &[(&str, PassCost)]| {
            costs.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(&many), names(&few), "{}", spec.name);
        for ((pass, few), (_, many)) in few.into_iter().zip(many) {
            let a_pass = |cost: PassCost| (cost.sent + cost.received) / cost.passes;
            // One byte for each query would be 270 more.
            assert!(a_pass(many) < a_pass(few) + 150, "{} {pass}: {few:?} {many:?}", spec.name);
        }
    }
}

/// The error names a ranker that needs rows, and lists those that do not.
#[test]
fn rankers_that_need_rows_are_rejected() {
    let elsewhere = Elsewhere::of(&tiny());
    for spec in SELECTORS.iter().filter(|spec| spec.access.is_passes() && takes_ranker(spec)) {
        for ranker in RANKERS.iter().filter(|ranker| !ranker.access.is_passes()) {
            let access = spec.data_access(&settings(&[("ranker", ranker.name)])).unwrap();
            assert_eq!(access, DataAccess::Rows);
            let error =
                saved(spec.name, &[("ranker", ranker.name)], &run(), &elsewhere).unwrap_err();
            let text = error.to_string();
            assert!(
                text.contains(&format!("{} with ranker={} needs rows", spec.name, ranker.name)),
                "{text}"
            );
            assert!(text.contains("linear-regression, rankrls"), "{text}");
        }
    }
    for (method, set) in
        [("spea2", ("baseline", "scores:/nowhere")), ("ngas", ("relevance", "lambdamart"))]
    {
        let error = saved(method, &[set], &run(), &elsewhere).unwrap_err().to_string();
        assert!(error.contains("needs rows") && error.contains("top-k"), "{method}: {error}");
    }
}

/// Wrappers of least squares: folds, validation data, sizes and other settings.
#[test]
fn wrappers_of_least_squares_need_no_rows() {
    let data = tiny();
    let queries: Vec<usize> = (0..data.queries().len()).collect();
    let (train, valid) = (data.subset(&queries[..40]), data.subset(&queries[40..]));
    let here = Run { valid: Some(Arc::new(LocalEngine::new(valid.clone(), 2).unwrap())), ..run() };
    let there = Run { valid: Some(Arc::new(Elsewhere::of(&valid))), ..run() };
    for method in ["greedy", "btfs", "rfe", "backward"] {
        for set in [
            [("ranker", "linear-regression"), ("settings", "centring=query;ridge=2")],
            [("ranker", "rankrls"), ("settings", "lambda=100;weighting=queries")],
        ] {
            assert_same(method, &set, &train, &here, &there);
            assert_same(method, &set, &train, &with_k(5), &with_k(5));
        }
    }
    let held_out = [("folds", "3"), ("generations", "3"), ("ranker", "rankrls")];
    assert_same("spea2", &held_out, &data, &run(), &run());
    // Local rows do not suffice if the evaluation rows are remote and the ranker needs both.
    let error =
        saved("rfe", &[], &there, &LocalEngine::new(train, 2).unwrap()).unwrap_err().to_string();
    assert!(error.contains("needs rows"), "{error}");
}

/// `auto` for least-squares rankers: validation data is joined; costs, sizes and settings are
/// respected.
#[test]
fn recommendations_for_least_squares_need_no_rows() {
    let data = tiny();
    let queries: Vec<usize> = (0..data.queries().len()).collect();
    let (train, valid) = (data.subset(&queries[..45]), data.subset(&queries[45..]));
    let here = Run { valid: Some(Arc::new(LocalEngine::new(valid.clone(), 2).unwrap())), ..run() };
    let there = Run { valid: Some(Arc::new(Elsewhere::of(&valid))), ..run() };
    let few = ("methods", "elimination,top-k");
    assert_same("auto", &[("ranker", "rankrls"), few], &train, &here, &there);
    assert_same(
        "auto",
        &[("ranker", "rankrls"), few, ("baseline", "best-feature")],
        &data,
        &with_k(4),
        &with_k(4),
    );
    let fixed = [
        ("ranker", "linear-regression"),
        few,
        ("settings", "centring=query;ridge=10"),
        ("baseline", "full"),
    ];
    assert_same("auto", &fixed, &data, &run(), &run());
    // Methods that need rows propose sets if rows are available, and are named in the error
    // otherwise.
    let with_rows = [("ranker", "rankrls"), ("methods", "elimination,fcbf")];
    assert!(saved("auto", &with_rows, &here, &LocalEngine::new(train.clone(), 2).unwrap()).is_ok());
    for run in [&run(), &there] {
        let error = saved("auto", &with_rows, run, &Elsewhere::of(&train)).unwrap_err().to_string();
        assert!(error.contains("fcbf needs rows") && error.contains("top-k"), "{error}");
    }
}
