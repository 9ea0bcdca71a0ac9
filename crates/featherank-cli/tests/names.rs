//! Names of features are given once, at selection, and later commands find features by id in data
//! without names. Lists of features take patterns and ranges.

use std::path::Path;

use crate::common::run;

const ROWS: &str = "2 qid:1 1:9 2:1 3:5 4:1\n0 qid:1 1:1 2:2 3:1 4:2\n1 qid:2 1:5 2:1 3:4 4:3\n\
                    0 qid:2 1:2 2:3 3:2 4:1\n";
const NAMES: &str = "bm25.title\nbm25.body\nclicks\n2-3\n";

fn ok(folder: &Path, line: &str) -> (String, String) {
    let ran = run(folder, &line.split(' ').collect::<Vec<_>>());
    let (out, error) =
        (String::from_utf8(ran.stdout).unwrap(), String::from_utf8(ran.stderr).unwrap());
    assert!(ran.status.success(), "{line}: {error}");
    (out, error)
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("data.txt"), ROWS).unwrap();
    std::fs::write(folder.path().join("names.txt"), NAMES).unwrap();
    folder
}

fn selected(folder: &Path, options: &str) -> Vec<String> {
    let line = format!("select data.txt --method top-k --json --quiet {options}");
    let selection: serde_json::Value = serde_json::from_str(&ok(folder, &line).0).unwrap();
    let label = |chosen: &serde_json::Value| match chosen["name"].as_str() {
        Some(name) => name.to_owned(),
        None => chosen["id"].to_string(),
    };
    let mut names: Vec<String> =
        selection["selected"].as_array().unwrap().iter().map(label).collect();
    names.sort();
    names
}

#[test]
fn names_given_at_selection_need_not_be_given_again() {
    let folder = folder();
    let at = folder.path();
    let said = "the data has no feature names; features were found by id";
    ok(at, "select data.txt --names names.txt --method top-k --k 2 -o s.json");
    let (_, note) = ok(at, "train data.txt --ranker rankrls --selection s.json -o m.json");
    assert!(note.contains(said), "{note}");
    // The model takes the names from the selection, for data with names and for exports.
    let (exported, _) = ok(at, "export m.json --to solr");
    for name in ["bm25.title", "clicks"] {
        assert!(exported.contains(&format!("\"{name}\"")), "{exported}");
    }
    let (without, note) = ok(at, "rank data.txt --model m.json");
    assert!(note.contains(said), "{note}");
    let (with, note) = ok(at, "rank data.txt --names names.txt --model m.json");
    assert!(!note.contains(said), "{note}");
    assert_eq!(without, with);
    let (_, note) = ok(at, "evaluate data.txt --model m.json");
    assert!(note.contains(said), "{note}");
    let named = "train data.txt --names names.txt --ranker rankrls --selection s.json -o n.json";
    let (_, note) = ok(at, named);
    assert!(!note.contains(said), "{note}");
    let model = std::fs::read_to_string(at.join("n.json")).unwrap();
    assert!(model.contains("bm25.title"));
    let (by_id, note) = ok(at, "rank data.txt --model n.json");
    assert!(note.contains(said), "{note}");
    let (by_name, note) = ok(at, "rank data.txt --names names.txt --model n.json");
    assert!(!note.contains(said), "{note}");
    assert_eq!(by_id, by_name);
    let (_, note) = ok(at, "evaluate data.txt --model n.json");
    assert!(note.contains(said), "{note}");
    let (_, note) = ok(at, "evaluate data.txt --names names.txt --model n.json");
    assert!(!note.contains(said), "{note}");
}

#[test]
fn lists_take_patterns_and_ranges() {
    let folder = folder();
    let at = folder.path();
    let named = "--names names.txt";
    assert_eq!(selected(at, &format!("{named} --drop bm25.*")), ["2-3", "clicks"]);
    assert_eq!(selected(at, &format!("{named} --k 2 --keep bm25.*")), ["bm25.body", "bm25.title"]);
    assert_eq!(selected(at, "--drop 2-3"), ["1", "4"]);
    // A feature with this name comes before the range.
    assert_eq!(selected(at, &format!("{named} --drop 2-3")), ["bm25.body", "bm25.title", "clicks"]);
    for (options, says) in [
        ("--drop bm24.*", "did you mean `bm25"),
        ("--keep 8-9", "ids from 1 to 4"),
        ("--keep bm25.tilte", "did you mean `bm25.title`"),
    ] {
        let line = format!("select data.txt {named} --method top-k {options}");
        let ran = run(at, &line.split(' ').collect::<Vec<_>>());
        let error = String::from_utf8(ran.stderr).unwrap();
        assert!(ran.status.code() == Some(2) && error.contains(says), "{options}: {error}");
    }
}

#[test]
fn costs_take_patterns_and_unlisted_features_are_named() {
    let folder = folder();
    let at = folder.path();
    std::fs::write(at.join("costs.txt"), "bm25.* 5\nclicks 0.5\n").unwrap();
    let line = "select data.txt --names names.txt --method top-k --costs costs.txt --json";
    let (json, note) = ok(at, line);
    assert!(note.contains("no cost is given for 1 of 4 features; they cost 1: 2-3"), "{note}");
    let selection: serde_json::Value = serde_json::from_str(&json).unwrap();
    for chosen in selection["selected"].as_array().unwrap() {
        let expected = match chosen["name"].as_str().unwrap() {
            "clicks" => 0.5,
            "2-3" => 1.0,
            _ => 5.0,
        };
        assert_eq!(chosen["cost"], expected, "{chosen}");
    }
}

#[test]
fn errors_in_costs_name_file_and_line() {
    let folder = folder();
    let at = folder.path();
    for (line, fact, help) in [
        ("bm25.tilte 2", "there is no feature called `bm25.tilte`", "did you mean `bm25.title`?"),
        ("bm24.* 2", "there is no feature called `bm24.*`", "did you mean `bm25.body`"),
        ("8-9 2", "expected ids from 1 to 4", "name a feature of the data by its name or id"),
        ("clicks -1", "`-1` is not a valid cost", "every cost is a number of 0 or more"),
        ("clicks cheap", "`cheap` is not a valid cost", "every cost is a number of 0 or more"),
        ("clicks", "`clicks` has no cost", "write a feature and its cost in every line"),
    ] {
        std::fs::write(at.join("costs.txt"), format!("bm25.* 5\n{line}\n")).unwrap();
        let select = "select data.txt --names names.txt --method top-k --costs costs.txt";
        let ran = run(at, &select.split(' ').collect::<Vec<_>>());
        let error = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(1), "{line}: {error}");
        for says in [fact, "--> costs.txt, line 2", help] {
            assert!(error.contains(says), "{line}: {error}");
        }
    }
}

#[test]
fn the_features_of_a_selection_are_exported() {
    let folder = folder();
    let at = folder.path();
    ok(at, "select data.txt --names names.txt --method top-k --k 2 -o s.json");
    let (list, _) = ok(at, "export s.json --to ranklib-features");
    assert_eq!(list.lines().count(), 2, "{list}");
    let ran = run(at, &["export", "s.json", "--to", "ranklib"]);
    assert!(String::from_utf8(ran.stderr).unwrap().contains("needs a model"));
}
