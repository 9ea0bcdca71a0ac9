//! Labels on other scales than 0, 1, 2: commands choose thresholds of relevance that divide them,
//! or refuse measures that are the same for every ranking.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn featherank(folder: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_featherank"))
        .args(line.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a successful command prints as JSON, and its notes.
fn json(folder: &Path, line: &str) -> (Value, String) {
    let ran = featherank(folder, &format!("{line} --json"));
    assert!(ran.status.success(), "{line}: {}", said(&ran));
    let found: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let notes = format!("{}{}", found["notes"], said(&ran));
    (found, notes)
}

/// Synthetic data whose labels are changed.
fn with_labels(change: impl Fn(usize, f32) -> f32) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let set = "--set queries=60 --set documents=900 --set useful=4 --set noisy=4";
    assert!(featherank(folder.path(), &format!("synth -o . {set}")).status.success());
    for part in ["train.txt", "vali.txt", "test.txt"] {
        let path = folder.path().join(part);
        let text = std::fs::read_to_string(&path).unwrap();
        let line = |(number, line): (usize, &str)| {
            let (label, rest) = line.split_once(' ').unwrap();
            format!("{} {rest}\n", change(number, label.parse().unwrap()))
        };
        let text: String = text.lines().enumerate().map(line).collect();
        std::fs::write(path, text).unwrap();
    }
    folder
}

const TRAIN: &str = "train train.txt --valid vali.txt --ranker linear-regression -o model.json";

#[test]
fn default_measures_follow_fractions() {
    let folder = with_labels(|_, label| label / 4.0);
    let says = "labels from 0.25 on count as relevant, because no label reaches 1";
    let (found, notes) = json(folder.path(), TRAIN);
    assert_eq!(found["measures"][1], "map[rel=0.25]");
    assert!(found["results"][0]["values"][1].as_f64().unwrap() > 0.2);
    assert!(notes.contains(says), "{notes}");
    let (found, notes) = json(folder.path(), "evaluate test.txt --model model.json");
    assert_eq!(found["measures"][1], "map[rel=0.25]");
    assert!(notes.contains(says), "{notes}");
    let (found, notes) = json(folder.path(), "inspect train.txt");
    assert_eq!(found["constant_score"][1]["measure"], "map[rel=0.25]");
    assert!(notes.contains(says), "{notes}");
    let compare = "compare train.txt --folds 3 --methods l1-svm,top-k[k=2] --rankers \
                   linear-regression,own -o results";
    let (found, notes) = json(folder.path(), compare);
    assert_eq!(found["measures"][1], "map[rel=0.25]");
    assert!(found["cells"].as_array().unwrap().iter().all(|cell| cell.get("done").is_some()));
    assert!(notes.contains(says), "{notes}");
}

#[test]
fn default_measures_follow_labels_that_all_reach_one() {
    let folder = with_labels(|_, label| label + 1.0);
    let (found, notes) = json(folder.path(), TRAIN);
    assert_eq!(found["measures"][1], "map[rel=2]");
    assert!(notes.contains("because every label reaches 1"), "{notes}");
}

/// A measure that the user names is used as it is, or refused with a threshold that works.
#[test]
fn constant_measures_are_refused_by_name() {
    let folder = with_labels(|_, label| label / 4.0);
    json(folder.path(), TRAIN);
    for line in [
        format!("{TRAIN} --tune -m map"),
        format!("{TRAIN} -m ndcg@10,map"),
        "evaluate test.txt --model model.json -m map".to_owned(),
        "compare train.txt --rankers linear-regression --measure map -o results".to_owned(),
        "compare train.txt --rankers linear-regression --choose map -o results".to_owned(),
    ] {
        let ran = featherank(folder.path(), &line);
        let text = said(&ran);
        assert!(!ran.status.success() && text.contains("no document has such a label"), "{text}");
        assert!(text.contains("another threshold: `map[rel=0.25]`"), "{text}");
    }
    let (found, _) = json(folder.path(), &format!("{TRAIN} --tune -m map[rel=0.25]"));
    let values: Vec<f64> = found["trials"].as_array().unwrap().iter().map(value).collect();
    assert!(values.len() > 1 && values.iter().all(|value| *value > 0.2), "{values:?}");
    let ran = featherank(folder.path(), "inspect train.txt -m map,ndcg@10");
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(text.contains("map: not measurable"), "{text}");
    assert!(text.contains("ndcg@10: 0."), "{text}");
}

fn value(trial: &Value) -> f64 {
    trial["outcome"]["value"].as_f64().unwrap_or(f64::NAN)
}

/// Tuning needs validation queries on which the measure can differ.
#[test]
fn tuning_refuses_validation_data_without_relevant_documents() {
    let folder = with_labels(|_, label| label);
    let valid = folder.path().join("vali.txt");
    let text = std::fs::read_to_string(&valid).unwrap();
    let irrelevant = |line: &str| format!("0 {}\n", line.split_once(' ').unwrap().1);
    std::fs::write(&valid, text.lines().map(irrelevant).collect::<String>()).unwrap();
    for measure in ["map", "ndcg@10"] {
        let ran = featherank(folder.path(), &format!("{TRAIN} --tune -m {measure}"));
        let text = said(&ran);
        assert!(
            !ran.status.success() && text.contains("every ranking of the validation"),
            "{text}"
        );
    }
}

#[test]
fn measures_of_few_queries_are_noted() {
    let folder = with_labels(|line, label| if line == 0 { 1.0 } else { label / 4.0 });
    let says = "map depends on 1 of ";
    for line in [
        "train train.txt --ranker linear-regression -o model.json -m map",
        "select train.txt --method l1-svm -p measure=map",
        "evaluate train.txt --model model.json -m map",
        "compare train.txt --rankers linear-regression --measure map -o results --folds 3",
    ] {
        let ran = featherank(folder.path(), line);
        let text = said(&ran) + &String::from_utf8_lossy(&ran.stdout);
        assert!(text.contains(says) || line.starts_with("compare"), "{line}: {text}");
    }
}
