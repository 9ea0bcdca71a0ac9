//! LambdaRank: scores pushed where NDCG would gain most.
//!
//! Burges, Ragno & Le, NIPS 2006, with a linear scorer s = X w, as the baseline of Sun et al.
//! (SIGIR 2009). Every pair of documents pushes its two scores apart by its lambda, the slope of a
//! logistic loss times the change of NDCG that swapping the pair would make
//! ([`crate::rank::lambda`]); the weights follow: w ← w + η Xᵀ λ.
//!
//! Departs from the paper's stochastic steps: one step an epoch, with the lambdas of all queries
//! summed (not averaged), so that the result depends on no order and all cores work. η therefore
//! depends on the number of queries: 0.01 still works on the 63 training queries of OHSUMED and is
//! clearly too much for the 470 of MQ2008. Weights start at 0. With validation data the best epoch
//! is kept. Features count in units of their largest range within a query: 1 where they are
//! normalised per query, and the reason why others need not be.

use rayon::prelude::*;

use super::design::Design;
use super::validation::{Validation, check_finite, informative, ranges};
use crate::data::View;
use crate::error::Result;
use crate::measure::Measure;
use crate::params::{Kind, Param};
use crate::rank::lambda::{Lambdas, check_labels};
use crate::rank::{Model, Ranker, RankerSpec};
use crate::registry::Status;
use crate::run::Run;

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `eta` | `0.001` | 1e-9 to 100 | how far weights move in an epoch, for every query |
/// | `epochs` | `300` | 1 to 100000 | steps, at most |
/// | `cutoff` | `0` | 0 to 1000000 | positions of NDCG that count; 0: all |
/// | `patience` | `50` | 0 to 100000 | epochs without a better validation value before it stops; 0: never |
/// | `measure` | `ndcg[ties=expected]@10` | any measure | what is better on validation data |
pub struct LambdaRank {
    eta: f64,
    epochs: u64,
    cutoff: Option<usize>,
    patience: u64,
    measure: Measure,
}

/// The registry's entry.
pub const SPEC: RankerSpec = RankerSpec {
    name: "lambdarank",
    summary: "linear scores pushed where NDCG would gain most",
    cites: &["burges2006"],
    status: Status::AsPublished,
    scales_out: false,
    takes_missing: false,
    params: &[
        Param {
            name: "eta",
            kind: Kind::Real { min: 1e-9, max: 100.0 },
            default: "0.001",
            meaning: "how far weights move in an epoch, for every query",
        },
        Param {
            name: "epochs",
            kind: Kind::Whole { min: 1, max: 100_000 },
            default: "300",
            meaning: "steps, at most",
        },
        Param {
            name: "cutoff",
            kind: Kind::Whole { min: 0, max: 1_000_000 },
            default: "0",
            meaning: "positions of NDCG that count; 0: all",
        },
        Param {
            name: "patience",
            kind: Kind::Whole { min: 0, max: 100_000 },
            default: "50",
            meaning: "epochs without a better validation value before it stops; 0: never",
        },
        Param {
            name: "measure",
            kind: Kind::Measure,
            default: "ndcg[ties=expected]@10",
            meaning: "what is better on validation data",
        },
    ],
    grid: &[("eta", &["0.0001", "0.0003", "0.001", "0.003"])],
    build: |params| {
        let cutoff = params.whole("cutoff")? as usize;
        Ok(Box::new(LambdaRank {
            eta: params.real("eta")?,
            epochs: params.whole("epochs")?,
            cutoff: Some(cutoff).filter(|&cutoff| cutoff > 0),
            patience: params.whole("patience")?,
            measure: params.measure("measure")?,
        }))
    },
};

/// Queries whose lambdas one thread computes in a go.
const QUERIES: usize = 16;

impl Ranker for LambdaRank {
    fn fit(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
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
    fn first_step_by_hand() {
        let data = Dataset::new(
            vec![1., 0., 1., 0.],
            vec![1., 0., 1., 0.],
            Queries::from_sizes(&[2, 2]),
            FeatureTable::numbered(1, 1),
        );
        let set = [("eta".to_owned(), "1".to_owned()), ("epochs".to_owned(), "1".to_owned())];
        let model =
            SPEC.fit(&set, &Run::new(1, Constraints::default()), &data.view(), None).unwrap();
        let expected = (2.0 * 0.5 * (1.0 - 1.0 / 3f64.log2())) as f32;
        assert_eq!(model.score(&data.view()).unwrap(), [expected, 0.0, expected, 0.0]);
    }
}
