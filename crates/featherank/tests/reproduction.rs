//! The five-fold protocol on real data, against the figures of an independent implementation. Skipped, with a notice, where
//! the data is absent. `docs/reproduction.md` shows the same rows beside the published ones.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

mod common;

use common::real_data;
use featherank::experiment::{Figures, Plan, Protocol, Row};
use featherank::run::{Constraints, Run};

const NAMES: [&str; 4] = ["MAP", "N@1", "N@5", "N@10"];

fn plan() -> Plan {
    Plan::parse(include_str!("../../../experiments/letor.json")).unwrap()
}

fn problems(row: &Row, reference: &Figures, tolerance: &Figures) -> Vec<String> {
    let mut problems = Vec::new();
    for (i, name) in NAMES.iter().enumerate() {
        let (Some(expected), Some(tolerance)) = (reference[i], tolerance[i]) else { continue };
        // Better is fine.
        if row.means[i] < expected - tolerance {
            problems.push(format!("{name} {:.4}, reference {expected:.4} ± {tolerance}", row.means[i]));
        }
    }
    if let Some(features) = reference[4]
        && !(features / 2.0..=features * 2.0).contains(&row.features)
    {
        problems.push(format!("{:.1} features, reference {features}", row.features));
    }
    problems
}

#[test]
fn rankers_reach_the_reference() {
    let plan = plan();
    let protocol = Protocol::letor().unwrap();
    let mut wrong = Vec::new();
    for data in &plan.data {
        let Some(root) = real_data("") else { return };
        let folds = data.read(&root).unwrap();
        for row in plan.rows.iter().filter(|row| row.reference(data).is_some() && !row.slow) {
            let got = row.run(&protocol, &Run::new(1, Constraints::default()), &folds).unwrap();
            let means: Vec<String> = got.means.iter().map(|mean| format!("{mean:.4}")).collect();
            println!("{} {}: {}, {:.1} features", data.name, row.name, means.join(" / "), got.features);
            let problems = problems(&got, row.reference(data).unwrap(), &data.tolerance);
            wrong.extend(problems.into_iter().map(|what| format!("{} {}: {what}", data.name, row.name)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The comparison above can fail: the reference's own figures pass, figures a tolerance lower do not.
#[test]
fn worse_rows_are_noticed() {
    let plan = plan();
    let data = &plan.data[0];
    let reference = plan.rows[0].reference(data).unwrap();
    let row = |by: f64, features: f64| Row {
        means: reference[..4].iter().map(|figure| figure.unwrap() - by).collect(),
        features,
        folds: Vec::new(),
    };
    assert!(problems(&row(0.0, 36.0), reference, &data.tolerance).is_empty());
    assert_eq!(problems(&row(0.0051, 36.0), reference, &data.tolerance).len(), 1);
    assert_eq!(problems(&row(0.04, 9.0), reference, &data.tolerance).len(), 5);
}
