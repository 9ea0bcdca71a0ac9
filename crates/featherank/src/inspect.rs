//! Inspection of ranking data: what to know before selecting features.

use serde::Serialize;

use crate::data::{Feature, FeatureId};
use crate::engine::passes::{Centring, FeatureStatistics, Gram, Moments, feature_means};
use crate::engine::{Ask, Engine, LabelCount, Schema};
use crate::error::Result;
use crate::measure::significance::{WilcoxonMethod, paired_t, wilcoxon};
use crate::measure::{Measure, Ties};

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
    /// Features constant within every query, including the constant ones: no ranking can use them.
    pub dead: Vec<Feature>,
    /// Groups of features with equal columns.
    pub duplicates: Vec<Vec<Feature>>,
    /// Pairs of live features without missing values whose columns differ but correlate at least as
    /// much as requested.
    pub near_duplicates: Vec<NearDuplicate>,
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
    /// The first of the two in column order.
    pub a: Feature,
    /// The second.
    pub b: Feature,
    /// Pearson correlation over all documents.
    pub correlation: f64,
}

/// The value of a constant score under one measure. If the order of the documents is informative,
/// ties broken by input order reward a score that says nothing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConstantScore {
    /// The measure, with ties in input order.
    pub measure: Measure,
    /// The value with documents in file order.
    pub file_order: f64,
    /// The expected value with documents in random order.
    pub random_order: f64,
    /// The p-value of the difference over queries: the larger of paired t and Wilcoxon.
    pub p: f64,
    /// Whether the file order reveals relevance.
    pub informative: bool,
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
    pub alive: f64,
    /// Effectiveness as the only feature, by measure, with the expected value over ties.
    pub alone: Vec<f64>,
}

/// Inspects the data of an engine. `near` is the least correlation of near-duplicates.
pub fn inspect(engine: &dyn Engine, measures: &[Measure], near: f64) -> Result<Inspection> {
    let schema = engine.schema();
    let moments = engine.ask(&Moments)?;
    let feature = |f: FeatureId| schema.features.get(f).clone();
    let all: Vec<FeatureId> = (0..schema.features.len()).map(FeatureId::from).collect();
    let of = |f: &FeatureId| &moments.features[f.index()];
    let complete: Vec<FeatureId> =
        all.iter().copied().filter(|f| !of(f).is_dead() && of(f).missing == 0).collect();
    let listed = |keep: &dyn Fn(&FeatureId) -> bool| {
        all.iter().filter(|f| keep(f)).map(|&f| feature(f)).collect()
    };
    let duplicates = duplicates(&moments, &all);
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
        dead: listed(&|f| of(f).is_dead()),
        near_duplicates: near_duplicates(engine, &complete, &moments, near)?,
        duplicates: duplicates
            .iter()
            .map(|group| group.iter().map(|&f| feature(f)).collect())
            .collect(),
        constant_score: constant_scores(engine, measures)?,
        per_feature: per_feature(engine, schema, &moments, measures, &all)?,
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

/// Groups of equal columns, live or dead. Constant columns are excluded and reported on their own.
fn duplicates(moments: &FeatureStatistics, all: &[FeatureId]) -> Vec<Vec<FeatureId>> {
    let key = |f: &FeatureId| {
        let m = &moments.features[f.index()];
        (m.hash, m.min.to_bits(), m.max.to_bits())
    };
    let mut sorted: Vec<FeatureId> =
        all.iter().copied().filter(|f| !moments.features[f.index()].is_constant()).collect();
    sorted.sort_by_key(|f| (key(f), *f));
    let groups = sorted.chunk_by(|a, b| key(a) == key(b)).filter(|group| group.len() > 1);
    let mut groups: Vec<Vec<FeatureId>> = groups.map(<[FeatureId]>::to_vec).collect();
    groups.sort();
    groups
}

fn near_duplicates(
    engine: &dyn Engine,
    alive: &[FeatureId],
    moments: &FeatureStatistics,
    near: f64,
) -> Result<Vec<NearDuplicate>> {
    let gram = engine.ask(&Gram::new(alive.to_vec(), Centring::Overall))?;
    let hash = |f: FeatureId| moments.features[f.index()].hash;
    let mut found = Vec::new();
    for (i, &a) in alive.iter().enumerate() {
        for (j, &b) in alive.iter().enumerate().skip(i + 1) {
            let correlation = gram.correlation(i, j).unwrap_or(0.0);
            if correlation.abs() >= near && hash(a) != hash(b) {
                let feature = |f| engine.schema().features.get(f).clone();
                found.push(NearDuplicate { a: feature(a), b: feature(b), correlation });
            }
        }
    }
    found.sort_by(|x, y| y.correlation.abs().total_cmp(&x.correlation.abs()));
    Ok(found)
}

/// Computed from labels and sizes: a dead feature would serve as a constant score, but there may be
/// none.
fn constant_scores(engine: &dyn Engine, measures: &[Measure]) -> Result<Vec<ConstantScore>> {
    let Some(data) = engine.local() else { return Ok(Vec::new()) };
    let (view, scores) = (data.view(), vec![0.0; data.documents()]);
    let score = |measure: &Measure| -> Result<ConstantScore> {
        measure.check_labels(engine.schema().largest_label())?;
        let stable = measure.clone().with_ties(Ties::Input);
        let file = stable.per_query(&scores, &view);
        let random = measure.clone().with_ties(Ties::Expected).per_query(&scores, &view);
        let p = paired_t(&file, &random).p.max(wilcoxon(&file, &random, WilcoxonMethod::Auto).p);
        let (file_order, random_order) = (stable.summary(&file), stable.summary(&random));
        Ok(ConstantScore { measure: stable, file_order, random_order, p, informative: p < 0.01 })
    };
    measures.iter().map(score).collect()
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
            alive: m.alive_in as f64 / schema.queries().max(1) as f64,
            alone: alone.iter().map(|values| values[f.index()]).collect(),
        }
    };
    Ok(all.iter().map(facts).collect())
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
        assert_eq!(ids(&found.dead), [4, 5]);
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
            found.near_duplicates.is_empty() && found.dead.len() == 1 && found.constant.len() == 1
        );
        assert_eq!(found.duplicates.len(), 1);
        let finite = |f: &FeatureFacts| {
            [f.mean, f.deviation, f.zeros, f.alive].iter().all(|x| x.is_finite())
        };
        assert!(found.per_feature.iter().all(finite));
    }
}
