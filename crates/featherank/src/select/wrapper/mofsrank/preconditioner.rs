//! The minimum for all pairs of documents, and the curvature there: the starting point and the
//! preconditioner of the solver for subsets of the pairs.

use rayon::prelude::*;

use super::pair_svm::{PairSvm, lost};
use super::pairs::PairMatrix;
use crate::rank::linear::cholesky::PivotedCholesky;
use crate::stop::StopToken;
use crate::vector::dot;

/// The minimum for all pairs, and the curvature of the objective there.
pub(super) struct Preconditioner {
    pub weights: Vec<f64>,
    /// The Hessian in row-major order.
    pub hessian: Vec<f64>,
}

/// The starting point for some of the features, and the factored Hessian there.
pub(super) struct SvmStart {
    pub features: Vec<usize>,
    pub weights: Vec<f64>,
    pub factored: PivotedCholesky,
}

impl Preconditioner {
    /// The minimum for all pairs; `flat` is their curvature at zero weights.
    pub fn new(svm: &PairSvm, all: &dyn PairMatrix, flat: &[f64]) -> Self {
        let weights = svm.minimum(all, flat);
        Preconditioner { hessian: svm.hessian(&curvature(all, &weights, &svm.stop)), weights }
    }

    /// The minimum of the quadratic model if only these features have weights.
    pub fn start(&self, features: Vec<usize>) -> SvmStart {
        let width = self.weights.len();
        let gradient = |&k: &usize| dot(&self.hessian[k * width..(k + 1) * width], &self.weights);
        let gradients: Vec<f64> = features.iter().map(gradient).collect();
        let cells = features.iter().flat_map(|&k| features.iter().map(move |&l| k * width + l));
        let factored = PivotedCholesky::new(cells.map(|cell| self.hessian[cell]).collect(), 0.0);
        SvmStart { weights: factored.solve(&gradients), factored, features }
    }
}

/// The Hessian of the objective, from that of the loss.
pub(super) fn penalised(times: f64, mut curvature: Vec<f64>, penalties: &[f64]) -> Vec<f64> {
    curvature.iter_mut().for_each(|cell| *cell *= times);
    curvature
        .iter_mut()
        .step_by(penalties.len() + 1)
        .zip(penalties)
        .for_each(|(cell, p)| *cell += p);
    curvature
}

/// The Hessian of half the mean loss of a pair at some weights of all features, in row-major order;
/// to be dropped if the token is stopped.
pub(super) fn curvature(pairs: &dyn PairMatrix, weights: &[f64], stop: &StopToken) -> Vec<f64> {
    let features: Vec<usize> = (0..weights.len()).collect();
    let lost = lost(&pairs.margins(&features, weights));
    let share = 1.0 / pairs.pairs() as f64;
    let row = |&k: &usize| {
        if stop.is_stopped() {
            return vec![0.0; features.len()];
        }
        let margins = pairs.margins(&[k], &[1.0]);
        let violated =
            margins.iter().zip(&lost).map(|(m, l)| if *l > 0.0 { share * m } else { 0.0 });
        pairs.combined(&features, &violated.collect::<Vec<_>>())
    };
    let rows: Vec<Vec<f64>> = features.par_iter().map(row).collect();
    rows.concat()
}
