//! A measure for every single feature: documents sorted by that feature alone, high values first.

use serde::{Deserialize, Serialize};

use super::{MeasureSums, QueryValues};
use crate::data::FeatureId;
use crate::engine::{Ask, Block, Engine, Pass, Schema, check_features};
use crate::error::Result;
use crate::measure::{Measure, RankingScratch};

/// A measure for every single feature, per query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureMeasures {
    /// The measure.
    pub measure: Measure,
    /// The features, in the order of the answer.
    pub features: Vec<FeatureId>,
}

impl FeatureMeasures {
    /// Measures these features.
    pub fn new(measure: &Measure, features: &[FeatureId]) -> Self {
        FeatureMeasures { measure: measure.clone(), features: features.to_vec() }
    }
}

impl Pass for FeatureMeasures {
    type Answer = QueryValues;
    const NAME: &'static str = "feature-measures";
    const ACTIVITY: &'static str = "ranking by single features";

    fn check(&self, schema: &Schema) -> Result<()> {
        self.measure.check_labels(schema.largest_label())?;
        check_features(schema, &self.features)
    }

    fn answer(&self, block: &Block<'_>) -> QueryValues {
        let mut per_query = vec![Vec::with_capacity(block.query_count()); self.features.len()];
        let mut scratch = RankingScratch::default();
        // Query by query, so that the labels and the ideal ranking are prepared once for all
        // features.
        for rows in block.rows() {
            scratch.labels(&block.data().labels()[rows.clone()]);
            for (feature, values) in self.features.iter().zip(&mut per_query) {
                let scores = &block.data().column(*feature)[rows.clone()];
                values.push(self.measure.of_ranking(&scratch.rank(scores)));
            }
        }
        QueryValues { per_query }
    }
}

/// A measure for every single feature, over all queries: a small answer for any number of queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureMeans(pub FeatureMeasures);

impl Pass for FeatureMeans {
    type Answer = MeasureSums;
    const NAME: &'static str = "feature-means";
    const ACTIVITY: &'static str = FeatureMeasures::ACTIVITY;

    fn check(&self, schema: &Schema) -> Result<()> {
        self.0.check(schema)
    }

    fn answer(&self, block: &Block<'_>) -> MeasureSums {
        MeasureSums::of(&self.0.measure, &self.0.answer(block).per_query)
    }
}

/// The measure of each of these features alone, over all queries.
pub fn feature_means<E: Engine + ?Sized>(
    engine: &E,
    measure: &Measure,
    features: &[FeatureId],
) -> Result<Vec<f64>> {
    let pass = FeatureMeans(FeatureMeasures::new(measure, features));
    Ok(engine.ask(&pass)?.summaries(measure))
}
