//! Pairs of features that are nearly equal.
//!
//! The sums of products of all features grow with the square of their number. Of more than
//! [`AT_ONCE`] features, groups are compared with each other, two at a time, in memory that does
//! not depend on the number of features. The time still grows with the square: very wide data is
//! not searched. The list of pairs is limited to [`MOST_PAIRS`], the most similar ones: near-copies
//! of one feature would otherwise be listed with each other, by the square of their number.

use super::NearDuplicate;
use crate::data::FeatureId;
use crate::engine::passes::{Centring, FeatureStatistics, Gram, GramSums};
use crate::engine::{Ask, Engine};
use crate::error::Result;

/// The number of features whose products are computed together.
const AT_ONCE: usize = 2048;

/// The number of features up to which all pairs are compared.
const MOST_FEATURES: usize = 20_000;

/// The number of products up to which more than [`AT_ONCE`] features are compared: a few minutes.
const MOST_PRODUCTS: u128 = 2_000_000_000_000;

/// The number of pairs that are listed.
const MOST_PAIRS: usize = 10_000;

/// A pair of features with its correlation.
type Pair = (FeatureId, FeatureId, f64);

/// Whether data of this size is searched.
pub(super) fn are_searched(features: usize, documents: u64) -> bool {
    let products = (features as u128).pow(2) * u128::from(documents);
    features <= AT_ONCE || (features <= MOST_FEATURES && products <= MOST_PRODUCTS)
}

/// Near-duplicates of some data.
pub(super) struct NearDuplicates {
    /// The most similar pairs, in this order; at most [`MOST_PAIRS`].
    pub closest: Vec<NearDuplicate>,
    /// The number of all pairs.
    pub pairs: usize,
}

/// Pairs of features whose columns differ and correlate at least this much.
pub(super) fn find(
    engine: &dyn Engine,
    features: &[FeatureId],
    moments: &FeatureStatistics,
    near: f64,
) -> Result<NearDuplicates> {
    // Two groups at a time.
    let fit = (engine.memory_limit() / Gram::CELL).isqrt() / 2;
    let at_once = usize::try_from(fit).unwrap_or(AT_ONCE).clamp(1, AT_ONCE);
    find_in_groups(engine, features, moments, near, at_once)
}

fn find_in_groups(
    engine: &dyn Engine,
    features: &[FeatureId],
    moments: &FeatureStatistics,
    near: f64,
    at_once: usize,
) -> Result<NearDuplicates> {
    let hash = |f: FeatureId| moments.features[f.index()].hash;
    let feature = |f: FeatureId| engine.schema().features.get(f).clone();
    let mut found = ClosestPairs::new(MOST_PAIRS);
    let mut add = |gram: &GramSums, columns: &[FeatureId], from: usize| {
        for (i, &a) in columns.iter().enumerate() {
            for (j, &b) in columns.iter().enumerate().skip(from.max(i + 1)) {
                let correlation = gram.correlation(i, j).unwrap_or(0.0);
                if correlation.abs() >= near && hash(a) != hash(b) {
                    found.add((a, b, correlation));
                }
            }
            // Pairs of two groups: the columns of the second are paired with those of the first.
            if from > 0 && i + 1 == from {
                break;
            }
        }
    };
    if features.len() <= at_once {
        add(&engine.ask(&Gram::new(features.to_vec(), Centring::Overall))?, features, 0);
    } else {
        let groups: Vec<&[FeatureId]> = features.chunks((at_once / 2).max(1)).collect();
        for (first, group) in groups.iter().enumerate() {
            add(&engine.ask(&Gram::new(group.to_vec(), Centring::Overall))?, group, 0);
            for other in &groups[first + 1..] {
                let both = [*group, *other].concat();
                let gram = engine.ask(&Gram::new(both.clone(), Centring::Overall))?;
                add(&gram, &both, group.len());
            }
        }
    }
    let pairs = found.added;
    let pair = |(a, b, correlation)| NearDuplicate { a: feature(a), b: feature(b), correlation };
    Ok(NearDuplicates { closest: found.into_sorted().into_iter().map(pair).collect(), pairs })
}

/// The most similar of some pairs, whatever order they are added in.
struct ClosestPairs {
    most: usize,
    /// Up to twice as many as are kept, so that they are rarely sorted.
    pairs: Vec<Pair>,
    /// The number of pairs that were added.
    added: usize,
}

impl ClosestPairs {
    fn new(most: usize) -> Self {
        ClosestPairs { most, pairs: Vec::new(), added: 0 }
    }

    fn add(&mut self, pair: Pair) {
        self.added += 1;
        self.pairs.push(pair);
        if self.pairs.len() >= self.most.saturating_mul(2) {
            self.reduce();
        }
    }

    fn reduce(&mut self) {
        self.pairs.sort_unstable_by(|(a, b, x), (c, d, y)| {
            y.abs().total_cmp(&x.abs()).then((a, b).cmp(&(c, d)))
        });
        self.pairs.truncate(self.most);
    }

    /// The most similar pairs, the most similar first.
    fn into_sorted(mut self) -> Vec<Pair> {
        self.reduce();
        self.pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synth::{Preset, generate};
    use crate::data::{Dataset, FeatureTable, Queries};
    use crate::engine::LocalEngine;
    use crate::engine::passes::Moments;

    #[test]
    fn groups_find_the_pairs_of_the_whole() {
        let engine = LocalEngine::new(generate(&Preset::Tiny.config()).unwrap().0, 1).unwrap();
        let moments = engine.ask(&Moments).unwrap();
        let (features, _) = moments.varying_within_queries();
        let pairs = |at_once| {
            let found = find_in_groups(&engine, &features, &moments, 0.05, at_once).unwrap();
            assert_eq!(found.pairs, found.closest.len());
            let mut ids: Vec<(u32, u32)> = found.closest.iter().map(|n| (n.a.id, n.b.id)).collect();
            ids.sort_unstable();
            ids
        };
        let whole = pairs(usize::MAX);
        assert!(whole.len() > 3, "{whole:?}");
        for at_once in [2, 4, 7, 16] {
            assert_eq!(pairs(at_once), whole, "{at_once}");
        }
    }

    /// The list does not grow with the square of the number of near-copies.
    #[test]
    fn of_very_many_pairs_the_closest_are_listed() {
        let copies = 150;
        let values = (0..copies).flat_map(|copy| [1.0, 2.0, 3.0, 4.0 + copy as f32 / 1e4]);
        let data = Dataset::new(
            values.collect(),
            vec![1.0, 0.0, 0.0, 1.0],
            Queries::from_sizes(&[2, 2]),
            FeatureTable::numbered(copies, 1),
        );
        let engine = LocalEngine::new(data, 1).unwrap();
        let moments = engine.ask(&Moments).unwrap();
        let (features, _) = moments.varying_within_queries();
        let found = find(&engine, &features, &moments, 0.9).unwrap();
        assert_eq!((found.pairs, found.closest.len()), (150 * 149 / 2, MOST_PAIRS));
    }

    fn closest<'a>(pairs: impl Iterator<Item = &'a Pair>, most: usize) -> Vec<Pair> {
        let mut found = ClosestPairs::new(most);
        pairs.for_each(|&pair| found.add(pair));
        assert_eq!(found.added, 36);
        found.into_sorted()
    }

    #[test]
    fn the_closest_pairs_do_not_depend_on_the_order() {
        let pair = |(a, b): (u32, u32)| {
            let sign = if a % 2 == 0 { 1.0 } else { -1.0 };
            (FeatureId(a), FeatureId(b), sign * f64::from((a * 7 + b * 3) % 5) / 5.0)
        };
        let all: Vec<Pair> =
            (0..9).flat_map(|a| (a + 1..9).map(move |b| (a, b))).map(pair).collect();
        let whole = closest(all.iter(), 36);
        assert!(whole.windows(2).all(|two| two[0].2.abs() >= two[1].2.abs()));
        for most in [1, 3, 10, 35] {
            assert_eq!(closest(all.iter(), most), whole[..most], "{most}");
            assert_eq!(closest(all.iter().rev(), most), whole[..most], "{most}");
        }
    }

    #[test]
    fn very_wide_data_is_not_searched() {
        assert!(are_searched(2_048, u64::MAX) && are_searched(20_000, 1_000));
        assert!(!are_searched(100_000, 8) && !are_searched(20_000, 20_000));
    }
}
