//! Correlations between features as a matrix.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::passes::{
    Centring, Correlation, Correlations, Gram, KendallColumns, mean_ranks, standardise,
};
use super::{Ask, Engine, Pass};
use crate::data::{Dataset, FeatureId};
use crate::error::{Error, Result};
use crate::progress::Step;

/// Over which documents features are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Within every query, averaged over queries: what matters for ranking.
    Query,
    /// Over all documents as if they were one list.
    Pooled,
}

/// A symmetric matrix of correlations.
#[derive(Debug, Clone, PartialEq)]
pub struct CorrelationMatrix {
    width: usize,
    /// NaN if a correlation is undefined.
    values: Vec<f64>,
}

impl CorrelationMatrix {
    /// A matrix from the cells below its diagonal, which is 1.
    pub fn new(width: usize, below: impl Fn(usize, usize) -> Option<f64>) -> Self {
        let mut values = vec![1.0; width * width];
        for a in 0..width {
            for b in 0..a {
                let value = below(a, b).unwrap_or(f64::NAN);
                values[a * width + b] = value;
                values[b * width + a] = value;
            }
        }
        CorrelationMatrix { width, values }
    }

    /// Number of features.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The correlation of two features; `None` if it is undefined because they never vary in the
    /// same query.
    pub fn get(&self, a: usize, b: usize) -> Option<f64> {
        Some(self.values[a * self.width + b]).filter(|value| !value.is_nan())
    }

    /// The correlation of two features, 0 if it is undefined. For features that vary within
    /// queries only: two of them that never vary in the same query complement each other, whereas
    /// features that are constant within queries would look best of all.
    pub fn or_zero(&self, a: usize, b: usize) -> f64 {
        self.get(a, b).unwrap_or(0.0)
    }
}

/// Correlations between features. Pooled rank correlations need the rows in this process.
pub fn correlations(
    engine: &dyn Engine,
    kind: Correlation,
    scope: Scope,
    features: &[FeatureId],
) -> Result<CorrelationMatrix> {
    let features = features.to_vec();
    if scope == Scope::Query {
        return Ok(engine.ask(&Correlations { kind, features })?.matrix());
    }
    Correlations { kind, features: features.clone() }.check_memory(engine.memory_limit())?;
    match (kind, engine.local()) {
        (Correlation::Pearson, _) => {
            let width = features.len();
            let sums = engine.ask(&Gram::new(features, Centring::Overall))?;
            Ok(CorrelationMatrix::new(width, |a, b| sums.correlation(a, b)))
        }
        (Correlation::TopTen, _) => Err(Error::settings(
            "the overlap of top tens is defined within queries only",
            "compare features within queries, or choose another correlation",
        )),
        (_, None) => Err(Error::unsupported(
            "ranks over all documents need all rows in one process",
            "compare features within queries",
        )),
        (Correlation::Spearman, Some(data)) => {
            let columns = standard_ranks(data, &features);
            all_pairs(engine, features.len(), |a, b| {
                let (a, b) = (columns[a].as_ref()?, columns[b].as_ref()?);
                Some(a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>().clamp(-1.0, 1.0))
            })
        }
        (Correlation::Kendall, Some(data)) => {
            let columns = KendallColumns::new(features.iter().map(|&f| data.column(f)));
            all_pairs(engine, features.len(), |a, b| columns.tau(a, b))
        }
    }
}

/// A matrix cell by cell, row after row, so that the work can be observed and stopped.
fn all_pairs(
    engine: &dyn Engine,
    width: usize,
    cell: impl Fn(usize, usize) -> Option<f64> + Sync,
) -> Result<CorrelationMatrix> {
    let mut rows: Vec<Vec<Option<f64>>> = Vec::with_capacity(width);
    for a in 0..width {
        rows.push((0..a).into_par_iter().map(|b| cell(a, b)).collect());
        let total = Some(width as u64);
        engine.step(&Step::pass(Correlations::ACTIVITY, a as u64 + 1, total))?;
    }
    Ok(CorrelationMatrix::new(width, |a, b| rows[a][b]))
}

/// Ranks over all documents, standardised; `None` for a column that does not vary.
fn standard_ranks(data: &Dataset, features: &[FeatureId]) -> Vec<Option<Vec<f64>>> {
    let ranks = |&f: &FeatureId| {
        let mut ranks = vec![0.0; data.documents()];
        mean_ranks(data.column(f), &mut ranks);
        standardise(&mut ranks).then_some(ranks)
    };
    features.par_iter().map(ranks).collect()
}
