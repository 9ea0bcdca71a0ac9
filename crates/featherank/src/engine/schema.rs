//! What data is like, without its rows.

use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use crate::data::{Dataset, FeatureId, FeatureTable};
use crate::random::{Purpose, stream};

/// Features, labels and query sizes of the data behind an engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// The feature table.
    pub features: FeatureTable,
    /// Number of documents of each query.
    pub query_sizes: Vec<u32>,
    /// A number for each query that depends on its id alone, to tell queries apart wherever their rows are.
    #[serde(default)]
    pub query_keys: Vec<u64>,
    /// How many documents have each label, smallest label first.
    pub labels: Vec<LabelCount>,
    /// Preference pairs: documents of one query with different labels.
    pub pairs: u64,
    /// Queries whose labels are all 0.
    pub without_relevant: u64,
    /// Queries whose labels are all equal, so that no ranking is better than another.
    pub all_equal: u64,
    /// Features that some document lacks.
    #[serde(default)]
    pub missing: Vec<FeatureId>,
    /// Ties a saved selection to its data.
    pub fingerprint: String,
}

/// A label and how often it occurs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LabelCount {
    /// The label.
    pub label: f32,
    /// Its documents.
    pub documents: u64,
}

impl Schema {
    /// The schema of data in memory.
    pub fn of(data: &Dataset) -> Self {
        let (mut pairs, mut without_relevant, mut all_equal) = (0, 0, 0);
        let mut labels: Vec<LabelCount> = Vec::new();
        for rows in data.queries().iter() {
            let counts = count_labels(&data.labels()[rows]);
            let total: u64 = counts.iter().map(|c| c.documents).sum();
            let equal: u64 = counts.iter().map(|c| c.documents * (c.documents - 1) / 2).sum();
            pairs += total * total.saturating_sub(1) / 2 - equal;
            without_relevant += u64::from(counts.iter().all(|c| c.label == 0.0));
            all_equal += u64::from(counts.len() < 2);
            add_counts(&mut labels, &counts);
        }
        let query_sizes = data.queries().sizes().map(|size| size as u32).collect();
        let features = data.features().clone();
        let missing = features.iter().map(|(f, _)| f).filter(|&f| data.has_missing(f)).collect();
        Schema {
            features,
            query_sizes,
            query_keys: (0..data.queries().len()).map(|q| data.queries().key(q)).collect(),
            labels,
            pairs,
            without_relevant,
            all_equal,
            missing,
            fingerprint: data.fingerprint(),
        }
    }

    /// Number of documents.
    pub fn documents(&self) -> u64 {
        self.query_sizes.iter().map(|&size| u64::from(size)).sum()
    }

    /// Number of queries.
    pub fn queries(&self) -> usize {
        self.query_sizes.len()
    }

    /// The largest label.
    pub fn largest_label(&self) -> f32 {
        self.labels.last().map_or(0.0, |c| c.label)
    }
}

fn count_labels(labels: &[f32]) -> Vec<LabelCount> {
    let mut sorted = labels.to_vec();
    sorted.sort_unstable_by(f32::total_cmp);
    let groups = sorted.chunk_by(|a, b| a == b);
    groups.map(|group| LabelCount { label: group[0], documents: group.len() as u64 }).collect()
}

fn add_counts(total: &mut Vec<LabelCount>, counts: &[LabelCount]) {
    for count in counts {
        match total.binary_search_by(|known| known.label.total_cmp(&count.label)) {
            Ok(at) => total[at].documents += count.documents,
            Err(at) => total.insert(at, *count),
        }
    }
}

/// The part of each query, by the queries' keys: the order of the data has no say.
pub(crate) fn deal(keys: &[u64], parts: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&q| keys[q]);
    order.shuffle(&mut stream(seed, Purpose::Folds, 0));
    let mut of_query = vec![0; keys.len()];
    order.iter().enumerate().for_each(|(place, &q)| of_query[q] = place % parts);
    of_query
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Queries;

    /// Query 1: labels 2, 0, 1, 0 → pairs 2>0 2>1 2>0 1>0 1>0 = 5. Query 2: 0, 0 → none.
    #[test]
    fn counts_pairs_and_labels() {
        let labels = vec![2., 0., 1., 0., 0., 0.];
        let data =
            Dataset::new(vec![0.; 6], labels, Queries::from_sizes(&[4, 2]), FeatureTable::numbered(1, 1));
        let schema = Schema::of(&data);
        assert_eq!((schema.pairs, schema.without_relevant, schema.all_equal), (5, 1, 1));
        assert_eq!(
            schema.labels.iter().map(|c| (c.label, c.documents)).collect::<Vec<_>>(),
            [(0., 4), (1., 1), (2., 1)]
        );
        assert_eq!((schema.documents(), schema.queries(), schema.largest_label()), (6, 2, 2.0));
    }
}
