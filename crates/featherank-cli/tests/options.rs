//! Options and input files with unusual content: a clear error each, and nothing that a terminal or
//! a spreadsheet would execute.

use std::process::Output;

use crate::common::run;

const ROWS: &str = "1 qid:1 1:0.5 2:1\n0 qid:1 1:0.2 2:3\n0 qid:2 1:0.1 2:1\n2 qid:2 1:0.9 2:4\n";

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("data.txt", ROWS);
    let query = |q: usize| format!("1 qid:{q} 1:{q} 2:2\n0 qid:{q} 1:0 2:{q}\n");
    write("many.txt", &(1..=12).map(query).collect::<String>());
    write("nan.txt", "nan qid:1 1:0.5\n");
    write("scores.txt", "1\n2\n1e39\n3\n");
    write("twice.run", "1 Q0 1 1 3 x\n1 Q0 2 2 2 x\n1 Q0 1 3 1 x\n");
    write("other.txt", "1 qid:1 1:7 2:1\n0 qid:1 1:8 2:3\n");
    write("semicolon.csv", "qid;label;x\n1;1;2\n1;0;3\n");
    folder
}

#[test]
fn values_out_of_range_are_refused() {
    let folder = folder();
    for (args, code, says) in [
        ("evaluate data.txt --feature 1 --resamples 0", 2, "1 to 1000000"),
        ("evaluate data.txt --feature 1 --resamples 99999999999", 2, "1 to 1000000"),
        ("compare many.txt --rankers rankrls --seeds 0", 2, "1 to 10000"),
        ("compare many.txt --rankers rankrls --seeds 18446744073709551615", 2, "1 to 10000"),
        (
            "compare many.txt --rankers rankrls --seed 18446744073709551615 --seeds 2",
            2,
            "at most 18446744073709551614 with 2 seeds",
        ),
        ("compare many.txt --rankers rankrls --bootstraps 99999999", 2, "0 to 10000"),
        ("select data.txt --method top-k -p measure=map -p measure=mrr", 2, "set twice"),
        ("select data.txt --method top-k -p measure=map --measure mrr", 2, "set twice"),
        ("select data.txt --method top-k --budget -3", 2, "a number above 0"),
        ("train data.txt --ranker mart -p trees=2 -p trees=3", 2, "set twice"),
        ("inspect nan.txt", 1, "label is NaN, not a finite number"),
        ("inspect nan.txt", 1, "labels are relevance grades"),
        ("evaluate data.txt --scores scores.txt", 1, "beyond the largest 32-bit number"),
        ("evaluate data.txt --scores twice.run", 1, "is 1 here and 3 before"),
        ("train data.txt --valid data.txt --ranker rankrls", 2, "2 of 2 validation queries"),
        ("select data.txt --valid data.txt --method l1-svm", 2, "are also training queries"),
    ] {
        let ran = run(folder.path(), &args.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.status.code(), Some(code), "{args}: {}", said(&ran));
        assert!(said(&ran).contains(says), "{args}: {}", said(&ran));
    }
}

#[test]
fn models_with_huge_ids_are_not_exported_by_column() {
    let folder = folder();
    let train = ["train", "data.txt", "--ranker", "mart", "-p", "trees=2", "-p", "min-leaf=1"];
    let ran = run(folder.path(), &[&train[..], &["-o", "m.json"]].concat());
    assert!(ran.status.success(), "{}", said(&ran));
    let model = std::fs::read_to_string(folder.path().join("m.json")).unwrap();
    let model = model.replacen("\"id\": 1", "\"id\": 4000000000", 1);
    // Edited on purpose: without the checksum.
    let model: Vec<&str> = model.lines().filter(|line| !line.contains("\"checksum\"")).collect();
    let model = model.join("\n");
    std::fs::write(folder.path().join("huge.json"), model).unwrap();
    for args in [
        &["export", "huge.json", "--to", "lightgbm"][..],
        &["export", "m.json", "--to", "lightgbm", "--columns", "4000000000"],
    ] {
        let ran = run(folder.path(), args);
        assert!(!ran.status.success() && said(&ran).contains("at most 1000000"), "{}", said(&ran));
    }
}

#[test]
fn detected_separators_are_reported() {
    let folder = folder();
    let at = folder.path();
    let ran = run(at, &["inspect", "semicolon.csv"]);
    assert!(said(&ran).contains("columns are separated by `;`"), "{}", said(&ran));
    let train = ["train", "data.txt", "--ranker", "lambdamart", "-p", "min-leaf=1"];
    let unstopped = "because there is no validation data to choose their number";
    let ran = run(at, &train);
    assert!(said(&ran).contains(unstopped), "{}", said(&ran));
    let ran = run(at, &[&train[..], &["-p", "trees=3"]].concat());
    assert!(ran.status.success() && !said(&ran).contains(unstopped), "{}", said(&ran));
    let ran = run(at, &[&train[..], &["--valid", "other.txt"]].concat());
    assert!(!said(&ran).contains(unstopped), "{}", said(&ran));
    assert!(said(&ran).contains("1 validation query has the id"), "{}", said(&ran));
}

#[test]
fn text_may_begin_with_a_byte_order_mark() {
    let folder = folder();
    let at = folder.path();
    std::fs::write(at.join("bom.txt"), format!("\u{feff}{ROWS}")).unwrap();
    let plain = run(at, &["inspect", "data.txt", "--json"]);
    let marked = run(at, &["inspect", "bom.txt", "--json"]);
    assert!(marked.status.success(), "{}", said(&marked));
    assert_eq!(plain.stdout, marked.stdout);
}

/// Names from a file reach the screen as text.
#[test]
fn escapes_in_names_and_paths_are_shown() {
    let folder = folder();
    let at = folder.path();
    std::fs::write(at.join("names.txt"), "a\u{1b}[31mred\nb\u{9b}2J\u{7}\n").unwrap();
    std::fs::write(at.join("evil\u{1b}]0;x\u{7}.txt"), "1 qid:1 1:x\n").unwrap();
    for args in [
        &["inspect", "data.txt", "--features", "--names", "names.txt"][..],
        &["select", "data.txt", "--method", "top-k", "--names", "names.txt"],
        &["select", "data.txt", "--method", "top-k", "--names", "names.txt", "--json"],
        &["evaluate", "data.txt", "--feature", "1", "--names", "names.txt"],
        &["inspect", "evil\u{1b}]0;x\u{7}.txt"],
        &["inspect", "absent\u{1b}[2J.txt"],
    ] {
        let ran = run(at, args);
        for stream in [&ran.stdout, &ran.stderr] {
            let text = std::str::from_utf8(stream).unwrap();
            let obeyed = text.chars().find(|c| c.is_control() && !"\n\t".contains(*c));
            assert_eq!(obeyed, None, "{args:?}: {text:?}");
        }
    }
    let ran = run(at, &["select", "data.txt", "--method", "top-k", "--names", "names.txt"]);
    assert!(String::from_utf8(ran.stdout).unwrap().contains("a\\u{1b}[31mred"));
}

#[test]
fn tables_hold_no_formulas() {
    let folder = folder();
    let at = folder.path();
    std::fs::write(at.join("names.txt"), "=cmd|' /C calc'!A0\n@SUM(A1)\n").unwrap();
    let args = ["inspect", "data.txt", "--redundancy", "--names", "names.txt", "-o", "matrix.csv"];
    let ran = run(at, &args);
    assert!(ran.status.success(), "{}", said(&ran));
    let table = std::fs::read_to_string(at.join("matrix.csv")).unwrap();
    let cells = table.lines().flat_map(|line| line.split(','));
    for cell in cells.map(|cell| cell.trim_start_matches('"')) {
        assert!(!cell.starts_with(['=', '@']), "{table}");
    }
}
