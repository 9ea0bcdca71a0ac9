//! What filters look at that weigh worth against likeness: the features that may be chosen, what
//! each is worth by itself, and how alike they are.

use super::relevance::Relevance;
use super::similarity::Similarity;
use crate::data::FeatureId;
use crate::engine::passes::Moments;
use crate::engine::{Ask, CorrelationMatrix, Engine};
use crate::error::Result;
use crate::run::Run;

/// Features by place: their order of columns, without dead and dropped ones.
#[derive(Debug, Clone)]
pub(super) struct Landscape {
    pub features: Vec<FeatureId>,
    pub dead: Vec<FeatureId>,
    /// What each is worth by itself.
    pub relevance: Vec<f64>,
    correlations: CorrelationMatrix,
}

impl Landscape {
    pub fn of(
        run: &Run,
        engine: &dyn Engine,
        relevance: &Relevance,
        similarity: &Similarity,
    ) -> Result<Self> {
        let (mut features, dead) = engine.ask(&Moments)?.alive();
        features.retain(|f| !run.constraints.drop.contains(f));
        let relevance = relevance.of(run, engine, &features)?;
        let matrix = similarity.of(engine, &features)?;
        Ok(Landscape { dead, ..Landscape::new(features, relevance, |a, b| matrix.or_zero(a, b)) })
    }

    /// Correlations are rounded to twelve digits, so that what is equal but for the order in which
    /// documents were summed stays a tie, and goes by column.
    pub fn new(
        features: Vec<FeatureId>,
        relevance: Vec<f64>,
        correlation: impl Fn(usize, usize) -> f64,
    ) -> Self {
        let rounded = |a, b| Some((correlation(a, b) * 1e12).round() / 1e12);
        let correlations = CorrelationMatrix::new(features.len(), rounded);
        Landscape { features, dead: Vec::new(), relevance, correlations }
    }

    pub fn width(&self) -> usize {
        self.features.len()
    }

    /// How much two features say the same; below 0 where they contradict each other.
    pub fn correlation(&self, a: usize, b: usize) -> f64 {
        self.correlations.or_zero(a, b)
    }

    /// 0 for features that have nothing in common, 1 for those that order all documents alike or
    /// oppositely.
    pub fn alike(&self, a: usize, b: usize) -> f64 {
        self.correlation(a, b).abs()
    }

    /// The place of a feature that may be chosen.
    pub fn place(&self, feature: FeatureId) -> Option<usize> {
        self.features.binary_search(&feature).ok()
    }

    /// The features at these places, most relevant first; equals by column.
    pub fn by_relevance(&self, mut places: Vec<usize>) -> Vec<usize> {
        places.sort_by(|&a, &b| self.relevance[b].total_cmp(&self.relevance[a]).then(a.cmp(&b)));
        places
    }

    /// Features with their relevance, as selections take them.
    pub fn scored(&self, places: &[usize]) -> Vec<(FeatureId, f64)> {
        places.iter().map(|&place| (self.features[place], self.relevance[place])).collect()
    }
}

/// The five features that the shared examples are worked out for.
#[cfg(test)]
pub(super) fn worked_example(fixture: &serde_json::Value) -> Landscape {
    let numbers = |value: &serde_json::Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let relevance = numbers(&fixture["relevance"]);
    let rows: Vec<Vec<f64>> =
        fixture["similarity"].as_array().unwrap().iter().map(numbers).collect();
    let features = (0..relevance.len()).map(FeatureId::from).collect();
    Landscape::new(features, relevance, |a, b| rows[a][b])
}
