//! LambdaRank: gradient ascent on the scores, weighted by the change of NDCG.
//!
//! Burges, Ragno & Le, NIPS 2006, with a linear scorer s = X w, as the baseline of Sun et al.
//! (SIGIR 2009). Every pair of documents contributes its lambda to its two scores with opposite
//! signs: the gradient of a logistic loss times the change of NDCG from swapping the pair
//! (`rank/lambda.rs`); the weights follow: w ← w + η Xᵀ λ.
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
    /// Linear model trained on the lambda gradients of NDCG.
    pub struct LambdaRank: Ranker as "lambdarank",
        cites ["burges2006"], AsPublished, Rows,
        grid [eta: ["0.0001", "0.0003", "0.001", "0.003"]]
    {
        /// Learning rate, per epoch and query.
        eta: Real(1e-9..=100.0) = "0.001",
        /// Maximum number of epochs.
        epochs: Whole(1..=100_000) = "300",
        /// Cut-off of NDCG; 0: the whole list.
        let cutoff: Whole<usize>(0..=1_000_000) = "0",
        /// Stop after this many epochs without improvement on validation data; 0: never.
        patience: Whole(0..=100_000) = "50",
        /// Measure on validation data.
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
        let mut validation = Validation::new(&self.measure, train, &design, valid, self.patience)?;
        let steps: Vec<f64> =
            ranges(&design).iter().map(|range| self.eta / (range * range)).collect();
        let mut weights = vec![0.0; design.width()];
        for epoch in 0..self.epochs {
            let lambdas = self.lambdas(run, &design, &design.scores(&weights))?;
            let ascent = design.transposed(&lambdas);
            for ((weight, step), gradient) in weights.iter_mut().zip(&steps).zip(ascent) {
                *weight += step * gradient;
            }
            check_finite("lambdarank", &weights)?;
            run.step("updating weights", epoch + 1, Some(self.epochs))?;
            if validation.is_enough(&weights) {
                break;
            }
        }
        Ok(design.model(&validation.best_or(weights)).into())
    }
}

impl LambdaRank {
    /// The lambdas of all documents.
    fn lambdas(&self, run: &Run, design: &Design<'_>, scores: &[f64]) -> Result<Vec<f64>> {
        let of_chunk = |queries: &[std::ops::Range<usize>]| {
            run.check()?;
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
            Ok(lambda)
        };
        let parts = design.queries().par_chunks(QUERIES).map(of_chunk);
        Ok(parts.collect::<Result<Vec<Vec<f64>>>>()?.concat())
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
