//! Constraints on a selection: its size, features to keep and to drop, costs and a budget.

use serde::{Deserialize, Serialize};

use crate::data::{FeatureId, FeatureTable};
use crate::error::{Error, Result};
use crate::remedy;

/// Constraints that every selector honours where applicable.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Constraints {
    /// The exact number of features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<usize>,
    /// Features that must be chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<FeatureId>,
    /// Features that must not be chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<FeatureId>,
    /// The cost of each feature, in column order; 1 each if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub costs: Vec<f64>,
    /// The greatest total cost of the chosen features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<f64>,
}

impl Constraints {
    /// The cost of a feature.
    pub fn cost(&self, feature: FeatureId) -> f64 {
        self.costs.get(feature.index()).copied().unwrap_or(1.0)
    }

    /// Returns an error if constraints contradict each other or the data.
    pub fn check(&self, features: &FeatureTable) -> Result<()> {
        if let Some(both) = self.keep.iter().find(|f| self.drop.contains(f)) {
            let what = format!("feature {} is both kept and dropped", features.label(*both));
            let help = remedy!["name it in ", Keep, " or in ", Drop, ", not in both"];
            return Err(Error::constraint(what, help));
        }
        if self.k == Some(0) {
            return Err(Error::invalid("number of features", 0, "at least 1"));
        }
        let free = features.len() - self.drop.len();
        if let Some(k) = self.k.filter(|&k| k > free) {
            let expected = format!("at most {free}, the number of features that may be selected");
            return Err(Error::invalid("number of features", k, expected));
        }
        if let Some(k) = self.k.filter(|&k| k < self.keep.len()) {
            let what = format!("a selection of {k} cannot keep {} features", self.keep.len());
            return Err(Error::constraint(what, remedy!["raise ", K, ", or keep fewer features"]));
        }
        let kept: f64 = self.keep.iter().map(|&f| self.cost(f)).sum();
        match self.budget {
            Some(budget) if !(budget.is_finite() && budget > 0.0) => {
                Err(Error::invalid("budget", budget, "a number above 0"))
            }
            Some(budget) if kept > budget => Err(Error::constraint(
                format!("the features to keep cost {kept}, more than the budget of {budget}"),
                remedy!["raise ", Budget, ", or keep fewer features"],
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictions_are_rejected() {
        let features = FeatureTable::numbered(3, 1);
        let f = FeatureId;
        for (constraints, says) in [
            (
                Constraints { keep: vec![f(0)], drop: vec![f(0)], ..Constraints::default() },
                "not in both",
            ),
            (Constraints { k: Some(0), ..Constraints::default() }, "at least 1"),
            (Constraints { k: Some(3), drop: vec![f(1)], ..Constraints::default() }, "at most 2"),
            (
                Constraints { k: Some(1), keep: vec![f(0), f(1)], ..Constraints::default() },
                "raise `k`",
            ),
            (Constraints { budget: Some(-1.0), ..Constraints::default() }, "above 0"),
            (
                Constraints { budget: Some(1.0), keep: vec![f(0), f(1)], ..Constraints::default() },
                "raise `budget`",
            ),
        ] {
            let error = constraints.check(&features).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        assert!(Constraints { k: Some(3), ..Constraints::default() }.check(&features).is_ok());
    }
}
