//! Crossover: two children from two parents.

use rand::{Rng, RngExt};

use super::super::genome::{Bits, GeneBounds};

/// Exchanges the genes between two cut points; every pair of cut points is equally likely.
///
/// Cut points lie between genes or after the last one. The first gene never moves, which loses
/// nothing: exchanging a range gives the same two children as exchanging all the rest.
#[must_use]
pub fn two_point(a: &Bits, b: &Bits, rng: &mut impl Rng) -> (Bits, Bits) {
    let length = a.length();
    if length < 2 {
        return (a.clone(), b.clone());
    }
    let first = rng.random_range(1..=length);
    // One of the other cut points: those from the first one on move up by one.
    let other = rng.random_range(1..length);
    let second = if other < first { other } else { other + 1 };
    a.exchange(b, &Bits::from_range(length, first.min(second)..first.max(second)))
}

/// Reals closer than this count as equal, as in Deb's own code.
const SAME: f64 = 1e-14;

/// Simulated binary crossover of reals (Deb & Agrawal 1995; the bounded form of Deb's NSGA-II
/// code).
///
/// Each pair of genes takes part with probability ½. The greater `eta`, the closer children are to
/// their parents; 20 is usual. Values must be within the bounds.
#[must_use]
pub fn sbx(
    a: &[f64],
    b: &[f64],
    eta: f64,
    bounds: GeneBounds,
    rng: &mut impl Rng,
) -> (Vec<f64>, Vec<f64>) {
    debug_assert_eq!(a.len(), b.len());
    let children = a.iter().zip(b).map(|(&a, &b)| {
        if rng.random::<f64>() >= 0.5 || (a - b).abs() <= SAME {
            return (a, b);
        }
        let (low, high) = (a.min(b), a.max(b));
        let uniform = rng.random::<f64>();
        let lower = bounds.clamp(
            0.5 * (low + high - spread(uniform, eta, low - bounds.low, high - low) * (high - low)),
        );
        let upper = bounds.clamp(
            0.5 * (low
                + high
                + spread(uniform, eta, bounds.high - high, high - low) * (high - low)),
        );
        // Otherwise the first child would get the lower value of every pair.
        if rng.random::<f64>() < 0.5 { (upper, lower) } else { (lower, upper) }
    });
    children.unzip()
}

/// The distance between the children in units of the parents' distance, if a parent has the
/// distance `to_bound` from its bound.
fn spread(uniform: f64, eta: f64, to_bound: f64, distance: f64) -> f64 {
    let widest = 1.0 + 2.0 * to_bound / distance;
    let scaled = uniform * (2.0 - widest.powf(-(eta + 1.0)));
    if scaled <= 1.0 { scaled } else { 1.0 / (2.0 - scaled) }.powf(1.0 / (eta + 1.0))
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::config;
    use super::super::mutation::bernoulli;
    use super::*;
    use crate::random::{Purpose, stream};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(config())]

        /// The same two cut points, and genes exchanged one by one.
        #[test]
        fn two_point_is_as_gene_by_gene(length in 2usize..200, seed in any::<u64>()) {
            let mut rng = stream(seed, Purpose::Test, 0);
            let (a, b) = (bernoulli(length, 0.5, &mut rng), bernoulli(length, 0.5, &mut rng));
            let mut same = rng.clone();
            let children = two_point(&a, &b, &mut rng);
            let first = same.random_range(1..=length);
            let second = (1..=length).filter(|&place| place != first).nth(same.random_range(1..length) - 1).unwrap();
            let (mut c, mut d) = (a.clone(), b.clone());
            for gene in first.min(second)..first.max(second) {
                c.set(gene, b.get(gene));
                d.set(gene, a.get(gene));
            }
            prop_assert_eq!(children, (c, d));
        }

        /// At every gene the children have the values of the parents.
        #[test]
        fn children_have_their_parents_genes(length in 0usize..200, seed in any::<u64>()) {
            let mut rng = stream(seed, Purpose::Test, 1);
            let (a, b) = (bernoulli(length, 0.5, &mut rng), bernoulli(length, 0.5, &mut rng));
            let (c, d) = two_point(&a, &b, &mut rng);
            for gene in 0..length {
                let parents = [a.get(gene), b.get(gene)];
                let children = [c.get(gene), d.get(gene)];
                prop_assert!(children == parents || children == [parents[1], parents[0]]);
            }
        }
    }

    /// There are 10 ranges of 5 genes that exclude the first gene, each equally likely.
    #[test]
    fn every_range_is_equally_likely() {
        let mut rng = stream(1, Purpose::Test, 0);
        let (none, all) = (Bits::new(5), Bits::from_range(5, 0..5));
        let mut counts = BTreeMap::new();
        for _ in 0..20_000 {
            *counts.entry(two_point(&none, &all, &mut rng).0).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 10);
        // Five standard deviations of a count of 20,000 at .1.
        assert!(counts.values().all(|&count: &i32| (count - 2_000).abs() < 212), "{counts:?}");
    }

    /// Without bounds a spread is (2u)^(1/(η + 1)) up to u = ½ and its mirror image from there.
    /// With a bound, the greatest spread leads exactly to it: here 1 + 2 · 3 / 2.
    #[test]
    fn spreads_by_hand() {
        for (uniform, expected) in [(0.5, 1.0), (0.0625, 0.5), (0.9375, 2.0), (0.0, 0.0)] {
            assert!(
                (spread(uniform, 2.0, f64::INFINITY, 1.0) - expected).abs() < 1e-12,
                "{uniform}"
            );
        }
        assert!((spread(1.0, 2.0, 3.0, 2.0) - 4.0).abs() < 1e-12);
        assert!((spread(1.0, 20.0, 0.0, 2.0) - 1.0).abs() < 1e-12);
    }

    /// Far from the bounds, or equally far from both, children have their parents' mean. Near a
    /// bound they stay within it.
    #[test]
    fn sbx_keeps_bounds_and_mean() {
        let mut rng = stream(3, Purpose::Test, 0);
        let wide = GeneBounds { low: -1e6, high: 1e6 };
        let (c, d) = sbx(&[0.4; 1_000], &[0.6; 1_000], 20.0, wide, &mut rng);
        assert!(c.iter().zip(&d).all(|(c, d)| (c + d - 1.0).abs() < 1e-9));
        let taking_part = c.iter().filter(|&&c| (c - 0.4).abs() > 0.0).count();
        assert!(taking_part.abs_diff(500) < 5 * 16, "{taking_part}");
        let unit = GeneBounds { low: 0.0, high: 1.0 };
        for eta in [0.0, 2.0, 20.0] {
            let (c, d) = sbx(&vec![0.05; 20_000], &vec![0.95; 20_000], eta, unit, &mut rng);
            assert!(c.iter().zip(&d).all(|(c, d)| (c + d - 1.0).abs() < 1e-9));
            let changed: Vec<f64> = c.into_iter().filter(|c| (c - 0.05).abs() > 0.0).collect();
            let mean = changed.iter().sum::<f64>() / changed.len() as f64;
            // The first child gets either the lower or the upper value: a standard deviation of at
            // most ½.
            assert!(
                (mean - 0.5).abs() < 5.0 * 0.5 / (changed.len() as f64).sqrt(),
                "{eta}: {mean}"
            );
            // No child is clamped: only an unchanged parent lies on the bound.
            for parents in [(0.0, 0.9), (0.1, 1.0)] {
                let (c, d) = sbx(&[parents.0; 2_000], &[parents.1; 2_000], eta, unit, &mut rng);
                let changed = c.into_iter().zip(d).filter(|&children| children != parents);
                assert!(changed.flat_map(|(c, d)| [c, d]).all(|value| 0.0 < value && value < 1.0));
            }
        }
        let (c, d) = sbx(&[0.0, 1.0, 0.3], &[1.0, 1.0, 0.3], 20.0, unit, &mut rng);
        assert!(c.iter().chain(&d).all(|value| (0.0..=1.0).contains(value)));
        assert_eq!((c[2], d[2]), (0.3, 0.3));
    }
}
