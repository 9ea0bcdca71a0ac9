//! Relevance against redundancy: the rule shared by the greedy filters that combine the relevance
//! of a feature alone with its similarity to the features already chosen.
//!
//! All of them score a candidate by its relevance and one sum over the chosen features, so that
//! each step adds one term to each sum and a whole path takes O(d²).

use super::redundancy::RelevanceAndRedundancy;
use crate::data::FeatureId;
use crate::engine::Schema;
use crate::error::Result;
use crate::run::Run;
use crate::select::Findings;
use crate::select::forward::{Criterion, forward};

/// Adds features one at a time, each time the f with the largest `score(f, Σ similarity(f, g) over
/// chosen g, number of chosen)`; chooses the features before the first score below `least`.
pub(super) fn trade_off(
    run: &Run,
    schema: &Schema,
    facts: &RelevanceAndRedundancy,
    similarity: impl Fn(usize, usize) -> f64,
    score: impl Fn(usize, f64, usize) -> f64,
    least: Option<f64>,
) -> Result<Findings> {
    let sums = vec![0.0; facts.width()];
    let mut rule = TradeOffRule { facts, similarity, score, least, sums, summed: 0 };
    forward(run, schema, &facts.features, &facts.unusable, &mut rule)
}

struct TradeOffRule<'a, L, W> {
    facts: &'a RelevanceAndRedundancy,
    similarity: L,
    score: W,
    least: Option<f64>,
    sums: Vec<f64>,
    summed: usize,
}

impl<L, W> Criterion for TradeOffRule<'_, L, W>
where
    L: Fn(usize, usize) -> f64,
    W: Fn(usize, f64, usize) -> f64,
{
    fn scores(&mut self, chosen: &[FeatureId], candidates: &[FeatureId]) -> Result<Vec<f64>> {
        for added in chosen[self.summed..].iter().filter_map(|&f| self.facts.place(f)) {
            self.sums
                .iter_mut()
                .enumerate()
                .for_each(|(f, sum)| *sum += (self.similarity)(f, added));
        }
        self.summed = chosen.len();
        let places = candidates.iter().filter_map(|&f| self.facts.place(f));
        Ok(places.map(|f| (self.score)(f, self.sums[f], chosen.len())).collect())
    }

    fn enough(&self, best: f64, _: usize) -> bool {
        self.least.is_some_and(|least| best < least)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};
    use crate::run::Constraints;

    /// A run without constraints, over data with this many features.
    pub(crate) fn run_over(features: usize) -> (Run, Schema) {
        let table = FeatureTable::numbered(features, 0);
        let data = Dataset::new(vec![0.0; features], vec![0.0], Queries::from_sizes(&[1]), table);
        (Run::new(0, Constraints::default()), Schema::of(&data))
    }

    /// Ids along the path.
    pub(crate) fn path(found: &Findings) -> Vec<u32> {
        found.path.iter().map(|(f, _)| f.0).collect()
    }

    /// Ids in a fixture.
    pub(crate) fn ids(value: &serde_json::Value) -> Vec<u32> {
        value.as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as u32).collect()
    }
}
