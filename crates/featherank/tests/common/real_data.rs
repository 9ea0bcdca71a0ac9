//! The real data, for the tests of this crate and of featherank-lab.

use std::path::PathBuf;

/// The folder with the real LETOR data: `$FEATHERANK_DATA`, or `shared/data` beside the project.
/// `None`, with a notice, if it is absent: its licence does not allow us to ship it.
pub fn real_data(folder: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let root = std::env::var_os("FEATHERANK_DATA").map_or(beside, PathBuf::from);
    let path = root.join(folder);
    if !path.is_dir() {
        eprintln!(
            "SKIPPED: no real data at {}; set FEATHERANK_DATA to run this test",
            path.display()
        );
        return None;
    }
    Some(path)
}
