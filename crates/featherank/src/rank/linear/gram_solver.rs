//! Least squares on any subset of features from one Gram matrix, without another pass over the
//! rows.
//!
//! With G the centred sums of products of the features, b those with the labels and λ the ridge,
//! the weights of a subset S solve (G_SS + λI) w = b_S in O(|S|³). Features that are linear
//! combinations of others in S (pivot below 10⁻¹⁰ on the scale of correlations) get weight 0, which
//! does not change any prediction.

use std::sync::Arc;

use super::cholesky::PivotedCholesky;
use crate::engine::passes::GramSums;
use crate::error::Result;
use crate::stop::StopToken;
use crate::vector::dot;

/// Pivots below this, on the scale of correlations, are rounding errors.
pub(crate) const SINGULAR: f64 = 1e-10;

/// A column whose standard deviation is below this fraction of its mean is constant up to rounding
/// errors.
const CONSTANT: f64 = 1e-12;

/// Solves least squares for subsets of the columns of one [`GramSums`].
///
/// ```
/// use featherank::data::{Dataset, FeatureId, FeatureTable, Queries};
/// use featherank::internals::answer_view;
/// use featherank::run::StopToken;
/// use featherank::engine::passes::{Centring, Gram};
/// use featherank::internals::gram_solver::GramSolver;
/// let labels = vec![1.0, 3.0, 5.0];
/// let values = vec![0.0, 1.0, 2.0, /* */ 5.0, 4.0, 5.0];
/// let queries = Queries::from_sizes(&[3]);
/// let data = Dataset::new(values, labels, queries, FeatureTable::numbered(2, 1));
/// let pass = Gram::new(vec![FeatureId(0), FeatureId(1)], Centring::Overall);
/// let solver = GramSolver::new(answer_view(&pass, &data.view(), &StopToken::default())?, 0.0);
/// let line = solver.solve(&[0]);
/// assert!((line.weights[0] - 2.0).abs() < 1e-12 && (line.intercept - 1.0).abs() < 1e-12);
/// # Ok::<(), featherank::Error>(())
/// ```
#[derive(Debug)]
pub struct GramSolver {
    gram: Arc<GramSums>,
    ridge: f64,
}

/// The normal equations of a subset.
struct Equations {
    /// The places in the subset of the columns that vary.
    usable: Vec<usize>,
    gram: Vec<f64>,
    b: Vec<f64>,
}

impl Equations {
    fn penalised(&self, ridge: f64) -> Vec<f64> {
        let mut matrix = self.gram.clone();
        matrix.iter_mut().step_by(self.usable.len() + 1).for_each(|cell| *cell += ridge);
        matrix
    }
}

/// Weights of a subset of features.
#[derive(Debug, Clone, PartialEq)]
pub struct LeastSquaresSolution {
    /// The constant added to every prediction; 0 if columns are centred within queries.
    pub intercept: f64,
    /// One weight per feature of the subset.
    pub weights: Vec<f64>,
    /// Sum of squared errors, without the ridge penalty.
    pub rss: f64,
}

impl GramSolver {
    /// A solver from sums of products whose last column is the labels; `ridge` times the squared
    /// weights of the unscaled features is added to the sum of squared errors.
    pub fn new(gram: impl Into<Arc<GramSums>>, ridge: f64) -> Self {
        GramSolver { gram: gram.into(), ridge }
    }

    /// Number of features.
    pub fn width(&self) -> usize {
        self.gram.means.len() - 1
    }

    /// Least squares with a subset of the columns.
    pub fn solve(&self, subset: &[usize]) -> LeastSquaresSolution {
        let equations = self.equations(subset);
        let factored = PivotedCholesky::new(equations.penalised(self.ridge), SINGULAR);
        self.solution(subset, &equations, &factored)
    }

    /// Like [`solve`](Self::solve); an error if the token is stopped.
    pub fn solve_until(&self, subset: &[usize], stop: &StopToken) -> Result<LeastSquaresSolution> {
        let equations = self.equations(subset);
        let factored = PivotedCholesky::until(equations.penalised(self.ridge), SINGULAR, stop)?;
        Ok(self.solution(subset, &equations, &factored))
    }

    fn equations(&self, subset: &[usize]) -> Equations {
        let label = self.width();
        let usable: Vec<usize> = (0..subset.len()).filter(|&i| self.varies(subset[i])).collect();
        let columns: Vec<usize> = usable.iter().map(|&i| subset[i]).collect();
        let row = |&i: &usize| columns.iter().map(move |&j| self.gram.product(i, j));
        let gram: Vec<f64> = columns.iter().flat_map(row).collect();
        let b: Vec<f64> = columns.iter().map(|&i| self.gram.product(i, label)).collect();
        Equations { usable, gram, b }
    }

    fn solution(
        &self,
        subset: &[usize],
        Equations { usable, gram, b }: &Equations,
        factored: &PivotedCholesky,
    ) -> LeastSquaresSolution {
        let label = self.width();
        let solved = factored.solve(b);
        let fitted: f64 = gram
            .chunks(usable.len().max(1))
            .zip(&solved)
            .map(|(row, w)| w * dot(row, &solved))
            .sum();
        let rss = self.gram.product(label, label) - 2.0 * dot(b, &solved) + fitted;
        let mut weights = vec![0.0; subset.len()];
        usable.iter().zip(solved).for_each(|(&i, w)| weights[i] = w);
        let shift: f64 = subset.iter().zip(&weights).map(|(&f, w)| w * self.gram.means[f]).sum();
        LeastSquaresSolution {
            intercept: self.gram.means[label] - shift,
            weights,
            rss: rss.max(0.0),
        }
    }

    fn varies(&self, column: usize) -> bool {
        let least = CONSTANT * self.gram.means[column];
        self.gram.product(column, column) > self.gram.count as f64 * least * least
    }
}
