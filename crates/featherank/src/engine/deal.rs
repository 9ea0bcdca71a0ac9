//! Queries dealt into parts of equal size, told without naming them.
//!
//! Everybody draws the same number for a query from its key and a seed. In the order of these
//! numbers queries are cut into parts, so that a part is a range of numbers: a few bytes say which
//! queries are meant, however many there are, and the order of the data has no say.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::random::splitmix;

/// Numbers are below this.
const END: u64 = 1 << 63;

/// Queries whose numbers lie in some ranges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drawn {
    seed: u64,
    ranges: Vec<Range<u64>>,
}

impl Drawn {
    /// Whether the query with this key ([`super::Schema::query_keys`]) is one of them.
    pub fn has(&self, key: u64) -> bool {
        let number = number(self.seed, key);
        self.ranges.iter().any(|range| range.contains(&number))
    }
}

fn number(seed: u64, key: u64) -> u64 {
    splitmix(key ^ splitmix(seed)) >> 1
}

/// Queries in parts that differ by one query at most; those with the same key are never apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deal {
    seed: u64,
    /// The numbers at which parts begin; they ascend.
    starts: Vec<u64>,
}

impl Deal {
    /// Queries with these keys.
    pub fn new(keys: &[u64], parts: usize, seed: u64) -> Self {
        let mut numbers: Vec<u64> = keys.iter().map(|&key| number(seed, key)).collect();
        numbers.sort_unstable();
        let start = |part: usize| match part {
            0 => 0,
            _ => numbers.get(part * keys.len() / parts).copied().unwrap_or(END),
        };
        Deal { seed, starts: (0..parts).map(start).collect() }
    }

    /// The part of the query with this key.
    pub fn part_of(&self, key: u64) -> usize {
        let number = number(self.seed, key);
        self.starts.partition_point(|&start| start <= number) - 1
    }

    /// The queries of the parts of which this is true.
    pub fn drawn(&self, is_in: impl Fn(usize) -> bool) -> Drawn {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for part in (0..self.starts.len()).filter(|&part| is_in(part)) {
            let range = self.starts[part]..self.starts.get(part + 1).copied().unwrap_or(END);
            match ranges.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range),
            }
        }
        Drawn { seed: self.seed, ranges }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(keys: &[u64], seed: u64) -> Vec<usize> {
        let deal = Deal::new(keys, 5, seed);
        keys.iter().map(|&key| deal.part_of(key)).collect()
    }

    #[test]
    fn parts_follow_keys_and_are_even() {
        let keys: Vec<u64> = (0..23).map(|i| i * 7919 % 101).collect();
        let dealt = parts(&keys, 7);
        let reversed: Vec<u64> = keys.iter().rev().copied().collect();
        assert_eq!(parts(&reversed, 7).into_iter().rev().collect::<Vec<_>>(), dealt);
        assert_ne!(parts(&keys, 8), dealt);
        let sizes: Vec<usize> =
            (0..5).map(|part| dealt.iter().filter(|&&p| p == part).count()).collect();
        assert_eq!(sizes, [4, 5, 4, 5, 5]);
    }

    #[test]
    fn ranges_hold_the_queries_of_their_parts() {
        let keys: Vec<u64> = (0..40).collect();
        let deal = Deal::new(&keys, 5, 3);
        let wanted = deal.drawn(|part| part != 2);
        assert_eq!(wanted.ranges.len(), 2, "neighbouring parts are one range");
        for &key in &keys {
            assert_eq!(wanted.has(key), deal.part_of(key) != 2);
        }
        assert!(
            keys.iter()
                .all(|&key| deal.drawn(|_| true).has(key) && !deal.drawn(|_| false).has(key))
        );
    }

    /// More parts than queries leave some parts empty; equal keys share a part.
    #[test]
    fn few_queries_and_equal_keys() {
        assert!(parts(&[9, 9, 9, 9, 9, 9], 1).windows(2).all(|pair| pair[0] == pair[1]));
        let mut dealt = parts(&[4, 8], 1);
        dealt.dedup();
        assert_eq!(dealt.len(), 2);
        assert_eq!(Deal::new(&[], 3, 1).part_of(5), 0);
    }
}
