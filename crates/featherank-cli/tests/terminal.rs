//! What is left on a terminal: the command runs in a pseudo-terminal, made by `script` of
//! util-linux, and a small emulator draws what it prints.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Stdio};

/// The lines of a screen after some output: carriage returns, line feeds, movements up and down,
/// and erasing of lines; colours are ignored.
fn screen(output: &str) -> Vec<String> {
    let (mut lines, mut row, mut column) = (vec![Vec::<char>::new()], 0_usize, 0_usize);
    let mut rest = output.chars();
    while let Some(c) = rest.next() {
        match c {
            '\r' => column = 0,
            '\n' => row += 1,
            '\u{1b}' => {
                let sequence = sequence(&mut rest);
                let (number, action) = sequence.split_at(sequence.len() - 1);
                let number: usize = number.trim_start_matches('[').parse().unwrap_or(0);
                match action {
                    "A" => row = row.saturating_sub(number.max(1)),
                    "B" => row += number.max(1),
                    "K" if number == 2 => lines[row].clear(),
                    "K" => lines[row].truncate(column),
                    _ => {}
                }
            }
            c => {
                let line = &mut lines[row];
                line.resize(line.len().max(column + 1), ' ');
                line[column] = c;
                column += 1;
            }
        }
        if lines.len() <= row {
            lines.resize(row + 1, Vec::new());
        }
    }
    lines.into_iter().map(|line| line.into_iter().collect()).collect()
}

/// An escape sequence after its first character: a bracket, digits and separators, and a letter.
fn sequence(rest: &mut impl Iterator<Item = char>) -> String {
    let mut sequence = String::new();
    while !sequence.ends_with(|c: char| c.is_ascii_alphabetic()) {
        let Some(c) = rest.next() else { break };
        sequence.push(c);
    }
    sequence
}

/// Everything that a command prints on a terminal of 100 columns; `None` without `script`.
fn in_terminal(folder: &Path, args: &str) -> Option<String> {
    let command = format!("stty cols 100 rows 40; {} {args}", env!("CARGO_BIN_EXE_featherank"));
    let ran = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(folder)
        .env_remove("COLUMNS")
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output();
    let ran = match ran {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            println!("skipped: `script` is missing");
            return None;
        }
        ran => ran.unwrap(),
    };
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{args}: {text}");
    Some(text)
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let synth = ["synth", "-o", "data", "--set", "queries=150", "--set", "documents=3000", "-q"];
    let made = Command::new(env!("CARGO_BIN_EXE_featherank"))
        .args(synth)
        .current_dir(folder.path())
        .status();
    assert!(made.unwrap().success());
    folder
}

/// Whether a line holds a part of a progress bar: a spinner or a bar.
fn has_bar(line: &str) -> bool {
    line.contains(|c| ('\u{2801}'..='\u{28ff}').contains(&c) || c == '░' || c == '█')
}

#[test]
fn the_answer_starts_on_a_clean_line() {
    let folder = folder();
    let compare = "compare data/train.txt --methods top-k[k=3],rfe --rankers linear-regression \
                   --folds 3 --no-tune -o results";
    for (args, answer) in [
        ("train data/train.txt --ranker lambdamart -p trees=40", "lambdamart uses "),
        ("train data/train.txt --ranker mart -p trees=20 --importance permutation", "mart uses "),
        ("select data/train.txt --method rfe -p settings=trees=4", "rfe selected "),
        ("select data/train.txt --method top-k", "top-k selected "),
        ("evaluate data/train.txt --feature 1 --feature 2", "   ranking "),
        (compare, "Comparison"),
    ] {
        let Some(text) = in_terminal(folder.path(), args) else { return };
        assert!(has_bar(&text), "{args}: a bar is shown before the answer: {text:?}");
        let lines = screen(&text);
        assert!(lines.iter().any(|line| line.starts_with(answer)), "{args}: {lines:#?}");
        assert!(!lines.iter().any(|line| has_bar(line)), "{args}: {lines:#?}");
    }
}

/// The search over sizes is nested in folds, so that no step of its own is the last one.
#[test]
fn piped_commands_name_nested_stages() {
    let folder = folder();
    let ran = Command::new(env!("CARGO_BIN_EXE_featherank"))
        .args(["select", "data/train.txt", "--method", "rfe", "-p", "settings=trees=2"])
        .current_dir(folder.path())
        .output();
    let notes = String::from_utf8(ran.unwrap().stderr).unwrap();
    for line in ["eliminating features: started", "eliminating features: done"] {
        assert_eq!(notes.lines().filter(|other| *other == line).count(), 1, "{notes}");
    }
}

/// Boosting stops long before the last tree.
#[test]
fn piped_commands_name_stages_that_end_early() {
    let folder = folder();
    let train = ["train", "data/train.txt", "--valid", "data/vali.txt", "--ranker", "lambdamart"];
    let ran = Command::new(env!("CARGO_BIN_EXE_featherank"))
        .args(train)
        .args(["-p", "trees=1000", "-p", "patience=2"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let notes = String::from_utf8(ran.stderr).unwrap();
    assert!(ran.status.success(), "{notes}");
    for line in ["boosting trees: started", "boosting trees: done"] {
        assert_eq!(notes.lines().filter(|other| *other == line).count(), 1, "{notes}");
    }
}

#[test]
fn errors_are_wrapped_to_the_terminal() {
    let folder = folder();
    let command = "train data/train.txt --ranker lightgbm; true";
    let Some(text) = in_terminal(folder.path(), command) else { return };
    let lines = screen(&text);
    assert!(
        lines.iter().any(|line| line.starts_with("error: there is no ranker called")),
        "{lines:#?}"
    );
    assert!(lines.iter().all(|line| line.chars().count() <= 100), "{lines:#?}");
}

#[test]
fn the_emulator_draws_what_terminals_draw() {
    assert_eq!(screen("ab\r\nc\rd"), ["ab", "d"]);
    assert_eq!(screen("bar\r\u{1b}[2Kanswer\u{1b}[1m!\u{1b}[0m\r\n"), ["answer!", ""]);
    assert_eq!(screen("a\r\nbar\r\u{1b}[1A\u{1b}[Kb"), ["b", "bar"]);
}
