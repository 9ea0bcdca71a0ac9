//! Convex linear rankers against worked examples, explicit pairs, brute force and their own
//! optimality conditions.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use featherank::data::{Dataset, FeatureId, FeatureTable, Queries};
use featherank::engine::answer_view;
use featherank::engine::passes::{Centring, Gram};
use featherank::rank::linear::cutting_plane::{Risk, minimise};
use featherank::rank::linear::design::Design;
use featherank::rank::linear::gram_solver::GramSolver;
use featherank::rank::linear::newton::SquaredHingeProblem;
use featherank::rank::linear::pair_free::Preferences;
use featherank::rank::linear::ranksvm_struct::PairHinge;
use featherank::rank::linear::svm_map::AveragePrecisionRisk;
use featherank::rank::{Model, Scorer};
use featherank::registry;
use featherank::run::{Constraints, Run, StopToken};
use proptest::prelude::*;
use serde_json::Value;

fn fixture(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// A data set from rows.
fn from_rows(rows: &[Vec<f64>], labels: Vec<f32>, sizes: &[usize]) -> Dataset {
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

fn run() -> Run {
    Run::new(7, Constraints::default())
}

fn weights(model: &Model) -> Vec<f64> {
    let Scorer::Linear(model) = &model.scorer else { unreachable!("all rankers here are linear") };
    model.weights().iter().map(|w| w.weight).collect()
}

fn fit(ranker: &str, set: &[(&str, &str)], data: &Dataset) -> Model {
    let set: Vec<_> =
        set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    registry::ranker(ranker).unwrap().fit(&set, &run(), &data.view(), None).unwrap()
}

#[track_caller]
fn close(got: &[f64], expected: &[f64], tolerance: f64) {
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

/// Random queries with ties in labels and in values.
fn small_data() -> impl Strategy<Value = Dataset> {
    let document = (prop::collection::vec(-3i8..=3, 4), 0u8..4);
    prop::collection::vec(prop::collection::vec(document, 1..9), 2..6).prop_map(|queries| {
        let sizes: Vec<usize> = queries.iter().map(Vec::len).collect();
        let documents: Vec<_> = queries.into_iter().flatten().collect();
        let rows: Vec<Vec<f64>> = documents
            .iter()
            .map(|(x, _)| x.iter().map(|&x| f64::from(x) / 2.0).collect())
            .collect();
        let labels = documents.iter().map(|(_, y)| [0.0, 0.5, 1.0, 3.0][usize::from(*y)]).collect();
        from_rows(&rows, labels, &sizes)
    })
}

/// The differences of all preference pairs of a design.
fn pair_differences(design: &Design<'_>) -> Vec<Vec<f64>> {
    let mut differences = Vec::new();
    for (q, documents) in design.queries().iter().enumerate() {
        let labels = &design.labels()[documents.clone()];
        for (i, j) in (0..labels.len()).flat_map(|i| (0..labels.len()).map(move |j| (i, j))) {
            if labels[i] > labels[j] {
                let difference =
                    |k| f64::from(design.values(k, q)[i]) - f64::from(design.values(k, q)[j]);
                differences.push((0..design.width()).map(difference).collect());
            }
        }
    }
    differences
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn gradients_equal_explicit_pairs_and_finite_differences(
        data in small_data(),
        w in prop::collection::vec(-2i8..=2, 4),
        c in 0.1f64..10.0,
    ) {
        let Ok(design) = Design::new(&data.view()) else { return Ok(()) };
        let Ok(problem) = SquaredHingeProblem::new(&design) else { return Ok(()) };
        let w: Vec<f64> = w[..design.width()].iter().map(|&w| f64::from(w) / 2.0).collect();
        let penalties: Vec<f64> = (1..=design.width()).map(|k| k as f64).collect();
        let (objective, gradient) = problem.value(c, &penalties, &w);
        let explicit = |w: &[f64]| {
            let loss: f64 = pair_differences(&design).iter().map(|d| (1.0 - dot(d, w)).max(0.0).powi(2)).sum();
            0.5 * w.iter().zip(&penalties).map(|(w, p)| p * w * w).sum::<f64>() + 0.5 * c * loss
        };
        prop_assert!((objective - explicit(&w)).abs() < 1e-9 * objective.max(1.0));
        for (k, derivative) in gradient.iter().enumerate() {
            let moved = |step: f64| explicit(&w.iter().enumerate().map(|(i, w)| w + if i == k { step } else { 0.0 }).collect::<Vec<_>>());
            let numeric = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            // The gradient has a kink where a margin is 1, which a finite difference smooths over
            // its width.
            let differences = pair_differences(&design);
            let curvature = penalties[k] + c * differences.iter().map(|d| d[k] * d[k]).sum::<f64>();
            prop_assert!((derivative - numeric).abs() < 1e-5 * curvature + 1e-7 * objective, "{derivative} {numeric}");
            let lost = |d: &Vec<f64>| (1.0 - dot(d, &w)).max(0.0) * d[k];
            let exact = penalties[k] * w[k] - c * differences.iter().map(lost).sum::<f64>();
            prop_assert!((derivative - exact).abs() < 1e-9 * (1.0 + curvature), "{derivative} {exact}");
        }
    }

    #[test]
    fn newton_converges_to_a_zero_gradient(data in small_data(), c in 0.01f64..100.0) {
        let Ok(design) = Design::new(&data.view()) else { return Ok(()) };
        let Ok(problem) = SquaredHingeProblem::new(&design) else { return Ok(()) };
        let ones = vec![1.0; design.width()];
        let start = vec![0.5; design.width()];
        let solution = problem.solve(&run(), c, &ones, &start, 1e-15).unwrap();
        prop_assert!(solution.objectives.windows(2).all(|pair| pair[1] < pair[0]));
        // Optimality: the weights are the sum of the violated pairs, each multiplied by its
        // violation.
        let mut gradient = solution.weights.clone();
        for d in pair_differences(&design) {
            let lost = (1.0 - dot(&d, &solution.weights)).max(0.0);
            gradient.iter_mut().zip(d).for_each(|(s, d)| *s -= c * lost * d);
        }
        let norm = dot(&gradient, &gradient).sqrt();
        prop_assert!(norm < 1e-7 * (1.0 + c * problem.pairs() as f64), "{norm}");
        prop_assert!((norm - solution.gradient_norm).abs() < 1e-7 * (1.0 + c * problem.pairs() as f64));
    }

    #[test]
    fn struct_bounds_converge(data in small_data(), c in 0.01f64..10.0) {
        let Ok(design) = Design::new(&data.view()) else { return Ok(()) };
        let Ok(preferences) = Preferences::of_design(&design) else { return Ok(()) };
        let risk = PairHinge(preferences);
        let start = vec![0.0; design.width()];
        let solution = minimise(&run(), &design, &risk, c, 1e-6, &start).unwrap();
        let loss: f64 = pair_differences(&design).iter().map(|d| (1.0 - dot(d, &solution.weights)).max(0.0)).sum();
        let objective = 0.5 * dot(&solution.weights, &solution.weights) + c * loss;
        prop_assert!((objective - solution.objective).abs() < 1e-9 * objective.max(1.0));
        prop_assert!(solution.lower_bound <= objective * (1.0 + 1e-12));
        prop_assert!(objective - solution.lower_bound <= 1e-6 * objective, "{solution:?}");
        // Another start gives the same minimum.
        let other = minimise(&run(), &design, &risk, c, 1e-6, &vec![1.0; start.len()]).unwrap();
        prop_assert!((other.objective - objective).abs() <= 2e-6 * objective, "{other:?} {objective}");
    }

    #[test]
    fn svm_map_search_equals_brute_force(documents in prop::collection::vec((0u8..2, -4i8..=4, -4i8..=4), 2..7)) {
        let labels: Vec<f32> = documents.iter().map(|(y, ..)| f32::from(*y)).collect();
        let scores: Vec<f64> = documents.iter().map(|(_, s, _)| f64::from(*s) / 4.0).collect();
        let elsewhere: Vec<f64> = documents.iter().map(|(.., s)| f64::from(*s) / 4.0).collect();
        let n = labels.len();
        let Ok(risk) = AveragePrecisionRisk::new(&labels, std::slice::from_ref(&(0..n)), 1.0) else { return Ok(()) };
        let plane = risk.plane(&scores);
        let relevant: f64 = labels.iter().map(|&y| f64::from(y)).sum();
        let scale = relevant * (n as f64 - relevant);
        let largest = |scores: &[f64]| {
            let of_ranking = |ranking: Vec<usize>| {
                let (mut seen, mut precision, mut shift) = (0.0, 0.0, 0.0);
                for (position, &i) in ranking.iter().enumerate().filter(|(_, i)| labels[**i] > 0.5) {
                    seen += 1.0;
                    precision += seen / (position + 1) as f64;
                    let above = ranking[..position].iter().filter(|j| labels[**j] < 0.5);
                    shift += above.map(|&j| 2.0 * (scores[i] - scores[j]) / scale).sum::<f64>();
                }
                1.0 - precision / relevant - shift
            };
            permutations(n).into_iter().map(of_ranking).fold(f64::NEG_INFINITY, f64::max)
        };
        prop_assert!((plane.at(&scores) - largest(&scores)).abs() < 1e-12);
        // The plane touches the risk at this point and is below it at all others.
        prop_assert!(plane.at(&elsewhere) <= largest(&elsewhere) + 1e-12);
    }

    #[test]
    fn regression_equals_direct_normal_equations(data in small_data(), ridge in 0.1f64..5.0) {
        let pass = Gram::new((0..4).map(FeatureId).collect(), Centring::Overall);
        let solved = GramSolver::new(answer_view(&pass, &data.view(), &StopToken::default()).unwrap(), ridge).solve(&[2, 0, 1]);
        // At the minimum the derivatives with respect to intercept and weights are 0.
        let columns: Vec<&[f32]> = [2, 0, 1].iter().map(|&f| data.column(FeatureId(f))).collect();
        let errors: Vec<f64> = (0..data.documents()).map(|i| {
            let fitted: f64 = columns.iter().zip(&solved.weights).map(|(x, w)| f64::from(x[i]) * w).sum();
            f64::from(data.labels()[i]) - solved.intercept - fitted
        }).collect();
        prop_assert!(errors.iter().sum::<f64>().abs() < 1e-9);
        prop_assert!((errors.iter().map(|e| e * e).sum::<f64>() - solved.rss).abs() < 1e-8);
        for (column, w) in columns.iter().zip(&solved.weights) {
            let product: f64 = errors.iter().zip(*column).map(|(e, &x)| e * f64::from(x)).sum();
            prop_assert!((product - ridge * w).abs() < 1e-8);
        }
    }

    #[test]
    fn dependent_columns_change_no_prediction(data in small_data()) {
        let columns = |f: u32| data.column(FeatureId(f));
        let sum = columns(0).iter().zip(columns(3)).map(|(a, b)| a + 2.0 * b);
        let more = [columns(0), columns(1), columns(2), columns(3), columns(1)].concat();
        let values = more.into_iter().chain(sum).chain(std::iter::repeat_n(1e6, data.documents())).collect();
        let wide = Dataset::new(values, data.labels().to_vec(), data.queries().clone(), FeatureTable::numbered(7, 1));
        let scores = |data: &Dataset| fit("linear-regression", &[], data).score(&data.view()).unwrap();
        for (a, b) in scores(&data).iter().zip(scores(&wide)) {
            prop_assert!((a - b).abs() < 1e-4, "{a} {b}");
        }
    }
}

/// More features than the limit for forming the Hessian: conjugate gradients are used.
#[test]
fn wide_data_converges_to_a_zero_gradient() {
    let (documents, width) = (40, 600);
    let values = (0..documents * width).map(|i| (i * 7919 % 1009) as f32 / 1009.0).collect();
    let labels = (0..documents).map(|i| (i * 5 % 3) as f32).collect();
    let data = Dataset::new(
        values,
        labels,
        Queries::from_sizes(&[15, 25]),
        FeatureTable::numbered(width, 1),
    );
    let design = Design::new(&data.view()).unwrap();
    let problem = SquaredHingeProblem::new(&design).unwrap();
    for c in [1e-3, 1.0, 100.0] {
        let solution =
            problem.solve(&run(), c, &vec![1.0; width], &vec![0.0; width], 1e-14).unwrap();
        let first = problem.value(c, &vec![1.0; width], &vec![0.0; width]).1;
        assert!(
            solution.gradient_norm < 1e-6 * dot(&first, &first).sqrt(),
            "{}",
            solution.gradient_norm
        );
        assert!(solution.objectives.windows(2).all(|pair| pair[1] < pair[0]));
    }
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let insert = |shorter: Vec<usize>| {
        (0..n).map(move |at| {
            let mut longer = shorter.clone();
            longer.insert(at, n - 1);
            longer
        })
    };
    permutations(n - 1).into_iter().flat_map(insert).collect()
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
