//! Similarity of features: correlations within every query, averaged over the queries in which both
//! features vary.
//!
//! - `pearson` of the values, `spearman` of their ranks (ties share the mean rank): columns are
//!   standardised within each query, so that one matrix product per block gives all pairs.
//! - `kendall`: τ-b, see [`super::kendall`].
//! - `top-10`: of the ordered pairs of documents that at least one of the two top tens implies, the
//!   share that both imply. A document outside a top ten ranks below it; if some of a group of tied
//!   documents fit into the ten, all of them belong to it, so that the order of the file has no
//!   influence. Naini & Altingovde (ECIR 2014) compare top lists; the formula is our reading.

use std::str::FromStr;

use faer::Mat;
use serde::{Deserialize, Serialize};

use super::gram::products_of_columns;
use super::kendall::KendallColumns;
use super::top_overlap::TopLists;
use crate::data::FeatureId;
use crate::engine::{Block, CorrelationMatrix, Merge, Pass, Schema, check_features};
use crate::error::{Error, Result};
use crate::measure::ascending;
use crate::memory::check_pairs;

/// A measure of the similarity of two features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Correlation {
    /// Of values.
    Pearson,
    /// Of ranks.
    Spearman,
    /// τ-b: of the order of pairs.
    Kendall,
    /// Of the order among the ten best documents.
    #[serde(rename = "top-10")]
    TopTen,
}

impl Correlation {
    /// The names, as users write them.
    pub const NAMES: &'static [&'static str] = &["kendall", "spearman", "pearson", "top-10"];
}

impl FromStr for Correlation {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "kendall" => Ok(Correlation::Kendall),
            "spearman" => Ok(Correlation::Spearman),
            "pearson" => Ok(Correlation::Pearson),
            "top-10" => Ok(Correlation::TopTen),
            _ => Err(Error::invalid("correlation", name, Self::NAMES.join(", "))),
        }
    }
}

/// Correlations between features within every query, averaged over queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Correlations {
    /// The correlation.
    pub kind: Correlation,
    /// The features, in the order of the answer.
    pub features: Vec<FeatureId>,
}

impl Correlations {
    /// The memory for each pair of features: products and sums of a block, the sums of the blocks
    /// before, and two matrices of correlations.
    pub(crate) const CELL: u64 = 40;
}

impl Pass for Correlations {
    type Answer = CorrelationSums;
    const NAME: &'static str = "correlations";
    const ACTIVITY: &'static str = "comparing features";

    fn check(&self, schema: &Schema) -> Result<()> {
        check_features(schema, &self.features)
    }

    fn answer_bytes(&self) -> u64 {
        (self.features.len() as u64).pow(2) * Correlations::CELL
    }

    fn check_memory(&self, limit: u64) -> Result<()> {
        check_pairs("the matrix of correlations", self.features.len(), Correlations::CELL, limit)
    }

    fn answer(&self, block: &Block<'_>) -> CorrelationSums {
        let width = self.features.len();
        let cells = width * width.saturating_sub(1) / 2;
        let mut all = CorrelationSums { width, sums: vec![0.0; cells], queries: vec![0; cells] };
        match self.kind {
            Correlation::Pearson => all.add_products(self, block, |values, out| {
                values.iter().zip(out).for_each(|(&x, cell)| *cell = f64::from(x));
            }),
            Correlation::Spearman => all.add_products(self, block, mean_ranks),
            Correlation::Kendall => {
                for rows in block.rows().take_while(|_| !block.stop().is_stopped()) {
                    let columns =
                        self.features.iter().map(|&f| &block.data().column(f)[rows.clone()]);
                    let list = KendallColumns::new(columns);
                    all.add_query(|a, b| list.tau(a, b));
                }
            }
            Correlation::TopTen => {
                for rows in block.rows().take_while(|_| !block.stop().is_stopped()) {
                    let columns =
                        self.features.iter().map(|&f| &block.data().column(f)[rows.clone()]);
                    let lists = TopLists::new(columns);
                    all.add_query(|a, b| lists.overlap(a, b));
                }
            }
        }
        all
    }
}

/// Sums of correlations over queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorrelationSums {
    width: usize,
    /// Row after row of the triangle below the diagonal.
    sums: Vec<f64>,
    /// Queries in which both features vary.
    queries: Vec<u32>,
}

impl CorrelationSums {
    fn add_query(&mut self, mut correlation: impl FnMut(usize, usize) -> Option<f64>) {
        let pairs = (0..self.width).flat_map(|a| (0..a).map(move |b| (a, b)));
        for ((a, b), (sum, queries)) in pairs.zip(self.sums.iter_mut().zip(&mut self.queries)) {
            if let Some(value) = correlation(a, b) {
                *sum += value;
                *queries += 1;
            }
        }
    }

    /// Sums of products of columns after `transform`: products of columns that are standardised
    /// query by query.
    fn add_products(
        &mut self,
        pass: &Correlations,
        block: &Block<'_>,
        transform: impl Fn(&[f32], &mut [f64]),
    ) {
        let mut standard = Mat::<f64>::zeros(block.documents(), self.width);
        let mut varies = vec![vec![false; self.width]; block.query_count()];
        for (c, &feature) in pass.features.iter().enumerate() {
            let source = block.data().column(feature);
            let mut cells = standard.col_as_slice_mut(c);
            for (rows, varies) in block.rows().zip(&mut varies) {
                let (own, others) = cells.split_at_mut(rows.len());
                cells = others;
                transform(&source[rows], own);
                varies[c] = standardise(own);
            }
        }
        let products = products_of_columns(&standard, block.stop());
        for query in &varies {
            if block.stop().is_stopped() {
                return;
            }
            // The sums follow below, for all queries at once.
            self.add_query(|a, b| (query[a] && query[b]).then_some(0.0));
        }
        let pairs = (0..self.width).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs.zip(&mut self.sums).for_each(|((a, b), sum)| *sum = products[(a, b)]);
    }

    /// The mean correlation of each pair.
    pub fn matrix(&self) -> CorrelationMatrix {
        CorrelationMatrix::new(self.width, |a, b| {
            let cell = a * (a - 1) / 2 + b;
            let mean = self.sums[cell] / f64::from(self.queries[cell]);
            (self.queries[cell] > 0).then(|| mean.clamp(-1.0, 1.0))
        })
    }
}

impl Merge for CorrelationSums {
    fn merge(mut self, next: Self) -> Self {
        self.sums.iter_mut().zip(next.sums).for_each(|(all, more)| *all += more);
        self.queries.iter_mut().zip(next.queries).for_each(|(all, more)| *all += more);
        self
    }
}

/// Ranks from low to high; tied values share the mean of their ranks.
pub(crate) fn mean_ranks(values: &[f32], ranks: &mut [f64]) {
    let mut keys: Vec<u64> = values
        .iter()
        .zip(0u64..)
        .map(|(&value, row)| u64::from(ascending(value)) << 32 | row)
        .collect();
    keys.sort_unstable();
    let mut start = 0;
    for tied in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
        let rank = start as f64 + (tied.len() - 1) as f64 / 2.0;
        tied.iter().for_each(|&key| ranks[key as u32 as usize] = rank);
        start += tied.len();
    }
}

/// Mean 0 and length 1; all 0 and `false` for a column that does not vary.
pub(crate) fn standardise(column: &mut [f64]) -> bool {
    let first = column.first().copied();
    if column.iter().all(|&x| Some(x) == first) {
        column.fill(0.0);
        return false;
    }
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    column.iter_mut().for_each(|x| *x -= mean);
    let length = column.iter().map(|x| x * x).sum::<f64>().sqrt();
    column.iter_mut().for_each(|x| *x /= length);
    true
}
