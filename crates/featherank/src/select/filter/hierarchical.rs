//! Hierarchical feature selection: cluster the features first, then choose one representative of
//! each cluster.
//!
//! Hua, Zhang, Liu, Ma & Ru, "Hierarchical feature selection for ranking", WWW 2010. Features are
//! points whose coordinates are their absolute Kendall correlations with all features; k-means
//! clusters them (see `k_means`). The representative of a cluster is the feature that ranks best
//! alone (`representative = measure`, the paper's BEM), or the one with the largest weight in a
//! trained ranker (`representative = ranker`, ILTR): here |w| in RankSVM on all features, times the
//! feature's standard deviation within queries, because weights alone depend on the scale of
//! columns.
//!
//! `k` is the number of clusters; without it `clusters` is, and if that is 0 the number is chosen
//! automatically. The paper maximises a quality whose formula was not available, so this is a
//! reconstruction: for each feature, its mean similarity to the others of its cluster minus that to
//! the features of other clusters, 0 for a feature that is alone; the number of clusters, at least
//! 2, with the largest mean is chosen, the smallest of equals. If a lone feature counted as
//! perfectly similar to itself, very many clusters would always be best.
//!
//! A kept feature is the representative of its cluster. The path continues with the second feature
//! of each cluster, by relevance, then the third, and so on: dissimilar features before similar
//! ones.

use rayon::prelude::*;

use super::k_means::SquaredDistances;
use super::redundancy::RelevanceAndRedundancy;
use super::relevance::Relevance;
use crate::declare::{choice, method};
use crate::engine::Engine;
use crate::error::Result;
use crate::run::Run;
use crate::select::shared_params::similarity_params;
use crate::select::{Findings, Selector};

method! {
    /// k-means clustering of features by correlation: the best feature of each cluster.
    pub struct Hierarchical: Selector as "hierarchical" in Filter,
        cites ["hua2010", "arthur2007"], Reconstruction, Passes,
        with [compares_pairs]
    {
        /// Number of clusters, unless k is given; 0: the best-separated clustering.
        clusters: Whole<usize>(0..=100_000) = "0",
        /// Representative of a cluster: the feature that ranks best alone, or has the largest
        /// RankSVM weight.
        let representative: Choice<Representative> = "measure",
        /// Measure of how well a feature ranks on its own.
        let measure: Measure = "ndcg[ties=expected]@10",
        use similarity_params!("kendall");
        derive relevance: Relevance =
            Relevance::of_representative(measure, representative == Representative::Ranker);
    }
}

choice! {
    /// Which feature represents a cluster.
    pub enum Representative {
        /// The one that ranks best alone.
        Measure = "measure",
        /// The one with the largest weight in RankSVM.
        Ranker = "ranker",
    }
}

impl Selector for Hierarchical {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let facts = RelevanceAndRedundancy::of(run, engine, &self.relevance, &self.similarity)?;
        let wanted = run.constraints.k.or(Some(self.clusters).filter(|&count| count > 0));
        let clusters = match wanted {
            Some(count) => partition(&facts, count, run)?,
            None => best_partition(&facts, run)?,
        };
        run.step("clustering features", 1, Some(1))?;
        let kept: Vec<bool> =
            facts.features.iter().map(|f| run.constraints.keep.contains(f)).collect();
        let (representatives, rest) = representatives(&facts, &kept, &clusters);
        let (chosen, rest) = (facts.scored(&representatives), facts.scored(&rest));
        Findings::in_order(run, engine.schema(), &chosen, &rest, &facts.unusable)
    }
}

/// The cluster of each feature, for this many clusters or as many as the features allow.
fn partition(facts: &RelevanceAndRedundancy, count: usize, run: &Run) -> Result<Vec<usize>> {
    points(facts, run)?.clusters(count.min(facts.width()), run.seed, run.stop())
}

fn points(facts: &RelevanceAndRedundancy, run: &Run) -> Result<SquaredDistances> {
    SquaredDistances::between_rows(facts.width(), |a, b| facts.similarity(a, b), run.stop())
}

/// Numbers of clusters that are tried between two progress reports.
const TRIED_AT_A_TIME: usize = 16;

/// The clusters of the highest quality over all numbers of clusters.
fn best_partition(facts: &RelevanceAndRedundancy, run: &Run) -> Result<Vec<usize>> {
    let (points, width) = (points(facts, run)?, facts.width());
    let mut best = (vec![0; width], f64::NEG_INFINITY);
    // As many clusters as features is excluded, except for two features.
    let counts: Vec<usize> = (2..width.max(3)).collect();
    let total = counts.len() as u64;
    for (wave, counts) in counts.chunks(TRIED_AT_A_TIME).enumerate() {
        let tried = |&count: &usize| {
            let clusters = points.clusters(count, run.seed, run.stop())?;
            let quality = quality(facts, &clusters);
            Ok((clusters, quality))
        };
        let partitions: Result<Vec<(Vec<usize>, f64)>> = counts.par_iter().map(tried).collect();
        for next in partitions? {
            if next.1 > best.1 {
                best = next;
            }
        }
        let done = (wave * TRIED_AT_A_TIME + counts.len()) as u64;
        run.step("clustering features", done, Some(total))?;
    }
    Ok(best.0)
}

/// The mean over features of the similarity within their cluster minus that to other clusters.
fn quality(facts: &RelevanceAndRedundancy, clusters: &[usize]) -> f64 {
    let width = facts.width();
    let mean = |sum: f64, count: usize| if count == 0 { 0.0 } else { sum / count as f64 };
    let of_feature = |f: usize| {
        let (mut own, mut others) = ((0.0, 0), (0.0, 0));
        for g in (0..width).filter(|&g| g != f) {
            let side = if clusters[g] == clusters[f] { &mut own } else { &mut others };
            side.0 += facts.similarity(f, g);
            side.1 += 1;
        }
        if own.1 == 0 { 0.0 } else { mean(own.0, own.1) - mean(others.0, others.1) }
    };
    mean((0..width).map(of_feature).sum(), width)
}

/// One representative per cluster, by relevance, then the other features: all seconds, all thirds
/// …, each by relevance.
fn representatives(
    facts: &RelevanceAndRedundancy,
    kept: &[bool],
    clusters: &[usize],
) -> (Vec<usize>, Vec<usize>) {
    let count = clusters.iter().max().map_or(0, |most| most + 1);
    let mut members = vec![Vec::new(); count];
    clusters.iter().enumerate().for_each(|(feature, &cluster)| members[cluster].push(feature));
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    for cluster in members {
        let mut order = facts.by_relevance(cluster);
        order.sort_by_key(|&f| !kept[f]);
        for (round, feature) in order.into_iter().enumerate() {
            rounds.resize_with(rounds.len().max(round + 1), Vec::new);
            rounds[round].push(feature);
        }
    }
    let mut rounds = rounds.into_iter().map(|round| facts.by_relevance(round));
    (rounds.next().unwrap_or_default(), rounds.flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::super::redundancy::worked_example;
    use super::*;
    use crate::run::Constraints;

    fn example() -> (serde_json::Value, RelevanceAndRedundancy) {
        let text = include_str!("../../../tests/fixtures/hierarchical_fs.json");
        let fixture = serde_json::from_str(text).unwrap();
        let facts = worked_example(&fixture);
        (fixture, facts)
    }

    #[test]
    fn clusters_and_representatives_are_those_of_the_worked_example() {
        let (fixture, facts) = example();
        let run = Run::new(7, Constraints::default());
        let clusters = partition(&facts, 3, &run).unwrap();
        let members = |c: usize| {
            clusters.iter().enumerate().filter(move |(_, own)| **own == c).map(|(f, _)| f)
        };
        let groups: Vec<Vec<usize>> = (0..3).map(|c| members(c).collect()).collect();
        assert_eq!(serde_json::json!(groups), fixture["partition_3"]);
        let (chosen, rest) = representatives(&facts, &[false; 5], &clusters);
        assert_eq!(serde_json::json!(chosen), fixture["representatives_by_measure"]);
        assert_eq!(rest, [1, 3]);
        let (chosen, _) = representatives(&facts, &[false, true, false, true, false], &clusters);
        assert_eq!(chosen, [1, 3, 4], "a kept feature represents its cluster");
    }

    /// With three clusters: features 0 and 1 have .9 within and (.2 + .1 + .3)/3 = .2 to the
    /// others, both .7; 2 has .8 − .5/3, 3 has .8 − .35/3, 4 is alone: (.7 + .7 + .63333 + .68333 +
    /// 0)/5 = .54333. Two clusters, {0, 1} and the rest, reach .35; four, with 2 and 3 apart, .28.
    #[test]
    fn the_number_of_clusters_is_where_they_lie_best_apart() {
        let (_, facts) = example();
        for (clusters, expected) in [
            ([0, 0, 1, 1, 2], 0.543_333_333_333),
            ([0, 0, 1, 1, 1], 0.35),
            ([0, 0, 1, 2, 3], 0.28),
            ([0, 1, 2, 3, 4], 0.0),
        ] {
            assert!((quality(&facts, &clusters) - expected).abs() < 1e-9, "{clusters:?}");
        }
        let run = Run::new(1, Constraints::default());
        assert_eq!(best_partition(&facts, &run).unwrap(), [0, 0, 1, 1, 2]);
    }
}
