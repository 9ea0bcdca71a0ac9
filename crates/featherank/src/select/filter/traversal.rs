//! Feature-to-feature traversal, shared by NGAS and XGAS.
//!
//! A traversal starts at the most relevant feature; a rule chooses the next feature from the last
//! one.

use super::redundancy::RelevanceAndRedundancy;
use crate::data::FeatureId;
use crate::engine::Schema;
use crate::error::Result;
use crate::run::Run;
use crate::select::Findings;
use crate::select::forward::{Criterion, forward};

/// Traverses all features. `next` receives the place of the last feature and the non-empty list of
/// remaining places, by column.
pub(super) fn traverse(
    run: &Run,
    schema: &Schema,
    facts: &RelevanceAndRedundancy,
    next: impl Fn(usize, &[usize]) -> usize,
) -> Result<Findings> {
    forward(run, schema, &facts.features, &facts.unusable, &mut Traversal { facts, next })
}

struct Traversal<'a, F> {
    facts: &'a RelevanceAndRedundancy,
    next: F,
}

impl<F: Fn(usize, &[usize]) -> usize> Criterion for Traversal<'_, F> {
    /// The relevance of the feature to pick; the other candidates are not compared.
    fn scores(&mut self, chosen: &[FeatureId], candidates: &[FeatureId]) -> Result<Vec<f64>> {
        let places: Vec<usize> = candidates.iter().filter_map(|&f| self.facts.place(f)).collect();
        let pick = match chosen.last().and_then(|&last| self.facts.place(last)) {
            Some(last) => (self.next)(last, &places),
            None => self.facts.by_relevance(places.clone())[0],
        };
        let relevance = &self.facts.relevance;
        Ok(places
            .iter()
            .map(|&f| if f == pick { relevance[f] } else { f64::NEG_INFINITY })
            .collect())
    }
}
