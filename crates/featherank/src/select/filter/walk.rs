//! Feature-to-feature walks: the part that NGAS and XGAS share.
//!
//! A walk starts at the most relevant feature; a rule chooses the next feature from the last one.

use super::redundancy::RelevanceAndRedundancy;
use crate::data::FeatureId;
use crate::engine::Schema;
use crate::error::Result;
use crate::run::Run;
use crate::select::Selection;
use crate::select::forward::{Criterion, forward};

/// Walks over all features. `next` is given the place of the last feature and the places that are
/// left, never none, by column.
pub(super) fn walk(
    run: &Run,
    schema: &Schema,
    facts: &RelevanceAndRedundancy,
    next: impl Fn(usize, &[usize]) -> usize,
) -> Result<Selection> {
    forward(run, schema, &facts.features, &facts.dead, &mut Walk { facts, next })
}

struct Walk<'a, F> {
    facts: &'a RelevanceAndRedundancy,
    next: F,
}

impl<F: Fn(usize, &[usize]) -> usize> Criterion for Walk<'_, F> {
    /// The relevance of the feature to pick; the walk does not compare the others.
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
