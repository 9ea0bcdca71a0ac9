//! Cases found by fuzzing and by review that need several files; the others are beside the code.
#![allow(clippy::unwrap_used, reason = "a failure in a helper is a failed test")]

use crate::common::{Folder, xz, zstd};
use featherank::data::{ReadOptions, read, read_bytes};

/// A query of size 0 in one side file used to take the name of a query of the next file.
#[test]
fn empty_queries_in_side_files_take_no_name() {
    let folder = Folder::new();
    let files = [folder.put("a.txt", "1 1:1\n0 1:2\n"), folder.put("b.txt", "1 1:3\n")];
    folder.put("a.txt.query", "0\n2\n");
    folder.put("b.txt.group", "1\n0\n");
    let data = read(&files, &ReadOptions::default()).unwrap();
    assert_eq!(data.queries().ids(), ["1", "2"]);
    assert_eq!(data.queries().sizes().collect::<Vec<_>>(), [2, 1]);
}

/// Small when compressed, large when decompressed: every reader stops long before the end.
#[test]
fn endless_compressed_input_is_rejected() {
    let endless = |start: &str| {
        let mut text = start.as_bytes().to_vec();
        text.resize(140 << 20, b'1');
        zstd(text)
    };
    let options = ReadOptions { max_bytes: 16 << 20, ..ReadOptions::default() };
    for (name, start, says) in [
        ("a.txt", "1 qid:1 1:", "this line is longer than 64 MiB"),
        ("a.csv", "label,qid,a\n1,1,\"", "this row is longer than 64 MiB"),
        ("a.parquet", "PAR1", "this file is longer than 16 MiB"),
    ] {
        let error = read_bytes(endless(start), name, &options).unwrap_err().to_string();
        assert!(error.contains(says) && error.contains("help:"), "{name}: {error}");
    }
}

/// A names file that lists every id of wide data is read in one pass.
#[test]
fn many_features_are_named_in_one_pass() {
    let folder = Folder::new();
    let data = folder.put("a.txt", "1 qid:1 300000:1\n");
    let names: String = (1..=300_000).rev().map(|id| format!("{id}\tname {id}\n")).collect();
    let names = Some(folder.put("names.txt.xz", xz(names)));
    let data = read(&[data], &ReadOptions { names, ..ReadOptions::default() }).unwrap();
    assert_eq!(data.features().label(299_999.into()), "name 300000");
}
