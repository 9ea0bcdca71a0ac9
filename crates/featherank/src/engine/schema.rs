//! What data is like, without its rows.

use serde::{Deserialize, Serialize};

use super::tree::Merge;
use crate::data::{Dataset, FeatureId, FeatureTable, Fingerprint};

/// Features, labels and query sizes of the data behind an engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// The feature table.
    pub features: FeatureTable,
    /// Number of documents of each query.
    pub query_sizes: Vec<u32>,
    /// A number for each query that depends on its id alone, to tell queries apart wherever their rows are.
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
        SchemaPart::of(data).schema(data.features().clone())
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

/// What neighbouring queries add to a schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SchemaPart {
    query_sizes: Vec<u32>,
    query_keys: Vec<u64>,
    labels: Vec<LabelCount>,
    pairs: u64,
    without_relevant: u64,
    all_equal: u64,
    /// Whether each feature lacks a value somewhere.
    missing: Vec<bool>,
    fingerprint: Fingerprint,
}

impl SchemaPart {
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
        SchemaPart {
            query_sizes: data.queries().sizes().map(|size| size as u32).collect(),
            query_keys: (0..data.queries().len()).map(|q| data.queries().key(q)).collect(),
            labels,
            pairs,
            without_relevant,
            all_equal,
            missing: data.features().iter().map(|(f, _)| data.has_missing(f)).collect(),
            fingerprint: Fingerprint::of(data, 0..data.queries().len()),
        }
    }

    /// The schema of all data, where this is all of it.
    pub fn schema(self, features: FeatureTable) -> Schema {
        let missing = self.missing.iter().enumerate().filter(|(_, missing)| **missing);
        Schema {
            query_sizes: self.query_sizes,
            query_keys: self.query_keys,
            labels: self.labels,
            pairs: self.pairs,
            without_relevant: self.without_relevant,
            all_equal: self.all_equal,
            missing: missing.map(|(f, _)| FeatureId::from(f)).collect(),
            fingerprint: self.fingerprint.text(&features),
            features,
        }
    }
}

impl Merge for SchemaPart {
    fn merge(mut self, next: Self) -> Self {
        self.query_sizes.extend(next.query_sizes);
        self.query_keys.extend(next.query_keys);
        add_counts(&mut self.labels, &next.labels);
        self.pairs += next.pairs;
        self.without_relevant += next.without_relevant;
        self.all_equal += next.all_equal;
        self.missing.iter_mut().zip(next.missing).for_each(|(own, more)| *own |= more);
        self.fingerprint = self.fingerprint.followed_by(next.fingerprint);
        self
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
