//! `featherank compare` as a process: it resumes after being killed at any time, and refuses
//! invalid requests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use featherank::internals::random::{Purpose, stream};
use rand::RngExt;
use serde_json::Value;

fn featherank(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_featherank"));
    command.args(args).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn finished(folder: &Path, args: &[&str]) -> Output {
    featherank(folder, args).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn succeeded(folder: &Path, args: &[&str]) -> Output {
    let output = finished(folder, args);
    assert!(output.status.success(), "{args:?}: {}", said(&output));
    output
}

/// A folder with `data.txt`, small enough for many runs.
fn with_data() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let synth = ["synth", "-o", "made", "--set", "queries=60", "--set", "documents=900", "-q"];
    succeeded(folder.path(), &synth);
    fs::rename(folder.path().join("made/train.txt"), folder.path().join("data.txt")).unwrap();
    folder
}

/// Removes everything that may differ between runs.
fn reproducible_part(folder: &Path, results: &str) -> (Value, Vec<String>) {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.remove("measured");
                // It covers what is measured.
                map.remove("checksum");
                map.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let text = fs::read_to_string(folder.join(results).join("results.json")).unwrap();
    let mut value: Value = serde_json::from_str(&text).unwrap();
    strip(&mut value);
    let tables = fs::read_to_string(folder.join(results).join("tables.csv")).unwrap();
    let timed = |line: &&str| {
        ["selection s", "total s", "peak MiB"].iter().any(|column| line.contains(column))
    };
    (value, tables.lines().filter(|line| !timed(line)).map(str::to_owned).collect())
}

const SMALL: [&str; 14] = [
    "compare",
    "data.txt",
    "--folds",
    "3",
    "--methods",
    "top-k[k=2,4],l1-svm",
    "--rankers",
    "own,linear-regression,ranksvm-primal",
    "--seeds",
    "2",
    "--bootstraps",
    "2",
    "-q",
    "-o",
];

#[test]
fn a_comparison_killed_many_times_gives_the_same_results() {
    let folder = with_data();
    let folder = folder.path();
    let start = Instant::now();
    succeeded(folder, &[&SMALL[..], &["whole"]].concat());
    let mut time = start.elapsed();
    let whole = reproducible_part(folder, "whole");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let mut random = stream(now.as_nanos() as u64, Purpose::Test, 0);
    let (mut killed, mut turn) = (0, 0);
    while killed < 8 {
        let results = format!("kept{turn}");
        let before = killed;
        loop {
            let mut process =
                featherank(folder, &[&SMALL[..], &[&results]].concat()).spawn().unwrap();
            std::thread::sleep(time.mul_f64(random.random_range(0.05..0.8)));
            process.kill().unwrap();
            if process.wait().unwrap().success() {
                break;
            }
            killed += 1;
            assert!(killed < 300, "the run never gets through");
        }
        assert_eq!(reproducible_part(folder, &results), whole);
        // The first run may have been slower because the machine was busy.
        if killed == before {
            time /= 2;
        }
        turn += 1;
        assert!(turn < 100, "killed {killed} times only: the run is too short for this test");
    }
    // No partially written files are left.
    let names = fs::read_dir(folder.join("kept0"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with(".featherank-")).collect();
    names.sort();
    assert_eq!(
        names,
        [
            "cells",
            "plan.json",
            "results.json",
            "tables.csv",
            "tables.md",
            "tables.tex",
            "tables.txt"
        ]
    );
    // For any number of jobs and threads.
    let alone = [&SMALL[..], &["alone", "--jobs", "1", "--threads", "1"]].concat();
    succeeded(folder, &alone);
    assert_eq!(reproducible_part(folder, "alone"), whole);
    let many = [&SMALL[..], &["many", "--jobs", "7", "--threads", "3"]].concat();
    succeeded(folder, &many);
    assert_eq!(reproducible_part(folder, "many"), whole);
}

#[test]
fn completed_cells_are_reused_and_damaged_ones_rerun() {
    let folder = with_data();
    let folder = folder.path();
    let compare =
        ["compare", "data.txt", "--folds", "3", "--rankers", "linear-regression", "-o", "out"];
    let first = said(&succeeded(folder, &compare));
    assert!(first.contains("3/3 all features, linear-regression, fold "), "{first}");
    let results = fs::read(folder.join("out/results.json")).unwrap();
    let again = succeeded(folder, &compare);
    assert!(said(&again).contains("3 of 3 cells are already complete"), "{}", said(&again));
    assert_eq!(
        fs::read(folder.join("out/results.json")).unwrap(),
        results,
        "not even times change"
    );
    let printed = String::from_utf8(again.stdout).unwrap();
    let saved = fs::read_to_string(folder.join("out/tables.txt")).unwrap();
    // The verdict stands between title and tables.
    let (title, tables) = saved.trim_end().split_once("\n\n").unwrap();
    assert!(printed.starts_with(title) && printed.trim_end().ends_with(tables), "{printed}");
    let cell = folder.join("out/cells/fold2-seed1-001-all-features-linear-regression.json");
    let whole = fs::read(&cell).unwrap();
    fs::write(&cell, &whole[..whole.len() / 2]).unwrap();
    fs::remove_file(folder.join("out/results.json")).unwrap();
    let repaired = said(&succeeded(folder, &compare));
    assert!(
        repaired.contains("2 of 3 cells are already complete")
            && repaired.contains("will be rerun: this"),
        "{repaired}"
    );
    let number = |bytes: &[u8]| {
        serde_json::from_slice::<Value>(bytes).unwrap()["cells"][1]["done"]["test"].clone()
    };
    assert_eq!(number(&fs::read(folder.join("out/results.json")).unwrap()), number(&results));
}

#[test]
fn failed_cells_are_reported_and_retried() {
    let folder = with_data();
    let folder = folder.path();
    let compare = |rankers: &str, out: &str| {
        finished(folder, &["compare", "data.txt", "--folds", "3", "--rankers", rankers, "-o", out])
    };
    let some = compare("linear-regression,single-feature[feature=nothing]", "some");
    assert_eq!(some.status.code(), Some(1), "{}", said(&some));
    assert!(said(&some).contains("3 of 6 cells failed"), "{}", said(&some));
    let printed = String::from_utf8(some.stdout.clone()).unwrap();
    assert!(printed.contains("Failed cells\n") && printed.contains("nothing"), "{printed}");
    let again = said(&compare("linear-regression,single-feature[feature=nothing]", "some"));
    assert!(
        again.contains("3 of 6 cells are already complete") && again.contains("failed: "),
        "{again}"
    );
    let none = compare("single-feature[feature=nothing]", "none");
    assert!(
        none.status.code() == Some(1) && said(&none).contains("every cell failed"),
        "{}",
        said(&none)
    );
    assert!(folder.join("none/results.json").exists());
}

#[test]
fn invalid_requests_are_refused() {
    let folder = with_data();
    let folder = folder.path();
    fs::write(folder.join("file"), "").unwrap();
    fs::create_dir_all(folder.join("empty")).unwrap();
    for name in
        ["Fold1/train.txt", "Fold1/vali.txt", "Fold1/test.txt", "Fold2/train.txt", "Fold2/vali.txt"]
    {
        let path = folder.join("letor").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(folder.join("data.txt"), path).unwrap();
    }
    let newer = folder.join("newer");
    fs::create_dir_all(&newer).unwrap();
    fs::write(newer.join("plan.json"), r#"{"featherank":"comparison","version":1}"#).unwrap();
    fs::write(newer.join("results.json"), r#"{"featherank":"results","version":99}"#).unwrap();
    fs::write(folder.join("wrong.toml"), "title = \"t\"\nmethdos = []\n").unwrap();
    fs::write(folder.join("nodata.toml"), "title = \"t\"\nrankers = [\"rankrls\"]\n").unwrap();
    let refused = |args: &[&str], code: i32, says: &str| {
        let output = finished(folder, &[&["compare"], args].concat());
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", said(&output));
        assert!(said(&output).contains(says), "{args:?}: {}", said(&output));
    };
    let rankers = ["--rankers", "linear-regression"];
    let with = |args: &[&'static str]| [args, &rankers[..]].concat();
    refused(&["data.txt"], 2, "nothing to compare");
    refused(&with(&["data.txt", "--methods", "top-q"]), 2, "no selector called `top-q`");
    refused(&["data.txt", "--rankers", "lambdamrt"], 2, "did you mean `lambdamart`");
    refused(&with(&["data.txt", "--measure", "ndgc@10"]), 2, "ndgc");
    refused(&with(&["data.txt", "--choose", "nothing"]), 2, "nothing");
    refused(
        &with(&["data.txt", "--methods", "top-k", "--k", "5000"]),
        2,
        "`5000` is not a valid number of features",
    );
    refused(&with(&["data.txt", "--methods", "top-k,top-k"]), 2, "named twice");
    refused(&["data.txt", "--methods", "top-k"], 2, "top-k trains no model of its own");
    refused(&["data.txt", "--rankers", "linear-regression,linear-regression"], 2, "named twice");
    refused(&with(&["data.txt", "--folds", "2"]), 2, "at least 3");
    refused(&with(&["data.txt", "--seeds", "0"]), 2, "number of seeds");
    refused(&with(&["data.txt", "data.txt"]), 2, "cannot be split into folds");
    refused(&with(&["nothing.txt"]), 1, "there is no such file");
    refused(&with(&["empty"]), 2, "holds no folds");
    refused(&with(&["letor"]), 2, "letor/Fold2/test.txt is missing");
    refused(&with(&["data.txt", "-o", "file"]), 1, "is a file, not a folder");
    refused(&with(&["data.txt", "-o", "file/below"]), 1, "cannot write to file/below");
    refused(&with(&["data.txt", "-o", "newer"]), 1, "version 99");
    refused(&["wrong.toml"], 2, "unknown field `methdos`");
    refused(&["nodata.toml"], 2, "names no data");
    refused(&with(&["nodata.toml"]), 2, "--rankers and a plan");
    refused(&["missing.toml"], 1, "cannot read missing.toml");
    assert_eq!(
        fs::read_to_string(newer.join("results.json")).unwrap(),
        r#"{"featherank":"results","version":99}"#
    );
    // A folder belongs to one experiment.
    let compare = with(&["compare", "data.txt", "--folds", "3", "-q", "-o", "out"]);
    succeeded(folder, &compare);
    let out = with(&["data.txt", "--folds", "3", "-o", "out"]);
    refused(&[&out[..], &["--seed", "2"]].concat(), 1, "seed is 1 there and 2 here");
    refused(
        &[&out[..], &["--measure", "map"]].concat(),
        1,
        "choose is ndcg[ties=expected]@10 there and map[ties=expected] here",
    );
    refused(&with(&["data.txt", "--folds", "4", "-o", "out"]), 1, "how it is divided into folds");
    // A write error stops the run, names the path, and keeps completed cells.
    let cells = folder.join("out/cells");
    let blocked = cells.join("fold3-seed1-001-all-features-linear-regression.json");
    fs::remove_file(&blocked).unwrap();
    fs::create_dir(&blocked).unwrap();
    refused(&out, 1, "fold3-seed1-001-all-features-linear-regression.json");
    assert_eq!(fs::read_dir(&cells).unwrap().count(), 3);
}

#[test]
fn only_a_comparison_with_completed_cells_says_how_to_resume() {
    let folder = with_data();
    let folder = folder.path();
    let compare =
        ["compare", "data.txt", "--folds", "3", "--rankers", "linear-regression", "-o", "out"];
    let says = || {
        // The costs are read after the folder is opened.
        let output = finished(folder, &[&compare[..], &["--costs", "absent.txt"]].concat());
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains("cannot read absent.txt"), "{}", said(&output));
        said(&output).contains("completed cells are saved in out")
    };
    assert!(!says());
    succeeded(folder, &compare);
    assert!(says());
}

#[cfg(unix)]
#[test]
fn an_interrupted_comparison_says_how_to_resume() {
    let folder = with_data();
    let folder = folder.path();
    let compare = [
        "compare",
        "data.txt",
        "--folds",
        "3",
        "--methods",
        "spea2[generations=100000]",
        "--rankers",
        "linear-regression",
        "-o",
        "out",
        "--jobs",
        "1",
    ];
    crate::common::signals::obey_signals();
    let process = featherank(folder, &compare).spawn().unwrap();
    let cell = folder.join("out/cells/fold1-seed1-001-all-features-linear-regression.json");
    let start = Instant::now();
    while !cell.exists() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    crate::common::signals::send("-INT", &process);
    let output = process.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    assert!(said(&output).contains("rerun the same command to resume"), "{}", said(&output));
    assert!(cell.exists() && !folder.join("out/results.json").exists());
}

/// A plan and the equivalent command line give the same results.
#[test]
fn plans_and_commands_agree() {
    let folder = with_data();
    let folder = folder.path();
    let plan = r#"
        title = "Comparison"
        measures = ["ndcg@10", "map"]
        choose = "ndcg[ties=expected]@10"
        methods = ["top-k[k=3]"]
        rankers = ["linear-regression"]
        data = [{ name = "mine", files = ["data.txt"], folds = 3 }]
    "#;
    fs::write(folder.join("plan.toml"), plan).unwrap();
    succeeded(folder, &["compare", "plan.toml", "-q", "-o", "planned"]);
    let flags = [
        "compare",
        "data.txt",
        "--folds",
        "3",
        "--methods",
        "top-k[k=3]",
        "--rankers",
        "linear-regression",
        "-q",
        "-o",
        "flagged",
    ];
    succeeded(folder, &flags);
    let (planned, flagged) =
        (reproducible_part(folder, "planned"), reproducible_part(folder, "flagged"));
    assert_eq!((planned.0["cells"].clone(), planned.1), (flagged.0["cells"].clone(), flagged.1));
}

/// The folder with the real LETOR data, if available.
fn real_data() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let root = std::env::var_os("FEATHERANK_DATA")
        .map_or(beside, PathBuf::from)
        .join("OHSUMED/QueryLevelNorm");
    if !root.is_dir() {
        eprintln!(
            "SKIPPED: no real data at {}; set FEATHERANK_DATA to run this test",
            root.display()
        );
        return None;
    }
    Some(root)
}

/// Least squares on OHSUMED, on which all implementations agree.
#[test]
fn least_squares_on_ohsumed() {
    let Some(data) = real_data() else { return };
    let folder = tempfile::tempdir().unwrap();
    let compare = [
        "compare",
        data.to_str().unwrap(),
        "--rankers",
        "linear-regression",
        "--no-tune",
        "--measure",
        "map,ndcg[letor]@10",
        "-q",
        "-o",
        "out",
    ];
    succeeded(folder.path(), &compare);
    let tables = fs::read_to_string(folder.path().join("out/tables.csv")).unwrap();
    let value = |column: &str| -> f64 {
        let line =
            format!("Effectiveness on test data,\"all features, linear-regression\",{column},");
        tables.lines().find_map(|row| row.strip_prefix(&line)).unwrap().parse().unwrap()
    };
    assert!((value("map") - 0.4220).abs() <= 1e-4, "{}", value("map"));
    assert!((value("ndcg[letor]@10") - 0.4110).abs() <= 1e-4, "{}", value("ndcg[letor]@10"));
}
