//! Where documents differ from their nearest neighbours in the same query: the sums behind Relief
//! for ranking.
//!
//! For each document i and its k nearest neighbours j: how far apart their values are, |xᵢ − xⱼ|,
//! for each feature, how far apart their labels, a = |yᵢ − yⱼ|/r with r the range of the query's
//! labels, and the products of both. A feature that separates near documents of different relevance
//! has large products; one that differs between equally relevant documents has differences without
//! products. Features are scaled to a range of 1; the distance of two documents is the sum of their
//! differences. Documents tied at the k-th distance share the remaining places, so that the order
//! of rows has no influence. Queries whose labels are all equal carry no information and are
//! skipped.
//!
//! All distances of a list are needed: a few rows at a time are compared with all others, column by
//! column.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::data::{FeatureId, View};
use crate::engine::{Block, Merge, Pass, Schema, check_features, check_length};
use crate::error::Result;

/// Differences between documents and their nearest neighbours in the same query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Relief {
    /// The features, in the order of the answer.
    pub features: Vec<FeatureId>,
    /// Neighbours of a document.
    pub neighbours: usize,
    /// Smallest and largest value of each feature, to scale by; by default those of each query.
    pub ranges: Option<Vec<(f32, f32)>>,
    /// Weight of each feature in distances; by default 1.
    pub distance_weights: Option<Vec<f32>>,
}

impl Pass for Relief {
    type Answer = ReliefSums;
    const NAME: &'static str = "relief";
    const ACTIVITY: &'static str = "comparing neighbouring documents";

    fn check(&self, schema: &Schema) -> Result<()> {
        let width = self.features.len();
        let ranges = self.ranges.as_ref().map_or(width, Vec::len);
        check_length("ranges", ranges, width)?;
        let weights = self.distance_weights.as_ref().map_or(width, Vec::len);
        check_length("weights of distances", weights, width)?;
        check_features(schema, &self.features)
    }

    fn answer(&self, block: &Block<'_>) -> ReliefSums {
        let zeros = vec![0.0; self.features.len()];
        let (differences, products) = (zeros.clone(), zeros);
        let mut all = ReliefSums { documents: 0, places: 0.0, labels: 0.0, differences, products };
        let mut list = QueryList::default();
        for rows in block.rows() {
            let labels = &block.data().labels()[rows.clone()];
            let (least, most) = range_of(labels);
            if least >= most {
                continue;
            }
            list.scale(self, block, &rows);
            list.find_neighbours(self.neighbours, labels, f64::from(most) - f64::from(least));
            all.documents += rows.len() as u64;
            all.places += list.pairs.iter().map(|pair| pair.place).sum::<f64>();
            all.labels += list.pairs.iter().map(|pair| pair.place * pair.apart).sum::<f64>();
            // All other pairs are equal in all features.
            list.pairs.retain(|pair| pair.differ);
            let columns = list.scaled.chunks_exact(rows.len());
            for ((column, sum), product) in columns.zip(&mut all.differences).zip(&mut all.products)
            {
                for pair in &list.pairs {
                    let difference =
                        pair.place * f64::from((column[pair.i] - column[pair.j]).abs());
                    *sum += difference;
                    *product += difference * pair.apart;
                }
            }
        }
        all
    }
}

/// Sums over documents and their neighbours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReliefSums {
    /// Documents whose neighbours were compared.
    pub documents: u64,
    /// Neighbours that were compared.
    pub places: f64,
    /// How far apart labels of neighbours are.
    pub labels: f64,
    /// How far apart neighbours are in each feature.
    pub differences: Vec<f64>,
    /// The same, times how far apart their labels are.
    pub products: Vec<f64>,
}

impl ReliefSums {
    /// The mean of |xᵢ − xⱼ| (2a − 1) over documents and as many neighbours as each should have.
    pub fn weights(&self, neighbours: usize) -> Vec<f64> {
        let comparisons = (self.documents as f64 * neighbours as f64).max(1.0);
        let gain = |(difference, product): (&f64, &f64)| (2.0 * product - difference) / comparisons;
        self.differences.iter().zip(&self.products).map(gain).collect()
    }

    /// The mean difference weighted by a less the mean difference weighted by 1 − a.
    pub fn balanced_weights(&self) -> Vec<f64> {
        let mean = |sum: f64, weight: f64| if weight > 0.0 { sum / weight } else { 0.0 };
        let gain = |(difference, product): (&f64, &f64)| {
            mean(*product, self.labels) - mean(difference - product, self.places - self.labels)
        };
        self.differences.iter().zip(&self.products).map(gain).collect()
    }
}

impl Merge for ReliefSums {
    fn merge(mut self, next: Self) -> Self {
        self.documents += next.documents;
        self.places += next.places;
        self.labels += next.labels;
        self.differences.iter_mut().zip(next.differences).for_each(|(all, more)| *all += more);
        self.products.iter_mut().zip(next.products).for_each(|(all, more)| *all += more);
        self
    }
}

/// Rows that are compared with all others at a time: each value of a column is read once for all of
/// them.
const ROWS: usize = 4;

/// One query's documents; its memory serves all queries of a block.
#[derive(Default)]
struct QueryList {
    documents: usize,
    /// Column after column, each with a range of 1.
    scaled: Vec<f32>,
    /// The same times the weights of the features, if there are weights.
    weighted: Option<Vec<f32>>,
    /// From some rows to all.
    distances: Vec<f32>,
    ordered: Vec<u32>,
    pairs: Vec<NeighbourPair>,
}

/// A document and its neighbour.
struct NeighbourPair {
    i: usize,
    j: usize,
    /// The share of a neighbour's place: less than 1 for tied neighbours.
    place: f64,
    /// How far apart their labels are, as a share of the query's range.
    apart: f64,
    /// In some feature, as far as is known.
    differ: bool,
}

impl QueryList {
    fn scale(&mut self, pass: &Relief, block: &View<'_>, rows: &Range<usize>) {
        self.documents = rows.len();
        self.scaled.clear();
        for (at, &feature) in pass.features.iter().enumerate() {
            let values = &block.data().column(feature)[rows.clone()];
            let (least, most) = match &pass.ranges {
                Some(ranges) => ranges[at],
                None => range_of(values),
            };
            let (least, range) = (f64::from(least), f64::from(most) - f64::from(least));
            let scale = if range > 0.0 { range.recip() } else { 0.0 };
            self.scaled.extend(values.iter().map(|&x| ((f64::from(x) - least) * scale) as f32));
        }
        self.weighted = pass.distance_weights.as_ref().map(|weights| {
            let columns = self.scaled.chunks_exact(rows.len()).zip(weights);
            columns.flat_map(|(column, weight)| column.iter().map(move |x| x * weight)).collect()
        });
    }

    /// All pairs of a document and a neighbour.
    fn find_neighbours(&mut self, neighbours: usize, labels: &[f32], range: f64) {
        self.pairs.clear();
        let neighbours = neighbours.min(self.documents - 1);
        for first in (0..self.documents).step_by(ROWS) {
            let rows = first..self.documents.min(first + ROWS);
            self.measure_from(&rows);
            for (i, distances) in rows.zip(self.distances.chunks_exact_mut(self.documents)) {
                distances[i] = f32::INFINITY;
                // Numbers that are not negative are in the order of their bits.
                self.ordered.clear();
                self.ordered.extend(distances.iter().map(|distance| distance.to_bits()));
                let (closer, &mut farthest, _) = self.ordered.select_nth_unstable(neighbours - 1);
                let closer = closer.iter().filter(|&&distance| distance < farthest).count();
                let farthest = f32::from_bits(farthest);
                let tied = distances.iter().filter(|&&distance| distance == farthest).count();
                let share = (neighbours - closer) as f64 / tied as f64;
                for (j, &distance) in distances.iter().enumerate().filter(|(_, d)| **d <= farthest)
                {
                    let apart = (f64::from(labels[i]) - f64::from(labels[j])).abs() / range;
                    let place = if distance < farthest { 1.0 } else { share };
                    // Documents at the same place may differ in features that do not count.
                    let differ = distance > 0.0 || self.weighted.is_some();
                    self.pairs.push(NeighbourPair { i, j, place, apart, differ });
                }
            }
        }
    }

    /// Distances from some rows to all, row after row.
    fn measure_from(&mut self, rows: &Range<usize>) {
        self.distances.clear();
        self.distances.resize(rows.len() * self.documents, 0.0);
        let columns = self.weighted.as_ref().unwrap_or(&self.scaled);
        for column in columns.chunks_exact(self.documents) {
            if let [a, b, c, d] = column[rows.clone()] {
                let (ab, cd) = self.distances.split_at_mut(2 * self.documents);
                let (to_a, to_b) = ab.split_at_mut(self.documents);
                let (to_c, to_d) = cd.split_at_mut(self.documents);
                let cells = to_a.iter_mut().zip(to_b).zip(to_c.iter_mut().zip(to_d));
                for (&x, ((to_a, to_b), (to_c, to_d))) in column.iter().zip(cells) {
                    *to_a += (x - a).abs();
                    *to_b += (x - b).abs();
                    *to_c += (x - c).abs();
                    *to_d += (x - d).abs();
                }
            } else {
                for (row, distances) in
                    rows.clone().zip(self.distances.chunks_exact_mut(self.documents))
                {
                    let own = column[row];
                    column
                        .iter()
                        .zip(distances)
                        .for_each(|(x, distance)| *distance += (x - own).abs());
                }
            }
        }
    }
}

fn range_of(values: &[f32]) -> (f32, f32) {
    values
        .iter()
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(least, most), &x| (least.min(x), most.max(x)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};

    /// Values 0, 1, 1, 3, 3 in one query with labels 2, 0, 1, 2, 2. The nearest of the first is 1,
    /// tied: each counts a half, with labels 2 and 1 apart: ½ · 1 · (2 · 2/2 − 1) + ½ · 1 · 0 = ½.
    /// The others have a neighbour at distance 0: nothing. With two neighbours the first gets 1 ·
    /// 1 + 1 · 0 = 1; the second the first, at 1 · 1 = 1, after the third; the third the first
    /// likewise, of label 1 apart: 0; the fourth and fifth, after each other, share the two at
    /// distance 2 with one place: ½ · 2 · 1 + ½ · 2 · 0 = 1 each.
    #[test]
    fn tied_neighbours_share_the_remaining_weight() {
        let values = vec![0., 1., 1., 3., 3., /* a query of equal labels */ 5., 9.];
        let labels = vec![2., 0., 1., 2., 2., 1., 1.];
        let data = Dataset::new(
            values,
            labels,
            Queries::from_sizes(&[5, 2]),
            FeatureTable::numbered(1, 1),
        );
        for (neighbours, expected) in [(1, 0.5), (2, 4.0)] {
            let ranges = Some(vec![(0.0, 1.0)]);
            let pass =
                Relief { features: vec![FeatureId(0)], neighbours, ranges, distance_weights: None };
            let relief = pass.answer(&Block::of(data.view()));
            assert_eq!((relief.documents, relief.places), (5, 5.0 * neighbours as f64));
            assert_eq!(relief.weights(neighbours), [expected / (5.0 * neighbours as f64)]);
        }
    }

    /// Values 0, 1, 3 with labels 2, 0, 1 and one neighbour: 0 and 1 have each other, at distance 1
    /// with labels a whole range apart; 3 has 1, at distance 2 and half a range. Products 1 + 1 + 1
    /// over a's of 1 + 1 + ½, less what is left of the differences, 4 − 3, over 3 − 2½.
    #[test]
    fn balanced_weights_compare_two_means() {
        let (values, labels) = (vec![0., 1., 3.], vec![2., 0., 1.]);
        let data =
            Dataset::new(values, labels, Queries::from_sizes(&[3]), FeatureTable::numbered(1, 1));
        let ranges = Some(vec![(0.0, 1.0)]);
        let pass =
            Relief { features: vec![FeatureId(0)], neighbours: 1, ranges, distance_weights: None };
        let weight = pass.answer(&Block::of(data.view())).balanced_weights()[0];
        assert!((weight - (3.0 / 2.5 - 1.0 / 0.5)).abs() < 1e-12, "{weight}");
    }

    /// Three documents at (0, 0), (0, 1), (1, ½) with labels 1, 0, 0. Distances use only the first
    /// feature: the first two have each other, at distance 0, and differ by 1 in the second
    /// feature, with labels a whole range apart: 1 each. The third has both, tied, one with an
    /// equal label: ½ − ½ = 0. In the second feature alone the first and the third are near, at ½,
    /// and so are the second and the third, tied for the third: ½ and ½ from the first two, of
    /// which the second has an equal label, then ½ · ½ − ½ · ½ = 0.
    #[test]
    fn distance_weights_determine_the_neighbours() {
        let values = vec![0., 0., 1., /* */ 0., 1., 0.5];
        let data = Dataset::new(
            values,
            vec![1., 0., 0.],
            Queries::from_sizes(&[3]),
            FeatureTable::numbered(2, 1),
        );
        for (counts, expected) in [([1.0, 0.0], [0.0, 2.0]), ([0.0, 1.0], [0.0, 0.0])] {
            let pass = Relief {
                features: vec![FeatureId(0), FeatureId(1)],
                neighbours: 1,
                ranges: Some(vec![(0.0, 1.0); 2]),
                distance_weights: Some(counts.to_vec()),
            };
            assert_eq!(
                pass.answer(&Block::of(data.view())).weights(1),
                expected.map(|sum| sum / 3.0)
            );
        }
    }
}
