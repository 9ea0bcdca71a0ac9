//! A weighted sum of features.

use serde::{Deserialize, Serialize};

use crate::data::{Feature, FeatureId, FeatureTable, View};

/// Weights by feature. Features carry their external ids and names, so that the model finds them in
/// other data sets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinearModel {
    weights: Vec<FeatureWeight>,
    /// Added to every score: irrelevant to a ranking, but needed for the predictions of a
    /// regression.
    #[serde(default, skip_serializing_if = "is_zero")]
    intercept: f64,
}

/// A feature and its weight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureWeight {
    /// The feature, with its external id and name.
    #[serde(flatten)]
    pub feature: Feature,
    /// Its weight.
    pub weight: f64,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl LinearModel {
    /// A model with these weights for columns of a table.
    pub fn new(features: &FeatureTable, weights: &[(FeatureId, f64)]) -> Self {
        let weight = |&(f, weight): &(FeatureId, f64)| FeatureWeight {
            feature: features.get(f).clone(),
            weight,
        };
        LinearModel { weights: weights.iter().map(weight).collect(), intercept: 0.0 }
    }

    /// The same model with a constant added to every score.
    #[must_use]
    pub fn with_intercept(self, intercept: f64) -> Self {
        LinearModel { intercept, ..self }
    }

    /// The weights, in the feature order of the training data.
    pub fn weights(&self) -> &[FeatureWeight] {
        &self.weights
    }

    /// The constant added to every score.
    pub fn intercept(&self) -> f64 {
        self.intercept
    }

    /// The features, in the order of the weights.
    pub(crate) fn features(&self) -> impl Iterator<Item = &Feature> {
        self.weights.iter().map(|w| &w.feature)
    }

    /// The features, to name them.
    pub(crate) fn features_mut(&mut self) -> impl Iterator<Item = &mut Feature> {
        self.weights.iter_mut().map(|w| &mut w.feature)
    }

    /// Scores of a view's documents; `columns` are the model's features in the view's data.
    pub(crate) fn score(&self, view: &View<'_>, columns: &[FeatureId]) -> Vec<f32> {
        let mut scores = Vec::with_capacity(view.documents());
        for rows in view.rows() {
            let mut sums = vec![self.intercept; rows.len()];
            for (column, weight) in columns.iter().zip(&self.weights) {
                let values = &view.data().column(*column)[rows.clone()];
                sums.iter_mut()
                    .zip(values)
                    .for_each(|(sum, &x)| *sum += weight.weight * f64::from(x));
            }
            scores.extend(sums.into_iter().map(|sum| sum as f32));
        }
        scores
    }
}
