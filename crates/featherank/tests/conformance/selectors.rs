//! The conformance of selectors.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use super::{names, odd, permuted, rearranged, tiny};
use crate::common::StopAt;
use featherank::data::{Dataset, FeatureId, FeatureTable};
use featherank::engine::LocalEngine;
use featherank::params::Kind;
use featherank::registry::{self, Category, SELECTORS};
use featherank::run::{Constraints, Run};
use featherank::select::{Exclusion, Selection, SelectorSpec};
use featherank::{Error, Result, Stop};
use rand::seq::SliceRandom;

/// Settings that shorten selectors with searches of minutes. All other settings are the defaults.
pub(super) fn short(spec: &SelectorSpec) -> Vec<(String, String)> {
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
        "auto" => &[
            ("settings", "trees=6"),
            ("folds", "3"),
            ("repetitions", "2"),
            ("methods", "elimination,best-gain"),
        ],
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

/// The selection of a selector from [`tiny`] on one thread without constraints. Several tests
/// compare with it, so it is computed once.
fn reference(spec: &'static SelectorSpec) -> Arc<Selection> {
    type Slot = Arc<OnceLock<Arc<Selection>>>;
    static KNOWN: LazyLock<Mutex<HashMap<&'static str, Slot>>> = LazyLock::new(Mutex::default);
    let slot = KNOWN.lock().unwrap().entry(spec.name).or_default().clone();
    slot.get_or_init(|| Arc::new(select(spec, tiny(), 1, Constraints::default()).unwrap())).clone()
}

fn ids(selection: &Selection) -> Vec<u32> {
    selection.selected.iter().map(|chosen| chosen.id).collect()
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
fn results_do_not_depend_on_names_or_the_order_of_rows_and_queries() {
    let data = tiny();
    let count = data.queries().len();
    let mut shuffled: Vec<usize> = (0..count).collect();
    shuffled.shuffle(&mut featherank::internals::random::stream(
        1,
        featherank::internals::random::Purpose::Test,
        0,
    ));
    let names = (0..data.features().len()).map(|i| format!("name{i}")).collect();
    let named = data.clone().with_names(names);
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

/// Columns in another order are the same data: ties and random draws follow the identity of
/// features, their ids or else their names.
#[test]
fn results_do_not_depend_on_the_order_of_columns() {
    let (data, names) = (tiny(), names(tiny().features().len()));
    let named = data.clone().with_names(names.clone());
    for spec in SELECTORS {
        let expected = reference(spec);
        let reversed = select(spec, permuted(&data), 1, Constraints::default()).unwrap();
        assert_eq!(reversed.to_json().unwrap(), expected.to_json().unwrap(), "{}", spec.name);
        // Constraints follow their features, too.
        let constraints = |data: &Dataset| Constraints {
            keep: vec![data.features().resolve(&names[17]).unwrap()],
            costs: (data.features().iter())
                .map(|(_, f)| if f.name.as_ref() == Some(&names[4]) { 3.0 } else { 1.0 })
                .collect(),
            budget: Some(8.0),
            ..Constraints::default()
        };
        let chosen = |data: Dataset| {
            let constraints = constraints(&data);
            let selection = select(spec, data, 1, constraints).unwrap();
            let chosen = selection.selected.into_iter();
            chosen.map(|chosen| (chosen.name, chosen.score, chosen.cost)).collect::<Vec<_>>()
        };
        let in_file = permuted(&named);
        assert_ne!(in_file.features(), named.features(), "ids are places in the file");
        assert_eq!(chosen(in_file), chosen(named.clone()), "{} with names", spec.name);
    }
}

/// Numbers of features to request: all of them, or a few if every one requires models to be
/// retrained.
fn sizes(spec: &SelectorSpec, most: usize) -> Vec<usize> {
    let trains = spec.category != Category::Filter;
    (1..=most).filter(|&k| !trains || k == 1 || k == most / 2 || k == most).collect()
}

#[test]
fn constraints_are_satisfied() {
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
        // Two of the 20 features are constant within queries.
        let all = Constraints { k: Some(20), ..Constraints::default() };
        assert_eq!(select(spec, tiny(), 1, all).is_ok(), trains_trees(spec), "{}", spec.name);
    }
}

/// Whether the default ranker of a method is a tree ranker.
fn trains_trees(spec: &SelectorSpec) -> bool {
    let ranker = spec.params.iter().find(|param| matches!(param.kind, Kind::Ranker));
    ranker.is_some_and(|param| registry::ranker(param.default).unwrap().uses_query_level)
}

#[test]
fn unusual_features_and_queries_are_handled() {
    for spec in SELECTORS {
        let selection = select(spec, odd(), 1, Constraints::default()).unwrap();
        // Feature 3 is constant; feature 4 is constant within queries, and trees may use it.
        assert!(!ids(&selection).contains(&3), "{} picks a constant feature", spec.name);
        // Feature 2 equals feature 1, which `auto` reports, too.
        let unequal =
            selection.set_aside.iter().filter(|s| !matches!(s.reason, Exclusion::EqualTo(_)));
        let set_aside: Vec<u32> = unequal.map(|s| s.id).collect();
        let expected: &[u32] = if trains_trees(spec) { &[3] } else { &[3, 4] };
        assert_eq!(set_aside, expected, "{}", spec.name);
        assert!(trains_trees(spec) || !ids(&selection).contains(&4), "{}", spec.name);
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
fn selection_by_a_measure_that_counts_no_query_is_rejected() {
    let set = [("measure".to_owned(), "map[rel=9,empty=skip]".to_owned())];
    let run = Run::new(7, Constraints::default());
    for spec in
        SELECTORS.iter().filter(|spec| spec.params.iter().any(|param| param.name == "measure"))
    {
        let error = spec.run(&set, &run, &LocalEngine::new(tiny(), 1).unwrap()).unwrap_err();
        assert!(error.to_string().contains("counts labels from 9 on"), "{}: {error}", spec.name);
    }
}

/// Each of the first steps, then increasingly sparse ones: wrappers train rankers, and take
/// thousands of steps.
fn steps_to_stop_at() -> impl Iterator<Item = u64> {
    (0..40).chain(std::iter::successors(Some(40), |step| Some(2 * step)))
}

/// Interruption at any step returns its own kind of error, and a restart gives the same bytes.
#[test]
fn selectors_can_be_interrupted_at_every_step() {
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
fn selections_round_trip_through_json() {
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
        std::fs::read_to_string(&path).unwrap().replace("\"version\": 3", "\"version\": 99"),
    )
    .unwrap();
    assert!(Selection::load(&path).unwrap_err().to_string().contains("newer featherank"));
    std::fs::write(&path, "{\"featherank\": \"model\", \"version\": 1}").unwrap();
    assert!(Selection::load(&path).unwrap_err().to_string().contains("not a selection"));
    std::fs::write(&path, "{\"featherank\": \"selection\", \"version\": 1, \"me").unwrap();
    assert!(Selection::load(&path).is_err());
}
