//! Texts of the library do not refer to a front end.
#![allow(clippy::unwrap_used, reason = "a failure in a helper is a failed test")]

use std::fs;
use std::path::{Path, PathBuf};

/// All source files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The line without its comment, and whether it names a flag such as `--missing`.
fn names_a_flag(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let mut flags = code.match_indices("--");
    flags.any(|(at, _)| code[at + 2..].starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Words of one front end in a line's texts, without its comment.
fn words_of_a_front_end(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    ["-p ", "same command", "index=False", "numpy", "sklearn"]
        .iter()
        .any(|word| code.contains(word))
}

/// Flags belong to the command and arguments to Python; the library names settings by `Setting`.
#[test]
fn no_text_of_the_library_belongs_to_a_front_end() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    assert!(files.len() > 100, "sources not found");
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        for (number, line) in text.lines().enumerate() {
            let belongs = names_a_flag(line) || words_of_a_front_end(line);
            assert!(!belongs, "{}, line {}: {line}", path.display(), number + 1);
        }
    }
    assert!(names_a_flag(r#"help: "pass --regroup""#) && !names_a_flag("// as with --regroup"));
    assert!(words_of_a_front_end(r#""rerun the same command""#));
}
