//! Values of single queries, held for many tests: as whole steps where they fit.

/// The sizes of a step, as powers of two. Values that differ by less than a step may count as
/// equal; rounding errors are far below.
const STEPS: std::ops::RangeInclusive<i32> = -26..=-20;

/// No value has so many steps, so that differences are 32-bit numbers.
const TOO_MANY: f64 = (1u32 << 30) as f64;

/// What one system reaches in each query that counts. Half the bytes of the numbers themselves, and
/// quicker to compare.
#[derive(Debug, Clone, PartialEq)]
pub enum PerQuery {
    /// How many steps of this size: 2⁻²⁶ where all values are below 16, and up to 2⁻²⁰ below 1024.
    Steps(f64, Box<[i32]>),
    /// As they are: larger values, or none.
    Exact(Box<[f64]>),
}

impl PerQuery {
    /// In the smallest steps that are possible, if any are.
    pub fn new(values: &[f64]) -> Self {
        // What is no number is the largest, and does not fit.
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
    fn values_are_held_as_steps_where_they_fit() {
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
