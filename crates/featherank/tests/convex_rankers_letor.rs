//! Convex linear rankers on OHSUMED and MQ2008: five-fold test means beside known ones. Skipped, with a notice, where the data is
//! absent.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

mod common;

use common::real_data;
use featherank::data::folds::FoldFiles;
use featherank::data::{Dataset, ReadOptions};
use featherank::measure::Measure;
use featherank::params::Params;
use featherank::rank::Model;
use featherank::registry;
use featherank::run::{Constraints, Run};

const OHSUMED: &str = "OHSUMED/QueryLevelNorm";
const MQ2008: &str = "MQ2008";
/// What is reported, in this order.
const MEASURES: [&str; 4] = ["map", "ndcg[letor]@1", "ndcg[letor]@5", "ndcg[letor]@10"];

struct Fold {
    train: Dataset,
    valid: Dataset,
    test: Dataset,
}

fn folds(folder: &str) -> Option<Vec<Fold>> {
    let files = FoldFiles::find(&real_data(folder)?).unwrap();
    let read = |fold: &FoldFiles| fold.read(&ReadOptions::default()).unwrap();
    Some(files.iter().map(read).map(|f| Fold { train: f.train, valid: f.valid, test: f.test }).collect())
}

fn value(measure: &str, model: &Model, data: &Dataset) -> f64 {
    let measure: Measure = measure.parse().unwrap();
    measure.summary(&measure.per_query(&model.score(&data.view()).unwrap(), &data.view()))
}

/// The model of one fold: the value of `tuned` that is best by validation MAP, the first of equals.
fn train(ranker: &str, set: &[(&str, &str)], tuned: (&str, &[&str]), fold: &Fold) -> Model {
    let spec = registry::ranker(ranker).unwrap();
    let mut best: Option<(f64, Model)> = None;
    let mut near: Option<Model> = None;
    for value_of_tuned in tuned.1 {
        let set: Vec<(String, String)> = set
            .iter()
            .chain([&(tuned.0, *value_of_tuned)])
            .map(|(a, b)| ((*a).into(), (*b).into()))
            .collect();
        let ranker = (spec.build)(&Params::new(spec.name, spec.params, &set).unwrap()).unwrap();
        let run = Run::new(7, Constraints::default());
        let model = ranker.fit_from(&run, &fold.train.view(), None, near.as_ref()).unwrap();
        let valid = value("map", &model, &fold.valid);
        if best.as_ref().is_none_or(|(most, _)| valid > *most) {
            best = Some((valid, model.clone()));
        }
        near = Some(model);
    }
    best.unwrap().1
}

/// Five-fold test means of [`MEASURES`], printed.
fn means(folds: &[Fold], ranker: &str, set: &[(&str, &str)], tuned: (&str, &[&str])) -> [f64; 4] {
    let start = std::time::Instant::now();
    let models: Vec<Model> = folds.iter().map(|fold| train(ranker, set, tuned, fold)).collect();
    let mean = |measure: &str| {
        folds.iter().zip(&models).map(|(fold, model)| value(measure, model, &fold.test)).sum::<f64>()
            / folds.len() as f64
    };
    let means = MEASURES.map(mean);
    println!("{ranker} {set:?} {tuned:?}: {means:.4?} in {:.1} s", start.elapsed().as_secs_f64());
    means
}

#[track_caller]
fn within(got: &[f64], expected: &[f64], tolerances: &[f64]) {
    for ((got, expected), tolerance) in got.iter().zip(expected).zip(tolerances) {
        assert!((got - expected).abs() <= *tolerance, "{got} instead of {expected} ± {tolerance}");
    }
}

/// Half a unit of the fourth decimal, in which the known numbers are given, and as much again.
const SAME: [f64; 4] = [1e-4; 4];
/// Two paired standard errors.
const OHSUMED_NOISE: [f64; 4] = [0.005, 0.035, 0.015, 0.012];
const MQ2008_NOISE: [f64; 4] = [0.007, 0.015, 0.008, 0.005];

#[test]
fn least_squares_equals_known_means() {
    for (folder, expected, centred, ridge) in [
        (OHSUMED, [0.4220, 0.4456, 0.4278, 0.4110], 0.4365, 0.4486),
        (MQ2008, [0.4555, 0.3474, 0.4578, 0.2203], 0.4711, 0.4609),
    ] {
        let Some(folds) = folds(folder) else { return };
        within(&means(&folds, "linear-regression", &[], ("ridge", &["0"])), &expected, &SAME);
        within(
            &means(&folds, "linear-regression", &[("centring", "query")], ("ridge", &["0"])),
            &[centred],
            &SAME,
        );
        let ridges: &[&str] = &["0.1", "1", "10", "100", "1000", "10000"];
        within(&means(&folds, "linear-regression", &[], ("ridge", ridges)), &[ridge], &SAME);
        // Both together are printed only: nothing is known to compare them with.
        means(&folds, "linear-regression", &[("centring", "query")], ("ridge", ridges));
        means(&folds, "rankrls", &[], ("lambda", &["1", "100", "10000", "100000", "1000000", "10000000"]));
    }
}

#[test]
fn ranksvm_primal_equals_known_means() {
    let Some(folds) = folds(OHSUMED) else { return };
    let got = means(&folds, "ranksvm-primal", &[("scale", "sum")], ("c", &["1e-4"]));
    within(&[got[0], got[3]], &[0.4480, 0.4541], &SAME);
}

const OHSUMED_C: &[&str] = &["1e-6", "3e-6", "1e-5", "3e-5", "1e-4", "1e-3"];
const MQ2008_C: &[&str] = &["1e-4", "3e-4", "1e-3", "1e-2", "1e-1", "1"];

#[test]
fn ranksvm_primal_with_c_by_validation() {
    for (folder, cs, expected, noise) in [
        (OHSUMED, OHSUMED_C, [0.4471, 0.5642, 0.4729, 0.4484], OHSUMED_NOISE),
        (MQ2008, MQ2008_C, [0.4743, 0.3733, 0.4704, 0.2293], MQ2008_NOISE),
    ] {
        let Some(folds) = folds(folder) else { return };
        within(&means(&folds, "ranksvm-primal", &[("scale", "sum")], ("c", cs)), &expected, &noise);
        means(&folds, "ranksvm-primal", &[], ("c", &["100"]));
    }
}

#[test]
fn ranksvm_struct_with_c_by_validation() {
    for (folder, cs, expected, noise) in [
        (OHSUMED, OHSUMED_C, [0.4478, 0.5515, 0.4729, 0.4523], OHSUMED_NOISE),
        (MQ2008, MQ2008_C, [0.4785, 0.3626, 0.4695, 0.2279], MQ2008_NOISE),
    ] {
        let Some(folds) = folds(folder) else { return };
        let got = means(&folds, "ranksvm-struct", &[("scale", "sum")], ("c", cs));
        // The MAP published for MQ2008 lies several standard deviations from what its own NDCG row allows.
        let first = usize::from(folder == MQ2008);
        within(&got[first..], &expected[first..], &noise[first..]);
    }
}

#[test]
fn svm_map_with_all_features() {
    for (folder, expected, noise) in
        [(OHSUMED, [0.4417, 0.4323], OHSUMED_NOISE), (MQ2008, [0.4756, 0.2287], MQ2008_NOISE)]
    {
        let Some(folds) = folds(folder) else { return };
        let got = means(&folds, "svm-map", &[], ("c", &["0.1", "1", "10", "100", "1000"]));
        within(&[got[0], got[3]], &expected, &[noise[0], noise[3]]);
    }
}
