//! Wide data: what compares all pairs of features refuses what does not fit, the rest works.

use featherank::data::{Dataset, FeatureTable, Queries};
use featherank::engine::passes::{Centring, Correlation, Gram};
use featherank::engine::{Ask, Engine, LocalEngine, Scope, correlations};
use featherank::inspect::inspect;
use featherank::internals::random::{Purpose, stream};
use featherank::registry::{RANKERS, SELECTORS, ranker, selector};
use featherank::run::{Constraints, Run};
use rand::RngExt;

const GIB: u64 = 1 << 30;

/// Two queries of four documents.
fn data(features: usize) -> Dataset {
    let mut draws = stream(1, Purpose::Test, 25);
    let values = (0..8 * features).map(|_| draws.random::<f32>()).collect();
    let labels = vec![0., 1., 2., 0., 1., 0., 0., 2.];
    let table = FeatureTable::numbered(features, 1);
    Dataset::new(values, labels, Queries::from_sizes(&[4, 4]), table)
}

fn engine(features: usize) -> LocalEngine {
    LocalEngine::new(data(features).with_memory_limit(4 * GIB), 2).unwrap()
}

fn run() -> Run {
    Run::new(1, Constraints { k: Some(5), ..Constraints::default() })
}

fn states_a_limit(error: &featherank::Error) -> bool {
    let text = error.to_string();
    text.contains("100000 features") && text.contains("at most")
}

#[test]
fn a_hundred_thousand_features_are_refused_or_work() {
    let engine = engine(100_000);
    let found = inspect(&engine, &["ndcg@10".parse().unwrap()], 0.99).unwrap();
    assert!(!found.compared && found.near_duplicates.is_empty());
    assert_eq!(found.per_feature.len(), 100_000);
    for method in SELECTORS.iter().filter(|method| method.compares_pairs) {
        let refused = method.run(&[], &run(), &engine).unwrap_err();
        assert!(states_a_limit(&refused), "{}: {refused}", method.name);
    }
    for method in ["top-k", "l1-svm"] {
        let found = selector(method).unwrap().run(&[], &run(), &engine).unwrap();
        assert_eq!(found.selected.len(), 5, "{method}");
    }
    let data = engine.local().unwrap();
    for ranker in RANKERS.iter().filter(|ranker| ranker.compares_pairs) {
        let refused = ranker.fit(&[], &run(), &data.view(), None).unwrap_err();
        assert!(states_a_limit(&refused), "{}: {refused}", ranker.name);
    }
}

/// The user's limit counts, not only that of the machine.
#[test]
fn the_limit_of_the_data_counts() {
    let data = data(2_000).with_memory_limit(GIB / 64);
    let engine = LocalEngine::new(data.clone(), 2).unwrap();
    let all: Vec<_> = engine.schema().features.iter().map(|(feature, _)| feature).collect();
    let refused = engine.ask(&Gram::new(all.clone(), Centring::Overall)).unwrap_err();
    assert!(refused.to_string().contains("at most 836 features"), "{refused}");
    for scope in [Scope::Query, Scope::Pooled] {
        assert!(correlations(&engine, Correlation::Spearman, scope, &all).is_err());
        assert!(correlations(&engine, Correlation::Spearman, scope, &all[..300]).is_ok());
    }
    for method in ["mrmr", "greedy-rankrls", "mofsrank"] {
        assert!(selector(method).unwrap().run(&[], &run(), &engine).is_err(), "{method}");
    }
    // Copies of data have its limit.
    for data in [&data, &data.subset(&[0]), &data.joined(&data)] {
        let refused = ranker("rankrls").unwrap().fit(&[], &run(), &data.view(), None).unwrap_err();
        assert!(refused.to_string().contains("at most"), "{refused}");
    }
    assert!(inspect(&engine, &[], 0.99).unwrap().compared);
}
