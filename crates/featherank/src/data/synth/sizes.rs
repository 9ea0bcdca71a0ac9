//! List sizes: as uneven as in real data, within their limits, and with an exact total.
//!
//! Log-normal weights are multiplied by a common factor and clipped to the limits; the total grows
//! with the factor, so bisection finds the one that meets it. The remainder of rounding down goes
//! to the largest fractions.

use rand::RngExt;
use rand_distr::StandardNormal;

use super::config::SynthConfig;
use crate::error::Result;
use crate::random::{Purpose, stream};

/// The stream of list sizes among those of [`Purpose::SynthFeatures`]; the features themselves use
/// stream 0.
const SIZES: u64 = 1;

impl SynthConfig {
    /// The number of documents of each query. They sum to exactly `documents`.
    pub fn query_sizes(&self) -> Result<Vec<usize>> {
        self.check()?;
        let mut random = stream(self.seed, Purpose::SynthFeatures, SIZES);
        let mut normal = || -> f64 { random.sample(StandardNormal) };
        let weights: Vec<f64> =
            (0..self.queries).map(|_| (self.size_spread * normal()).exp()).collect();
        Ok(apportion(&weights, self.documents, self.min_documents, self.max_documents))
    }
}

/// Integers from `min` to `max`, roughly proportional to `weights`, that sum to `total`.
fn apportion(weights: &[f64], total: usize, min: usize, max: usize) -> Vec<usize> {
    let share = |factor: f64, weight: f64| (factor * weight).clamp(min as f64, max as f64);
    let sum = |factor: f64| weights.iter().map(|&weight| share(factor, weight)).sum::<f64>();
    let smallest = weights.iter().copied().fold(f64::INFINITY, f64::min);
    // At `low` every query has `min` documents or the total is not yet reached; at `high` every
    // query has `max`.
    let (mut low, mut high) = (0.0, max as f64 / smallest);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if sum(middle) <= total as f64 { low = middle } else { high = middle }
    }
    let mut sizes: Vec<usize> = weights.iter().map(|&weight| share(low, weight) as usize).collect();
    let fraction = |query: usize| share(low, weights[query]).fract();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| fraction(b).total_cmp(&fraction(a)).then(a.cmp(&b)));
    let mut left = total.saturating_sub(sizes.iter().sum());
    while left > 0 && sizes.iter().any(|&size| size < max) {
        for &query in &order {
            if left > 0 && sizes[query] < max {
                sizes[query] += 1;
                left -= 1;
            }
        }
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::super::preset::Preset;
    use super::*;

    #[test]
    fn presets_have_exact_totals_and_uneven_lists() {
        for preset in Preset::ALL {
            let config = preset.config();
            let sizes = config.query_sizes().unwrap();
            assert_eq!(sizes.len(), config.queries);
            assert_eq!(sizes.iter().sum::<usize>(), config.documents, "{preset}");
            let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
            assert!(
                *least >= config.min_documents
                    && *most <= config.max_documents
                    && most > &(least * 3 / 2)
            );
        }
    }

    #[test]
    fn limits_hold_even_if_they_leave_no_choice() {
        assert_eq!(apportion(&[0.1, 1.0, 10.0], 6, 2, 9), [2, 2, 2]);
        assert_eq!(apportion(&[0.1, 1.0, 10.0], 27, 2, 9), [9, 9, 9]);
        assert_eq!(apportion(&[1.0, 1.0, 1.0], 10, 1, 9), [4, 3, 3]);
        assert_eq!(apportion(&[1.0, 2.0, 4.0], 14, 1, 9), [2, 4, 8]);
    }
}
