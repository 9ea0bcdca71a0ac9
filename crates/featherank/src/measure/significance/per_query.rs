//! Per-query values kept for many tests: quantised if they fit.

/// The possible step sizes, as powers of two. Values that differ by less than a step may become
/// equal; rounding errors are much smaller.
const STEPS: std::ops::RangeInclusive<i32> = -26..=-20;

/// Every value has fewer steps than this, so that differences fit into 32 bits.
const TOO_MANY: f64 = (1u32 << 30) as f64;

/// The values of one system, one for each query that counts. Quantised they take half the bytes and
/// are faster to compare.
#[derive(Debug, Clone, PartialEq)]
pub enum PerQuery {
    /// Multiples of this step: 2⁻²⁶ if all values are below 16, and up to 2⁻²⁰ below 1024.
    Steps(f64, Box<[i32]>),
    /// Unchanged: larger values, or NaN.
    Exact(Box<[f64]>),
}

impl PerQuery {
    /// Quantises with the smallest step that fits, if any does.
    pub fn new(values: &[f64]) -> Self {
        // A NaN sorts as the largest value and does not fit.
        let largest = values.iter().map(|value| value.abs()).max_by(f64::total_cmp).unwrap_or(0.0);
        let fits = |size: &f64| (largest / size).round() < TOO_MANY;
        match STEPS.map(|power| 2f64.powi(power)).find(fits) {
            Some(size) => PerQuery::Steps(
                size,
                values.iter().map(|value| (value / size).round() as i32).collect(),
            ),
            None => PerQuery::Exact(values.into()),
        }
    }

    /// The values.
    pub fn values(&self) -> Vec<f64> {
        match self {
            PerQuery::Steps(size, numbers) => {
                numbers.iter().map(|&number| f64::from(number) * size).collect()
            }
            PerQuery::Exact(values) => values.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quantised_if_they_fit() {
        let size = |values: &[f64]| match PerQuery::new(values) {
            PerQuery::Steps(size, _) => Some(size.log2()),
            PerQuery::Exact(_) => None,
        };
        assert_eq!(size(&[]), Some(-26.0));
        assert_eq!(size(&[0.0, 15.999_999]), Some(-26.0));
        assert_eq!(size(&[16.0, 0.5]), Some(-25.0));
        assert_eq!(size(&[-1023.9]), Some(-20.0));
        let values = [0.1 + 0.2, -1.0, 15.999_999, 0.0];
        let held = PerQuery::new(&values);
        assert_eq!(
            held,
            PerQuery::new(&[0.3, -1.0, 15.999_999, 0.0]),
            "rounding errors are no differences"
        );
        assert!(
            held.values()
                .iter()
                .zip(values)
                .all(|(held, value)| (held - value).abs() <= 2f64.powi(-27))
        );
        for other in [1024.0, -1024.0, f64::NAN, -f64::NAN, f64::INFINITY] {
            assert_eq!(size(&[0.5, other, 0.5]), None);
            assert_eq!(PerQuery::new(&[0.5, other]).values()[1].to_bits(), other.to_bits());
        }
    }
}
