//! The paired t-test: does the mean of per-query differences differ from zero?
//!
//! Student, *The probable error of a mean*, Biometrika 1908. With n differences of mean d̄ and
//! standard deviation s (denominator n−1), t = d̄ / (s/√n) follows Student's t with n−1 degrees of
//! freedom; p is two-sided.
//!
//! Edge cases: if all differences are zero, t = 0 and p = 1; if all are equal but not zero, t = ±∞
//! and p = 0; with fewer than two queries, t = 0 and p = 1, because one difference has no spread.

use serde::{Deserialize, Serialize};

use super::{number, pairs, student};

/// The result of a t-test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TTest {
    /// t; infinite if the differences are all equal and not zero.
    #[serde(with = "number")]
    pub statistic: f64,
    /// Degrees of freedom: queries that count, minus one; 0 if fewer than two do.
    pub df: f64,
    /// Two-sided p-value.
    pub p: f64,
    /// Mean of the differences.
    pub mean_difference: f64,
    /// Standard error of that mean; 0 if fewer than two queries count.
    pub standard_error: f64,
}

/// Two-sided t-test of `a − b` over queries.
///
/// ```
/// use featherank::measure::significance::paired_t;
/// let test = paired_t(&[0.5, 0.7, 0.6, 0.9], &[0.4, 0.5, 0.5, 0.7]);
/// assert!((test.mean_difference - 0.15).abs() < 1e-12 && test.p < 0.05);
/// ```
///
/// # Panics
/// If the lengths differ.
pub fn paired_t(a: &[f64], b: &[f64]) -> TTest {
    one_sample_t(&pairs::differences(a, b), 0.0)
}

/// Two-sided t-test of whether the mean of `values` is `expected`; `mean_difference` is their mean
/// minus `expected`.
pub fn one_sample_t(values: &[f64], expected: f64) -> TTest {
    let SampleMean { n, mean, standard_error } = SampleMean::of(values.iter().copied());
    let mean_difference = mean - expected;
    if n < 2 {
        // The difference is still reported; without any value it is 0.
        let mean_difference = if n == 0 { 0.0 } else { mean_difference };
        return TTest { statistic: 0.0, df: 0.0, p: 1.0, mean_difference, standard_error: 0.0 };
    }
    let df = (n - 1) as f64;
    let statistic = if mean_difference == 0.0 { 0.0 } else { mean_difference / standard_error };
    TTest { statistic, df, p: student::two_sided(statistic, df), mean_difference, standard_error }
}

/// Count, mean, and standard error of the mean, of the values that are not NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SampleMean {
    pub n: usize,
    pub mean: f64,
    /// 0 with fewer than two values.
    pub standard_error: f64,
}

impl SampleMean {
    pub(crate) fn of(values: impl Iterator<Item = f64> + Clone) -> SampleMean {
        let mut values = values.filter(|value| !value.is_nan());
        let all = values.clone();
        let Some(first) = values.next() else {
            return SampleMean { n: 0, mean: 0.0, standard_error: 0.0 };
        };
        // Equal values have no spread; summation would produce one of about 1e-17, and a t of about
        // 1e16.
        if values.all(|value| value == first) {
            return SampleMean { n: all.count(), mean: first, standard_error: 0.0 };
        }
        let n = all.clone().count();
        let mean = all.clone().sum::<f64>() / n as f64;
        let squares: f64 = all.map(|value| (value - mean).powi(2)).sum();
        SampleMean { n, mean, standard_error: (squares / (n - 1) as f64 / n as f64).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// d = (1, 2, 3): mean 2, s = 1, SE = 1/√3, t = 2√3 with 2 degrees of freedom.
    /// With two degrees p = 1 − t/√(2+t²) = 1 − √(12/14).
    #[test]
    fn three_differences_by_hand() {
        let test = paired_t(&[2.0, 4.0, 6.0], &[1.0, 2.0, 3.0]);
        assert!((test.statistic - 12f64.sqrt()).abs() < 1e-12);
        assert!((test.p - (1.0 - (12f64 / 14.0).sqrt())).abs() < 1e-12);
        assert_eq!(test.df, 2.0);
        assert_eq!(test.mean_difference, 2.0);
    }

    #[test]
    fn no_difference_is_no_evidence() {
        let test = paired_t(&[0.1, 0.2, 0.3], &[0.1, 0.2, 0.3]);
        assert_eq!((test.statistic, test.p), (0.0, 1.0));
    }

    /// Ten times 0.1 sums to less than 1, so that a naive variance is not zero.
    #[test]
    fn a_constant_difference_is_certain() {
        let test = paired_t(&[0.1; 10], &[0.0; 10]);
        assert_eq!((test.statistic, test.p, test.standard_error), (f64::INFINITY, 0.0, 0.0));
        assert_eq!(paired_t(&[0.0; 10], &[0.1; 10]).statistic, f64::NEG_INFINITY);
        let text = serde_json::to_string(&test).unwrap();
        assert_eq!(serde_json::from_str::<TTest>(&text).unwrap(), test);
    }

    #[test]
    fn fewer_than_two_queries_are_no_evidence() {
        assert_eq!(paired_t(&[], &[]).p, 1.0);
        let one = paired_t(&[0.5, f64::NAN], &[0.25, 0.1]);
        assert_eq!((one.p, one.mean_difference, one.df), (1.0, 0.25, 0.0));
    }
}
