//! Files for readers that need a path.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The path of a file in one temporary folder for the whole run.
pub fn file(name: &str) -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let shared_memory = Path::new("/dev/shm");
    let made = || match shared_memory.is_dir() {
        // Not on a disk: a file is written for every input.
        true => tempfile::tempdir_in(shared_memory),
        false => tempfile::tempdir(),
    };
    FOLDER.get_or_init(|| made().expect("a temporary folder")).path().join(name)
}

/// Writes a file for a reader.
pub fn put(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).expect("a file in the temporary folder");
}

/// Writes an input under a name and returns its path.
pub fn input(name: &str, bytes: &[u8]) -> PathBuf {
    let path = file(name);
    put(&path, bytes);
    path
}

/// Removes the folder, which no destructor does for a static value. No target may run afterwards.
pub fn remove_files() {
    // Left for the system to clean up if it cannot be removed.
    drop(std::fs::remove_dir_all(file("")));
}
