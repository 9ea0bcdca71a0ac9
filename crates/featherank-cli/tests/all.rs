//! All tests of the command as one program: it is linked once, and its tests run in parallel.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail loudly")]

mod checkpoints;
mod command;
mod common;
mod compare;
mod embedded;
mod help;
mod install;
mod labels;
mod memory;
mod names;
mod options;
mod output;
mod paths;
mod pinned;
mod printed_commands;
mod redundancy;
mod report;
mod scale;
mod terminal;
mod transcripts;

/// A file that is not listed above would never run.
#[test]
fn every_file_is_listed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let programs = ["all", "signals"];
        let module = name.strip_suffix(".rs").filter(|module| !programs.contains(module));
        let Some(module) = module else {
            continue;
        };
        assert!(
            include_str!("all.rs").contains(&format!("\nmod {module};\n")),
            "tests/all.rs does not name {module}"
        );
    }
}
