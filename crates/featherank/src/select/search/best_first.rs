//! Best-first search: hill climbing with backtracking.
//!
//! Each step expands the best subset that was not expanded yet: every feature in turn is added to
//! it, and the results are added to a short list. The search ends when a number of consecutive
//! expansions, its patience, have found nothing better, or when the list is empty. It follows
//! WEKA's `BestFirstSearch` in forward direction: the list holds as many subsets as the patience, a
//! new subset is placed after others of equal merit, and "better" means by more than 1e-5.
//!
//! One rule is up to the caller. WEKA's comments say that a subset is never listed twice, but its
//! code lists a subset again each time it is found, which uses up patience; `revisits` selects the
//! rule.

use std::collections::HashMap;

use crate::data::FeatureId;
use crate::error::Result;
use crate::run::Run;
use crate::select::forward::Criterion;

/// The smallest increase of merit that counts as better.
const BETTER: f64 = 1e-5;

/// The merit of subsets: the score of a candidate is the merit of the subset with it.
pub trait SubsetMerit: Criterion {
    /// The merit of a subset; higher is better.
    fn merit(&mut self, subset: &[FeatureId]) -> Result<f64>;
}

/// The parameters of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BestFirstSearch {
    /// The number of expansions without a better subset after which the search ends; at least 1.
    pub patience: usize,
    /// Whether a subset that is found again is listed again.
    pub revisits: bool,
}

/// The best subset of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundSubset {
    /// Its features: those of the start, then in the order they were added.
    pub subset: Vec<FeatureId>,
    /// Its merit.
    pub merit: f64,
}

impl BestFirstSearch {
    /// Searches from `start`, adding candidates, which are tried in the order given.
    pub fn search(
        &self,
        run: &Run,
        start: &[FeatureId],
        candidates: &[FeatureId],
        merit: &mut dyn SubsetMerit,
    ) -> Result<FoundSubset> {
        let mut best = FoundSubset { subset: start.to_vec(), merit: merit.merit(start)? };
        let mut known = HashMap::from([(key(start), best.merit)]);
        let mut open = vec![best.clone()];
        let (mut stale, mut expansions) = (0, 0);
        while stale < self.patience && !open.is_empty() {
            let node = open.remove(0);
            let others = candidates.iter().copied().filter(|f| !node.subset.contains(f));
            let neighbours: Vec<Vec<FeatureId>> =
                others.map(|f| [&node.subset[..], &[f]].concat()).collect();
            let is_new: Vec<bool> =
                neighbours.iter().map(|s| !known.contains_key(&key(s))).collect();
            let unknown = neighbours.iter().zip(&is_new).filter(|(_, is_new)| **is_new);
            let new: Vec<FeatureId> =
                unknown.filter_map(|(subset, _)| subset.last().copied()).collect();
            let mut merits = merit.scores(&node.subset, &new)?.into_iter();
            stale += 1;
            for (subset, is_new) in neighbours.into_iter().zip(is_new) {
                if !is_new && !self.revisits {
                    continue;
                }
                let merit = *known
                    .entry(key(&subset))
                    .or_insert_with(|| merits.next().unwrap_or(f64::NEG_INFINITY));
                let found = FoundSubset { subset, merit };
                if found.merit - best.merit > BETTER {
                    best = found.clone();
                    stale = 0;
                }
                let place =
                    open.iter().position(|other| found.merit > other.merit).unwrap_or(open.len());
                open.insert(place, found);
                open.truncate(self.patience);
            }
            expansions += 1;
            run.step("searching subsets", expansions, None)?;
        }
        Ok(best)
    }
}

/// A subset, independent of the order of its features.
fn key(subset: &[FeatureId]) -> Vec<FeatureId> {
    let mut key = subset.to_vec();
    key.sort_unstable();
    key
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::run::Constraints;

    /// Merits from a table, and a record of the expanded subsets.
    struct TableMerit {
        merits: HashMap<Vec<FeatureId>, f64>,
        expanded: Vec<Vec<FeatureId>>,
    }

    impl SubsetMerit for TableMerit {
        fn merit(&mut self, subset: &[FeatureId]) -> Result<f64> {
            Ok(self.merits[&key(subset)])
        }
    }

    impl Criterion for TableMerit {
        fn scores(&mut self, subset: &[FeatureId], added: &[FeatureId]) -> Result<Vec<f64>> {
            self.expanded.push(key(subset));
            added.iter().map(|&f| self.merit(&[subset, &[f]].concat())).collect()
        }
    }

    fn subset(text: &str) -> Vec<FeatureId> {
        text.split(',')
            .filter(|id| !id.is_empty())
            .map(|id| FeatureId(id.parse().unwrap()))
            .collect()
    }

    fn fixture() -> (TableMerit, Value) {
        let all: Value =
            serde_json::from_str(include_str!("../../../tests/fixtures/other_fs.json")).unwrap();
        let bfs = all["bfs"].clone();
        let values = bfs["values"].as_object().unwrap().iter();
        let merits = values.map(|(text, merit)| (subset(text), merit.as_f64().unwrap())).collect();
        (TableMerit { merits, expanded: Vec::new() }, bfs)
    }

    fn search(table: &mut TableMerit, revisits: bool) -> FoundSubset {
        let how = BestFirstSearch { patience: 5, revisits };
        how.search(&Run::new(0, Constraints::default()), &[], &subset("0,1,2"), table).unwrap()
    }

    #[test]
    fn expands_as_the_fixture_does() {
        let (mut table, bfs) = fixture();
        let found = search(&mut table, false);
        assert_eq!(found.subset, subset(bfs["best"][0].as_str().unwrap()));
        assert_eq!(found.merit, bfs["best"][1].as_f64().unwrap());
        let trace = bfs["trace"].as_array().unwrap().iter();
        let expected: Vec<_> =
            trace.map(|step| subset(step["expanded"].as_str().unwrap())).collect();
        assert_eq!(table.expanded, expected);
    }

    /// By hand: after {0,2} the whole set (.38) is first in the list; expanding {0,1} lists it
    /// again, which leaves no patience for {1,2}.
    #[test]
    fn revisits_spend_patience() {
        let (mut table, _) = fixture();
        let found = search(&mut table, true);
        assert_eq!(found.subset, subset("0,2"));
        let expected = ["", "0", "0,2", "0,1,2", "0,1", "0,1,2", "1"].map(subset);
        assert_eq!(table.expanded, expected);
    }
}
