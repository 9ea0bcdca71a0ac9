//! What is written is read back unchanged, to the last bit, in every writable format.
#![allow(clippy::unwrap_used, reason = "a failure in a helper is a failed test")]

use std::path::Path;

use crate::common::Folder;
use featherank::Error;
use featherank::data::{
    Dataset, Feature, FeatureTable, Queries, ReadOptions, TextColumn, WriteOptions, read,
    read_bytes, write,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// What a format can hold.
#[derive(Clone, Copy)]
struct FormatLimits {
    ids: &'static str,
    texts: &'static str,
    named: bool,
}

/// Words without blanks; texts of one line that do not end in a blank; features 1, 2, 3 … without
/// names.
const TEXT: FormatLimits =
    FormatLimits { ids: "[a-zA-Z0-9_:.é-]{1,6}", texts: "[ -~é]{0,10}[!-~é]|", named: false };
const PARQUET: FormatLimits =
    FormatLimits { ids: "\\PC{0,6}", texts: "[ -~é\n\t]{0,10}", named: true };

fn number() -> impl Strategy<Value = f32> {
    use proptest::num::f32 as any;
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        1e-45,
        16_777_217.0,
        0.1,
        1e9,
    ];
    prop_oneof![
        1 => proptest::sample::select(special.to_vec()),
        2 => any::POSITIVE | any::NEGATIVE | any::NORMAL | any::SUBNORMAL | any::ZERO,
    ]
}

fn label() -> impl Strategy<Value = f32> {
    prop_oneof![(0..5u8).prop_map(f32::from), 0.0..31.0f32]
}

fn features(width: usize, limits: FormatLimits) -> BoxedStrategy<FeatureTable> {
    if !limits.named {
        return Just(FeatureTable::numbered(width, 1)).boxed();
    }
    let names =
        prop_oneof![Just("label".to_owned()), Just("QID".into()), Just("url".into()), "\\PC{1,5}"];
    vec((option::of(names), 1..100u32), width)
        .prop_map(|features| {
            let mut id = 0;
            let table = FeatureTable::from_features(
                features
                    .into_iter()
                    .map(|(name, step)| {
                        id += step;
                        Feature { id, name }
                    })
                    .collect(),
            );
            match table.first_duplicate() {
                Some(_) => FeatureTable::numbered(table.len(), 1),
                None => table,
            }
        })
        .boxed()
}

fn dataset(limits: FormatLimits) -> impl Strategy<Value = Dataset> {
    (vec((limits.ids, 1..5usize), 1..6), 1..5usize).prop_flat_map(move |(queries, width)| {
        // A number after each id makes it unique.
        let ids = queries.iter().enumerate().map(|(i, (id, _))| format!("{id}{i}")).collect();
        let sizes: Vec<usize> = queries.iter().map(|(_, size)| *size).collect();
        let queries = Queries::new(&sizes, ids);
        let rows = queries.documents();
        let parts = (
            vec(number(), rows * width),
            vec(label(), rows),
            features(width, limits),
            option::of(vec(limits.texts, rows)),
        );
        parts.prop_map(move |(values, labels, features, texts)| {
            let texts = texts.map(|texts| texts.iter().map(String::as_str).collect::<TextColumn>());
            Dataset::new(values, labels, queries.clone(), features).with_documents(texts)
        })
    })
}

fn round_trip(data: &Dataset, path: &Path, options: &WriteOptions) -> Dataset {
    write(data, path, options).unwrap();
    read(&[path], &ReadOptions::default()).unwrap()
}

/// Equality does not distinguish 0 from -0; their bits do.
fn bits(data: &Dataset) -> Vec<u32> {
    data.values().iter().chain(data.labels()).map(|value| value.to_bits()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn text_round_trips_in_every_compression(data in dataset(TEXT), sparse: bool) {
        let folder = Folder::new();
        for name in ["t.txt", "t.txt.gz", "t.txt.zst", "t.txt.xz"] {
            let back = round_trip(&data, &folder.path(name), &WriteOptions { sparse, names: None });
            prop_assert_eq!(&back, &data, "{}", name);
            prop_assert_eq!(bits(&back), bits(&data), "{}", name);
        }
    }

    #[test]
    fn parquet_round_trips(data in dataset(PARQUET)) {
        let folder = Folder::new();
        let back = round_trip(&data, &folder.path("t.parquet"), &WriteOptions::default());
        prop_assert_eq!(&back, &data);
        prop_assert_eq!(bits(&back), bits(&data));
    }

    #[test]
    fn text_survives_conversion_to_parquet(data in dataset(TEXT)) {
        let (folder, options) = (Folder::new(), WriteOptions::default());
        let (first, last) = (folder.path("first.txt"), folder.path("last.txt"));
        let read_once = round_trip(&data, &first, &options);
        let in_parquet = round_trip(&read_once, &folder.path("t.parquet"), &options);
        let read_again = round_trip(&in_parquet, &last, &options);
        prop_assert_eq!(read_once, read_again);
        prop_assert_eq!(std::fs::read(first).unwrap(), std::fs::read(last).unwrap());
    }
}

#[test]
fn names_are_written_beside_the_text() {
    let folder = Folder::new();
    let data =
        read_bytes("label,qid,bm25,page age\n1,a,2,3\n".into(), "t.csv", &ReadOptions::default())
            .unwrap();
    let (text, names) = (folder.path("t.txt"), folder.path("t.names"));
    write(&data, &text, &WriteOptions { sparse: true, names: Some(names.clone()) }).unwrap();
    assert_eq!(std::fs::read_to_string(&names).unwrap(), "1\tbm25\n2\tpage age\n");
    let options = ReadOptions { names: Some(names), ..ReadOptions::default() };
    assert_eq!(read(&[text], &options).unwrap(), data);
}

#[test]
fn unwritable_data_is_rejected_and_leaves_no_file() {
    let folder = Folder::new();
    let data = |query: &str| {
        let queries = Queries::new(&[1], vec![query.into()]);
        Dataset::new(vec![1.0], vec![0.0], queries, FeatureTable::numbered(1, 1))
    };
    for (name, query, message) in [
        ("t.csv", "a", "can be read but not written"),
        ("t.parquet.gz", "a", "already compressed"),
        ("t.docx", "a", "format of this file is not clear"),
        ("t.txt", "a b", "query id `a b`"),
        ("t.txt.gz", "a#b", "query id `a#b`"),
    ] {
        let error = write(&data(query), &folder.path(name), &WriteOptions::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(message) && error.contains("help:"), "{error}");
        assert!(!folder.path(name).exists());
    }
    let nowhere = write(&data("a"), &folder.path("no/such/t.txt"), &WriteOptions::default());
    assert!(matches!(nowhere, Err(Error::Io { .. })));
    assert_eq!(std::fs::read_dir(folder.path(".")).unwrap().count(), 0);
}
