//! Convex linear rankers against worked examples.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use featherank::data::{Dataset, FeatureId, FeatureTable, Queries};
use featherank::engine::passes::{Centring, Gram};
use featherank::internals::AveragePrecisionRisk;
use featherank::internals::PairHinge;
use featherank::internals::answer_view;
use featherank::internals::cutting_plane::{Risk, minimise};
use featherank::internals::design::Design;
use featherank::internals::gram_solver::GramSolver;
use featherank::internals::newton::SquaredHingeProblem;
use featherank::internals::pair_free::Preferences;
use featherank::rank::{Model, Scorer};
use featherank::registry;
use featherank::run::{Constraints, Run, StopToken};
use serde_json::Value;

fn fixture(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// A data set from rows.
pub(crate) fn from_rows(rows: &[Vec<f64>], labels: Vec<f32>, sizes: &[usize]) -> Dataset {
    let width = rows[0].len();
    let values = (0..width).flat_map(|k| rows.iter().map(move |row| row[k] as f32)).collect();
    Dataset::new(values, labels, Queries::from_sizes(sizes), FeatureTable::numbered(width, 1))
}

/// Two queries, seven documents, three features, shared by the SVM fixtures.
fn shared_data() -> Dataset {
    let fixture = fixture(include_str!("fixtures/ranksvm_primal.json"));
    let rows: Vec<Vec<f64>> = fixture["X"].as_array().unwrap().iter().map(numbers).collect();
    from_rows(&rows, numbers(&fixture["y"]).into_iter().map(|y| y as f32).collect(), &[3, 4])
}

pub(crate) fn run() -> Run {
    Run::new(7, Constraints::default())
}

pub(crate) fn weights(model: &Model) -> Vec<f64> {
    let Scorer::Linear(model) = &model.scorer else { unreachable!("all rankers here are linear") };
    model.weights().iter().map(|w| w.weight).collect()
}

pub(crate) fn fit(ranker: &str, set: &[(&str, &str)], data: &Dataset) -> Model {
    let set: Vec<_> =
        set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    registry::ranker(ranker).unwrap().fit(&set, &run(), &data.view(), None).unwrap()
}

#[track_caller]
pub(crate) fn close(got: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len());
    let apart = got.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart <= tolerance, "{got:?} instead of {expected:?}");
}

/// Columns of data, with the labels last, in 64 bits. The fixture's values are decimals, those of
/// the data are 32-bit numbers.
#[test]
fn regression_on_subsets_equals_worked_numbers() {
    let fixture = fixture(include_str!("fixtures/linreg_gram.json"));
    let rows: Vec<Vec<f64>> = fixture["X"].as_array().unwrap().iter().map(numbers).collect();
    let labels = numbers(&fixture["y"]).into_iter().map(|y| y as f32).collect();
    let data = from_rows(&rows, labels, &[5, 7]);
    let pass = Gram::new((0..4).map(FeatureId).collect(), Centring::Overall);
    let solver =
        GramSolver::new(answer_view(&pass, &data.view(), &StopToken::default()).unwrap(), 0.0);
    for (subset, expected) in fixture["subsets"].as_object().unwrap() {
        let subset: Vec<usize> = subset.split(',').map(|k| k.parse().unwrap()).collect();
        let got = solver.solve(&subset);
        // Rounding the fixture to 32 bits changes its results by about 1e-7.
        close(&got.weights, &numbers(&expected["coef"]), 2e-6);
        close(
            &[got.intercept, got.rss],
            &[expected["intercept"].as_f64().unwrap(), expected["rss"].as_f64().unwrap()],
            2e-6,
        );
    }
    let model = fit("linear-regression", &[], &data);
    close(&weights(&model), &numbers(&fixture["subsets"]["0,1,2,3"]["coef"]), 2e-6);
}

#[test]
fn ranksvm_primal_equals_worked_numbers() {
    let fixture = fixture(include_str!("fixtures/ranksvm_primal.json"));
    let data = shared_data();
    let design = Design::new(&data.view()).unwrap();
    let problem = SquaredHingeProblem::new(&design).unwrap();
    assert_eq!(problem.pairs(), 7);
    let check = &fixture["gradient_check"];
    let (w, ones) = (numbers(&check["w"]), vec![1.0; 3]);
    let (objective, gradient) = problem.value(2.0, &ones, &w);
    close(&[objective], &[check["objective"].as_f64().unwrap()], 1e-6);
    close(&gradient, &numbers(&check["grad"]), 1e-6);
    // The worked product uses w instead of the vector for the identity term; the difference is
    // corrected here.
    let product = numbers(&check["hess_times_123"]);
    let expected: Vec<f64> = (0..3).map(|k| product[k] + (k + 1) as f64 - w[k]).collect();
    close(&problem.curvature(2.0, &ones, &w, &[1., 2., 3.]), &expected, 1e-5);
    let solutions = fixture["solutions"].as_object().unwrap();
    let cs: Vec<f64> = solutions.keys().map(|c| c.parse().unwrap()).collect();
    let path = problem.path(&run(), &cs, 1e-14).unwrap();
    for ((c, expected), solution) in solutions.iter().zip(path) {
        close(&solution.weights, &numbers(&expected["w"]), 1e-5);
        close(
            &solution.objectives[solution.objectives.len() - 1..],
            &[expected["objective"].as_f64().unwrap()],
            1e-6,
        );
        assert!(solution.gradient_norm < 1e-9, "{}", solution.gradient_norm);
        let model = fit("ranksvm-primal", &[("c", c), ("scale", "sum")], &data);
        close(&weights(&model), &numbers(&expected["w"]), 1e-5);
        // Seven pairs: seven times the weight of their mean is the weight of their sum.
        let times_seven = (7.0 * c.parse::<f64>().unwrap()).to_string();
        close(
            &weights(&fit("ranksvm-primal", &[("c", &times_seven)], &data)),
            &weights(&model),
            1e-9,
        );
    }
}

#[test]
fn ranksvm_struct_equals_worked_numbers() {
    let fixture = fixture(include_str!("fixtures/ranksvm_struct.json"));
    let data = shared_data();
    let design = Design::new(&data.view()).unwrap();
    let risk = PairHinge(Preferences::of_design(&design).unwrap());
    for (c, expected) in fixture["solutions"].as_object().unwrap() {
        let solution =
            minimise(&run(), &design, &risk, c.parse().unwrap(), 1e-9, &[0.0; 3]).unwrap();
        let objective = expected["objective"].as_f64().unwrap();
        assert!((solution.objective - objective).abs() < 1e-6 * objective, "{solution:?}");
        assert!(solution.objective - solution.lower_bound <= 1e-9 * objective);
        let model =
            fit("ranksvm-struct", &[("c", c), ("scale", "sum"), ("epsilon", "1e-9")], &data);
        close(&weights(&model), &numbers(&expected["w"]), 1e-3);
    }
}

#[test]
fn svm_map_equals_worked_numbers() {
    let fixture_search = fixture(include_str!("fixtures/svm_map.json"));
    let labels: Vec<f32> =
        numbers(&fixture_search["labels"]).into_iter().map(|y| y as f32).collect();
    let scores = numbers(&fixture_search["scores"]);
    let plane = AveragePrecisionRisk::new(&labels, std::slice::from_ref(&(0..5)), 1.0)
        .unwrap()
        .plane(&scores);
    let number = |key: &str| fixture_search[key].as_f64().unwrap();
    close(&[plane.offset], &[number("delta")], 1e-9);
    close(
        &[plane.at(&scores)],
        &[number("most_violated_value_delta_plus_psi") - number("psi_true")],
        1e-9,
    );
    let fixture_optimum = fixture(include_str!("fixtures/wrapper_svmmap_opt.json"));
    let data = shared_data();
    for (c, expected) in fixture_optimum["svm_map_optimum"]["solutions"].as_object().unwrap() {
        let design = Design::new(&data.view()).unwrap();
        let risk = AveragePrecisionRisk::new(design.labels(), design.queries(), 1.0).unwrap();
        let solution =
            minimise(&run(), &design, &risk, c.parse().unwrap(), 1e-9, &[0.0; 3]).unwrap();
        let objective = expected["objective"].as_f64().unwrap();
        assert!((solution.objective - objective).abs() < 1e-6 * objective, "{c}: {solution:?}");
        close(
            &weights(&fit("svm-map", &[("c", c), ("epsilon", "1e-9")], &data)),
            &numbers(&expected["w"]),
            1e-4,
        );
    }
}

#[test]
fn rankrls_equals_worked_numbers() {
    let fixture = &fixture(include_str!("fixtures/other_fs.json"))["greedy_rankrls"];
    close(&weights(&fit("rankrls", &[], &shared_data())), &numbers(&fixture["w_all"]), 1e-6);
}

/// A single query: weighting by pairs multiplies the loss by its size, which a larger ridge
/// compensates.
#[test]
fn rankrls_by_queries_is_centred_regression() {
    let data = shared_data();
    let regression = fit("linear-regression", &[("centring", "query"), ("ridge", "2")], &data);
    let rls = fit("rankrls", &[("weighting", "queries"), ("lambda", "2")], &data);
    close(&weights(&rls), &weights(&regression), 1e-12);
    let one = from_rows(
        &[vec![1., 2.], vec![0., 1.], vec![2., 0.5], vec![1., 1.]],
        vec![2., 0., 1., 1.],
        &[4],
    );
    let by_pairs = fit("rankrls", &[("lambda", "4")], &one);
    close(&weights(&by_pairs), &weights(&fit("rankrls", &[("weighting", "queries")], &one)), 1e-12);
}

/// A warm start from the neighbour on a path converges to the same weights.
#[test]
fn warm_starts_converge_to_the_same_weights() {
    let data = shared_data();
    for ranker in ["ranksvm-primal", "ranksvm-struct", "svm-map"] {
        let spec = registry::ranker(ranker).unwrap();
        let build = |c: &str| {
            let set = [("c".to_owned(), c.to_owned())];
            (spec.build)(&featherank::params::Params::new(ranker, spec.params, &set).unwrap())
                .unwrap()
        };
        let first = build("1").fit(&run(), &data.view(), None).unwrap();
        let cold = build("2").fit(&run(), &data.view(), None).unwrap();
        let warm = build("2").fit_from(&run(), &data.view(), None, Some(&first)).unwrap();
        // Cutting planes stop within a thousandth of the objective, which allows the weights to
        // vary by about 3 %.
        close(
            &weights(&warm),
            &weights(&cold),
            if ranker == "ranksvm-primal" { 1e-6 } else { 0.05 },
        );
    }
}
