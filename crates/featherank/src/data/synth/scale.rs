//! Raw scales: turn a near-normal value into one as found in logs.
//!
//! Every scale is increasing, so a feature ranks documents as before except where counts tie.

use rand::RngExt;

use crate::random::Stream;

/// Converts a feature's near-normal value to the stored one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RawScale {
    /// Times a power of ten: scores in any unit, from thousandths to millions. Factor 1 changes
    /// nothing.
    Linear { factor: f64 },
    /// A power of e times a power of ten: page rank, click counts per day, dwell times.
    Exponential { rate: f64, factor: f64 },
    /// An integer with a long tail and many ties: term counts, in-links.
    Count { rate: f64, base: f64 },
}

impl RawScale {
    /// The identity.
    pub(super) const PLAIN: RawScale = RawScale::Linear { factor: 1.0 };

    /// One of the three kinds, with equal probability.
    pub(super) fn draw(random: &mut Stream) -> RawScale {
        match random.random_range(0..3_u32) {
            0 => RawScale::Linear { factor: 10_f64.powi(random.random_range(-3..=6)) },
            1 => RawScale::Exponential {
                rate: random.random_range(0.7..1.5),
                factor: 10_f64.powi(random.random_range(-3..=4)),
            },
            _ => RawScale::Count {
                rate: random.random_range(0.5..1.2),
                base: random.random_range(0.0..3.0),
            },
        }
    }

    /// The stored value. Computed in 64 bits, so that differences in the last bit of a platform's
    /// `exp` hardly ever matter.
    pub(super) fn apply(self, value: f64) -> f32 {
        match self {
            RawScale::Linear { factor } => (factor * value) as f32,
            RawScale::Exponential { rate, factor } => (factor * (rate * value).exp()) as f32,
            RawScale::Count { rate, base } => (rate * value + base).exp().floor() as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    #[test]
    fn every_scale_is_increasing_and_finite() {
        let mut random = stream(3, Purpose::Test, 0);
        for _ in 0..200 {
            let scale = RawScale::draw(&mut random);
            let stored: Vec<f32> = (-200..=200).map(|i| scale.apply(f64::from(i) / 10.0)).collect();
            assert!(stored.iter().all(|v| v.is_finite()) && stored.is_sorted(), "{scale:?}");
            assert!(stored.first() < stored.last());
        }
        assert_eq!(RawScale::PLAIN.apply(0.25), 0.25);
    }
}
