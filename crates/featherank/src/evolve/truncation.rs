//! SPEA2's truncation: removes individuals where they are most dense.

use std::cmp::Ordering;

/// The pairwise distances of individuals.
#[derive(Debug, Clone, PartialEq)]
pub struct Distances {
    size: usize,
    values: Vec<f64>,
}

impl Distances {
    /// Computes the distance of every pair once. A distance must be symmetric and not NaN.
    pub fn new(size: usize, distance: impl Fn(usize, usize) -> f64) -> Self {
        let mut values = vec![0.0; size * size];
        for a in 0..size {
            for b in 0..a {
                let apart = distance(a, b);
                values[a * size + b] = apart;
                values[b * size + a] = apart;
            }
        }
        Self { size, values }
    }

    /// The number of individuals.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The distance between two individuals.
    #[must_use]
    pub fn between(&self, a: usize, b: usize) -> f64 {
        self.values[a * self.size + b]
    }

    /// The distances from one individual to the others among `members`, nearest first.
    pub(super) fn sorted(&self, from: usize, members: &[usize]) -> Vec<f64> {
        let others = members.iter().filter(|&&to| to != from);
        let mut distances: Vec<f64> = others.map(|&to| self.between(from, to)).collect();
        distances.sort_unstable_by(f64::total_cmp);
        distances
    }
}

/// Keeps `size` of the members: repeatedly removes the one closest to its nearest neighbour; ties
/// are decided by the second nearest neighbour, and so on. If all distances are tied, the last
/// member is removed.
///
/// Distances are sorted once, and each removal takes one number out of every list: O(n² log n) for
/// the sorting and O(n) per list and removal.
#[must_use]
pub fn truncate(distances: &Distances, members: &[usize], size: usize) -> Vec<usize> {
    let sorted = |&member: &usize| (member, distances.sorted(member, members));
    let mut left: Vec<(usize, Vec<f64>)> = members.iter().map(sorted).collect();
    while left.len() > size {
        // Searching from the end makes the last of equals the minimum.
        let closest = (0..left.len()).rev().min_by(|&a, &b| lexicographic(&left[a].1, &left[b].1));
        let (deleted, _) = left.remove(closest.unwrap_or_default());
        for (member, near) in &mut left {
            let distance = distances.between(*member, deleted);
            near.remove(near.partition_point(|other| other.total_cmp(&distance).is_lt()));
        }
    }
    left.into_iter().map(|(member, _)| member).collect()
}

fn lexicographic(a: &[f64], b: &[f64]) -> Ordering {
    let differences = a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
    differences.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::super::genome::Bits;
    use super::super::tests::{chromosomes, config, fixture};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fixture_is_truncated_step_by_step() {
        let fixture = fixture();
        let genomes = chromosomes(&fixture);
        let distances = Distances::new(genomes.len(), |a, b| genomes[a].distance(&genomes[b]));
        let mut members = vec![0, 1, 2, 3];
        for step in fixture["truncate_first4_to_2"].as_array().unwrap() {
            for (member, expected) in step["sorted_distances"].as_object().unwrap() {
                let expected: Vec<f64> = serde_json::from_value(expected.clone()).unwrap();
                let found = distances.sorted(member.parse().unwrap(), &members);
                assert!(
                    found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9),
                    "{found:?}"
                );
                assert_eq!(found.len(), expected.len());
            }
            members.retain(|&member| step["removed"] != member);
            assert_eq!(truncate(&distances, &[0, 1, 2, 3], members.len()), members);
        }
        assert_eq!(serde_json::to_value(members).unwrap(), fixture["kept"]);
    }

    /// The definition, with distances sorted again after every removal.
    fn brute_force(distances: &Distances, members: &[usize], size: usize) -> Vec<usize> {
        let mut left = members.to_vec();
        while left.len() > size {
            let mut worst = 0;
            for place in 1..left.len() {
                let (candidate, best) =
                    (distances.sorted(left[place], &left), distances.sorted(left[worst], &left));
                if candidate <= best {
                    worst = place;
                }
            }
            left.remove(worst);
        }
        left
    }

    proptest! {
        #![proptest_config(config())]

        /// Short genomes with duplicates, so that nearly all distances are tied.
        #[test]
        fn truncation_matches_brute_force(genes in prop::collection::vec(0u64..64, 1..25), size in 0usize..25) {
            let genomes: Vec<Bits> = genes.iter().map(|&word| Bits::from_words(6, || word)).collect();
            let distances = Distances::new(genomes.len(), |a, b| genomes[a].distance(&genomes[b]));
            let members: Vec<usize> = (0..genomes.len()).filter(|member| member % 5 != 3).collect();
            prop_assert_eq!(truncate(&distances, &members, size), brute_force(&distances, &members, size));
        }

        /// Points in the plane, where ties are rare.
        #[test]
        fn truncation_of_points_matches_brute_force(
            points in prop::collection::vec(prop::array::uniform2(-1.0f64..1.0), 1..25), size in 0usize..25,
        ) {
            let apart = |a: usize, b: usize| (points[a][0] - points[b][0]).hypot(points[a][1] - points[b][1]);
            let distances = Distances::new(points.len(), apart);
            let members: Vec<usize> = (0..points.len()).collect();
            prop_assert_eq!(truncate(&distances, &members, size), brute_force(&distances, &members, size));
        }
    }
}
