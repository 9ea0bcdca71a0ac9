//! Shared by the fuzz targets: options from a byte of the input, and invariants of whatever was
//! read.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use featherank::Error;
use featherank::data::{Dataset, Missing, ReadOptions, Unjudged};

/// Options from the first byte of an input; its two highest bits are left to the target.
pub fn options(choice: u8) -> ReadOptions {
    ReadOptions {
        missing: if choice & 1 == 0 { Missing::Error } else { Missing::Zero },
        clip: choice & 2 != 0,
        unjudged: match choice >> 2 & 3 {
            0 => Unjudged::Error,
            1 => Unjudged::Drop,
            _ => Unjudged::Zero,
        },
        regroup: choice & 16 != 0,
        zero_based: choice & 32 != 0,
        max_feature_id: 10_000,
        max_bytes: 16 << 20,
        ..ReadOptions::default()
    }
}

/// Invariants of every data set, however irregular its file.
pub fn check(data: &Dataset, options: &ReadOptions) {
    let (documents, features) = (data.documents(), data.features().len());
    assert!(documents > 0 && features > 0, "an empty data set is an error");
    assert_eq!(data.labels().len(), documents);
    assert_eq!(data.values().len(), documents * features);
    assert!(data.values().len() as u64 * 4 <= options.max_bytes, "the memory limit is respected");
    assert!(data.values().iter().all(|value| value.is_finite()));
    assert!(data.labels().iter().all(|label| label.is_finite() && *label >= 0.0));
    assert_eq!(data.queries().sizes().sum::<usize>(), documents);
    assert!(data.queries().sizes().all(|size| size > 0), "a query without documents");
    assert!(data.queries().ids().iter().all(|id| !id.is_empty()));
    let distinct: std::collections::HashSet<_> = data.queries().ids().iter().collect();
    assert_eq!(distinct.len(), data.queries().len(), "a query occurs once");
    assert!(data.document_texts().is_none_or(|texts| texts.len() == documents));
}

/// An error can be displayed, and one about text names an existing line.
pub fn check_error(error: &Error, text: &[u8]) {
    let shown = error.to_string();
    assert!(shown.len() < 10_000 + 4 * text.len(), "a message of bounded length");
    if let Error::Input { at, .. } = error
        && let Some(line) = at.line
    {
        let lines = 1 + text.iter().filter(|byte| **byte == b'\n').count() as u64;
        assert!(is_compressed(text) || (1..=lines).contains(&line), "line {line} of {lines}: {shown}");
    }
}

fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
        || bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
        || bytes.starts_with(b"\xfd7zXZ\0")
}

/// The path of a file in one temporary folder for the whole run.
pub fn file(name: &str) -> PathBuf {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder")).path().join(name)
}

/// Writes a file for a reader.
pub fn put(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).expect("a file in the temporary folder");
}
