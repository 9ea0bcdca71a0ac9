//! Embedded methods from the command line: they use validation data and write a model for other
//! commands.

use crate::common::run;

fn made() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    assert!(run(folder.path(), &["synth", "-o", "made"]).status.success());
    folder
}

/// The saved model equals the model in the selection, and can be used like any other.
#[test]
fn the_model_of_a_selection_is_a_model() {
    let folder = made();
    let ok = |args: &[&str]| {
        let output = run(folder.path(), &[args, &["--quiet"]].concat());
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let json = |file: &str| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(folder.path().join(file)).unwrap()).unwrap()
    };
    let select = ["select", "made/train.txt", "--valid", "made/vali.txt", "--method", "l1-svm"];
    let table = ok(&[&select[..], &["-o", "s.json", "--model", "m.json"]].concat());
    assert!(table.contains("validation 0.") && table.contains(", kkt"), "{table}");
    let mut model = json("m.json");
    model.as_object_mut().unwrap().remove("checksum");
    assert_eq!(json("s.json")["model"], model);
    let chosen: Vec<_> = json("s.json")["fits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fit| fit["chosen"] == true)
        .collect();
    assert_eq!(chosen.iter().filter(|chosen| **chosen).count(), 1);
    ok(&["rank", "made/test.txt", "--model", "m.json", "-o", "run.txt"]);
    let values = |option: &str, file: &str| {
        let found = ok(&["evaluate", "made/test.txt", option, file, "--json", "--resamples", "10"]);
        serde_json::from_str::<serde_json::Value>(&found).unwrap()["rankings"][0]["values"].clone()
    };
    assert_eq!(values("--scores", "run.txt"), values("--model", "m.json"));
    assert!(ok(&["export", "m.json", "--to", "ranklib"]).contains("Coordinate"));
    // Other validation data changes the choice; without it, part of the training data is used.
    let other = [
        "select",
        "made/train.txt",
        "--valid",
        "made/test.txt",
        "--method",
        "l1-svm",
        "-o",
        "t.json",
    ];
    ok(&other);
    ok(&["select", "made/train.txt", "--method", "l1-svm", "-o", "u.json"]);
    let value = |file: &str| {
        let fits = json(file)["fits"].clone();
        fits.as_array().unwrap().iter().find(|fit| fit["chosen"] == true).unwrap()["value"].clone()
    };
    assert!(value("s.json") != value("t.json") && value("s.json") != value("u.json"));
}

/// A wrapper that trains a model saves it and uses validation data; others refuse before they
/// start.
#[test]
fn wrappers_save_their_model() {
    let folder = made();
    let select = |args: &[&str]| {
        let start = ["select", "made/train.txt", "--valid", "made/vali.txt", "--method"];
        let output = run(folder.path(), &[&start, args].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let short = ["-p", "population=8", "-p", "pair-generations=2", "-p", "feature-generations=2"];
    let mofsrank =
        [&["mofsrank", "-p", "ensemble-generations=2", "--model", "m.json"], &short[..]].concat();
    let (code, said) = select(&mofsrank);
    assert!(code == Some(0) && !said.contains("is ignored"), "{said}");
    let evaluate = ["evaluate", "made/test.txt", "--model", "m.json", "--resamples", "10"];
    assert!(run(folder.path(), &evaluate).status.success());
    let (code, said) = select(&["spea2", "--model", "m.json"]);
    assert!(code == Some(2) && said.contains("does not train a model"), "{said}");
    let (code, said) = select(&["spea2", "-p", "generations=1"]);
    assert!(code == Some(0) && said.contains("note: method `spea2` does not use"), "{said}");
    assert!(said.contains("--valid is ignored"), "{said}");
}

/// Hundreds of passes print one line if output is piped.
#[test]
fn progress_lines_are_printed_once() {
    let folder = made();
    let output = run(folder.path(), &["select", "made/train.txt", "--method", "fenchel-rank"]);
    let said = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = said.lines().filter(|line| line.ends_with(": done")).collect();
    let distinct: std::collections::HashSet<&str> = lines.iter().copied().collect();
    assert!(distinct.len() > 1 && distinct.len() == lines.len(), "{said}");
}

#[test]
fn invalid_options_are_refused() {
    let folder = made();
    std::fs::write(folder.path().join("narrow.txt"), "1 qid:1 1:0.5\n0 qid:1 1:0.1\n").unwrap();
    let select = ["select", "made/train.txt"];
    for (args, code, says) in [
        (&["--method", "top-k", "--model", "m.json"][..], 2, "does not train a model"),
        (&["--method", "l1-svm", "--model", "no/where/m.json"], 1, "no/where"),
        (&["--method", "l1-svm", "--valid", "absent.txt"], 1, "absent.txt"),
        (&["--method", "l1-svm", "-p", "c=0"], 2, "auto, or"),
        (&["--method", "l1-svm", "-p", "c=1e-9"], 1, "the model uses no feature"),
        (&["--method", "rsrank", "-p", "eta=1", "-p", "standardise=false"], 1, "diverges"),
    ] {
        let output = run(folder.path(), &[&select[..], args].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
        assert!(error.contains(says), "{args:?}: {error}");
        assert!(!folder.path().join("m.json").exists(), "{args:?}");
    }
    let args = ["select", "made/train.txt", "--valid", "narrow.txt", "--method", "l1-svm"];
    let output = run(folder.path(), &args);
    assert!(!output.status.success(), "validation data with other features");
    // An unused option is not an error, because scripts run many methods with the same options.
    let args =
        ["select", "made/train.txt", "--valid", "made/vali.txt", "--method", "top-k", "--k", "2"];
    let output = run(folder.path(), &args);
    assert!(output.status.success());
    assert!(String::from_utf8(output.stderr).unwrap().contains("--valid is ignored"));
}
