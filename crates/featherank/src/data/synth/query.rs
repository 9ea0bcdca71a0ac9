//! The documents of one synthetic query: latent values, the relevance computed from them, and the
//! stored values.
//!
//! Relevance of a document = query's difficulty + Σ weight · latent value + noise. The sum contains
//! useful features always, query-dependent ones in queries where they are active, and risky ones
//! with a negative sign in queries where they mislead. A switch is positive in the queries where
//! its query-dependent feature is active, and negative in the others. With a random shift and a
//! positive stretch for each query, a feature stores `raw scale(shift + stretch · latent)`, just as
//! the values of BM25 depend on the query's words: only comparisons within a query are meaningful.

use rand::RngExt;
use rand_distr::StandardNormal;

use super::config::SynthConfig;
use super::plan::{ColumnPlan, SynthPlan};
use super::truth::Role;
use crate::random::{Purpose, Stream, stream};

/// Standard deviation of a feature's shift between queries.
const SHIFT: f64 = 0.5;
/// Standard deviation of the logarithm of a feature's stretch between queries.
const SCALE_SPREAD: f64 = 0.25;

/// Working memory shared by the queries of a block.
#[derive(Default)]
pub(super) struct QueryScratch {
    latent: Vec<f64>,
    utility: Vec<f64>,
}

/// Fills the rows of one query: `columns` holds their values by feature, `relevance` the numbers
/// from which grades are assigned.
pub(super) fn fill(
    config: &SynthConfig,
    plan: &SynthPlan,
    query: usize,
    columns: &mut [&mut [f32]],
    relevance: &mut [f32],
    scratch: &mut QueryScratch,
) {
    let mut random = stream(config.seed, Purpose::SynthQuery, query as u64);
    let QueryScratch { latent, utility } = scratch;
    latent.resize(relevance.len(), 0.0);
    utility.clear();
    let (difficulty, noise) =
        (config.difficulty * normal(&mut random), (1.0 - config.signal).sqrt());
    utility.extend(relevance.iter().map(|_| difficulty + noise * normal(&mut random)));

    let own = config.correlation;
    let other = (1.0 - own * own).sqrt();
    for (index, column) in plan.columns.iter().enumerate() {
        match column.role {
            // Drawn with its parent.
            Role::Redundant | Role::Switch => continue,
            Role::Constant => latent.fill(0.0),
            _ => latent.iter_mut().for_each(|z| *z = normal(&mut random)),
        }
        let weight = weight_here(config, column, &mut random);
        if weight != 0.0 {
            utility.iter_mut().zip(&*latent).for_each(|(sum, z)| *sum += weight * z);
        }
        let storage = Storage::draw(column, &mut random);
        columns[index].iter_mut().zip(&*latent).for_each(|(value, &z)| *value = storage.value(z));
        for &child in &column.children {
            let own_plan = &plan.columns[child];
            if own_plan.role == Role::Switch {
                let level = 0.5 + normal(&mut random).abs();
                let level = if weight == 0.0 { -level } else { level };
                columns[child].fill(own_plan.scale.apply(level));
                continue;
            }
            let storage = Storage::draw(own_plan, &mut random);
            for (value, z) in columns[child].iter_mut().zip(&*latent) {
                *value = storage.value(own * z + other * normal(&mut random));
            }
        }
    }
    relevance.iter_mut().zip(&*utility).for_each(|(to, &from)| *to = from as f32);
}

fn normal(random: &mut Stream) -> f64 {
    random.sample(StandardNormal)
}

/// The weight of a feature in this query.
fn weight_here(config: &SynthConfig, column: &ColumnPlan, random: &mut Stream) -> f64 {
    match column.role {
        Role::QueryDependent if !random.random_bool(config.active_share) => 0.0,
        Role::Risky if random.random_bool(config.risky_share) => -column.weight,
        _ => column.weight,
    }
}

/// How a feature's latent values are stored in one query.
struct Storage<'a> {
    column: &'a ColumnPlan,
    shift: f64,
    stretch: f64,
}

impl<'a> Storage<'a> {
    fn draw(column: &'a ColumnPlan, random: &mut Stream) -> Self {
        Storage {
            column,
            shift: SHIFT * normal(random),
            stretch: (SCALE_SPREAD * normal(random)).exp(),
        }
    }

    fn value(&self, latent: f64) -> f32 {
        self.column.scale.apply(self.shift + self.stretch * latent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relevance within a query has the variance for which weights and noise are chosen.
    #[test]
    fn relevance_has_unit_variance_within_queries() {
        let config = SynthConfig { difficulty: 3.0, ..SynthConfig::default() };
        let plan = SynthPlan::new(&config);
        let (queries, n) = (400, 50);
        let mut scratch = QueryScratch::default();
        let mut total = 0.0;
        for query in 0..queries {
            let mut values = vec![0.0; n * plan.columns.len()];
            let mut columns: Vec<&mut [f32]> = values.chunks_mut(n).collect();
            let mut relevance = vec![0.0; n];
            fill(&config, &plan, query, &mut columns, &mut relevance, &mut scratch);
            let mean = relevance.iter().sum::<f32>() / n as f32;
            total += relevance.iter().map(|r| (r - mean).powi(2)).sum::<f32>() / (n - 1) as f32;
        }
        let variance = total / queries as f32;
        assert!((variance - 1.0).abs() < 0.05, "{variance}");
    }
}
