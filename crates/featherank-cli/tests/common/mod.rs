//! Shared by test files: running the command.

use std::path::Path;
use std::process::{Command, Output};

#[cfg(unix)]
pub mod signals;

/// Runs the command in a folder.
pub fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_featherank")).args(args).current_dir(folder).output().unwrap()
}
