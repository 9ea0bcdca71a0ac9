//! One suite that every selector, ranker and measure of the registry passes; nobody is excused.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use crate::common::StopAt;
use featherank::data::synth::{Preset, generate};
use featherank::data::{Dataset, FeatureId, FeatureTable, Queries, View};
use featherank::engine::LocalEngine;
use featherank::measure::Measure;
use featherank::rank::RankerSpec;
use featherank::registry::{Category, MEASURES, RANKERS, SELECTORS, entries};
use featherank::run::{Constraints, Run};
use featherank::select::{Selection, SelectorSpec};
use featherank::{Error, Result, Stop};
use rand::seq::SliceRandom;

fn tiny() -> Dataset {
    generate(&Preset::Tiny.config()).unwrap().0
}

/// What is set for selectors that search for minutes: a short search. All else about them is as
/// users have it.
fn short(spec: &SelectorSpec) -> Vec<(String, String)> {
    let set: &[(&str, &str)] = match spec.name {
        "mofsrank" => &[
            ("population", "16"),
            ("pair-generations", "6"),
            ("feature-generations", "12"),
            ("ensemble-generations", "12"),
        ],
        "spea2" => &[("population", "12"), ("archive", "16"), ("generations", "4")],
        "boruta" => &[("rounds", "12"), ("settings", "trees=8;leaves=8")],
        "rfe" => &[("folds", "2"), ("settings", "trees=6")],
        "btfs" => &[("settings", "trees=6")],
        "auto" => &[("settings", "trees=6"), ("folds", "3"), ("methods", "elimination,best-gain")],
        _ => &[],
    };
    set.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn select(
    spec: &SelectorSpec,
    data: Dataset,
    threads: usize,
    constraints: Constraints,
) -> Result<Selection> {
    spec.run(&short(spec), &Run::new(7, constraints), &LocalEngine::new(data, threads).unwrap())
}

/// What a selector selects from [`tiny`] on one thread without constraints. Several tests compare
/// with it, so it is computed once.
fn reference(spec: &'static SelectorSpec) -> Arc<Selection> {
    type Slot = Arc<OnceLock<Arc<Selection>>>;
    static KNOWN: LazyLock<Mutex<HashMap<&'static str, Slot>>> = LazyLock::new(Mutex::default);
    let slot = KNOWN.lock().unwrap().entry(spec.name).or_default().clone();
    slot.get_or_init(|| Arc::new(select(spec, tiny(), 1, Constraints::default()).unwrap())).clone()
}

fn ids(selection: &Selection) -> Vec<u32> {
    selection.selected.iter().map(|chosen| chosen.id).collect()
}

/// A data set from columns, with rows and queries in any order.
fn rearranged(data: &Dataset, queries: &[usize], within: impl Fn(&mut Vec<usize>)) -> Dataset {
    let mut rows = Vec::new();
    for &query in queries {
        let mut own: Vec<usize> = data.queries().rows(query).collect();
        within(&mut own);
        rows.extend(own);
    }
    let pick = |column: &[f32]| rows.iter().map(|&row| column[row]).collect::<Vec<f32>>();
    let values =
        (0..data.features().len()).flat_map(|f| pick(data.column(FeatureId::from(f)))).collect();
    let sizes: Vec<usize> = queries.iter().map(|&q| data.queries().rows(q).len()).collect();
    let names = queries.iter().map(|&q| data.queries().id(q).to_owned()).collect();
    Dataset::new(values, pick(data.labels()), Queries::new(&sizes, names), data.features().clone())
}

#[test]
fn selectors_do_not_depend_on_threads() {
    for spec in SELECTORS {
        let expected = reference(spec).to_json().unwrap();
        for threads in [2, 7] {
            let selection = select(spec, tiny(), threads, Constraints::default()).unwrap();
            assert_eq!(selection.to_json().unwrap(), expected, "{}", spec.name);
        }
    }
}

#[test]
fn order_of_rows_and_queries_and_names_do_not_matter() {
    let data = tiny();
    let count = data.queries().len();
    let mut shuffled: Vec<usize> = (0..count).collect();
    shuffled.shuffle(&mut featherank::random::stream(1, featherank::random::Purpose::Test, 0));
    let mut named = data.clone();
    named
        .features_mut()
        .set_names((0..data.features().len()).map(|i| format!("name{i}")).collect());
    let in_order: Vec<usize> = (0..count).collect();
    for spec in SELECTORS {
        let expected = ids(&reference(spec));
        for (what, changed) in [
            ("rows reversed", rearranged(&data, &in_order, |rows| rows.reverse())),
            ("queries shuffled", rearranged(&data, &shuffled, |_| {})),
            ("features named", named.clone()),
        ] {
            let got = ids(&select(spec, changed, 1, Constraints::default()).unwrap());
            assert_eq!(got, expected, "{} with {what}", spec.name);
        }
    }
}

/// Numbers of features to ask for: all of them, or a few where every one means to train models
/// anew.
fn sizes(spec: &SelectorSpec, most: usize) -> Vec<usize> {
    let trains = spec.category != Category::Filter;
    (1..=most).filter(|&k| !trains || k == 1 || k == most / 2 || k == most).collect()
}

#[test]
fn constraints_are_obeyed() {
    let f = |id: u32| FeatureId(id - 1);
    for spec in SELECTORS {
        let free = reference(spec);
        let (best, worst) = (free.selected[0].id, free.path[free.path.len() - 1].feature);
        for k in sizes(spec, free.selected.len()) {
            let chosen =
                select(spec, tiny(), 1, Constraints { k: Some(k), ..Constraints::default() })
                    .unwrap();
            assert_eq!(chosen.selected.len(), k, "{}", spec.name);
            assert_eq!(chosen.path.len(), free.path.len(), "{} returns the whole path", spec.name);
        }
        let constraints = Constraints {
            k: Some(3),
            keep: vec![f(worst)],
            drop: vec![f(best)],
            ..Constraints::default()
        };
        let chosen = ids(&select(spec, tiny(), 1, constraints).unwrap());
        assert!(
            chosen.contains(&worst) && !chosen.contains(&best) && chosen.len() == 3,
            "{}",
            spec.name
        );
        // The best feature costs more than the budget; the others cost 1.
        let mut costs = vec![1.0; tiny().features().len()];
        costs[best as usize - 1] = 100.0;
        let constraints = Constraints { costs, budget: Some(4.0), ..Constraints::default() };
        let chosen = select(spec, tiny(), 1, constraints).unwrap();
        assert!(chosen.selected.iter().map(|c| c.cost).sum::<f64>() <= 4.0, "{}", spec.name);
        assert!(!ids(&chosen).contains(&best) && !chosen.selected.is_empty(), "{}", spec.name);
        let too_many = Constraints { k: Some(20), ..Constraints::default() };
        assert!(
            select(spec, tiny(), 1, too_many).is_err(),
            "{}: two features of tiny are dead",
            spec.name
        );
    }
}

/// Columns: one that ranks, its copy, a constant, one constant within queries, and noise; then odd
/// queries.
fn odd() -> Dataset {
    let sizes = [1, 4, 4, 3, 5];
    let labels = vec![
        1., /* none relevant */ 0., 0., 0., 0., /* all relevant */ 2., 2., 2., 2., 1.,
        0., 0., 0., 1., 2., 0., 1.,
    ];
    let rank: Vec<f32> =
        labels.iter().zip(0u8..).map(|(y, i)| y * 2.0 + f32::from(i % 3) * 0.1).collect();
    let queries = Queries::from_sizes(&sizes);
    let within: Vec<f32> =
        queries.iter().enumerate().flat_map(|(q, rows)| vec![q as f32; rows.len()]).collect();
    let noise: Vec<f32> = (0..labels.len()).map(|i| (i * 7919 % 13) as f32).collect();
    let values = [rank.clone(), rank, vec![3.0; labels.len()], within, noise].concat();
    Dataset::new(values, labels, queries, FeatureTable::numbered(5, 1))
}

#[test]
fn odd_features_and_queries_are_survived() {
    for spec in SELECTORS {
        let selection = select(spec, odd(), 1, Constraints::default()).unwrap();
        assert!(
            !ids(&selection).iter().any(|id| [3, 4].contains(id)),
            "{} picks a dead feature",
            spec.name
        );
        assert_eq!(
            selection.set_aside.iter().map(|s| s.id).collect::<Vec<_>>(),
            [3, 4],
            "{}",
            spec.name
        );
        assert!(selection.selected.iter().all(|c| c.score.is_finite()), "{}", spec.name);
        assert_eq!(
            ids(&selection)[0],
            1,
            "{}: the feature that ranks comes first, the copy later",
            spec.name
        );
    }
}

#[test]
fn a_selection_by_a_measure_that_counts_no_query_is_refused() {
    let set = [("measure".to_owned(), "map[rel=9,empty=skip]".to_owned())];
    let run = Run::new(7, Constraints::default());
    for spec in
        SELECTORS.iter().filter(|spec| spec.params.iter().any(|param| param.name == "measure"))
    {
        let error = spec.run(&set, &run, &LocalEngine::new(tiny(), 1).unwrap()).unwrap_err();
        assert!(error.to_string().contains("counts no query"), "{}: {error}", spec.name);
    }
}

/// Every one of the first steps, then fewer and fewer: wrappers train rankers, and take thousands.
fn steps_to_stop_at() -> impl Iterator<Item = u64> {
    (0..40).chain(std::iter::successors(Some(40), |step| Some(2 * step)))
}

/// Stopping at any step is an error of its own kind, and starting again gives the same bytes.
#[test]
fn every_step_can_be_the_last() {
    for spec in SELECTORS {
        let expected = reference(spec).to_json().unwrap();
        for step in steps_to_stop_at() {
            let observer = StopAt::step(step);
            let engine = LocalEngine::new(tiny(), 1).unwrap().observed_by(observer.clone());
            let run = Run { observer, ..Run::new(7, Constraints::default()) };
            match spec.run(&short(spec), &run, &engine) {
                Err(Error::Stopped(Stop::Interrupted)) => {
                    assert!(step < 1_000_000, "{} never ends", spec.name)
                }
                finished => {
                    assert!(step > 0, "{} reports no step", spec.name);
                    assert_eq!(finished.unwrap().to_json().unwrap(), expected, "{}", spec.name);
                    break;
                }
            }
        }
    }
}

#[test]
fn selections_survive_saving() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("selection.json");
    for spec in SELECTORS {
        let selection = reference(spec);
        selection.save(&path).unwrap();
        assert_eq!(Selection::load(&path).unwrap(), *selection, "{}", spec.name);
        assert_eq!(selection.columns(tiny().features()).unwrap().len(), selection.selected.len());
        assert!(
            selection.columns(&FeatureTable::numbered(1, 1)).is_err(),
            "other data lacks its features"
        );
    }
    std::fs::write(
        &path,
        std::fs::read_to_string(&path).unwrap().replace("\"version\": 2", "\"version\": 99"),
    )
    .unwrap();
    assert!(Selection::load(&path).unwrap_err().to_string().contains("newer featherank"));
    std::fs::write(&path, "{\"featherank\": \"model\", \"version\": 1}").unwrap();
    assert!(Selection::load(&path).unwrap_err().to_string().contains("not a selection"));
    std::fs::write(&path, "{\"featherank\": \"selection\", \"version\": 1, \"me").unwrap();
    assert!(Selection::load(&path).is_err());
}

fn fit(spec: &RankerSpec, view: &View<'_>) -> Vec<f32> {
    spec.fit(&[], &Run::new(7, Constraints::default()), view, None).unwrap().score(view).unwrap()
}

/// These draw documents, so that another order of rows is another draw; they must still learn as
/// well.
const DRAW_DOCUMENTS: &[&str] = &["random-forest"];

#[test]
fn rankers_do_not_depend_on_threads() {
    let data = tiny();
    for spec in RANKERS {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(spec, &data.view()))
        };
        let expected = with(1);
        assert!([2, 7].iter().all(|&threads| with(threads) == expected), "{}", spec.name);
    }
}

#[test]
fn rankers_learn_and_ignore_the_order_of_rows() {
    let data = tiny();
    let in_order: Vec<usize> = (0..data.queries().len()).collect();
    let reversed = rearranged(&data, &in_order, |rows| rows.reverse());
    let measure: Measure = "ndcg@10".parse().unwrap();
    for spec in RANKERS {
        let (a, b) = (fit(spec, &data.view()), fit(spec, &reversed.view()));
        let value = |scores: &[f32], data: &Dataset| {
            measure.summary(&measure.per_query(scores, &data.view()))
        };
        assert!(
            value(&a, &data) > value(&vec![0.0; data.documents()], &data),
            "{} learns nothing",
            spec.name
        );
        assert!((value(&a, &data) - value(&b, &reversed)).abs() < 0.02, "{}", spec.name);
        if DRAW_DOCUMENTS.contains(&spec.name) {
            continue;
        }
        // Sums in another order differ in their last digits.
        let range = |scores: &[f32]| scores.iter().fold(0f32, |most, score| most.max(score.abs()));
        for rows in data.queries().iter() {
            let pairs = a[rows.clone()].iter().zip(b[rows].iter().rev());
            let apart = pairs.map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
            assert!(apart <= 1e-3 * range(&a), "{}: {apart} of {}", spec.name, range(&a));
        }
    }
}

/// A single query, no relevant document, one feature, more features than documents: a model or a
/// clear error.
#[test]
fn rankers_survive_odd_data() {
    let data = |sizes: &[usize], labels: Vec<f32>, features: usize| {
        let values = (0..labels.len() * features).map(|i| (i * 7919 % 101) as f32).collect();
        Dataset::new(
            values,
            labels,
            Queries::from_sizes(sizes),
            FeatureTable::numbered(features, 1),
        )
    };
    let no_features = data(&[3], vec![0., 1., 2.], 0);
    let no_documents = data(&[], vec![], 2);
    let constant = Dataset::new(
        vec![1.0; 6],
        vec![0., 1., 2.],
        Queries::from_sizes(&[3]),
        FeatureTable::numbered(2, 1),
    );
    let odd_data = [
        ("odd queries", odd()),
        ("one query", data(&[6], vec![0., 1., 2., 0., 0., 1.], 3)),
        ("one document a query", data(&[1, 1, 1], vec![0., 1., 2.], 2)),
        ("no relevant document", data(&[4, 4], vec![0.; 8], 2)),
        ("all relevant", data(&[4, 4], vec![1.; 8], 2)),
        ("one feature", data(&[4, 4], vec![0., 1., 0., 2., 1., 1., 0., 0.], 1)),
        ("more features than documents", data(&[3, 3], vec![0., 1., 2., 1., 0., 0.], 40)),
        ("constant features", constant),
        ("no features", no_features),
        ("no documents", no_documents),
    ];
    for spec in RANKERS {
        for (what, data) in &odd_data {
            match spec.fit(&[], &Run::new(7, Constraints::default()), &data.view(), None) {
                Ok(model) => {
                    let scores = model.score(&data.view()).unwrap();
                    assert!(
                        scores.iter().all(|score| score.is_finite()),
                        "{} with {what}",
                        spec.name
                    );
                }
                Err(error @ (Error::NothingCounts(_) | Error::Numerical(_))) => {
                    assert!(!error.to_string().is_empty());
                }
                Err(error) => panic!("{} with {what}: {error}", spec.name),
            }
        }
        assert!(fit(spec, &odd().view()).iter().all(|score| score.is_finite()), "{}", spec.name);
    }
}

/// Rankers that watch a measure say so when no query counts under it, instead of keeping their
/// first step or never ending.
#[test]
fn a_measure_that_counts_no_query_is_refused() {
    let data = tiny();
    let set = [("measure".to_owned(), "map[rel=9,empty=skip]".to_owned())];
    let run = Run::new(7, Constraints::default());
    for spec in
        RANKERS.iter().filter(|spec| spec.params.iter().any(|param| param.name == "measure"))
    {
        let view = data.view();
        let fit = |valid| spec.fit(&set, &run, &view, valid);
        if let Err(error) = fit(Some(&view)) {
            assert!(matches!(error, Error::NothingCounts(_)), "{}: {error}", spec.name);
        } else {
            assert_eq!(spec.name, "single-feature", "looks at training data only");
        }
        // Without validation data: a model or an error, but an end.
        let _ = fit(None);
    }
}

#[test]
fn labels_too_large_for_gains_are_refused() {
    let labels = vec![2000., 0., 1., 0.];
    let data = Dataset::new(
        vec![4., 3., 2., 1.],
        labels,
        Queries::from_sizes(&[4]),
        FeatureTable::numbered(1, 1),
    );
    for name in ["lambdamart", "lambdarank"] {
        let spec = featherank::registry::ranker(name).unwrap();
        let error =
            spec.fit(&[], &Run::new(7, Constraints::default()), &data.view(), None).unwrap_err();
        assert!(error.to_string().contains("at most 53"), "{name}: {error}");
    }
}

/// A subset fitted after common work is the subset fitted alone.
#[test]
fn subsets_share_work_and_change_nothing() {
    let data = tiny();
    let run = Run::new(7, Constraints::default());
    let half = data.queries().len() / 2;
    let (train, valid) = (
        data.view().with_query_span(0..half),
        data.view().with_query_span(half..data.queries().len()),
    );
    for spec in RANKERS {
        let params = featherank::params::Params::new(spec.name, spec.params, &[]).unwrap();
        let ranker = (spec.build)(&params).unwrap();
        let fit = ranker.for_subsets(&run, &train, Some(&valid)).unwrap();
        for subset in [vec![0, 4, 6, 11], vec![4], vec![11, 4, 0, 1, 2, 6]] {
            let features: Vec<FeatureId> = subset.into_iter().map(FeatureId::from).collect();
            let (train, valid) =
                (train.with_features(features.clone()), valid.with_features(features.clone()));
            let alone = ranker.fit(&run, &train, Some(&valid)).unwrap().score(&valid).unwrap();
            let shared = fit(&features).unwrap().score(&valid).unwrap();
            let range = alone.iter().fold(0f32, |most, score| most.max(score.abs()));
            let apart = alone.iter().zip(&shared).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
            assert!(apart <= 1e-5 * range, "{} {features:?}: {apart} of {range}", spec.name);
        }
    }
}

/// Stopping a ranker at any step is an error of its own kind.
#[test]
fn every_step_of_a_ranker_can_be_the_last() {
    let data = tiny();
    for spec in RANKERS {
        for step in [0, 1, 5] {
            let observer = StopAt::step(step);
            let run = Run { observer, ..Run::new(7, Constraints::default()) };
            match spec.fit(&[], &run, &data.view(), None) {
                Err(Error::Stopped(Stop::Interrupted)) => {}
                finished => assert!(finished.is_ok() && step > 0, "{} reports no step", spec.name),
            }
        }
    }
}

#[test]
fn models_survive_saving() {
    let (data, folder) = (tiny(), tempfile::tempdir().unwrap());
    let path = folder.path().join("model.json");
    for spec in RANKERS {
        let model =
            spec.fit(&[], &Run::new(7, Constraints::default()), &data.view(), None).unwrap();
        model.save(&path).unwrap();
        let loaded = featherank::rank::Model::load(&path).unwrap();
        assert_eq!(
            loaded.score(&data.view()).unwrap(),
            model.score(&data.view()).unwrap(),
            "{}",
            spec.name
        );
        assert!(Selection::load(&path).is_err(), "a model is no selection");
    }
}

#[test]
fn measures_parse_back_and_accept_odd_queries() {
    let data = odd();
    for spec in MEASURES {
        let name = if spec.name == "p" { "p@3".to_owned() } else { spec.name.to_owned() };
        let measure: Measure = name.parse().unwrap();
        assert_eq!(measure.to_string(), name);
        let values = measure.per_query(data.column(FeatureId(0)), &data.view());
        assert!(
            values.iter().all(|value| value.is_finite() && *value >= 0.0),
            "{name}: {values:?}"
        );
    }
}

#[test]
fn the_registry_explains_itself() {
    let mut seen = std::collections::HashSet::new();
    for entry in entries() {
        assert!(seen.insert((entry.kind, entry.name)), "{} twice", entry.name);
        assert!(!entry.summary.is_empty() && !entry.summary.ends_with('.'), "{}", entry.name);
        assert!(
            entry.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
            "{}",
            entry.name
        );
        for parameter in &entry.parameters {
            assert!(
                !parameter.meaning.is_empty() && !parameter.range.is_empty(),
                "{} {}",
                entry.name,
                parameter.name
            );
        }
    }
    for spec in SELECTORS {
        assert!(
            (spec.build)(&featherank::params::Params::new(spec.name, spec.params, &[]).unwrap())
                .is_ok()
        );
    }
    for spec in RANKERS {
        for (name, values) in spec.grid {
            for value in *values {
                let set = [((*name).to_owned(), (*value).to_owned())];
                let params = featherank::params::Params::new(spec.name, spec.params, &set).unwrap();
                assert!((spec.build)(&params).is_ok(), "{} {name}={value}", spec.name);
            }
        }
    }
}
