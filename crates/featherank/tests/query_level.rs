//! Features that are constant within queries: trees can use them, filters and linear models cannot.

use crate::common::embedded::{ids, run, try_select};
use featherank::data::{Dataset, FeatureId, FeatureTable, Queries};
use featherank::internals::random::{Purpose, stream};
use featherank::measure::Measure;
use featherank::registry::{RANKERS, ranker};
use featherank::run::{Constraints, Run};
use featherank::select::Exclusion;
use rand::RngExt;

const DOCUMENTS: usize = 20;

/// Feature 1 has one value in each query: where it is 1, feature 2 shows relevance, where it is 0,
/// feature 3 does. Features 4 to 7 are noise.
fn switched(queries: usize, seed: u64) -> Dataset {
    let mut draws = stream(seed, Purpose::Test, 24);
    let documents = queries * DOCUMENTS;
    let mut columns: Vec<Vec<f32>> =
        (0..7).map(|_| (0..documents).map(|_| draws.random::<f32>()).collect()).collect();
    columns[0] = (0..documents).map(|row| (row / DOCUMENTS % 2) as f32).collect();
    let label = |row: usize| {
        let counts = columns[if columns[0][row] > 0.5 { 1 } else { 2 }][row];
        let noisy = counts + 0.25 * (draws.random::<f32>() - 0.5);
        f32::from(u8::from(noisy > 0.6)) + f32::from(u8::from(noisy > 0.85))
    };
    let labels: Vec<f32> = (0..documents).map(label).collect();
    let sizes = vec![DOCUMENTS; queries];
    Dataset::new(
        columns.concat(),
        labels,
        Queries::from_sizes(&sizes),
        FeatureTable::numbered(7, 1),
    )
}

/// NDCG@10 on other queries of a ranker that is trained on some features, given by their ids.
fn on_test_data(name: &str, features: &[u32]) -> f64 {
    let (train, test) = (switched(150, 1), switched(150, 2));
    let features: Vec<FeatureId> = features.iter().map(|id| FeatureId(id - 1)).collect();
    let settings: Vec<(String, String)> = match name {
        "lambdamart" | "mart" => vec![("trees".into(), "60".into())],
        "random-forest" => vec![("trees".into(), "60".into())],
        _ => vec![],
    };
    let view = train.view().with_features(features);
    let model = ranker(name).unwrap().fit(&settings, &run(), &view, None).unwrap();
    let measure: Measure = "ndcg[ties=expected]@10".parse().unwrap();
    measure.summary(&measure.per_query(&model.score(&test.view()).unwrap(), &test.view()))
}

const ALL: [u32; 7] = [1, 2, 3, 4, 5, 6, 7];

/// All features are those of the data: the switch is one of them, and trees need it.
#[test]
fn tree_rankers_use_them() {
    let names: Vec<&str> =
        RANKERS.iter().filter(|spec| spec.uses_query_level).map(|spec| spec.name).collect();
    assert_eq!(names, ["regression-tree", "random-forest", "mart", "lambdamart"]);
    for name in names {
        let (with, without) = (on_test_data(name, &ALL), on_test_data(name, &ALL[1..]));
        assert!(with > without + 0.05, "{name}: {with} with the switch, {without} without");
    }
    let whole = on_test_data("lambdamart", &ALL);
    assert!(whole > 0.87, "{whole}");
}

/// Settings that shorten the searches.
const WRAPPERS: [(&str, &[(&str, &str)]); 7] = [
    ("greedy", &[("ranker", "lambdamart"), ("settings", "trees=20"), ("measure", "ndcg@10")]),
    ("backward", &[("ranker", "lambdamart"), ("settings", "trees=20"), ("folds", "2")]),
    ("rfe", &[("settings", "trees=20"), ("folds", "2")]),
    ("boruta", &[("settings", "trees=30;leaves=32;features-per-split=0.33"), ("rounds", "40")]),
    ("btfs", &[("settings", "trees=20"), ("folds", "2")]),
    (
        "spea2",
        &[
            ("ranker", "lambdamart"),
            ("settings", "trees=10"),
            ("population", "12"),
            ("archive", "12"),
            ("generations", "6"),
            ("objectives", "e"),
        ],
    ),
    ("best-first", &[("ranker", "lambdamart"), ("settings", "trees=20")]),
];

#[test]
fn wrappers_of_tree_rankers_find_them() {
    let data = switched(100, 1);
    for (method, set) in WRAPPERS {
        let found = try_select(method, set, &data, &run()).unwrap();
        let chosen = ids(&found);
        assert!([1, 2, 3].iter().all(|id| chosen.contains(id)), "{method}: {chosen:?}");
        assert!(found.set_aside.is_empty(), "{method}");
    }
}

/// Filters, embedded methods and wrappers of linear rankers list them and say why; a feature to
/// keep is chosen nevertheless, and counts.
#[test]
fn methods_that_cannot_use_them_list_them() {
    let data = switched(60, 1);
    let keep = Constraints { k: Some(3), keep: vec![FeatureId(0)], ..Constraints::default() };
    for (method, set) in [
        ("top-k", &[][..]),
        ("best-gain", &[]),
        ("mrmr", &[]),
        ("cfs", &[]),
        ("rank-filter", &[]),
        ("l1-svm", &[]),
        ("greedy-rankrls", &[]),
        ("backward", &[]),
        ("rfe", &[("ranker", "rankrls"), ("settings", "")]),
        ("spea2", &[("generations", "2"), ("population", "8")]),
    ] {
        let found = try_select(method, set, &data, &run()).unwrap();
        assert!(!ids(&found).contains(&1), "{method}");
        let listed: Vec<(u32, Exclusion)> =
            found.set_aside.iter().map(|s| (s.id, s.reason.clone())).collect();
        assert_eq!(listed, [(1, Exclusion::ConstantWithinQueries)], "{method}");
        let kept = try_select(method, set, &data, &Run::new(7, keep.clone())).unwrap();
        assert!(ids(&kept).contains(&1) && kept.selected.len() == 3, "{method}: {:?}", ids(&kept));
    }
}

/// What `auto` keeps for LambdaMART ranks other queries as well as all features, up to its margin
/// of 2 % and chance.
#[test]
fn auto_keeps_what_trees_need() {
    let set = [("settings", "trees=30"), ("folds", "3"), ("methods", "elimination,best-gain")];
    let found = try_select("auto", &set, &switched(150, 1), &run()).unwrap();
    let chosen = ids(&found);
    let (whole, kept) = (on_test_data("lambdamart", &ALL), on_test_data("lambdamart", &chosen));
    assert!(kept > 0.97 * whole, "{kept} with {chosen:?}, {whole} with all");
}
