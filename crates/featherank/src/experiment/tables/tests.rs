//! Tables of a small experiment, computed by hand, and names that need escaping.

use std::collections::BTreeMap;

use super::*;
use crate::data::{DataSources, Feature};
use crate::experiment::{ComparisonCell, CompletedCell, FoldData, Resample, ResourceUsage};

fn done(features: &[u32], test: &[f64]) -> CompletedCell {
    CompletedCell {
        features: features.to_vec(),
        cost: features.len() as f64,
        selecting: BTreeMap::new(),
        ranking: BTreeMap::new(),
        valid: 0.5,
        test: vec![test.iter().map(|&value| Some(value).filter(|value| !value.is_nan())).collect()],
        measured: ResourceUsage { select_seconds: 0.25, seconds: 1.5, peak_bytes: Some(3 << 20) },
        curve: Vec::new(),
        front: Vec::new(),
        generations: Vec::new(),
    }
}

fn cell(
    method: &str,
    selector: Option<&str>,
    fold: usize,
    seed: u64,
    outcome: CellOutcome,
) -> ComparisonCell {
    let (selector, ranker) = (selector.map(str::to_owned), Some("r".to_owned()));
    ComparisonCell { method: method.into(), selector, ranker, fold, seed, outcome }
}

/// Two folds of three queries, five features, all features and two methods, the second with two
/// seeds and a cell that failed.
fn results() -> Results {
    let fold = |number: usize, mean: [f64; 3]| FoldData {
        number,
        queries: (0..3).map(|i| format!("{number}-{i}")).collect(),
        documents: [9, 3, 3],
        baselines: BTreeMap::from([("mean".to_owned(), mean.map(Some).to_vec())]),
    };
    let ok = |features: &[u32], test: &[f64]| CellOutcome::Done(Box::new(done(features, test)));
    Results {
        title: "T".into(),
        release: "0".into(),
        command: Vec::new(),
        sources: DataSources::default(),
        seed: 1,
        choose: "map[ties=expected]".into(),
        measures: vec!["map".into()],
        features: (1..=5)
            .map(|id| Feature { id, name: (id == 2).then(|| "b|m_25".to_owned()) })
            .collect(),
        folds: vec![fold(1, [0.4, 0.4, 0.4]), fold(2, [0.4, 0.4, 0.4])],
        cells: vec![
            cell("all", None, 1, 1, ok(&[1, 2, 3, 4, 5], &[0.5, 0.3, 0.8])),
            cell("all", None, 2, 1, ok(&[1, 2, 3, 4, 5], &[0.4, 0.6, 0.5])),
            cell("x", Some("s"), 1, 1, ok(&[2, 1], &[0.6, 0.3, 0.6])),
            cell("x", Some("s"), 1, 2, ok(&[2], &[0.4, 0.5, 0.6])),
            cell("x", Some("s"), 2, 1, ok(&[2, 3], &[0.2, 0.6, 0.5])),
            cell("x", Some("s"), 2, 2, CellOutcome::Failed("no\nluck".into())),
        ],
        resamples: vec![
            Resample { method: "x".into(), fold: 1, draw: 1, features: vec![2, 4] },
            Resample { method: "x".into(), fold: 1, draw: 2, features: vec![2, 4] },
        ],
        redundancy: None,
        recommendation: None,
    }
}

fn table_of<'t>(tables: &'t [Table], title: &str) -> &'t Table {
    tables.iter().find(|table| table.title == title).unwrap()
}

/// Means of test means: all (.5333 + .5) / 2, x (.5 + .5 + .4333) / 3. Nothing is significant over
/// six queries.
#[test]
fn effectiveness_by_hand() {
    let found = tables(&results()).unwrap();
    let table = table_of(&found, "Effectiveness on test data");
    assert_eq!(table.rows[0], ["a", "all", "0.5167", "", ""]);
    assert_eq!(table.rows[1], ["b", "x", "0.4778*", "", ""]);
}

/// Letters mark significant differences: 30 queries that all gain, by different amounts.
#[test]
fn letters_mark_significant_differences() {
    let mut results = results();
    let queries: Vec<f64> = (0..30).map(|i| 0.3 + 0.01 * f64::from(i)).collect();
    let better: Vec<f64> =
        queries.iter().enumerate().map(|(i, value)| value + 0.05 + 0.001 * i as f64).collect();
    results.folds.truncate(1);
    results.folds[0].queries = (0..30).map(|i| i.to_string()).collect();
    results.folds[0].baselines.clear();
    let ok = |test: &[f64]| CellOutcome::Done(Box::new(done(&[1], test)));
    results.cells =
        vec![cell("all", None, 1, 1, ok(&queries)), cell("x", Some("s"), 1, 1, ok(&better))];
    let found = tables(&results).unwrap();
    assert_eq!(found[0].rows[0][3..], ["", ""]);
    assert_eq!(found[0].rows[1][3..], ["a", "a"]);
}

/// Against .4 on every query x has .5 .4 .6 and .2 .6 .5, seeds averaged: a loss of .2 in six
/// queries, gains .1 .2 .2 .1.
#[test]
fn risk_by_hand() {
    let found = tables(&results()).unwrap();
    let table = table_of(&found, "Risk relative to the mean of single features");
    let row = |i: usize| table.rows[i].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!((row(1)[2], &row(1)[6..]), ("0.0333", &["4", "1", "1"][..]));
    // t_q: .1 0 .2 -1.2 .2 .1; mean -.1, standard deviation √(1.48/5) = .54406, T = -.1 √6 /
    // .54406.
    assert_eq!(row(1)[3], "-0.45");
    assert_eq!(row(1)[5], "", "GeoRisk needs all queries of every system");
    assert_eq!(row(0)[6..], ["4", "1", "1"]);
    // Against all features: x gains .1 in one query and loses .2 in two, each a fifth or more.
    let table = table_of(&found, "Risk relative to all features with the same ranker");
    assert_eq!(table.rows.len(), 1);
    assert_eq!(table.rows[0][6..], ["1", "2", "2"]);
    assert_eq!(table.rows[0][2], "0.0667");
}

/// x chooses {1, 2}, {2}, {2, 3} of five features: p = 1/3, 1, 1/3, mean size 5/3, Φ = 1 − (4/9 ·
/// 3/2 / 5) / (1/3 · 2/3) = .4.
#[test]
fn sizes_and_stability_by_hand() {
    let found = tables(&results()).unwrap();
    let table = table_of(&found, "Features, time and memory");
    assert_eq!(table.rows[0][..6], ["a", "all", "5.0", "1.0000", "", ""]);
    assert_eq!(table.rows[1][..5], ["b", "x", "1.7", "0.3333", "0.400"]);
    assert_eq!(table.rows[1][6..], ["0.25", "1.50", "3"]);
    let table = table_of(&found, "Selected features by fold");
    assert_eq!(table.header[3], "in 2, 1 folds");
    assert_eq!(table.rows[0], ["b", "x", "2 2", "1 2", "b|m_25 (3×), 1 (1×), 3 (1×)"]);
    let table =
        table_of(&found, "Selected features over bootstrap samples of the training queries");
    assert_eq!(table.rows[0], ["b", "x", "2", "1.000", "1.000 to 1.000", "b|m_25 (2×), 4 (2×)"]);
    assert!(
        found.iter().all(|table| table.title != "Agreement between methods"),
        "a single method has no other to agree with"
    );
}

/// A deterministic method selects the same features with every seed; it is not more stable with
/// more seeds.
#[test]
fn seeds_of_deterministic_methods_do_not_add_stability() {
    let mut results = results();
    results.cells.retain(|cell| cell.method != "x" || cell.seed == 1);
    let once = tables(&results).unwrap();
    let copies: Vec<ComparisonCell> =
        results.cells.iter().map(|cell| ComparisonCell { seed: 2, ..cell.clone() }).collect();
    results.cells.extend(copies);
    let twice = tables(&results).unwrap();
    let stability =
        |tables: &[Table]| table_of(tables, "Features, time and memory").rows[1][4..6].to_vec();
    assert_eq!(stability(&once), stability(&twice));
}

/// Another method chooses {2}, {4} where x, with the same seed, chooses {1, 2} and {2, 3}: a half
/// and nothing.
#[test]
fn agreement_by_hand() {
    let mut results = results();
    let ok = |features: &[u32]| CellOutcome::Done(Box::new(done(features, &[0.1, 0.2, 0.3])));
    results.cells.push(cell("y", Some("o"), 1, 1, ok(&[2])));
    results.cells.push(cell("y", Some("o"), 2, 1, ok(&[4])));
    let found = tables(&results).unwrap();
    let table = table_of(&found, "Agreement between methods");
    assert_eq!(table.header, ["", "method", "b", "c"]);
    assert_eq!(table.rows[0], ["b", "x", "1.00", "0.25"]);
    assert_eq!(table.rows[1], ["c", "y", "0.25", "1.00"]);
}

#[test]
fn failed_cells_are_listed() {
    let found = tables(&results()).unwrap();
    let table = table_of(&found, "Failed cells");
    assert_eq!(table.rows, [["x", "2", "2", "no\nluck"]]);
    assert!(TableFormat::Text.write("T", &found).contains("x          2     2  no luck\n"));
}

#[test]
fn every_form_escapes_names() {
    let table = Table {
        title: "a_b & c".into(),
        header: vec!["method".into(), "value".into()],
        rows: vec![
            vec!["x|y\\z_1[k=5], \"q\"\n\u{1b}[31m".into(), "1.5".into()],
            vec!["<b>$%".into(), "10*".into()],
        ],
        notes: vec!["100 %".into()],
    };
    let write = |format: TableFormat| format.write("T", std::slice::from_ref(&table));
    let lines = [
        "T",
        "",
        "a_b & c",
        "method                  value",
        "x|y\\z_1[k=5], \"q\" [31m    1.5",
        "<b>$%                     10*",
        "100 %",
    ];
    assert_eq!(write(TableFormat::Text), lines.join("\n") + "\n");
    let markdown = write(TableFormat::Markdown);
    assert!(
        markdown
            .contains("| x\\|y\\\\z\\_1\\[k=5\\], \"q\" \\[31m | 1.5 |\n| \\<b\\>\\$% | 10\\* |\n"),
        "{markdown}"
    );
    assert!(
        markdown.contains("## a\\_b \\& c\n\n| method | value |\n| --- | ---: |\n"),
        "{markdown}"
    );
    let read = csv::Reader::from_reader(write(TableFormat::Csv).as_bytes())
        .into_records()
        .collect::<Result<Vec<_>, _>>()
        .unwrap();
    assert_eq!(read[0], vec!["a_b & c", "x|y\\z_1[k=5], \"q\" [31m", "value", "1.5"]);
    let latex = write(TableFormat::Latex);
    assert!(
        latex.contains("x\\textbar{}y\\textbackslash{}z\\_1{[}k=5{]}, \"q\" {[}31m & 1.5 \\\\\n"),
        "{latex}"
    );
    assert!(latex.contains("\\textless{}b\\textgreater{}\\$\\% & 10{*} \\\\\n"), "{latex}");
    assert!(latex.contains("\\caption{a\\_b \\& c}\n\\begin{tabular}{lr}\n"), "{latex}");
}

#[test]
fn the_verdict_is_two_sentences() {
    let [first, second] = verdict(&results()).unwrap();
    assert_eq!(
        first,
        "all has the highest map, 0.5167, of 2 methods on 6 test queries, but beats none of the others significantly."
    );
    assert_eq!(second, "It uses 5.0 of 5 features: no selection has a higher value.");
    let mut better = results();
    better.cells.pop();
    better.cells.iter_mut().filter(|cell| cell.method == "x").for_each(|cell| {
        cell.outcome = CellOutcome::Done(Box::new(done(&[2, 3], &[0.61, 0.7, 0.93])));
    });
    let [first, second] = verdict(&better).unwrap();
    assert!(first.starts_with("x has the highest map, 0.7467, of 2 methods"), "{first}");
    assert!(second.contains("uses 2.0 of 5 features on average; its difference of +0.2300"));
    assert!(second.contains("significant (paired t-test, Holm, p ."), "{second}");
    better.cells.clear();
    assert!(verdict(&better).unwrap()[0].starts_with("No method has results"));
}

/// At 80 columns every line fits, no word is broken, and no cell is lost.
#[test]
fn tables_fit_into_a_terminal() {
    let mut results = results();
    for cell in &mut results.cells {
        cell.method += " + lambdamart[trees=300,leaves=31,shrinkage=0.1]";
        if let CellOutcome::Done(done) = &mut cell.outcome {
            let values = done.test[0].clone();
            done.test.extend([values.clone(), values]);
        }
    }
    results.measures = ["map", "ndcg@10", "err@10"].map(str::to_owned).to_vec();
    let found = tables(&results).unwrap();
    let text = text_tables("T", &found, 80);
    let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(long.is_empty(), "{long:#?}");
    let words = |text: &str| -> Vec<String> {
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect()
    };
    let wide = text_tables("T", &found, 10_000);
    let at_80 = words(&text);
    let whole = |word: &String| at_80.contains(word) || word.contains(',');
    assert!(words(&wide).iter().all(whole), "a word is broken or lost");
}
