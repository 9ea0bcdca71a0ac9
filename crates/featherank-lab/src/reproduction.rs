//! The five-fold protocol on real data, against the figures of an independent implementation.
//! Skipped, with a notice, if the data is absent. `docs/reproduction.md` shows the same rows beside
//! the published ones.

#[path = "../../featherank/tests/common/real_data.rs"]
mod real_data;

use std::collections::BTreeSet;
use std::path::Path;

use featherank::experiment::{Plan, Protocol, Repeats, Row};
use featherank::run::{Constraints, Run};
use real_data::real_data;

use crate::paper::{Figures, Paper, PaperRow};

const NAMES: [&str; 4] = ["MAP", "N@1", "N@5", "N@10"];

fn paper(name: &str) -> Paper {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    Paper::read(&folder.join(name).with_extension("toml")).unwrap()
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
fn plans_name_methods_and_parameters_that_exist() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let plans: Vec<_> = files.filter(|path| path.extension() == Some("toml".as_ref())).collect();
    assert!(plans.len() > 6, "{plans:?}");
    for path in plans {
        let plan = Plan::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert!(!plan.rows.is_empty() && plan.data.len() == 2, "{}", path.display());
        let names: BTreeSet<&String> = plan.rows.iter().map(|row| &row.name).collect();
        assert_eq!(names.len(), plan.rows.len(), "{}: two rows of one name", path.display());
        plan.check().unwrap();
    }
}

#[test]
fn rankers_and_sparse_methods_reach_the_reference() {
    reach_the_reference(&paper("cheng2018"), &[]);
}

#[test]
fn filters_reach_the_reference() {
    reach_the_reference(&paper("costa2010"), &[]);
}

#[test]
fn weighted_svms_reach_the_reference() {
    reach_the_reference(&paper("laporte2015"), &paper("cheng2018").rows);
}

#[test]
fn rsrank_reaches_the_reference() {
    reach_the_reference(&paper("sun2009"), &[]);
}

/// Runs all rows except those that take minutes and those that another plan contains as well.
fn reach_the_reference(paper: &Paper, elsewhere: &[PaperRow]) {
    let protocol = Protocol::letor().unwrap();
    let mut wrong = Vec::new();
    for data in &paper.data {
        let Some(root) = real_data("") else { return };
        let folds = data.plan.read(&root).unwrap();
        for row in paper.rows.iter().filter(|row| !row.figures.slow && !elsewhere.contains(row)) {
            let PaperRow { plan, figures } = row;
            let published = figures.published(data).filter(|_| figures.reaches_published);
            let published = published.map(|figures| {
                let map = figures[0].filter(|_| data.precision.published_map);
                [&[map], &figures[1..]].concat()
            });
            let Some(expected) = figures.reference(data).cloned().or(published) else { continue };
            let got = plan.run(&protocol, &Run::new(1, Constraints::default()), &folds).unwrap();
            let means: Vec<String> = got.means.iter().map(|mean| format!("{mean:.4}")).collect();
            let name = format!("{} {}", data.plan.name, plan.name);
            println!("{name}: {}, {:.1} features", means.join(" / "), got.features);
            let problems = match figures.exact {
                true => differences(&got, &expected),
                false => problems(&got, &expected, &data.precision.tolerance),
            };
            wrong.extend(problems.into_iter().map(|what| format!("{name}: {what}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Tables 2, 3 and 4 of the report on BestGain for OHSUMED: MAP 44.00 %, NDCG@10 44.32 %, one
/// feature in every fold, one of them three times and two once.
#[test]
fn best_gain_equals_the_published_results() {
    let paper = paper("costa2010");
    let row = paper.rows.iter().find(|row| row.plan.name == "BestGain, δ = .055").unwrap();
    let data = &paper.data[0];
    let Some(root) = real_data("") else { return };
    let (protocol, run) = (Protocol::letor().unwrap(), Run::new(1, Constraints::default()));
    let got = row.plan.run(&protocol, &run, &data.plan.read(&root).unwrap()).unwrap();
    assert_eq!(differences(&got, row.figures.published(data).unwrap()), [""; 0]);
    let chosen: Vec<&[u32]> = got.folds.iter().map(|fold| &fold.features[..]).collect();
    assert_eq!(chosen, [[8], [11], [11], [10], [11]]);
    assert_eq!(Repeats::of(&got.folds).by_count(), [0, 0, 1, 0, 2]);
}

/// The comparison with the reference can fail: the reference's own figures pass, figures lower by a
/// tolerance do not.
#[test]
fn worse_rows_are_detected() {
    let paper = paper("cheng2018");
    let (data, ranked_by) = (&paper.data[0], Some("listnet"));
    let listnet = paper.rows.iter().find(|row| row.plan.ranker.as_deref() == ranked_by).unwrap();
    let reference = listnet.figures.reference(data).unwrap();
    let tolerance = &data.precision.tolerance;
    let row = |by: f64, features: f64| Row {
        means: reference[..4].iter().map(|figure| figure.unwrap() - by).collect(),
        features,
        folds: Vec::new(),
    };
    assert!(problems(&row(0.0, 36.0), reference, tolerance).is_empty());
    assert_eq!(problems(&row(0.0051, 36.0), reference, tolerance).len(), 1);
    assert_eq!(problems(&row(0.04, 9.0), reference, tolerance).len(), 5);
    assert!(differences(&row(0.00005, 36.0), reference).is_empty());
    assert_eq!(differences(&row(-0.0002, 36.0), reference).len(), 4, "better is not the same");
}

/// The page is generated from the plans; a row of a plan must be on the page. Rows that are
/// compared with each other must be in the same plan.
#[test]
fn the_page_shows_every_row_of_the_plans() {
    let page = include_str!("../../../docs/reproduction.md");
    for name in
        ["cheng2018", "costa2010", "laporte2015", "sun2009", "sousa2016", "auto", "mofsrank"]
    {
        let Paper { plan, data, rows, .. } = paper(name);
        plan.crossed().unwrap();
        let part = page.split("\n## ").find(|part| part.starts_with(&plan.title));
        let part = part.unwrap_or_else(|| panic!("{} is missing: make reproduce", plan.title));
        let names: BTreeSet<&String> = plan.rows.iter().map(|row| &row.name).collect();
        for PaperRow { plan, figures } in &rows {
            let shown = part.matches(&format!("| {} | ", plan.name)).count();
            assert!(shown >= data.len(), "{} is missing: make reproduce", plan.name);
            let mut others = figures.against.iter().chain(&figures.sparser_than);
            assert!(others.all(|other| names.contains(other)), "{}", plan.name);
        }
    }
}
