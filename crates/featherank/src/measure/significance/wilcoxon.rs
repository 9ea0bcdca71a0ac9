//! The Wilcoxon signed-rank test: are per-query differences symmetric about zero?
//!
//! Wilcoxon, *Individual comparisons by ranking methods*, Biometrics Bulletin 1945. Drop zero
//! differences, rank the n others by magnitude (ties share their mean rank), and sum the ranks of
//! the positive (W₊) and the negative ones (W₋).
//!
//! * *Exact*: given the ranks, each sign is a fair coin. P(W₊ = w) is computed with one pass over
//!   all sums for each rank, in doubled ranks so that shared ranks are integers; it therefore holds
//!   with ties too. p = min(1, 2 P(W ≤ min(W₊, W₋))).
//! * *Normal*: z = (min(W₊, W₋) − n(n+1)/4) / √v, v = n(n+1)(2n+1)/24 − Σ(t³−t)/48 over ties of t
//!   differences; no continuity correction.
//!
//! Magnitudes are compared after rounding to 1e-12, and what rounds to 0 is 0: rounding errors
//! would split ties and change p in the fourth decimal. Departs from the customary table for n ≤
//! 25: exact up to [`EXACT_LIMIT`], where it is cheap.

use serde::{Deserialize, Serialize};
use statrs::function::erf::erfc;

use super::pairs;

/// [`WilcoxonMethod::Auto`] is exact up to this many non-zero differences.
pub const EXACT_LIMIT: usize = 50;

/// Differences are rounded to multiples of 1/`STEPS`.
const STEPS: f64 = 1e12;

/// Largest difference for which ranks are computed by counting; beyond it the table would cost more
/// than a sort.
const COUNTING_RANGE: usize = 1 << 20;

/// How the p-value is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WilcoxonMethod {
    /// Exact up to [`EXACT_LIMIT`] non-zero differences, normal above.
    #[default]
    Auto,
    /// The exact distribution given the ranks. Costs O(n³).
    Exact,
    /// The normal approximation with the variance corrected for ties.
    Normal,
}

/// The result of a signed-rank test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wilcoxon {
    /// Sum of the ranks of positive differences.
    pub w_plus: f64,
    /// Sum of the ranks of negative differences.
    pub w_minus: f64,
    /// Differences that are not zero.
    pub n: usize,
    /// Two-sided p-value; 1 if all differences are zero.
    pub p: f64,
    /// Whether p is exact rather than the normal approximation.
    pub exact: bool,
}

/// Signed-rank test of `a − b` over queries.
///
/// ```
/// use featherank::measure::significance::{WilcoxonMethod, wilcoxon};
/// let test = wilcoxon(&[0.5, 0.6, 0.9, 0.7, 0.8], &[0.4; 5], WilcoxonMethod::Auto);
/// assert_eq!((test.w_plus, test.p, test.exact), (15.0, 0.0625, true));
/// ```
///
/// # Panics
/// If the lengths differ.
pub fn wilcoxon(a: &[f64], b: &[f64], method: WilcoxonMethod) -> Wilcoxon {
    wilcoxon_differences(&pairs::differences(a, b), method)
}

/// As [`wilcoxon`], of differences; NaN does not count.
pub fn wilcoxon_differences(differences: &[f64], method: WilcoxonMethod) -> Wilcoxon {
    let steps = differences.iter().map(|difference| rounded(*difference));
    let mut sizes: Vec<(f64, bool)> = steps
        .filter(|steps| !steps.is_nan() && *steps != 0.0)
        .map(|steps| (steps.abs(), steps > 0.0))
        .collect();
    sizes.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
    test(&ties(&sizes), method)
}

/// A difference in whole steps.
fn rounded(difference: f64) -> f64 {
    let steps = difference * STEPS;
    // Near this number only integers are representable: adding it rounds, without a function call.
    const WHOLE: f64 = 1.5 * (1u64 << 52) as f64;
    if steps.abs() < (1u64 << 51) as f64 { (steps + WHOLE) - WHOLE } else { steps }
}

/// As [`wilcoxon_differences`] with [`WilcoxonMethod::Auto`], of integer differences, such as
/// effectiveness in ten-thousandths. Ranks are computed by counting, in O(n + largest difference).
pub fn wilcoxon_counting(differences: &[i32]) -> Wilcoxon {
    let size = |difference: &i32| difference.unsigned_abs() as usize;
    let range = differences.iter().map(size).max().unwrap_or(0);
    if range > COUNTING_RANGE {
        let nonzero = differences.iter().filter(|difference| **difference != 0);
        // Integers sort faster than pairs.
        let mut numbers: Vec<u64> =
            nonzero.map(|d| 2 * u64::from(d.unsigned_abs()) + u64::from(*d > 0)).collect();
        numbers.sort_unstable();
        let sizes: Vec<(u64, bool)> =
            numbers.iter().map(|number| (number / 2, number % 2 == 1)).collect();
        return test(&ties(&sizes), WilcoxonMethod::Auto);
    }
    let mut table = vec![Tie::default(); range + 1];
    for difference in differences {
        table[size(difference)].add(*difference > 0);
    }
    table[0] = Tie::default();
    table.retain(|tie| tie.size() > 0);
    test(&table, WilcoxonMethod::Auto)
}

/// The differences of one magnitude.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Tie {
    positive: u64,
    negative: u64,
}

impl Tie {
    fn add(&mut self, positive: bool) {
        if positive {
            self.positive += 1;
        } else {
            self.negative += 1;
        }
    }

    fn size(&self) -> u64 {
        self.positive + self.negative
    }
}

/// Groups sorted magnitudes by equality.
fn ties<T: PartialEq>(sorted: &[(T, bool)]) -> Vec<Tie> {
    let groups = sorted.chunk_by(|x, y| x.0 == y.0);
    groups
        .map(|group| {
            let mut tie = Tie::default();
            group.iter().for_each(|(_, positive)| tie.add(*positive));
            tie
        })
        .collect()
}

/// The test itself, from ties in ascending order of magnitude.
fn test(ties: &[Tie], method: WilcoxonMethod) -> Wilcoxon {
    let (mut before, mut twice_plus, mut twice_minus, mut correction) = (0u64, 0u64, 0u64, 0.0);
    let mut twice_ranks = Vec::with_capacity(ties.len());
    for tie in ties {
        let size = tie.size();
        // The mean of the ranks before+1 ..= before+size, doubled.
        let twice_rank = 2 * before + size + 1;
        twice_plus += tie.positive * twice_rank;
        twice_minus += tie.negative * twice_rank;
        correction += (size as f64).powi(3) - size as f64;
        twice_ranks.push((twice_rank as usize, size));
        before += size;
    }
    let n = before as usize;
    let exact = match method {
        WilcoxonMethod::Auto => n <= EXACT_LIMIT,
        WilcoxonMethod::Exact => true,
        WilcoxonMethod::Normal => false,
    };
    let smaller = twice_plus.min(twice_minus);
    let p = match (n, exact) {
        (0, _) => 1.0,
        (_, true) => exact_p(&twice_ranks, smaller as usize),
        (_, false) => normal_p(n as f64, smaller as f64 / 2.0, correction),
    };
    Wilcoxon { w_plus: twice_plus as f64 / 2.0, w_minus: twice_minus as f64 / 2.0, n, p, exact }
}

/// Two-sided p of a doubled rank sum of at most `smaller`, from pairs of a doubled rank and its
/// multiplicity.
fn exact_p(twice_ranks: &[(usize, u64)], smaller: usize) -> f64 {
    // chance[s]: the probability that the positive ranks so far sum to s. Sums beyond `smaller` are
    // never needed.
    let mut chance = vec![0.0f64; smaller + 1];
    let mut next = chance.clone();
    chance[0] = 1.0;
    for &(rank, count) in twice_ranks {
        for _ in 0..count {
            let (without, with) = next.split_at_mut(rank.min(smaller + 1));
            without.iter_mut().zip(&chance).for_each(|(next, chance)| *next = chance / 2.0);
            let both = chance[without.len()..].iter().zip(&chance);
            with.iter_mut()
                .zip(both)
                .for_each(|(next, (without, with))| *next = (without + with) / 2.0);
            std::mem::swap(&mut chance, &mut next);
        }
    }
    (2.0 * chance.iter().sum::<f64>()).min(1.0)
}

fn normal_p(n: f64, smaller: f64, correction: f64) -> f64 {
    let mean = n * (n + 1.0) / 4.0;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - correction / 48.0;
    erfc((mean - smaller) / variance.sqrt() / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use WilcoxonMethod::{Auto, Exact, Normal};

    /// Magnitudes 1 1 3, ranks 1.5 1.5 3; the smaller sum is 1.5. The sums of the 8 sign patterns
    /// are 0, 1.5, 1.5, 3, 3, 4.5, 4.5, 6: three are 1.5 or less, so p = 2 · 3/8.
    #[test]
    fn three_differences_with_a_tie_by_hand() {
        let test = wilcoxon_differences(&[1.0, -1.0, 3.0, 0.0], Auto);
        assert_eq!(
            (test.w_plus, test.w_minus, test.n, test.p, test.exact),
            (4.5, 1.5, 3, 0.75, true)
        );
        assert_eq!(wilcoxon_counting(&[1, -1, 3, 0]), test);
    }

    /// 0.4 − 0.3 and 0.3 − 0.2 differ in the last bits.
    #[test]
    fn rounding_errors_do_not_split_ties() {
        assert_ne!(0.4 - 0.3, 0.3 - 0.2);
        let test = wilcoxon(&[0.4, 0.2, 0.9], &[0.3, 0.3, 0.4], Normal);
        assert_eq!((test.w_plus, test.w_minus), (4.5, 1.5));
        assert_eq!(wilcoxon(&[0.1 + 0.2], &[0.3], Auto).n, 0);
    }

    #[test]
    fn no_difference_is_no_evidence() {
        for method in [Auto, Exact, Normal] {
            assert_eq!(wilcoxon(&[0.5, f64::NAN], &[0.5, 0.1], method).p, 1.0);
        }
        assert_eq!(wilcoxon_counting(&[]).p, 1.0);
        assert_eq!(wilcoxon_counting(&[0, 0]).n, 0);
    }

    #[test]
    fn auto_uses_the_normal_approximation_above_the_limit() {
        let differences: Vec<i32> = (1..=51).map(|i| if i % 3 == 0 { -i } else { i }).collect();
        assert!(wilcoxon_counting(&differences[..50]).exact);
        assert!(!wilcoxon_counting(&differences).exact);
    }

    /// The approximation is good at n = 300, so the exact computation must not have drifted or
    /// overflowed.
    #[test]
    fn exact_and_normal_agree_for_many_queries() {
        let differences: Vec<f64> =
            (1..=300).map(|i| f64::from(if i % 9 < 4 { -i } else { i })).collect();
        let (exact, normal) =
            (wilcoxon_differences(&differences, Exact), wilcoxon_differences(&differences, Normal));
        assert!((exact.p - normal.p).abs() < 1e-3, "{exact:?} {normal:?}");
    }

    #[test]
    fn huge_differences_are_sorted_instead_of_counted() {
        assert_eq!(
            wilcoxon_counting(&[i32::MIN, 5, -5, i32::MAX]),
            wilcoxon_counting(&[-9, 5, -5, 8])
        );
    }
}
