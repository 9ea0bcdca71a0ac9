//! Consistency: a small set of features under which documents with equal values have the same
//! label.
//!
//! Dash, Liu & Motoda, PAKDD 2000. Features are discretised (`discrete/`). Documents with the same
//! intervals in all features of a set form a group; those outside the largest class of their group
//! are inconsistent, and the merit of the set is 1 minus their share of all documents. Adding
//! features never decreases the merit, so no set has a higher merit than the full set; the method
//! looks for a small set with almost the same merit.
//!
//! There are two searches. `best-first` runs forward from the kept features, or from the empty set,
//! as WEKA's `ConsistencySubsetEval` with `BestFirst` does, which is what Costa & Silva (2010) ran.
//! One departure: if the search ends with no feature, because no single feature changes a majority,
//! it restarts from the shortest greedy sequence of features that does. `backward` is what their
//! text describes: all features are visited once, in ascending order of their uncertainty with the
//! class, and a feature is removed if the merit stays that of the full set. The result is minimal:
//! removing any of its features would decrease the merit.
//!
//! On the path, the remaining features follow in the order in which each increases the merit most.

use rayon::prelude::*;

use super::discrete::Discrete;
use super::discrete::groups::Groups;
use super::discrete::uncertainty::Uncertainties;
use super::interact::eliminate;
use crate::data::FeatureId;
use crate::declare::{choice, method};
use crate::engine::Engine;
use crate::error::Result;
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::forward::{Criterion, extend};
use crate::select::search::{BestFirstSearch, SubsetMerit};
use crate::select::shared_params::{encoding_param, patience_param};
use crate::select::{Findings, Selector};

method! {
    /// Small feature set under which documents with the same discretised values have the same
    /// label.
    pub struct Consistency: Selector as "consistency" in Filter,
        cites ["dash2000", "fayyad1993", "costa2010"], AsPublished, Rows
    {
        /// Best-first search forward from the empty set, or backward elimination from all features.
        search: Choice<ConsistencySearch> = "best-first",
        use patience_param!();
        use encoding_param!();
    }
}

choice! {
    /// Where a search starts.
    pub enum ConsistencySearch {
        /// From no feature towards more.
        BestFirst = "best-first",
        /// From all features towards fewer.
        Backward = "backward",
    }
}

impl Selector for Consistency {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let candidates = Candidates::of(run, engine)?;
        let data = Discrete::of(run, engine, &candidates.all(), self.encoding)?;
        let mut merit = ConsistencyMerit::of(&data);
        let total = candidates.all().len();
        let chosen = match self.search {
            ConsistencySearch::BestFirst => self.best_first(run, &candidates, &mut merit)?,
            ConsistencySearch::Backward => {
                let found = backward(run, &candidates, &data)?;
                extend(run, &[], &found, total, &mut merit)?
            }
        };
        let set: Vec<FeatureId> = chosen.iter().map(|(f, _)| *f).collect();
        let rest = extend(run, &set, &candidates.without(&set), total, &mut merit)?;
        candidates.select(run, engine, &chosen, &rest)
    }
}

impl Consistency {
    fn best_first(
        &self,
        run: &Run,
        candidates: &Candidates,
        merit: &mut ConsistencyMerit<'_>,
    ) -> Result<Vec<(FeatureId, f64)>> {
        let search = BestFirstSearch { patience: self.patience, revisits: true };
        let mut found = search.search(run, &candidates.keep, &candidates.free, merit)?.subset;
        if found.is_empty() {
            let start = shortest_start(run, &candidates.free, merit)?;
            found = search.search(run, &start, &candidates.free, merit)?.subset;
        }
        (1..=found.len()).map(|size| Ok((found[size - 1], merit.merit(&found[..size])?))).collect()
    }
}

/// The features that remain after removing every feature whose removal makes no document
/// inconsistent.
fn backward(run: &Run, candidates: &Candidates, data: &Discrete) -> Result<Vec<FeatureId>> {
    let mut order =
        Uncertainties::of(data).ranked(&[&candidates.keep[..], &candidates.free].concat());
    order.reverse();
    let half_a_document = 0.5 / data.documents().max(1) as f64;
    let stayed = eliminate(run, data, &order, &candidates.keep, half_a_document)?.stayed;
    Ok(stayed.into_iter().map(|(f, _)| f).collect())
}

/// The shortest greedy sequence of features under which some document becomes consistent.
fn shortest_start(
    run: &Run,
    free: &[FeatureId],
    merit: &mut ConsistencyMerit<'_>,
) -> Result<Vec<FeatureId>> {
    let without = merit.merit(&[])?;
    // Not the choice that the user waits for.
    let order = extend(&run.quiet(), &[], free, free.len(), merit)?;
    let needed = order.iter().position(|(_, with)| *with > without).map_or(0, |last| last + 1);
    Ok(order[..needed].iter().map(|(f, _)| *f).collect())
}

/// The consistency of sets of features.
pub struct ConsistencyMerit<'a> {
    data: &'a Discrete,
    /// The last set and its groups, cached: a search usually extends this set.
    subset: Vec<FeatureId>,
    groups: Groups<'a>,
}

impl<'a> ConsistencyMerit<'a> {
    /// For discrete data.
    pub fn of(data: &'a Discrete) -> Self {
        ConsistencyMerit { data, subset: Vec::new(), groups: Groups::undivided(data) }
    }

    fn groups(&mut self, subset: &[FeatureId]) -> &Groups<'a> {
        if !subset.starts_with(&self.subset) {
            (self.subset, self.groups) = (Vec::new(), Groups::undivided(self.data));
        }
        for &feature in &subset[self.subset.len()..] {
            self.groups = self.groups.divided_by(feature);
            self.subset.push(feature);
        }
        &self.groups
    }

    fn share(&self, inconsistent: u64) -> f64 {
        1.0 - inconsistent as f64 / self.data.documents().max(1) as f64
    }
}

impl SubsetMerit for ConsistencyMerit<'_> {
    fn merit(&mut self, subset: &[FeatureId]) -> Result<f64> {
        let inconsistent = self.groups(subset).inconsistent();
        Ok(self.share(inconsistent))
    }
}

impl Criterion for ConsistencyMerit<'_> {
    fn scores(&mut self, subset: &[FeatureId], added: &[FeatureId]) -> Result<Vec<f64>> {
        let groups = self.groups(subset);
        let inconsistent: Vec<u64> =
            added.par_iter().map(|&f| groups.inconsistent_with(f)).collect();
        Ok(inconsistent.into_iter().map(|count| self.share(count)).collect())
    }
}
