//! The command as a process: exit codes, streams, completions, interruption.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::common::run;

const ROWS: &str = "1 qid:1 1:0.5 2:1\n0 qid:1 1:0.2 2:3\n0 qid:2 1:0.1 2:1\n2 qid:2 1:0.9 2:4\n";

fn folder_with_data() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("data.txt"), ROWS).unwrap();
    std::fs::write(folder.path().join("bad.txt"), "1 qid:1 1:x\n").unwrap();
    let valid = ROWS.replace("qid:", "qid:v").replace(" 2:", " 2:1");
    std::fs::write(folder.path().join("vali.txt"), valid).unwrap();
    folder
}

#[test]
fn exit_codes_distinguish_failures_and_wrong_usage() {
    let folder = folder_with_data();
    for (args, code, says) in [
        (&["inspect", "data.txt"][..], 0, ""),
        (&["inspect", "bad.txt"], 1, "bad.txt, line 1"),
        (&["inspect", "absent.txt"], 1, "absent.txt"),
        (&["inspect"], 2, "Usage"),
        (&["inspect", "data.txt", "--measure", "ncdg@3"], 2, "did you mean"),
        (&["inspect", "data.txt", "--near", "2"], 2, "from 0 to 1"),
        (&["select", "data.txt", "--method", "top"], 2, "top-k"),
        (&["select", "data.txt", "-p", "mesure=map"], 2, "did you mean `measure`"),
        (&["select", "data.txt", "--k", "9"], 2, "at most 2"),
        (&["select", "data.txt", "--keep", "7"], 2, "no feature called"),
        (&["select", "data.txt", "--costs", "absent"], 1, "absent"),
        (&["evaluate", "data.txt"], 2, "--scores, --model or --feature"),
        (&["evaluate", "data.txt", "--feature", "1", "--risk", "--baseline", "9"], 2, "1 to 2"),
        (&["evaluate", "data.txt", "--scores", "data.txt"], 1, "line 1"),
        (&["train", "data.txt"], 2, "--ranker"),
        (&["train", "data.txt", "--ranker", "single-faeture"], 2, "did you mean `single-feature`"),
        (
            &["train", "data.txt", "--ranker", "single-feature", "-p", "feature=9"],
            2,
            "no feature called `9`",
        ),
        (
            &["train", "data.txt", "--ranker", "single-feature", "--features", "7"],
            2,
            "no feature called `7`",
        ),
        (
            &["train", "data.txt", "--ranker", "single-feature", "--normalise", "max"],
            2,
            "query-minmax",
        ),
        (
            &["train", "data.txt", "--ranker", "single-feature", "--selection", "absent.json"],
            1,
            "absent.json",
        ),
        (
            &["train", "data.txt", "--ranker", "single-feature", "-o", "no/where/m.json"],
            1,
            "no/where",
        ),
        (&["rank", "data.txt", "--model", "absent.json"], 1, "absent.json"),
        (&["rank", "data.txt", "--model", "data.txt"], 1, "not a featherank model"),
        (&["convert", "data.txt", "out.docx"], 1, "out.docx"),
        (&["convert", "bad.txt", "out.parquet"], 1, "bad.txt"),
        (&["synth", "-o", "made", "--set", "queris=3"], 2, "queris"),
        (&["synth", "-o", "made", "--set", "queries=0"], 2, "queries"),
        (&["methods", "bestgain"], 2, "bestgain"),
        (&["unknown"], 2, "unrecognized"),
    ] {
        let output = run(folder.path(), args);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
        assert!(error.contains(says), "{args:?}: {error}");
        assert!(
            code == 0 || output.stdout.is_empty(),
            "{args:?} prints results although it failed"
        );
    }
    assert!(!folder.path().join("out.parquet").exists() && !folder.path().join("made").exists());
}

#[test]
fn quiet_prints_no_notes_and_json_prints_json() {
    let folder = folder_with_data();
    for args in [
        &["inspect", "data.txt"][..],
        &["select", "data.txt", "-o", "s.json"],
        &["train", "data.txt", "--valid", "vali.txt", "--ranker", "single-feature", "-o", "m.json"],
        &[
            "evaluate",
            "data.txt",
            "--feature",
            "1",
            "--feature",
            "2",
            "--risk",
            "--baseline",
            "mean",
        ],
        &["methods"],
        &["synth", "-o", "made"],
    ] {
        let output = run(folder.path(), &[args, &["--quiet", "--json"]].concat());
        assert!(output.status.success() && output.stderr.is_empty(), "{args:?}: {output:?}");
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap();
    }
}

#[test]
fn standard_input_and_output_can_be_used_as_files() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_featherank"))
        .args(["convert", "-", "-", "--quiet"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(ROWS.as_bytes()).unwrap();
    assert_eq!(String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap(), ROWS);
}

#[test]
fn the_version_names_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let printed = String::from_utf8(run(folder.path(), &["--version"]).stdout).unwrap();
    assert_eq!(printed, format!("featherank {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn results_do_not_depend_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    assert!(run(folder.path(), &["synth", "-o", "made", "--one-file"]).status.success());
    for args in [
        &["select", "made/data.txt", "--json"][..],
        &["inspect", "made/data.txt", "--json"],
        &["evaluate", "made/data.txt", "--feature", "1", "--risk", "--json"],
        &["synth", "-o", "made", "--one-file", "--json"],
    ] {
        let with =
            |threads: &str| run(folder.path(), &[args, &["--threads", threads]].concat()).stdout;
        let one = with("1");
        assert!(!one.is_empty() && one == with("2") && one == with("7"), "{args:?}");
    }
}

#[test]
fn every_shell_gets_completions_and_every_command_help() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = run(folder.path(), &["completions", shell]);
        assert!(
            output.status.success()
                && String::from_utf8(output.stdout).unwrap().contains("inspect"),
            "{shell}"
        );
    }
    for command in [
        "demo",
        "inspect",
        "select",
        "train",
        "rank",
        "export",
        "evaluate",
        "compare",
        "report",
        "convert",
        "synth",
        "methods",
        "completions",
    ] {
        assert!(run(folder.path(), &[command, "--help"]).status.success(), "{command}");
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_not_a_failure() {
    let folder = folder_with_data();
    let binary = env!("CARGO_BIN_EXE_featherank");
    let line = format!(
        "'{binary}' methods --json --quiet | head -c 1 >/dev/null; '{binary}' methods --json | true"
    );
    let output =
        Command::new("sh").args(["-c", &line]).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

/// What it prints is lost, its files are not.
#[cfg(target_os = "linux")]
#[test]
fn a_full_output_does_not_end_the_demo() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("'{}' demo -q -o out > /dev/full", env!("CARGO_BIN_EXE_featherank"));
    let output =
        Command::new("sh").args(["-c", &line]).current_dir(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    for name in ["results.json", "selection.json", "report.html"] {
        assert!(folder.path().join("out").join(name).exists(), "{name}");
    }
}

/// An interrupt while waiting for input: exit code 130, no output.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_130() {
    crate::common::signals::obey_signals();
    let mut child = Command::new(env!("CARGO_BIN_EXE_featherank"))
        .args(["inspect", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = child.stdin.take().unwrap();
    // The handler is installed before anything is read; give the process time to start.
    std::thread::sleep(std::time::Duration::from_millis(500));
    crate::common::signals::send("-INT", &child);
    let output = child.wait_with_output().unwrap();
    drop(input);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0));
}

/// An interrupt during a write leaves neither the file nor a temporary file.
#[cfg(unix)]
#[test]
fn an_interrupted_write_leaves_nothing() {
    crate::common::signals::obey_signals();
    let folder = tempfile::tempdir().unwrap();
    let rows = "0 qid:1 1:0.123456 2:0.234567 3:0.345678\n".repeat(400_000);
    std::fs::write(folder.path().join("large.txt"), rows).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_featherank"))
        .args(["convert", "large.txt", "out.txt.xz", "--quiet"])
        .current_dir(folder.path())
        .spawn()
        .unwrap();
    // Interrupt as soon as the temporary file exists, long before xz finishes.
    while std::fs::read_dir(folder.path()).unwrap().count() < 2 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be interrupted");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    crate::common::signals::send("-INT", &child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["large.txt"]);
}

/// Trains on normalised data, ranks with the saved model, and evaluates both the model and the run.
#[test]
fn a_run_file_evaluates_like_its_model() {
    let folder = tempfile::tempdir().unwrap();
    let ok = |args: &[&str]| {
        let output = run(folder.path(), &[args, &["--quiet"]].concat());
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    ok(&["synth", "-o", "made"]);
    ok(&["select", "made/train.txt", "--k", "3", "-o", "s.json"]);
    for how in ["none", "query-minmax", "query-zscore", "zscore"] {
        let train =
            ["train", "made/train.txt", "--valid", "made/vali.txt", "--ranker", "single-feature"];
        let report =
            ok(&[&train[..], &["--selection", "s.json", "--normalise", how, "-o", "m.json"]]
                .concat());
        assert!(
            report.contains("uses 1 of 3 features") && report.contains("validation"),
            "{report}"
        );
        ok(&["rank", "made/test.txt", "--model", "m.json", "-o", "run.txt", "--tag", "mine"]);
        ok(&["rank", "made/test.txt", "--model", "m.json", "-o", "scores.txt", "--form", "scores"]);
        let values = |option: &str, file: &str| {
            let found =
                ok(&["evaluate", "made/test.txt", option, file, "--json", "--resamples", "10"]);
            let found: serde_json::Value = serde_json::from_str(&found).unwrap();
            found["rankings"][0]["values"].clone()
        };
        let of_model = values("--model", "m.json");
        assert_eq!(values("--scores", "run.txt"), of_model);
        assert_eq!(values("--scores", "scores.txt"), of_model);
    }
}

/// A selection is a set: its order does not affect a tree, although trees use the first of equally
/// good splits.
#[test]
fn the_order_of_a_selection_does_not_change_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "1 qid:1 1:1 2:0.5\n0 qid:1 1:3 2:0.2\n0 qid:2 1:1 2:0.1\n2 qid:2 1:4 2:0.9\n";
    std::fs::write(folder.path().join("data.txt"), rows).unwrap();
    let selection = ["select", "data.txt", "--method", "top-k", "--k", "2", "-o", "all.json"];
    assert!(run(folder.path(), &selection).status.success());
    let model = |name: &str, with: &[&str]| {
        let train = ["train", "data.txt", "--ranker", "regression-tree", "-o", name];
        let output = run(folder.path(), &[&train[..], with].concat());
        assert!(output.status.success(), "{output:?}");
        std::fs::read_to_string(folder.path().join(name)).unwrap()
    };
    let plain = model("plain.json", &[]);
    assert_eq!(model("chosen.json", &["--selection", "all.json"]), plain);
    assert_eq!(model("named.json", &["--features", "2,1"]), plain);
}

#[test]
fn models_that_do_not_fit_are_refused() {
    let folder = folder_with_data();
    let train =
        ["train", "data.txt", "--ranker", "single-feature", "-p", "feature=2", "-o", "m.json"];
    assert!(run(folder.path(), &train).status.success());
    let model = std::fs::read_to_string(folder.path().join("m.json")).unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("narrow.txt", "1 qid:1 1:0.5\n");
    put("newer.json", &model.replace("\"version\": 3", "\"version\": 99"));
    put("cut.json", &model[..model.len() / 2]);
    put("selection.json", &model.replace("\"model\",", "\"selection\","));
    for (data, model, code, says) in [
        ("narrow.txt", "m.json", 2, "no feature called `2`"),
        ("data.txt", "newer.json", 1, "newer featherank"),
        ("data.txt", "cut.json", 1, "cut.json"),
        ("data.txt", "selection.json", 1, "not a model"),
    ] {
        let output = run(folder.path(), &["rank", data, "--model", model]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{error}");
        assert!(error.contains(says) && output.stdout.is_empty(), "{error}");
    }
}

#[test]
fn models_are_exported_or_refused() {
    let folder = folder_with_data();
    let train = [
        "train",
        "data.txt",
        "--ranker",
        "single-feature",
        "--normalise",
        "query-minmax",
        "-o",
        "q.json",
    ];
    assert!(run(folder.path(), &train).status.success());
    let train = ["train", "data.txt", "--ranker", "single-feature", "-o", "m.json"];
    assert!(run(folder.path(), &train).status.success());
    for (args, code, says) in [
        (&["m.json", "--to", "ranklib", "-o", "out"][..], 0, "wrote out"),
        (&["m.json", "--to", "onnx", "-o", "out"], 0, "wrote out"),
        (&["q.json", "--to", "ranklib-features", "-o", "out"], 0, "wrote out"),
        (&["m.json"], 2, "--to"),
        (&["m.json", "--to", "lightgbm"], 2, "export it to ranklib"),
        (&["m.json", "--to", "lightgmb"], 2, "did you mean `lightgbm`"),
        (&["q.json", "--to", "solr"], 2, "--normalise zscore"),
        (&["m.json", "--to", "solr-features"], 2, "--featureset"),
        (&["m.json", "--to", "solr-features", "--featureset", "absent"], 1, "absent"),
        (&["m.json", "--to", "solr", "-o", "no/where"], 1, "no"),
        (&["data.txt", "--to", "solr"], 1, "not a featherank model"),
    ] {
        let output = run(folder.path(), &[&["export"], args].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
        assert!(error.contains(says) && output.stdout.is_empty(), "{args:?}: {error}");
        assert_eq!(std::fs::remove_file(folder.path().join("out")).is_ok(), code == 0, "{args:?}");
    }
}

/// Missing values from empty cells to a saved file and back, through several commands.
#[test]
fn missing_values_can_be_kept() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), "qid,label,a,b\n1,1,,2\n1,0,3,1\n").unwrap();
    let keep =
        |args: &[&str]| run(folder.path(), &[args, &["--missing", "keep", "--quiet"]].concat());
    let text = |output: &[u8]| String::from_utf8(output.to_vec()).unwrap();
    assert_eq!(
        text(&keep(&["convert", "t.csv", "-"]).stdout),
        "1 qid:1 1:NULL 2:2\n0 qid:1 1:3 2:1\n"
    );
    let inspected = text(&keep(&["inspect", "t.csv", "--features"]).stdout);
    assert!(inspected.contains("missing values     in 1 feature: a (50.0 %)"), "{inspected}");
    assert!(!inspected.contains("NaN"), "{inspected}");
    let error = text(&keep(&["select", "t.csv"]).stderr);
    assert!(error.contains("feature a has some"), "{error}");
    let train = ["train", "t.csv", "--ranker", "single-feature", "-o", "m.json", "--features"];
    let error = text(&keep(&[&train[..], &["a,b"]].concat()).stderr);
    assert!(error.contains("cannot learn from missing values, and feature a has some"), "{error}");
    assert!(keep(&[&train[..], &["b"]].concat()).status.success());
    assert!(
        keep(&["rank", "t.csv", "--model", "m.json"]).status.success(),
        "feature a is not needed"
    );
    std::fs::write(folder.path().join("gap.csv"), "qid,label,a,b\n1,1,1,\n1,0,3,1\n").unwrap();
    let error = text(&keep(&["rank", "gap.csv", "--model", "m.json"]).stderr);
    assert!(error.contains("cannot score missing values"), "{error}");
    let trees =
        ["train", "t.csv", "--ranker", "regression-tree", "--features", "a", "-o", "trees.json"];
    assert!(keep(&trees).status.success());
    let scores = keep(&["rank", "t.csv", "--model", "trees.json", "--form", "scores"]).stdout;
    assert_eq!(text(&scores), "1\n0\n", "the missing value went its own way");
}
