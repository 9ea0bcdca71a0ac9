//! Queries that training and validation data have in common.

use std::collections::HashMap;

use super::{Dataset, FeatureId};
use crate::error::{Error, Result};
use crate::remedy;

/// Queries of validation data that may also be training queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overlap {
    /// Queries with the id of a training query and other rows: files often number their queries
    /// from 1.
    pub ids: usize,
    /// Queries with the rows of a training query that has another id.
    pub rows: usize,
}

/// Returns an error if validation data holds queries of the training data, with the same id and the
/// same rows: early stopping and tuning on them choose what fits the training data best. Queries
/// that share only the id or only the rows are counted.
pub fn check_disjoint(train: &Dataset, valid: &Dataset) -> Result<Overlap> {
    let (known, new) = (train.queries(), valid.queries());
    let by_id: HashMap<&str, usize> = (0..known.len()).map(|q| (known.id(q), q)).collect();
    let by_rows: HashMap<u64, usize> = (0..known.len()).map(|q| (hash(train, q), q)).collect();
    let (mut overlap, mut shared) = (Overlap::default(), Vec::new());
    for query in 0..new.len() {
        let same = |other: usize| same_rows(train, other, valid, query);
        match by_id.get(new.id(query)) {
            Some(&other) if same(other) => shared.push(new.id(query)),
            Some(_) => overlap.ids += 1,
            // Lists of equal rows are alike by chance.
            None if varies(valid, query) => {
                let other = by_rows.get(&hash(valid, query));
                overlap.rows += usize::from(other.is_some_and(|&other| same(other)));
            }
            None => {}
        }
    }
    match shared.first() {
        None => Ok(overlap),
        Some(first) => Err(Error::protocol(
            format!(
                "{} of {} validation queries are also training queries, for example {first}",
                shared.len(),
                new.len()
            ),
            remedy!["use queries that are not in the training data, or leave out ", Valid],
        )),
    }
}

fn columns(data: &Dataset) -> impl Iterator<Item = &[f32]> {
    let features = (0..data.features().len()).map(|f| data.column(FeatureId::from(f)));
    std::iter::once(data.labels()).chain(features)
}

/// FNV-1a of the labels and values of a query.
fn hash(data: &Dataset, query: usize) -> u64 {
    let rows = data.queries().rows(query);
    let values = columns(data).flat_map(|column| &column[rows.clone()]);
    values.fold(0xcbf2_9ce4_8422_2325, |hash, value| {
        (hash ^ u64::from(value.to_bits())).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn same_rows(a: &Dataset, of_a: usize, b: &Dataset, of_b: usize) -> bool {
    let (rows_a, rows_b) = (a.queries().rows(of_a), b.queries().rows(of_b));
    rows_a.len() == rows_b.len()
        && columns(a).zip(columns(b)).all(|(x, y)| {
            // By bits, so that missing values are equal.
            let pairs = x[rows_a.clone()].iter().zip(&y[rows_b.clone()]);
            pairs.into_iter().all(|(x, y)| x.to_bits() == y.to_bits())
        })
}

fn varies(data: &Dataset, query: usize) -> bool {
    let rows = data.queries().rows(query);
    columns(data).any(|column| {
        let values = &column[rows.clone()];
        values.iter().any(|value| value.to_bits() != values[0].to_bits())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ReadOptions, read_bytes};

    fn data(text: &str) -> Dataset {
        read_bytes(text.into(), "data.txt", &ReadOptions::default()).unwrap()
    }

    const TRAIN: &str = "1 qid:1 1:1 2:2\n0 qid:1 1:3 2:4\n1 qid:2 1:5 2:6\n0 qid:2 1:7 2:8\n";

    #[test]
    fn training_queries_are_refused_as_validation_queries() {
        let valid = "0 qid:9 1:1 2:1\n1 qid:2 1:5 2:6\n0 qid:2 1:7 2:8\n";
        let error = check_disjoint(&data(TRAIN), &data(valid)).unwrap_err().to_string();
        assert!(error.contains("1 of 2 validation queries"), "{error}");
        assert!(error.contains("for example 2"), "{error}");
        assert!(check_disjoint(&data(TRAIN), &data(TRAIN)).is_err());
    }

    #[test]
    fn equal_ids_or_equal_rows_alone_are_counted() {
        let ids = "1 qid:1 1:9 2:9\n0 qid:1 1:3 2:4\n";
        let found = check_disjoint(&data(TRAIN), &data(ids)).unwrap();
        assert_eq!(found, Overlap { ids: 1, rows: 0 });
        let rows = "1 qid:a 1:5 2:6\n0 qid:a 1:7 2:8\n1 qid:b 1:5 2:6\n1 qid:b 1:5 2:6\n";
        let found = check_disjoint(&data(TRAIN), &data(rows)).unwrap();
        assert_eq!(found, Overlap { ids: 0, rows: 1 });
    }
}
