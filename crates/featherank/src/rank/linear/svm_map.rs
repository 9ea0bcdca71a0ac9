//! SVM-MAP: a structural SVM that minimises an upper bound of 1 − average precision.
//!
//! For each query, over all rankings Y of its R relevant and N̄ other documents, ψ(Y) = Σ ±(xᵢ −
//! xⱼ) / (R N̄), with + if relevant i is ranked above j. Minimises ½‖w‖² + (C/m) Σ ξ over m queries
//! with ξ = the maximum of 1 − AP(Y) + wᵀψ(Y) − wᵀψ(Y*), Y* the ideal ranking (Yue, Finley,
//! Radlinski & Joachims, SIGIR 2007). Queries without relevant or without other documents carry no
//! information and are left out of m.
//!
//! The maximum is found exactly in O(R N̄): with both kinds sorted by score, the j-th best other
//! document is placed above the relevant documents k > p, where p is the largest maximiser of Σ
//! over k > p of k/(R (j+k)(j+k−1)) − 2(sₖ − sⱼ)/(R N̄). Each document is placed independently, and
//! the placements are consistent, because the terms decrease with j.
//!
//! Departure from the paper, which has one slack variable per query: one slack variable for their
//! mean; the optimum is the same (Joachims, Finley & Yu 2009) and far fewer cutting planes
//! (`cutting_plane.rs`) are needed.

use std::ops::Range;

use rayon::prelude::*;

use super::cutting_plane::{Plane, Risk, minimise};
use super::design::Design;
use super::ranksvm_struct::epsilon_param;
use crate::data::View;
use crate::declare::method;
use crate::error::{Error, Result};
use crate::rank::{Model, Ranker};
use crate::remedy;
use crate::run::Run;

method! {
    /// Structural SVM for mean average precision.
    pub struct SVMMAP: Ranker as "svm-map",
        cites ["yue2007", "joachims2009", "franc2009"], AsPublished, Rows,
        grid [c: ["0.01", "0.1", "1", "10", "100", "1000"]]
    {
        /// Weight of the mean query loss relative to half the squared norm of the weights.
        c: Real(1e-12..=1e12) = "10",
        /// Smallest label of a relevant document.
        relevant: Threshold(1e-30..=1e30) = "1",
        use epsilon_param!();
    }
}

impl Ranker for SVMMAP {
    fn learn(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model> {
        self.learn_from(run, train, valid, None)
    }

    fn learn_from(
        &self,
        run: &Run,
        train: &View<'_>,
        valid: Option<&View<'_>>,
        warm_start: Option<&Model>,
    ) -> Result<Model> {
        // Wrappers call this without `fit`.
        if let Some(adapted) = Self::SPEC.adapted(&self.params, train)? {
            return adapted.learn_from(run, train, valid, warm_start);
        }
        let design = Design::new(train)?;
        let risk = AveragePrecisionRisk::new(design.labels(), design.queries(), self.relevant)?;
        let solution =
            minimise(run, &design, &risk, self.c, self.epsilon, &design.weights_of(warm_start))?;
        Ok(design.model(&solution.weights).into())
    }
}

/// The mean over queries of the maximum of 1 − AP(Y) + wᵀψ(Y) − wᵀψ(Y*).
#[derive(Debug)]
pub struct AveragePrecisionRisk {
    documents: usize,
    queries: Vec<QueryDocuments>,
}

#[derive(Debug)]
struct QueryDocuments {
    relevant: Vec<usize>,
    others: Vec<usize>,
}

impl AveragePrecisionRisk {
    /// The queries that have both relevant and other documents; fails if there are none.
    pub fn new(labels: &[f32], queries: &[Range<usize>], relevant_from: f32) -> Result<Self> {
        let split = |documents: &Range<usize>| {
            let (relevant, others) = documents.clone().partition(|&i| labels[i] >= relevant_from);
            QueryDocuments { relevant, others }
        };
        let queries: Vec<QueryDocuments> = queries
            .iter()
            .map(split)
            .filter(|q| !q.relevant.is_empty() && !q.others.is_empty())
            .collect();
        if queries.is_empty() {
            return Err(Error::nothing_counts(
                format!("no query has labels both below {relevant_from} and at or above it"),
                remedy![
                    "train on at least one query with relevant and irrelevant documents, or set ",
                    crate::error::Setting::Parameter("relevant"),
                    " to a label that only some documents of a query reach"
                ],
            ));
        }
        Ok(AveragePrecisionRisk { documents: labels.len(), queries })
    }
}

impl Risk for AveragePrecisionRisk {
    fn plane(&self, scores: &[f64]) -> Plane {
        let parts: Vec<QueryPlane> =
            self.queries.par_iter().map(|query| query.plane(scores)).collect();
        let share = 1.0 / self.queries.len() as f64;
        let mut plane = Plane { offset: 0.0, coefficients: vec![0.0; self.documents] };
        for part in parts {
            plane.offset += share * part.loss;
            part.coefficients
                .into_iter()
                .for_each(|(i, coefficient)| plane.coefficients[i] = share * coefficient);
        }
        plane
    }
}

/// The most violated ranking of one query.
struct QueryPlane {
    /// 1 − AP.
    loss: f64,
    coefficients: Vec<(usize, f64)>,
}

impl QueryDocuments {
    fn plane(&self, scores: &[f64]) -> QueryPlane {
        let sorted = |documents: &[usize]| {
            let mut documents = documents.to_vec();
            documents.sort_unstable_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
            documents
        };
        let (relevant, others) = (sorted(&self.relevant), sorted(&self.others));
        let (r, weight) = (relevant.len() as f64, 2.0 / (relevant.len() * others.len()) as f64);
        let mut loss = 0.0;
        // Number of other documents placed above each relevant one.
        let mut above = vec![0usize; relevant.len() + 1];
        let mut other_coefficients = Vec::with_capacity(others.len());
        for (j, &other) in (1..).zip(&others) {
            let (mut best, mut best_gain, mut best_loss) = (relevant.len(), 0.0, 0.0);
            let (mut gain, mut lost) = (0.0, 0.0);
            for (place, &document) in relevant.iter().enumerate().rev() {
                let (j, k) = (f64::from(j), (place + 1) as f64);
                let term = k / (r * (j + k) * (j + k - 1.0));
                lost += term;
                gain += term - weight * (scores[document] - scores[other]);
                if gain > best_gain {
                    (best, best_gain, best_loss) = (place, gain, lost);
                }
            }
            loss += best_loss;
            above[best] += 1;
            other_coefficients.push(-weight * (relevant.len() - best) as f64);
        }
        let mut count = 0;
        let relevant_coefficient = |more: usize| {
            count += more;
            weight * count as f64
        };
        let relevant_coefficients: Vec<f64> =
            above[..relevant.len()].iter().copied().map(relevant_coefficient).collect();
        let mut coefficients = shared(&others, scores, other_coefficients);
        coefficients.extend(shared(&relevant, scores, relevant_coefficients));
        QueryPlane { loss, coefficients }
    }
}

/// Documents with their coefficients, averaged over equal scores. All orders of tied documents
/// violate the margin equally, and so does the mean over these orders, which is independent of the
/// order of rows.
fn shared(documents: &[usize], scores: &[f64], mut coefficients: Vec<f64>) -> Vec<(usize, f64)> {
    let mut start = 0;
    for tied in documents.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let own = &mut coefficients[start..start + tied.len()];
        let mean = own.iter().sum::<f64>() / tied.len() as f64;
        own.fill(mean);
        start += tied.len();
    }
    documents.iter().copied().zip(coefficients).collect()
}
