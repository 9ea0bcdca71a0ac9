//! The five-fold protocol on real data, against the figures of an independent implementation.
//! Skipped, with a notice, if the data is absent. `docs/reproduction.md` shows the same rows beside
//! the published ones.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use crate::common::real_data;
use featherank::experiment::{Figures, Plan, Protocol, Repeats, Row, RowPlan};
use featherank::run::{Constraints, Run};

const NAMES: [&str; 4] = ["MAP", "N@1", "N@5", "N@10"];

fn cheng2018() -> Plan {
    Plan::parse(include_str!("../../../experiments/cheng2018.toml")).unwrap()
}

fn costa2010() -> Plan {
    Plan::parse(include_str!("../../../experiments/costa2010.toml")).unwrap()
}

fn laporte2015() -> Plan {
    Plan::parse(include_str!("../../../experiments/laporte2015.toml")).unwrap()
}

fn sun2009() -> Plan {
    Plan::parse(include_str!("../../../experiments/sun2009.toml")).unwrap()
}

fn auto() -> Plan {
    Plan::parse(include_str!("../../../experiments/auto.toml")).unwrap()
}

fn mofsrank() -> Plan {
    Plan::parse(include_str!("../../../experiments/mofsrank.toml")).unwrap()
}

fn sousa2016() -> Plan {
    Plan::parse(include_str!("../../../experiments/sousa2016.toml")).unwrap()
}

/// Twice half a unit of the fourth decimal, the precision of the figures.
const SAME: f64 = 1e-4;

/// The differences of a row that has a unique solution.
fn differences(row: &Row, reference: &Figures) -> Vec<String> {
    let mut wrong = Vec::new();
    for (i, name) in NAMES.iter().enumerate() {
        let Some(expected) = reference[i] else { continue };
        if (row.means[i] - expected).abs() > SAME {
            wrong.push(format!("{name} {:.5}, not {expected:.4}", row.means[i]));
        }
    }
    wrong
}

fn problems(row: &Row, reference: &Figures, tolerance: &Figures) -> Vec<String> {
    let mut problems = Vec::new();
    for (i, name) in NAMES.iter().enumerate() {
        let (Some(expected), Some(tolerance)) = (reference[i], tolerance[i]) else { continue };
        // Better values are accepted.
        if row.means[i] < expected - tolerance {
            problems
                .push(format!("{name} {:.4}, reference {expected:.4} ± {tolerance}", row.means[i]));
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
fn rankers_and_sparse_methods_reach_the_reference() {
    reach_the_reference(&cheng2018(), &[]);
}

#[test]
fn filters_reach_the_reference() {
    reach_the_reference(&costa2010(), &[]);
}

#[test]
fn weighted_svms_reach_the_reference() {
    reach_the_reference(&laporte2015(), &cheng2018().rows);
}

#[test]
fn rsrank_reaches_the_reference() {
    reach_the_reference(&sun2009(), &[]);
}

/// Runs all rows except those that take minutes and those that another plan contains as well.
fn reach_the_reference(plan: &Plan, elsewhere: &[RowPlan]) {
    let protocol = Protocol::letor().unwrap();
    let mut wrong = Vec::new();
    for data in &plan.data {
        let Some(root) = real_data("") else { return };
        let folds = data.read(&root).unwrap();
        for row in plan.rows.iter().filter(|row| !row.slow && !elsewhere.contains(row)) {
            let published = row.published(data).filter(|_| row.reaches_published).map(|figures| {
                let map = figures[0].filter(|_| data.published_map);
                [&[map], &figures[1..]].concat()
            });
            let Some(expected) = row.reference(data).cloned().or(published) else { continue };
            let got = row.run(&protocol, &Run::new(1, Constraints::default()), &folds).unwrap();
            let means: Vec<String> = got.means.iter().map(|mean| format!("{mean:.4}")).collect();
            println!(
                "{} {}: {}, {:.1} features",
                data.name,
                row.name,
                means.join(" / "),
                got.features
            );
            let problems = match row.exact {
                true => differences(&got, &expected),
                false => problems(&got, &expected, &data.tolerance),
            };
            wrong.extend(
                problems.into_iter().map(|what| format!("{} {}: {what}", data.name, row.name)),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Tables 2, 3 and 4 of the report on BestGain for OHSUMED: MAP 44.00 %, NDCG@10 44.32 %, one
/// feature in every fold, one of them three times and two once.
#[test]
fn best_gain_equals_the_published_results() {
    let plan = costa2010();
    let row = plan.rows.iter().find(|row| row.name == "BestGain, δ = .055").unwrap();
    let data = &plan.data[0];
    let Some(root) = real_data("") else { return };
    let (protocol, run) = (Protocol::letor().unwrap(), Run::new(1, Constraints::default()));
    let got = row.run(&protocol, &run, &data.read(&root).unwrap()).unwrap();
    assert_eq!(differences(&got, row.published(data).unwrap()), [""; 0]);
    let chosen: Vec<&[u32]> = got.folds.iter().map(|fold| &fold.features[..]).collect();
    assert_eq!(chosen, [[8], [11], [11], [10], [11]]);
    assert_eq!(Repeats::of(&got.folds).by_count(), [0, 0, 1, 0, 2]);
}

/// The comparison with the reference can fail: the reference's own figures pass, figures lower by a
/// tolerance do not.
#[test]
fn worse_rows_are_detected() {
    let plan = cheng2018();
    let data = &plan.data[0];
    let listnet = plan.rows.iter().find(|row| row.ranker.as_deref() == Some("listnet")).unwrap();
    let reference = listnet.reference(data).unwrap();
    let row = |by: f64, features: f64| Row {
        means: reference[..4].iter().map(|figure| figure.unwrap() - by).collect(),
        features,
        folds: Vec::new(),
    };
    assert!(problems(&row(0.0, 36.0), reference, &data.tolerance).is_empty());
    assert_eq!(problems(&row(0.0051, 36.0), reference, &data.tolerance).len(), 1);
    assert_eq!(problems(&row(0.04, 9.0), reference, &data.tolerance).len(), 5);
    assert!(differences(&row(0.00005, 36.0), reference).is_empty());
    assert_eq!(differences(&row(-0.0002, 36.0), reference).len(), 4, "better is not the same");
}

/// The page is generated from the plans; a row of a plan must be on the page.
#[test]
fn the_page_shows_every_row_of_the_plans() {
    let page = include_str!("../../../docs/reproduction.md");
    for plan in
        [cheng2018(), costa2010(), laporte2015(), sun2009(), sousa2016(), auto(), mofsrank()]
    {
        let part = page.split("\n## ").find(|part| part.starts_with(&plan.title));
        let part = part.unwrap_or_else(|| panic!("{} is missing: make reproduce", plan.title));
        for row in &plan.rows {
            let shown = part.matches(&format!("| {} | ", row.name)).count();
            assert!(shown >= plan.data.len(), "{} is missing: make reproduce", row.name);
        }
    }
}
