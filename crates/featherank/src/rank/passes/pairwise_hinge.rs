//! Squared hinge loss over preference pairs at a linear model's weights: its value, gradient and
//! curvature, without visiting a pair.
//!
//! The loss is Σ max(0, 1 − wᵀ(xᵢ − xⱼ))² over the pairs of one query with yᵢ > yⱼ; [`crate::rank::linear::pair_free`]
//! shows how sums over pairs become sums over sorted documents. Everything is a sum over queries, so
//! answers merge by addition.

use serde::{Deserialize, Serialize};

use crate::data::FeatureId;
use crate::engine::{Block, Merge, Pass, Schema, check_features, check_length};
use crate::error::{Error, Result};
use crate::rank::linear::design::Design;
use crate::rank::linear::newton::second_derivative;
use crate::rank::linear::pair_free::Preferences;
use crate::vector::dot;

/// The squared hinge loss of a linear model, its gradient and, on request, its curvature.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PairwiseHinge {
    /// The features that the model weighs.
    pub features: Vec<FeatureId>,
    /// One weight a feature.
    pub weights: Vec<f64>,
    /// Places of the features whose second derivatives to compute.
    pub curved: Vec<usize>,
    /// Other weights: derivatives along the difference to them are computed, too.
    pub towards: Option<Vec<f64>>,
    /// Whether to compute those only, without the derivative for each weight.
    pub along_only: bool,
}

/// The loss and its derivatives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HingeLoss {
    /// Number of preference pairs.
    pub pairs: u64,
    /// Σ max(0, 1 − margin)².
    pub loss: f64,
    /// Its derivative with respect to each weight.
    pub slope: Vec<f64>,
    /// Its second derivatives between the requested features, row by row.
    pub curvature: Vec<f64>,
    /// Its derivative along the requested direction.
    pub along: f64,
    /// Its second derivative along that direction.
    pub bend: f64,
}

impl Pass for PairwiseHinge {
    type Answer = HingeLoss;
    const NAME: &'static str = "pairwise-hinge";
    const ACTIVITY: &'static str = "comparing documents that differ in relevance";

    fn check(&self, schema: &Schema) -> Result<()> {
        let width = self.features.len();
        check_length("weights of a model", self.weights.len(), width)?;
        let towards = self.towards.as_ref().map_or(width, Vec::len);
        check_length("weights to go towards", towards, width)?;
        if let Some(place) = self.curved.iter().find(|&&place| place >= width) {
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
        let (along, bend) = self.towards.as_ref().map_or((0.0, 0.0), |towards| {
            let mut change = design.scores(towards);
            change.iter_mut().zip(&scores).for_each(|(there, here)| *there -= here);
            let curved = preferences.curvature(&violations, &change);
            (2.0 * dot(&violations.squared_slope, &change), 2.0 * dot(&curved, &change))
        });
        let slope = match self.along_only {
            true => Vec::new(),
            false => twice(design.transposed(&violations.squared_slope)),
        };
        let curvature = match &self.curved[..] {
            [] => Vec::new(),
            places => {
                twice(second_derivative(&design.restricted(places), &preferences, &violations))
            }
        };
        HingeLoss {
            pairs: preferences.pairs(),
            loss: 2.0 * violations.squared,
            slope,
            curvature,
            along,
            bend,
        }
    }
}

impl Merge for HingeLoss {
    fn merge(mut self, next: Self) -> Self {
        let add =
            |all: &mut [f64], more: &[f64]| all.iter_mut().zip(more).for_each(|(sum, x)| *sum += x);
        self.pairs += next.pairs;
        self.loss += next.loss;
        self.along += next.along;
        self.bend += next.bend;
        add(&mut self.slope, &next.slope);
        add(&mut self.curvature, &next.curvature);
        self
    }
}
