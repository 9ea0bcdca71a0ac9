//! Inspection of ranking data: what to know before selecting features.
//!
//! [`inspect()`] counts queries, documents and labels, finds features that cannot rank or that
//! repeat others, and ranks by each feature alone.

mod file_order;
mod near_duplicates;

use serde::Serialize;

use crate::data::{Feature, FeatureId};
use crate::engine::passes::{FeatureStatistics, Moments, feature_means};
use crate::engine::{Ask, Engine, LabelCount, Schema};
use crate::error::{Error, Result};
use crate::measure::{Measure, Ties};
pub use file_order::ConstantScore;
use near_duplicates::NearDuplicates;

/// The result of `featherank inspect`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Inspection {
    /// Number of queries.
    pub queries: usize,
    /// Number of documents.
    pub documents: u64,
    /// Number of features.
    pub features: usize,
    /// Documents by label.
    pub labels: Vec<LabelCount>,
    /// Preference pairs.
    pub pairs: u64,
    /// Queries without a relevant document.
    pub queries_without_relevant: u64,
    /// Queries whose labels are all equal.
    pub queries_all_equal: u64,
    /// Lengths of the result lists.
    pub query_sizes: QuerySizes,
    /// Features constant over all documents.
    pub constant: Vec<Feature>,
    /// Features constant within every query, but not over all documents: only trees can use them.
    pub query_level: Vec<Feature>,
    /// Groups of features with equal columns.
    pub duplicates: Vec<Vec<Feature>>,
    /// Pairs of features without missing values that vary within queries, whose columns differ but
    /// correlate at least as much as requested; the most similar 10,000 of them.
    pub near_duplicates: Vec<NearDuplicate>,
    /// The number of all such pairs.
    pub near_duplicate_pairs: usize,
    /// Whether near-duplicates were searched for: in very wide data they are not.
    pub compared: bool,
    /// The value of a score that is the same for all documents.
    pub constant_score: Vec<ConstantScore>,
    /// Facts about each feature.
    pub per_feature: Vec<FeatureFacts>,
}

/// Lengths of the result lists.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QuerySizes {
    /// Shortest list.
    pub min: u32,
    /// Median length.
    pub median: u32,
    /// Mean length.
    pub mean: f64,
    /// Longest list.
    pub max: u32,
    /// The number of lists in each range of lengths.
    pub histogram: Vec<SizeSpan>,
}

/// A bar of the histogram of list lengths.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SizeSpan {
    /// Shortest length of the bar.
    pub from: u32,
    /// Longest length of the bar.
    pub to: u32,
    /// Queries in it.
    pub queries: usize,
}

/// Two features that are nearly equal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NearDuplicate {
    /// The first of the two.
    pub a: Feature,
    /// The second.
    pub b: Feature,
    /// Pearson correlation over all documents.
    pub correlation: f64,
}

/// Facts about one feature.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FeatureFacts {
    /// The feature.
    #[serde(flatten)]
    pub feature: Feature,
    /// Documents without a value. They are excluded from the statistics below and rank last when
    /// the feature ranks alone.
    pub missing: u64,
    /// Smallest value.
    pub min: f32,
    /// Largest value.
    pub max: f32,
    /// Mean over documents.
    pub mean: f64,
    /// Standard deviation over documents.
    pub deviation: f64,
    /// Share of values that are 0.
    pub zeros: f64,
    /// Share of queries in which it has more than one value.
    pub varying: f64,
    /// Effectiveness as the only feature, by measure, with the expected value over ties.
    pub alone: Vec<f64>,
}

/// Returns an error for a least correlation of near-duplicates that is out of range.
pub fn check_near(near: f64) -> Result<()> {
    match (0.0..=1.0).contains(&near) {
        true => Ok(()),
        false => Err(Error::invalid("correlation", near, "a number from 0 to 1")),
    }
}

/// Inspects the data of an engine. `near` is the least correlation of near-duplicates.
pub fn inspect(engine: &dyn Engine, measures: &[Measure], near: f64) -> Result<Inspection> {
    check_near(near)?;
    let schema = engine.schema();
    let moments = engine.ask(&Moments)?;
    let feature = |f: FeatureId| schema.features.get(f).clone();
    let all: Vec<FeatureId> = (0..schema.features.len()).map(FeatureId::from).collect();
    let of = |f: &FeatureId| &moments.features[f.index()];
    let complete: Vec<FeatureId> = all
        .iter()
        .copied()
        .filter(|f| !of(f).is_constant_within_queries() && of(f).missing == 0)
        .collect();
    let listed = |keep: &dyn Fn(&FeatureId) -> bool| {
        schema.features.by_id().into_iter().filter(keep).map(feature).collect()
    };
    let duplicates = moments.duplicates(&all);
    let compared = near_duplicates::are_searched(complete.len(), schema.documents());
    let near_duplicates = match compared {
        true => near_duplicates::find(engine, &complete, &moments, near)?,
        false => NearDuplicates { closest: Vec::new(), pairs: 0 },
    };
    let per_feature = per_feature(engine, schema, &moments, measures, &all)?;
    // Last, because it is a stage, which hides the passes that follow it.
    let constant_score = file_order::constant_scores(engine, measures)?;
    Ok(Inspection {
        queries: schema.queries(),
        documents: schema.documents(),
        features: schema.features.len(),
        labels: schema.labels.clone(),
        pairs: schema.pairs,
        queries_without_relevant: schema.without_relevant,
        queries_all_equal: schema.all_equal,
        query_sizes: query_sizes(&schema.query_sizes),
        constant: listed(&|f| of(f).is_constant()),
        query_level: listed(&|f| of(f).is_query_level()),
        near_duplicates: near_duplicates.closest,
        near_duplicate_pairs: near_duplicates.pairs,
        compared,
        duplicates: duplicates
            .iter()
            .map(|group| group.iter().map(|&f| feature(f)).collect())
            .collect(),
        constant_score,
        per_feature,
    })
}

fn query_sizes(sizes: &[u32]) -> QuerySizes {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable();
    let (min, max) = (sorted.first().copied().unwrap_or(0), sorted.last().copied().unwrap_or(0));
    // Ranges double in width, so that lists of 5 and of 1,000 documents fit into one histogram.
    let mut histogram = Vec::new();
    let (mut from, mut to) = (1u32, 4u32);
    while from <= max {
        let queries = sorted.iter().filter(|&&size| (from..=to).contains(&size)).count();
        if queries > 0 || !histogram.is_empty() {
            histogram.push(SizeSpan { from, to, queries });
        }
        (from, to) = (to + 1, to.saturating_mul(2).max(to + 1));
    }
    QuerySizes {
        min,
        median: sorted.get(sorted.len() / 2).copied().unwrap_or(0),
        mean: sorted.iter().map(|&size| f64::from(size)).sum::<f64>() / sorted.len().max(1) as f64,
        max,
        histogram,
    }
}

fn per_feature(
    engine: &dyn Engine,
    schema: &Schema,
    moments: &FeatureStatistics,
    measures: &[Measure],
    all: &[FeatureId],
) -> Result<Vec<FeatureFacts>> {
    let expected = measures.iter().map(|measure| measure.clone().with_ties(Ties::Expected));
    let alone: Vec<Vec<f64>> =
        expected.map(|measure| feature_means(engine, &measure, all)).collect::<Result<_>>()?;
    let facts = |&f: &FeatureId| {
        let m = &moments.features[f.index()];
        FeatureFacts {
            feature: schema.features.get(f).clone(),
            missing: m.missing,
            // A feature without any value has no range.
            min: if m.count > 0 { m.min } else { f32::NAN },
            max: if m.count > 0 { m.max } else { f32::NAN },
            mean: m.mean,
            deviation: m.deviation(),
            zeros: m.zeros as f64 / m.count.max(1) as f64,
            varying: m.varying_in as f64 / schema.queries().max(1) as f64,
            alone: alone.iter().map(|values| values[f.index()]).collect(),
        }
    };
    let mut found: Vec<FeatureFacts> = all.iter().map(facts).collect();
    found.sort_by_key(|facts| facts.feature.id);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};
    use crate::engine::LocalEngine;

    /// Feature 1 ranks; 2 equals 1; 3 is nearly 1; 4 is constant; 5 is constant within queries; 6
    /// is unrelated.
    #[test]
    fn finds_anomalies() {
        let one = [1., 2., 3., 4., 5., 6.];
        let near = [1.001, 2., 3., 4., 5., 6.];
        let other = [3., 1., 2., 2., 1., 3.];
        let values = [one, one, near, [7.; 6], [1., 1., 1., 2., 2., 2.], other].concat();
        let labels = vec![1., 0., 0., 1., 0., 0.];
        let data = Dataset::new(
            values,
            labels,
            Queries::from_sizes(&[3, 3]),
            FeatureTable::numbered(6, 1),
        );
        let engine = LocalEngine::new(data, 1).unwrap();
        let found = inspect(&engine, &["map".parse().unwrap()], 0.99).unwrap();
        let ids = |features: &[Feature]| features.iter().map(|f| f.id).collect::<Vec<_>>();
        assert_eq!(ids(&found.constant), [4]);
        assert_eq!(ids(&found.query_level), [5]);
        assert_eq!(found.duplicates.iter().map(|group| ids(group)).collect::<Vec<_>>(), [[1, 2]]);
        let near: Vec<(u32, u32)> =
            found.near_duplicates.iter().map(|n| (n.a.id, n.b.id)).collect();
        assert_eq!(near, [(1, 3), (2, 3)]);
        // The relevant document is always first in the file: 1, against (1 + 1/2 + 1/3)/3 in random
        // order.
        let constant = &found.constant_score[0];
        assert_eq!(constant.file_order, 1.0);
        assert!((constant.random_order - 11.0 / 18.0).abs() < 1e-12);
        assert_eq!(found.query_sizes.histogram, [SizeSpan { from: 1, to: 4, queries: 2 }]);
    }

    /// Feature 1 ranks correctly where it has a value, feature 2 equals it except for a missing
    /// value, feature 3 has no value at all.
    #[test]
    fn missing_values_are_handled() {
        let none = f32::NAN;
        let values = vec![3., 1., none, 4., 3., 1., none, 4., none, none, none, none];
        let labels = vec![1., 0., 0., 1.];
        let data = Dataset::new(
            values,
            labels,
            Queries::from_sizes(&[2, 2]),
            FeatureTable::numbered(3, 1),
        );
        let engine = LocalEngine::new(data, 1).unwrap();
        let found = inspect(&engine, &["map".parse().unwrap()], 0.9).unwrap();
        let missing: Vec<u64> = found.per_feature.iter().map(|f| f.missing).collect();
        assert_eq!(missing, [1, 1, 4]);
        assert_eq!((found.per_feature[0].alone[0], found.per_feature[0].zeros), (1.0, 0.0));
        assert!(
            found.near_duplicates.is_empty()
                && found.query_level.is_empty()
                && found.constant.len() == 1
        );
        assert_eq!(found.duplicates.len(), 1);
        let finite = |f: &FeatureFacts| {
            [f.mean, f.deviation, f.zeros, f.varying].iter().all(|x| x.is_finite())
        };
        assert!(found.per_feature.iter().all(finite));
    }
}
