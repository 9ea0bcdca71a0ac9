//! Solves symmetric systems that may be singular: Cholesky factorisation with complete pivoting.
//!
//! The matrix is scaled to a unit diagonal, so that the units of the features do not affect the
//! test for singularity. When the largest remaining pivot falls to the tolerance, the remaining
//! columns are linear combinations of the previous ones and are dropped: their solution is 0.

use crate::error::Result;
use crate::stop::StopToken;

/// P D A D Pᵀ = L Lᵀ with D the scaling and P the permutation of the pivots.
#[derive(Debug)]
pub struct PivotedCholesky {
    size: usize,
    /// In row-major order; the first `order.len()` rows and columns are L.
    factor: Vec<f64>,
    /// The column of each pivot.
    order: Vec<usize>,
    /// The columns in the order of the matrix: those of the pivots, then the others.
    columns: Vec<usize>,
    scale: Vec<f64>,
}

impl PivotedCholesky {
    /// Factorises a symmetric matrix given in row-major order. Columns whose pivot is at most
    /// `tolerance` (relative to 1) are dropped.
    pub fn new(matrix: Vec<f64>, tolerance: f64) -> Self {
        let mut factored = Self::scaled(matrix);
        while factored.advance(tolerance) {}
        factored
    }

    /// Like [`new`](Self::new); an error if the token is stopped.
    pub fn until(matrix: Vec<f64>, tolerance: f64, stop: &StopToken) -> Result<Self> {
        let mut factored = Self::scaled(matrix);
        while factored.advance(tolerance) {
            stop.check()?;
        }
        Ok(factored)
    }

    /// The scaled matrix, without any pivot.
    fn scaled(mut matrix: Vec<f64>) -> Self {
        let n = matrix.len().isqrt();
        let scale: Vec<f64> = (0..n)
            .map(|i| matrix[i * n + i])
            .map(|diagonal| if diagonal > 0.0 { 1.0 / diagonal.sqrt() } else { 0.0 })
            .collect();
        for i in 0..n {
            for j in 0..n {
                matrix[i * n + j] *= scale[i] * scale[j];
            }
        }
        PivotedCholesky {
            size: n,
            factor: matrix,
            order: Vec::new(),
            columns: (0..n).collect(),
            scale,
        }
    }

    /// Eliminates the column with the largest pivot; false if none is left.
    fn advance(&mut self, tolerance: f64) -> bool {
        let (n, rank, matrix) = (self.size, self.order.len(), &mut self.factor);
        let largest = (rank..n)
            .reduce(|best, i| if matrix[i * n + i] > matrix[best * n + best] { i } else { best });
        let Some(pivot) = largest.filter(|&p| matrix[p * n + p] > tolerance) else { return false };
        swap(matrix, n, rank, pivot);
        eliminate(matrix, n, rank);
        self.columns.swap(rank, pivot);
        self.order.push(self.columns[rank]);
        true
    }

    /// Number of columns kept.
    pub fn rank(&self) -> usize {
        self.order.len()
    }

    /// A solution of A x = b; 0 for dropped columns.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let (n, rank) = (self.size, self.rank());
        let mut x: Vec<f64> = self.order.iter().map(|&i| self.scale[i] * b[i]).collect();
        for i in 0..rank {
            let row = &self.factor[i * n..i * n + i];
            let known: f64 = row.iter().zip(&x).map(|(l, x)| l * x).sum();
            x[i] = (x[i] - known) / self.factor[i * n + i];
        }
        for i in (0..rank).rev() {
            x[i] /= self.factor[i * n + i];
            let (before, solved) = x.split_at_mut(i);
            let row = &self.factor[i * n..i * n + i];
            before.iter_mut().zip(row).for_each(|(x, l)| *x -= l * solved[0]);
        }
        let mut all = vec![0.0; n];
        self.order.iter().zip(x).for_each(|(&i, x)| all[i] = x * self.scale[i]);
        all
    }
}

/// Swaps two rows and columns of a symmetric matrix whose part left of `a` is already factorised.
fn swap(matrix: &mut [f64], n: usize, a: usize, b: usize) {
    if a == b {
        return;
    }
    for j in 0..n {
        matrix.swap(a * n + j, b * n + j);
    }
    for i in a..n {
        matrix.swap(i * n + a, i * n + b);
    }
}

/// Computes column `k` of L and updates the remaining matrix. Both triangles of the remainder are
/// stored, so that rows stay contiguous.
fn eliminate(matrix: &mut [f64], n: usize, k: usize) {
    let pivot = matrix[k * n + k].sqrt();
    matrix[k * n + k] = pivot;
    let (done, rest) = matrix.split_at_mut((k + 1) * n);
    let row = &mut done[k * n + k + 1..];
    row.iter_mut().for_each(|cell| *cell /= pivot);
    for (other, &factor) in rest.chunks_exact_mut(n).zip(row.iter()) {
        other[k] = factor;
        other[k + 1..].iter_mut().zip(row.iter()).for_each(|(cell, l)| *cell -= factor * l);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns 0 and 2 are equal up to a factor of 1000, column 3 is 0: rank 2, and A x = b still
    /// holds.
    #[test]
    fn consistent_singular_systems_are_solved() {
        let rows = [[4.0, 2.0, 4e3], [2.0, 3.0, 2e3], [4e3, 2e3, 4e6]];
        let mut matrix = vec![0.0; 16];
        (0..3).for_each(|i| matrix[4 * i..4 * i + 3].copy_from_slice(&rows[i]));
        let solver = PivotedCholesky::new(matrix.clone(), 1e-10);
        assert_eq!(solver.rank(), 2);
        let b = [8.0, 8.0, 8e3, 0.0];
        let x = solver.solve(&b);
        for i in 0..4 {
            let got: f64 = (0..4).map(|j| matrix[4 * i + j] * x[j]).sum();
            assert!((got - b[i]).abs() < 1e-9 * b[i].abs().max(1.0), "{x:?}");
        }
        assert!(x[3] == 0.0 && (x[0] == 0.0 || x[2] == 0.0));
    }

    #[test]
    fn pivot_order_may_differ_from_column_order() {
        let matrix = vec![2.0, 1.9, 0.1, 1.9, 2.0, 0.2, 0.1, 0.2, 5.0];
        let x = PivotedCholesky::new(matrix.clone(), 0.0).solve(&[1.0, -1.0, 3.0]);
        for (i, b) in [1.0, -1.0, 3.0].into_iter().enumerate() {
            let got: f64 = (0..3).map(|j| matrix[3 * i + j] * x[j]).sum();
            assert!((got - b).abs() < 1e-12);
        }
        assert!(PivotedCholesky::new(Vec::new(), 0.0).solve(&[]).is_empty());
    }
}
