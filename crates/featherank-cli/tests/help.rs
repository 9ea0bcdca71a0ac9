//! The help, the list of methods, manual pages, completions, and what is said about unknown names.

use std::path::Path;
use std::process::Command;

use crate::common::run;

fn printed(args: &[&str]) -> String {
    let ran = run(Path::new("."), args);
    assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

fn refused(args: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("data.txt"), "1 qid:1 1:2\n0 qid:1 1:1\n").unwrap();
    let ran = run(folder.path(), args);
    assert_eq!(ran.status.code(), Some(2), "{args:?}");
    String::from_utf8(ran.stderr).unwrap()
}

#[test]
fn the_help_opens_with_the_purpose_and_three_examples() {
    let help = printed(&["--help"]);
    assert!(help.starts_with("Feature selection for learning to rank"), "{help}");
    let usage = help.find("Usage:").unwrap();
    assert_eq!(help[..usage].matches("\n  featherank ").count(), 3, "{help}");
}

#[test]
fn methods_are_grouped_by_kind_and_filtered() {
    let all = printed(&["methods"]);
    let headings: Vec<&str> =
        all.lines().filter(|line| !line.starts_with(' ') && !line.is_empty()).collect();
    let expected = [
        "Measures",
        "Selectors: filters",
        "Selectors: wrappers",
        "Selectors: embedded in a ranker",
    ];
    assert_eq!(headings[..4], expected, "{all}");
    assert_eq!(headings.last(), Some(&"Rankers"));
    // Lines that continue a summary are indented further.
    let is_entry = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let listed = all.lines().filter(is_entry).count();
    assert_eq!(listed, featherank::registry::entries().len(), "every method once");
    assert!(!all.contains("recall: ") && !all.contains("precision: "), "{all}");
    for (filter, has, lacks) in [
        ("rankers", "lambdamart", "best-gain"),
        ("filter", "best-gain", "lambdamart"),
        ("embedded", "l1-svm", "best-gain"),
        ("measures", "ndcg", "best-gain"),
        ("svm", "ranksvm-primal", "ndcg"),
    ] {
        let shown = printed(&["methods", filter]);
        assert!(shown.contains(has) && !shown.contains(lacks), "{filter}: {shown}");
    }
    assert!(printed(&["methods", "best-gain"]).contains("delta"));
    assert!(refused(&["methods", "bestgain"]).contains("did you mean `best-gain`"));
}

#[test]
fn unknown_names_list_what_there_is_nearest_first() {
    for (args, says) in [
        (&["select", "data.txt", "--method", "bestgain"][..], "there are: best-gain, "),
        (&["train", "data.txt", "--ranker", "lambdamrat"], "there are: lambdamart, "),
        (&["train", "data.txt", "--ranker", "lightgbm"], "use lambdamart"),
        (&["train", "data.txt", "--ranker", "xgboost"], "use lambdamart"),
        (&["select", "data.txt", "--ranker", "xgboost"], "use lambdamart"),
        (&["inspect", "data.txt", "-m", "ncdg@3"], "there are: ndcg, "),
        (&["inspect", "data.txt", "--preset", "letor5"], "letor4"),
        (&["synth", "-o", "x", "--preset", "tinny"], "there are: tiny, "),
        (&["export", "data.txt", "--to", "sorl"], "there are: solr, "),
    ] {
        let error = refused(args);
        assert!(error.contains(says), "{args:?}: {error}");
    }
}

#[test]
fn errors_fit_the_width_and_name_what_to_use_first() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("data.txt"), "1 qid:1 1:2\n0 qid:1 1:1\n").unwrap();
    for args in [
        &["train", "data.txt", "--ranker", "lightgbm"][..],
        &["methods", "xgboost"],
        &["select", "data.txt", "--method", "nosuchmethod"],
    ] {
        let ran = Command::new(env!("CARGO_BIN_EXE_featherank"))
            .args(args)
            .current_dir(folder.path())
            .env("COLUMNS", "80")
            .output();
        let error = String::from_utf8(ran.unwrap().stderr).unwrap();
        assert!(error.lines().all(|line| line.chars().count() <= 80), "{error}");
        assert!(error.lines().count() < 8, "{error}");
    }
    for args in [&["train", "data.txt", "--ranker", "lightgbm"][..], &["methods", "xgboost"]] {
        let error = refused(args);
        assert!(error.contains("use lambdamart"), "{error}");
        assert!(error.contains("there are: lambdamart, mart, "), "{error}");
    }
}

#[test]
fn short_help_has_examples() {
    let bare = run(Path::new("."), &[]);
    let bare = String::from_utf8([bare.stdout, bare.stderr].concat()).unwrap();
    for help in [printed(&["-h"]), bare] {
        assert_eq!(help.matches("\n  featherank ").count(), 3, "{help}");
        assert!(help.starts_with("Feature selection for learning to rank: find"), "{help}");
    }
}

#[test]
fn aliases_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("data.txt"), "1 qid:1 1:2\n0 qid:1 1:1\n").unwrap();
    let measures = "precision@1,recall@1,ap,rr";
    let ran = run(folder.path(), &["evaluate", "data.txt", "--feature", "1", "-m", measures]);
    let text = String::from_utf8(ran.stdout).unwrap();
    for canonical in ["p@1", "recall@1", "map", "mrr"] {
        assert!(text.contains(canonical), "{text}");
    }
}

#[test]
fn manual_pages_cover_every_command() {
    let folder = tempfile::tempdir().unwrap();
    assert!(run(folder.path(), &["man", "share/man1"]).status.success());
    let pages: Vec<String> = std::fs::read_dir(folder.path().join("share/man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let help = printed(&["-h"]);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<&str> = commands
        .take_while(|line| !line.is_empty())
        // Descriptions continue on lines that are indented further.
        .filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() > 10, "{help}");
    for command in commands {
        assert!(pages.contains(&format!("featherank-{command}.1")), "{command}: {pages:?}");
    }
    assert!(pages.contains(&"featherank.1".to_owned()));
    let select = std::fs::read_to_string(folder.path().join("share/man1/featherank-select.1"));
    assert!(select.unwrap().contains("budget"));
    assert!(printed(&["man"]).contains("Feature selection for learning to rank"));
}
