//! Thresholds of redundancy.

/// A variance inflation above this is flagged: the others explain more than 90 % of the feature.
pub const INFLATED: f64 = 10.0;

/// Whether an absolute correlation is at least the level.
pub fn reaches(correlation: Option<f64>, level: f64) -> bool {
    // Copies have a correlation of 1 up to rounding, and must be found at level 1.
    const ROUNDING: f64 = 1e-12;
    correlation.unwrap_or(0.0).abs() >= level - ROUNDING
}
