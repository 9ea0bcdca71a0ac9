//! The design matrix of a linear ranker, with products from both sides and without a copy of the
//! data.
//!
//! Documents are numbered as in the view. Features that are constant within every query cannot
//! affect the ranking and are left out: their weights would be rounding errors. Work is divided
//! into blocks of documents that depend on the data only, and blocks are summed in order, so that
//! results do not depend on the number of threads.

use std::ops::Range;

use faer::Mat;
use rayon::prelude::*;

use crate::data::{FeatureId, View};
use crate::error::{Error, Result};
use crate::rank::{LinearModel, Model, Scorer};
use crate::vector::{add_times, dot};

/// Documents in a block: the scores of a block stay in the first-level cache while all columns are
/// processed.
const BLOCK: usize = 2048;

/// The features of a view that vary within queries, as a matrix with one row per document.
#[derive(Debug)]
pub struct Design<'a> {
    view: View<'a>,
    features: Vec<FeatureId>,
    labels: Vec<f32>,
    queries: Vec<Range<usize>>,
    rows: Vec<Range<usize>>,
    blocks: Vec<DesignBlock>,
}

/// Consecutive documents of the view, and the positions of their rows in the data set.
#[derive(Debug)]
struct DesignBlock {
    documents: Range<usize>,
    rows: Vec<Range<usize>>,
}

impl<'a> Design<'a> {
    /// Scans the view once; fails if no feature varies within any query, or if there are no
    /// documents.
    pub fn new(view: &View<'a>) -> Result<Self> {
        let varies = |&f: &FeatureId| {
            let column = view.data().column(f);
            view.rows().any(|rows| column[rows.clone()].iter().any(|x| *x != column[rows.start]))
        };
        let features: Vec<FeatureId> = view.features().par_iter().copied().filter(varies).collect();
        if features.is_empty() {
            return Err(Error::nothing_counts(
                "no feature of the training data varies within a query",
                "train on at least one feature that differs between documents of one query",
            ));
        }
        Ok(Design::with_features(view, features))
    }

    /// Like [`Self::new`], with the features given by the caller.
    pub fn with_features(view: &View<'a>, features: Vec<FeatureId>) -> Self {
        let (mut blocks, mut queries): (Vec<DesignBlock>, Vec<_>) = (Vec::new(), Vec::new());
        let mut end = 0;
        for rows in view.rows() {
            queries.push(end..end + rows.len());
            end += rows.len();
            match blocks.last_mut() {
                Some(block) if block.documents.len() < BLOCK => {
                    block.documents.end = end;
                    match block.rows.last_mut() {
                        Some(last) if last.end == rows.start => last.end = rows.end,
                        _ => block.rows.push(rows),
                    }
                }
                _ => {
                    blocks.push(DesignBlock { documents: end - rows.len()..end, rows: vec![rows] })
                }
            }
        }
        let labels = view.labels().flatten().copied().collect();
        Design {
            view: view.clone(),
            features,
            labels,
            queries,
            rows: view.rows().collect(),
            blocks,
        }
    }

    /// The same documents with a subset of the features, given as indices.
    #[must_use]
    pub fn restricted(&self, places: &[usize]) -> Self {
        Design::with_features(
            &self.view,
            places.iter().map(|&place| self.features[place]).collect(),
        )
    }

    /// The features, in the order of weights.
    pub fn features(&self) -> &[FeatureId] {
        &self.features
    }

    /// Number of features.
    pub fn width(&self) -> usize {
        self.features.len()
    }

    /// Labels, one per document.
    pub fn labels(&self) -> &[f32] {
        &self.labels
    }

    /// The documents of each query.
    pub fn queries(&self) -> &[Range<usize>] {
        &self.queries
    }

    /// Scores of all documents: X w.
    pub fn scores(&self, weights: &[f64]) -> Vec<f64> {
        let of_block = |block: &DesignBlock| {
            let mut scores = vec![0.0; block.documents.len()];
            for (f, &weight) in self.features.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
                let column = self.view.data().column(*f);
                let mut start = 0;
                for rows in &block.rows {
                    add_times(
                        &mut scores[start..start + rows.len()],
                        weight,
                        &column[rows.clone()],
                    );
                    start += rows.len();
                }
            }
            scores
        };
        let parts: Vec<Vec<f64>> = self.blocks.par_iter().map(of_block).collect();
        parts.concat()
    }

    /// The gradient with respect to every weight, given the gradient with respect to every score:
    /// Xᵀ g.
    pub fn transposed(&self, g: &[f64]) -> Vec<f64> {
        let of_block = |block: &DesignBlock| -> Vec<f64> {
            let g = &g[block.documents.clone()];
            let of_feature = |f: &FeatureId| {
                let column = self.view.data().column(*f);
                let (mut start, mut sum) = (0, 0.0);
                for rows in &block.rows {
                    sum += dot(&g[start..start + rows.len()], &column[rows.clone()]);
                    start += rows.len();
                }
                sum
            };
            self.features.iter().map(of_feature).collect()
        };
        let parts: Vec<Vec<f64>> = self.blocks.par_iter().map(of_block).collect();
        let mut total = vec![0.0; self.features.len()];
        for part in parts {
            total.iter_mut().zip(part).for_each(|(sum, more)| *sum += more);
        }
        total
    }

    /// Values of one feature (as an index into the design's features) for the documents of one
    /// query.
    pub fn values(&self, feature: usize, query: usize) -> &'a [f32] {
        &self.view.data().column(self.features[feature])[self.rows[query].clone()]
    }

    /// The values of consecutive documents, which must form whole queries.
    pub fn rows_of(&self, documents: Range<usize>) -> Mat<f64> {
        let first = self.queries.partition_point(|query| query.start < documents.start);
        let queries =
            self.queries[first..].iter().take_while(|query| query.start < documents.end).count();
        let mut values = Mat::zeros(documents.len(), self.width());
        for (k, &f) in self.features.iter().enumerate() {
            let column = self.view.data().column(f);
            let source =
                self.rows[first..first + queries].iter().flat_map(|rows| &column[rows.clone()]);
            values
                .col_as_slice_mut(k)
                .iter_mut()
                .zip(source)
                .for_each(|(cell, &x)| *cell = f64::from(x));
        }
        values
    }

    /// The weights of a linear model for the design's features; 0 for features it does not have,
    /// and all 0 without a linear model.
    pub fn weights_of(&self, warm_start: Option<&Model>) -> Vec<f64> {
        let mut weights = vec![0.0; self.width()];
        let table = self.view.data().features();
        if let Some(Model { scorer: Scorer::Linear(model), scaler: None, .. }) = warm_start {
            for known in model.weights() {
                let feature = table.resolve(&known.feature.label()).ok();
                let place = feature.and_then(|f| self.features.iter().position(|&own| own == f));
                place.into_iter().for_each(|place| weights[place] = known.weight);
            }
        }
        weights
    }

    /// The model with these weights; features with a weight of exactly 0 are omitted.
    pub fn model(&self, weights: &[f64]) -> LinearModel {
        let used: Vec<(FeatureId, f64)> = self
            .features
            .iter()
            .copied()
            .zip(weights.iter().copied())
            .filter(|(_, w)| *w != 0.0)
            .collect();
        LinearModel::new(self.view.data().features(), &used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};

    /// Two queries, three features; the third is constant within queries.
    fn data() -> Dataset {
        let values = vec![1., 2., 3., 4., 5., 0., 1., 0., 1., 0., 7., 7., 8., 8., 8.];
        let queries = Queries::from_sizes(&[2, 3]);
        Dataset::new(values, vec![1., 0., 2., 1., 0.], queries, FeatureTable::numbered(3, 1))
    }

    #[test]
    fn products_are_correct_in_any_query_order() {
        let data = data();
        let design = Design::new(&data.view()).unwrap();
        assert_eq!(design.features(), [FeatureId(0), FeatureId(1)]);
        assert_eq!(design.scores(&[1.0, 10.0]), [1., 12., 3., 14., 5.]);
        assert_eq!(design.transposed(&[1., 1., 0., 2., 0.]), [11., 3.]);
        let turned = Design::new(&data.view().with_queries(vec![1, 0])).unwrap();
        assert_eq!(turned.scores(&[1.0, 10.0]), [3., 14., 5., 1., 12.]);
        assert_eq!(turned.queries(), [0..3, 3..5]);
        assert_eq!(turned.values(0, 1), [1., 2.]);
    }
}
