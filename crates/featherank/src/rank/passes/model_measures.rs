//! Measures of whole models, per query. The engine scores rows exactly as [`Model::score`] does, so
//! that values are bit-identical for every kind of model.

use serde::{Deserialize, Serialize};

use crate::data::FeatureId;
use crate::engine::passes::append_queries;
use crate::engine::{Ask, Block, Engine, Merge, Pass, Schema, check_features, check_length};
use crate::error::Result;
use crate::measure::Measure;
use crate::rank::Model;

/// Measures of models, per query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelMeasures {
    /// The models.
    pub models: Vec<PlacedModel>,
    /// The measures, each computed for every model.
    pub measures: Vec<Measure>,
}

/// A model, and the columns of its features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlacedModel {
    /// The model; serialised as its document in messages.
    #[serde(with = "as_document")]
    pub model: Model,
    /// The columns of its features, in their order.
    pub columns: Vec<FeatureId>,
}

impl PlacedModel {
    /// Finds the columns of a model's features; an error if the model cannot score the data.
    pub fn new(model: &Model, schema: &Schema) -> Result<Self> {
        let columns = model.columns(&schema.features)?;
        model.check_missing(&schema.features, &columns, |f| schema.missing.contains(&f))?;
        Ok(PlacedModel { model: model.clone(), columns })
    }
}

/// The values of the measures of every model, per query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelValues {
    /// For each model and, within a model, each measure: the value in every query; NaN if the
    /// query does not count.
    pub per_query: Vec<Vec<f64>>,
    /// False if a score exceeds the largest 32-bit number; the values are then meaningless.
    pub finite: bool,
}

impl Pass for ModelMeasures {
    type Answer = ModelValues;
    const NAME: &'static str = "model-measures";
    const ACTIVITY: &'static str = "ranking by models";

    fn check(&self, schema: &Schema) -> Result<()> {
        let largest = schema.largest_label();
        self.measures.iter().try_for_each(|measure| measure.check_labels(largest))?;
        self.models.iter().try_for_each(|PlacedModel { model, columns }| {
            check_length("columns of a model", columns.len(), model.features().len())?;
            check_features(schema, columns)
        })
    }

    fn answer(&self, block: &Block<'_>) -> ModelValues {
        let mut all = ModelValues { per_query: Vec::new(), finite: true };
        for PlacedModel { model, columns } in &self.models {
            // The answer of a stopped block is dropped.
            let Ok(scores) = model.unchecked_scores(block, columns, block.stop()) else { break };
            all.finite &= scores.iter().all(|score| score.is_finite());
            all.per_query
                .extend(self.measures.iter().map(|measure| measure.per_query(&scores, block)));
        }
        all
    }
}

impl Merge for ModelValues {
    fn merge(mut self, next: Self) -> Self {
        append_queries(&mut self.per_query, next.per_query);
        self.finite &= next.finite;
        self
    }
}

/// Measures of models, per query: for each model one list per measure. Fails if a model cannot
/// score the rows.
pub fn model_measures<E: Engine + ?Sized>(
    engine: &E,
    models: &[&Model],
    measures: &[Measure],
) -> Result<Vec<Vec<Vec<f64>>>> {
    let placed = |model: &&Model| PlacedModel::new(model, engine.schema());
    let placed = models.iter().map(placed).collect::<Result<_>>()?;
    let found = engine.ask(&ModelMeasures { models: placed, measures: measures.to_vec() })?;
    if !found.finite {
        return Err(Model::beyond_numbers());
    }
    let mut values = found.per_query.into_iter();
    Ok(models.iter().map(|_| values.by_ref().take(measures.len()).collect()).collect())
}

/// Documents carry their kind and version and are checked when they are parsed; other formats
/// cannot represent all parts of a model.
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
