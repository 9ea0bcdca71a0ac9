//! A part of an engine's queries as an engine, and two engines as one: both equal an engine over
//! the same queries.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use crate::common::elsewhere::Elsewhere;
use featherank::data::synth::{SynthConfig, generate};
use featherank::data::{Dataset, FeatureId};
use featherank::engine::passes::{
    Centring, FeatureMeasures, Gram, LinearMeasures, MergeGains, Moments,
};
use featherank::engine::{Ask, Engine, LocalEngine, PartEngine, QueryFolds, Schema};
use featherank::internals::JoinedEngine;
use featherank::measure::Measure;

fn data() -> Dataset {
    // Enough documents for several blocks.
    let config = SynthConfig {
        queries: 200,
        documents: 10_000,
        max_documents: 200,
        ..SynthConfig::default()
    };
    generate(&config).unwrap().0
}

fn features() -> Vec<FeatureId> {
    (0..12).map(FeatureId).collect()
}

/// The results that must be equal for two engines with any block boundaries; only fingerprints may
/// differ.
fn assert_same(got: &dyn Engine, expected: &dyn Engine) {
    let schema = Schema { fingerprint: String::new(), ..got.schema().clone() };
    assert_eq!(schema, Schema { fingerprint: String::new(), ..expected.schema().clone() });
    let measure: Measure = "ndcg[ties=expected]@10".parse().unwrap();
    let alone = |engine: &dyn Engine| {
        engine.ask(&FeatureMeasures::new(&measure, &features())).unwrap().per_query
    };
    assert_eq!(alone(got), alone(expected));
    let linear = |engine: &dyn Engine| {
        let weights =
            (0..5).map(|model| (0..12).map(|f| ((model * 7 + f) % 5) as f32).collect()).collect();
        let pass = LinearMeasures { measure: measure.clone(), features: features(), weights };
        engine.ask(&pass).unwrap().per_query
    };
    assert_eq!(linear(got), linear(expected));
    let gram = |engine: &dyn Engine| engine.ask(&Gram::new(features(), Centring::PerPair)).unwrap();
    let (sums, expected_sums) = (gram(got), gram(expected));
    assert_eq!(sums.count, expected_sums.count);
    close(&sums.products, &expected_sums.products);
    let merges = |engine: &dyn Engine| {
        let pass = MergeGains {
            measure: "map".parse().unwrap(),
            relevant_from: 1.0,
            varying: features(),
            chosen: vec![FeatureId(2), FeatureId(0)],
            candidates: vec![FeatureId(1), FeatureId(5)],
        };
        engine.ask(&pass).unwrap()
    };
    assert_eq!(merges(got).queries, merges(expected).queries);
    close(&merges(got).merged, &merges(expected).merged);
    let moments = |engine: &dyn Engine| engine.ask(&Moments).unwrap().features;
    let within = |engine: &dyn Engine| -> Vec<f64> {
        moments(engine).iter().map(|feature| feature.squares_within).collect()
    };
    close(&within(got), &within(expected));
}

fn close(got: &[f64], expected: &[f64]) {
    assert_eq!(got.len(), expected.len());
    let apart = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
    assert!(got.iter().zip(expected).all(apart), "{got:?} {expected:?}");
}

#[test]
fn part_equals_data_of_its_queries() {
    let data = data();
    let whole = Elsewhere::of(&data);
    let everything = LocalEngine::new(data.clone(), 2).unwrap();
    // One part after the other: cached results of the first must not be used for the second.
    let keys = &whole.schema().query_keys;
    let folds = QueryFolds::new(keys, 3, 1);
    for number in 0..3 {
        let queries: Vec<usize> =
            (0..data.queries().len()).filter(|&q| folds.fold_of(keys[q]) == number).collect();
        assert!((66..=67).contains(&queries.len()));
        let part = PartEngine::of(&whole, folds.sample(|fold| fold == number)).unwrap();
        assert_eq!(part.places(), queries);
        assert!(part.local().is_none() && part.view().is_none());
        assert_same(&part, &LocalEngine::new(data.subset(&queries), 2).unwrap());
        let others = PartEngine::of(&whole, folds.sample(|fold| fold != number)).unwrap();
        assert_ne!(part.schema().fingerprint, others.schema().fingerprint);
        // A part of a part, with rows if available.
        let halves = QueryFolds::new(&part.schema().query_keys, 2, 2);
        let half = PartEngine::of(&part, halves.sample(|fold| fold == 0)).unwrap();
        let of_half: Vec<usize> =
            queries.iter().copied().filter(|&q| halves.fold_of(keys[q]) == 0).collect();
        assert_eq!(of_half.len(), 33);
        assert_same(&half, &LocalEngine::new(data.subset(&of_half), 2).unwrap());
        let at_hand = PartEngine::of(&everything, folds.sample(|fold| fold == number)).unwrap();
        assert_eq!(at_hand.view().unwrap().queries().collect::<Vec<_>>(), queries);
    }
    let empty = PartEngine::of(&whole, folds.sample(|_| false)).unwrap();
    assert_eq!((empty.schema().queries(), empty.schema().pairs), (0, 0));
    assert_same(&PartEngine::all(&whole), &everything);
}

#[test]
fn joined_engines_equal_joined_data() {
    let data = data();
    let queries: Vec<usize> = (0..data.queries().len()).collect();
    let (first, next) = (data.subset(&queries[..150]), data.subset(&queries[150..]));
    let (left, right) = (Elsewhere::of(&first), Elsewhere::of(&next));
    assert_same(
        &JoinedEngine::new(&left, &right),
        &LocalEngine::new(first.joined(&next), 2).unwrap(),
    );
}
