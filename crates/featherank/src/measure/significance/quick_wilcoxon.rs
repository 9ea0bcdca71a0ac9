//! Whether two systems differ by the signed-rank test, without sorting where that is plain.
//!
//! The answer is that of [`wilcoxon`](super::wilcoxon()) with [`WilcoxonMethod::Auto`](super::WilcoxonMethod). Differences are counted in
//! buckets by size, 128 to each power of two. That bounds what the order within buckets could make of the rank sum W₊, and ties of the
//! variance; only where the bounds do not agree on the answer are the differences sorted. A search that compares a million pairs of systems
//! needs a yes or no for each of them.

use statrs::distribution::{ContinuousCDF, Normal};

use super::wilcoxon::{EXACT_LIMIT, WilcoxonMethod, rounded, wilcoxon};

/// Buckets to a power of two: the first 7 binary digits after the leading one.
const DIGITS: u32 = 7;

/// The bucket of one step, the smallest difference that counts; sizes are whole numbers of steps in 32-bit floats.
const FIRST: usize = (1f32.to_bits() >> (23 - DIGITS)) as usize;

/// Enough for all finite 32-bit floats.
const BUCKETS: usize = (f32::INFINITY.to_bits() >> (23 - DIGITS)) as usize - FIRST + 1;

/// Bounds closer than this share to the critical value do not decide: rounding errors could.
const MARGIN: f64 = 1e-9;

/// Signed-rank tests at one level.
#[derive(Debug, Clone, Copy)]
pub struct SignedRankLevel {
    level: f64,
    /// A standard normal variable is beyond this, on either side, with the level's probability.
    critical: f64,
}

/// Differences in one bucket.
#[derive(Debug, Clone, Copy, Default)]
struct Bucket {
    positive: u32,
    negative: u32,
}

/// What tests work in, so that they need not ask for memory.
#[derive(Debug, Clone)]
pub struct Buckets(Vec<Bucket>);

impl Default for Buckets {
    fn default() -> Self {
        Buckets(vec![Bucket::default(); BUCKETS])
    }
}

impl SignedRankLevel {
    /// At this level, above 0 and below 1.
    pub fn new(level: f64) -> Self {
        let critical = Normal::standard().inverse_cdf(1.0 - level / 2.0);
        SignedRankLevel { level, critical }
    }

    /// Whether `a − b` differs from zero at this level. Both have one number for every query.
    pub fn differ(&self, a: &[f64], b: &[f64], buckets: &mut Buckets) -> bool {
        let counts = &mut buckets.0;
        let (mut least, mut most) = (BUCKETS, 0);
        for (a, b) in a.iter().zip(b) {
            let steps = rounded(a - b);
            if steps == 0.0 {
                continue;
            }
            let bucket = (((steps.abs() as f32).to_bits() >> (23 - DIGITS)) as usize).saturating_sub(FIRST);
            let bucket = bucket.min(BUCKETS - 1);
            (least, most) = (least.min(bucket), most.max(bucket));
            let side = &mut counts[bucket];
            *(if steps > 0.0 { &mut side.positive } else { &mut side.negative }) += 1;
        }
        if least > most {
            return false;
        }
        let bounds = Bounds::of(&counts[least..=most]);
        counts[least..=most].fill(Bucket::default());
        bounds.decide(self.critical).unwrap_or_else(|| wilcoxon(a, b, WilcoxonMethod::Auto).p < self.level)
    }
}

/// What the counts leave open.
#[derive(Debug, Default)]
struct Bounds {
    n: f64,
    /// W₊ where the positive differences of every bucket are its smallest.
    least_plus: f64,
    /// And where they are its largest.
    most_plus: f64,
    /// Σ(t³−t) where all differences of a bucket are equal.
    ties: f64,
}

impl Bounds {
    fn of(buckets: &[Bucket]) -> Self {
        let mut bounds = Bounds::default();
        for bucket in buckets {
            let (positive, negative) = (f64::from(bucket.positive), f64::from(bucket.negative));
            let size = positive + negative;
            let smallest = positive * bounds.n + positive * (positive + 1.0) / 2.0;
            bounds.least_plus += smallest;
            bounds.most_plus += smallest + positive * negative;
            bounds.ties += size * size * size - size;
            bounds.n += size;
        }
        bounds
    }

    /// The answer, if it is the same for everything that the counts leave open.
    fn decide(&self, critical: f64) -> Option<bool> {
        let n = self.n;
        if n <= EXACT_LIMIT as f64 {
            return None;
        }
        let mean = n * (n + 1.0) / 4.0;
        let without_ties = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0;
        let all_tied = (without_ties - self.ties / 48.0).max(0.0);
        let (low, high) = (self.least_plus - mean, self.most_plus - mean);
        let nearest = if low <= 0.0 && high >= 0.0 { 0.0 } else { low.abs().min(high.abs()) };
        let farthest = low.abs().max(high.abs());
        if nearest > critical * without_ties.sqrt() * (1.0 + MARGIN) {
            Some(true)
        } else if farthest < critical * all_tied.sqrt() * (1.0 - MARGIN) {
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

        /// Leaning a little to one side, in few or many sizes, so that both answers and those near the level occur.
        #[test]
        fn the_answer_is_that_of_the_test(
            sizes in prop::collection::vec((0u32..1000, 0f64..1.0), 0..400),
            lean in 0.4f64..0.6,
            grain in prop::sample::select(vec![1e-13, 1e-4, 0.01, 0.1, 1.0, 50.0]),
            level in prop::sample::select(vec![0.001, 0.05, 0.5]),
        ) {
            let a: Vec<f64> = sizes.iter().map(|&(size, side)| {
                let size = f64::from(size) * grain;
                if side < lean { size } else { -size }
            }).collect();
            let b = vec![0.0; a.len()];
            let expected = wilcoxon(&a, &b, WilcoxonMethod::Auto).p < level;
            let mut buckets = Buckets::default();
            for _ in 0..2 {
                prop_assert_eq!(SignedRankLevel::new(level).differ(&a, &b, &mut buckets), expected);
            }
        }
    }

    #[test]
    fn plain_cases_need_no_sorting() {
        let spread: Vec<Bucket> = (0..500).map(|i| Bucket { positive: 1 + i % 2, negative: 1 }).collect();
        assert_eq!(Bounds::of(&spread).decide(1.96), Some(true));
        let even = vec![Bucket { positive: 1, negative: 1 }; 500];
        assert_eq!(Bounds::of(&even).decide(1.96), Some(false));
        assert_eq!(Bounds::of(&even[..20]).decide(1.96), None, "the exact test has to answer");
    }
}
