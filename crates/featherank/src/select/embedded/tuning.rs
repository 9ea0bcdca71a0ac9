//! The choice among the models of an embedded method: parameters that all of them share.

use super::sample::Standardisation;
use crate::declare::choice;
use crate::measure::Measure;

/// Measure, slack and scaling: the parameters that all embedded methods have.
#[derive(Debug, Clone)]
pub struct Tuning {
    pub(in crate::select) measure: Measure,
    pub(in crate::select) slack: f64,
    pub(in crate::select) scale: Standardisation,
}

choice! {
    impl Standardisation { Auto = "auto", Spread = "true", None = "false" }
}
