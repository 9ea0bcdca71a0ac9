//! The layers of the library: a module uses only modules below it.

use std::path::{Path, PathBuf};

/// The modules of `src/`, from the bottom up.
const LAYERS: &[&str] = &[
    // Support: errors, names, randomness, numerical kernels, progress.
    "error",
    "names",
    "text",
    "shell",
    "random",
    "vector",
    "cluster",
    "stop",
    "progress",
    "memory",
    "data",
    "document",
    "measure",
    // Declarations of methods, and the inputs of a run.
    "params",
    "declare",
    "constraints",
    "checkpoint",
    "engine",
    "run",
    "rank",
    "export",
    "shards",
    "evolve",
    "evaluate",
    "select",
    "redundancy",
    "inspect",
    "registry",
    "experiment",
    "prelude",
];

fn source_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            source_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The modules that a text names as `crate::module`. Macros name theirs as `$crate::module`, which
/// counts at the place of use.
fn used(text: &str) -> impl Iterator<Item = &str> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or(""));
    code.flat_map(|line| line.match_indices("crate::").map(move |(at, _)| line.split_at(at)))
        .filter(|(before, _)| !before.ends_with('$'))
        .filter_map(|(_, path)| {
            let name = path.trim_start_matches("crate::");
            let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
            LAYERS.iter().any(|layer| *layer == &name[..end]).then_some(&name[..end])
        })
}

#[test]
fn no_module_uses_one_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let level = |name: &str| LAYERS.iter().position(|layer| *layer == name);
    let mut files = Vec::new();
    source_files(&root, &mut files);
    let mut upward = Vec::new();
    for file in files {
        let path = file.strip_prefix(&root).unwrap();
        let first = path.iter().next().unwrap().to_str().unwrap();
        let module = first.trim_end_matches(".rs");
        if module == "lib" || path.ends_with("tests.rs") {
            continue;
        }
        let own = level(module).unwrap_or_else(|| panic!("{module} is in no layer"));
        let text = std::fs::read_to_string(&file).unwrap();
        // Tests at the end of a file may use anything.
        let text = text.split("#[cfg(test)]").next().unwrap_or("");
        upward.extend(
            used(text)
                .filter(|name| level(name) > Some(own))
                .map(|name| format!("{} uses {name}", path.display())),
        );
    }
    assert!(upward.is_empty(), "{upward:#?}");
}

#[test]
fn upward_uses_are_found() {
    let found: Vec<&str> =
        used("use crate::engine::Engine; // crate::select\n$crate::rank").collect();
    assert_eq!(found, ["engine"]);
}
