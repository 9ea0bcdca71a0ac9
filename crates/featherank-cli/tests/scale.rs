//! Large data from the command line: memory limits, the cost of passes, and unavailable engines.

use std::path::Path;
use std::process::{Command, Output};

fn featherank(folder: &Path, line: &str) -> Output {
    let words = line.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_featherank")).args(words).current_dir(folder).output().unwrap()
}

fn printed(folder: &Path, line: &str) -> String {
    let output = featherank(folder, line);
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refused(folder: &Path, line: &str, says: &str) {
    let output = featherank(folder, line);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{line}: {error}");
    assert!(error.contains(says), "{line}: {error}");
}

fn data() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let synth = "synth -o . --format parquet --set queries=300 --set documents=20000 --quiet";
    printed(folder.path(), synth);
    folder
}

/// The same selection and evaluation under a memory limit that requires streaming.
#[test]
fn a_memory_limit_does_not_change_results() {
    let folder = data();
    let folder = folder.path();
    for line in [
        "select train.parquet --method best-gain --json --quiet",
        "select train.parquet --method greedy --ranker rankrls --k 3 --json --quiet",
        "select train.parquet --method l1-svm --k 3 --valid vali.parquet --json --quiet",
        "evaluate test.parquet --feature 5 --feature 3 --risk --baseline mean --json --quiet",
    ] {
        assert_eq!(
            printed(folder, &format!("{line} --memory 300kB")),
            printed(folder, line),
            "{line}"
        );
        assert_eq!(
            printed(folder, &format!("{line} --memory 1GiB")),
            printed(folder, line),
            "{line}"
        );
    }
    printed(folder, "train train.parquet --ranker lambdamart -p trees=5 -o model.json --quiet");
    let evaluate = "evaluate test.parquet --model model.json --feature 5 --risk --json --quiet";
    assert_eq!(printed(folder, &format!("{evaluate} --memory 300kB")), printed(folder, evaluate));
}

#[test]
fn passes_are_explained() {
    let folder = data();
    let text = printed(folder.path(), "select train.parquet --method top-k --explain --quiet");
    let table = text
        .split("passes over the data (bytes sent and received are per pass):\n")
        .nth(1)
        .unwrap();
    let rows: Vec<Vec<&str>> =
        table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0][..2], ["pass", "count"]);
    assert_eq!([rows[1][0], rows[2][0], rows[3][0]], ["feature-means", "moments", "total"]);
    assert_eq!(rows[3][1], "2");
    // With --json, the explanation goes to standard error.
    let json = featherank(folder.path(), "select train.parquet --method top-k --explain --json");
    assert!(serde_json::from_slice::<serde_json::Value>(&json.stdout).is_ok());
    assert!(String::from_utf8_lossy(&json.stderr).contains("feature-means"));
}

#[test]
fn unavailable_engines_are_refused() {
    let folder = data();
    let folder = folder.path();
    refused(folder, "select train.parquet --engine ray", "featherank[ray]");
    refused(folder, "select train.parquet --engine spark", "local, ray or ray://ADDRESS");
    refused(folder, "select train.parquet --shards 2", "add --engine ray");
    refused(folder, "select train.parquet --memory much", "such as 500MB");
    // The default ranker needs rows; the error lists rankers that do not.
    refused(folder, "select train.parquet --memory 300kB", "linear-regression, rankrls");
    refused(folder, "select train.parquet --method mofsrank --memory 300kB", "mofsrank needs rows");
    refused(
        folder,
        "evaluate test.parquet --scores s.txt --memory 100kB",
        "evaluate a model or a feature",
    );
    printed(folder, "convert train.parquet train.txt --quiet");
    let text = featherank(folder, "select train.txt --method top-k --memory 100kB");
    assert!(String::from_utf8_lossy(&text.stderr).contains("read in pieces with --memory"));
}
