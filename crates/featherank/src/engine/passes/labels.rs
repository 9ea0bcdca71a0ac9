//! Label statistics: counts, preference pairs, and queries that no ranking can improve.

use serde::{Deserialize, Serialize};

use crate::data::View;
use crate::engine::{Block, Merge, Pass};

/// Counts labels and preference pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Labels;

impl Pass for Labels {
    type Answer = LabelStatistics;
    const NAME: &'static str = "labels";
    const ACTIVITY: &'static str = "counting labels";

    fn answer(&self, block: &Block<'_>) -> LabelStatistics {
        LabelStatistics::of(block)
    }
}

/// The labels of some queries.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LabelStatistics {
    /// How many documents have each label, smallest label first.
    pub counts: Vec<LabelCount>,
    /// Preference pairs: documents of one query with different labels.
    pub pairs: u64,
    /// Queries whose labels are all 0.
    pub without_relevant: u64,
    /// Queries whose labels are all equal, so that no ranking is better than another.
    pub all_equal: u64,
}

/// A label and how often it occurs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LabelCount {
    /// The label.
    pub label: f32,
    /// Its documents.
    pub documents: u64,
}

impl LabelStatistics {
    pub(crate) fn of(block: &View<'_>) -> Self {
        block
            .labels()
            .map(LabelStatistics::of_query)
            .fold(LabelStatistics::default(), LabelStatistics::merge)
    }

    fn of_query(labels: &[f32]) -> Self {
        let mut sorted = labels.to_vec();
        sorted.sort_unstable_by(f32::total_cmp);
        let groups = sorted.chunk_by(|a, b| a == b);
        let counts: Vec<LabelCount> = groups
            .map(|group| LabelCount { label: group[0], documents: group.len() as u64 })
            .collect();
        let total = labels.len() as u64;
        let equal: u64 = counts.iter().map(|c| c.documents * (c.documents - 1) / 2).sum();
        LabelStatistics {
            pairs: total * total.saturating_sub(1) / 2 - equal,
            without_relevant: u64::from(counts.iter().all(|c| c.label == 0.0)),
            all_equal: u64::from(counts.len() < 2),
            counts,
        }
    }
}

impl Merge for LabelStatistics {
    fn merge(mut self, next: Self) -> Self {
        for count in next.counts {
            match self.counts.binary_search_by(|known| known.label.total_cmp(&count.label)) {
                Ok(at) => self.counts[at].documents += count.documents,
                Err(at) => self.counts.insert(at, count),
            }
        }
        self.pairs += next.pairs;
        self.without_relevant += next.without_relevant;
        self.all_equal += next.all_equal;
        self
    }
}
