//! Missing values that are kept: in every reader and writer, and in the methods that accept them.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use crate::common::{Folder, column, parquet};
use arrow_array::{Float32Array, Float64Array, StringArray};
use featherank::data::{
    Dataset, FeatureTable, Missing, Queries, ReadOptions, WriteOptions, read, read_bytes, write,
};
use featherank::engine::LocalEngine;
use featherank::registry;
use featherank::run::{Constraints, Run};

fn keep() -> ReadOptions {
    ReadOptions { missing: Missing::Keep, ..ReadOptions::default() }
}

/// `None` for a missing value.
fn values(data: &Dataset) -> Vec<Option<f32>> {
    data.values().iter().map(|&x| (!x.is_nan()).then_some(x)).collect()
}

#[test]
fn every_reader_keeps_them() {
    let log = |features: &str| {
        format!(
            r#"{{"qid":"a","hits":{{"hits":[{{"_id":"d","label":1,"fields":{{"_ltrlog":[{{"l":[{features}]}}]}}}}]}}}}"#
        )
    };
    let late = log(r#"{"name":"x","value":2}"#) + &log(r#"{"name":"x"},{"name":"z","value":3}"#);
    let nulls = parquet(vec![
        ("label", column(Float32Array::from(vec![1.0, 0.0]))),
        ("qid", column(StringArray::from(vec!["a", "a"]))),
        ("x", column(Float64Array::from(vec![Some(2.0), None]))),
        ("z", column(Float32Array::from(vec![f32::NAN, 3.0]))),
    ]);
    for (name, bytes) in [
        ("t.txt", b"1 qid:a 1:2 2:NULL\n0 qid:a 1:nan 2:3\n".to_vec()),
        ("t.csv", b"label,qid,x,z\n1,a,2,\n0,a,NA,3\n".to_vec()),
        ("t.json", late.into_bytes()),
        ("t.parquet", nulls),
    ] {
        let data = read_bytes(bytes.clone(), name, &keep()).unwrap();
        assert_eq!(values(&data), [Some(2.0), None, None, Some(3.0)], "{name}");
        let error = read_bytes(bytes, name, &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.contains("missing = zero"), "{name}: {error}");
    }
}

/// A value that a sparse row omits is 0, for any treatment of missing values.
#[test]
fn absent_is_zero_in_sparse_rows() {
    let data = read_bytes(b"1 qid:a 1:2\n0 qid:a 2:NULL\n".to_vec(), "t.txt", &keep()).unwrap();
    assert_eq!(values(&data), [Some(2.0), Some(0.0), Some(0.0), None]);
}

fn with_missing() -> Dataset {
    let none = f32::NAN;
    let values = vec![1., none, 3., 0., none, none, none, none, 5., 6., 7., 8.];
    Dataset::new(
        values,
        vec![1., 0., 0., 2.],
        Queries::from_sizes(&[2, 2]),
        FeatureTable::numbered(3, 1),
    )
}

#[test]
fn every_writer_keeps_them() {
    let folder = Folder::new();
    for (name, sparse) in [("t.txt", false), ("sparse.txt.gz", true), ("t.parquet", false)] {
        let path = folder.path(name);
        write(&with_missing(), &path, &WriteOptions { sparse, names: None }).unwrap();
        assert_eq!(values(&read(&[&path], &keep()).unwrap()), values(&with_missing()), "{name}");
        let zero = ReadOptions { missing: Missing::Zero, ..ReadOptions::default() };
        assert_eq!(read(&[&path], &zero).unwrap().values().iter().sum::<f32>(), 30.0, "{name}");
    }
    assert!(
        std::fs::read_to_string(folder.path("t.txt"))
            .unwrap()
            .starts_with("1 qid:1 1:1 2:NULL 3:5\n")
    );
}

#[test]
fn methods_that_do_not_accept_them_return_an_error() {
    let run = Run::new(1, Constraints::default());
    let engine = LocalEngine::new(with_missing(), 1).unwrap();
    for spec in registry::SELECTORS {
        let error = spec.run(&[], &run, &engine).unwrap_err().to_string();
        assert!(
            error.contains("feature 1 has some") && error.contains("missing = zero"),
            "{error}"
        );
    }
    for spec in registry::RANKERS {
        let data = with_missing();
        match spec.fit(&[], &run, &data.view(), None) {
            Ok(_) => assert!(spec.takes_missing, "{}", spec.name),
            Err(error) => {
                assert!(
                    !spec.takes_missing && error.to_string().contains("feature 1 has some"),
                    "{error}"
                );
            }
        }
    }
}
