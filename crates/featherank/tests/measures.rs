//! Measures against worked examples, brute force over tied orders, and their own properties.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use featherank::measure::{MEASURES, Measure};
use proptest::prelude::*;
use serde_json::Value;

fn fixture() -> Value {
    serde_json::from_str(include_str!("fixtures/metrics.json")).unwrap()
}

fn floats(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap() as f32).collect()
}

fn measure(name: &str) -> Measure {
    name.parse().unwrap()
}

/// Values computed with the official LETOR script and by hand; printed with ten decimals.
#[test]
fn equal_the_worked_examples() {
    let fixture = fixture();
    for (q, query) in fixture["queries"].as_array().unwrap().iter().enumerate() {
        let (scores, labels) = (floats(&query["scores"]), floats(&query["labels"]));
        let close = |name: &str, expected: &Value| {
            let got = measure(name).of_query(&scores, &labels);
            let expected = expected.as_f64().unwrap();
            assert!(
                (got - expected).abs() < 1e-9,
                "{name} of query {q}: {got} instead of {expected}"
            );
        };
        for k in 1..=10 {
            close(&format!("ndcg[letor]@{k}"), &fixture["ndcg_letor_script"][q][k - 1]);
            close(&format!("ndcg@{k}"), &fixture["ndcg_log2_1p_truncate"][q][k - 1]);
            if q == 0 {
                close(&format!("p@{k}"), &fixture["p_at_k_q1"][k - 1]);
            }
        }
        close("map", &fixture["ap"][q]);
    }
}

#[test]
fn small_cases_by_hand() {
    for (name, scores, labels, expected) in [
        // First relevant at position 2.
        ("mrr", &[3., 2., 1.][..], &[0., 1., 1.][..], 0.5),
        ("mrr@1", &[3., 2., 1.], &[0., 1., 1.], 0.0),
        ("wta", &[3., 2., 1.], &[2., 0., 0.], 1.0),
        ("wta[rel=3]", &[3., 2., 1.], &[2., 0., 3.], 0.0),
        // R = 3/4 then 1/4: 3/4 + (1/4)(1/4)/2.
        ("err[max=2]", &[2., 1.], &[2., 1.], 0.78125),
        ("p@4", &[2., 1.], &[1., 0.], 0.25),
        ("p[short=truncate]@4", &[2., 1.], &[1., 0.], 0.5),
        ("dcg@2", &[2., 1.], &[2., 0.], 3.0),
        ("dcg[gain=linear]@2", &[2., 1.], &[2., 0.], 2.0),
        ("map[rel=2]", &[3., 2., 1.], &[1., 2., 1.], 0.5),
        ("ndcg[empty=one]@5", &[1., 2.], &[0., 0.], 1.0),
        // A relevant and an irrelevant document tie: first or second with equal probability.
        ("mrr[ties=expected]", &[1., 1.], &[1., 0.], 0.75),
        ("mrr[ties=worst]", &[1., 1.], &[1., 0.], 0.5),
        ("mrr", &[1., 1.], &[1., 0.], 1.0),
    ] {
        let got = measure(name).of_query(scores, labels);
        assert!((got - expected).abs() < 1e-12, "{name}: {got} instead of {expected}");
    }
    assert!(measure("map[empty=skip]").of_query(&[1.], &[0.]).is_nan());
    assert_eq!(measure("map").summary(&[0.5, f64::NAN, 0.0]), 0.25);
    assert!((measure("gmap").summary(&[0.1, 0.4]) - 0.2).abs() < 1e-12);
    assert!((measure("gmap").summary(&[0.0, 1.0]) - 1e-5f64.sqrt()).abs() < 1e-12);
}

#[test]
fn labels_that_a_measure_cannot_handle_are_rejected() {
    assert!(measure("err@10").check_labels(4.0).is_ok());
    assert!(measure("err@10").check_labels(5.0).unwrap_err().to_string().contains("err[max=5]"));
    assert!(
        measure("ndcg@10").check_labels(100.0).unwrap_err().to_string().contains("gain=linear")
    );
    assert!(measure("ndcg[gain=linear]@10").check_labels(100.0).is_ok());
}

const NAMES: [&str; 13] = [
    "ndcg@3",
    "ndcg[letor]@4",
    "ndcg",
    "dcg@2",
    "mean-ndcg",
    "map",
    "map[rel=2]",
    "p@3",
    "wta",
    "mrr",
    "mrr@2",
    "err[max=3]@4",
    "err[max=3]",
];

fn with_ties(name: &str, ties: &str) -> Measure {
    let (head, k) =
        name.split_once('@').map_or((name, String::new()), |(head, k)| (head, format!("@{k}")));
    let head = head.strip_suffix(']').map_or(format!("{head}["), |open| format!("{open},"));
    measure(&format!("{head}ties={ties}]{k}"))
}

/// All orders of a few documents.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(n - 1);
    let insert = |p: &Vec<usize>, at: usize| [&p[..at], &[n - 1], &p[at..]].concat();
    shorter.iter().flat_map(|p| (0..n).map(|at| insert(p, at)).collect::<Vec<_>>()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The closed forms equal the mean over all orders of the input; the worst order has the
    /// smallest value.
    #[test]
    fn expected_and_worst_ties_equal_brute_force(rows in prop::collection::vec((0u8..3, 0u8..4), 1..7)) {
        let (scores, labels): (Vec<f32>, Vec<f32>) = rows.iter().map(|&(s, y)| (f32::from(s), f32::from(y))).unzip();
        let orders = permutations(rows.len());
        for name in NAMES {
            let plain = measure(name);
            let all: Vec<f64> = orders.iter().map(|order| {
                let pick = |from: &[f32]| order.iter().map(|&i| from[i]).collect::<Vec<f32>>();
                plain.of_query(&pick(&scores), &pick(&labels))
            }).collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
            let expected = with_ties(name, "expected").of_query(&scores, &labels);
            let worst = with_ties(name, "worst").of_query(&scores, &labels);
            prop_assert!((expected - mean).abs() < 1e-9, "{} expected {} brute force {}", name, expected, mean);
            prop_assert!((worst - least).abs() < 1e-9, "{} worst {} brute force {}", name, worst, least);
        }
    }

    /// Normalised measures stay in [0, 1], the ideal ranking has the greatest value, and increasing
    /// transformations of the scores change nothing.
    #[test]
    fn bounds_and_invariance(rows in prop::collection::vec((-50i8..50, 0u8..5), 1..40)) {
        let (scores, labels): (Vec<f32>, Vec<f32>) = rows.iter().map(|&(s, y)| (f32::from(s), f32::from(y))).unzip();
        for spec in MEASURES {
            let cut = if matches!(spec.name, "p" | "recall") { "@5" } else { "" };
            let name = &format!("{}{cut}", spec.name);
            let measure = measure(name);
            let value = measure.of_query(&scores, &labels);
            let ideal = measure.of_query(&labels, &labels);
            prop_assert!(value >= 0.0 && value <= ideal + 1e-12, "{}: {} of {}", name, value, ideal);
            prop_assert!(spec.name == "dcg" || ideal <= 1.0 + 1e-12, "{}: {}", name, ideal);
            let stretched: Vec<f32> = scores.iter().map(|s| s * s * s / 100.0 + 3.0).collect();
            prop_assert_eq!(measure.of_query(&stretched, &labels), value);
        }
    }
}
