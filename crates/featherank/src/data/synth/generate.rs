//! Generates a data set: blocks of queries, drawn in parallel directly into the result.

use rayon::prelude::*;

use super::config::{SynthConfig, refused};
use super::labels;
use super::plan::SynthPlan;
use super::query::{self, QueryScratch};
use super::truth::Truth;
use crate::data::{Dataset, Queries};
use crate::error::Result;

/// Queries per task: enough that the list of slices is small compared with the values, few enough
/// to balance the load.
const BLOCK: usize = 8;

/// Generates the data set and its truth. Equal settings give equal bytes for any number of threads,
/// because every query has its own stream of random numbers. Beside the values, memory grows only
/// with documents and queries.
pub fn generate(config: &SynthConfig) -> Result<(Dataset, Truth)> {
    config.check()?;
    // Allocated first, because it is what fails if a size has a digit too many.
    let mut values = zeros(config)?;
    let sizes = config.query_sizes()?;
    let queries = Queries::from_sizes(&sizes);
    let plan = SynthPlan::new(config);
    let mut relevance = vec![0.0; config.documents];
    blocks(&sizes, &mut values, &mut relevance).into_par_iter().for_each(|block| {
        let QueryBlock { first, sizes, mut columns, mut relevance } = block;
        let mut scratch = QueryScratch::default();
        for (query, &size) in (first..).zip(sizes) {
            let mut rows: Vec<&mut [f32]> =
                columns.iter_mut().map(|column| split(column, size)).collect();
            query::fill(config, &plan, query, &mut rows, split(&mut relevance, size), &mut scratch);
        }
    });
    let labels = labels::cut(config, &queries, relevance)?;
    Ok((Dataset::new(values, labels, queries, plan.table(config)), plan.truth(config)))
}

/// Zeros for all values, allocated fallibly: a typing error in the size must not end the program.
fn zeros(config: &SynthConfig) -> Result<Vec<f32>> {
    let mut values = Vec::new();
    let length = config.documents.saturating_mul(config.features());
    values.try_reserve_exact(length).map_err(|_| {
        let gib = 4.0 * config.documents as f64 * config.features() as f64 / f64::from(1 << 30);
        let expected = format!(
            "fewer: with {} features they need {gib:.1} GiB, more than is available",
            config.features()
        );
        refused("documents", config.documents, expected)
    })?;
    values.resize(length, 0.0);
    Ok(values)
}

/// Consecutive queries and the slices of their rows.
struct QueryBlock<'a> {
    first: usize,
    sizes: &'a [usize],
    columns: Vec<&'a mut [f32]>,
    relevance: &'a mut [f32],
}

fn blocks<'a>(
    sizes: &'a [usize],
    values: &'a mut [f32],
    relevance: &'a mut [f32],
) -> Vec<QueryBlock<'a>> {
    let mut columns: Vec<&mut [f32]> = values.chunks_mut(relevance.len()).collect();
    let mut relevance = relevance;
    let block = |(index, sizes): (usize, &'a [usize])| {
        let rows = sizes.iter().sum();
        QueryBlock {
            first: index * BLOCK,
            sizes,
            columns: columns.iter_mut().map(|column| split(column, rows)).collect(),
            relevance: split(&mut relevance, rows),
        }
    };
    sizes.chunks(BLOCK).enumerate().map(block).collect()
}

/// Takes the first `rows` values off a slice.
fn split<'a>(slice: &mut &'a mut [f32], rows: usize) -> &'a mut [f32] {
    let (head, tail) = std::mem::take(slice).split_at_mut(rows);
    *slice = tail;
    head
}
