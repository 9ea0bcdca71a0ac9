//! How often features recur in the selections of several folds.

use std::collections::BTreeMap;

use super::FoldOutcome;

/// Features and the number of folds that selected them, most frequent first, then by id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeats {
    folds: usize,
    /// Feature ids and numbers of folds.
    pub features: Vec<(u32, usize)>,
}

impl Repeats {
    /// Counts the features of folds.
    pub fn of(folds: &[FoldOutcome]) -> Self {
        let mut counts = BTreeMap::new();
        for &id in folds.iter().flat_map(|fold| &fold.features) {
            *counts.entry(id).or_insert(0) += 1;
        }
        let mut features: Vec<(u32, usize)> = counts.into_iter().collect();
        features.sort_by_key(|&(id, count)| (std::cmp::Reverse(count), id));
        Repeats { folds: folds.len(), features }
    }

    /// The number of features selected in all folds, in all but one, and so on down to one.
    pub fn by_count(&self) -> Vec<usize> {
        let chosen =
            |times: usize| self.features.iter().filter(|(_, count)| *count == times).count();
        (1..=self.folds).rev().map(chosen).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table 4 of the BestGain report: 11, 11, 11, 8, 10 on OHSUMED is one feature three times and
    /// two once.
    #[test]
    fn counts_agree_with_the_report() {
        let fold = |&id: &u32| FoldOutcome {
            fold: 1,
            settings: Vec::new(),
            valid: 0.0,
            train: Vec::new(),
            test: Vec::new(),
            features: vec![id],
            selected: None,
            borrowed: 0.0,
        };
        let repeats = Repeats::of(&[11, 11, 11, 8, 10].iter().map(fold).collect::<Vec<_>>());
        assert_eq!(repeats.by_count(), [0, 0, 1, 0, 2]);
        assert_eq!(repeats.features, [(11, 3), (8, 1), (10, 1)]);
    }
}
