//! BestGain's step: the value of the best merge of the chosen features' ranking with each
//! candidate's.
//!
//! Two rankings of a query are merged as by an oracle (Costa & Silva 2010, algorithm 1): of the two
//! runs that lead to the next relevant document, not counting documents already taken, the shorter
//! one comes next; at equal length that of the ranking so far. When no relevant document remains,
//! the rest keeps the order of the ranking so far. Both runs are kept while the other list
//! advances, so that a merge takes time linear in the list.
//!
//! A merge needs one order of documents. Ties are broken by the measure's rule: in the order of the
//! file, with the worst first, or, if the measure takes the expected value over all orders, in one
//! random order of each query, which depends on the documents' own values and so is the same for
//! any order of the file.

use serde::{Deserialize, Serialize};

use super::rankings::{RankPosition, Rankings};
use crate::data::{FeatureId, View};
use crate::engine::{Block, Merge, Pass, Schema, check_features};
use crate::error::{Error, Result};
use crate::measure::{Measure, RankingScratch, Ties};

/// The value of the best merge of the chosen features' rankings with each candidate's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MergeGains {
    /// The measure of merged rankings.
    pub measure: Measure,
    /// Smallest label of a relevant document.
    pub relevant_from: f32,
    /// All features of the search: the random order of tied documents depends on them.
    pub varying: Vec<FeatureId>,
    /// The features chosen so far, in order, at least one; their rankings are merged one after the
    /// other.
    pub chosen: Vec<FeatureId>,
    /// Each of these is merged with the chosen ones.
    pub candidates: Vec<FeatureId>,
}

impl Pass for MergeGains {
    type Answer = MergeSums;
    const NAME: &'static str = "merge-gains";
    const ACTIVITY: &'static str = "merging rankings";

    fn check(&self, schema: &Schema) -> Result<()> {
        self.measure.check_labels(schema.largest_label())?;
        if self.chosen.is_empty() {
            return Err(Error::invalid("number of features to merge with", 0, "at least 1"));
        }
        [&self.varying, &self.chosen, &self.candidates]
            .into_iter()
            .try_for_each(|list| check_features(schema, list))
    }

    fn answer(&self, block: &Block<'_>) -> MergeSums {
        let ties = self.measure.conventions().ties;
        let drawn_from = Some((ties, self.varying.clone(), block.queries().collect()));
        block.with_cache(|cache: &mut MergeCache| {
            if cache.drawn_from != drawn_from {
                *cache = MergeCache { drawn_from, ..MergeCache::default() };
            }
            // Half the memory if no list is longer than two bytes can count.
            if block.rows().all(|rows| rows.len() <= usize::from(u16::MAX)) {
                cache.short.step(self, block, ties)
            } else {
                cache.long.step(self, block, ties)
            }
        })
    }
}

/// Sums over queries of a measure's values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MergeSums {
    /// Queries that count.
    pub queries: u64,
    /// Of the chosen features' merged rankings.
    pub chosen: f64,
    /// Of that merged with each candidate.
    pub merged: Vec<f64>,
}

/// What a block caches between steps: every feature's ranking, and the merge of the features chosen
/// so far.
#[derive(Debug, Default)]
struct MergeCache {
    /// What rankings depend on: the rule for ties, the features that break ties, and the queries.
    drawn_from: Option<(Ties, Vec<FeatureId>, Vec<usize>)>,
    short: CachedRankings<u16>,
    long: CachedRankings<u32>,
}

#[derive(Debug, Default)]
struct CachedRankings<P> {
    rankings: Rankings<P>,
    relevant_from: f32,
    chosen: Vec<FeatureId>,
    /// The merged ranking of every query, one after the other.
    merged: Vec<P>,
}

impl MergeSums {
    /// How much each candidate adds to the chosen features.
    pub fn gains(&self, measure: &Measure) -> Vec<f64> {
        let mean = |sum: f64| measure.summary_of_mean(sum / self.queries as f64);
        let before = mean(self.chosen);
        self.merged.iter().map(|&sum| mean(sum) - before).collect()
    }
}

impl Merge for MergeSums {
    fn merge(mut self, next: Self) -> Self {
        self.queries += next.queries;
        self.chosen += next.chosen;
        self.merged.iter_mut().zip(next.merged).for_each(|(all, more)| *all += more);
        self
    }
}

impl<P: RankPosition> CachedRankings<P> {
    fn step(&mut self, pass: &MergeGains, block: &View<'_>, ties: Ties) -> MergeSums {
        if self.rankings.is_empty() {
            self.rankings = Rankings::of(block, ties, &pass.varying);
        }
        self.merge_chosen(pass, block);
        let mut gains =
            MergeSums { queries: 0, chosen: 0.0, merged: vec![0.0; pass.candidates.len()] };
        let (mut merger, mut scratch) = (Merger::default(), RankingScratch::default());
        let value = |scratch: &mut RankingScratch, labels: &[f32]| {
            pass.measure.additive_value(pass.measure.of_ranking(&scratch.in_order(labels)))
        };
        let mut start = 0;
        for rows in block.rows() {
            let labels = &block.data().labels()[rows];
            let span = start..start + labels.len();
            start = span.end;
            scratch.labels(labels);
            let best = &self.merged[span.clone()];
            merger.query(best, labels, pass.relevant_from);
            let chosen = value(&mut scratch, merger.labels_of(best));
            if chosen.is_nan() {
                continue;
            }
            gains.queries += 1;
            gains.chosen += chosen;
            for (candidate, sum) in pass.candidates.iter().zip(&mut gains.merged) {
                let ranking = &self.rankings.of_feature(*candidate)[span.clone()];
                *sum += value(&mut scratch, merger.merged_labels(best, ranking));
            }
        }
        gains
    }

    /// Merges the chosen features, starting from the last step's merge if they begin with the same
    /// features.
    fn merge_chosen(&mut self, pass: &MergeGains, block: &View<'_>) {
        if self.relevant_from != pass.relevant_from || !pass.chosen.starts_with(&self.chosen) {
            self.chosen.clear();
            self.relevant_from = pass.relevant_from;
        }
        let mut merger = Merger::default();
        for &feature in &pass.chosen[self.chosen.len()..] {
            let ranking = self.rankings.of_feature(feature);
            if self.chosen.is_empty() {
                self.merged = ranking.to_vec();
            } else {
                let mut start = 0;
                for rows in block.rows() {
                    let labels = &block.data().labels()[rows];
                    let best = &mut self.merged[start..start + labels.len()];
                    merger.query(best, labels, pass.relevant_from);
                    let mut merged = Vec::with_capacity(labels.len());
                    merger.merge(best, &ranking[start..start + labels.len()], true, |place| {
                        merged.push(place)
                    });
                    best.copy_from_slice(&merged);
                    start += labels.len();
                }
            }
            self.chosen.push(feature);
        }
    }
}

/// Merges rankings of one query after the other without new allocations.
#[derive(Default)]
struct Merger<P> {
    labels: Vec<f32>,
    relevant: Vec<bool>,
    relevant_count: usize,
    /// The label of all documents that are not relevant, if they share one: their order then makes
    /// no difference.
    rest: Option<f32>,
    place_in_best: Vec<P>,
    place_in_other: Vec<P>,
    taken: Vec<bool>,
    merged_labels: Vec<f32>,
}

/// A list, and the run of it that ends with its next relevant document.
struct Cursor<'a, P> {
    list: &'a [P],
    places: &'a [P],
    start: usize,
    end: usize,
    /// Documents of the run that are not yet taken.
    length: usize,
    found: bool,
}

impl<'a, P: RankPosition> Cursor<'a, P> {
    fn new(list: &'a [P], places: &'a [P]) -> Self {
        Cursor { list, places, start: 0, end: 0, length: 0, found: false }
    }

    /// Advances to the next relevant document that is not yet taken, if there is one.
    fn seek(&mut self, taken: &[bool], relevant: &[bool]) {
        while !self.found && self.end < self.list.len() {
            let document = self.list[self.end].get();
            self.end += 1;
            self.length += usize::from(!taken[document]);
            self.found = relevant[document] && !taken[document];
        }
    }

    /// The other list took a document.
    fn lose(&mut self, document: usize, relevant: bool) {
        let place = self.places[document].get();
        if (self.start..self.end).contains(&place) {
            self.length -= 1;
            self.found &= !relevant;
        }
    }
}

impl<P: RankPosition> Merger<P> {
    /// Prepares for the query with these labels, whose ranking so far is `best`.
    fn query(&mut self, best: &[P], labels: &[f32], relevant_from: f32) {
        self.labels.clear();
        self.labels.extend_from_slice(labels);
        self.relevant.clear();
        self.relevant.extend(labels.iter().map(|&label| label >= relevant_from));
        self.relevant_count = self.relevant.iter().filter(|&&relevant| relevant).count();
        let mut others = labels.iter().filter(|&&label| label < relevant_from);
        let first = others.next().copied().unwrap_or(0.0);
        self.rest = others.all(|&label| label == first).then_some(first);
        invert(best, &mut self.place_in_best);
    }

    fn labels_of(&mut self, ranking: &[P]) -> &[f32] {
        self.merged_labels.clear();
        self.merged_labels.extend(ranking.iter().map(|place| self.labels[place.get()]));
        &self.merged_labels
    }

    /// The labels of the merged ranking.
    fn merged_labels(&mut self, best: &[P], other: &[P]) -> &[f32] {
        let mut merged = std::mem::take(&mut self.merged_labels);
        let labels = std::mem::take(&mut self.labels);
        merged.clear();
        self.merge(best, other, self.rest.is_none(), |place| merged.push(labels[place.get()]));
        merged.resize(best.len(), self.rest.unwrap_or(0.0));
        (self.merged_labels, self.labels) = (merged, labels);
        &self.merged_labels
    }

    /// Emits the merged ranking; without its tail, the documents after the last relevant one are
    /// left out.
    fn merge(&mut self, best: &[P], other: &[P], with_tail: bool, mut emit: impl FnMut(P)) {
        self.taken.clear();
        self.taken.resize(best.len(), false);
        invert(other, &mut self.place_in_other);
        let mut ours = Cursor::new(best, &self.place_in_best);
        let mut theirs = Cursor::new(other, &self.place_in_other);
        for _ in 0..self.relevant_count {
            ours.seek(&self.taken, &self.relevant);
            theirs.seek(&self.taken, &self.relevant);
            let (from, to) = if ours.length <= theirs.length {
                (&mut ours, &mut theirs)
            } else {
                (&mut theirs, &mut ours)
            };
            for &place in &from.list[from.start..from.end] {
                let document = place.get();
                if !self.taken[document] {
                    self.taken[document] = true;
                    emit(place);
                    to.lose(document, self.relevant[document]);
                }
            }
            (from.start, from.length, from.found) = (from.end, 0, false);
        }
        if with_tail {
            best.iter().filter(|place| !self.taken[place.get()]).for_each(|&place| emit(place));
        }
    }
}

/// The place of every document in a ranking.
fn invert<P: RankPosition>(ranking: &[P], places: &mut Vec<P>) {
    places.resize(ranking.len(), P::new(0));
    ranking.iter().enumerate().for_each(|(place, document)| places[document.get()] = P::new(place));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Algorithm 1 to the letter: look for the next relevant document in both lists each time.
    fn merged_slowly(best: &[u16], other: &[u16], relevant: &[bool]) -> Vec<u16> {
        let mut merged: Vec<u16> = Vec::new();
        let run = |list: &[u16], merged: &[u16]| {
            let unseen: Vec<u16> = list.iter().copied().filter(|d| !merged.contains(d)).collect();
            let last = unseen.iter().position(|&d| relevant[usize::from(d)])?;
            Some(unseen[..=last].to_vec())
        };
        loop {
            let next = match (run(best, &merged), run(other, &merged)) {
                (Some(ours), Some(theirs)) if ours.len() <= theirs.len() => ours,
                (_, Some(theirs)) => theirs,
                (Some(ours), None) => ours,
                (None, None) => break,
            };
            merged.extend(next);
        }
        let rest: Vec<u16> = best.iter().copied().filter(|d| !merged.contains(d)).collect();
        merged.extend(rest);
        merged
    }

    fn merge(best: &[u16], other: &[u16], relevant: &[bool]) -> Vec<u16> {
        let labels: Vec<f32> =
            relevant.iter().map(|&relevant| f32::from(u8::from(relevant))).collect();
        let mut merger = Merger::default();
        merger.query(best, &labels, 1.0);
        let mut merged = Vec::new();
        merger.merge(best, other, true, |document| merged.push(document));
        merged
    }

    /// Documents a to g, of which b, e and f are relevant: abcdefg and gfdaebc make abgfdec.
    #[test]
    fn merges_the_worked_example() {
        let relevant = [false, true, false, false, true, true, false];
        assert_eq!(
            merge(&[0, 1, 2, 3, 4, 5, 6], &[6, 5, 3, 0, 4, 1, 2], &relevant),
            [0, 1, 6, 5, 3, 4, 2]
        );
        let best = [3, 1, 0, 2, 6, 5, 4];
        assert_eq!(merge(&best, &best, &relevant), best, "a copy changes nothing");
    }

    proptest! {
        #[test]
        fn merges_as_the_paper_writes_it(
            lists in (1usize..40).prop_flat_map(|n| {
                let list = Just((0..n as u16).collect::<Vec<u16>>()).prop_shuffle();
                (list.clone(), list, prop::collection::vec(prop::bool::weighted(0.3), n))
            }),
        ) {
            let (best, other, relevant) = lists;
            prop_assert_eq!(merge(&best, &other, &relevant), merged_slowly(&best, &other, &relevant));
        }
    }
}
