//! Relief for ranking, against a worked example and a direct implementation of the definition.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use crate::cluster_filters::{columns, ids, select, tiny, try_select, with_columns};
use featherank::Error;
use featherank::data::synth::{Preset, Role, generate};
use featherank::data::{Dataset, FeatureTable, Queries};
use serde_json::Value;

#[test]
fn rank_filter_weights_equal_the_worked_example() {
    let of = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let (data, expected) = (
        of(include_str!("fixtures/ranksvm_primal.json")),
        of(include_str!("fixtures/other_fs.json")),
    );
    let numbers = |value: &Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let rows: Vec<Vec<f64>> = data["X"].as_array().unwrap().iter().map(numbers).collect();
    let column = |f: usize| rows.iter().map(|row| row[f] as f32).collect::<Vec<f32>>();
    let labels = numbers(&data["y"]).into_iter().map(|y| y as f32).collect();
    let values = (0..3).flat_map(column).collect();
    let data =
        Dataset::new(values, labels, Queries::from_sizes(&[3, 4]), FeatureTable::numbered(3, 1));
    let relief = &expected["rank_relief_sketch"];
    let neighbours = relief["k"].to_string();
    let selection =
        select("rank-filter", &[("neighbours", &neighbours), ("balance", "false")], &data, None);
    for (f, expected) in numbers(&relief["weights"]).into_iter().enumerate() {
        let chosen = selection.selected.iter().find(|chosen| chosen.id as usize == f + 1).unwrap();
        // Values are stored in single precision.
        assert!(
            (chosen.score - expected).abs() < 1e-7,
            "{}: {} instead of {expected}",
            f + 1,
            chosen.score
        );
    }
}

/// Weights by loops over pairs of documents, with neighbours sorted and ties shared as in the
/// method's documentation.
fn relief_by_definition(data: &Dataset, neighbours: usize, within_queries: bool) -> Vec<f64> {
    let range = |values: &[f32]| {
        let order = |a: &&f32, b: &&f32| a.total_cmp(b);
        (*values.iter().min_by(order).unwrap(), *values.iter().max_by(order).unwrap())
    };
    let columns = columns(data);
    let (mut sums, mut documents) = (vec![0.0; columns.len()], 0.0);
    for rows in data.queries().iter() {
        let labels = &data.labels()[rows.clone()];
        let (least, most) = range(labels);
        if least == most {
            continue;
        }
        documents += rows.len() as f64;
        let scaled: Vec<Vec<f32>> = columns
            .iter()
            .map(|column| {
                let (least, most) =
                    range(if within_queries { &column[rows.clone()] } else { column });
                let scale = 1.0 / (f64::from(most) - f64::from(least));
                let scaled = |&x: &f32| ((f64::from(x) - f64::from(least)) * scale) as f32;
                column[rows.clone()]
                    .iter()
                    .map(|x| if least == most { 0.0 } else { scaled(x) })
                    .collect()
            })
            .collect();
        for i in 0..rows.len() {
            let distance =
                |j: usize| scaled.iter().map(|column| (column[i] - column[j]).abs()).sum::<f32>();
            let mut others: Vec<(f32, usize)> =
                (0..rows.len()).filter(|&j| j != i).map(|j| (distance(j), j)).collect();
            others.sort_by(|a, b| a.0.total_cmp(&b.0));
            let places = neighbours.min(others.len());
            let last = others[places - 1].0;
            let closer = others.iter().filter(|(d, _)| *d < last).count();
            let tied = others.iter().filter(|(d, _)| *d == last).count();
            for &(d, j) in others.iter().take_while(|(d, _)| *d <= last) {
                let place = if d < last { 1.0 } else { (places - closer) as f64 / tied as f64 };
                let apart = f64::from((labels[i] - labels[j]).abs()) / f64::from(most - least);
                for (sum, column) in sums.iter_mut().zip(&scaled) {
                    *sum += place * f64::from((column[i] - column[j]).abs()) * (2.0 * apart - 1.0);
                }
            }
        }
    }
    sums.iter().map(|sum| sum / (documents * neighbours as f64)).collect()
}

/// Lists of 1 to 60 documents in several blocks of the engine; values in steps, so that distances
/// tie.
fn many_lists() -> Dataset {
    let sizes: Vec<usize> = (0..300).map(|q| 1 + q * 37 % 60).collect();
    let documents: usize = sizes.iter().sum();
    let mut state = 1u64;
    let mut next = |steps: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % steps) as f32
    };
    let labels: Vec<f32> = (0..documents).map(|_| next(3)).collect();
    let values = [4, 1000, 2, 10]
        .iter()
        .flat_map(|&steps| (0..documents).map(|_| next(steps)).collect::<Vec<f32>>())
        .collect();
    Dataset::new(values, labels, Queries::from_sizes(&sizes), FeatureTable::numbered(4, 1))
}

#[test]
fn rank_filter_equals_its_definition() {
    let data = many_lists();
    assert!(data.documents() > 8192, "more than one block");
    for (neighbours, scale) in [(1, "overall"), (7, "overall"), (7, "query"), (200, "query")] {
        let set =
            [("neighbours", &*neighbours.to_string()), ("scale", scale), ("balance", "false")];
        let selection = select("rank-filter", &set, &data, None);
        let expected = relief_by_definition(&data, neighbours, scale == "query");
        for chosen in &selection.selected {
            let expected = expected[chosen.id as usize - 1];
            assert!(
                (chosen.score - expected).abs() < 1e-12,
                "{set:?}: {} instead of {expected}",
                chosen.score
            );
        }
    }
}

#[test]
fn rank_filter_puts_useful_features_above_noise() {
    let (data, truth) = generate(&Preset::Tiny.config()).unwrap();
    for (scale, balance) in
        [("overall", "false"), ("query", "false"), ("overall", "true"), ("query", "true")]
    {
        let selection =
            select("rank-filter", &[("scale", scale), ("balance", balance)], &data, None);
        let mean = |role: Role| {
            let of_role = |id: u32| truth.features.iter().any(|f| f.id == id && f.role == role);
            let scores: Vec<f64> =
                selection.selected.iter().filter(|c| of_role(c.id)).map(|c| c.score).collect();
            scores.iter().sum::<f64>() / scores.len() as f64
        };
        assert!(
            mean(Role::Useful) > mean(Role::Noisy),
            "{scale}: {} {}",
            mean(Role::Useful),
            mean(Role::Noisy)
        );
    }
}

/// Scaling by powers of two and reflection do not change scaled differences.
#[test]
fn rank_filter_does_not_depend_on_units() {
    let data = tiny();
    let mut changed = columns(&data);
    changed[0].iter_mut().for_each(|x| *x *= 1024.0);
    changed[5].iter_mut().for_each(|x| *x *= -0.25);
    let changed = with_columns(&data, &changed);
    for scale in ["overall", "query"] {
        let [before, after] =
            [&data, &changed].map(|data| select("rank-filter", &[("scale", scale)], data, None));
        assert_eq!(ids(&before), ids(&after), "{scale}");
    }
}

#[test]
fn rank_filter_samples_queries_by_their_ids() {
    let data = tiny();
    let half = |data: &Dataset| select("rank-filter", &[("sample", "0.5")], data, None);
    let reversed: Vec<usize> = (0..data.queries().len()).rev().collect();
    assert_eq!(ids(&half(&data)), ids(&half(&data.subset(&reversed))), "for any order of queries");
    assert_ne!(half(&data).selected, select("rank-filter", &[], &data, None).selected);
    let error = try_select("rank-filter", &[("sample", "0.000001")], &data, None).unwrap_err();
    assert!(
        matches!(error, Error::NothingCounts(_)) && error.to_string().contains("raise `sample`"),
        "{error}"
    );
}
