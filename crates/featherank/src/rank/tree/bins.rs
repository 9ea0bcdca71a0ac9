//! The binned matrix: every value of every feature as one byte, computed once and shared by all
//! trees and feature subsets.
//!
//! A feature with at most 255 distinct values gets one bin per value, and trees over it are exact.
//! Other features are cut into bins with about equal numbers of documents; a value that is frequent
//! enough to fill a bin gets its own. Missing values have a separate bin. For data of more than
//! 200,000 documents the edges come from a sample of about that size, and values that occur only
//! outside the sample fall into a neighbouring bin.

use rayon::prelude::*;

use crate::data::{Feature, FeatureId, View};
use crate::error::{Error, Result};
use crate::stop::StopToken;

/// Bins for values; with one more for missing values they use all values of a byte.
const MOST_BINS: usize = 255;

/// Bin edges are computed from a sample of about this many documents.
const SAMPLE: usize = 200_000;

/// The binned features of a view, in column-major order.
#[derive(Debug)]
pub struct Bins {
    documents: usize,
    columns: Vec<u8>,
    features: Vec<BinnedFeature>,
}

/// The values that the bins of a feature represent.
#[derive(Debug)]
struct BinnedFeature {
    feature: Feature,
    /// The smallest and largest value in each bin.
    ranges: Vec<(f32, f32)>,
    /// Whether some values are missing; their bin follows the last one of `ranges`.
    missing: bool,
}

impl Bins {
    /// Bins the features of a view; documents keep the view's numbering. An error if the token is
    /// stopped.
    pub fn new(view: &View<'_>, stop: &StopToken) -> Result<Self> {
        let documents = view.documents();
        let mut columns = vec![0; documents * view.features().len()];
        let features = columns
            .par_chunks_mut(documents.max(1))
            .zip(view.features())
            .map(|(column, &feature)| stop.check().map(|()| bin_feature(view, feature, column)))
            .collect::<Result<_>>()?;
        Ok(Bins { documents, columns, features })
    }

    /// Number of documents.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Selects a subset of the binned view's features, as column indices of the matrix.
    pub(super) fn mask(&self, view: &View<'_>, features: &[FeatureId]) -> Result<Vec<usize>> {
        let place = |f: &FeatureId| view.features().iter().position(|known| known == f);
        let mask: Vec<usize> = features.iter().filter_map(place).collect();
        match mask.len() == features.len() && !mask.is_empty() {
            true => Ok(mask),
            false => Err(Error::nothing_counts(
                "the training data has no features",
                "train on at least one feature",
            )),
        }
    }

    /// The features with their external ids and names, in column order.
    pub fn features(&self) -> Vec<Feature> {
        self.features.iter().map(|binned| binned.feature.clone()).collect()
    }

    /// The bin of a feature's missing values, or `None` if no value is missing.
    pub(super) fn missing_bin(&self, feature: usize) -> Option<u8> {
        let binned = &self.features[feature];
        binned.missing.then_some(binned.ranges.len() as u8)
    }

    /// The midpoint between the values on the two sides of a cut; above all values if the right
    /// side has none.
    pub(super) fn threshold(&self, feature: usize, last_left: u8, first_right: Option<u8>) -> f32 {
        let ranges = &self.features[feature].ranges;
        let low = ranges[usize::from(last_left)].1;
        first_right.map_or(f32::MAX, |right| half_way(low, ranges[usize::from(right)].0))
    }

    pub(super) fn column(&self, feature: usize) -> &[u8] {
        &self.columns[feature * self.documents..(feature + 1) * self.documents]
    }
}

fn bin_feature(view: &View<'_>, feature: FeatureId, column: &mut [u8]) -> BinnedFeature {
    let source = view.data().column(feature);
    let values = || view.rows().flat_map(|rows| &source[rows]).copied();
    let edges = edges(values(), column.len());
    let missing_bin = edges.len() as u8 + 1;
    let mut ranges = vec![(f32::INFINITY, f32::NEG_INFINITY); edges.len() + 1];
    let mut missing = false;
    for (bin, value) in column.iter_mut().zip(values()) {
        if value.is_nan() {
            (*bin, missing) = (missing_bin, true);
            continue;
        }
        let place = edges.partition_point(|&edge| value > edge);
        *bin = place as u8;
        let (low, high) = &mut ranges[place];
        (*low, *high) = (low.min(value), high.max(value));
    }
    BinnedFeature { feature: view.data().features().get(feature).clone(), ranges, missing }
}

/// The largest value of every bin but the last.
fn edges(values: impl Iterator<Item = f32>, count: usize) -> Vec<f32> {
    let share = (SAMPLE as f64 / count.max(1) as f64 * u32::MAX as f64) as u32;
    let drawn = |document: u64| count <= SAMPLE || scattered(document) <= share;
    let mut sample: Vec<f32> = (0..)
        .zip(values)
        .filter(|&(document, x)| !x.is_nan() && drawn(document))
        // −0 and 0 are the same value.
        .map(|(_, x)| x + 0.0)
        .collect();
    sample.sort_unstable_by(f32::total_cmp);
    let mut distinct: Vec<(f32, usize)> = Vec::new();
    for group in sample.chunk_by(|a, b| a == b) {
        distinct.push((group[0], group.len()));
    }
    let between = |pair: &[(f32, usize)]| half_way(pair[0].0, pair[1].0);
    if distinct.len() <= MOST_BINS {
        return distinct.windows(2).map(between).collect();
    }
    let mut edges = Vec::with_capacity(MOST_BINS - 1);
    let (mut left, mut filled) = (sample.len(), 0);
    for pair in distinct.windows(2) {
        filled += pair[0].1;
        let wanted = left as f64 / (MOST_BINS - edges.len()) as f64;
        // A frequent value that comes next starts its own bin instead of enlarging this one.
        if filled as f64 >= wanted || (pair[1].1 as f64 >= wanted && filled as f64 >= wanted / 2.0)
        {
            edges.push(between(pair));
            left -= filled;
            filled = 0;
        }
        if edges.len() + 1 == MOST_BINS {
            break;
        }
    }
    edges
}

/// A pseudo-random number that depends only on the document. A fixed stride would be biased: with
/// lists of ten documents, every tenth document is the first of its list. (The finaliser of
/// MurmurHash3.)
fn scattered(document: u64) -> u32 {
    let mixed = (document ^ document >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let mixed = (mixed ^ mixed >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (mixed >> 32) as u32
}

/// A value v with low ≤ v < high: the midpoint, up to `f32` rounding.
fn half_way(low: f32, high: f32) -> f32 {
    let middle = ((f64::from(low) + f64::from(high)) / 2.0) as f32;
    if middle < high { middle } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};

    fn bins(values: Vec<f32>) -> Bins {
        let n = values.len();
        let data = Dataset::new(
            values,
            vec![0.; n],
            Queries::from_sizes(&[n]),
            FeatureTable::numbered(1, 1),
        );
        Bins::new(&data.view(), &StopToken::default()).unwrap()
    }

    #[test]
    fn few_distinct_values_and_missing_values_get_separate_bins() {
        let binned = bins(vec![3., f32::NAN, -1., 3., 0., -0.]);
        assert_eq!(binned.column(0), [2, 3, 0, 2, 1, 1]);
        assert_eq!(binned.missing_bin(0), Some(3));
        assert_eq!(binned.threshold(0, 1, Some(2)), 1.5);
        assert_eq!(binned.threshold(0, 0, Some(2)), 1.0);
    }

    #[test]
    fn many_distinct_values_fill_bins_evenly_except_a_frequent_one() {
        let values: Vec<f32> = (0..20_000)
            .map(|i| if i % 2 == 0 { 0.0 } else { (i * 7919 % 20_011) as f32 })
            .collect();
        let binned = bins(values);
        let mut sizes = [0usize; 256];
        binned.column(0).iter().for_each(|&bin| sizes[usize::from(bin)] += 1);
        assert_eq!(sizes[0], 10_000, "the common value is alone");
        let used: Vec<usize> = sizes[1..].iter().copied().filter(|&size| size > 0).collect();
        assert_eq!(used.len(), 254);
        assert!(used.iter().all(|&size| (30..=60).contains(&size)), "{used:?}");
    }

    /// Lists of five, best value first: the sample must not consist of the first document of every
    /// list.
    #[test]
    fn sampling_of_large_data_is_not_periodic() {
        let values: Vec<f32> =
            (0..1_000_000u32).map(|i| (i % 5) as f32 * 1000.0 + (i % 997) as f32).collect();
        let binned = bins(values);
        let mut sizes = [0usize; 256];
        binned.column(0).iter().for_each(|&bin| sizes[usize::from(bin)] += 1);
        assert!(sizes.iter().max().is_some_and(|&most| most < 10_000), "{sizes:?}");
    }

    #[test]
    fn adjacent_floats_are_separated() {
        let (low, high) = (1.0f32, 1.0f32.next_up());
        assert!(half_way(low, high) >= low && half_way(low, high) < high);
        assert!(half_way(f32::MIN, f32::MAX).is_finite());
    }
}
