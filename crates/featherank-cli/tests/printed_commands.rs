//! Every command that a report or results.json prints runs when it is copied, from another folder,
//! with blanks and quotes in paths and in names of features.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail loudly")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use featherank::shell;
use serde_json::Value;

/// A folder whose name a shell would take apart, and another one to run commands in.
struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["my data's $(x)", "elsewhere"] {
            std::fs::create_dir(root.path().join(folder)).unwrap();
        }
        let place = Place { root };
        let set = ["queries=30", "documents=300", "useful=3", "redundant=2", "noisy=2"];
        let settings = set.iter().flat_map(|set| ["--set", set]);
        let arguments: Vec<&str> = ["synth", "-o", ".", "--one-file"].into_iter().collect();
        let ran = place.featherank(&[arguments, settings.collect()].concat());
        assert!(ran.status.success(), "{}", said(&ran));
        let rename = |from: &str, to: &str| {
            std::fs::rename(place.data().join(from), place.data().join(to)).unwrap();
        };
        rename("data.txt", "it's \"train\".txt");
        let features = place.features();
        // A blank, quotes, a comma, a range, and the id of another feature.
        let unusual = ["bm 25", "it's", "\"q\"", "a,b", "10-15", "1"];
        let names = (0..features).map(|i| unusual.get(i).map_or(format!("f{i}"), |&n| n.into()));
        let names: Vec<String> = names.collect();
        std::fs::write(place.data().join("the names.txt"), names.join("\n")).unwrap();
        place
    }

    fn data(&self) -> PathBuf {
        self.root.path().join("my data's $(x)")
    }

    fn train(&self) -> String {
        self.data().join("it's \"train\".txt").display().to_string()
    }

    fn features(&self) -> usize {
        let text = std::fs::read_to_string(self.data().join("truth.json")).unwrap();
        let truth: Value = serde_json::from_str(&text).unwrap();
        truth["features"].as_array().map(Vec::len).unwrap()
    }

    fn featherank(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_featherank"))
            .args(arguments)
            .current_dir(self.data())
            .output()
            .unwrap()
    }

    /// Runs a printed command in a shell in the other folder, with placeholders replaced.
    fn run(&self, command: &str) {
        let binary = Path::new(env!("CARGO_BIN_EXE_featherank")).parent().unwrap();
        let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
        let names = self.data().join("the names.txt").display().to_string();
        let data = shell::command(&[self.train(), "--names".into(), names]);
        let line = command
            .replace(" TRAIN", &format!(" {data}"))
            .replace(" TEST", &format!(" {data}"))
            .replace(" DATA", &format!(" {data}"))
            .replace(" RANKER", " rankrls")
            .replace(" TARGET", " solr");
        let ran = Command::new("sh")
            .args(["-c", &line])
            .current_dir(self.root.path().join("elsewhere"))
            .env("PATH", path)
            .output()
            .unwrap();
        assert!(ran.status.success(), "{line}\n{}", said(&ran));
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The document inside a page.
fn content(page: &Path) -> Value {
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("id=\"content\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// All texts called `command`, wherever they are.
fn commands(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                match value {
                    Value::String(text) if name == "command" => found.push(text.clone()),
                    _ => commands(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| commands(item, found)),
        _ => {}
    }
}

/// Runs all commands of a report, each distinct one once.
fn run_all(place: &Place, page: &str) -> usize {
    let mut found = Vec::new();
    commands(&content(&place.data().join(page)), &mut found);
    let mut seen = std::collections::HashSet::new();
    found.retain(|command| seen.insert(command.clone()));
    found.iter().for_each(|command| place.run(command));
    found.len()
}

const NAMED: [&str; 2] = ["--names", "the names.txt"];

#[test]
fn the_commands_of_a_selection_run() {
    let place = Place::new();
    let train = "it's \"train\".txt";
    for (method, parameters) in [
        ("top-k", &[][..]),
        ("spea2", &["-p", "population=8", "-p", "archive=8", "-p", "generations=2"]),
    ] {
        let options = ["select", train, "--method", method, "-o", "my selection's.json", "--quiet"];
        let ran = place.featherank(&[&options[..], &NAMED, parameters].concat());
        assert!(ran.status.success(), "{}", said(&ran));
        let ran = place.featherank(&["report", "my selection's.json", "-o", "page.html"]);
        assert!(ran.status.success(), "{}", said(&ran));
        // The commands that evaluate and export read what the one that trains writes.
        let count = run_all(&place, "page.html");
        assert!(count >= 4, "{count} commands");
    }
}

#[test]
fn the_commands_of_a_comparison_run() {
    let place = Place::new();
    let search = "spea2[population=8,archive=8,generations=2]";
    let methods = format!("top-k[k=3],{search}");
    let options = [
        "compare",
        "it's \"train\".txt",
        "--methods",
        &methods,
        "--rankers",
        "rankrls",
        "--folds",
        "3",
        "-o",
        "my results",
        "--quiet",
    ];
    let ran = place.featherank(&[&options[..], &NAMED].concat());
    assert!(ran.status.success(), "{}", said(&ran));
    let text = std::fs::read_to_string(place.data().join("my results/results.json")).unwrap();
    let results: Value = serde_json::from_str(&text).unwrap();
    let words: Vec<&str> =
        results["command"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    place.run(&shell::command(&words));
    let again = place.root.path().join("elsewhere/results/results.json");
    let again: Value = serde_json::from_str(&std::fs::read_to_string(again).unwrap()).unwrap();
    assert_eq!(results["command"], again["command"]);
    assert_eq!(results["cells"][0]["done"]["test"], again["cells"][0]["done"]["test"]);
    let ran = place.featherank(&["report", "my results", "-o", "page.html"]);
    assert!(ran.status.success(), "{}", said(&ran));
    assert!(run_all(&place, "page.html") > 3);
}

/// The examples of the help and the commands that notes suggest.
#[test]
fn the_examples_of_the_help_run() {
    let place = Place::new();
    let help = String::from_utf8(place.featherank(&["--help"]).stdout).unwrap();
    let examples: Vec<&str> =
        help.lines().filter_map(|line| line.strip_prefix("  featherank ")).collect();
    assert_eq!(examples.len(), 3, "{help}");
    for example in examples {
        // The demo, which takes a minute, is tested elsewhere; the others lack their data here.
        let mut words: Vec<&str> = example.split(' ').collect();
        if words == ["demo"] {
            words.push("--help");
        }
        let ran = place.featherank(&words);
        let accepted = ran.status.success() || said(&ran).contains("there is no such file");
        assert!(accepted, "{example}: {}", said(&ran));
    }
    place.run("featherank methods best-gain");
    place.run("featherank inspect DATA");
}
