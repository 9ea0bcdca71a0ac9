//! The relevance of features and the correlations between them, for filters that trade relevance
//! against redundancy.

use super::relevance::Relevance;
use super::similarity::Similarity;
use crate::data::FeatureId;
use crate::engine::passes::Moments;
use crate::engine::{Ask, CorrelationMatrix, Engine};
use crate::error::Result;
use crate::run::Run;

/// The relevance and redundancy of the features that may be chosen. Features are numbered by their
/// place in the order of columns, without dropped ones and those that are constant within queries.
#[derive(Debug, Clone)]
pub(super) struct RelevanceAndRedundancy {
    pub features: Vec<FeatureId>,
    pub unusable: Vec<FeatureId>,
    /// The relevance of each feature by itself.
    pub relevance: Vec<f64>,
    correlations: CorrelationMatrix,
}

impl RelevanceAndRedundancy {
    pub fn of(
        run: &Run,
        engine: &dyn Engine,
        relevance: &Relevance,
        similarity: &Similarity,
    ) -> Result<Self> {
        let (mut features, unusable) = engine.ask(&Moments)?.varying_within_queries();
        features.retain(|f| !run.constraints.drop.contains(f));
        let relevance = relevance.of(run, engine, &features)?;
        let matrix = similarity.of(engine, &features)?;
        Ok(RelevanceAndRedundancy {
            unusable,
            ..RelevanceAndRedundancy::new(features, relevance, |a, b| matrix.or_zero(a, b))
        })
    }

    /// Correlations are rounded to twelve digits, so that values that differ only by the order of
    /// summation are ties, which go by column.
    pub fn new(
        features: Vec<FeatureId>,
        relevance: Vec<f64>,
        correlation: impl Fn(usize, usize) -> f64,
    ) -> Self {
        let rounded = |a, b| Some((correlation(a, b) * 1e12).round() / 1e12);
        let correlations = CorrelationMatrix::new(features.len(), rounded);
        RelevanceAndRedundancy { features, unusable: Vec::new(), relevance, correlations }
    }

    pub fn width(&self) -> usize {
        self.features.len()
    }

    /// The correlation of two features.
    pub fn correlation(&self, a: usize, b: usize) -> f64 {
        self.correlations.or_zero(a, b)
    }

    /// The absolute correlation of two features: 0 if they are independent, 1 if they order all
    /// documents in the same or the opposite way.
    pub fn similarity(&self, a: usize, b: usize) -> f64 {
        self.correlation(a, b).abs()
    }

    /// The place of a feature that may be chosen.
    pub fn place(&self, feature: FeatureId) -> Option<usize> {
        self.features.binary_search(&feature).ok()
    }

    /// These places, most relevant first; ties by column.
    pub fn by_relevance(&self, mut places: Vec<usize>) -> Vec<usize> {
        places.sort_by(|&a, &b| self.relevance[b].total_cmp(&self.relevance[a]).then(a.cmp(&b)));
        places
    }

    /// Features with their relevance as scores.
    pub fn scored(&self, places: &[usize]) -> Vec<(FeatureId, f64)> {
        places.iter().map(|&place| (self.features[place], self.relevance[place])).collect()
    }
}

/// The five features of the worked examples in the fixture.
#[cfg(test)]
pub(super) fn worked_example(fixture: &serde_json::Value) -> RelevanceAndRedundancy {
    let numbers = |value: &serde_json::Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let relevance = numbers(&fixture["relevance"]);
    let rows: Vec<Vec<f64>> =
        fixture["similarity"].as_array().unwrap().iter().map(numbers).collect();
    let features = (0..relevance.len()).map(FeatureId::from).collect();
    RelevanceAndRedundancy::new(features, relevance, |a, b| rows[a][b])
}
