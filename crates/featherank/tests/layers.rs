//! The structure of the code: a module uses only modules below it, and a type name has one meaning.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The modules of `src/`, from the bottom up.
const LAYERS: &[&str] = &[
    // Support: errors, names, randomness, numerical kernels, progress.
    "text",
    "error",
    "names",
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
    "training",
    "select",
    "redundancy",
    "inspect",
    "registry",
    "experiment",
    "prelude",
    "internals",
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

/// The public modules of the crate, besides `internals`. A new one is a promise to users.
#[test]
fn public_modules_are_listed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let public = |file: &str| -> Vec<String> {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        let names = text.lines().filter_map(|line| line.strip_prefix("pub mod "));
        names.map(|name| name.trim_end_matches(';').to_owned()).collect()
    };
    let modules = [
        "data",
        "declare",
        "engine",
        "error",
        "evaluate",
        "experiment",
        "export",
        "inspect",
        "internals",
        "measure",
        "params",
        "prelude",
        "rank",
        "redundancy",
        "registry",
        "run",
        "select",
        "shards",
        "training",
    ];
    assert_eq!(public("lib.rs"), modules);
    for (file, modules) in [
        ("data/mod.rs", &["folds", "synth"][..]),
        ("engine/mod.rs", &["passes"]),
        ("measure/mod.rs", &["risk", "significance"]),
        ("rank/mod.rs", &["tune"]),
        ("select/mod.rs", &["auto", "forward"]),
    ] {
        assert_eq!(public(file), modules, "{file}");
    }
    let others = ["declare", "evaluate", "experiment", "export", "inspect", "params", "shards"];
    for module in others.into_iter().chain(["error", "redundancy", "registry", "training"]) {
        assert!(public(&format!("{module}/mod.rs")).is_empty(), "{module}");
    }
    let text = std::fs::read_to_string(root.join("lib.rs")).unwrap();
    assert_eq!(text.matches("#[doc(hidden)]").count(), 1, "only `internals` is hidden");
}

/// The type that a line defines. Lines within macros that begin with `$` define none.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub(") {
        Some(rest) => rest.split_once(") ")?.1,
        None => line.strip_prefix("pub ").unwrap_or(line),
    };
    let (kind, rest) = line.split_once(' ')?;
    if !["struct", "enum", "trait", "union"].contains(&kind) {
        return None;
    }
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

#[test]
fn every_type_has_a_name_of_its_own() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(crates).unwrap() {
        let source = entry.unwrap().path().join("src");
        if source.is_dir() {
            source_files(&source, &mut files);
        }
    }
    let mut types: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
        let text = std::fs::read_to_string(file).unwrap();
        let text = text.split("#[cfg(test)]").next().unwrap_or("");
        for name in text.lines().filter_map(defined) {
            let path = file.strip_prefix(crates).unwrap().display().to_string();
            types.entry(name.to_owned()).or_default().push(path);
        }
    }
    assert!(types.len() > 500, "only {} types were found", types.len());
    types.retain(|_, paths| paths.len() > 1);
    assert!(types.is_empty(), "{types:#?}");
}

#[test]
fn definitions_of_types_are_found() {
    let lines = ["pub struct Gram {", "    pub(crate) enum Ties<'a> {", "trait Pass: Sync {"];
    assert_eq!(lines.map(defined), [Some("Gram"), Some("Ties"), Some("Pass")]);
    let lines = ["pub struct $name {", "    type Answer = GramSums;", "structure of rows"];
    assert_eq!(lines.map(defined), [None; 3]);
}
