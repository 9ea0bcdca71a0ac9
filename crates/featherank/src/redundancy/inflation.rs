//! Variance inflation: how much of a feature all the others explain together.
//!
//! VIFᵢ = 1 / (1 − Rᵢ²), with Rᵢ² of the least-squares regression of feature i on all the others.
//! This is the i-th diagonal element of the inverse of the correlation matrix (Marquardt 1970).
//! Values are centred within queries: a regression with one intercept per query, because what is
//! constant within a query cannot rank.
//!
//! If features are exact combinations of others the matrix has no inverse. Columns that a pivoted
//! Cholesky decomposition drops are such combinations, and so is every kept column that a dropped
//! one needs: it explains a share w²/VIF of the dropped one's variance, with its weight w and its
//! VIF among the kept. The VIF of a column that no combination needs is its VIF among the kept.

use rayon::prelude::*;

use crate::engine::passes::GramSums;
use crate::rank::linear::cholesky::PivotedCholesky;

/// Shares of variance below this are rounding errors of 32-bit values: a VIF above 10¹⁰ counts as
/// infinite.
const SINGULAR: f64 = 1e-10;

/// The variance inflation of every feature, from sums of products whose last column is the labels;
/// `None` if infinite.
pub(super) fn variance_inflation(gram: &GramSums) -> Vec<Option<f64>> {
    let width = gram.means.len() - 1;
    let row = |i: usize| (0..width).map(move |j| gram.correlation(i, j).unwrap_or(0.0));
    let matrix: Vec<f64> = (0..width).flat_map(row).collect();
    let solver = PivotedCholesky::new(matrix.clone(), SINGULAR);
    let among_kept: Vec<f64> = (0..width)
        .into_par_iter()
        .map(|i| {
            let mut unit = vec![0.0; width];
            unit[i] = 1.0;
            solver.solve(&unit)[i]
        })
        .collect();
    let mut infinite: Vec<bool> = among_kept.iter().map(|&inflation| inflation == 0.0).collect();
    let dropped = (0..width).filter(|&i| among_kept[i] == 0.0);
    for weights in dropped.map(|i| solver.solve(&matrix[i * width..(i + 1) * width])) {
        for ((infinite, weight), inflation) in infinite.iter_mut().zip(weights).zip(&among_kept) {
            *infinite |= weight * weight > SINGULAR * inflation;
        }
    }
    // Rounding can bring a column that is uncorrelated with all others slightly below 1.
    among_kept
        .into_iter()
        .zip(infinite)
        .map(|(vif, infinite)| (!infinite).then_some(vif.max(1.0)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureId, FeatureTable, Queries};
    use crate::engine::answer_view;
    use crate::engine::passes::{Centring, Gram};
    use crate::random::{Purpose, stream};
    use crate::rank::linear::gram_solver::GramSolver;
    use rand::RngExt;

    fn gram(columns: &[Vec<f32>], labels: &[f32], sizes: &[usize]) -> GramSums {
        let table = FeatureTable::numbered(columns.len(), 1);
        let data =
            Dataset::new(columns.concat(), labels.to_vec(), Queries::from_sizes(sizes), table);
        let features = (0..columns.len()).map(FeatureId::from).collect();
        answer_view(
            &Gram::new(features, Centring::PerQuery),
            &data.view(),
            &crate::stop::StopToken::default(),
        )
        .unwrap()
    }

    /// Two columns (−1, 0, 1) and (−1, 1, 0) around their means: r = 1/2, so VIF = 1 / (1 − 1/4) =
    /// 4/3.
    #[test]
    fn two_columns_by_hand() {
        let found =
            variance_inflation(&gram(&[vec![4., 5., 6.], vec![1., 3., 2.]], &[0., 0., 1.], &[3]));
        assert!(found.iter().all(|vif| (vif.unwrap() - 4.0 / 3.0).abs() < 1e-12), "{found:?}");
        assert_eq!(variance_inflation(&gram(&[vec![1., 2.]], &[0., 1.], &[2])), [Some(1.0)]);
    }

    /// Eight columns of three queries, of which 7 is near the sum of 0 and 1.
    fn columns() -> (Vec<Vec<f32>>, [usize; 3]) {
        let mut random = stream(7, Purpose::Test, 0);
        let mut columns: Vec<Vec<f32>> =
            (0..7).map(|_| (0..60).map(|_| random.random_range(-4.0..9.0)).collect()).collect();
        let near =
            (0..60).map(|row| columns[0][row] + columns[1][row] + random.random_range(-0.3..0.3));
        columns.push(near.collect());
        (columns, [25, 5, 30])
    }

    /// Against the definition: regress each column on the others.
    #[test]
    fn agrees_with_regressions() {
        let (columns, sizes) = columns();
        let found = variance_inflation(&gram(&columns, &[0.0; 60], &sizes));
        for (i, vif) in found.iter().enumerate() {
            let mut others = columns.clone();
            let own = others.remove(i);
            let regression = gram(&others, &own, &sizes);
            let total = regression.product(7, 7);
            let rest = GramSolver::new(regression, 0.0).solve(&[0, 1, 2, 3, 4, 5, 6]).rss;
            let expected = total / rest;
            assert!((vif.unwrap() / expected - 1.0).abs() < 1e-9, "{i}: {vif:?} {expected}");
        }
        assert!(found[7].unwrap() > 100.0 && found[2].unwrap() < 2.0, "{found:?}");
    }

    /// 8 = 0 + 2·3 up to rounding to 32 bits and 9 = −1: these are infinite, 7 = 0 + 1 + noise is
    /// not, and the finite ones are unchanged by 8 and 9, which 0 and 3, and 1, already explained.
    #[test]
    fn exact_combinations_are_infinite_and_others_are_not() {
        let (mut columns, sizes) = columns();
        let before = variance_inflation(&gram(&columns, &[0.0; 60], &sizes));
        columns.push((0..60).map(|row| columns[0][row] + 2.0 * columns[3][row]).collect());
        columns.push(columns[1].iter().map(|x| -x).collect());
        let found = variance_inflation(&gram(&columns, &[0.0; 60], &sizes));
        let infinite: Vec<usize> = (0..10).filter(|&i| found[i].is_none()).collect();
        assert_eq!(infinite, [0, 1, 3, 8, 9]);
        for i in [2, 4, 5, 6, 7] {
            assert!((found[i].unwrap() / before[i].unwrap() - 1.0).abs() < 1e-6, "{i}");
        }
    }

    /// Three documents of one query leave two dimensions: each column is a combination of two
    /// others.
    #[test]
    fn more_features_than_documents() {
        let columns = [vec![1., 2., 4.], vec![3., 1., 2.], vec![2., 7., 1.]];
        assert_eq!(variance_inflation(&gram(&columns, &[0., 1., 0.], &[3])), [None; 3]);
    }
}
