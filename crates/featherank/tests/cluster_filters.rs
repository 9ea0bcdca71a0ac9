//! Filters by neighbourhood: traversals, clusters and Relief, against worked examples, direct
//! implementations of the definitions, and each other.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use crate::common::real_data;
use featherank::data::folds::FoldFiles;
use featherank::data::synth::{Preset, Role, generate};
use featherank::data::{Dataset, FeatureId, FeatureTable, Queries, ReadOptions, read};
use featherank::engine::LocalEngine;
use featherank::measure::Measure;
use featherank::rank::Scorer;
use featherank::registry::{ranker, selector};
use featherank::run::{Constraints, Run};
use featherank::select::Selection;
use featherank::{Error, Result};
use serde_json::Value;

const CLUSTERING: [&str; 4] = ["ngas", "xgas", "hcas", "hierarchical"];

fn try_select(
    method: &str,
    set: &[(&str, &str)],
    data: &Dataset,
    k: Option<usize>,
) -> Result<Selection> {
    let set: Vec<(String, String)> =
        set.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    let run = Run::new(7, Constraints { k, ..Constraints::default() });
    selector(method)?.run(&set, &run, &LocalEngine::new(data.clone(), 1).unwrap())
}

fn select(method: &str, set: &[(&str, &str)], data: &Dataset, k: Option<usize>) -> Selection {
    try_select(method, set, data, k).unwrap()
}

fn ids(selection: &Selection) -> Vec<u32> {
    selection.selected.iter().map(|chosen| chosen.id).collect()
}

fn path(selection: &Selection) -> Vec<u32> {
    selection.path.iter().map(|step| step.feature).collect()
}

fn tiny() -> Dataset {
    generate(&Preset::Tiny.config()).unwrap().0
}

fn columns(data: &Dataset) -> Vec<Vec<f32>> {
    (0..data.features().len()).map(|f| data.column(FeatureId::from(f)).to_vec()).collect()
}

/// The same queries and labels with other columns.
fn with_columns(data: &Dataset, columns: &[Vec<f32>]) -> Dataset {
    let sizes: Vec<usize> = data.queries().sizes().collect();
    let queries = Queries::new(&sizes, data.queries().ids().to_vec());
    Dataset::new(
        columns.concat(),
        data.labels().to_vec(),
        queries,
        FeatureTable::numbered(columns.len(), 1),
    )
}

/// The features of a data set that differ within a query.
fn live(data: &Dataset) -> Vec<Vec<f32>> {
    let varies = |column: &Vec<f32>| {
        data.queries()
            .iter()
            .any(|rows| column[rows.clone()].iter().any(|x| *x != column[rows.start]))
    };
    columns(data).into_iter().filter(varies).collect()
}

#[test]
fn rank_filter_weights_equal_the_worked_example() {
    let of = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let (data, expected) = (
        of(include_str!("fixtures/ranksvm_primal.json")),
        of(include_str!("fixtures/other_fs.json")),
    );
    let numbers = |value: &Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let rows: Vec<Vec<f64>> = data["X"].as_array().unwrap().iter().map(numbers).collect();
    let column = |f: usize| rows.iter().map(|row| row[f] as f32).collect::<Vec<f32>>();
    let labels = numbers(&data["y"]).into_iter().map(|y| y as f32).collect();
    let values = (0..3).flat_map(column).collect();
    let data =
        Dataset::new(values, labels, Queries::from_sizes(&[3, 4]), FeatureTable::numbered(3, 1));
    let relief = &expected["rank_relief_sketch"];
    let neighbours = relief["k"].to_string();
    let selection =
        select("rank-filter", &[("neighbours", &neighbours), ("balance", "false")], &data, None);
    for (f, expected) in numbers(&relief["weights"]).into_iter().enumerate() {
        let chosen = selection.selected.iter().find(|chosen| chosen.id as usize == f + 1).unwrap();
        // Values are stored in single precision.
        assert!(
            (chosen.score - expected).abs() < 1e-7,
            "{}: {} instead of {expected}",
            f + 1,
            chosen.score
        );
    }
}

/// Weights by loops over pairs of documents, with neighbours sorted and ties shared as in the
/// method's documentation.
fn relief_by_definition(data: &Dataset, neighbours: usize, within_queries: bool) -> Vec<f64> {
    let range = |values: &[f32]| {
        let order = |a: &&f32, b: &&f32| a.total_cmp(b);
        (*values.iter().min_by(order).unwrap(), *values.iter().max_by(order).unwrap())
    };
    let columns = columns(data);
    let (mut sums, mut documents) = (vec![0.0; columns.len()], 0.0);
    for rows in data.queries().iter() {
        let labels = &data.labels()[rows.clone()];
        let (least, most) = range(labels);
        if least == most {
            continue;
        }
        documents += rows.len() as f64;
        let scaled: Vec<Vec<f32>> = columns
            .iter()
            .map(|column| {
                let (least, most) =
                    range(if within_queries { &column[rows.clone()] } else { column });
                let scale = 1.0 / (f64::from(most) - f64::from(least));
                let scaled = |&x: &f32| ((f64::from(x) - f64::from(least)) * scale) as f32;
                column[rows.clone()]
                    .iter()
                    .map(|x| if least == most { 0.0 } else { scaled(x) })
                    .collect()
            })
            .collect();
        for i in 0..rows.len() {
            let distance =
                |j: usize| scaled.iter().map(|column| (column[i] - column[j]).abs()).sum::<f32>();
            let mut others: Vec<(f32, usize)> =
                (0..rows.len()).filter(|&j| j != i).map(|j| (distance(j), j)).collect();
            others.sort_by(|a, b| a.0.total_cmp(&b.0));
            let places = neighbours.min(others.len());
            let last = others[places - 1].0;
            let closer = others.iter().filter(|(d, _)| *d < last).count();
            let tied = others.iter().filter(|(d, _)| *d == last).count();
            for &(d, j) in others.iter().take_while(|(d, _)| *d <= last) {
                let place = if d < last { 1.0 } else { (places - closer) as f64 / tied as f64 };
                let apart = f64::from((labels[i] - labels[j]).abs()) / f64::from(most - least);
                for (sum, column) in sums.iter_mut().zip(&scaled) {
                    *sum += place * f64::from((column[i] - column[j]).abs()) * (2.0 * apart - 1.0);
                }
            }
        }
    }
    sums.iter().map(|sum| sum / (documents * neighbours as f64)).collect()
}

/// Lists of 1 to 60 documents in several blocks of the engine; values in steps, so that distances
/// tie.
fn many_lists() -> Dataset {
    let sizes: Vec<usize> = (0..300).map(|q| 1 + q * 37 % 60).collect();
    let documents: usize = sizes.iter().sum();
    let mut state = 1u64;
    let mut next = |steps: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % steps) as f32
    };
    let labels: Vec<f32> = (0..documents).map(|_| next(3)).collect();
    let values = [4, 1000, 2, 10]
        .iter()
        .flat_map(|&steps| (0..documents).map(|_| next(steps)).collect::<Vec<f32>>())
        .collect();
    Dataset::new(values, labels, Queries::from_sizes(&sizes), FeatureTable::numbered(4, 1))
}

#[test]
fn rank_filter_equals_its_definition() {
    let data = many_lists();
    assert!(data.documents() > 8192, "more than one block");
    for (neighbours, scale) in [(1, "overall"), (7, "overall"), (7, "query"), (200, "query")] {
        let set =
            [("neighbours", &*neighbours.to_string()), ("scale", scale), ("balance", "false")];
        let selection = select("rank-filter", &set, &data, None);
        let expected = relief_by_definition(&data, neighbours, scale == "query");
        for chosen in &selection.selected {
            let expected = expected[chosen.id as usize - 1];
            assert!(
                (chosen.score - expected).abs() < 1e-12,
                "{set:?}: {} instead of {expected}",
                chosen.score
            );
        }
    }
}

#[test]
fn rank_filter_puts_useful_features_above_noise() {
    let (data, truth) = generate(&Preset::Tiny.config()).unwrap();
    for (scale, balance) in
        [("overall", "false"), ("query", "false"), ("overall", "true"), ("query", "true")]
    {
        let selection =
            select("rank-filter", &[("scale", scale), ("balance", balance)], &data, None);
        let mean = |role: Role| {
            let of_role = |id: u32| truth.features.iter().any(|f| f.id == id && f.role == role);
            let scores: Vec<f64> =
                selection.selected.iter().filter(|c| of_role(c.id)).map(|c| c.score).collect();
            scores.iter().sum::<f64>() / scores.len() as f64
        };
        assert!(
            mean(Role::Useful) > mean(Role::Noisy),
            "{scale}: {} {}",
            mean(Role::Useful),
            mean(Role::Noisy)
        );
    }
}

/// Scaling by powers of two and reflection do not change scaled differences.
#[test]
fn rank_filter_does_not_depend_on_units() {
    let data = tiny();
    let mut changed = columns(&data);
    changed[0].iter_mut().for_each(|x| *x *= 1024.0);
    changed[5].iter_mut().for_each(|x| *x *= -0.25);
    let changed = with_columns(&data, &changed);
    for scale in ["overall", "query"] {
        let [before, after] =
            [&data, &changed].map(|data| select("rank-filter", &[("scale", scale)], data, None));
        assert_eq!(ids(&before), ids(&after), "{scale}");
    }
}

#[test]
fn rank_filter_samples_queries_by_their_ids() {
    let data = tiny();
    let half = |data: &Dataset| select("rank-filter", &[("sample", "0.5")], data, None);
    let reversed: Vec<usize> = (0..data.queries().len()).rev().collect();
    assert_eq!(ids(&half(&data)), ids(&half(&data.subset(&reversed))), "for any order of queries");
    assert_ne!(half(&data).selected, select("rank-filter", &[], &data, None).selected);
    let error = try_select("rank-filter", &[("sample", "0.000001")], &data, None).unwrap_err();
    assert!(
        matches!(error, Error::NothingCounts(_)) && error.to_string().contains("raise `sample`"),
        "{error}"
    );
}

/// Every live feature twice: no copy is a delegate before all originals are.
#[test]
fn copies_are_not_delegates_beside_their_originals() {
    let data = tiny();
    let originals = live(&data);
    let count = originals.len();
    let twice = with_columns(&data, &[originals.clone(), originals].concat());
    for linkage in ["ward", "single", "average", "complete"] {
        let order = path(&select("hcas", &[("linkage", linkage)], &twice, None));
        assert!(order[..count].iter().all(|&id| id as usize <= count), "{linkage}: {order:?}");
    }
    for k in 1..=count {
        let chosen = ids(&select("hierarchical", &[], &twice, Some(k)));
        assert!(chosen.iter().all(|&id| id as usize <= count), "k = {k}: {chosen:?}");
    }
    let free = ids(&select("hierarchical", &[], &twice, None));
    assert!(free.iter().all(|&id| id as usize <= count), "{free:?}");
}

#[test]
fn hcas_sets_are_nested() {
    let data = tiny();
    let all = path(&select("hcas", &[], &data, None));
    for k in 1..=all.len() {
        assert_eq!(ids(&select("hcas", &[], &data, Some(k))), all[..k]);
    }
}

/// Features with equal rankings have equal relevance and similarity: these methods use ranks only.
#[test]
fn clusters_do_not_depend_on_the_scale_of_features() {
    let data = tiny();
    let mut changed = columns(&data);
    changed[0].iter_mut().for_each(|x| *x = *x * *x * *x);
    changed[3].iter_mut().for_each(|x| *x = *x * 64.0 + 3.0);
    let changed = with_columns(&data, &changed);
    for method in CLUSTERING {
        assert_eq!(
            path(&select(method, &[], &data, None)),
            path(&select(method, &[], &changed, None)),
            "{method}"
        );
    }
}

/// Dropping a feature gives the same result as data without it; the traversal starts at a kept
/// feature.
#[test]
fn constraints_shape_the_clusters() {
    let data = tiny();
    for method in CLUSTERING {
        let with = |constraints: Constraints| {
            let engine = LocalEngine::new(data.clone(), 1).unwrap();
            selector(method).unwrap().run(&[], &Run::new(7, constraints), &engine).unwrap()
        };
        let free = ids(&with(Constraints::default()));
        let without =
            with(Constraints { drop: vec![FeatureId(free[0] - 1)], ..Constraints::default() });
        let mut fewer = columns(&data);
        fewer.remove(free[0] as usize - 1);
        let fewer = select(method, &[], &with_columns(&data, &fewer), None);
        let renumbered: Vec<u32> =
            path(&fewer).iter().map(|&id| if id >= free[0] { id + 1 } else { id }).collect();
        assert_eq!(path(&without), renumbered, "{method}");
        let last = *path(&with(Constraints::default())).last().unwrap();
        let kept = with(Constraints {
            keep: vec![FeatureId(last - 1)],
            k: Some(2),
            ..Constraints::default()
        });
        assert_eq!((kept.selected.len(), kept.selected[0].id), (2, last), "{method}");
    }
}

/// One feature orders documents in reverse: useless alone, perfect for a model.
#[test]
fn relevance_by_a_model_finds_reversed_features() {
    let data = tiny();
    let noise: Vec<f32> = (0..data.documents()).map(|i| (i * 7919 % 101) as f32).collect();
    let falling: Vec<f32> = data.labels().iter().zip(&noise).map(|(y, x)| -y + 0.001 * x).collect();
    let rising: Vec<f32> = data.labels().iter().zip(&noise).map(|(y, x)| y + 0.03 * x).collect();
    let data = with_columns(&data, &[noise, falling, rising]);
    let measure: Measure = "ndcg[ties=expected]@10".parse().unwrap();
    let perfect = measure.summary(&measure.per_query(data.labels(), &data.view()));
    for method in ["ngas", "xgas", "hcas"] {
        assert_eq!(ids(&select(method, &[], &data, None))[0], 3, "{method}");
        let chosen = select(method, &[("relevance", "lambdamart")], &data, None);
        assert_eq!(ids(&chosen)[0], 2, "{method}");
        assert!(
            (chosen.selected[0].score - perfect).abs() < 1e-12,
            "{method}: {:?}",
            chosen.selected
        );
    }
}

#[test]
fn delegates_by_ranker_have_the_largest_weights() {
    let data = tiny();
    let chosen = select("hierarchical", &[("delegate", "ranker"), ("clusters", "4")], &data, None);
    assert_eq!(chosen.selected.len(), 4);
    let live: Vec<FeatureId> = chosen.path.iter().map(|step| FeatureId(step.feature - 1)).collect();
    let mut columns = live.clone();
    columns.sort_unstable();
    let view = data.view().with_features(columns);
    let run = Run::new(7, Constraints::default());
    let model = ranker("ranksvm-primal").unwrap().fit(&[], &run, &view, None).unwrap();
    let Scorer::Linear(linear) = &model.scorer else { unreachable!() };
    for step in &chosen.path {
        let column = data.column(FeatureId(step.feature - 1));
        let within = |rows: std::ops::Range<usize>| {
            let values = &column[rows];
            let mean = values.iter().map(|&x| f64::from(x)).sum::<f64>() / values.len() as f64;
            values.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>()
        };
        let spread =
            (data.queries().iter().map(within).sum::<f64>() / data.documents() as f64).sqrt();
        let weight = linear.weights().iter().find(|w| w.feature.id == step.feature).unwrap().weight;
        let expected = weight.abs() * spread;
        assert!(
            (step.value - expected).abs() < 1e-9 * (1.0 + expected),
            "{}: {} {expected}",
            step.feature,
            step.value
        );
    }
}

#[test]
fn number_of_clusters_can_be_set() {
    let data = tiny();
    for clusters in [1, 2, 5] {
        let said = select("hierarchical", &[("clusters", &clusters.to_string())], &data, None);
        assert_eq!(ids(&said), ids(&select("hierarchical", &[], &data, Some(clusters))));
        assert_eq!(said.selected.len(), clusters);
    }
}

#[test]
fn unusual_data_gives_a_selection_or_an_error() {
    let data = |labels: Vec<f32>, columns: &[Vec<f32>]| {
        let sizes = vec![2; labels.len() / 2];
        Dataset::new(
            columns.concat(),
            labels,
            Queries::from_sizes(&sizes),
            FeatureTable::numbered(columns.len(), 1),
        )
    };
    let (rising, falling, constant) = (vec![0., 1., 2., 3.], vec![1., 0., 5., 4.], vec![1.; 4]);
    let labels = vec![0., 1., 0., 1.];
    for method in CLUSTERING.iter().chain(&["rank-filter"]) {
        let one = data(labels.clone(), &[constant.clone(), rising.clone()]);
        assert_eq!(ids(&select(method, &[], &one, None)), [2], "{method} with one live feature");
        let two = data(labels.clone(), &[rising.clone(), falling.clone()]);
        assert!(ids(&select(method, &[], &two, None)).contains(&1), "{method} with two features");
        let none = data(labels.clone(), &[constant.clone(), constant.clone()]);
        let error = try_select(method, &[], &none, None).unwrap_err();
        assert!(matches!(error, Error::Constraint(_)), "{method}: {error}");
    }
    let equal = data(vec![1.; 4], &[rising, falling]);
    let error = try_select("rank-filter", &[], &equal, None).unwrap_err();
    assert!(error.to_string().contains("different relevance"), "{error}");
}

/// The first five features on OHSUMED's first fold, pinned. There are no published results to
/// compare with.
#[test]
fn filters_never_pick_features_that_are_constant_within_queries() {
    let Some(folder) = real_data("OHSUMED/QueryLevelNorm") else { return };
    let fold = &FoldFiles::find(&folder).unwrap()[0];
    let train = read(&fold.train, &ReadOptions::default()).unwrap();
    let constant = [5, 6, 7, 20, 21, 22, 35, 36, 37];
    for method in CLUSTERING.iter().chain(&["rank-filter"]) {
        let selection = select(method, &[], &train, Some(5));
        println!("{method}: {:?}", ids(&selection));
        assert_eq!(path(&selection).len(), 36, "{method}");
        assert!(path(&selection).iter().all(|id| !constant.contains(id)), "{method}");
    }
    println!("hierarchical without k: {:?}", ids(&select("hierarchical", &[], &train, None)));
}
