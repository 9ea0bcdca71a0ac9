//! Sums of products of centred columns: everything that covariances, correlations and linear
//! regression need.
//!
//! Columns are centred block by block before they are multiplied, in 64 bits, and blocks are merged
//! by the pairwise update of Chan, Golub & LeVeque (1983), so that heavy-tailed raw features do not
//! cancel away. The labels are the last column.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use serde::{Deserialize, Serialize};

use crate::data::FeatureId;
use crate::engine::{Block, Merge, Pass, Schema, check_features};
use crate::error::Result;
use crate::memory::check_pairs;
use crate::stop::StopToken;

/// The rows of a long block, for estimates of memory.
const BLOCK_ROWS: u64 = 8192;

/// Sums of products of centred columns, and of the labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gram {
    /// The features, in the order of the answer.
    pub features: Vec<FeatureId>,
    /// The centre of each column.
    pub centring: Centring,
}

impl Gram {
    /// The memory for each pair of columns: the product, the answer of a block, and that of the
    /// blocks before.
    pub(crate) const CELL: u64 = 24;

    /// Multiplies these columns.
    pub fn new(features: Vec<FeatureId>, centring: Centring) -> Self {
        Gram { features, centring }
    }
}

impl Pass for Gram {
    type Answer = GramSums;
    const NAME: &'static str = "gram";
    const ACTIVITY: &'static str = "correlating features";

    fn check(&self, schema: &Schema) -> Result<()> {
        check_features(schema, &self.features)
    }

    fn answer_bytes(&self) -> u64 {
        let width = self.features.len() as u64 + 1;
        width * (width * Gram::CELL + BLOCK_ROWS * size_of::<f64>() as u64)
    }

    fn check_memory(&self, limit: u64) -> Result<()> {
        check_pairs("the matrix of products", self.features.len(), Gram::CELL, limit)
    }

    fn answer(&self, block: &Block<'_>) -> GramSums {
        let (rows, width) = (block.documents(), self.features.len() + 1);
        let mut centred = Mat::<f64>::zeros(rows, width);
        let mut means = vec![0.0; width];
        for (c, mean) in means.iter_mut().enumerate() {
            let data = block.data();
            let source = self.features.get(c).map_or(data.labels(), |&f| data.column(f));
            let values = || block.rows().flat_map(|rows| &source[rows]).map(|&x| f64::from(x));
            *mean = values().sum::<f64>() / rows.max(1) as f64;
            let column = centred.col_as_slice_mut(c);
            match self.centring {
                Centring::Overall => {
                    column.iter_mut().zip(values()).for_each(|(cell, x)| *cell = x - *mean)
                }
                Centring::PerQuery | Centring::PerPair => {
                    let mut cells = column.iter_mut();
                    for rows in block.rows() {
                        let centred = self.centring.within_query(&source[rows]);
                        centred.zip(&mut cells).for_each(|(x, cell)| *cell = x);
                    }
                }
            }
        }
        let products = products_of_columns(&centred, block.stop());
        let products = (0..width)
            .flat_map(|i| (0..width).map(move |j| (i, j)))
            .map(|(i, j)| products[(i, j)])
            .collect();
        if self.centring != Centring::Overall {
            means.fill(0.0);
        }
        GramSums { count: rows as u64, means, products }
    }
}

/// The products of all pairs of columns; unfinished if the token is stopped.
pub(super) fn products_of_columns(columns: &Mat<f64>, stop: &StopToken) -> Mat<f64> {
    /// Columns between two checks of the token. The last bits of products depend on it for wider
    /// data.
    const AT_ONCE: usize = 1024;
    let width = columns.ncols();
    let mut products = Mat::<f64>::zeros(width, width);
    for start in (0..width).step_by(AT_ONCE) {
        if stop.is_stopped() {
            break;
        }
        let count = AT_ONCE.min(width - start);
        // One thread: the blocks already keep all cores busy, and the order of summation stays
        // fixed.
        matmul(
            products.as_mut().subcols_mut(start, count),
            Accum::Replace,
            columns.transpose(),
            columns.as_ref().subcols(start, count),
            1.0,
            Par::Seq,
        );
    }
    products
}

/// The centre of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Centring {
    /// Its mean over all documents.
    Overall,
    /// Its mean within each query: what is the same for a whole query cannot rank.
    PerQuery,
    /// The same, with every query multiplied by its number of documents. That is a sum over pairs
    /// of documents of one query: n Σ (xᵢ − x̄)(zᵢ − z̄) = Σ over i < j of (xᵢ − xⱼ)(zᵢ − zⱼ).
    PerPair,
}

impl Centring {
    /// The values of one query minus their mean, weighted if pairs are counted.
    pub(crate) fn within_query(self, values: &[f32]) -> impl Iterator<Item = f64> {
        let mean = values.iter().map(|&x| f64::from(x)).sum::<f64>() / values.len() as f64;
        let weight = if self == Centring::PerPair { (values.len() as f64).sqrt() } else { 1.0 };
        values.iter().map(move |&x| weight * (f64::from(x) - mean))
    }
}

/// Sums of products of centred columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GramSums {
    /// Documents seen.
    pub count: u64,
    /// Mean of each column; the labels are the last.
    pub means: Vec<f64>,
    /// Row after row of the symmetric matrix of sums of products.
    pub products: Vec<f64>,
}

impl GramSums {
    /// Sum of products of two columns.
    pub fn product(&self, a: usize, b: usize) -> f64 {
        self.products[a * self.means.len() + b]
    }

    /// Pearson correlation of two columns; `None` if one of them does not vary.
    pub fn correlation(&self, a: usize, b: usize) -> Option<f64> {
        let scale = (self.product(a, a) * self.product(b, b)).sqrt();
        (scale > 0.0).then(|| (self.product(a, b) / scale).clamp(-1.0, 1.0))
    }
}

impl Merge for GramSums {
    fn merge(mut self, next: Self) -> Self {
        let (n, m) = (self.count as f64, next.count as f64);
        let share = n * m / (n + m).max(1.0);
        let apart: Vec<f64> = self.means.iter().zip(&next.means).map(|(a, b)| b - a).collect();
        let width = apart.len();
        for (at, (product, more)) in self.products.iter_mut().zip(&next.products).enumerate() {
            *product += more + share * apart[at / width] * apart[at % width];
        }
        self.means
            .iter_mut()
            .zip(&apart)
            .for_each(|(mean, apart)| *mean += apart * m / (n + m).max(1.0));
        self.count += next.count;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};

    /// Products of some columns at a time equal those of all columns, up to rounding.
    #[test]
    fn panels_do_not_change_products() {
        for (rows, width) in [(1, 1300), (57, 1025), (200, 300)] {
            let columns = Mat::from_fn(rows, width, |i, j| ((i * 31 + j * 17) % 101) as f64 / 7.0);
            let panels = products_of_columns(&columns, &StopToken::default());
            let product = |i: usize, j: usize| -> f64 {
                (0..rows).map(|row| columns[(row, i)] * columns[(row, j)]).sum()
            };
            for (i, j) in
                (0..width).step_by(7).flat_map(|i| [(i, width - 1), (i, i), (width - 1, i)])
            {
                let expected = product(i, j);
                assert!((panels[(i, j)] - expected).abs() <= 1e-12 * expected.max(1.0), "{i} {j}");
            }
        }
    }

    /// Feature (1, 2, 3 | 10, 20) with labels (0, 1, 2 | 1, 0): over all documents and within
    /// queries.
    #[test]
    fn products_by_hand_merged_over_blocks() {
        let values = vec![1., 2., 3., 10., 20.];
        let data = Dataset::new(
            values,
            vec![0., 1., 2., 1., 0.],
            Queries::from_sizes(&[3, 2]),
            FeatureTable::numbered(1, 1),
        );
        let merged = |centring| {
            let pass = Gram::new(vec![FeatureId(0)], centring);
            let part = |span| pass.answer(&Block::of(data.view().with_query_span(span)));
            part(0..1).merge(part(1..2))
        };
        let overall = merged(Centring::Overall);
        // Mean 7.2: squares 38.44 + 27.04 + 17.64 + 7.84 + 163.84 = 254.8; labels' mean .8,
        // products sum 18 − 5·7.2·.8 = −10.8.
        assert!((overall.product(0, 0) - 254.8).abs() < 1e-9);
        assert!((overall.product(0, 1) + 10.8).abs() < 1e-9);
        let within = merged(Centring::PerQuery);
        // Query 1: (−1, 0, 1) squares 2; query 2: (−5, 5) squares 50. With labels: 2 and −5.
        assert!((within.product(0, 0) - 52.0).abs() < 1e-9);
        assert!((within.product(0, 1) + 3.0).abs() < 1e-9);
        // Over pairs: 3 · 2 + 2 · 50; with labels: 3 · 2 − 2 · 5.
        let pairs = merged(Centring::PerPair);
        assert!(
            (pairs.product(0, 0) - 106.0).abs() < 1e-9 && (pairs.product(0, 1) + 4.0).abs() < 1e-9
        );
        assert!(within.correlation(0, 0).is_some_and(|r| (r - 1.0).abs() < 1e-12));
    }
}
