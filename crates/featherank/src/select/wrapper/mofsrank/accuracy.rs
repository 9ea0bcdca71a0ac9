//! The measure of linear models on the training rows: the accuracy that all three searches
//! maximise.

use rayon::prelude::*;

use super::rows::OrderedRows;
use crate::error::{Error, Result};
use crate::measure::{Measure, RankingScratch};
use crate::stop::StopToken;

/// Models that are measured together on one thread, so that labels are read once for all of them.
const MODELS: usize = 10;

/// A measure on some rows.
pub(super) struct Accuracy<'a> {
    rows: &'a OrderedRows,
    measure: &'a Measure,
    /// Labels of every query in the order of the data set, which some measures use to break ties.
    labels: Vec<f32>,
    /// Ends the work early; its result must then be dropped.
    stop: &'a StopToken,
}

impl<'a> Accuracy<'a> {
    /// Fails if no query counts.
    pub fn new(rows: &'a OrderedRows, measure: &'a Measure, stop: &'a StopToken) -> Result<Self> {
        let mut labels = vec![0.0; rows.documents()];
        for query in rows.queries() {
            for (document, &place) in query.clone().zip(rows.places(query.clone())) {
                labels[query.start + place as usize] = rows.labels()[document];
            }
        }
        let accuracy = Accuracy { rows, measure, labels, stop };
        match accuracy.of(&[], &[]).is_nan() {
            false => Ok(accuracy),
            true => Err(Error::nothing_counts(
                format!("no query counts under {measure}"),
                "choose another measure, or data with relevant documents",
            )),
        }
    }

    /// The accuracy of one model.
    pub fn of(&self, features: &[usize], weights: &[f64]) -> f64 {
        self.of_some(&[(features, weights)])[0]
    }

    /// The accuracy of many models, each given as features and their weights.
    pub fn of_all(&self, models: &[(&[usize], &[f64])]) -> Vec<f64> {
        let of_some = |some: &[(&[usize], &[f64])]| match self.stop.is_stopped() {
            false => self.of_some(some),
            true => vec![0.0; some.len()],
        };
        models.par_chunks(MODELS).flat_map_iter(of_some).collect()
    }

    fn of_some(&self, models: &[(&[usize], &[f64])]) -> Vec<f64> {
        let mut per_query = vec![Vec::with_capacity(self.rows.queries().len()); models.len()];
        let scores: Vec<Vec<f32>> =
            models.iter().map(|(features, weights)| self.scores(features, weights)).collect();
        let mut scratch = RankingScratch::default();
        for query in self.rows.queries() {
            scratch.labels(&self.labels[query.clone()]);
            for (values, scores) in per_query.iter_mut().zip(&scores) {
                values.push(self.measure.of_scores(&mut scratch, &scores[query.clone()]));
            }
        }
        per_query.iter().map(|values| self.measure.summary(values)).collect()
    }

    /// Scores of all documents, those of a query in the order of the data set.
    fn scores(&self, features: &[usize], weights: &[f64]) -> Vec<f32> {
        let scores = self.rows.scores(features, weights);
        let mut in_order = vec![0.0; scores.len()];
        for query in self.rows.queries() {
            let places = self.rows.places(query.clone());
            for (&place, score) in places.iter().zip(&scores[query.clone()]) {
                in_order[query.start + place as usize] = *score as f32;
            }
        }
        in_order
    }
}
