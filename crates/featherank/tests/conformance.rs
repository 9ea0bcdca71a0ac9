//! One suite that every selector, ranker and measure of the registry must pass, without exceptions.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

mod labels;
mod rankers;
mod selectors;

use featherank::data::synth::{Preset, generate};
use featherank::data::{Dataset, FeatureId, FeatureTable, Queries};
use featherank::measure::Measure;
use featherank::params::Params;
use featherank::registry::{MEASURES, RANKERS, SELECTORS, entries};

fn tiny() -> Dataset {
    generate(&Preset::Tiny.config()).unwrap().0
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

/// Names whose order differs from that of the ids; one looks like the id of another feature.
fn names(count: usize) -> Vec<String> {
    let name = |i: usize| if i == 6 { "3".to_owned() } else { format!("x{}", i * 7 % count) };
    (0..count).map(name).collect()
}

/// The data as it is read from a file with its columns in another order. Ids move with their
/// columns; in files with named columns, ids are the places of the columns.
fn permuted(data: &Dataset) -> Dataset {
    let width = data.features().len();
    let order: Vec<FeatureId> = (0..width).map(|i| FeatureId::from((i * 3 + 5) % width)).collect();
    let values = order.iter().flat_map(|&f| data.column(f)).copied().collect();
    let table = FeatureTable::named(order.iter().map(|&f| data.features().label(f)).collect());
    Dataset::new(values, data.labels().to_vec(), data.queries().clone(), table)
}

/// Columns: a useful one, its copy, a constant, one constant within queries, and noise; then
/// unusual queries.
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
fn measures_parse_back_and_accept_unusual_queries() {
    let data = odd();
    for spec in MEASURES {
        let cut = if matches!(spec.name, "p" | "recall") { "@3" } else { "" };
        let name = format!("{}{cut}", spec.name);
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
fn registry_entries_are_unique_and_documented() {
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
        assert!((spec.build)(&Params::new(spec.name, spec.params, &[]).unwrap()).is_ok());
    }
    for spec in RANKERS {
        for (name, values) in spec.grid {
            for value in *values {
                let set = [((*name).to_owned(), (*value).to_owned())];
                let params = Params::new(spec.name, spec.params, &set).unwrap();
                assert!((spec.build)(&params).is_ok(), "{} {name}={value}", spec.name);
            }
        }
    }
}
