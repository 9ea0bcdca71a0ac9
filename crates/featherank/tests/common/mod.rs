//! What several test files share.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use std::path::PathBuf;

/// The folder with the real LETOR data: `$FEATHERANK_DATA`, or `shared/data` beside the project. `None`, with a notice,
/// where it is absent: its licence does not let us ship it.
pub fn real_data(folder: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let root = std::env::var_os("FEATHERANK_DATA").map_or(beside, PathBuf::from);
    let path = root.join(folder);
    if !path.is_dir() {
        eprintln!("SKIPPED: no real data at {}; set FEATHERANK_DATA to run this test", path.display());
        return None;
    }
    Some(path)
}
