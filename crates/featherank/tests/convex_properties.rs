//! Convex linear rankers on random data, against explicit pairs, brute force and their own
//! optimality conditions.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use crate::convex_rankers::{fit, from_rows, run};
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
use featherank::run::StopToken;
use proptest::prelude::*;

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
