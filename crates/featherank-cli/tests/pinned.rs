//! Pins the answers: selections, models, exports and comparison tables stay the same bytes.
//!
//! Every selector, ranker and export target runs on two small data sets with two seeds. Each
//! document is reduced to a hash; the files in `pinned/` hold the expected ones. Numbers are
//! rounded to nine significant digits first, because the width of the processor's registers may
//! change the last ones; checksums, which change with them, and paths of data are left out.
//!
//! After a change that is meant to alter an answer, `FEATHERANK_PIN=1 cargo test -p featherank-cli
//! --test all pinned` rewrites the files; the commit says why. The documents themselves are left in
//! `target/pinned` for a diff.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A data set made by `featherank synth`.
struct Data {
    name: &'static str,
    settings: &'static [&'static str],
    /// Pass validation data to methods that take it.
    valid: bool,
}

const DATA: [Data; 2] = [
    Data { name: "tiny", settings: &[], valid: true },
    Data {
        name: "graded",
        settings: &[
            "queries=40",
            "documents=700",
            "labels=[0.5,0.3,0.12,0.05,0.03]",
            "names=true",
            "heavy_tails=false",
            "useful=4",
            "redundant=3",
            "noisy=3",
            "risky=1",
            "query_dependent=1",
            "constant=1",
        ],
        valid: false,
    },
];

const SEEDS: [u64; 2] = [1, 2];

/// Short searches, so that the whole test takes seconds.
fn short(method: &str) -> &'static [&'static str] {
    match method {
        "mofsrank" => &[
            "population=12",
            "pair-generations=4",
            "feature-generations=6",
            "ensemble-generations=6",
        ],
        "spea2" => &["population=12", "archive=16", "generations=4"],
        "boruta" => &["rounds=20", "settings=trees=20;leaves=8"],
        "rfe" => &["folds=2", "settings=trees=6"],
        "btfs" => &["settings=trees=6"],
        "auto" => &["settings=trees=6", "folds=3", "methods=elimination,best-gain"],
        "lambdamart" | "mart" | "random-forest" => &["trees=8"],
        _ => &[],
    }
}

/// Runs the command in a folder; what it says when it refuses.
fn run(folder: &Path, args: &[&str]) -> Result<Vec<u8>, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_featherank"))
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.code() {
        Some(0) => Ok(output.stdout),
        Some(1 | 2) => Err(error),
        code => panic!("{args:?} ends with {code:?}: {error}"),
    }
}

/// Names of the methods of a kind, as `featherank methods --json` lists them.
fn methods(folder: &Path, kind: &str) -> Vec<(String, String)> {
    let listed: serde_json::Value =
        serde_json::from_slice(&run(folder, &["methods", "--json"]).unwrap()).unwrap();
    let text =
        |entry: &serde_json::Value, field: &str| entry[field].as_str().unwrap_or("").to_owned();
    let entries = listed.as_array().unwrap().iter().filter(|entry| entry["kind"] == kind);
    entries.map(|entry| (text(entry, "name"), text(entry, "category"))).collect()
}

/// The text with every number rounded to nine significant digits; other bytes as they are.
fn rounded(bytes: Vec<u8>) -> Vec<u8> {
    let Ok(text) = String::from_utf8(bytes.clone()) else { return bytes };
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E');
    let mut result = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(start) = rest.find(is_number) {
        result.push_str(&rest[..start]);
        let end = rest[start..].find(|c| !is_number(c)).map_or(rest.len(), |length| start + length);
        let token = &rest[start..end];
        match token.parse::<f64>() {
            Ok(value) if token.bytes().filter(u8::is_ascii_digit).count() > 9 => {
                write!(result, "{value:.8e}").unwrap();
            }
            _ => result.push_str(token),
        }
        rest = &rest[end..];
    }
    (result + rest).into_bytes()
}

/// The text without the line of the checksum that a document has.
fn without_checksum(bytes: Vec<u8>) -> Vec<u8> {
    let is_other = |line: &&[u8]| !line.starts_with(b"  \"checksum\": ");
    bytes.split_inclusive(|byte| *byte == b'\n').filter(is_other).flatten().copied().collect()
}

/// The text without the files of the data, whose paths differ between machines.
fn without_sources(bytes: Vec<u8>) -> Vec<u8> {
    let Ok(text) = String::from_utf8(bytes.clone()) else { return bytes };
    let Some((start, rest)) = text.split_once("\n  \"sources\": {\n") else { return bytes };
    let (_, end) = rest.split_once("\n  },\n").unwrap();
    format!("{start}\n{end}").into_bytes()
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[derive(Default)]
struct Documents(BTreeMap<String, Vec<u8>>);

impl Documents {
    fn add(&mut self, name: String, bytes: Vec<u8>) {
        let bytes = rounded(without_sources(without_checksum(bytes)));
        assert!(self.0.insert(name.clone(), bytes).is_none(), "{name} twice");
    }

    fn add_file(&mut self, name: String, path: &Path) {
        self.add(name, std::fs::read(path).unwrap());
    }

    /// One line for each document.
    fn lines(&self) -> String {
        self.0.iter().fold(String::new(), |mut lines, (name, bytes)| {
            writeln!(lines, "{:016x} {name}", hash(bytes)).unwrap();
            lines
        })
    }

    /// Compares with the expected answers, and keeps the documents for a diff.
    fn check(&self, part: &str) {
        let kept = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("../pinned");
        for (name, bytes) in &self.0 {
            let path = kept.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/pinned/{part}.txt"));
        if std::env::var_os("FEATHERANK_PIN").is_some() {
            std::fs::write(file, self.lines()).unwrap();
            return;
        }
        let expected = std::fs::read_to_string(&file).unwrap();
        let lines = self.lines();
        let changed: Vec<&str> =
            lines.lines().filter(|line| !expected.lines().any(|e| e == *line)).collect();
        let lost = expected.lines().count() + changed.len() - lines.lines().count();
        assert!(
            lines == expected,
            "{} of {} documents changed or are new, {lost} lines of {} are no longer produced; the documents are in {}:\n{}",
            changed.len(),
            self.0.len(),
            file.display(),
            kept.display(),
            changed.join("\n")
        );
    }
}

fn with_data(data: &Data) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut args = vec!["synth", "-o", ".", "--seed", "3"];
    data.settings.iter().for_each(|setting| args.extend(["--set", setting]));
    run(folder.path(), &args).unwrap();
    folder
}

fn parameters<'a>(args: &mut Vec<&'a str>, data: &Data, short: &'a [&'a str]) {
    short.iter().for_each(|setting| args.extend(["-p", setting]));
    if data.valid {
        args.extend(["--valid", "vali.txt"]);
    }
}

#[test]
fn selections_stay_the_same_bytes() {
    let mut documents = Documents::default();
    for data in &DATA {
        let folder = with_data(data);
        for (method, category) in methods(folder.path(), "selector") {
            for seed in SEEDS {
                let number = seed.to_string();
                let mut args = vec![
                    "select",
                    "train.txt",
                    "--method",
                    &method,
                    "--seed",
                    &number,
                    "-o",
                    "selection.json",
                ];
                parameters(&mut args, data, short(&method));
                let trains = category == "embedded" || method == "mofsrank";
                if trains {
                    args.extend(["--model", "model.json"]);
                }
                run(folder.path(), &args).unwrap();
                let name = format!("{}/{method}-{seed}", data.name);
                documents.add_file(
                    format!("{name}.selection.json"),
                    &folder.path().join("selection.json"),
                );
                if trains {
                    documents
                        .add_file(format!("{name}.model.json"), &folder.path().join("model.json"));
                }
            }
        }
    }
    documents.check("selections");
}

#[test]
fn models_and_exports_stay_the_same_bytes() {
    let mut documents = Documents::default();
    for data in &DATA {
        let folder = with_data(data);
        for (ranker, _) in methods(folder.path(), "ranker") {
            for seed in SEEDS {
                let number = seed.to_string();
                let mut args = vec![
                    "train",
                    "train.txt",
                    "--ranker",
                    &ranker,
                    "--seed",
                    &number,
                    "-o",
                    "model.json",
                ];
                parameters(&mut args, data, short(&ranker));
                run(folder.path(), &args).unwrap();
                let name = format!("{}/{ranker}-{seed}", data.name);
                documents.add_file(format!("{name}.model.json"), &folder.path().join("model.json"));
                for target in featherank::export::TARGETS {
                    let args = ["export", "model.json", "--to", target.name];
                    if let Ok(bytes) = run(folder.path(), &args) {
                        documents.add(format!("{name}.{}", target.name), bytes);
                    }
                }
            }
        }
    }
    documents.check("models");
}

/// Without what is measured anew in every run.
fn without_timings(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(fields) => {
            fields.retain(|name, _| {
                !["seconds", "select_seconds", "peak_bytes"].contains(&name.as_str())
            });
            fields.values_mut().for_each(without_timings);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(without_timings),
        _ => {}
    }
}

#[test]
fn comparisons_stay_the_same_bytes() {
    let mut documents = Documents::default();
    for data in &DATA {
        let folder = with_data(data);
        let compare = "compare train.txt --folds 3 --seeds 2 -o results \
            --methods top-k,best-gain[delta=0.02],l1-svm --rankers linear-regression,lambdamart[trees=5]";
        let args: Vec<&str> = compare.split_whitespace().collect();
        run(folder.path(), &args).unwrap();
        let read = |file: &str| std::fs::read(folder.path().join("results").join(file)).unwrap();
        let mut results: serde_json::Value = serde_json::from_slice(&read("results.json")).unwrap();
        without_timings(&mut results);
        documents.add(format!("{}/plan.json", data.name), read("plan.json"));
        // The command that repeats the comparison has absolute paths.
        let place = std::fs::canonicalize(folder.path()).unwrap();
        let text = serde_json::to_string_pretty(&results).unwrap();
        let text = text.replace(&place.display().to_string(), "FOLDER");
        documents.add(format!("{}/results.json", data.name), text.into_bytes());
        let table = String::from_utf8(read("tables.csv")).unwrap();
        let is_timing = |line: &&str| {
            [",selection s,", ",total s,", ",peak MiB,"].iter().any(|c| line.contains(c))
        };
        let lines: Vec<&str> = table.lines().filter(|line| !is_timing(line)).collect();
        documents.add(format!("{}/tables.csv", data.name), lines.join("\n").into_bytes());
    }
    documents.check("comparisons");
}
