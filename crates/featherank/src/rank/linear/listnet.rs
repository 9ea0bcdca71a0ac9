//! ListNet: minimises the cross entropy between the top-one distributions implied by labels and by
//! scores.
//!
//! Cao, Qin, Liu, Tsai & Li, ICML 2007, with the top-one probabilities of its experiments and a
//! linear scorer. For a query with labels y and scores s = X w, both are mapped to distributions
//! over its documents, P_y = softmax(y) and P_s = softmax(s); the loss is their cross entropy −Σ
//! P_y ln P_s, whose gradient is Xᵀ (P_s − P_y). As published, weights are updated after every
//! query: w ← w − η Xᵀ (P_s − P_y).
//!
//! Choices that the paper leaves open: weights start at 0; every epoch visits queries in its own
//! order, drawn from the seed; queries whose labels are all equal are left out, because their
//! gradient only makes all scores more equal. With validation data the best epoch is kept. Features
//! are divided by their largest range within a query, which is 1 after per-query normalisation, as
//! in the paper; other features therefore need no normalisation.

use rand::seq::SliceRandom;

use super::design::Design;
use super::validation::{Validation, check_finite, informative, ranges};
use crate::data::View;
use crate::declare::method;
use crate::error::Result;
use crate::random::{Purpose, stream};
use crate::rank::{Model, Ranker};
use crate::run::Run;

method! {
    /// Linear model trained on the cross entropy between the softmax of labels and of scores.
    pub struct ListNet: Ranker as "listnet",
        cites ["cao2007"], AsPublished, Rows,
        grid [eta: ["0.001", "0.003", "0.01", "0.03", "0.1"]]
    {
        /// Learning rate, per query.
        eta: Real(1e-9..=100.0) = "0.01",
        /// Maximum number of epochs.
        epochs: Whole(1..=100_000) = "300",
        /// Stop after this many epochs without improvement on validation data; 0: never.
        patience: Whole(0..=100_000) = "50",
        /// Measure on validation data.
        measure: Measure = "ndcg[ties=expected]@10",
    }
}

/// The probability of each document to be ranked first: softmax, without overflow for values of any
/// size.
pub fn top_one(values: impl Iterator<Item = f64> + Clone) -> Vec<f64> {
    let most = values.clone().fold(f64::NEG_INFINITY, f64::max);
    let mut shares: Vec<f64> = values.map(|value| (value - most).exp()).collect();
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
    shares
}

/// The cross entropy of one query, −Σ P_y ln P_s.
pub fn cross_entropy(target: &[f64], scores: &[f64]) -> f64 {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let log_sum = scores.iter().map(|score| (score - most).exp()).sum::<f64>().ln();
    target.iter().zip(scores).map(|(p, score)| p * (log_sum - (score - most))).sum()
}

/// An informative query, and the distribution implied by its labels.
struct TrainingList {
    query: usize,
    target: Vec<f64>,
}

impl Ranker for ListNet {
    fn learn(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        let design = Design::new(train)?;
        let mut validation = Validation::new(&self.measure, train, &design, valid, self.patience)?;
        let list = |query: usize| {
            let labels = &design.labels()[design.queries()[query].clone()];
            TrainingList { query, target: top_one(labels.iter().map(|&label| f64::from(label))) }
        };
        let lists: Vec<TrainingList> = informative(&design)?.into_iter().map(list).collect();
        // The step for features divided by their range, expressed for unscaled features: gradient
        // and weight are each divided by the range.
        let steps: Vec<f64> =
            ranges(&design).iter().map(|range| self.eta / (range * range)).collect();
        let mut weights = vec![0.0; design.width()];
        for epoch in 0..self.epochs {
            let mut order: Vec<&TrainingList> = lists.iter().collect();
            order.shuffle(&mut stream(run.seed, Purpose::Descent, epoch));
            for list in order {
                run.check()?;
                descend(&design, list, &steps, &mut weights);
            }
            check_finite("listnet", &weights)?;
            run.step("updating weights", epoch + 1, Some(self.epochs))?;
            if validation.is_enough(&weights) {
                break;
            }
        }
        Ok(design.model(&validation.best_or(weights)).into())
    }
}

/// One gradient step for one query.
fn descend(design: &Design<'_>, list: &TrainingList, steps: &[f64], weights: &mut [f64]) {
    let mut scores = vec![0.0; list.target.len()];
    for (feature, weight) in weights.iter().enumerate() {
        let values = design.values(feature, list.query);
        scores.iter_mut().zip(values).for_each(|(score, &x)| *score += weight * f64::from(x));
    }
    let implied = top_one(scores.iter().copied());
    let gradient: Vec<f64> = implied.iter().zip(&list.target).map(|(s, y)| s - y).collect();
    for (feature, (weight, step)) in weights.iter_mut().zip(steps).enumerate() {
        let values = design.values(feature, list.query);
        *weight -= step * gradient.iter().zip(values).map(|(g, &x)| g * f64::from(x)).sum::<f64>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};
    use crate::run::Constraints;

    #[test]
    fn large_values_do_not_overflow() {
        let shares = top_one([1e6, 1e6, -1e6].into_iter());
        assert_eq!(shares, [0.5, 0.5, 0.0]);
        assert_eq!(cross_entropy(&shares, &[1e6, 1e6, -1e6]), 2f64.ln());
    }

    /// Two documents, one feature with values 1 and 0, labels 1 and 0, w = 0: P_s = (½, ½), P_y =
    /// (e, 1)/(e + 1), and one step with η = 1 makes w = P_y(1) − ½.
    #[test]
    fn first_step_matches_manual_computation() {
        let data = Dataset::new(
            vec![1., 0., 1., 0.],
            vec![1., 0., 1., 1.],
            Queries::from_sizes(&[2, 2]),
            FeatureTable::numbered(1, 1),
        );
        let set = [("eta".to_owned(), "1".to_owned()), ("epochs".to_owned(), "1".to_owned())];
        let model = ListNet::SPEC
            .fit(&set, &Run::new(1, Constraints::default()), &data.view(), None)
            .unwrap();
        let e = 1f64.exp();
        let expected = (e / (e + 1.0) - 0.5) as f32;
        // The second query's labels are equal: it does not change the weight.
        assert_eq!(model.score(&data.view()).unwrap(), [expected, 0.0, expected, 0.0]);
    }
}
