//! A hash that changes with any label, value, query or feature, and that can be combined from the
//! hashes of parts.
//!
//! Each column is read as the digits of a number in base [`BASE`], modulo 2⁶⁴, with every value
//! mixed first. The number of two consecutive parts then follows from those of each: that of the
//! first times the base to the power of the second's length, plus that of the second.

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::dataset::Dataset;
use super::features::{FeatureId, FeatureTable};
use super::hash::Fnv;

/// Odd, so that multiplication loses no digit.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The fingerprint of consecutive queries of a data set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    columns: Vec<Digits>,
    labels: Digits,
    queries: Digits,
}

/// The digits of a number, with their count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Digits {
    value: u64,
    count: u64,
}

impl Digits {
    fn push(&mut self, digit: u64) {
        self.value = self.value.wrapping_mul(BASE).wrapping_add(mixed(digit));
        self.count += 1;
    }

    fn of(values: &[f32]) -> Self {
        let mut digits = Digits::default();
        values.iter().for_each(|value| digits.push(u64::from(value.to_bits())));
        digits
    }

    fn followed_by(self, next: Self) -> Self {
        // A power beyond 32 bits is computed in two steps.
        let low = BASE.wrapping_pow(next.count as u32);
        let high = (0..32)
            .fold(BASE, |power, _| power.wrapping_mul(power))
            .wrapping_pow((next.count >> 32) as u32);
        Digits {
            value: self.value.wrapping_mul(low).wrapping_mul(high).wrapping_add(next.value),
            count: self.count + next.count,
        }
    }
}

/// Spreads every input bit over all bits (the constants of SplitMix64).
fn mixed(digit: u64) -> u64 {
    let mixed = (digit ^ digit >> 30).wrapping_add(1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ mixed >> 27
}

impl Fingerprint {
    /// The fingerprint of consecutive queries.
    pub fn of(data: &Dataset, queries: Range<usize>) -> Self {
        let rows = match queries.is_empty() {
            true => 0..0,
            false => {
                data.queries().rows(queries.start).start..data.queries().rows(queries.end - 1).end
            }
        };
        let column = |f: usize| Digits::of(&data.column(FeatureId::from(f))[rows.clone()]);
        let mut sizes = Digits::default();
        for query in queries {
            sizes.push(data.queries().key(query));
            sizes.push(data.queries().rows(query).len() as u64);
        }
        Fingerprint {
            columns: (0..data.features().len()).into_par_iter().map(column).collect(),
            labels: Digits::of(&data.labels()[rows.clone()]),
            queries: sizes,
        }
    }

    /// The fingerprint of these queries followed by the next ones.
    #[must_use]
    pub fn followed_by(self, next: Fingerprint) -> Self {
        let columns = self.columns.into_iter().zip(next.columns);
        Fingerprint {
            columns: columns.map(|(own, next)| own.followed_by(next)).collect(),
            labels: self.labels.followed_by(next.labels),
            queries: self.queries.followed_by(next.queries),
        }
    }

    /// The fingerprint as text, combined with the names of the features.
    pub fn text(&self, features: &FeatureTable) -> String {
        let mut hash = Fnv::default();
        let columns = self.columns.iter().chain([&self.labels, &self.queries]);
        columns.for_each(|digits| hash.write(&digits.value.to_le_bytes()));
        features.iter().for_each(|(_, feature)| hash.write(feature.label().as_bytes()));
        format!("{:016x}", hash.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Queries;

    fn data() -> Dataset {
        let queries = Queries::new(&[2, 1, 3], ["a", "b", "c"].map(String::from).to_vec());
        let values = (0..12).map(|x| x as f32 / 7.0).collect();
        Dataset::new(values, vec![0., 1., 2., 0., 0., 1.], queries, FeatureTable::numbered(2, 1))
    }

    #[test]
    fn parts_combine_to_the_whole() {
        let data = data();
        let whole = Fingerprint::of(&data, 0..3);
        for cut in 0..=3 {
            assert_eq!(
                Fingerprint::of(&data, 0..cut).followed_by(Fingerprint::of(&data, cut..3)),
                whole
            );
        }
        assert_eq!(whole.text(data.features()), data.fingerprint());
    }

    #[test]
    fn every_part_changes_the_fingerprint() {
        let print = data().fingerprint();
        let table = FeatureTable::numbered(2, 1);
        let with = |values: Vec<f32>,
                    labels: Vec<f32>,
                    sizes: &[usize],
                    ids: [&str; 3],
                    table: FeatureTable| {
            let queries = Queries::new(sizes, ids.map(String::from).to_vec());
            Dataset::new(values, labels, queries, table).fingerprint()
        };
        let (values, labels) = (data().values().to_vec(), data().labels().to_vec());
        let (sizes, ids) = ([2, 1, 3], ["a", "b", "c"]);
        assert_eq!(with(values.clone(), labels.clone(), &sizes, ids, table.clone()), print);
        let mut value = values.clone();
        value[7] = -value[7];
        let mut swapped = values.clone();
        swapped.swap(1, 2);
        let mut label = labels.clone();
        label[0] = 1.0;
        let mut names = table.clone();
        names.set_names(vec!["x".into(), "y".into()]);
        for changed in [
            with(value, labels.clone(), &sizes, ids, table.clone()),
            with(swapped, labels.clone(), &sizes, ids, table.clone()),
            with(values.clone(), label, &sizes, ids, table.clone()),
            with(values.clone(), labels.clone(), &[1, 2, 3], ids, table.clone()),
            with(values.clone(), labels.clone(), &sizes, ["a", "d", "c"], table.clone()),
            with(values, labels, &sizes, ids, names),
        ] {
            assert_ne!(changed, print);
        }
    }

    #[test]
    fn long_parts_are_shifted_by_their_length() {
        let one = Digits { value: 1, count: 1 };
        let long = Digits { value: 0, count: (1 << 32) + 3 };
        let steps =
            (0..4).fold(one, |sum, _| sum.followed_by(Digits { value: 0, count: long.count / 4 }));
        assert_eq!(one.followed_by(long).count, 4 + (1 << 32));
        let rest = Digits { value: 0, count: long.count - 4 * (long.count / 4) };
        assert_eq!(steps.followed_by(rest), one.followed_by(long));
    }
}
