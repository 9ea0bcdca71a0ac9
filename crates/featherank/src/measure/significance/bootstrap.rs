//! The bootstrap over queries: a confidence interval of a mean.
//!
//! Efron, *Bootstrap methods: another look at the jackknife*, Annals of Statistics 1979. Draw as
//! many queries as there are, with replacement, and take the mean; repeat. The interval lies
//! between the (1−level)/2 and (1+level)/2 quantiles of these means, with linear interpolation.
//!
//! Resample i uses its own random stream, numbered i, so that the interval does not depend on the
//! number of threads.

use rand::RngExt;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{number, pairs};
use crate::error::Result;
use crate::random::{Purpose, stream};
use crate::stop::StopToken;

/// A confidence interval of a mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end; −∞ if no query counts.
    #[serde(with = "number")]
    pub low: f64,
    /// Upper end; ∞ if no query counts.
    #[serde(with = "number")]
    pub high: f64,
    /// Confidence: .95 for the customary interval.
    pub level: f64,
}

/// Percentile interval of the mean of per-query values, with confidence `level` (.95, not .05),
/// from `resamples` resamples (at least one; 1,000 or more are customary). The interval of a single
/// query is a point.
pub fn bootstrap_mean(values: &[f64], level: f64, resamples: usize, seed: u64) -> Interval {
    let counted = counted(values);
    if counted.is_empty() {
        return Interval::unbounded(level);
    }
    let means = (0..resamples.max(1)).into_par_iter();
    Interval::of(means.map(|index| resampled_mean(&counted, seed, index)).collect(), level)
}

/// The number of resamples of a block.
const BLOCK: usize = 1000;

/// The number of blocks in which [`observed_bootstrap_mean`] draws this many resamples.
pub(crate) fn resample_blocks(resamples: usize) -> usize {
    resamples.max(1).div_ceil(BLOCK)
}

/// As [`bootstrap_mean`], in blocks: calls `on_block` after each. An error if the token is stopped.
pub(crate) fn observed_bootstrap_mean(
    values: &[f64],
    level: f64,
    resamples: usize,
    seed: u64,
    stop: &StopToken,
    mut on_block: impl FnMut() -> Result<()>,
) -> Result<Interval> {
    let (counted, resamples) = (counted(values), resamples.max(1));
    let mut means = Vec::new();
    for block in 0..resample_blocks(resamples) {
        if !counted.is_empty() {
            let drawn = (block * BLOCK..resamples.min((block + 1) * BLOCK)).into_par_iter();
            let mean = |index: usize| stop.check().map(|()| resampled_mean(&counted, seed, index));
            means.extend(drawn.map(mean).collect::<Result<Vec<f64>>>()?);
        }
        on_block()?;
    }
    Ok(if means.is_empty() { Interval::unbounded(level) } else { Interval::of(means, level) })
}

fn counted(values: &[f64]) -> Vec<f64> {
    values.iter().copied().filter(|value| !value.is_nan()).collect()
}

/// The mean of the resample with this number.
fn resampled_mean(counted: &[f64], seed: u64, index: usize) -> f64 {
    let mut random = stream(seed, Purpose::Bootstrap, index as u64);
    let sum: f64 = (0..counted.len()).map(|_| counted[random.random_range(0..counted.len())]).sum();
    sum / counted.len() as f64
}

impl Interval {
    /// The interval if no query counts.
    fn unbounded(level: f64) -> Self {
        Interval { low: f64::NEG_INFINITY, high: f64::INFINITY, level }
    }

    /// The percentile interval of these means.
    fn of(mut means: Vec<f64>, level: f64) -> Self {
        means.sort_by(f64::total_cmp);
        Interval {
            low: quantile(&means, (1.0 - level) / 2.0),
            high: quantile(&means, (1.0 + level) / 2.0),
            level,
        }
    }
}

/// As [`bootstrap_mean`], for the mean of `a − b`: the two values of a query are drawn together.
///
/// # Panics
/// If the lengths differ.
pub fn bootstrap_difference(
    a: &[f64],
    b: &[f64],
    level: f64,
    resamples: usize,
    seed: u64,
) -> Interval {
    bootstrap_mean(&pairs::differences(a, b), level, resamples, seed)
}

/// The quantile of sorted values, with linear interpolation; NaN if there are none.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let position = share.clamp(0.0, 1.0) * last as f64;
    let below = (position as usize).min(last);
    let above = (below + 1).min(last);
    sorted[below] + (position - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_interpolated() {
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 1.0), 4.0);
        assert_eq!(quantile(&[7.0], 0.3), 7.0);
        assert!(quantile(&[], 0.5).is_nan());
    }

    #[test]
    fn values_without_spread_give_a_point() {
        let interval = bootstrap_mean(&[0.25, f64::NAN, 0.25], 0.95, 100, 1);
        assert_eq!((interval.low, interval.high), (0.25, 0.25));
    }

    #[test]
    fn no_values_give_an_unbounded_interval() {
        let interval = bootstrap_mean(&[f64::NAN], 0.95, 100, 1);
        assert_eq!((interval.low, interval.high), (f64::NEG_INFINITY, f64::INFINITY));
        let text = serde_json::to_string(&interval).unwrap();
        assert_eq!(serde_json::from_str::<Interval>(&text).unwrap(), interval);
    }

    /// The mean of 400 fair coins has a standard deviation of .025, so the 95 % interval is about
    /// .5 ± .049.
    #[test]
    fn the_interval_has_the_theoretical_width() {
        let coins: Vec<f64> = (0..400).map(|i| f64::from(i % 2)).collect();
        let interval = bootstrap_mean(&coins, 0.95, 4000, 7);
        assert!(
            (interval.low - 0.451).abs() < 0.004 && (interval.high - 0.549).abs() < 0.004,
            "{interval:?}"
        );
    }

    #[test]
    fn blocks_give_the_same_interval() {
        let values = [0.9, f64::NAN, 0.5, 0.1, 0.3];
        for (values, resamples) in [(&values[..], 1), (&values[..], 2_500), (&values[1..2], 2_500)]
        {
            let mut blocks = 0;
            let on_block = || {
                blocks += 1;
                Ok(())
            };
            let never = StopToken::NEVER;
            let observed = observed_bootstrap_mean(values, 0.95, resamples, 3, &never, on_block);
            assert_eq!(observed.unwrap(), bootstrap_mean(values, 0.95, resamples, 3));
            assert_eq!(blocks, resample_blocks(resamples));
        }
    }

    #[test]
    fn differences_are_drawn_by_query() {
        let (a, b) = ([0.9, 0.5, 0.1], [0.8, 0.4, 0.0]);
        let interval = bootstrap_difference(&a, &b, 0.95, 200, 3);
        assert!((interval.low - 0.1).abs() < 1e-12 && (interval.high - 0.1).abs() < 1e-12);
    }
}
