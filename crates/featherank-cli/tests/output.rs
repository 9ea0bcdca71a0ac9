//! What commands print: the answer first, lines that fit, colours only where they are wanted.

use std::path::Path;
use std::process::{Command, Output};

fn featherank(folder: &Path, columns: &str, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_featherank"))
        .args(args)
        .current_dir(folder)
        .env("COLUMNS", columns)
        .env_remove("NO_COLOR")
        .output()
        .unwrap()
}

fn printed(folder: &Path, columns: &str, args: &[&str]) -> String {
    let output = featherank(folder, columns, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A folder with `data.txt` and `names.txt`, whose names are long.
fn with_data() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let synth = ["synth", "-o", "made", "--set", "queries=90", "--set", "documents=1350", "-q"];
    printed(folder.path(), "80", &synth);
    std::fs::rename(folder.path().join("made/train.txt"), folder.path().join("data.txt")).unwrap();
    let names: Vec<String> =
        (1..=20).map(|id| format!("document_body_language_model_score_{id}")).collect();
    std::fs::write(folder.path().join("names.txt"), names.join("\n") + "\n").unwrap();
    folder
}

/// Names and arguments with characters that a terminal obeys.
#[test]
fn names_and_arguments_are_no_commands_for_the_terminal() {
    let folder = with_data();
    let name = "bm25\u{9b}2J\u{202e}\u{7f}";
    let names: Vec<String> = (1..=20).map(|id| format!("{name}{id}")).collect();
    std::fs::write(folder.path().join("names.txt"), names.join("\n")).unwrap();
    let args = ["inspect", "data.txt", "--redundancy", "--names", "names.txt", "--json", "-q"];
    let text = printed(folder.path(), "80", &args);
    assert!(!text.contains(['\u{9b}', '\u{202e}', '\u{7f}']));
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(json.to_string().contains(name), "{json}");
    for args in [
        &["inspect", "data.txt", "--color", "always", "--absent\u{1b}[31m\u{9b}2J"][..],
        &["select\u{1b}[2J\u{202e}", "--color", "always"],
    ] {
        let output = featherank(folder.path(), "80", args);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(!error.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{error:?}");
    }
}

const AUTO: [&str; 6] = ["select", "data.txt", "--ranker", "linear-regression", "--quiet", "--k"];

fn auto(k: &'static str) -> Vec<&'static str> {
    [&AUTO[..], &[k]].concat()
}

#[test]
fn lines_fit_into_eighty_columns_and_words_stay_whole() {
    let folder = with_data();
    let compare = [
        "compare",
        "data.txt",
        "--methods",
        "top-k[k=3],best-gain[delta=0.03],l1-svm",
        "--rankers",
        "linear-regression,own",
        "--measure",
        "ndcg@10,map,err@10",
        "--folds",
        "3",
        "--no-tune",
        "--no-curves",
        "--quiet",
    ];
    let evaluate = [
        "evaluate",
        "data.txt",
        "--feature",
        "1",
        "--feature",
        "2",
        "--feature",
        "5",
        "--measure",
        "ndcg@10,map,err@10",
        "--risk",
    ];
    let commands: [&[&str]; 8] = [
        &auto("3"),
        &["select", "data.txt", "--method", "l1-svm", "--names", "names.txt", "--quiet"],
        &["inspect", "data.txt", "--features", "--names", "names.txt"],
        &["inspect", "data.txt", "--redundancy", "--names", "names.txt"],
        &["methods"],
        &["methods", "spea2"],
        &evaluate,
        &compare,
    ];
    for args in commands {
        let narrow = printed(folder.path(), "80", args);
        for line in narrow.lines().filter(|line| line.chars().count() > 80) {
            // A single word may be longer than a line.
            assert!(line.split_whitespace().count() == 1, "{args:?}: {line}");
        }
        let wide = printed(folder.path(), "1000", args);
        let words = |text: &str| -> std::collections::BTreeSet<String> {
            text.split_whitespace().map(str::to_owned).collect()
        };
        let whole = words(&narrow);
        let lost: Vec<String> =
            words(&wide).into_iter().filter(|word| !whole.contains(word)).collect();
        // Lists in brackets break after commas, and a picture has cells of another width.
        let broken = |word: &&String| !word.contains(',') && !word.contains('·');
        let lost: Vec<&String> = lost.iter().filter(broken).collect();
        assert!(lost.is_empty(), "{args:?}: {lost:?}");
    }
}

#[test]
fn the_answer_comes_first_and_parameters_last() {
    let folder = with_data();
    let text = printed(folder.path(), "100", &auto("2"));
    let parts: Vec<&str> = text.trim_end().split("\n\n").collect();
    assert!(parts[0].starts_with("Not shown to be as good as all: 2 of 20 features"), "{text}");
    assert!(parts[0].contains("lower bound with 95 % confidence"), "{text}");
    assert!(!text.contains("Recommendation"), "{text}");
    // Scores of `auto` only repeat the rank.
    assert_eq!(parts[1].lines().next(), Some("rank  feature"));
    assert!(parts.last().unwrap().starts_with("parameters of auto: alpha=5"), "{text}");

    let text = printed(folder.path(), "100", &["select", "data.txt", "--method", "top-k", "-q"]);
    assert!(text.starts_with("top-k selected 18 of 20 features\n\nrank  feature  "), "{text}");
    assert!(text.lines().nth(2).unwrap().ends_with("score"), "{text}");

    let args = ["compare", "data.txt", "--methods", "top-k[k=3]", "--rankers", "linear-regression"];
    let text = printed(folder.path(), "200", &[&args[..], &["--folds", "3", "-q"]].concat());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..2], ["Comparison", ""]);
    assert!(lines[2].contains(" has the highest ndcg@10, 0."), "{text}");
    assert_eq!(lines[2].matches(". ").count() + 1, 2, "{text}");
}

#[test]
fn a_budget_is_shown_with_the_cost() {
    let folder = with_data();
    let args = ["select", "data.txt", "--ranker", "linear-regression", "--budget", "2.5", "-q"];
    let text = printed(folder.path(), "100", &args);
    assert!(
        text.lines().any(|line| line.ends_with("  cost, of budget") && line.contains("2 of 2.5"))
    );
    let json = printed(folder.path(), "100", &[&args[..], &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["budget"], &json["advice"]["verdict"]), (&2.5.into(), &"not-shown".into()));
    let verdict = &json["verdict"];
    assert_eq!((&verdict["budget"], &verdict["verdict"]), (&2.5.into(), &"not-shown".into()));
    assert!(verdict["evidence"]["lower_bound"].is_number(), "{verdict}");
}

#[test]
fn the_recommendation_of_a_comparison_has_figures() {
    let folder = with_data();
    let args = ["compare", "data.txt", "--methods", "top-k[k=3]", "--rankers", "linear-regression"];
    let more = ["--folds", "3", "--no-curves", "--recommend", "-q"];
    let text = printed(folder.path(), "100", &[&args[..], &more].concat());
    assert!(text.lines().any(|line| line.ends_with("  held-out queries")), "{text}");
}

#[test]
fn notes_fit_the_width() {
    let folder = with_data();
    std::fs::write(folder.path().join("costs.txt"), "1 2\n").unwrap();
    let args = ["select", "data.txt", "--method", "top-k", "--costs", "costs.txt"];
    let output = featherank(folder.path(), "60", &[&args[..], &["--names", "names.txt"]].concat());
    let notes = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && notes.contains("note: no cost is given"), "{notes}");
    let mut notes = notes.lines().skip_while(|line| !line.starts_with("note: no cost"));
    assert!(notes.all(|line| line.chars().count() <= 60 || line.ends_with(": done")));
}

/// A line of the list that began like a target would be read as one.
#[test]
fn targets_are_listed_in_lines_that_fit() {
    let help = printed(Path::new("."), "80", &["export", "--help"]);
    let (_, targets) = help.split_once("Targets:\n").unwrap();
    for line in targets.lines() {
        assert!(line.chars().count() <= 80, "{line}");
        let name = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' '));
        let name = name.map(|rest| rest.split(' ').next().unwrap_or_default());
        let is_target = |name: &str| featherank::export::TARGETS.iter().any(|t| t.name == name);
        assert!(name.is_none_or(is_target), "{line}");
    }
}

#[test]
fn colours_follow_the_option_and_the_environment() {
    let folder = with_data();
    const YELLOW: &str = "\u{1b}[1m\u{1b}[33mNot shown";
    let coloured = |args: &[&str]| {
        printed(folder.path(), "100", &[&auto("2")[..], args].concat()).contains(YELLOW)
    };
    assert!(!coloured(&[]), "not a terminal");
    assert!(coloured(&["--color", "always"]) && coloured(&["--color=always"]));
    assert!(!coloured(&["--color", "never"]));
    let error = |choice: &str| {
        let output = featherank(folder.path(), "100", &["inspect", "absent", "--color", choice]);
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(error("always").contains("\u{1b}[1m\u{1b}[31merror:"), "{:?}", error("always"));
    assert!(error("never").contains("error: ") && !error("never").contains('\u{1b}'));
    let help = featherank(folder.path(), "100", &["select", "--help", "--color", "always"]);
    assert!(String::from_utf8(help.stdout).unwrap().contains('\u{1b}'));
    let json = printed(folder.path(), "100", &["methods", "map", "--json", "--color", "always"]);
    assert!(!json.contains('\u{1b}'));
}
