//! Whether two systems differ by the signed-rank test, without sorting where that is plain.
//!
//! The answer is that of [`wilcoxon`](super::wilcoxon()) with [`WilcoxonMethod::Auto`](super::WilcoxonMethod). Differences are counted in
//! buckets by size, 64 to each power of two, and these are looked at eight at a time, then one by one. That bounds what the order within
//! buckets could make of the rank sum W₊, and ties of the variance. Where the bounds do not agree on the answer 2048 buckets are tried, and
//! only then are the differences sorted. A search that compares a million pairs of systems needs a yes or no for each of them. Few
//! differences are sorted at once; the exact distribution answers for them, and where no two are of one size its critical values are
//! known beforehand.

use pulp::{Arch, NullaryFnOnce};
use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::erf::erfc;

use super::wilcoxon::{EXACT_LIMIT, WilcoxonMethod, rounded, wilcoxon};

/// Buckets to a power of two, first few and then many: so many binary digits after the leading one.
const DIGITS: [u32; 2] = [6, 11];

/// Differences whose sides are found before they are counted: few enough for the nearest memory.
const AT_A_TIME: usize = 256;

/// Neighbouring buckets that are looked at as one, before they are one by one: most are nearly empty, and most answers are plain.
const TOGETHER: usize = 8;

/// Fewer differences than this are sorted at once, which is cheaper than to look into so many buckets; and fewer than that are
/// sorted where few buckets do not answer.
const FEW: usize = 256;
const MANY: usize = 4096;

/// Bounds closer than this share to the critical value do not decide: rounding errors could.
const MARGIN: f64 = 1e-9;

/// The sum of n independent variables is nowhere farther from the normal distribution than this times Σ E|x|³ / (Σ E x²)^1.5
/// (Shevtsova 2010).
const BERRY_ESSEEN: f64 = 0.56;

/// Signed-rank tests at one level.
#[derive(Debug, Clone, Copy)]
pub struct SignedRankLevel {
    level: f64,
    /// A standard normal variable is beyond this, on either side, with the level's probability.
    critical: f64,
    /// For each number of differences, none of one size: how many of the least rank sums, from 0 on, are significant.
    exact: [u16; EXACT_LIMIT + 1],
}

/// What tests work in, so that they need not ask for memory: how many differences each side of each bucket has, above zero and below. The
/// first bucket is for those of no step.
#[derive(Debug, Clone)]
pub struct Buckets(Vec<u32>);

impl Default for Buckets {
    fn default() -> Self {
        let last = Sorting::of_digits(DIGITS[1]).bucket(f32::INFINITY);
        Buckets(vec![0; 2 * (last as usize + 1)])
    }
}

/// How sizes fall into buckets.
#[derive(Clone, Copy)]
struct Sorting {
    shift: u32,
    /// The place before that of one step, the smallest size that counts; sizes are whole numbers of steps.
    before_one: u32,
}

impl Sorting {
    fn of_digits(digits: u32) -> Self {
        let shift = f32::MANTISSA_DIGITS - 1 - digits;
        Sorting { shift, before_one: (1f32.to_bits() >> shift) - 1 }
    }

    #[inline(always)]
    fn bucket(self, size: f32) -> u32 {
        let size = size.to_bits().min(f32::INFINITY.to_bits());
        (size >> self.shift).max(self.before_one) - self.before_one
    }
}

/// Counts differences on the sides of buckets, and finds the first and the last bucket that has any; no bucket where all are of no step.
struct Count<'a> {
    a: &'a [f64],
    b: &'a [f64],
    sorting: Sorting,
    counts: &'a mut [u32],
}

impl NullaryFnOnce for Count<'_> {
    type Output = Option<(usize, usize)>;

    #[inline(always)]
    fn call(self) -> Option<(usize, usize)> {
        // One back, the bucket of no step is beyond all others.
        let (mut least, mut most) = (u32::MAX, 0);
        let mut sides = [0; AT_A_TIME];
        for (a, b) in self.a.chunks(AT_A_TIME).zip(self.b.chunks(AT_A_TIME)) {
            // No branches, so that registers hold several at once: which side a difference is on cannot be foretold.
            for ((a, b), side) in a.iter().zip(b).zip(&mut sides) {
                let steps = rounded(a - b);
                let bucket = self.sorting.bucket(steps.abs() as f32);
                (least, most) = (least.min(bucket.wrapping_sub(1)), most.max(bucket));
                *side = 2 * bucket + u32::from(steps < 0.0);
            }
            sides[..a.len()].iter().for_each(|&side| self.counts[side as usize] += 1);
        }
        (most > 0).then_some((least as usize + 1, most as usize))
    }
}

impl SignedRankLevel {
    /// At this level, above 0 and below 1.
    pub fn new(level: f64) -> Self {
        let critical = Normal::standard().inverse_cdf(1.0 - level / 2.0);
        SignedRankLevel { level, critical, exact: significant_sums(level) }
    }

    /// Whether `a − b` differs from zero at this level. Both have one number for every query.
    pub fn differ(&self, a: &[f64], b: &[f64], buckets: &mut Buckets) -> bool {
        let plain = match a.len() {
            ..FEW => self.by_sorting(a, b),
            FEW..MANY => self.by_counting(a, b, DIGITS[0], buckets),
            _ => DIGITS.iter().find_map(|&digits| self.by_counting(a, b, digits, buckets)),
        };
        plain.unwrap_or_else(|| wilcoxon(a, b, WilcoxonMethod::Auto).p < self.level)
    }

    /// The answer, if the order of the differences gives it without their distribution.
    fn by_sorting(&self, a: &[f64], b: &[f64]) -> Option<bool> {
        let steps = a.iter().zip(b).map(|(a, b)| rounded(a - b));
        let mut steps: Vec<f64> = steps.filter(|steps| *steps != 0.0).collect();
        if steps.is_empty() {
            return Some(false);
        }
        steps.sort_unstable_by(|x, y| x.abs().total_cmp(&y.abs()));
        let sides = |size: &[f64]| {
            let positive = size.iter().filter(|steps| **steps > 0.0).count() as u32;
            [positive, size.len() as u32 - positive]
        };
        let sizes: Vec<[u32; 2]> = steps.chunk_by(|x, y| x.abs() == y.abs()).map(sides).collect();
        Bounds::of(&sizes).decide(self)
    }

    /// The answer, if so many digits of the differences give it. Leaves the counts at zero.
    fn by_counting(&self, a: &[f64], b: &[f64], digits: u32, Buckets(counts): &mut Buckets) -> Option<bool> {
        let found = Arch::new().dispatch(Count { a, b, sorting: Sorting::of_digits(digits), counts });
        counts[..2].fill(0);
        let Some((least, most)) = found else { return Some(false) };
        let filled = &mut counts[2 * least..2 * (most + 1)];
        let buckets = filled.as_chunks().0;
        let answer = Bounds::at_a_glance(buckets).decide(self);
        let answer = answer.or_else(|| Bounds::of(buckets).decide(self));
        filled.fill(0);
        answer
    }
}

fn significant_sums(level: f64) -> [u16; EXACT_LIMIT + 1] {
    // chance[s]: the positive ranks up to n sum to s. All are whole numbers of halves to the n-th power, and exact.
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
    fn of(buckets: &[[u32; 2]]) -> Self {
        let mut bounds = Bounds::default();
        buckets.iter().for_each(|&bucket| bounds.add(bucket));
        bounds
    }

    /// The same of some buckets at a time: wider, and sooner known.
    fn at_a_glance(buckets: &[[u32; 2]]) -> Self {
        let mut bounds = Bounds::default();
        let (groups, rest) = buckets.as_chunks::<TOGETHER>();
        let sum = |[p, n]: [u32; 2], [positive, negative]: &[u32; 2]| [p + positive, n + negative];
        groups.iter().for_each(|group| bounds.add(group.iter().fold([0; 2], sum)));
        rest.iter().for_each(|&bucket| bounds.add(bucket));
        bounds
    }

    #[inline(always)]
    fn add(&mut self, bucket: [u32; 2]) {
        let [positive, negative] = bucket.map(f64::from);
        let size = positive + negative;
        let smallest = positive * self.n + positive * (positive + 1.0) / 2.0;
        self.least_plus += smallest;
        self.most_plus += smallest + positive * negative;
        self.ties += size * size * size - size;
        self.n += size;
    }

    /// The answer, if it is the same for everything that the counts leave open.
    fn decide(&self, SignedRankLevel { level, critical, exact }: &SignedRankLevel) -> Option<bool> {
        let n = self.n;
        let mean = n * (n + 1.0) / 4.0;
        let without_ties = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0;
        let all_tied = (without_ties - self.ties / 48.0).max(0.0);
        let (low, high) = (self.least_plus - mean, self.most_plus - mean);
        let nearest = if low <= 0.0 && high >= 0.0 { 0.0 } else { low.abs().min(high.abs()) };
        let farthest = low.abs().max(high.abs());
        if n <= EXACT_LIMIT as f64 {
            if self.ties == 0.0 {
                let smaller = self.least_plus.min(n * (n + 1.0) / 2.0 - self.least_plus);
                return Some(smaller < f64::from(exact[n as usize]));
            }
            // The exact distribution has to answer, unless the normal one is farther from the level than the two can differ.
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

        /// Leaning a little to one side, in few or many sizes, so that both answers and those near the level occur.
        #[test]
        fn the_answer_is_that_of_the_test(
            sizes in prop_oneof![
                prop::collection::vec((0u32..1000, 0f64..1.0), 0..70),
                prop::collection::vec((0u32..1_000_000, 0f64..1.0), 0..60),
                prop::collection::vec((0u32..1000, 0f64..1.0), 0..400),
                prop::collection::vec((0u32..100_000, 0f64..1.0), 4000..4200),
            ],
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
        let spread: Vec<[u32; 2]> = (0..500).map(|i| [1 + i % 2, 1]).collect();
        let level = SignedRankLevel::new(0.05);
        assert_eq!(Bounds::of(&spread).decide(&level), Some(true));
        let even = vec![[1; 2]; 500];
        assert_eq!(Bounds::of(&even).decide(&level), Some(false));
        assert_eq!(Bounds::of(&even[..20]).decide(&level), Some(false));
        assert_eq!(Bounds::of(&spread[..20]).decide(&level), None, "the exact distribution has to answer");
        // From the usual table: with six differences, a rank sum of 0 is significant and 1 is not.
        assert_eq!(Bounds::of(&[[1, 0]; 6]).decide(&level), Some(true));
        assert_eq!(Bounds::of(&[[[0, 1]; 1].as_slice(), &[[1, 0]; 5]].concat()).decide(&level), Some(false));
    }
}
