//! Moments: mean, variance and range of every feature, whether it varies, and a hash that finds
//! equal columns.
//!
//! A *constant* feature has one value everywhere: nothing can use it. A *query-level* feature is
//! constant within every query, but not over all of them. It cannot rank documents by itself or in
//! a linear model; trees can use it to decide which other features count in a query. Missing values
//! are counted and otherwise ignored, except that a feature that only some documents of a query
//! lack varies within that query. Merging follows Chan, Golub & LeVeque (1983).

use serde::{Deserialize, Serialize};

use crate::data::{FeatureId, View};
use crate::engine::{Block, Merge, Pass};

/// Summarises every feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Moments;

impl Pass for Moments {
    type Answer = FeatureStatistics;
    const NAME: &'static str = "moments";
    const ACTIVITY: &'static str = "summarising every feature";
    const CACHED: bool = true;

    fn answer(&self, block: &Block<'_>) -> FeatureStatistics {
        let of = |&f| FeatureMoments::of(block.data().column(f), block);
        FeatureStatistics { features: block.features().iter().map(of).collect() }
    }
}

/// Statistics of every feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureStatistics {
    /// One entry per feature, in column order.
    pub features: Vec<FeatureMoments>,
}

/// Statistics of one feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureMoments {
    /// Documents that have a value.
    pub count: u64,
    /// Documents that lack it.
    pub missing: u64,
    /// Mean over documents.
    pub mean: f64,
    /// Sum of squared deviations from the mean.
    pub squares: f64,
    /// Sum of squared deviations from the mean of the query.
    pub squares_within: f64,
    /// Smallest value.
    pub min: f32,
    /// Largest value.
    pub max: f32,
    /// How many values are 0.
    pub zeros: u64,
    /// In how many queries the feature takes more than one value.
    pub varying_in: u64,
    /// Equal columns have equal hashes.
    pub hash: u64,
}

impl FeatureMoments {
    const EMPTY: FeatureMoments = FeatureMoments {
        count: 0,
        missing: 0,
        mean: 0.0,
        squares: 0.0,
        squares_within: 0.0,
        min: f32::INFINITY,
        max: f32::NEG_INFINITY,
        zeros: 0,
        varying_in: 0,
        hash: 0,
    };

    /// Standard deviation over documents, with n in the denominator.
    pub fn deviation(&self) -> f64 {
        (self.squares / self.count.max(1) as f64).sqrt()
    }

    /// Standard deviation from the mean of the query: how far the feature can move documents of one
    /// query apart.
    pub fn deviation_within(&self) -> f64 {
        (self.squares_within / self.count.max(1) as f64).sqrt()
    }

    /// One value in all documents, or none in any.
    pub fn is_constant(&self) -> bool {
        self.count == 0 || (self.min == self.max && self.missing == 0)
    }

    /// Constant within every query.
    pub fn is_constant_within_queries(&self) -> bool {
        self.varying_in == 0
    }

    /// Constant within every query, but not over all queries.
    pub fn is_query_level(&self) -> bool {
        self.is_constant_within_queries() && !self.is_constant()
    }

    fn of(column: &[f32], view: &View<'_>) -> Self {
        let mut all = FeatureMoments::EMPTY;
        let mut sum = 0.0;
        for rows in view.rows() {
            let values = &column[rows];
            all.varying_in += u64::from(values.iter().any(|&x| !same(x, values[0])));
            for &x in values {
                // Adding 0 makes −0 equal to 0, as comparisons have it.
                all.hash = mix(all.hash, u64::from((x + 0.0).to_bits()));
                if x.is_nan() {
                    all.missing += 1;
                    continue;
                }
                sum += f64::from(x);
                all.min = all.min.min(x);
                all.max = all.max.max(x);
                all.zeros += u64::from(x == 0.0);
            }
            all.count += values.len() as u64;
            all.squares_within += squares_around_mean(values);
        }
        all.count -= all.missing;
        all.mean = sum / all.count.max(1) as f64;
        let present = view.rows().flat_map(|rows| &column[rows]).filter(|x| !x.is_nan());
        let deviations = present.map(|&x| f64::from(x) - all.mean);
        all.squares = deviations.map(|d| d * d).sum();
        all
    }

    fn merge(self, next: Self) -> Self {
        let (n, m) = (self.count as f64, next.count as f64);
        let apart = next.mean - self.mean;
        FeatureMoments {
            count: self.count + next.count,
            missing: self.missing + next.missing,
            mean: self.mean + apart * m / (n + m).max(1.0),
            squares: self.squares + next.squares + apart * apart * n * m / (n + m).max(1.0),
            squares_within: self.squares_within + next.squares_within,
            min: self.min.min(next.min),
            max: self.max.max(next.max),
            zeros: self.zeros + next.zeros,
            varying_in: self.varying_in + next.varying_in,
            hash: mix(self.hash, next.hash),
        }
    }
}

/// Sum of squared deviations of what is not missing from its own mean.
fn squares_around_mean(values: &[f32]) -> f64 {
    let known = || values.iter().filter(|x| !x.is_nan()).map(|&x| f64::from(x));
    let mean = known().sum::<f64>() / known().count().max(1) as f64;
    known().map(|x| (x - mean) * (x - mean)).sum()
}

/// Equal, or both missing.
fn same(a: f32, b: f32) -> bool {
    a == b || (a.is_nan() && b.is_nan())
}

fn mix(hash: u64, word: u64) -> u64 {
    let product =
        (hash ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xff51_afd7_ed55_8ccd);
    product ^ product >> 32
}

impl FeatureStatistics {
    /// Groups of equal columns among some features, by column. Constant columns are left out.
    pub fn duplicates(&self, among: &[FeatureId]) -> Vec<Vec<FeatureId>> {
        let key = |f: &FeatureId| {
            let moments = &self.features[f.index()];
            (moments.hash, moments.min.to_bits(), moments.max.to_bits())
        };
        let mut sorted: Vec<FeatureId> =
            among.iter().copied().filter(|f| !self.features[f.index()].is_constant()).collect();
        sorted.sort_by_key(|f| (key(f), *f));
        let groups = sorted.chunk_by(|a, b| key(a) == key(b)).filter(|group| group.len() > 1);
        let mut groups: Vec<Vec<FeatureId>> = groups.map(<[FeatureId]>::to_vec).collect();
        groups.sort();
        groups
    }

    /// The features that vary within some query, and those that never do.
    pub fn varying_within_queries(&self) -> (Vec<FeatureId>, Vec<FeatureId>) {
        self.partition(|feature| !feature.is_constant_within_queries())
    }

    /// The features that are not constant, and the constant ones.
    pub fn varying(&self) -> (Vec<FeatureId>, Vec<FeatureId>) {
        self.partition(|feature| !feature.is_constant())
    }

    fn partition(
        &self,
        is_first: impl Fn(&FeatureMoments) -> bool,
    ) -> (Vec<FeatureId>, Vec<FeatureId>) {
        let all = (0..self.features.len()).map(FeatureId::from);
        all.partition(|f| is_first(&self.features[f.index()]))
    }
}

impl Merge for FeatureStatistics {
    fn merge(self, next: Self) -> Self {
        let pairs = self.features.into_iter().zip(next.features);
        FeatureStatistics { features: pairs.map(|(a, b)| a.merge(b)).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};

    /// Feature 1 is (1, 3 | 5); feature 2 is constant within each query, but not over all.
    #[test]
    fn merged_blocks_equal_the_whole() {
        let values = vec![1., 3., 5., 7., 7., 8.];
        let data = Dataset::new(
            values,
            vec![0.; 3],
            Queries::from_sizes(&[2, 1]),
            FeatureTable::numbered(2, 1),
        );
        let view = data.view();
        let part = |span| Moments.answer(&Block::of(view.with_query_span(span)));
        let merged = part(0..1).merge(part(1..2));
        let first = &merged.features[0];
        assert_eq!((first.count, first.mean, first.squares, first.varying_in), (3, 3.0, 8.0, 1));
        assert_eq!((first.min, first.max, first.squares_within), (1.0, 5.0, 2.0));
        assert!(
            merged.features[1].is_constant_within_queries() && !merged.features[1].is_constant()
        );
        let whole = Moments.answer(&Block::of(view));
        assert!((whole.features[1].squares - merged.features[1].squares).abs() < 1e-12);
    }

    /// Feature 1 is (1, missing | 3), feature 2 (5, 5 | missing), feature 3 missing everywhere.
    #[test]
    fn missing_values_are_counted_and_left_out() {
        let none = f32::NAN;
        let values = vec![1., none, 3., 5., 5., none, none, none, none];
        let data = Dataset::new(
            values,
            vec![0.; 3],
            Queries::from_sizes(&[2, 1]),
            FeatureTable::numbered(3, 1),
        );
        let view = data.view();
        let part = |span| Moments.answer(&Block::of(view.with_query_span(span)));
        let merged = part(0..1).merge(part(1..2));
        let [first, second, third] = &merged.features[..] else { panic!("three features") };
        assert_eq!((first.count, first.missing, first.mean, first.squares), (2, 1, 2.0, 2.0));
        assert_eq!(
            (first.min, first.max, first.varying_in, first.squares_within),
            (1.0, 3.0, 1, 0.0)
        );
        assert!(
            second.is_constant_within_queries() && !second.is_constant() && second.missing == 1
        );
        assert!(third.is_constant_within_queries() && third.is_constant() && third.mean == 0.0);
    }
}
