//! Values of single queries, held for many tests: as whole steps where they fit.

/// Steps to one. Values that differ by less than a step, 1.5·10⁻⁸, may count as equal; rounding errors are far below.
const STEPS: f64 = (1u32 << 26) as f64;

/// No value has so many steps, so that differences are 32-bit numbers.
const TOO_MANY: f64 = (1u32 << 30) as f64;

/// What one system reaches in each query that counts. Half the bytes of the numbers themselves, and quicker to compare.
#[derive(Debug, Clone, PartialEq)]
pub enum PerQuery {
    /// In steps of 2⁻²⁶, where all values are below 16.
    Steps(Box<[i32]>),
    /// As they are: values of another size, or none.
    Exact(Box<[f64]>),
}

impl PerQuery {
    /// In steps if that is possible.
    pub fn new(values: &[f64]) -> Self {
        let steps = |value: &f64| {
            let steps = (value * STEPS).round();
            (steps.abs() < TOO_MANY).then_some(steps as i32)
        };
        let all: Option<Box<[i32]>> = values.iter().map(steps).collect();
        all.map_or_else(|| PerQuery::Exact(values.into()), PerQuery::Steps)
    }

    /// The values.
    pub fn values(&self) -> Vec<f64> {
        match self {
            PerQuery::Steps(steps) => steps.iter().map(|&steps| f64::from(steps) / STEPS).collect(),
            PerQuery::Exact(values) => values.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_held_as_steps_where_they_fit() {
        let values = [0.1 + 0.2, -1.0, 15.999_999, 0.0];
        let held = PerQuery::new(&values);
        assert!(matches!(held, PerQuery::Steps(_)));
        assert_eq!(held, PerQuery::new(&[0.3, -1.0, 15.999_999, 0.0]), "rounding errors are no differences");
        assert!(held.values().iter().zip(values).all(|(held, value)| (held - value).abs() <= 0.5 / STEPS));
        for other in [16.0, -16.0, f64::NAN, f64::INFINITY] {
            let held = PerQuery::new(&[0.5, other]);
            assert!(matches!(held, PerQuery::Exact(_)));
            assert_eq!(held.values()[1].to_bits(), other.to_bits());
        }
    }
}
