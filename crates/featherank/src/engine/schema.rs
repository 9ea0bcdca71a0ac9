//! The schema: what is known about data without its rows.

use serde::{Deserialize, Serialize};

use super::Merge;
use super::passes::{LabelCount, LabelStatistics};
use crate::data::{Dataset, FeatureId, FeatureTable, Fingerprint};
use crate::measure::LabelFrequency;

/// Features, labels and query sizes of the data behind an engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// The feature table.
    pub features: FeatureTable,
    /// Number of documents of each query.
    pub query_sizes: Vec<u32>,
    /// A number for each query that depends on its id alone, and so is the same in every process.
    pub query_keys: Vec<u64>,
    /// The id of each query; empty if the data came without ids.
    pub query_ids: Vec<String>,
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
    /// Identifies the data of a saved selection.
    pub fingerprint: String,
}

impl Schema {
    /// The schema of data in memory.
    pub fn of(data: &Dataset) -> Self {
        SchemaPart::of(data).schema(data.features().clone())
    }

    /// A schema without queries: what a shard checks requests against.
    #[cfg(feature = "shards")]
    pub(crate) fn of_features(features: FeatureTable) -> Self {
        Schema {
            features,
            query_sizes: Vec::new(),
            query_keys: Vec::new(),
            query_ids: Vec::new(),
            labels: Vec::new(),
            pairs: 0,
            without_relevant: 0,
            all_equal: 0,
            missing: Vec::new(),
            fingerprint: String::new(),
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

    /// The id of a query, or its key if the data came without ids.
    pub fn query_id(&self, query: usize) -> String {
        let key = || {
            self.query_keys
                .get(query)
                .map_or_else(|| query.to_string(), |key| format!("{key:016x}"))
        };
        self.query_ids.get(query).cloned().unwrap_or_else(key)
    }

    /// Queries with documents of different relevance.
    pub fn informative(&self) -> usize {
        self.queries().saturating_sub(self.all_equal as usize)
    }

    /// The same features with the queries at these places only, whose labels are given.
    pub(crate) fn restricted(&self, places: &[usize], labels: LabelStatistics) -> Schema {
        let LabelStatistics { counts, pairs, without_relevant, all_equal } = labels;
        let own = places.iter().fold(0u64, |sum, &q| sum.wrapping_add(self.query_keys[q]));
        Schema {
            features: self.features.clone(),
            query_sizes: places.iter().map(|&q| self.query_sizes[q]).collect(),
            query_keys: places.iter().map(|&q| self.query_keys[q]).collect(),
            query_ids: places.iter().filter_map(|&q| self.query_ids.get(q).cloned()).collect(),
            labels: counts,
            pairs,
            without_relevant,
            all_equal,
            missing: self.missing.clone(),
            fingerprint: format!("{} at queries {own:016x}", self.fingerprint),
        }
    }

    /// These queries, followed by those of other data with the same features.
    pub(super) fn joined(&self, next: &Schema) -> Schema {
        let labels = |schema: &Schema| LabelStatistics {
            counts: schema.labels.clone(),
            pairs: schema.pairs,
            without_relevant: schema.without_relevant,
            all_equal: schema.all_equal,
        };
        let LabelStatistics { counts, pairs, without_relevant, all_equal } =
            labels(self).merge(labels(next));
        let all_have_ids =
            self.query_ids.len() == self.queries() && next.query_ids.len() == next.queries();
        let query_ids =
            if all_have_ids { [&self.query_ids[..], &next.query_ids].concat() } else { Vec::new() };
        let mut missing = [&self.missing[..], &next.missing].concat();
        missing.sort_unstable();
        missing.dedup();
        Schema {
            features: self.features.clone(),
            query_sizes: [&self.query_sizes[..], &next.query_sizes].concat(),
            query_keys: [&self.query_keys[..], &next.query_keys].concat(),
            query_ids,
            labels: counts,
            pairs,
            without_relevant,
            all_equal,
            missing,
            fingerprint: format!("{} and {}", self.fingerprint, next.fingerprint),
        }
    }

    /// Each label and its number of documents, smallest label first.
    pub fn label_frequencies(&self) -> Vec<LabelFrequency> {
        self.labels.iter().map(|count| (count.label, count.documents)).collect()
    }

    /// The largest label.
    pub fn largest_label(&self) -> f32 {
        self.labels.last().map_or(0.0, |c| c.label)
    }
}

/// The contribution of neighbouring queries to a schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SchemaPart {
    query_sizes: Vec<u32>,
    query_keys: Vec<u64>,
    query_ids: Vec<String>,
    labels: LabelStatistics,
    /// Whether each feature lacks a value somewhere.
    missing: Vec<bool>,
    fingerprint: Fingerprint,
}

impl SchemaPart {
    pub fn of(data: &Dataset) -> Self {
        SchemaPart {
            query_sizes: data.queries().sizes().map(|size| size as u32).collect(),
            query_keys: (0..data.queries().len()).map(|q| data.queries().key(q)).collect(),
            query_ids: data.queries().ids().to_vec(),
            labels: LabelStatistics::of(&data.view()),
            missing: data.features().iter().map(|(f, _)| data.has_missing(f)).collect(),
            fingerprint: Fingerprint::of(data, 0..data.queries().len()),
        }
    }

    /// The schema, if this is all data.
    pub fn schema(self, features: FeatureTable) -> Schema {
        let missing = self.missing.iter().enumerate().filter(|(_, missing)| **missing);
        let LabelStatistics { counts, pairs, without_relevant, all_equal } = self.labels;
        Schema {
            query_sizes: self.query_sizes,
            query_keys: self.query_keys,
            query_ids: self.query_ids,
            labels: counts,
            pairs,
            without_relevant,
            all_equal,
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
        self.query_ids.extend(next.query_ids);
        self.labels = self.labels.merge(next.labels);
        self.missing.iter_mut().zip(next.missing).for_each(|(own, more)| *own |= more);
        self.fingerprint = self.fingerprint.followed_by(next.fingerprint);
        self
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
        let data = Dataset::new(
            vec![0.; 6],
            labels,
            Queries::from_sizes(&[4, 2]),
            FeatureTable::numbered(1, 1),
        );
        let schema = Schema::of(&data);
        assert_eq!((schema.pairs, schema.without_relevant, schema.all_equal), (5, 1, 1));
        assert_eq!(
            schema.labels.iter().map(|c| (c.label, c.documents)).collect::<Vec<_>>(),
            [(0., 4), (1., 1), (2., 1)]
        );
        assert_eq!((schema.documents(), schema.queries(), schema.largest_label()), (6, 2, 2.0));
    }
}
