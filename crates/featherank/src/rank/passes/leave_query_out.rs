//! Squared errors of least squares on left-out queries, with every feature that could be added, from
//! one pass over the rows.
//!
//! Rows are centred within their query and weighted ([`Centring`]), so that least squares on
//! differences between documents is ridge regression. Let X hold the chosen features and A = XᵀX +
//! λI. The caller knows the sums of products of all features, and so for each candidate x the
//! projection a = A⁻¹Xᵀx, the curvature d = λ + xᵀv and the slope t = xᵀr, where v = x − Xa is the
//! residual of the candidate and r = y − Xw the residual of the labels.
//!
//! Without query q the matrix is A − XqᵀXq, and Mq = I + Xq (A − XqᵀXq)⁻¹ Xqᵀ turns residuals of
//! the query into the errors that the model fitted without it makes: p = Mq r. Let u = Mq v. The
//! weight of the candidate, fitted without the query, is (t − vᵀp) / (d − vᵀu), sums over the rows
//! of q, and the errors with it are p minus that weight times u. Nothing is fitted again, and no
//! matrix of a query is kept: the cost of a block is the product of its documents, the chosen
//! features and the candidates.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use serde::{Deserialize, Serialize};

use crate::data::FeatureId;
use crate::engine::passes::Centring;
use crate::engine::{Block, Merge, Pass, Schema, check_features, check_length};
use crate::error::Result;
use crate::rank::linear::cholesky::PivotedCholesky;
use crate::rank::linear::gram_solver::SINGULAR;
use crate::vector::dot;

/// Leave-one-query-out errors of a least-squares model with each feature that could be added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeaveQueryOut {
    /// The chosen features, then the candidates.
    pub features: Vec<FeatureId>,
    /// Their divisors.
    pub divisors: Vec<f64>,
    /// How rows of a query are centred and weighted; never overall.
    pub centring: Centring,
    /// One weight a chosen feature.
    pub weights: Vec<f64>,
    /// Sums of products of the chosen features, λ added to the diagonal, row after row.
    pub penalised: Vec<f64>,
    /// The projection of each candidate on the chosen features, one candidate after the other.
    pub projections: Vec<f64>,
    /// The slope of each candidate.
    pub slopes: Vec<f64>,
    /// The curvature of each candidate; 0 for one that is a combination of the chosen features and
    /// can change nothing.
    pub curvatures: Vec<f64>,
}

impl Pass for LeaveQueryOut {
    type Answer = LeaveQueryOutErrors;
    const NAME: &'static str = "leave-query-out";
    const ACTIVITY: &'static str = "leaving out queries";

    fn check(&self, schema: &Schema) -> Result<()> {
        let (chosen, candidates) = (self.weights.len(), self.slopes.len());
        check_length("divisors", self.divisors.len(), self.features.len())?;
        check_length("weights and slopes", chosen + candidates, self.features.len())?;
        check_length("sums of products", self.penalised.len(), chosen * chosen)?;
        check_length("projections", self.projections.len(), chosen * candidates)?;
        check_length("curvatures", self.curvatures.len(), candidates)?;
        check_features(schema, &self.features)
    }

    fn answer(&self, block: &Block<'_>) -> LeaveQueryOutErrors {
        let mut errors = LeaveQueryOutErrors { chosen: 0.0, with: vec![0.0; self.slopes.len()] };
        for rows in block.rows().filter(|rows| rows.len() > 1) {
            let data = block.data();
            let mut columns = Mat::<f64>::zeros(rows.len(), self.features.len() + 1);
            for (c, (&f, divisor)) in self.features.iter().zip(&self.divisors).enumerate() {
                let values = self.centring.within_query(&data.column(f)[rows.clone()]);
                columns
                    .col_as_slice_mut(c)
                    .iter_mut()
                    .zip(values)
                    .for_each(|(cell, x)| *cell = x / divisor);
            }
            let labels = self.centring.within_query(&data.labels()[rows.clone()]);
            columns
                .col_as_slice_mut(self.features.len())
                .iter_mut()
                .zip(labels)
                .for_each(|(cell, y)| *cell = y);
            errors.add_query(self, columns);
        }
        errors
    }
}

/// Squared errors of each query under the model fitted without it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeaveQueryOutErrors {
    /// With the chosen features alone.
    pub chosen: f64,
    /// With each candidate beside them.
    pub with: Vec<f64>,
}

impl LeaveQueryOutErrors {
    /// Columns are the chosen features, the candidates and the labels.
    fn add_query(&mut self, pass: &LeaveQueryOut, mut columns: Mat<f64>) {
        let (chosen, candidates) = (pass.weights.len(), pass.slopes.len());
        let (x, mut residuals) = columns.as_mut().split_at_col_mut(chosen);
        let x = x.as_ref();
        let fitted = [&pass.projections[..], &pass.weights].concat();
        let fitted = MatRef::from_column_major_slice(&fitted, chosen, candidates + 1);
        matmul(residuals.as_mut(), Accum::Add, x, fitted, -1.0, Par::Seq);
        let residuals = residuals.as_ref();
        let left_out = left_out(x, &pass.penalised, residuals);
        let errors = left_out.col_as_slice(candidates);
        self.chosen += dot(errors, errors);
        for j in 0..candidates {
            let (v, u) = (columns.col_as_slice(chosen + j), left_out.col_as_slice(j));
            let curvature = pass.curvatures[j] - dot(u, v);
            // Without this query the candidate may be a linear combination of the chosen features;
            // its weight would then be a rounding error.
            let is_free = curvature > SINGULAR * pass.curvatures[j];
            let weight = if is_free { (pass.slopes[j] - dot(errors, v)) / curvature } else { 0.0 };
            let with: Vec<f64> = errors.iter().zip(u).map(|(p, u)| p - weight * u).collect();
            self.with[j] += dot(&with, &with);
        }
    }
}

impl Merge for LeaveQueryOutErrors {
    fn merge(mut self, next: Self) -> Self {
        self.chosen += next.chosen;
        self.with.iter_mut().zip(&next.with).for_each(|(sum, x)| *sum += x);
        self
    }
}

/// Residuals of the model fitted without the query: residuals + X (A − XᵀX)⁻¹ Xᵀ residuals.
fn left_out(x: MatRef<'_, f64>, penalised: &[f64], residuals: MatRef<'_, f64>) -> Mat<f64> {
    let (k, columns) = (x.ncols(), residuals.ncols());
    let mut own = Mat::<f64>::zeros(k, k);
    matmul(own.as_mut(), Accum::Replace, x.transpose(), x, 1.0, Par::Seq);
    let mut others = penalised.to_vec();
    for (cell, (i, j)) in others.iter_mut().zip((0..k * k).map(|at| (at / k, at % k))) {
        *cell -= own[(i, j)];
        // A feature that varies in this query only.
        if i == j && *cell <= SINGULAR * penalised[i * k + i] {
            *cell = 0.0;
        }
    }
    let solver = PivotedCholesky::new(others, SINGULAR);
    let unit = |i: usize| -> Vec<f64> { (0..k).map(|j| if i == j { 1.0 } else { 0.0 }).collect() };
    let inverse: Vec<f64> = (0..k).flat_map(|i| solver.solve(&unit(i))).collect();
    let inverse = MatRef::from_column_major_slice(&inverse, k, k);
    let mut along = Mat::<f64>::zeros(k, columns);
    matmul(along.as_mut(), Accum::Replace, x.transpose(), residuals, 1.0, Par::Seq);
    let mut change = Mat::<f64>::zeros(k, columns);
    matmul(change.as_mut(), Accum::Replace, inverse, along.as_ref(), 1.0, Par::Seq);
    let mut all = residuals.to_owned();
    matmul(all.as_mut(), Accum::Add, x, change.as_ref(), 1.0, Par::Seq);
    all
}
