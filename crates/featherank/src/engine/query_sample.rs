//! Samples and folds of the queries, encoded as ranges of numbers instead of id lists.
//!
//! Every process computes the same number for a query from its identity and a seed. A sample is the
//! queries whose numbers lie in some ranges: a few bytes describe it for any number of queries, and
//! the order of the data has no influence. A share of the queries is one range from 0. Folds are
//! ranges between quantiles: queries are sorted by their numbers and cut into folds of equal size.
//!
//! Shares and folds are salted differently ([`Numbering`]), so that a share of the queries is not a
//! union of the folds that a method makes with the same seed.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Schema;
use crate::random::splitmix;

/// Numbers of queries are below this.
const END: u64 = 1 << 63;

/// What queries are numbered for: equal seeds give unrelated numbers for different purposes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Numbering {
    /// Division into folds.
    Folds,
    /// A share of the queries.
    Share,
}

impl Numbering {
    /// The number of the query with this key.
    fn number(self, seed: u64, key: u64) -> u64 {
        let salt = match self {
            Numbering::Folds => 0,
            Numbering::Share => splitmix(1),
        };
        splitmix(key ^ splitmix(seed ^ salt)) >> 1
    }
}

/// A sample of the queries: those whose numbers lie in some ranges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuerySample {
    numbering: Numbering,
    seed: u64,
    ranges: Vec<Range<u64>>,
}

impl QuerySample {
    /// About this share of the queries, from 0 to 1: each is drawn independently of the others.
    pub fn of_share(share: f64, seed: u64) -> Self {
        let range = 0..((share * END as f64).ceil() as u64).min(END);
        QuerySample { numbering: Numbering::Share, seed, ranges: vec![range] }
    }

    /// Whether the query with this key ([`super::Schema::query_keys`]) is one of them.
    pub fn contains(&self, key: u64) -> bool {
        let number = self.numbering.number(self.seed, key);
        self.ranges.iter().any(|range| range.contains(&number))
    }

    /// The places of the sample's queries in a schema.
    pub(super) fn places(&self, schema: &Schema) -> Vec<usize> {
        (0..schema.queries()).filter(|&q| self.contains(schema.query_keys[q])).collect()
    }
}

/// A division of queries into folds whose sizes differ by at most one query; queries with the same
/// key share a fold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryFolds {
    seed: u64,
    /// The first number of each fold, ascending.
    starts: Vec<u64>,
}

impl QueryFolds {
    /// Divides queries with these keys.
    pub fn new(keys: &[u64], folds: usize, seed: u64) -> Self {
        let mut numbers: Vec<u64> =
            keys.iter().map(|&key| Numbering::Folds.number(seed, key)).collect();
        numbers.sort_unstable();
        let start = |fold: usize| match fold {
            0 => 0,
            _ => numbers.get(fold * keys.len() / folds).copied().unwrap_or(END),
        };
        QueryFolds { seed, starts: (0..folds).map(start).collect() }
    }

    /// Divides this share of the queries, or somewhat less, into `folds` folds; the other queries
    /// are in further folds of the same size.
    pub fn of_share(keys: &[u64], folds: usize, share: f64, seed: u64) -> Self {
        Self::new(keys, ((folds as f64 / share).floor() as usize).max(folds), seed)
    }

    /// The number of folds.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The fold of the query with this key.
    pub fn fold_of(&self, key: u64) -> usize {
        let number = Numbering::Folds.number(self.seed, key);
        self.starts.partition_point(|&start| start <= number) - 1
    }

    /// The queries of the folds for which `is_in` is true.
    pub fn sample(&self, is_in: impl Fn(usize) -> bool) -> QuerySample {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for fold in (0..self.starts.len()).filter(|&fold| is_in(fold)) {
            let range = self.starts[fold]..self.starts.get(fold + 1).copied().unwrap_or(END);
            match ranges.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range),
            }
        }
        QuerySample { numbering: Numbering::Folds, seed: self.seed, ranges }
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
    fn samples_hold_the_queries_of_their_folds() {
        let keys: Vec<u64> = (0..40).collect();
        let folds = QueryFolds::new(&keys, 5, 3);
        let sample = folds.sample(|fold| fold != 2);
        assert_eq!(sample.ranges.len(), 2, "neighbouring folds are one range");
        for &key in &keys {
            assert_eq!(sample.contains(key), folds.fold_of(key) != 2);
        }
        let (all, none) = (folds.sample(|_| true), folds.sample(|_| false));
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

    #[test]
    fn folds_of_a_share_have_its_size() {
        let keys: Vec<u64> = (0..100).collect();
        let folds = QueryFolds::of_share(&keys, 3, 0.3, 1);
        assert_eq!(folds.count(), 10);
        assert_eq!(keys.iter().filter(|&&key| folds.fold_of(key) < 3).count(), 30);
        assert_eq!(QueryFolds::of_share(&keys, 3, 1.0, 1), QueryFolds::new(&keys, 3, 1));
    }

    #[test]
    fn shares_are_drawn_by_key_and_seed() {
        let drawn = |share, seed| {
            let sample = QuerySample::of_share(share, seed);
            (0..2000).map(|key| sample.contains(key)).collect::<Vec<bool>>()
        };
        let count = drawn(0.3, 1).iter().filter(|&&drawn| drawn).count();
        assert!((520..680).contains(&count), "{count} of 600");
        assert_ne!(drawn(0.3, 1), drawn(0.3, 2));
        assert!(drawn(1.0, 1).iter().all(|&drawn| drawn));
        assert!(!drawn(0.0, 1).iter().any(|&drawn| drawn));
    }

    #[test]
    fn shares_are_no_unions_of_folds() {
        let keys: Vec<u64> = (0..4000).collect();
        let (folds, half) = (QueryFolds::new(&keys, 2, 1), QuerySample::of_share(0.5, 1));
        let both = keys.iter().filter(|&&key| half.contains(key) && folds.fold_of(key) == 0);
        let both = both.count();
        assert!((900..1100).contains(&both), "{both} of about 1000");
    }
}
