//! A measure for every single feature, per query: documents sorted by that feature alone, high
//! values first.

use serde::{Deserialize, Serialize};

use crate::data::View;
use crate::engine::FeatureMeasuresPass;
use crate::measure::{Measure, RankingScratch};

/// How well each feature ranks each query on its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureMeasures {
    /// For each feature asked for, its value in every query; NaN where the query does not count.
    pub per_query: Vec<Vec<f64>>,
}

impl FeatureMeasures {
    pub(crate) fn of(pass: &FeatureMeasuresPass, block: &View<'_>) -> Self {
        let mut per_query = vec![Vec::with_capacity(block.query_count()); pass.features.len()];
        let mut scratch = RankingScratch::default();
        // Query by query, so that the labels and the ideal ranking are prepared once for all
        // features.
        for rows in block.rows() {
            scratch.labels(&block.data().labels()[rows.clone()]);
            for (feature, values) in pass.features.iter().zip(&mut per_query) {
                let scores = &block.data().column(*feature)[rows.clone()];
                values.push(pass.measure.of_ranking(&scratch.rank(scores)));
            }
        }
        FeatureMeasures { per_query }
    }

    pub(crate) fn merge(mut self, next: Self) -> Self {
        self.per_query
            .iter_mut()
            .zip(next.per_query)
            .for_each(|(all, mut more)| all.append(&mut more));
        self
    }

    /// One number a feature.
    pub fn summaries(&self, measure: &Measure) -> Vec<f64> {
        self.per_query.iter().map(|values| measure.summary(values)).collect()
    }
}
