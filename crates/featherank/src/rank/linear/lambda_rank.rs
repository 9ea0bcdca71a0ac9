//! LambdaRank: gradient ascent on the scores, weighted by the change of NDCG.
//!
//! Burges, Ragno & Le, NIPS 2006, with a linear scorer s = X w, as the baseline of Sun et al.
//! (SIGIR 2009). Every pair of documents contributes its lambda to its two scores with opposite
//! signs: the gradient of a logistic loss times the change of NDCG from swapping the pair
//! ([`crate::rank::lambda`]); the weights follow: w ← w + η Xᵀ λ.
//!
//! Departure from the paper's stochastic steps: one step per epoch, with the lambdas of all queries
//! summed (not averaged), so that the result does not depend on any order and all cores are used. η
//! therefore depends on the number of queries: 0.01 still works on the 63 training queries of
//! OHSUMED and is clearly too large for the 470 of MQ2008. Weights start at 0. With validation data
//! the best epoch is kept. Features are divided by their largest range within a query, which is 1
//! after per-query normalisation; other features therefore need no normalisation.

use rayon::prelude::*;

use super::design::Design;
use super::validation::{Validation, check_finite, informative, ranges};
use crate::data::View;
use crate::declare::method;
use crate::error::Result;
use crate::rank::lambda::{Lambdas, check_labels};
use crate::rank::{Model, Ranker};
use crate::run::Run;

method! {
    /// Linear scores pushed where NDCG would gain most.
    pub struct LambdaRank: Ranker as "lambdarank",
        cites ["burges2006"], AsPublished, Rows,
        grid [eta: ["0.0001", "0.0003", "0.001", "0.003"]]
    {
        /// How far weights move in an epoch, for every query.
        eta: Real(1e-9..=100.0) = "0.001",
        /// Steps, at most.
        epochs: Whole(1..=100_000) = "300",
        /// Positions of NDCG that count; 0: all.
        let cutoff: Whole<usize>(0..=1_000_000) = "0",
        /// Epochs without a better validation value before it stops; 0: never.
        patience: Whole(0..=100_000) = "50",
        /// What is better on validation data.
        measure: Measure = "ndcg[ties=expected]@10",
        derive cutoff: Option<usize> = Some(cutoff).filter(|&cutoff| cutoff > 0);
    }
}

/// Queries whose lambdas one thread computes in one task.
const QUERIES: usize = 16;

impl Ranker for LambdaRank {
    fn learn(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        let design = Design::new(train)?;
        informative(&design)?;
        check_labels(train)?;
        let mut watch = Validation::new(&self.measure, train, &design, valid, self.patience)?;
        let steps: Vec<f64> =
            ranges(&design).iter().map(|range| self.eta / (range * range)).collect();
        let mut weights = vec![0.0; design.width()];
        for epoch in 0..self.epochs {
            let lambdas = self.lambdas(&design, &design.scores(&weights));
            let ascent = design.transposed(&lambdas);
            for ((weight, step), slope) in weights.iter_mut().zip(&steps).zip(ascent) {
                *weight += step * slope;
            }
            check_finite("lambdarank", &weights)?;
            run.step("following lambdas", epoch + 1, Some(self.epochs))?;
            if watch.is_enough(&weights) {
                break;
            }
        }
        Ok(design.model(&watch.best_or(weights)).into())
    }
}

impl LambdaRank {
    /// The lambdas of all documents.
    fn lambdas(&self, design: &Design<'_>, scores: &[f64]) -> Vec<f64> {
        let of_chunk = |queries: &[std::ops::Range<usize>]| {
            let mut kernel = Lambdas::new(self.cutoff);
            let start = queries.first().map_or(0, |documents| documents.start);
            let end = queries.last().map_or(0, |documents| documents.end);
            let (mut lambda, mut hessian) = (vec![0.0; end - start], vec![0.0; end - start]);
            for documents in queries {
                let own = documents.start - start..documents.end - start;
                let labels = &design.labels()[documents.clone()];
                let scores = &scores[documents.clone()];
                kernel.of_query(scores, labels, &mut lambda[own.clone()], &mut hessian[own]);
            }
            lambda
        };
        let parts: Vec<Vec<f64>> = design.queries().par_chunks(QUERIES).map(of_chunk).collect();
        parts.concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};
    use crate::run::Constraints;

    /// Two queries of two documents, one feature with values 1 and 0 and labels 1 and 0: all scores
    /// equal, so ρ = ½ and a swap changes NDCG by 1 − 1/log₂3. One step with η = 1 sums both
    /// queries.
    #[test]
    fn first_step_matches_manual_computation() {
        let data = Dataset::new(
            vec![1., 0., 1., 0.],
            vec![1., 0., 1., 0.],
            Queries::from_sizes(&[2, 2]),
            FeatureTable::numbered(1, 1),
        );
        let set = [("eta".to_owned(), "1".to_owned()), ("epochs".to_owned(), "1".to_owned())];
        let model = LambdaRank::SPEC
            .fit(&set, &Run::new(1, Constraints::default()), &data.view(), None)
            .unwrap();
        let expected = (2.0 * 0.5 * (1.0 - 1.0 / 3f64.log2())) as f32;
        assert_eq!(model.score(&data.view()).unwrap(), [expected, 0.0, expected, 0.0]);
    }
}
