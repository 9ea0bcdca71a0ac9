//! Filters by traversal and clustering: properties, and the filters against each other.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use crate::common::real_data;
use featherank::data::folds::FoldFiles;
use featherank::data::synth::{Preset, generate};
use featherank::data::{Dataset, FeatureId, FeatureTable, Queries, ReadOptions, read};
use featherank::engine::LocalEngine;
use featherank::measure::Measure;
use featherank::rank::Scorer;
use featherank::registry::{ranker, selector};
use featherank::run::{Constraints, Run};
use featherank::select::Selection;
use featherank::{Error, Result};

const CLUSTERING: [&str; 4] = ["ngas", "xgas", "hcas", "hierarchical"];

pub(crate) fn try_select(
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

pub(crate) fn select(
    method: &str,
    set: &[(&str, &str)],
    data: &Dataset,
    k: Option<usize>,
) -> Selection {
    try_select(method, set, data, k).unwrap()
}

pub(crate) fn ids(selection: &Selection) -> Vec<u32> {
    selection.selected.iter().map(|chosen| chosen.id).collect()
}

fn path(selection: &Selection) -> Vec<u32> {
    selection.path.iter().map(|step| step.feature).collect()
}

pub(crate) fn tiny() -> Dataset {
    generate(&Preset::Tiny.config()).unwrap().0
}

pub(crate) fn columns(data: &Dataset) -> Vec<Vec<f32>> {
    (0..data.features().len()).map(|f| data.column(FeatureId::from(f)).to_vec()).collect()
}

/// The same queries and labels with other columns.
pub(crate) fn with_columns(data: &Dataset, columns: &[Vec<f32>]) -> Dataset {
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
fn varying_columns(data: &Dataset) -> Vec<Vec<f32>> {
    let varies = |column: &Vec<f32>| {
        data.queries()
            .iter()
            .any(|rows| column[rows.clone()].iter().any(|x| *x != column[rows.start]))
    };
    columns(data).into_iter().filter(varies).collect()
}

/// Every varying feature twice: no copy is a representative before all originals are.
#[test]
fn copies_are_not_representatives_beside_their_originals() {
    let data = tiny();
    let originals = varying_columns(&data);
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
fn representatives_by_ranker_have_the_largest_weights() {
    let data = tiny();
    let chosen =
        select("hierarchical", &[("representative", "ranker"), ("clusters", "4")], &data, None);
    assert_eq!(chosen.selected.len(), 4);
    let varying: Vec<FeatureId> =
        chosen.path.iter().map(|step| FeatureId(step.feature - 1)).collect();
    let mut columns = varying.clone();
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
        assert_eq!(ids(&select(method, &[], &one, None)), [2], "{method} with one varying feature");
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
