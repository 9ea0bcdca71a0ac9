//! How an embedded method chooses among its models: a setting that all of them share.

use super::sample::Scale;
use crate::error::Result;
use crate::measure::Measure;
use crate::params::{Kind, Param, Params};

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `measure` | `map[ties=expected]` | any measure | what chooses the model on validation data |
/// | `slack` | `0` | 0 to 1 | takes the sparsest model that is at most so much worse than the best |
/// | `standardise` | `auto` | auto, no, yes | divides features by their standard deviation within queries; auto does where some value is outside 0 to 1 |
#[derive(Debug, Clone)]
pub struct Tuning {
    pub(super) measure: Measure,
    pub(super) slack: f64,
    pub(super) scale: Scale,
}

impl Tuning {
    pub(super) const MEASURE: Param = Param {
        name: "measure",
        kind: Kind::Measure,
        default: "map[ties=expected]",
        meaning: "what chooses the model on validation data",
    };

    pub(super) const SLACK: Param = Param {
        name: "slack",
        kind: Kind::Real { min: 0.0, max: 1.0 },
        default: "0",
        meaning: "takes the sparsest model that is at most so much worse than the best on validation data",
    };

    pub(in crate::select) const STANDARDISE: Param = Param {
        name: "standardise",
        kind: Kind::Choice(&["auto", "no", "yes"]),
        default: "auto",
        meaning: "divide features by their standard deviation within queries; auto does where some value is outside 0 to 1",
    };

    /// What the three parameters say.
    pub(super) fn from_params(params: &Params) -> Result<Self> {
        let (measure, slack) = (params.measure("measure")?, params.real("slack")?);
        Ok(Tuning { measure, slack, scale: Self::scale(params) })
    }

    /// What `standardise` says.
    pub(in crate::select) fn scale(params: &Params) -> Scale {
        match params.text("standardise") {
            "no" => Scale::None,
            "yes" => Scale::Spread,
            _ => Scale::Auto,
        }
    }
}
