//! FCBF, CFS, Consistency and INTERACT: worked examples and properties.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use std::collections::BTreeSet;

use featherank::data::synth::{Preset, generate};
use featherank::data::{Dataset, FeatureId, FeatureTable, Queries};
use featherank::engine::passes::Moments;
use featherank::engine::{Ask, LocalEngine};
use featherank::internals::CFSMerit;
use featherank::internals::ConsistencyMerit;
use featherank::internals::discrete::groups::Groups;
use featherank::internals::discrete::mdl::{Encoding, Entropies, cuts};
use featherank::internals::discrete::uncertainty::{Uncertainties, symmetrical_uncertainty};
use featherank::internals::discrete::{Discrete, DiscreteColumn};
use featherank::internals::search::{BestFirstSearch, SubsetMerit};
use featherank::internals::{fcbf, interact};
use featherank::registry;
use featherank::run::{Constraints, Run};
use featherank::select::Selection;
use featherank::select::forward::Criterion;
use proptest::prelude::*;
use serde_json::Value;

fn fixture() -> Value {
    serde_json::from_str(include_str!("fixtures/classic_filters.json")).unwrap()
}

pub(crate) fn run() -> Run {
    Run::new(0, Constraints::default())
}

pub(crate) fn f(index: usize) -> FeatureId {
    FeatureId::from(index)
}

/// The fixture's discrete rows as columns, and their classes.
fn discrete(fixture: &Value) -> Discrete {
    let code = |value: &Value| value.as_u64().unwrap() as u16;
    let rows = fixture["discrete_X"].as_array().unwrap();
    let width = rows[0].as_array().unwrap().len();
    let columns = (0..width).map(|j| rows.iter().map(|row| code(&row[j])).collect()).collect();
    Discrete::from_codes(columns, fixture["y"].as_array().unwrap().iter().map(code).collect())
}

fn subset(text: &str) -> Vec<FeatureId> {
    text.split(',').map(|id| FeatureId(id.parse().unwrap())).collect()
}

#[test]
fn uncertainties_equal_the_fixture() {
    let fixture = fixture();
    let data = discrete(&fixture);
    let uncertainties = Uncertainties::of(&data);
    for i in 0..4 {
        let expected = fixture["su_class"][i].as_f64().unwrap();
        assert!((uncertainties.with_class(f(i)) - expected).abs() < 1e-9);
        for j in 0..4 {
            let expected = fixture["su_pairs"][i][j].as_f64().unwrap();
            assert!((uncertainties.between(f(i), f(j)) - expected).abs() < 1e-9, "{i} {j}");
        }
    }
}

#[test]
fn fcbf_choices_equal_the_fixture() {
    let fixture = fixture();
    let data = discrete(&fixture);
    let free: Vec<FeatureId> = (0..4).map(f).collect();
    let chosen = fcbf::predominant(&run(), &[], &free, 0.0, &mut Uncertainties::of(&data)).unwrap();
    let expected = fixture["fcbf_order"].as_array().unwrap().iter();
    assert_eq!(chosen, expected.map(|i| f(i.as_u64().unwrap() as usize)).collect::<Vec<_>>());
}

/// The fixture's merits follow the formula: unrelated features have no redundancy.
#[test]
fn cfs_merits_equal_the_fixture() {
    let fixture = fixture();
    let data = discrete(&fixture);
    let mut merit = CFSMerit::of(&data, false);
    for (text, expected) in fixture["cfs_merit_all_subsets"].as_object().unwrap() {
        let (subset, expected) = (subset(text), expected.as_f64().unwrap());
        assert!((merit.merit(&subset).unwrap() - expected).abs() < 1e-9, "{text}");
        // The same as a neighbour of the subset without its last feature.
        let (&last, others) = subset.split_last().unwrap();
        assert!((merit.scores(others, &[last]).unwrap()[0] - expected).abs() < 1e-9, "{text}");
    }
    let all: Vec<FeatureId> = (0..4).map(f).collect();
    let search = BestFirstSearch { patience: 5, revisits: true };
    let mut best = search.search(&run(), &[], &all, &mut merit).unwrap().subset;
    best.sort();
    assert_eq!(best, subset(fixture["cfs_best"].as_str().unwrap()));
    // WEKA's peculiarity: SU(0, 2) is 0 and counts as 1.
    let mut weka = CFSMerit::of(&data, true);
    let expected = (0.313_046_932_2 + 0.106_444_789_1) / 2.0;
    assert!((weka.merit(&[f(0), f(2)]).unwrap() - expected).abs() < 1e-9);
}

#[test]
fn inconsistencies_equal_the_fixture() {
    let fixture = fixture();
    let data = discrete(&fixture);
    let mut merit = ConsistencyMerit::of(&data);
    for (text, expected) in fixture["inconsistency"].as_object().unwrap() {
        let (subset, expected) = (subset(text), 1.0 - expected.as_f64().unwrap());
        assert_eq!(merit.merit(&subset).unwrap(), expected, "{text}");
        let (&last, others) = subset.split_last().unwrap();
        assert_eq!(merit.scores(others, &[last]).unwrap(), [expected], "{text} by adding");
    }
}

/// No feature is removed, so contributions do not depend on which of equal features is visited
/// first.
#[test]
fn interact_contributions_equal_the_fixture() {
    let fixture = fixture();
    let data = discrete(&fixture);
    let trace = fixture["interact"]["trace"].as_array().unwrap();
    let number = |step: &Value, key: &str| step[key].as_f64().unwrap();
    let order: Vec<FeatureId> =
        trace.iter().map(|step| f(number(step, "feature") as usize)).collect();
    let threshold = number(&fixture["interact"], "threshold");
    let (run, keep) = (run(), []);
    let elimination = interact::eliminate(&run, &data, &order, &keep, threshold).unwrap();
    let expected: Vec<_> =
        order.iter().zip(trace).map(|(&f, step)| (f, number(step, "contribution"))).collect();
    assert_eq!(elimination.stayed, expected);
    assert!(elimination.left.is_empty() && trace.iter().all(|step| step["removed"] == false));
    // By hand: below .1 feature 3 is removed (.0625), then 0 contributes U{1,2} − U{0,1,2} = .0625
    // and is removed, then 1 contributes U{2} − U{1,2} = .1875 and stays; 2 contributed .125 before
    // that.
    let elimination = interact::eliminate(&run, &data, &order, &keep, 0.1).unwrap();
    assert_eq!(elimination.left, [(f(3), 0.0625), (f(0), 0.0625)]);
    assert_eq!(elimination.stayed, [(f(2), 0.125), (f(1), 0.1875)]);
    let keep = [f(3)];
    let elimination = interact::eliminate(&run, &data, &order, &keep, 0.1).unwrap();
    assert!(elimination.stayed.contains(&(f(3), 0.0625)));
}

fn codes(documents: usize, bins: u16) -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(0..bins, documents)
}

proptest! {
    #[test]
    fn uncertainty_is_symmetric_and_between_0_and_1(a in codes(40, 5), b in codes(40, 3)) {
        let (a, b) = (DiscreteColumn::from_codes(a), DiscreteColumn::from_codes(b));
        let uncertainty = symmetrical_uncertainty(&a, &b);
        prop_assert!((0.0..=1.0).contains(&uncertainty));
        // Both are rounded to multiples of 1e-12: sums in another order may differ by one multiple.
        let steps = (uncertainty - symmetrical_uncertainty(&b, &a)) * 1e12;
        prop_assert!(steps.round().abs() <= 1.0, "{steps} steps apart");
        let constant = a.codes().iter().all(|&code| code == a.codes()[0]);
        prop_assert_eq!(symmetrical_uncertainty(&a, &a), if constant { 0.0 } else { 1.0 });
    }

    /// Groups against counting whole rows in a map; inconsistency never increases with another
    /// feature.
    #[test]
    fn inconsistency_never_increases_and_equals_a_direct_count(
        columns in prop::collection::vec(codes(60, 3), 5),
        classes in codes(60, 3),
    ) {
        let data = Discrete::from_codes(columns.clone(), classes.clone());
        let mut groups = Groups::undivided(&data);
        let mut before = groups.inconsistent();
        for size in 1..=columns.len() {
            let predicted = groups.inconsistent_with(f(size - 1));
            groups = groups.divided_by(f(size - 1));
            let mut table = std::collections::BTreeMap::<Vec<u16>, [u64; 3]>::new();
            for row in 0..60 {
                let key = columns[..size].iter().map(|column| column[row]).collect();
                table.entry(key).or_default()[usize::from(classes[row])] += 1;
            }
            let plain: u64 = table.values().map(|counts| counts.iter().sum::<u64>() - counts.iter().max().unwrap()).sum();
            prop_assert_eq!(groups.inconsistent(), plain);
            prop_assert_eq!(predicted, plain);
            prop_assert!(plain <= before);
            before = plain;
        }
        // INTERACT's recursive halving against visiting one feature after the other.
        let (run, order, threshold) = (run(), (0..columns.len()).map(f).collect::<Vec<_>>(), 0.04);
        let mut left = order.clone();
        let inconsistent = |set: &[FeatureId]| Groups::undivided(&data).divided_by_all(set).inconsistent() as i64;
        for &feature in &order {
            let others: Vec<FeatureId> = left.iter().copied().filter(|&g| g != feature).collect();
            if (inconsistent(&others) - inconsistent(&left)) as f64 / 60.0 < threshold {
                left = others;
            }
        }
        let elimination = interact::eliminate(&run, &data, &order, &[], threshold).unwrap();
        prop_assert_eq!(elimination.stayed.iter().map(|(f, _)| *f).collect::<Vec<_>>(), left);
    }

    /// Only the order of values matters: after an increasing transform the cuts separate the same
    /// documents.
    #[test]
    fn cuts_follow_increasing_transforms(
        rows in prop::collection::vec((-20i16..20, 0u16..3), 2..200),
        plain in any::<bool>(),
    ) {
        let classes: Vec<u16> = rows.iter().map(|(_, class)| *class).collect();
        let encoding = if plain { Encoding::Plain } else { Encoding::Better };
        let below = |transform: fn(f32) -> f32| {
            let values: Vec<f32> = rows.iter().map(|(x, _)| transform(f32::from(*x))).collect();
            let cuts = cuts(&values, &classes, 3, encoding, &Entropies::up_to(rows.len()));
            let count = |cut: f64| values.iter().filter(|&&value| f64::from(value) <= cut).count();
            cuts.iter().map(|cut| count(cut.at)).collect::<Vec<_>>()
        };
        let expected = below(|x| x);
        prop_assert_eq!(below(|x| 3.0 * x - 7.0), expected.clone());
        prop_assert_eq!(below(|x| (x / 8.0).exp()), expected);
    }
}

pub(crate) fn select(
    name: &str,
    set: &[(&str, &str)],
    constraints: Constraints,
    data: &Dataset,
) -> featherank::Result<Selection> {
    let set: Vec<_> =
        set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let engine = LocalEngine::new(data.clone(), 0).unwrap();
    registry::selector(name).unwrap().run(&set, &Run::new(0, constraints), &engine)
}

pub(crate) fn ids(selection: &Selection) -> BTreeSet<u32> {
    selection.selected.iter().map(|chosen| chosen.id).collect()
}

const NAMES: [&str; 4] = ["fcbf", "cfs", "consistency", "interact"];

/// Every column of tiny twice: no feature is chosen together with its copy, and the first of the
/// two is chosen. CFS does not guarantee this: by its formula a copy of a strong feature can
/// increase the merit of a set with weak ones.
#[test]
fn copies_are_never_both_chosen() {
    let (data, _) = generate(&Preset::Tiny.config()).unwrap();
    let width = data.features().len();
    let twice = Dataset::new(
        [data.values(), data.values()].concat(),
        data.labels().to_vec(),
        data.queries().clone(),
        FeatureTable::numbered(2 * width, 1),
    );
    for name in ["fcbf", "consistency", "interact"] {
        let once = ids(&select(name, &[], Constraints::default(), &data).unwrap());
        assert_eq!(
            ids(&select(name, &[], Constraints::default(), &twice).unwrap()),
            once,
            "{name}"
        );
    }
}

#[test]
fn kept_features_count_and_dropped_ones_do_not() {
    let (data, _) = generate(&Preset::Tiny.config()).unwrap();
    for name in NAMES {
        let free = select(name, &[], Constraints::default(), &data).unwrap();
        let chosen = ids(&free);
        let best = free.selected[0].id;
        let other =
            free.path.iter().map(|step| step.feature).find(|id| !chosen.contains(id)).unwrap();
        let keep = Constraints { keep: vec![FeatureId(other - 1)], ..Constraints::default() };
        assert!(ids(&select(name, &[], keep, &data).unwrap()).contains(&other), "{name}");
        let drop = Constraints { drop: vec![FeatureId(best - 1)], ..Constraints::default() };
        let without = select(name, &[], drop, &data).unwrap();
        assert!(without.path.iter().all(|step| step.feature != best), "{name}");
        let more = Constraints { k: Some(free.selected.len() + 1), ..Constraints::default() };
        let more = select(name, &[], more, &data).unwrap();
        assert_eq!(
            more.selected.last().unwrap().id,
            free.path[free.selected.len()].feature,
            "{name}"
        );
    }
}

/// A single label, and too many labels: errors with a remedy. If all features are uninformative,
/// `k` still follows the path.
#[test]
fn labels_that_are_not_classes_are_rejected() {
    let data = |labels: Vec<f32>| {
        let values = (0..labels.len() * 3).map(|i| (i * 7919 % 101) as f32).collect();
        let sizes = vec![4; labels.len() / 4];
        Dataset::new(values, labels, Queries::from_sizes(&sizes), FeatureTable::numbered(3, 1))
    };
    for name in NAMES {
        let error =
            select(name, &[], Constraints::default(), &data((0..400).map(|i| i as f32).collect()))
                .unwrap_err();
        assert!(error.to_string().contains("at most 256 grades"), "{name}: {error}");
        let error = select(name, &[], Constraints::default(), &data(vec![1.0; 400])).unwrap_err();
        assert!(error.to_string().contains("different relevance"), "{name}: {error}");
        // Values without order, and alternating labels: no cut is accepted.
        let few = data((0..40).map(|i| (i % 2) as f32).collect());
        let error = select(name, &[], Constraints::default(), &few).unwrap_err();
        assert!(error.to_string().contains("features with `k`"), "{name}: {error}");
        let two = Constraints { k: Some(2), ..Constraints::default() };
        assert_eq!(select(name, &[], two, &few).unwrap().selected.len(), 2, "{name}");
    }
}

/// Backward elimination keeps the consistency of all features, with a minimal set.
#[test]
fn backward_elimination_is_minimal() {
    let (data, _) = generate(&Preset::Tiny.config()).unwrap();
    let engine = LocalEngine::new(data.clone(), 0).unwrap();
    let (varying, _) = engine.ask(&Moments).unwrap().varying_within_queries();
    let codes = Discrete::of(&run(), &engine, &varying, Encoding::Better).unwrap();
    let inconsistent =
        |set: &[FeatureId]| Groups::undivided(&codes).divided_by_all(set).inconsistent();
    let selection =
        select("consistency", &[("search", "backward")], Constraints::default(), &data).unwrap();
    let set = selection.columns(data.features()).unwrap();
    assert!(set.len() < varying.len());
    assert_eq!(inconsistent(&set), inconsistent(&varying));
    for left_out in &set {
        let others: Vec<FeatureId> = set.iter().copied().filter(|f| f != left_out).collect();
        assert!(inconsistent(&others) > inconsistent(&varying));
    }
}
