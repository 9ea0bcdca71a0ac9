//! The rows that MOFSRank trains on, in an order that does not depend on the file.
//!
//! A genome of pairs identifies pairs by their numbers. So that these do not depend on the order of
//! the file, queries are ordered by their ids, and documents within a query by their labels, best
//! first, then by their values.

use std::ops::Range;

use crate::data::{Dataset, FeatureId};
use crate::error::Result;
use crate::stop::StopToken;
use crate::vector::{add_times, dot};

/// Documents that are multiplied at once: their scores stay in the L1 cache for all columns.
const BLOCK: usize = 2048;

/// Some features of some queries.
pub(super) struct OrderedRows {
    columns: Vec<Vec<f32>>,
    labels: Vec<f32>,
    queries: Vec<Range<usize>>,
    keys: Vec<u64>,
    /// The position of each document in its query in the data set.
    places: Vec<u32>,
}

impl OrderedRows {
    /// The given features of the wanted queries.
    pub fn new(data: &Dataset, features: &[FeatureId], is_wanted: impl Fn(usize) -> bool) -> Self {
        let all = data.queries();
        let mut order: Vec<usize> = (0..all.len()).filter(|&q| is_wanted(q)).collect();
        order.sort_by(|&a, &b| all.key(a).cmp(&all.key(b)).then_with(|| all.id(a).cmp(all.id(b))));
        let columns: Vec<&[f32]> = features.iter().map(|&f| data.column(f)).collect();
        let labels = data.labels();
        let by_content = |a: usize, b: usize| {
            let values = columns.iter().map(|column| column[a].total_cmp(&column[b]));
            let differs = |order: &std::cmp::Ordering| order.is_ne();
            labels[b]
                .total_cmp(&labels[a])
                .then_with(|| values.into_iter().find(differs).unwrap_or(std::cmp::Ordering::Equal))
        };
        let (mut documents, mut queries, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for &query in &order {
            let rows = all.rows(query);
            let mut own: Vec<usize> = rows.clone().collect();
            own.sort_by(|&a, &b| by_content(a, b));
            queries.push(documents.len()..documents.len() + own.len());
            places.extend(own.iter().map(|row| (row - rows.start) as u32));
            documents.extend(own);
        }
        let gather = |column: &&[f32]| documents.iter().map(|&row| column[row]).collect();
        OrderedRows {
            columns: columns.iter().map(gather).collect(),
            labels: gather(&labels),
            queries,
            keys: order.iter().map(|&q| all.key(q)).collect(),
            places,
        }
    }

    /// Number of features.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// Number of documents.
    pub fn documents(&self) -> usize {
        self.labels.len()
    }

    /// The values of a feature.
    pub fn column(&self, feature: usize) -> &[f32] {
        &self.columns[feature]
    }

    /// The labels.
    pub fn labels(&self) -> &[f32] {
        &self.labels
    }

    /// The documents of each query.
    pub fn queries(&self) -> &[Range<usize>] {
        &self.queries
    }

    /// A key for each query that depends on its id only.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The positions of some documents in their query in the data set.
    pub fn places(&self, documents: Range<usize>) -> &[u32] {
        &self.places[documents]
    }

    /// Scores of all documents by some features.
    pub fn scores(&self, features: &[usize], weights: &[f64]) -> Vec<f64> {
        let mut scores = vec![0.0; self.documents()];
        for (start, block) in (0..).step_by(BLOCK).zip(scores.chunks_mut(BLOCK)) {
            for (&feature, &weight) in features.iter().zip(weights) {
                add_times(block, weight, &self.columns[feature][start..start + block.len()]);
            }
        }
        scores
    }

    /// The product of the transposed matrix of these features with a change of every score.
    pub fn transposed(&self, features: &[usize], change: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; features.len()];
        for (start, block) in (0..).step_by(BLOCK).zip(change.chunks(BLOCK)) {
            for (&feature, sum) in features.iter().zip(&mut sums) {
                *sum += dot(block, &self.columns[feature][start..start + block.len()]);
            }
        }
        sums
    }

    /// Pearson's correlation of every two features over all documents, in row-major order; 0 if one
    /// is constant.
    pub fn correlations(&self, stop: &StopToken) -> Result<Vec<f64>> {
        let width = self.width();
        let centred: Vec<Vec<f64>> = self.columns.iter().map(|column| centred(column)).collect();
        let lengths: Vec<f64> = centred.iter().map(|column| dot(column, column).sqrt()).collect();
        let mut all = vec![0.0; width * width];
        for a in 0..width {
            stop.check()?;
            for b in 0..=a {
                let lengths = lengths[a] * lengths[b];
                let value =
                    if lengths > 0.0 { dot(&centred[a], &centred[b]) / lengths } else { 0.0 };
                all[a * width + b] = value;
                all[b * width + a] = value;
            }
        }
        Ok(all)
    }
}

fn centred(column: &[f32]) -> Vec<f64> {
    let mean = column.iter().map(|&x| f64::from(x)).sum::<f64>() / column.len() as f64;
    column.iter().map(|&x| f64::from(x) - mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{FeatureTable, Queries};

    fn data(turned: bool) -> Dataset {
        let queries = Queries::new(
            &if turned { [3, 2] } else { [2, 3] },
            if turned { vec!["b".into(), "a".into()] } else { vec!["a".into(), "b".into()] },
        );
        let mut rows = vec![[1., 0.5, 0.], [2., 0.5, 1.], [3., 1., 0.], [4., 0., 2.], [3., 0., 0.]];
        if turned {
            rows = vec![rows[4], rows[3], rows[2], rows[1], rows[0]];
        }
        let column = |k: usize| rows.iter().map(move |row| row[k]);
        Dataset::new(
            column(0).chain(column(1)).collect(),
            column(2).collect(),
            queries,
            FeatureTable::numbered(2, 1),
        )
    }

    /// The same rows in another order of queries and documents give the same result, except for
    /// their positions.
    #[test]
    fn the_order_of_the_file_does_not_matter() {
        let features = [FeatureId(0), FeatureId(1)];
        let [a, b] =
            [false, true].map(|turned| OrderedRows::new(&data(turned), &features, |_| true));
        assert_eq!(
            (&a.columns, &a.labels, &a.queries, &a.keys),
            (&b.columns, &b.labels, &b.queries, &b.keys)
        );
        let last = a.queries()[if a.queries()[0].len() == 3 { 0 } else { 1 }].clone();
        assert_eq!(a.labels()[last.clone()], [2., 0., 0.]);
        assert_eq!(
            (a.places(last.clone()), b.places(last.clone())),
            (&[1, 2, 0][..], &[1, 0, 2][..])
        );
        assert_eq!(a.column(0)[last.clone()], [4., 3., 3.]);
        let all = a.scores(&[0, 1], &[1.0, 10.0]);
        assert_eq!(all[last], [4., 3., 13.]);
        assert_eq!(a.transposed(&[1], &all), [0.5 * (6.0 + 7.0) + 13.0]);
    }

    /// Values 1, 2, 3, 4, 3 and ½, ½, 1, 0, 0: deviations −1.6, −.6, .4, 1.4, .4 and .1, .1, .6,
    /// −.4, −.4.
    #[test]
    fn correlations_by_hand() {
        let rows = OrderedRows::new(&data(false), &[FeatureId(0), FeatureId(1)], |_| true);
        let expected = (-0.16 - 0.06 + 0.24 - 0.56 - 0.16) / (5.2f64 * 0.7).sqrt();
        let found = rows.correlations(&StopToken::default()).unwrap();
        assert!((found[1] - expected).abs() < 1e-12 && (found[0] - 1.0).abs() < 1e-12, "{found:?}");
    }
}
