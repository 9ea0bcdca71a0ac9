//! Squared hinge loss over preference pairs at the weights of a linear model: value, gradient and
//! Hessian, without enumerating the pairs.
//!
//! The loss is Σ max(0, 1 − wᵀ(xᵢ − xⱼ))² over the pairs of one query with yᵢ > yⱼ;
//! `rank/linear/pair_free.rs` shows how sums over pairs become sums over sorted documents.
//! Everything is a sum over queries, so answers merge by addition.

use serde::{Deserialize, Serialize};

use crate::data::FeatureId;
use crate::engine::{Block, Merge, Pass, Schema, check_features, check_length};
use crate::error::{Error, Result};
use crate::rank::linear::design::Design;
use crate::rank::linear::newton::second_derivative;
use crate::rank::linear::pair_free::Preferences;
use crate::vector::dot;

/// The squared hinge loss of a linear model, its gradient and, on request, its Hessian.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PairwiseHinge {
    /// The features of the model.
    pub features: Vec<FeatureId>,
    /// One weight per feature.
    pub weights: Vec<f64>,
    /// Indices of the features for which to compute second derivatives.
    pub hessian_features: Vec<usize>,
    /// Other weights: derivatives along the direction towards them are also computed.
    pub direction_to: Option<Vec<f64>>,
    /// Whether to compute only the derivatives along that direction, without the gradient.
    pub directional_only: bool,
}

/// The loss and its derivatives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HingeLoss {
    /// Number of preference pairs.
    pub pairs: u64,
    /// Σ max(0, 1 − margin)².
    pub loss: f64,
    /// Its gradient with respect to the weights.
    pub gradient: Vec<f64>,
    /// Its second derivatives between the requested features, in row-major order.
    pub curvature: Vec<f64>,
    /// Its derivative along the requested direction.
    pub directional_derivative: f64,
    /// Its second derivative along that direction.
    pub directional_curvature: f64,
}

impl Pass for PairwiseHinge {
    type Answer = HingeLoss;
    const NAME: &'static str = "pairwise-hinge";
    const ACTIVITY: &'static str = "comparing documents that differ in relevance";

    fn check(&self, schema: &Schema) -> Result<()> {
        let width = self.features.len();
        check_length("weights of a model", self.weights.len(), width)?;
        let others = self.direction_to.as_ref().map_or(width, Vec::len);
        check_length("weights to go towards", others, width)?;
        if let Some(place) = self.hessian_features.iter().find(|&&place| place >= width) {
            return Err(Error::invalid("place of a feature", place, format!("below {width}")));
        }
        check_features(schema, &self.features)
    }

    fn answer(&self, block: &Block<'_>) -> HingeLoss {
        let design = Design::with_features(block, self.features.clone());
        let preferences = Preferences::new(design.labels(), design.queries());
        let scores = design.scores(&self.weights);
        let violations = preferences.violations(&scores);
        let twice =
            |values: Vec<f64>| -> Vec<f64> { values.into_iter().map(|x| 2.0 * x).collect() };
        let (directional_derivative, directional_curvature) =
            self.direction_to.as_ref().map_or((0.0, 0.0), |others| {
                let mut change = design.scores(others);
                change.iter_mut().zip(&scores).for_each(|(there, here)| *there -= here);
                let product = preferences.curvature(&violations, &change);
                (2.0 * dot(&violations.squared_gradient, &change), 2.0 * dot(&product, &change))
            });
        let gradient = match self.directional_only {
            true => Vec::new(),
            false => twice(design.transposed(&violations.squared_gradient)),
        };
        let curvature = match &self.hessian_features[..] {
            [] => Vec::new(),
            places => {
                let design = design.restricted(places);
                let found = second_derivative(block.stop(), &design, &preferences, &violations);
                // The answer of a stopped block is dropped.
                twice(found.unwrap_or_default())
            }
        };
        HingeLoss {
            pairs: preferences.pairs(),
            loss: 2.0 * violations.squared,
            gradient,
            curvature,
            directional_derivative,
            directional_curvature,
        }
    }
}

impl Merge for HingeLoss {
    fn merge(mut self, next: Self) -> Self {
        let add =
            |all: &mut [f64], more: &[f64]| all.iter_mut().zip(more).for_each(|(sum, x)| *sum += x);
        self.pairs += next.pairs;
        self.loss += next.loss;
        self.directional_derivative += next.directional_derivative;
        self.directional_curvature += next.directional_curvature;
        add(&mut self.gradient, &next.gradient);
        add(&mut self.curvature, &next.curvature);
        self
    }
}
