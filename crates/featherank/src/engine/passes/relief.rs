//! Where documents differ from their nearest neighbours in the same query: the sums behind Relief for ranking.
//!
//! For each document i and its k nearest neighbours j, features gain |xᵢ − xⱼ| (2 |yᵢ − yⱼ|/r − 1), with r the range of
//! the query's labels: a feature that tells near documents of different relevance apart gains, one that differs between
//! equally relevant ones loses. Features are scaled to a range of 1, and documents are as far apart as the sum of their
//! differences. Documents tied at the k-th distance share the places that are left, so that the order of rows plays no
//! part. A query whose labels are all equal says nothing and is left out.
//!
//! All distances of a list are needed, which is why a few rows at a time are compared with all others, column by
//! column.

use std::ops::Range;

use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::data::{FeatureId, View};
use crate::random::{Purpose, stream};

/// Which features to compare, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReliefPass {
    /// The features, in the order of the answer.
    pub features: Vec<FeatureId>,
    /// Neighbours of a document.
    pub neighbours: usize,
    /// Smallest and largest value of each feature, to scale by; those of each query where not given.
    pub ranges: Option<Vec<(f32, f32)>>,
    /// Look at some queries only.
    pub sample: Option<QuerySample>,
}

/// Queries drawn by a seed and their ids, wherever they are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct QuerySample {
    /// How many of them, from 0 to 1.
    pub share: f64,
    /// The run's seed.
    pub seed: u64,
}

impl QuerySample {
    /// Whether a query is drawn. Its id decides, not its number, so that shards and other orders of queries draw the
    /// same.
    pub fn draws(&self, id: &str) -> bool {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325, step);
        stream(self.seed, Purpose::QuerySample, hash >> 16).random::<f64>() < self.share
    }
}

/// Sums over documents and their neighbours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Relief {
    /// Documents whose neighbours were looked at.
    pub documents: u64,
    /// What each feature gained.
    pub sums: Vec<f64>,
}

impl Relief {
    pub(crate) fn of(pass: &ReliefPass, block: &View<'_>) -> Self {
        let mut all = Relief { documents: 0, sums: vec![0.0; pass.features.len()] };
        let mut list = List::default();
        for (query, rows) in block.queries().zip(block.rows()) {
            let drawn = pass.sample.is_none_or(|sample| sample.draws(block.data().queries().id(query)));
            let labels = &block.data().labels()[rows.clone()];
            let (least, most) = range_of(labels);
            if !drawn || least >= most {
                continue;
            }
            list.scale(pass, block, &rows);
            list.find_neighbours(pass.neighbours, labels, f64::from(most) - f64::from(least));
            all.documents += rows.len() as u64;
            for (sum, column) in all.sums.iter_mut().zip(list.scaled.chunks_exact(rows.len())) {
                let gain = |pair: &Pair| pair.weight * f64::from((column[pair.i] - column[pair.j]).abs());
                *sum += list.pairs.iter().map(gain).sum::<f64>();
            }
        }
        all
    }

    pub(crate) fn merge(mut self, next: Self) -> Self {
        self.documents += next.documents;
        self.sums.iter_mut().zip(next.sums).for_each(|(all, more)| *all += more);
        self
    }

    /// The mean gain of each feature, over documents and their neighbours.
    pub fn weights(&self, neighbours: usize) -> Vec<f64> {
        let comparisons = (self.documents as f64 * neighbours as f64).max(1.0);
        self.sums.iter().map(|sum| sum / comparisons).collect()
    }
}

/// Rows that are compared with all others at a time: each value of a column is read once for all of them.
const ROWS: usize = 4;

/// One query's documents; its memory serves all queries of a block.
#[derive(Default)]
struct List {
    documents: usize,
    /// Column after column, each with a range of 1.
    scaled: Vec<f32>,
    /// From some rows to all.
    distances: Vec<f32>,
    ordered: Vec<u32>,
    pairs: Vec<Pair>,
}

/// A document, its neighbour, and what a difference between them is worth.
struct Pair {
    i: usize,
    j: usize,
    weight: f64,
}

impl List {
    fn scale(&mut self, pass: &ReliefPass, block: &View<'_>, rows: &Range<usize>) {
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
    }

    /// The pairs of documents and neighbours that are worth something.
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
                // Documents at distance 0 do not differ in any feature.
                let near = |&(_, distance): &(usize, &f32)| *distance <= farthest && *distance > 0.0;
                for (j, &distance) in distances.iter().enumerate().filter(near) {
                    let apart = (f64::from(labels[i]) - f64::from(labels[j])).abs();
                    let place = if distance < farthest { 1.0 } else { share };
                    self.pairs.push(Pair { i, j, weight: place * (2.0 * apart / range - 1.0) });
                }
            }
        }
    }

    /// Distances from some rows to all, row after row.
    fn measure_from(&mut self, rows: &Range<usize>) {
        self.distances.clear();
        self.distances.resize(rows.len() * self.documents, 0.0);
        for column in self.scaled.chunks_exact(self.documents) {
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
                for (row, distances) in rows.clone().zip(self.distances.chunks_exact_mut(self.documents)) {
                    let own = column[row];
                    column.iter().zip(distances).for_each(|(x, distance)| *distance += (x - own).abs());
                }
            }
        }
    }
}

fn range_of(values: &[f32]) -> (f32, f32) {
    values.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(least, most), &x| (least.min(x), most.max(x)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};

    /// Values 0, 1, 1, 3, 3 in one query with labels 2, 0, 1, 2, 2. The nearest of the first is 1, tied: each counts a
    /// half, with labels 2 and 1 apart: ½ · 1 · (2 · 2/2 − 1) + ½ · 1 · 0 = ½. The others have a neighbour at distance
    /// 0: nothing. With two neighbours the first gets 1 · 1 + 1 · 0 = 1; the second the first, at 1 · 1 = 1, after the
    /// third; the third the first likewise, of label 1 apart: 0; the fourth and fifth, after each other, share the two
    /// at distance 2 with one place: ½ · 2 · 1 + ½ · 2 · 0 = 1 each.
    #[test]
    fn ties_share_what_is_left() {
        let values = vec![0., 1., 1., 3., 3., /* a query of equal labels */ 5., 9.];
        let labels = vec![2., 0., 1., 2., 2., 1., 1.];
        let data = Dataset::new(values, labels, Queries::from_sizes(&[5, 2]), FeatureTable::numbered(1, 1));
        for (neighbours, expected) in [(1, 0.5), (2, 4.0)] {
            let ranges = Some(vec![(0.0, 1.0)]);
            let pass = ReliefPass { features: vec![FeatureId(0)], neighbours, ranges, sample: None };
            let relief = Relief::of(&pass, &data.view());
            assert_eq!(relief, Relief { documents: 5, sums: vec![expected] }, "{neighbours} neighbours");
            assert_eq!(relief.weights(neighbours), [expected / (5.0 * neighbours as f64)]);
        }
    }

    #[test]
    fn samples_have_their_share_and_depend_on_the_seed() {
        let drawn = |share, seed| {
            let sample = QuerySample { share, seed };
            (0..2000).map(|query| sample.draws(&query.to_string())).collect::<Vec<bool>>()
        };
        let count = drawn(0.3, 1).iter().filter(|&&drawn| drawn).count();
        assert!((520..680).contains(&count), "{count} of 600");
        assert_ne!(drawn(0.3, 1), drawn(0.3, 2));
        assert!(drawn(1.0, 1).iter().all(|&drawn| drawn));
    }
}
