//! Measures of whole models, per query: the rows are scored where they are, as [`Model::score`]
//! does it, so that values are the same to the last bit whatever the model.

use serde::{Deserialize, Serialize};

use crate::data::{FeatureId, View};
use crate::measure::Measure;
use crate::rank::Model;

/// Models to measure, each by all measures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelMeasuresPass {
    /// The models.
    pub models: Vec<PlacedModel>,
    /// The measures.
    pub measures: Vec<Measure>,
}

/// A model that knows its columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlacedModel {
    /// The model, as its document where it travels.
    #[serde(with = "as_document")]
    pub model: Model,
    /// The columns of its features, in their order.
    pub columns: Vec<FeatureId>,
}

/// How well each model ranks each query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelMeasures {
    /// For each model and, within a model, each measure: the value in every query; NaN where the
    /// query does not count.
    pub per_query: Vec<Vec<f64>>,
    /// False where a score is beyond the largest 32-bit number, so that the values mean nothing.
    pub finite: bool,
}

impl ModelMeasures {
    pub(crate) fn of(pass: &ModelMeasuresPass, block: &View<'_>) -> Self {
        let mut all = ModelMeasures { per_query: Vec::new(), finite: true };
        for PlacedModel { model, columns } in &pass.models {
            let scores = model.unchecked_scores(block, columns);
            all.finite &= scores.iter().all(|score| score.is_finite());
            all.per_query
                .extend(pass.measures.iter().map(|measure| measure.per_query(&scores, block)));
        }
        all
    }

    pub(crate) fn merge(mut self, next: Self) -> Self {
        self.per_query
            .iter_mut()
            .zip(next.per_query)
            .for_each(|(all, mut more)| all.append(&mut more));
        self.finite &= next.finite;
        self
    }
}

/// Documents say what they are, and are checked when they are read; other formats cannot hold all
/// of a model.
mod as_document {
    use serde::de::Error as _;
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::rank::Model;

    pub fn serialize<S: Serializer>(model: &Model, serializer: S) -> Result<S::Ok, S::Error> {
        model.to_json().map_err(S::Error::custom)?.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Model, D::Error> {
        let text = String::deserialize(deserializer)?;
        Model::from_json(&text).map_err(D::Error::custom)
    }
}
