//! Paired tests against scipy and independent calculations, and properties that hold for any
//! values.

// Clippy exempts test functions only; helpers should fail on an unreadable fixture as well.
#![allow(clippy::unwrap_used)]

use featherank::measure::significance::*;
use proptest::prelude::*;
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

#[test]
fn the_worked_example_of_both_tests() {
    let fixture: Value = serde_json::from_str(include_str!("fixtures/paired_tests.json")).unwrap();
    let number = |key: &str| fixture[key].as_f64().unwrap();
    let (x, y) = (numbers(&fixture["x"]), numbers(&fixture["y"]));
    let t = paired_t(&x, &y);
    assert_near(t.statistic, number("t"));
    assert_near(t.p, number("p_t"));
    assert_eq!(t.df, number("df"));
    let normal = wilcoxon(&x, &y, WilcoxonMethod::Normal);
    assert_eq!((normal.w_plus, normal.w_minus), (number("W_plus"), number("W_minus")));
    assert_eq!(normal.n as f64, number("n_nonzero"));
    assert_near(normal.p, number("p_two_sided_normal"));
    assert!(!normal.exact);
}

#[test]
fn both_tests_equal_scipy() {
    let fixture: Value =
        serde_json::from_str(include_str!("fixtures/scipy_significance.json")).unwrap();
    let (mut exact_with_ties, mut exact_without) = (0, 0);
    for case in fixture["cases"].as_array().unwrap() {
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        let t = paired_t(&a, &b);
        let expected = case["t"].as_f64().unwrap();
        assert_near(t.statistic / expected.abs().max(1.0), expected / expected.abs().max(1.0));
        let expected = case["t_p"].as_f64().unwrap();
        assert_near(t.p, expected);
        // Tiny p-values would pass any absolute comparison.
        assert!((t.p / expected - 1.0).abs() < 1e-7, "{} is not {expected}", t.p);
        if let Some(expected) = case["normal_p"].as_f64() {
            let normal = wilcoxon(&a, &b, WilcoxonMethod::Normal);
            assert_eq!(normal.n as u64, case["nonzero"].as_u64().unwrap());
            assert_near(normal.p, expected);
        }
        if let Some(expected) = case["exact_p"].as_f64() {
            assert_near(wilcoxon(&a, &b, WilcoxonMethod::Exact).p, expected);
            assert_eq!(
                wilcoxon(&a, &b, WilcoxonMethod::Auto),
                wilcoxon(&a, &b, WilcoxonMethod::Exact)
            );
            *if case["ties"].as_bool().unwrap() {
                &mut exact_with_ties
            } else {
                &mut exact_without
            } += 1;
        }
    }
    assert!(exact_with_ties >= 8 && exact_without >= 15, "{exact_with_ties} {exact_without}");
}

/// Two-sided p by enumerating all 2ⁿ signs, in doubled ranks computed by comparing every pair.
fn brute_force(differences: &[i32]) -> f64 {
    let nonzero: Vec<i32> =
        differences.iter().copied().filter(|difference| *difference != 0).collect();
    let twice_rank = |size: i32| {
        let below = nonzero.iter().filter(|other| other.abs() < size).count();
        let equal = nonzero.iter().filter(|other| other.abs() == size).count();
        2 * below + equal + 1
    };
    let ranks: Vec<usize> = nonzero.iter().map(|difference| twice_rank(difference.abs())).collect();
    let sum = |is_in: &dyn Fn(usize) -> bool| {
        (0..ranks.len()).filter(|&i| is_in(i)).map(|i| ranks[i]).sum::<usize>()
    };
    let smaller = sum(&|i| nonzero[i] > 0).min(sum(&|i| nonzero[i] < 0));
    let patterns = 1usize << ranks.len();
    let as_small =
        (0..patterns).filter(|pattern| sum(&|i| pattern >> i & 1 == 1) <= smaller).count();
    (2.0 * as_small as f64 / patterns as f64).min(1.0)
}

fn integers(range: i32, most: usize) -> impl Strategy<Value = Vec<i32>> {
    prop::collection::vec(-range..=range, 0..=most)
}

fn as_floats(units: &[i32], unit: f64) -> Vec<f64> {
    units.iter().map(|&value| f64::from(value) * unit).collect()
}

proptest! {
    #[test]
    fn exact_wilcoxon_equals_enumerating_all_signs(differences in integers(6, 12)) {
        let found = wilcoxon_differences(&as_floats(&differences, 1.0), WilcoxonMethod::Exact);
        prop_assert!((found.p - brute_force(&differences)).abs() < 1e-12);
    }

    #[test]
    fn wilcoxon_does_not_depend_on_the_order_of_the_systems(differences in integers(40, 120)) {
        let swapped: Vec<i32> = differences.iter().map(|difference| -difference).collect();
        for method in [WilcoxonMethod::Auto, WilcoxonMethod::Exact, WilcoxonMethod::Normal] {
            let one = wilcoxon_differences(&as_floats(&differences, 0.01), method);
            let other = wilcoxon_differences(&as_floats(&swapped, 0.01), method);
            prop_assert_eq!(one.p, other.p);
            prop_assert_eq!((one.w_plus, one.w_minus), (other.w_minus, other.w_plus));
        }
    }

    #[test]
    fn counting_equals_sorting(differences in prop_oneof![integers(5, 80), integers(10_000, 200), integers(3_000_000, 60)]) {
        let sorted = wilcoxon_differences(&as_floats(&differences, 1e-4), WilcoxonMethod::Auto);
        prop_assert_eq!(wilcoxon_counting(&differences), sorted);
    }

    #[test]
    fn p_values_are_probabilities(differences in prop::collection::vec(-1.0..1.0f64, 0..80)) {
        for method in [WilcoxonMethod::Exact, WilcoxonMethod::Normal] {
            prop_assert!((0.0..=1.0).contains(&wilcoxon_differences(&differences, method).p));
        }
        prop_assert!((0.0..=1.0).contains(&one_sample_t(&differences, 0.0).p));
    }

    #[test]
    fn holm_keeps_the_order_and_lies_between_raw_and_bonferroni(p_values in prop::collection::vec(0.0..=1.0f64, 0..20)) {
        let adjusted = holm(&p_values);
        for (i, &p) in p_values.iter().enumerate() {
            let bonferroni = (p * p_values.len() as f64).min(1.0);
            prop_assert!(p <= adjusted[i] && adjusted[i] <= 1.0);
            prop_assert!(p_values.iter().zip(&adjusted).all(|(&other, &a)| other < p || adjusted[i] <= a));
            prop_assert!(adjusted[i] <= bonferroni);
        }
    }

    #[test]
    fn the_bound_decides_like_the_p_value(
        pairs in prop::collection::vec((0.0..1.0f64, 0.0..1.0f64), 2..40), margin in 0.0..0.5f64,
    ) {
        let (new, reference): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let found = non_inferior(&new, &reference, margin, 0.05);
        prop_assume!((found.p - 0.05).abs() > 1e-9);
        prop_assert_eq!(found.holds, found.p < 0.05);
        prop_assert!(found.lower_bound <= found.mean_difference);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_bootstrap_interval_contains_the_mean_on_any_number_of_threads(
        values in prop::collection::vec(0.0..1.0f64, 1..50), seed in any::<u64>(),
    ) {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| bootstrap_mean(&values, 0.95, 400, seed))
        };
        let interval = on(1);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        prop_assert!(interval.low <= mean + 1e-12 && mean <= interval.high + 1e-12);
        prop_assert_eq!(interval, on(3));
    }
}
