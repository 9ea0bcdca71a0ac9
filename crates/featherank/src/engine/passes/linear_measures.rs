//! A measure for many linear models at once, per query: one matrix product a block of documents,
//! then the tops of the lists.
//!
//! Scores are summed in 32 bits; documents of a block with equal values get equal scores, and the
//! same request gives the same scores. With more than 512 features the order of summation, and so
//! the last digit, may differ between requests for one model and for many. Values equal those of
//! [`Measure::per_query`] on these scores.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, Par};
use serde::{Deserialize, Serialize};

use crate::data::{FeatureId, View};
use crate::measure::{Measure, RankingScratch};

/// Documents multiplied at once: their values and their scores by 100 models stay in the second
/// cache.
const DOCUMENTS: usize = 512;

/// Linear models to measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinearMeasuresPass {
    /// The measure.
    pub measure: Measure,
    /// The features that models weigh.
    pub features: Vec<FeatureId>,
    /// For each model, one weight a feature.
    pub weights: Vec<Vec<f32>>,
}

/// How well each model ranks each query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinearMeasures {
    /// For each model, its value in every query; NaN where the query does not count.
    pub per_query: Vec<Vec<f64>>,
}

impl LinearMeasures {
    pub(crate) fn of(pass: &LinearMeasuresPass, block: &View<'_>) -> Self {
        let models = pass.weights.len();
        let weights = Mat::from_fn(pass.features.len(), models, |feature, model| {
            pass.weights[model][feature]
        });
        let mut per_query = vec![Vec::with_capacity(block.query_count()); models];
        let mut scratch = RankingScratch::default();
        let (mut values, mut scores): (Vec<f32>, Vec<f32>) = (Vec::new(), Vec::new());
        let queries: Vec<_> = block.rows().collect();
        for queries in in_batches(&queries) {
            let documents: usize = queries.iter().map(|rows| rows.len()).sum();
            values.clear();
            for &feature in &pass.features {
                let column = block.data().column(feature);
                queries.iter().for_each(|rows| values.extend_from_slice(&column[rows.clone()]));
            }
            scores.clear();
            scores.resize(documents * models, 0.0);
            let x = faer::MatRef::from_column_major_slice(&values, documents, pass.features.len());
            // Scores of a document stand together.
            let product = MatMut::from_column_major_slice_mut(&mut scores, models, documents);
            // One thread: the blocks already keep all cores busy.
            matmul(product, Accum::Replace, weights.transpose(), x.transpose(), 1.0, Par::Seq);
            let mut rest = &scores[..];
            for rows in queries {
                let (scores, after) = rest.split_at(rows.len() * models);
                scratch.labels(&block.data().labels()[rows.clone()]);
                pass.measure.of_columns(&mut scratch, scores, models, |model, value| {
                    per_query[model].push(value)
                });
                rest = after;
            }
        }
        LinearMeasures { per_query }
    }

    pub(crate) fn merge(mut self, next: Self) -> Self {
        self.per_query
            .iter_mut()
            .zip(next.per_query)
            .for_each(|(all, mut more)| all.append(&mut more));
        self
    }

    /// One number a model.
    pub fn summaries(&self, measure: &Measure) -> Vec<f64> {
        self.per_query.iter().map(|values| measure.summary(values)).collect()
    }
}

/// Runs of queries with about [`DOCUMENTS`] documents.
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
