//! Every command that a report, results.json or the terminal prints runs when it is copied, from
//! another folder, with blanks and quotes in paths and in names of features.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use featherank::internals::shell;
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

    /// Runs a printed command in a shell in the other folder, with placeholders replaced: those for
    /// files that a selection or a comparison cannot know.
    fn run(&self, command: &str) {
        let binary = Path::new(env!("CARGO_BIN_EXE_featherank")).parent().unwrap();
        let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
        let names = self.data().join("the names.txt").display().to_string();
        let data = shell::command(&[self.train(), "--names".into(), names]);
        for unknown in [" TRAIN", " RANKER", " COSTS"] {
            assert!(!command.contains(unknown), "{command}");
        }
        let line = command
            .replace(" TEST", &format!(" {data}"))
            .replace(" DATA", &format!(" {data}"))
            .replace(" NAME", " best-gain")
            .replace(" TARGET", " solr");
        let ran = Command::new("sh")
            .args(["-c", &line])
            .current_dir(self.elsewhere())
            .env("PATH", path)
            .output()
            .unwrap();
        assert!(ran.status.success(), "{line}\n{}", said(&ran));
    }

    fn elsewhere(&self) -> PathBuf {
        self.root.path().join("elsewhere")
    }

    /// The selection in a file of a folder.
    fn selection(path: &Path) -> Value {
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
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

/// Ids of the selected features.
fn ids(selection: &Value) -> Vec<u64> {
    let selected = selection["selected"].as_array().unwrap();
    selected.iter().map(|chosen| chosen["id"].as_u64().unwrap()).collect()
}

/// The constraints that a selection was made under are part of the commands that repeat it and that
/// select other sizes.
#[test]
fn the_commands_of_a_recommendation_keep_its_constraints() {
    let place = Place::new();
    let features = place.features();
    let costs = "bm 25\t3\nit's\t2\na,b\t1.5\n";
    std::fs::write(place.data().join("the costs.txt"), costs).unwrap();
    let train = "it's \"train\".txt";
    let auto = ["select", train, "--method", "auto", "--ranker", "linear-regression", "--quiet"];
    let fast = ["-p", "folds=3", "-p", "repetitions=1", "-p", "methods=best-gain"];
    let kept = ["--keep", "\"it's\"", "--drop", "\"1\",\"a,b\"", "-o", "selection.json"];
    let priced = ["--costs", "the costs.txt"];
    for limits in [
        &["--k", "4"][..],
        &["--budget", "5"],
        &[&priced[..], &["--budget", "6"]].concat(),
        &[&priced[..], &["--k", "4", "--budget", "7"]].concat(),
    ] {
        let ran = place.featherank(&[&auto[..], &NAMED, &fast, &kept, limits].concat());
        assert!(ran.status.success(), "{}", said(&ran));
        let ran = place.featherank(&["report", "selection.json", "-o", "page.html"]);
        assert!(ran.status.success(), "{}", said(&ran));
        let shown = content(&place.data().join("page.html"));
        let repeat = shown["repeat"]["command"].as_str().unwrap();
        place.run(repeat);
        let own = Place::selection(&place.data().join("selection.json"));
        let again = Place::selection(&place.elsewhere().join("selection.json"));
        assert_eq!(own["selected"], again["selected"], "{repeat}");
        assert_eq!(own["constraints"], again["constraints"], "{repeat}");
        assert_eq!(own["budget"], again["budget"], "{repeat}");
        let own_cost = if limits.contains(&"--costs") { 2.0 } else { 1.0 };
        let sizes = shown["recommendation"]["trial"]["sizes"].as_array().unwrap();
        assert!(sizes.len() > 1 && sizes.len() < features);
        for size in sizes {
            let command = size["command"].as_str().unwrap();
            place.run(command);
            let other = Place::selection(&place.elsewhere().join("selection.json"));
            let chosen = ids(&other);
            // `it's` is the second feature, `1` and `a,b` are the sixth and the fourth.
            assert!(chosen.contains(&2), "{command}");
            assert!(!chosen.contains(&6) && !chosen.contains(&4), "{command}");
            assert_eq!(other["constraints"]["costs"], own["constraints"]["costs"], "{command}");
            let cost: f64 = other["selected"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|f| f["cost"].as_f64())
                .sum();
            // The ranker cannot use the feature to keep: sizes that were tried do not count it.
            let (most, limit) = (size["features"].as_u64().unwrap() + 1, size["cost"].as_f64());
            match limits.contains(&"--k") {
                true => assert!(chosen.len() as u64 <= most, "{command}"),
                false => assert!(cost <= limit.unwrap() + own_cost + 1e-9, "{command}"),
            }
        }
        run_all(&place, "page.html");
    }
}

/// Validation data is part of the commands, too.
#[test]
fn the_commands_of_a_selection_name_its_validation_data() {
    let place = Place::new();
    let train = "it's \"train\".txt";
    let text = std::fs::read_to_string(place.data().join(train)).unwrap();
    let (early, late): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| {
        let id = line.split(' ').nth(1).unwrap().trim_start_matches("qid:");
        id.parse::<usize>().unwrap() % 3 > 0
    });
    let names = place.data().join("the names.txt");
    let text = std::fs::read_to_string(&names).unwrap();
    std::fs::write(&names, text.replace("\n1\n", "\none\n")).unwrap();
    std::fs::write(place.data().join("early.txt"), early.join("\n") + "\n").unwrap();
    std::fs::write(place.data().join("the late.txt"), late.join("\n") + "\n").unwrap();
    let options = ["--method", "l1-svm", "-o", "selection.json", "--quiet"];
    let data = ["select", "early.txt", "--valid", "the late.txt"];
    let ran = place.featherank(&[&data[..], &options, &NAMED].concat());
    assert!(ran.status.success(), "{}", said(&ran));
    let ran = place.featherank(&["report", "selection.json", "-o", "page.html"]);
    assert!(ran.status.success(), "{}", said(&ran));
    let repeat = content(&place.data().join("page.html"))["repeat"]["command"].clone();
    place.run(repeat.as_str().unwrap());
    let own = Place::selection(&place.data().join("selection.json"));
    let again = Place::selection(&place.elsewhere().join("selection.json"));
    assert_eq!((&own["selected"], &own["fits"]), (&again["selected"], &again["fits"]));
    run_all(&place, "page.html");
}

#[test]
fn the_commands_of_a_recommendation_in_a_comparison_run() {
    let place = Place::new();
    let options = ["compare", "it's \"train\".txt", "--methods", "top-k[k=3]", "--folds", "3"];
    let rankers = ["--rankers", "linear-regression", "--recommend", "-o", "my results", "--quiet"];
    let ran = place.featherank(&[&options[..], &rankers, &NAMED].concat());
    assert!(ran.status.success(), "{}", said(&ran));
    let ran = place.featherank(&["report", "my results", "-o", "page.html"]);
    assert!(ran.status.success(), "{}", said(&ran));
    assert!(run_all(&place, "page.html") > 4);
}

/// Commands in back quotes, and after a colon, a comma or the start of a line.
fn commands_in(text: &str) -> Vec<String> {
    let ends = |rest: &str| rest.find(['`', ',', ';', '\n']).unwrap_or(rest.len());
    let starts = text.match_indices("featherank ").map(|(place, _)| &text[place..]);
    let found = starts.map(|rest| rest[..ends(rest)].trim().to_owned());
    let is_command = |command: &String| {
        let name = command.split(' ').nth(1).unwrap_or_default();
        COMMANDS.contains(&name)
    };
    found.filter(is_command).collect()
}

/// The commands that texts may suggest.
const COMMANDS: [&str; 9] =
    ["inspect", "select", "train", "rank", "export", "evaluate", "compare", "report", "methods"];

/// Every command that the terminal prints, taken from what commands print.
#[test]
fn the_commands_of_the_terminal_run() {
    let place = Place::new();
    let train = "it's \"train\".txt";
    let outputs = [
        &["methods"][..],
        &["methods", "top-k"],
        &["methods", "lambdamart"],
        &["inspect", train],
        &["inspect", train, "--redundancy"],
        &["select", train, "--method", "top-k", "--k", "3", "-o", "selection.json"],
        &["select", train, "--method", "top-k", "--measure", "map", "--ranker", "mart"],
        &["select", train, "--method", "top"],
        &["train", train, "--ranker", "linear-regression", "-o", "model.json"],
        &["train", train, "--ranker", "linear"],
        &["rank", train, "--model", "selection.json"],
        &["export", "selection.json", "--to", "lightgbm"],
        &["export", "model.json", "--to", "solar"],
        &["report", "."],
        &["report", "model.json"],
    ];
    let mut found = Vec::new();
    for line in outputs {
        let ran = place.featherank(line);
        found.extend(commands_in(&String::from_utf8_lossy(&ran.stdout)));
        found.extend(commands_in(&said(&ran)));
    }
    found.sort();
    found.dedup();
    // Names of commands without arguments refer to the command, and need its arguments.
    found.retain(|command| command.split(' ').count() > 2);
    assert!(found.len() >= 2, "{found:?}");
    found.iter().for_each(|command| place.run(command));
}

/// The examples of the help.
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
}
