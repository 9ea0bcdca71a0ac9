//! The constraints that a selection was made under, as recorded in its document.

use serde::{Deserialize, Serialize};

use crate::data::{Feature, FeatureId, FeatureTable};
use crate::run::Constraints;

/// The constraints on a selection except its budget, with features by id and name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedConstraints {
    /// The number of features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<usize>,
    /// Features that had to be chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<Feature>,
    /// Features that could not be chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<Feature>,
    /// The cost of every feature by its id; empty if costs were not given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub costs: Vec<(u32, f64)>,
}

impl RecordedConstraints {
    /// The constraints of a run on features of this table.
    pub(super) fn of(constraints: &Constraints, table: &FeatureTable) -> Self {
        let features = |list: &[FeatureId]| list.iter().map(|&f| table.get(f).clone()).collect();
        let cost = |f: FeatureId| (table.get(f).id, constraints.cost(f));
        let costs = match constraints.costs.is_empty() {
            true => Vec::new(),
            false => table.by_id().into_iter().map(cost).collect(),
        };
        RecordedConstraints {
            k: constraints.k,
            keep: features(&constraints.keep),
            drop: features(&constraints.drop),
            costs,
        }
    }

    /// Whether there is nothing to record.
    pub(super) fn is_empty(&self) -> bool {
        *self == RecordedConstraints::default()
    }
}
