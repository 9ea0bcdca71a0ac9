//! Readers of data: the first byte of an input chooses the options, the rest is the file.

use featherank::Error;
use featherank::data::{
    Dataset, Missing, ReadOptions, Unjudged, WriteOptions, read, read_bytes, write,
};

use crate::workspace::file;

/// LETOR text, plain or compressed.
pub fn letor(input: &[u8]) -> bool {
    let Some((&choice, text)) = input.split_first() else { return false };
    let options = options(choice);
    let data = match read_bytes(text.to_vec(), "fuzz.txt", &options) {
        Ok(data) => data,
        Err(error) => return refused(&error, text),
    };
    check(&data, &options);
    // Files are slow: a part of the inputs is enough to detect a data set that does not survive
    // writing.
    if text.len().is_multiple_of(16) {
        let path = file("again.txt");
        let sparse = choice & 64 != 0;
        // The writer rejects a few query ids that the reader accepts, such as those with a no-break
        // space.
        if write(&data, &path, &WriteOptions { sparse, names: None }).is_ok() {
            let again = read(&[&path], &options).expect("what was written can be read");
            assert_eq!(again, data, "what was written is read back");
        }
    }
    true
}

/// CSV and TSV.
pub fn table(input: &[u8]) -> bool {
    let Some((&choice, text)) = input.split_first() else { return false };
    let name = if choice & 64 == 0 { "fuzz.csv" } else { "fuzz.tsv" };
    read_with(text, name, &with_columns(choice))
}

/// Feature logs.
pub fn feature_log(input: &[u8]) -> bool {
    let Some((&choice, text)) = input.split_first() else { return false };
    read_with(text, "fuzz.json", &options(choice))
}

/// Parquet.
pub fn parquet(input: &[u8]) -> bool {
    let Some((&choice, bytes)) = input.split_first() else { return false };
    let options = with_columns(choice);
    match read_bytes(bytes.to_vec(), "fuzz.parquet", &options) {
        Ok(data) => check(&data, &options),
        Err(error) => {
            drop(error.to_string());
            return false;
        }
    }
    true
}

fn read_with(text: &[u8], name: &str, options: &ReadOptions) -> bool {
    match read_bytes(text.to_vec(), name, options) {
        Ok(data) => check(&data, options),
        Err(error) => return refused(&error, text),
    }
    true
}

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

/// The same, with the roles of columns in the highest bit.
fn with_columns(choice: u8) -> ReadOptions {
    let mut options = options(choice);
    if choice & 128 != 0 {
        options.label_column = Some("a".into());
        options.ignore = vec!["b".into()];
    }
    options
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
    assert!(data.features().identity_order().is_sorted(), "columns are ordered by identity");
}

/// Checks an error: it can be displayed, and one about text names an existing line. Always false.
pub fn refused(error: &Error, text: &[u8]) -> bool {
    let shown = error.to_string();
    assert!(shown.len() < 10_000 + 4 * text.len(), "a message of bounded length");
    if let Error::Input { at, .. } = error
        && let Some(line) = at.line
    {
        let lines = 1 + text.iter().filter(|byte| **byte == b'\n').count() as u64;
        let exists = is_compressed(text) || (1..=lines).contains(&line);
        assert!(exists, "line {line} of {lines}: {shown}");
    }
    false
}

fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
        || bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
        || bytes.starts_with(b"\xfd7zXZ\0")
}
