//! Runs every command of the documentation and compares its output with the documentation.
//!
//! A `console` block contains commands after `$ ` and their output: standard output if a command
//! succeeds, standard error and a line `exit code N` if it fails. All blocks of a file run in order
//! in one empty folder. Set `UPDATE_TRANSCRIPTS=1` to update the files.

use std::path::{Path, PathBuf};
use std::process::Command;

fn project() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Documentation and test transcripts.
fn documents() -> Vec<PathBuf> {
    let folders = [
        project(),
        project().join("docs"),
        project().join("crates/featherank-cli/tests/transcripts"),
    ];
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten());
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    files.sort();
    files
}

/// Runs a line in a shell, with `featherank` (or cargo running it) replaced by the binary under
/// test.
fn run(line: &str, folder: &Path) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_featherank"));
    let line = line.replace("cargo run --release -- ", "featherank ");
    let path = std::env::join_paths(
        std::iter::once(binary.parent().unwrap().to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let output = Command::new("sh")
        .args(["-c", &line])
        .current_dir(folder)
        .env("PATH", path.unwrap())
        .env("COLUMNS", "100")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    match output.status.code() {
        Some(0) => text(&output.stdout),
        code => format!(
            "{}{}exit code {}\n",
            text(&output.stdout),
            text(&output.stderr),
            code.unwrap_or(-1)
        ),
    }
}

/// The document with the current output of every command.
fn rerun(document: &str, folder: &Path) -> String {
    let mut out = String::new();
    let mut lines = document.lines().peekable();
    let mut inside = false;
    while let Some(line) = lines.next() {
        out += &format!("{line}\n");
        match line.trim_end() {
            "```console" => inside = true,
            "```" => inside = false,
            _ => {}
        }
        if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            while lines
                .peek()
                .is_some_and(|next| !next.starts_with("$ ") && !next.starts_with("```"))
            {
                lines.next();
            }
            out += &run(command, folder);
        }
    }
    out
}

#[test]
fn the_documentation_shows_what_the_commands_print() {
    let (mut commands, mut wrong) = (0, Vec::new());
    for path in documents() {
        let document = std::fs::read_to_string(&path).unwrap();
        commands += document.lines().filter(|line| line.starts_with("$ ")).count();
        let folder = tempfile::tempdir().unwrap();
        let now = rerun(&document, folder.path());
        if now == document {
            continue;
        }
        if std::env::var_os("UPDATE_TRANSCRIPTS").is_some() {
            std::fs::write(&path, now).unwrap();
            continue;
        }
        let differs =
            document.lines().zip(now.lines()).enumerate().find(|(_, (old, new))| old != new);
        wrong.push(format!("{}: {differs:#?}", path.display()));
    }
    assert!(
        wrong.is_empty(),
        "run with UPDATE_TRANSCRIPTS=1 and read the diff:\n{}",
        wrong.join("\n")
    );
    assert!(commands > 20, "only {commands} commands found");
}

#[test]
fn the_methods_table_matches_the_registry() {
    let folder = tempfile::tempdir().unwrap();
    let document = std::fs::read_to_string(project().join("docs/methods.md")).unwrap();
    assert_eq!(run("featherank methods --markdown", folder.path()), document, "run `make docs`");
}

/// Every paper that the registry cites is in the list of references.
#[test]
fn every_citation_has_a_reference() {
    let references = std::fs::read_to_string(project().join("docs/references.md")).unwrap();
    for entry in featherank::registry::entries() {
        for key in entry.cites {
            assert!(references.contains(&format!("[{key}]")), "{} cites {key}", entry.name);
        }
    }
}
