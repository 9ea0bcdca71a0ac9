//! Queries that two parts of the data have in common.
//!
//! Rows are compared by a hash of their label and values, so that neither the order of rows nor the
//! id of a query matters. Rows that occur in several training queries, such as those without any
//! value, are ignored: lists share them by chance.

use std::collections::HashMap;

use super::{Dataset, FeatureId};
use crate::error::{Error, Remedy, Result};
use crate::remedy;
use crate::text::counted;

/// Rows of more training queries than this are not evidence that a query is repeated.
const COMMON: usize = 3;

/// The number of rows that a repeated query shares with one training query, at least.
const LEAST_ROWS: usize = 2;

/// The share of queries that may look like training queries.
const ACCEPTED_SHARE: f64 = 0.1;

/// Queries of validation or test data that may also be training queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overlap {
    /// Queries with the id of a training query and other rows: files often number their queries
    /// from 1.
    pub ids: usize,
    /// Queries with the rows of a training query that has another id.
    pub rows: usize,
    /// Queries that share at least half of their rows with a training query.
    pub partly: usize,
}

/// A part of the data and its name, such as `validation`.
#[derive(Debug, Clone, Copy)]
pub struct DataPart<'a> {
    /// The name, before the word "queries".
    pub name: &'a str,
    /// Its queries.
    pub data: &'a Dataset,
}

impl Overlap {
    /// Sentences about queries of `part` that may also be queries of `known`; both are names of
    /// parts.
    pub fn notes(&self, known: &str, part: &str) -> Vec<String> {
        let note = |count: usize, what: String| {
            let queries = counted(count, &format!("{part} quer|y has|ies have"));
            (count > 0).then(|| format!("{queries} {what}"))
        };
        [
            note(
                self.ids,
                format!("the id of a {known} query; make sure that they are other queries"),
            ),
            note(self.rows, format!("the same rows as a {known} query")),
            note(self.partly, format!("at least half of their rows from a {known} query")),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Returns an error if validation data holds training queries: see [`check_parts`].
pub fn check_disjoint(train: &Dataset, valid: &Dataset) -> Result<Overlap> {
    let help = remedy!["use queries that are not in the training data, or leave out ", Valid];
    let part = |name, data| DataPart { name, data };
    check_parts(part("training", train), part("validation", valid), &help)
}

/// Returns an error if a part of the data holds queries of a known part, with the same id and the
/// same rows in any order, or if more than a tenth of its queries have all or half of their rows
/// from a known query: choosing and testing on such queries favours what fits the known part best.
/// Other queries that share ids or rows are counted.
pub fn check_parts(known: DataPart<'_>, part: DataPart<'_>, help: &Remedy) -> Result<Overlap> {
    let index = KnownQueries::of(known.data);
    let (mut overlap, mut equal, mut alike) = (Overlap::default(), Vec::new(), Vec::new());
    let (queries, rows) = (part.data.queries(), row_hashes(part.data));
    for query in 0..queries.len() {
        let id = queries.id(query);
        let own = sorted(&rows[queries.rows(query)]);
        let same_id = index.by_id.get(id).copied();
        match index.shared(&own, same_id) {
            SharedRows::All if same_id.is_some_and(|q| index.rows[q] == own) => equal.push(id),
            SharedRows::All => {
                overlap.rows += 1;
                alike.push(id);
            }
            SharedRows::Half => {
                overlap.partly += 1;
                alike.push(id);
            }
            SharedRows::Few => overlap.ids += usize::from(same_id.is_some()),
        }
    }
    let refused = |shared: &[&str], how: String| {
        let (count, all) = (shared.len(), queries.len());
        let first = shared.first().copied().unwrap_or_default();
        let what = format!("{count} of {all} {} queries {how}, for example {first}", part.name);
        Err(Error::protocol(what, help.clone()))
    };
    if !equal.is_empty() {
        return refused(&equal, format!("are also {} queries", known.name));
    }
    if alike.len() > 1 && alike.len() as f64 > ACCEPTED_SHARE * queries.len() as f64 {
        let how = format!("share at least half of their rows with one {} query", known.name);
        return refused(&alike, how);
    }
    Ok(overlap)
}

/// How many rows of a query belong to one training query.
enum SharedRows {
    All,
    Half,
    Few,
}

/// Training queries by their ids and rows.
struct KnownQueries<'a> {
    by_id: HashMap<&'a str, usize>,
    /// The sorted hashes of the rows of each query.
    rows: Vec<Vec<u64>>,
    /// Hashes of rows with their queries, sorted.
    places: Vec<(u64, u32)>,
}

impl<'a> KnownQueries<'a> {
    fn of(data: &'a Dataset) -> Self {
        let hashes = row_hashes(data);
        let queries = data.queries();
        let rows: Vec<Vec<u64>> =
            (0..queries.len()).map(|q| sorted(&hashes[queries.rows(q)])).collect();
        let place = |(query, rows): (usize, &Vec<u64>)| -> Vec<(u64, u32)> {
            rows.iter().map(|&hash| (hash, query as u32)).collect()
        };
        let mut places: Vec<(u64, u32)> = rows.iter().enumerate().flat_map(place).collect();
        places.sort_unstable();
        places.dedup();
        KnownQueries {
            by_id: (0..queries.len()).map(|q| (queries.id(q), q)).collect(),
            rows,
            places,
        }
    }

    /// The training query that shares most rows with a query, or the one with its id, decides.
    fn shared(&self, own: &[u64], same_id: Option<usize>) -> SharedRows {
        if same_id.is_some_and(|query| self.rows[query] == own) {
            return SharedRows::All;
        }
        let mut votes: HashMap<u32, usize> = HashMap::new();
        let mut distinct = own.to_vec();
        distinct.dedup();
        for &hash in &distinct {
            let start = self.places.partition_point(|&(known, _)| known < hash);
            let holding = self.places[start..].iter().take_while(|&&(known, _)| known == hash);
            let queries: Vec<u32> = holding.take(COMMON + 1).map(|&(_, query)| query).collect();
            if queries.len() <= COMMON {
                queries.into_iter().for_each(|query| *votes.entry(query).or_default() += 1);
            }
        }
        let most = votes.values().copied().max().unwrap_or(0);
        let is_equal = |(&query, _): (&u32, &usize)| self.rows[query as usize] == own;
        match most >= LEAST_ROWS {
            true if votes.iter().any(is_equal) => SharedRows::All,
            true if 2 * most >= distinct.len() => SharedRows::Half,
            _ => SharedRows::Few,
        }
    }
}

fn sorted(hashes: &[u64]) -> Vec<u64> {
    let mut sorted = hashes.to_vec();
    sorted.sort_unstable();
    sorted
}

/// FNV-1a of the label and the values of every row, by bits, so that missing values are equal.
fn row_hashes(data: &Dataset) -> Vec<u64> {
    let features = (0..data.features().len()).map(|f| data.column(FeatureId::from(f)));
    let mut hashes = vec![0xcbf2_9ce4_8422_2325_u64; data.documents()];
    for column in std::iter::once(data.labels()).chain(features) {
        for (hash, value) in hashes.iter_mut().zip(column) {
            // −0 equals 0.
            let bits = u64::from((value + 0.0).to_bits());
            *hash = (*hash ^ bits).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(17);
        }
    }
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ReadOptions, read_bytes};

    fn data(text: &str) -> Dataset {
        read_bytes(text.into(), "data.txt", &ReadOptions::default()).unwrap()
    }

    const TRAIN: &str = "1 qid:1 1:1 2:2\n0 qid:1 1:3 2:4\n1 qid:2 1:5 2:6\n0 qid:2 1:7 2:8\n";

    /// Lists of four documents; row values start at the numbers of `first`.
    fn lists(first: &[(&str, u32)]) -> Dataset {
        let rows = |&(id, first): &(&str, u32)| -> String {
            (0..4).map(|i| format!("{} qid:{id} 1:{}\n", i % 2, first + i)).collect()
        };
        data(&first.iter().map(rows).collect::<String>())
    }

    fn says(train: &Dataset, valid: &Dataset) -> String {
        check_disjoint(train, valid).unwrap_err().to_string()
    }

    #[test]
    fn training_queries_are_refused_as_validation_queries() {
        let valid = "0 qid:9 1:1 2:1\n1 qid:2 1:5 2:6\n0 qid:2 1:7 2:8\n";
        let error = says(&data(TRAIN), &data(valid));
        assert!(error.contains("1 of 2 validation queries"), "{error}");
        assert!(error.contains("for example 2"), "{error}");
        assert!(check_disjoint(&data(TRAIN), &data(TRAIN)).is_err());
        let shuffled = "0 qid:2 1:7 2:8\n1 qid:2 1:5 2:6\n";
        assert!(says(&data(TRAIN), &data(shuffled)).contains("1 of 1 validation queries are also"));
    }

    #[test]
    fn equal_ids_or_equal_rows_alone_are_counted() {
        let ids = "1 qid:1 1:9 2:9\n0 qid:1 1:3 2:4\n";
        let found = check_disjoint(&data(TRAIN), &data(ids)).unwrap();
        assert_eq!(found, Overlap { ids: 1, ..Overlap::default() });
        let rows = "1 qid:a 1:5 2:6\n0 qid:a 1:7 2:8\n1 qid:b 1:5 2:6\n1 qid:b 1:5 2:6\n";
        let found = check_disjoint(&data(TRAIN), &data(rows)).unwrap();
        assert_eq!(found, Overlap { rows: 1, ..Overlap::default() });
        assert_eq!(
            found.notes("training", "validation"),
            ["1 validation query has the same rows as a training query"]
        );
    }

    #[test]
    fn many_equal_or_partly_equal_queries_are_refused() {
        let train = lists(&[("1", 0), ("2", 10), ("3", 20), ("4", 30)]);
        let renamed = lists(&[("a", 0), ("b", 10), ("c", 50)]);
        let error = says(&train, &renamed);
        assert!(error.contains("2 of 3 validation queries share at least half"), "{error}");
        // Two of four rows.
        let moved = lists(&[("a", 2), ("b", 12), ("c", 50)]);
        assert!(says(&train, &moved).contains("2 of 3"));
        let few: Vec<(String, u32)> = (0..20).map(|i| (format!("v{i}"), 100 + 10 * i)).collect();
        let mut few: Vec<(&str, u32)> = few.iter().map(|(id, first)| (&id[..], *first)).collect();
        few.push(("a", 2));
        let found = check_disjoint(&train, &lists(&few)).unwrap();
        assert_eq!(found, Overlap { partly: 1, ..Overlap::default() });
        assert!(found.notes("training", "test")[0].starts_with("1 test query has at least half"));
    }

    #[test]
    fn rows_that_many_queries_have_are_no_evidence() {
        let same = |ids: &[&str]| lists(&ids.iter().map(|id| (*id, 0)).collect::<Vec<_>>());
        let train = same(&["1", "2", "3", "4", "5"]);
        let found = check_disjoint(&train, &same(&["a", "b", "c"])).unwrap();
        assert_eq!(found, Overlap::default());
    }
}
