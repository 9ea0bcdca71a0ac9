//! The decision of the signed-rank test, avoiding the sort if possible.
//!
//! The answer equals that of [`wilcoxon`](super::wilcoxon()) with
//! [`WilcoxonMethod::Auto`](super::WilcoxonMethod). Differences are counted in buckets by
//! magnitude, which bounds the rank sum W₊ over all orders within buckets, and its variance over
//! all ties. If the bounds do not decide, 128 buckets are followed by 2048, and only then are the
//! differences sorted. A search that compares a million pairs of systems needs one decision for
//! each. If there are few differences they are sorted at once; the exact distribution decides, with
//! tabulated critical values if no two magnitudes are equal.

use pulp::{Arch, NullaryFnOnce};
use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::erf::erfc;

use super::per_query::PerQuery;
use super::wilcoxon::{EXACT_LIMIT, WilcoxonMethod, wilcoxon, wilcoxon_counting};

/// The number of buckets on each side of zero, for the first and the second attempt.
const COARSE: usize = 128;
const FINE: usize = 2048;

/// The mean magnitude of the first differences falls into this bucket, or up to twice as far. The
/// last bucket also holds all larger differences: few if buckets are coarse, and hardly any if they
/// are fine.
const COARSE_MEAN: u64 = 28;
const FINE_MEAN: u64 = 256;

/// The number of differences used to estimate the mean magnitude.
const FIRST: usize = 128;

/// The number of differences assigned to buckets before they are counted: few enough for the L1
/// cache.
const AT_A_TIME: usize = 256;

/// Fewer differences than `FEW` are sorted at once, which is cheaper than scanning the buckets;
/// fewer than `MANY` are sorted if coarse buckets do not decide.
const FEW: usize = 256;
const MANY: usize = 1024;

/// Bounds closer to the critical value than this share do not decide, because of rounding
/// errors.
const MARGIN: f64 = 1e-9;

/// The Berry–Esseen constant: the distribution function of a sum of n independent variables differs
/// from the normal one by at most this times Σ E|x|³ / (Σ E x²)^1.5 (Shevtsova 2010).
const BERRY_ESSEEN: f64 = 0.56;

/// Signed-rank tests at one level.
#[derive(Debug, Clone, Copy)]
pub struct SignedRankLevel {
    level: f64,
    /// The two-sided critical value of the standard normal distribution at this level.
    critical: f64,
    /// For each number of differences, all of different magnitude: how many of the smallest rank
    /// sums, from 0, are significant.
    exact: [u16; EXACT_LIMIT + 1],
}

/// Counts differences in buckets of equal width: bucket k above zero is number k, and bucket k
/// below zero is the k-th from the end. Differences of zero are not counted. Consecutive
/// differences are counted in different tables, because many fall into the same bucket and a
/// counter can be read only after the last write to it has completed.
struct Count<'a, const SIDES: usize, const TABLES: usize> {
    a: &'a [i32],
    b: &'a [i32],
    /// Buckets have a width of 2 to this power.
    shift: u32,
}

impl<'a, const SIDES: usize, const TABLES: usize> Count<'a, SIDES, TABLES> {
    fn new(a: &'a [i32], b: &'a [i32], mean_bucket: u64) -> Self {
        let first = a.iter().zip(b).take(FIRST).map(|(a, b)| u64::from((a - b).unsigned_abs()));
        let (sum, count) =
            first.filter(|size| *size > 0).fold((0, 1), |(sum, n), size| (sum + size, n + 1));
        Count { a, b, shift: (sum / count / mean_bucket).max(1).ilog2() }
    }
}

impl<const SIDES: usize, const TABLES: usize> NullaryFnOnce for Count<'_, SIDES, TABLES> {
    type Output = [u32; SIDES];

    #[inline(always)]
    fn call(self) -> [u32; SIDES] {
        const { assert!(SIDES.is_power_of_two()) };
        let last = (SIDES / 2 - 1) as i32;
        let mut tables = [[0; SIDES]; TABLES];
        let mut zeros = 0;
        let mut sides = [0i16; AT_A_TIME];
        for (a, b) in self.a.chunks(AT_A_TIME).zip(self.b.chunks(AT_A_TIME)) {
            let sides = &mut sides[..a.len()];
            // Kept simple so that it is vectorised.
            for ((a, b), side) in a.iter().zip(b).zip(sides.iter_mut()) {
                let steps = a - b;
                zeros += u32::from(steps == 0);
                // Below zero, subtract one: bucket k is then −1 − k, for the same magnitudes as
                // bucket k above zero.
                let place = (steps + (steps >> 31)) >> self.shift;
                *side = place.clamp(-1 - last, last) as i16;
            }
            let (together, rest) = sides.as_chunks::<TABLES>();
            for sides in together {
                tables
                    .iter_mut()
                    .zip(sides)
                    .for_each(|(table, &side)| table[side as usize % SIDES] += 1);
            }
            rest.iter().for_each(|&side| tables[0][side as usize % SIDES] += 1);
        }
        let mut counts = std::array::from_fn(|side| tables.iter().map(|table| table[side]).sum());
        counts[0] -= zeros;
        counts
    }
}

impl SignedRankLevel {
    /// Tests at this level, between 0 and 1.
    pub fn new(level: f64) -> Self {
        let critical = Normal::standard().inverse_cdf(1.0 - level / 2.0);
        SignedRankLevel { level, critical, exact: significant_sums(level) }
    }

    /// Whether `a − b` differs from zero at this level. Both have one number for each query.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn differ(&self, a: &PerQuery, b: &PerQuery) -> bool {
        match (a, b) {
            (PerQuery::Steps(size, a), PerQuery::Steps(other, b)) if size == other => {
                self.steps_differ(a, b)
            }
            _ => wilcoxon(&a.values(), &b.values(), WilcoxonMethod::Auto).p < self.level,
        }
    }

    fn steps_differ(&self, a: &[i32], b: &[i32]) -> bool {
        assert_eq!(a.len(), b.len(), "both systems need one value for every query");
        let coarsely = || self.by_counting::<{ 2 * COARSE }, 4>(a, b, COARSE_MEAN);
        let finely = || self.by_counting::<{ 2 * FINE }, 2>(a, b, FINE_MEAN);
        let plain = match a.len() {
            ..FEW => self.by_sorting(a, b),
            FEW..MANY => coarsely(),
            _ => coarsely().or_else(finely),
        };
        plain.unwrap_or_else(|| wilcoxon_counting(&differences(a, b)).p < self.level)
    }

    /// The decision, if the order of the differences determines it without their distribution.
    fn by_sorting(&self, a: &[i32], b: &[i32]) -> Option<bool> {
        let mut steps = differences(a, b);
        steps.retain(|steps| *steps != 0);
        steps.sort_unstable_by_key(|steps| steps.abs());
        let sides = |size: &[i32]| {
            let positive = size.iter().filter(|steps| **steps > 0).count() as u32;
            [positive, size.len() as u32 - positive]
        };
        RankSumBounds::of(steps.chunk_by(|x, y| x.abs() == y.abs()).map(sides)).decide(self)
    }

    /// The decision, if this many buckets determine it.
    fn by_counting<const SIDES: usize, const TABLES: usize>(
        &self,
        a: &[i32],
        b: &[i32],
        mean_bucket: u64,
    ) -> Option<bool> {
        let sides = Arch::new().dispatch(Count::<SIDES, TABLES>::new(a, b, mean_bucket));
        let (above, below) = sides.split_at(SIDES / 2);
        let buckets = above.iter().zip(below.iter().rev()).map(|(&above, &below)| [above, below]);
        RankSumBounds::of(buckets).decide(self)
    }
}

fn differences(a: &[i32], b: &[i32]) -> Vec<i32> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn significant_sums(level: f64) -> [u16; EXACT_LIMIT + 1] {
    // chance[s]: the probability that the positive ranks up to n sum to s. All are integer
    // multiples of 2⁻ⁿ, and exact.
    let mut chance = vec![1.0];
    std::array::from_fn(|n| {
        if n > 0 {
            let without = |sum: usize| chance.get(sum).copied().unwrap_or(0.0);
            let with = |sum: usize| sum.checked_sub(n).map_or(0.0, without);
            chance = (0..=n * (n + 1) / 2).map(|sum| (without(sum) + with(sum)) / 2.0).collect();
        }
        let mut p = 0.0;
        let is_significant = |chance: &&f64| {
            p += 2.0 * **chance;
            p < level
        };
        chance.iter().take_while(is_significant).count() as u16
    })
}

/// The bounds on the test that the counts imply.
#[derive(Debug, Default)]
struct RankSumBounds {
    n: u64,
    /// Twice W₊ if the positive differences of every bucket are its smallest.
    least_plus: u64,
    /// The number of pairs of a positive and a negative difference in the same bucket: the most
    /// that can be added to W₊.
    open: u64,
    /// Σ(t³−t) if all differences of a bucket are equal.
    ties: f64,
}

impl RankSumBounds {
    /// Bounds from the numbers of differences above and below zero in each bucket, smallest
    /// magnitudes first.
    fn of(buckets: impl Iterator<Item = [u32; 2]>) -> Self {
        let mut bounds = RankSumBounds::default();
        buckets.for_each(|bucket| bounds.add(bucket));
        bounds
    }

    #[inline(always)]
    fn add(&mut self, bucket: [u32; 2]) {
        let [positive, negative] = bucket.map(u64::from);
        let size = positive + negative;
        self.least_plus += positive * (2 * self.n + positive + 1);
        self.open += positive * negative;
        self.n += size;
        let size = size as f64;
        self.ties += size * size * size - size;
    }

    /// The decision, if it is the same for everything that the counts allow.
    fn decide(&self, SignedRankLevel { level, critical, exact }: &SignedRankLevel) -> Option<bool> {
        let (n, least_plus) = (self.n as f64, self.least_plus as f64 / 2.0);
        let mean = n * (n + 1.0) / 4.0;
        let without_ties = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0;
        let all_tied = (without_ties - self.ties / 48.0).max(0.0);
        let (low, high) = (least_plus - mean, least_plus + self.open as f64 - mean);
        let nearest = if low <= 0.0 && high >= 0.0 { 0.0 } else { low.abs().min(high.abs()) };
        let farthest = low.abs().max(high.abs());
        if n <= EXACT_LIMIT as f64 {
            if self.ties == 0.0 {
                let smaller = least_plus.min(n * (n + 1.0) / 2.0 - least_plus);
                return Some(smaller < f64::from(exact[n as usize]));
            }
            // The exact distribution has to decide, unless the normal one is farther from the level
            // than the two can differ.
            let cubes = (n * (n + 1.0) / 2.0).powi(2);
            let apart = BERRY_ESSEEN * cubes / (4.0 * all_tied).powf(1.5);
            let tail = erfc(farthest / all_tied.sqrt() / std::f64::consts::SQRT_2) / 2.0;
            return (tail - apart > level / 2.0).then_some(false);
        }
        if nearest > *critical * without_ties.sqrt() * (1.0 + MARGIN) {
            Some(true)
        } else if farthest < *critical * all_tied.sqrt() * (1.0 - MARGIN) {
            Some(false)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        /// Slightly skewed, with few or many magnitudes, so that both answers and p-values near the
        /// level occur.
        #[test]
        fn the_decision_equals_that_of_the_test(
            sizes in prop_oneof![
                prop::collection::vec((0u32..1000, 0f64..1.0), 0..70),
                prop::collection::vec((0u32..1_000_000, 0f64..1.0), 0..60),
                prop::collection::vec((0u32..1000, 0f64..1.0), 0..400),
                prop::collection::vec((0u32..100_000, 0f64..1.0), 4000..4200),
                prop::collection::vec((prop_oneof![0u32..10, 0u32..1_000_000], 0f64..1.0), 256..5000),
            ],
            lean in 0.4f64..0.6,
            grain in prop::sample::select(vec![1e-13, 1.5e-8, 1e-6, 1e-5, 1e-3, 0.1, 1.0]),
            level in prop::sample::select(vec![0.001, 0.05, 0.5]),
        ) {
            let a: Vec<f64> = sizes.iter().map(|&(size, side)| {
                let half = f64::from(size) * grain / 2.0;
                if side < lean { half } else { -half }
            }).collect();
            // As large as the others, and so quantised with the same step.
            let b = PerQuery::new(&a.iter().map(|a| -a).collect::<Vec<f64>>());
            let a = PerQuery::new(&a);
            let expected = wilcoxon(&a.values(), &b.values(), WilcoxonMethod::Auto).p < level;
            prop_assert_eq!(SignedRankLevel::new(level).differ(&a, &b), expected);
        }
    }

    #[test]
    fn clear_cases_need_no_sorting() {
        let spread: Vec<[u32; 2]> = (0..500).map(|i| [1 + i % 2, 1]).collect();
        let level = SignedRankLevel::new(0.05);
        let decide =
            |buckets: &[[u32; 2]]| RankSumBounds::of(buckets.iter().copied()).decide(&level);
        assert_eq!(decide(&spread), Some(true));
        let even = vec![[1; 2]; 500];
        assert_eq!(decide(&even), Some(false));
        assert_eq!(decide(&even[..20]), Some(false));
        assert_eq!(decide(&spread[..20]), None, "the exact distribution has to answer");
        // From the usual table: with six differences, a rank sum of 0 is significant and 1 is not.
        assert_eq!(decide(&[[1, 0]; 6]), Some(true));
        assert_eq!(decide(&[[[0, 1]; 1].as_slice(), &[[1, 0]; 5]].concat()), Some(false));
    }
}
