//! Redundancy: which features repeat what others express, before any method uses the labels.
//!
//! Three views of the varying features: the correlation matrix, with rows and columns ordered by
//! average linkage on 1 − |r| so that similar features are adjacent; the variance inflation of each
//! feature, which accounts for combinations of several others (`inflation.rs`); and groups of
//! features linked by correlations of at least a level, of which one each suffices as far as
//! pairwise correlations show. Whether a ranking needs the rest is for a ranker to decide.

pub(crate) mod file;
mod inflation;
pub(crate) mod thresholds;

use serde::Serialize;

use crate::cluster::{Method, leaf_order, linkage};
use crate::data::{Feature, FeatureId};
use crate::engine::passes::{Centring, Correlation, Gram, Moments, feature_means};
use crate::engine::{Ask, CorrelationMatrix, Engine, Scope, correlations};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::progress::Step;
use inflation::variance_inflation;
use thresholds::{INFLATED, reaches};

/// What to compare, and how. The defaults are those of the command.
#[derive(Debug, Clone)]
pub struct RedundancyOptions {
    /// The measure of similarity of two features; default: Spearman's correlation.
    pub correlation: Correlation,
    /// Whether it is averaged over queries, the default, or computed over all documents at once.
    pub scope: Scope,
    /// Absolute correlation from which two features belong to one group: from 0 to 1; default: .9.
    pub level: f64,
    /// The effectiveness of single features, by which the best one of a group is chosen; default:
    /// `ndcg[ties=expected]@10`.
    pub measure: Measure,
}

impl RedundancyOptions {
    /// Returns an error for invalid options.
    pub fn check(&self) -> Result<()> {
        match (0.0..=1.0).contains(&self.level) {
            true => Ok(()),
            false => Err(Error::invalid("correlation level", self.level, "a number from 0 to 1")),
        }
    }
}

/// How much features repeat each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Redundancy {
    /// The correlation of the matrix.
    pub correlation: Correlation,
    /// The documents over which it is computed.
    pub scope: Scope,
    /// Absolute correlation from which two features belong to one group.
    pub level: f64,
    /// The measure of `alone`.
    pub measure: Measure,
    /// The compared features in the order of the matrix, with similar ones adjacent.
    pub features: Vec<ComparedFeature>,
    /// Correlations, row-major; `None` if there is no query in which both features vary.
    pub matrix: Vec<Vec<Option<f64>>>,
    /// Groups of redundant features, largest first.
    pub groups: Vec<RedundantGroup>,
    /// All features of groups except the best of each, in column order: removable as far as
    /// pairwise correlations show.
    pub could_go: Vec<Feature>,
    /// Features constant within every query, not compared.
    pub constant_within_queries: Vec<Feature>,
    /// Features with missing values, not compared.
    pub incomplete: Vec<Feature>,
}

/// One compared feature.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedFeature {
    /// The feature.
    #[serde(flatten)]
    pub feature: Feature,
    /// Its effectiveness as the only feature.
    pub alone: f64,
    /// Variance inflation of its values within queries; `None` if infinite: an exact combination of
    /// others.
    pub vif: Option<f64>,
    /// Whether the variance inflation is above [`INFLATED`].
    pub inflated: bool,
}

/// Features linked by correlations of at least the level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RedundantGroup {
    /// The one that ranks best alone.
    pub best: GroupMember,
    /// The others, best first.
    pub others: Vec<GroupMember>,
    /// Smallest absolute correlation of two members. Chains can bring it below the level.
    pub weakest: f64,
}

/// A feature of a group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupMember {
    /// The feature.
    #[serde(flatten)]
    pub feature: Feature,
    /// Its effectiveness as the only feature.
    pub alone: f64,
}

/// Compares the features behind an engine that vary within queries and have no missing values.
pub fn redundancy(engine: &dyn Engine, options: &RedundancyOptions) -> Result<Redundancy> {
    options.check()?;
    let table = &engine.schema().features;
    let moments = engine.ask(&Moments)?;
    let (varying, constant) = (0..table.len())
        .map(FeatureId::from)
        .partition(|f| !moments.features[f.index()].is_constant_within_queries());
    let (compared, incomplete): (Vec<_>, Vec<_>) =
        Vec::into_iter(varying).partition(|f| moments.features[f.index()].missing == 0);
    // First, because it may reject the labels, and correlations can take long.
    let alone = feature_means(engine, &options.measure, &compared)?;
    let matrix = correlations(engine, options.correlation, options.scope, &compared)?;
    let gram = engine.ask(&Gram::new(compared.clone(), Centring::PerQuery))?;
    let step = |done| engine.step(&Step::pass("grouping features", done, Some(2)));
    step(0)?;
    let vif = variance_inflation(&gram);
    step(1)?;
    let named =
        |features: Vec<FeatureId>| features.into_iter().map(|f| table.get(f).clone()).collect();
    let member =
        |i: usize| GroupMember { feature: table.get(compared[i]).clone(), alone: alone[i] };
    let group = |members: &Vec<usize>| RedundantGroup {
        best: member(members[0]),
        others: members[1..].iter().map(|&i| member(i)).collect(),
        weakest: weakest(&matrix, members),
    };
    let groups = groups(&matrix, options.level, &alone);
    let mut could_go: Vec<usize> =
        groups.iter().flat_map(|members| &members[1..]).copied().collect();
    could_go.sort_unstable();
    let order = by_cluster(&matrix);
    step(2)?;
    let feature = |&i: &usize| ComparedFeature {
        feature: table.get(compared[i]).clone(),
        alone: alone[i],
        vif: vif[i],
        inflated: vif[i].is_none_or(|vif| vif > INFLATED),
    };
    Ok(Redundancy {
        correlation: options.correlation,
        scope: options.scope,
        level: options.level,
        measure: options.measure.clone(),
        features: order.iter().map(feature).collect(),
        matrix: order.iter().map(|&a| order.iter().map(|&b| matrix.get(a, b)).collect()).collect(),
        groups: groups.iter().map(group).collect(),
        could_go: named(could_go.into_iter().map(|i| compared[i]).collect()),
        constant_within_queries: named(constant),
        incomplete: named(incomplete),
    })
}

fn by_cluster(matrix: &CorrelationMatrix) -> Vec<usize> {
    let distance = |a: usize, b: usize| 1.0 - matrix.or_zero(a, b).abs();
    leaf_order(matrix.width(), &linkage(matrix.width(), distance, Method::Average), distance)
}

/// Connected components of at least two features, largest first, then by column; each with the best
/// single feature first.
fn groups(matrix: &CorrelationMatrix, level: f64, alone: &[f64]) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = (0..matrix.width()).collect();
    let mut groups = Vec::new();
    while let Some(&first) = left.first() {
        left.remove(0);
        let mut members = vec![first];
        let mut seen = 0;
        while let Some(&member) = members.get(seen) {
            let joins = |other: &usize| reaches(matrix.get(member, *other), level);
            let (joining, staying) = left.into_iter().partition(joins);
            left = staying;
            members.extend::<Vec<usize>>(joining);
            seen += 1;
        }
        if members.len() > 1 {
            groups.push(members);
        }
    }
    // A feature without a value for any query comes last.
    let score = |i: usize| if alone[i].is_nan() { f64::NEG_INFINITY } else { alone[i] };
    for members in &mut groups {
        members.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
    }
    groups.sort_by_key(|members| std::cmp::Reverse(members.len()));
    groups
}

fn weakest(matrix: &CorrelationMatrix, members: &[usize]) -> f64 {
    let pairs =
        members.iter().enumerate().flat_map(|(i, &a)| members[..i].iter().map(move |&b| (a, b)));
    pairs.map(|(a, b)| matrix.or_zero(a, b).abs()).fold(1.0, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};
    use crate::engine::LocalEngine;

    fn options(correlation: Correlation, level: f64) -> RedundancyOptions {
        RedundancyOptions {
            correlation,
            scope: Scope::Query,
            level,
            measure: "map[ties=expected]".parse().unwrap(),
        }
    }

    fn found(columns: &[[f32; 4]], options: &RedundancyOptions) -> Redundancy {
        let table = FeatureTable::numbered(columns.len(), 1);
        let data =
            Dataset::new(columns.concat(), vec![0., 0., 0., 1.], Queries::from_sizes(&[4]), table);
        redundancy(&LocalEngine::new(data, 1).unwrap(), options).unwrap()
    }

    fn ids(features: &[Feature]) -> Vec<u32> {
        features.iter().map(|f| f.id).collect()
    }

    /// One query, the last document relevant. Ranks: 1 (1 2 3 4), 2 (4 2 1 3), 3 (4 3 2 1), 4
    /// constant, 5 (1 2 4 3), 6 incomplete. Spearman is 1 − 6 Σd²/60: r₁₂ = 1 − 6(9+0+4+1)/60 =
    /// −.4, r₁₃ = −1, r₁₅ = 1 − 6·2/60 = .8, r₂₃ = 1 − 6(0+1+1+4)/60 = .4, r₂₅ = 1 −
    /// 6(9+0+9+0)/60 = −.8, r₃₅ = −.8. Average precision alone: 1, 1/2, 1/4 and 1/2.
    #[test]
    fn orders_groups_and_lists_by_hand() {
        let columns = [
            [1., 2., 3., 4.],
            [40., 20., 10., 30.],
            [9., 8., 7., 6.5],
            [5., 5., 5., 5.],
            [1., 2., 8., 4.],
            [1., f32::NAN, 2., 3.],
        ];
        let strict = found(&columns, &options(Correlation::Spearman, 1.0));
        assert_eq!(
            (ids(&strict.constant_within_queries), ids(&strict.incomplete)),
            (vec![4], vec![6])
        );
        assert_eq!(ids(&strict.could_go), [3]);
        assert_eq!((strict.groups[0].best.feature.id, strict.groups[0].best.alone), (1, 1.0));
        // Linkage: 1 and 3 at 0; 5 to them at .2; 2 at (.6 + .6 + .2)/3. Column 1 is left of 3, and
        // 5 is equally near to both: the first orientation is taken, so that 2 is adjacent to 5 at
        // the end.
        let order: Vec<u32> = strict.features.iter().map(|f| f.feature.id).collect();
        assert_eq!(order, [1, 3, 5, 2]);
        let expected = [
            [1., -1., 0.8, -0.4],
            [-1., 1., -0.8, 0.4],
            [0.8, -0.8, 1., -0.8],
            [-0.4, 0.4, -0.8, 1.],
        ];
        for (row, expected) in strict.matrix.iter().zip(expected) {
            assert!(
                row.iter().zip(expected).all(|(r, e)| (r.unwrap() - e).abs() < 1e-12),
                "{row:?}"
            );
        }
        // At .8 a chain: 2 to 5, 5 to 1 and 3. The best first, equals by column; 1 and 2 are the
        // weakest pair.
        let chained = found(&columns, &options(Correlation::Spearman, 0.8));
        let group = &chained.groups[0];
        let others: Vec<(u32, f64)> =
            group.others.iter().map(|m| (m.feature.id, m.alone)).collect();
        assert_eq!((chained.groups.len(), group.best.feature.id), (1, 1));
        assert_eq!(others, [(2, 0.5), (5, 0.5), (3, 0.25)]);
        assert!((group.weakest - 0.4).abs() < 1e-12);
        assert_eq!(ids(&chained.could_go), [2, 3, 5]);
        // Four columns in three dimensions: each is a combination of the others.
        assert!(chained.features.iter().all(|f| f.vif.is_none() && f.inflated));
    }

    #[test]
    fn data_without_pairs_to_compare_is_not_an_error() {
        let none = found(&[[1.; 4], [f32::NAN, 1., 2., 3.]], &options(Correlation::Kendall, 0.9));
        assert!(none.features.is_empty() && none.matrix.is_empty() && none.groups.is_empty());
        assert_eq!((ids(&none.constant_within_queries), ids(&none.incomplete)), (vec![1], vec![2]));
        let one = found(&[[1., 2., 2., 0.]], &options(Correlation::Kendall, 0.9));
        assert_eq!(
            (one.matrix.as_slice(), one.features[0].vif),
            (&[vec![Some(1.0)]][..], Some(1.0))
        );
    }

    #[test]
    fn levels_are_from_0_to_1() {
        for level in [-0.1, 1.1, f64::NAN] {
            assert!(
                options(Correlation::Kendall, level)
                    .check()
                    .unwrap_err()
                    .to_string()
                    .contains("from 0 to 1")
            );
        }
    }
}
