//! `featherank inspect --redundancy` as a process: what it prints, saves and refuses.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::common::run;

fn redundancy(folder: &Path, args: &[&str]) -> Output {
    run(folder, &[&["inspect", "--redundancy", "--quiet"], args].concat())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Feature a ranks; b is twice a; c is neither; d is constant within queries; e has a missing
/// value; f = a + c.
fn folder_with_data() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let rows = "qid,label,a,b,c,d,e,f\n\
        1,0,1,2,4,7,1,5\n1,1,2,4,1,7,,3\n1,0,3,6,3,7,3,6\n1,2,4,8,2,7,1,6\n\
        2,0,1,2,2,9,1,3\n2,0,3,6,1,9,1,4\n2,1,4,8,4,9,2,8\n2,1,5,10,3,9,1,8\n";
    std::fs::write(folder.path().join("data.csv"), rows).unwrap();
    folder
}

#[test]
fn the_report_has_every_part() {
    let folder = folder_with_data();
    let output = redundancy(folder.path(), &["data.csv", "--missing", "keep", "-o", "m.json"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    for part in [
        "4 features compared: spearman correlation within queries, averaged over queries",
        "constant within every query, excluded: d",
        "missing values, excluded: e",
        "groups of features linked by |r| ≥ 0.9",
        "variance inflation factors within queries: 4 above 10",
        "a          ∞  linear combination of others",
        "1 of 4 features is redundant at |r| ≥ 0.9: b",
        "evaluate a selection with a ranker before you drop any",
    ] {
        assert!(report.contains(part), "{part}:\n{report}");
    }
    let picture: Vec<&str> =
        report.lines().filter(|line| line.ends_with(['█', '▓', '▒', '░', '·'])).collect();
    assert!(picture.len() == 4 && picture[0].starts_with("a ████"), "{report}");
    let saved: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("m.json")).unwrap()).unwrap();
    let printed = redundancy(folder.path(), &["data.csv", "--missing", "keep", "--json"]);
    assert_eq!(saved, serde_json::from_slice::<Value>(&printed.stdout).unwrap());
    assert_eq!(saved["featherank"], "redundancy");
}

#[test]
fn invalid_options_are_refused_and_nothing_is_written() {
    let folder = folder_with_data();
    std::fs::write(folder.path().join("good.txt"), "1 qid:1 1:2 2:1\n0 qid:1 1:1 2:3\n").unwrap();
    for (args, code, says) in [
        (&["good.txt", "--level", "1.5", "-o", "m.json"][..], 2, "from 0 to 1"),
        (&["good.txt", "--level", "nan", "-o", "m.json"], 2, "from 0 to 1"),
        (&["good.txt", "--level", "high"], 2, "--level"),
        (&["good.txt", "--correlation", "spaerman"], 2, "kendall, spearman, pearson, top-10"),
        (&["good.txt", "--scope", "fold"], 2, "pooled"),
        (
            &["good.txt", "--correlation", "top-10", "--scope", "pooled", "-o", "m.json"],
            2,
            "within queries only",
        ),
        (&["good.txt", "-o", "m.xlsx"], 2, ".json, .csv or .tsv"),
        // Wrong usage is found before the data is read.
        (&["absent.txt", "-o", "m.xlsx"], 2, ".json, .csv or .tsv"),
        (&["absent.txt", "-o", "m.json"], 1, "absent.txt"),
        (&["good.txt", "-o", "no/where/m.csv"], 1, "no/where"),
        (&["good.txt", "--near", "0.5"], 2, "cannot be used with"),
        (&["good.txt", "--features"], 2, "cannot be used with"),
        (&["data.csv", "-o", "m.json"], 1, "is missing"),
    ] {
        let output = redundancy(folder.path(), args);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
        assert!(error.contains(says) && output.stdout.is_empty(), "{args:?}: {error}");
    }
    for option in
        [["--level", "0.5"], ["--correlation", "kendall"], ["--scope", "query"], ["-o", "m.json"]]
    {
        let output = run(folder.path(), &[&["inspect", "good.txt"], &option[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{option:?}");
        assert!(
            text(&output.stderr).contains("--redundancy"),
            "{option:?}: {}",
            text(&output.stderr)
        );
    }
    assert!(!folder.path().join("m.json").exists() && !folder.path().join("m.xlsx").exists());
}

/// Data without features to compare, and the smallest data with some.
#[test]
fn small_data_gets_a_small_report() {
    let folder = tempfile::tempdir().unwrap();
    let report = |rows: &str| {
        std::fs::write(folder.path().join("data.txt"), rows).unwrap();
        let output = redundancy(folder.path(), &["data.txt", "-o", "m.csv"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        (text(&output.stdout), std::fs::read_to_string(folder.path().join("m.csv")).unwrap())
    };
    let (single_documents, matrix) = report("1 qid:1 1:2 2:1\n0 qid:2 1:1 2:3\n");
    assert!(single_documents.contains("0 features compared") && !single_documents.contains("VIF"));
    assert!(single_documents.contains("no feature is redundant"));
    assert_eq!(matrix, "feature\n");
    let (one_feature, matrix) = report("1 qid:1 1:2\n0 qid:1 1:1\n");
    assert!(
        one_feature.contains("1 feature compared") && one_feature.contains("0 above 10"),
        "{one_feature}"
    );
    assert_eq!(matrix, "feature,1\n1,1\n");
    // The features never vary in the same query: no correlation, and both are kept.
    let (apart, matrix) =
        report("0 qid:1 1:2 2:5\n0 qid:1 1:1 2:5\n0 qid:2 1:4 2:1\n0 qid:2 1:4 2:2\n");
    assert!(apart.contains("no feature is redundant"), "{apart}");
    assert_eq!(matrix, "feature,1,2\n1,1,\n2,,1\n");
}

#[test]
fn long_tables_are_truncated_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let made = [
        "synth",
        "-o",
        "made",
        "--one-file",
        "--preset",
        "web10k",
        "--set",
        "queries=8",
        "--set",
        "documents=400",
    ];
    let output = run(folder.path(), &made);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output =
        run(folder.path(), &["inspect", "made/data.txt", "--redundancy", "--level", "0.5"]);
    let (report, notes) = (text(&output.stdout), text(&output.stderr));
    assert!(report.contains("… and ") && report.contains(" more features"), "{report}");
    assert!(!report.contains('█') && notes.contains("too wide for a terminal"), "{report}{notes}");
    assert!(report.lines().count() < 70, "{report}");
    for correlation in ["spearman", "kendall"] {
        let with = |threads: &str| {
            let args =
                ["made/data.txt", "--json", "--correlation", correlation, "--threads", threads];
            redundancy(folder.path(), &args).stdout
        };
        let one = with("1");
        assert!(!one.is_empty() && one == with("2") && one == with("5"), "{correlation}");
    }
}
