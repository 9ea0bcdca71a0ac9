//! k-means from pairwise squared distances alone.
//!
//! The squared distance of a point to the mean of a cluster C is Σⱼ D(i, j)/|C| − Σⱼₗ D(j,
//! l)/(2|C|²) with j, l ∈ C, so that an iteration costs the square of the number of points, for any
//! number of clusters. Centres are drawn as in k-means++ (Arthur & Vassilvitskii 2007): each with a
//! probability that increases with the squared distance to the nearest centre so far. Points are
//! then assigned to the nearest mean until the assignment is stable. The result is the best of
//! several starts by the sum of squared distances to the means.

use rand::RngExt;
use rayon::prelude::*;

use crate::error::Result;
use crate::random::{Purpose, Stream, stream};
use crate::stop::StopToken;

/// The number of starts; each draws new centres.
const STARTS: u64 = 10;

/// The maximum number of iterations of a start; fewer than ten are usual.
const ROUNDS: usize = 100;

/// Squared distances between points.
#[derive(Debug, Clone)]
pub(super) struct SquaredDistances {
    width: usize,
    cells: Vec<f64>,
}

impl SquaredDistances {
    /// The distances between rows of a square matrix; an error if the token is stopped.
    pub fn between_rows(
        width: usize,
        cell: impl Fn(usize, usize) -> f64,
        stop: &StopToken,
    ) -> Result<Self> {
        let rows: Vec<Vec<f64>> =
            (0..width).map(|a| (0..width).map(|b| cell(a, b)).collect()).collect();
        let squares =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
        let mut cells = vec![0.0; width * width];
        let of_rows = cells.par_chunks_mut(width.max(1)).zip(&rows);
        of_rows.try_for_each(|(cells, a)| {
            stop.check()?;
            cells.iter_mut().zip(&rows).for_each(|(cell, b)| *cell = squares(a, b));
            Ok(())
        })?;
        Ok(SquaredDistances { width, cells })
    }

    fn row(&self, point: usize) -> &[f64] {
        &self.cells[point * self.width..(point + 1) * self.width]
    }

    /// At most `count` clusters, none empty, numbered by their first points; fewer if fewer points
    /// differ, or if a cluster loses all its points to others. An error if the token is stopped.
    pub fn clusters(&self, count: usize, seed: u64, stop: &StopToken) -> Result<Vec<usize>> {
        let mut best = (Vec::new(), f64::INFINITY);
        for start in 0..STARTS {
            // One random stream for each start and number of clusters: the result for one number
            // must not depend on which others are tried.
            let index = (count as u64) << 16 | start;
            let drawn = self.drawn(count, &mut stream(seed, Purpose::Clusters, index));
            let next = self.improved(drawn, stop)?;
            if start == 0 || next.1.total_cmp(&best.1).is_lt() {
                best = next;
            }
        }
        Ok(best.0)
    }

    /// Draws centres one after the other and assigns every point to the nearest.
    fn drawn(&self, count: usize, random: &mut Stream) -> Vec<usize> {
        let mut nearest = vec![f64::INFINITY; self.width];
        let mut clusters = vec![0; self.width];
        for cluster in 0..count.min(self.width) {
            let centre = match cluster {
                0 => random.random_range(0..self.width),
                _ => {
                    let total: f64 = nearest.iter().sum();
                    let mut mark = random.random::<f64>() * total;
                    let passes = |&distance: &f64| {
                        mark -= distance;
                        distance > 0.0 && mark < 0.0
                    };
                    let last_apart = nearest.iter().rposition(|&distance| distance > 0.0);
                    match nearest.iter().position(passes).or(last_apart) {
                        Some(centre) => centre,
                        None => break,
                    }
                }
            };
            for (point, &distance) in self.row(centre).iter().enumerate() {
                if distance < nearest[point] {
                    (nearest[point], clusters[point]) = (distance, cluster);
                }
            }
        }
        clusters
    }

    /// Assigns points to the nearest mean until the assignment is stable; returns the clusters and
    /// the sum of squared distances to their means.
    fn improved(&self, mut clusters: Vec<usize>, stop: &StopToken) -> Result<(Vec<usize>, f64)> {
        for _ in 0..ROUNDS {
            stop.check()?;
            let distances = self.to_means(&clusters);
            let moved = |(point, &own): (usize, &usize)| {
                let row = &distances[point];
                let nearer =
                    |best: usize, other: usize| if row[other] < row[best] { other } else { best };
                (0..row.len()).fold(own, nearer)
            };
            let next = numbered(&clusters.iter().enumerate().map(moved).collect::<Vec<_>>());
            if next == clusters {
                break;
            }
            clusters = next;
        }
        let clusters = numbered(&clusters);
        let distances = self.to_means(&clusters);
        let sum = clusters.iter().zip(&distances).map(|(&own, row)| row[own].max(0.0)).sum();
        Ok((clusters, sum))
    }

    /// For each point, its squared distance to the mean of each cluster.
    fn to_means(&self, clusters: &[usize]) -> Vec<Vec<f64>> {
        let count = clusters.iter().max().map_or(0, |most| most + 1);
        let mut sizes = vec![0.0; count];
        clusters.iter().for_each(|&cluster| sizes[cluster] += 1.0);
        let mut sums = vec![vec![0.0; count]; self.width];
        for (point, sums) in sums.iter_mut().enumerate() {
            self.row(point).iter().zip(clusters).for_each(|(d, &cluster)| sums[cluster] += d);
        }
        let mut within = vec![0.0; count];
        clusters.iter().zip(&sums).for_each(|(&cluster, sums)| within[cluster] += sums[cluster]);
        for row in &mut sums {
            for ((sum, size), within) in row.iter_mut().zip(&sizes).zip(&within) {
                *sum = *sum / size - within / (2.0 * size * size);
            }
        }
        sums
    }
}

/// The same clusters, numbered by their first points; a cluster that lost its last point has no
/// number.
fn numbered(clusters: &[usize]) -> Vec<usize> {
    let mut numbers = vec![None; clusters.iter().max().map_or(0, |most| most + 1)];
    let mut count = 0;
    let number = |&cluster: &usize| {
        *numbers[cluster].get_or_insert_with(|| {
            count += 1;
            count - 1
        })
    };
    clusters.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(points: &[Vec<f64>]) -> SquaredDistances {
        let squares =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
        let cells = points.iter().flat_map(|a| points.iter().map(move |b| squares(a, b))).collect();
        SquaredDistances { width: points.len(), cells }
    }

    #[test]
    fn distances_are_between_rows() {
        let matrix = [[1.0, 0.5], [0.5, 1.0]];
        let between =
            |stop: &StopToken| SquaredDistances::between_rows(2, |a, b| matrix[a][b], stop);
        assert_eq!(between(&StopToken::NEVER).unwrap().row(0), [0.0, 0.5]);
        let stopped = StopToken::new();
        stopped.stop(crate::Stop::Interrupted);
        assert!(between(&stopped).is_err());
    }

    fn clusters(points: &[Vec<f64>], count: usize, seed: u64) -> Vec<usize> {
        rows(points).clusters(count, seed, &StopToken::NEVER).unwrap()
    }

    #[test]
    fn separated_groups_are_recovered() {
        let points: Vec<Vec<f64>> =
            [0., 9., 0.1, 20., 9.2, 0.2, 20.1].iter().map(|&x| vec![x]).collect();
        assert_eq!(clusters(&points, 3, 1), [0, 1, 0, 2, 1, 0, 2]);
        assert_eq!(clusters(&points, 1, 1), [0; 7]);
        assert_eq!(clusters(&points, 7, 1), [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn copies_stay_together() {
        let points: Vec<Vec<f64>> = [3., 1., 3., 1., 3.].iter().map(|&x| vec![x]).collect();
        for count in 2..6 {
            assert_eq!(clusters(&points, count, 1), [0, 1, 0, 1, 0], "{count}");
        }
        assert!(clusters(&[], 3, 1).is_empty());
    }

    proptest! {
        /// No point is closer to another cluster's mean, computed from coordinates, and no cluster
        /// is empty.
        #[test]
        fn every_point_is_with_its_nearest_mean(
            points in prop::collection::vec(prop::collection::vec(-5.0f64..5.0, 3), 1..25), count in 1usize..8,
        ) {
            let clusters = clusters(&points, count, 3);
            let found = clusters.iter().max().unwrap() + 1;
            prop_assert!(found <= count);
            let mean = |cluster: usize| -> Vec<f64> {
                let own: Vec<&Vec<f64>> = points.iter().zip(&clusters).filter(|(_, c)| **c == cluster).map(|(p, _)| p).collect();
                (0..3).map(|axis| own.iter().map(|p| p[axis]).sum::<f64>() / own.len() as f64).collect()
            };
            let means: Vec<Vec<f64>> = (0..found).map(mean).collect();
            for (point, &own) in points.iter().zip(&clusters) {
                let to = |mean: &Vec<f64>| point.iter().zip(mean).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
                prop_assert!(means.iter().all(|mean| to(&means[own]) <= to(mean) + 1e-9));
            }
        }
    }
}
