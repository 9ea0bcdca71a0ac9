//! A measure for many linear models at once, per query: one matrix product per block of documents,
//! then the tops of the lists.
//!
//! Scores are summed in 32 bits; documents of a block with equal values get equal scores, and the
//! same request gives the same scores. With more than 512 features the order of summation, and so
//! the last digit, may differ between requests for one model and for many. Values equal those of
//! [`Measure::per_query`] on these scores.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, Par};
use serde::{Deserialize, Serialize};

use super::{MeasureSums, QueryValues};
use crate::data::FeatureId;
use crate::engine::{Block, Pass, Schema, check_features, check_length};
use crate::error::Result;
use crate::measure::{Measure, RankingScratch};

/// Documents multiplied at once: their values and their scores by 100 models fit into the
/// second-level cache.
const DOCUMENTS: usize = 512;

/// A measure for many linear models at once, per query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinearMeasures {
    /// The measure.
    pub measure: Measure,
    /// The features that models weigh.
    pub features: Vec<FeatureId>,
    /// For each model, one weight per feature.
    pub weights: Vec<Vec<f32>>,
}

impl Pass for LinearMeasures {
    type Answer = QueryValues;
    const NAME: &'static str = "linear-measures";
    const ACTIVITY: &'static str = "ranking by linear models";

    fn check(&self, schema: &Schema) -> Result<()> {
        self.measure.check_labels(schema.largest_label())?;
        let width = self.features.len();
        self.weights
            .iter()
            .try_for_each(|weights| check_length("weights of a model", weights.len(), width))?;
        check_features(schema, &self.features)
    }

    fn answer(&self, block: &Block<'_>) -> QueryValues {
        let models = self.weights.len();
        let weights = Mat::from_fn(self.features.len(), models, |feature, model| {
            self.weights[model][feature]
        });
        let mut per_query = vec![Vec::with_capacity(block.query_count()); models];
        let mut scratch = RankingScratch::default();
        let (mut values, mut scores): (Vec<f32>, Vec<f32>) = (Vec::new(), Vec::new());
        let queries: Vec<_> = block.rows().collect();
        for queries in in_batches(&queries) {
            let documents: usize = queries.iter().map(|rows| rows.len()).sum();
            values.clear();
            for &feature in &self.features {
                let column = block.data().column(feature);
                queries.iter().for_each(|rows| values.extend_from_slice(&column[rows.clone()]));
            }
            scores.clear();
            scores.resize(documents * models, 0.0);
            let x = faer::MatRef::from_column_major_slice(&values, documents, self.features.len());
            // Scores of a document are neighbours in memory.
            let product = MatMut::from_column_major_slice_mut(&mut scores, models, documents);
            // One thread: the blocks already keep all cores busy.
            matmul(product, Accum::Replace, weights.transpose(), x.transpose(), 1.0, Par::Seq);
            let mut rest = &scores[..];
            for rows in queries {
                let (scores, after) = rest.split_at(rows.len() * models);
                scratch.labels(&block.data().labels()[rows.clone()]);
                self.measure.of_columns(&mut scratch, scores, models, |model, value| {
                    per_query[model].push(value)
                });
                rest = after;
            }
        }
        QueryValues { per_query }
    }
}

/// A measure for many linear models at once, over all queries: a small answer for any number of
/// queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinearMeans(pub LinearMeasures);

impl Pass for LinearMeans {
    type Answer = MeasureSums;
    const NAME: &'static str = "linear-means";
    const ACTIVITY: &'static str = LinearMeasures::ACTIVITY;

    fn check(&self, schema: &Schema) -> Result<()> {
        self.0.check(schema)
    }

    fn answer(&self, block: &Block<'_>) -> MeasureSums {
        MeasureSums::of(&self.0.measure, &self.0.answer(block).per_query)
    }
}

/// Ranges of queries with about [`DOCUMENTS`] documents.
fn in_batches(
    queries: &[std::ops::Range<usize>],
) -> impl Iterator<Item = &[std::ops::Range<usize>]> {
    let mut rest = queries;
    std::iter::from_fn(move || {
        let mut documents = 0;
        let few = rest.iter().take_while(|rows| {
            let fits = documents < DOCUMENTS;
            documents += rows.len();
            fits
        });
        let (batch, after) = rest.split_at(few.count());
        rest = after;
        (!batch.is_empty()).then_some(batch)
    })
}
