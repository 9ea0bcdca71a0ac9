//! A weighted sum of features.

use serde::{Deserialize, Serialize};

use crate::data::{Feature, FeatureId, FeatureTable, View};
use crate::error::Result;

/// Weights by feature. Features carry the owner's ids and names, so that the model finds them in other data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinearModel {
    weights: Vec<Weight>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Weight {
    #[serde(flatten)]
    feature: Feature,
    weight: f64,
}

impl LinearModel {
    /// A model with these weights for columns of a table.
    pub fn new(features: &FeatureTable, weights: &[(FeatureId, f64)]) -> Self {
        let weight = |&(f, weight): &(FeatureId, f64)| Weight { feature: features.get(f).clone(), weight };
        LinearModel { weights: weights.iter().map(weight).collect() }
    }

    pub(super) fn columns(&self, table: &FeatureTable) -> Result<Vec<FeatureId>> {
        self.weights.iter().map(|w| table.resolve(&w.feature.label())).collect()
    }

    pub(super) fn score(&self, view: &View<'_>) -> Result<Vec<f32>> {
        let columns = self.columns(view.data().features())?;
        let mut scores = Vec::with_capacity(view.documents());
        for rows in view.rows() {
            let mut sums = vec![0.0f64; rows.len()];
            for (column, weight) in columns.iter().zip(&self.weights) {
                let values = &view.data().column(*column)[rows.clone()];
                sums.iter_mut().zip(values).for_each(|(sum, &x)| *sum += weight.weight * f64::from(x));
            }
            scores.extend(sums.into_iter().map(|sum| sum as f32));
        }
        Ok(scores)
    }
}
