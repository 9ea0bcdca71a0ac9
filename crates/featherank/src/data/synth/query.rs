//! The documents of one synthetic query: latent values, the relevance they add up to, and what is
//! stored of them.
//!
//! Relevance of a document = query's difficulty + Σ weight · latent value (useful features always; query-dependent ones
//! where they are active; risky ones with the sign turned where they mislead) + noise. A feature stores
//! `raw scale(shift + stretch · latent)` with a shift and a positive stretch of its own in each query, as the values of
//! BM25 depend on the query's words: only comparisons inside a query mean anything.

use rand::RngExt;
use rand_distr::StandardNormal;

use super::config::SynthConfig;
use super::plan::{Column, Plan};
use super::truth::Role;
use crate::random::{Purpose, Stream, stream};

/// Standard deviation of a feature's shift between queries.
const SHIFT: f64 = 0.5;
/// Standard deviation of the logarithm of a feature's stretch between queries.
const STRETCH: f64 = 0.25;

/// Working memory that queries of one block share.
#[derive(Default)]
pub(super) struct Scratch {
    latent: Vec<f64>,
    utility: Vec<f64>,
}

/// Fills the rows of one query: `columns` holds their values by feature, `relevance` what labels
/// are cut from.
pub(super) fn fill(
    config: &SynthConfig,
    plan: &Plan,
    query: usize,
    columns: &mut [&mut [f32]],
    relevance: &mut [f32],
    scratch: &mut Scratch,
) {
    let mut random = stream(config.seed, Purpose::SynthQuery, query as u64);
    let Scratch { latent, utility } = scratch;
    latent.resize(relevance.len(), 0.0);
    utility.clear();
    let (difficulty, noise) =
        (config.difficulty * normal(&mut random), (1.0 - config.signal).sqrt());
    utility.extend(relevance.iter().map(|_| difficulty + noise * normal(&mut random)));

    let own = config.correlation;
    let other = (1.0 - own * own).sqrt();
    for (index, column) in plan.columns.iter().enumerate() {
        match column.role {
            // Drawn with its parent, whose latent values it needs.
            Role::Redundant => continue,
            Role::Constant => latent.fill(0.0),
            _ => latent.iter_mut().for_each(|z| *z = normal(&mut random)),
        }
        let weight = weight_here(config, column, &mut random);
        if weight != 0.0 {
            utility.iter_mut().zip(&*latent).for_each(|(sum, z)| *sum += weight * z);
        }
        let store = Store::draw(column, &mut random);
        columns[index].iter_mut().zip(&*latent).for_each(|(value, &z)| *value = store.value(z));
        for &copy in &column.copies {
            let store = Store::draw(&plan.columns[copy], &mut random);
            for (value, z) in columns[copy].iter_mut().zip(&*latent) {
                *value = store.value(own * z + other * normal(&mut random));
            }
        }
    }
    relevance.iter_mut().zip(&*utility).for_each(|(to, &from)| *to = from as f32);
}

fn normal(random: &mut Stream) -> f64 {
    random.sample(StandardNormal)
}

/// What a feature adds to relevance in this query.
fn weight_here(config: &SynthConfig, column: &Column, random: &mut Stream) -> f64 {
    match column.role {
        Role::QueryDependent if !random.random_bool(config.active_share) => 0.0,
        Role::Risky if random.random_bool(config.risky_share) => -column.weight,
        _ => column.weight,
    }
}

/// How a feature's latent values are stored in one query.
struct Store<'a> {
    column: &'a Column,
    shift: f64,
    stretch: f64,
}

impl<'a> Store<'a> {
    fn draw(column: &'a Column, random: &mut Stream) -> Self {
        Store { column, shift: SHIFT * normal(random), stretch: (STRETCH * normal(random)).exp() }
    }

    fn value(&self, latent: f64) -> f32 {
        self.column.scale.apply(self.shift + self.stretch * latent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relevance inside a query has the variance that the weights and the noise are laid out for.
    #[test]
    fn relevance_has_unit_variance_inside_queries() {
        let config = SynthConfig { difficulty: 3.0, ..SynthConfig::default() };
        let plan = Plan::new(&config);
        let (queries, n) = (400, 50);
        let mut scratch = Scratch::default();
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
