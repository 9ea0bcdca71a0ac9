//! Deterministic query folds, encoded as hash ranges instead of id lists.
//!
//! Every process computes the same hash for a query from its key and a seed. Queries are sorted by
//! their hashes and cut into folds of equal size, so that a fold is a range of hashes: a few bytes
//! describe it for any number of queries, and the order of the data has no influence.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::random::splitmix;

/// Hashes are below this.
const END: u64 = 1 << 63;

/// Queries whose hashes lie in some ranges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryRange {
    seed: u64,
    ranges: Vec<Range<u64>>,
}

impl QueryRange {
    /// Whether the query with this key ([`super::Schema::query_keys`]) is one of them.
    pub fn contains(&self, key: u64) -> bool {
        let hash = hash(self.seed, key);
        self.ranges.iter().any(|range| range.contains(&hash))
    }
}

fn hash(seed: u64, key: u64) -> u64 {
    splitmix(key ^ splitmix(seed)) >> 1
}

/// A division of queries into folds whose sizes differ by at most one query; queries with the same
/// key share a fold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryFolds {
    seed: u64,
    /// The first hash of each fold, ascending.
    starts: Vec<u64>,
}

impl QueryFolds {
    /// Divides queries with these keys.
    pub fn new(keys: &[u64], folds: usize, seed: u64) -> Self {
        let mut hashes: Vec<u64> = keys.iter().map(|&key| hash(seed, key)).collect();
        hashes.sort_unstable();
        let start = |fold: usize| match fold {
            0 => 0,
            _ => hashes.get(fold * keys.len() / folds).copied().unwrap_or(END),
        };
        QueryFolds { seed, starts: (0..folds).map(start).collect() }
    }

    /// The fold of the query with this key.
    pub fn fold_of(&self, key: u64) -> usize {
        let hash = hash(self.seed, key);
        self.starts.partition_point(|&start| start <= hash) - 1
    }

    /// The queries of the folds for which `is_in` is true.
    pub fn range(&self, is_in: impl Fn(usize) -> bool) -> QueryRange {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for fold in (0..self.starts.len()).filter(|&fold| is_in(fold)) {
            let range = self.starts[fold]..self.starts.get(fold + 1).copied().unwrap_or(END);
            match ranges.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range),
            }
        }
        QueryRange { seed: self.seed, ranges }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folds(keys: &[u64], seed: u64) -> Vec<usize> {
        let folds = QueryFolds::new(keys, 5, seed);
        keys.iter().map(|&key| folds.fold_of(key)).collect()
    }

    #[test]
    fn folds_depend_on_keys_and_have_equal_sizes() {
        let keys: Vec<u64> = (0..23).map(|i| i * 7919 % 101).collect();
        let found = folds(&keys, 7);
        let reversed: Vec<u64> = keys.iter().rev().copied().collect();
        assert_eq!(folds(&reversed, 7).into_iter().rev().collect::<Vec<_>>(), found);
        assert_ne!(folds(&keys, 8), found);
        let sizes: Vec<usize> =
            (0..5).map(|fold| found.iter().filter(|&&f| f == fold).count()).collect();
        assert_eq!(sizes, [4, 5, 4, 5, 5]);
    }

    #[test]
    fn ranges_hold_the_queries_of_their_folds() {
        let keys: Vec<u64> = (0..40).collect();
        let folds = QueryFolds::new(&keys, 5, 3);
        let range = folds.range(|fold| fold != 2);
        assert_eq!(range.ranges.len(), 2, "neighbouring folds are one range");
        for &key in &keys {
            assert_eq!(range.contains(key), folds.fold_of(key) != 2);
        }
        let (all, none) = (folds.range(|_| true), folds.range(|_| false));
        assert!(keys.iter().all(|&key| all.contains(key) && !none.contains(key)));
    }

    /// With more folds than queries some folds are empty; equal keys share a fold.
    #[test]
    fn few_queries_and_equal_keys() {
        assert!(folds(&[9, 9, 9, 9, 9, 9], 1).windows(2).all(|pair| pair[0] == pair[1]));
        let mut found = folds(&[4, 8], 1);
        found.dedup();
        assert_eq!(found.len(), 2);
        assert_eq!(QueryFolds::new(&[], 3, 1).fold_of(5), 0);
    }
}
