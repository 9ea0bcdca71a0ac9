//! Pairs of features that are nearly equal.
//!
//! The sums of products of all features grow with the square of their number. Of more than
//! [`AT_ONCE`] features, groups are compared with each other, two at a time, in memory that does
//! not depend on the number of features. The time still grows with the square: very wide data is
//! not searched.

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

/// Whether data of this size is searched.
pub(super) fn are_searched(features: usize, documents: u64) -> bool {
    let products = (features as u128).pow(2) * u128::from(documents);
    features <= AT_ONCE || (features <= MOST_FEATURES && products <= MOST_PRODUCTS)
}

/// Pairs of features whose columns differ and correlate at least this much, the most similar first.
pub(super) fn find(
    engine: &dyn Engine,
    features: &[FeatureId],
    moments: &FeatureStatistics,
    near: f64,
) -> Result<Vec<NearDuplicate>> {
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
) -> Result<Vec<NearDuplicate>> {
    let hash = |f: FeatureId| moments.features[f.index()].hash;
    let feature = |f: FeatureId| engine.schema().features.get(f).clone();
    let mut found = Vec::new();
    let mut add = |gram: &GramSums, columns: &[FeatureId], from: usize| {
        for (i, &a) in columns.iter().enumerate() {
            for (j, &b) in columns.iter().enumerate().skip(from.max(i + 1)) {
                let correlation = gram.correlation(i, j).unwrap_or(0.0);
                if correlation.abs() >= near && hash(a) != hash(b) {
                    found.push((a, b, correlation));
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
    found.sort_by(|(a, b, x), (c, d, y)| y.abs().total_cmp(&x.abs()).then((a, b).cmp(&(c, d))));
    let pair = |(a, b, correlation)| NearDuplicate { a: feature(a), b: feature(b), correlation };
    Ok(found.into_iter().map(pair).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synth::{Preset, generate};
    use crate::engine::LocalEngine;
    use crate::engine::passes::Moments;

    #[test]
    fn groups_find_the_pairs_of_the_whole() {
        let engine = LocalEngine::new(generate(&Preset::Tiny.config()).unwrap().0, 1).unwrap();
        let moments = engine.ask(&Moments).unwrap();
        let (features, _) = moments.varying_within_queries();
        let pairs = |at_once| {
            let found = find_in_groups(&engine, &features, &moments, 0.05, at_once).unwrap();
            let mut ids: Vec<(u32, u32)> = found.iter().map(|n| (n.a.id, n.b.id)).collect();
            ids.sort_unstable();
            ids
        };
        let whole = pairs(usize::MAX);
        assert!(whole.len() > 3, "{whole:?}");
        for at_once in [2, 4, 7, 16] {
            assert_eq!(pairs(at_once), whole, "{at_once}");
        }
    }

    #[test]
    fn very_wide_data_is_not_searched() {
        assert!(are_searched(2_048, u64::MAX) && are_searched(20_000, 1_000));
        assert!(!are_searched(100_000, 8) && !are_searched(20_000, 20_000));
    }
}
