//! The state of a search.

use serde::{Deserialize, Serialize};

/// A genome, its evaluation, and its fitness among the other individuals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Individual<G, E> {
    /// The genome.
    pub genome: G,
    /// The problem's evaluation of the genome.
    pub evaluation: E,
    /// Its fitness among the individuals it was last compared with. Less is better; below 1 if and
    /// only if none of them dominates it.
    pub fitness: f64,
}

/// A search after one of its generations: all that is needed to resume it.
///
/// Resuming with the same bytes needs a format that restores every number exactly. JSON does so
/// with the `float_roundtrip` feature of `serde_json`, if no evaluation is infinite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchState<G, E> {
    /// The last completed generation; 0 is the random one.
    pub generation: u64,
    /// SPEA2: the offspring of this generation. NSGA-II: the individuals that survived it, best
    /// first.
    pub population: Vec<Individual<G, E>>,
    /// SPEA2: the individuals that survived this generation. NSGA-II has none.
    pub archive: Vec<Individual<G, E>>,
}

impl<G, E> SearchState<G, E> {
    /// The state before the first generation.
    pub(super) fn empty() -> Self {
        Self { generation: 0, population: Vec::new(), archive: Vec::new() }
    }
}

/// The individuals that no other dominates or, if dominance is cyclic and there are none, those
/// with the least fitness.
pub fn front<G, E>(individuals: &[Individual<G, E>]) -> impl Iterator<Item = &Individual<G, E>> {
    let least =
        individuals.iter().map(|individual| individual.fitness).fold(f64::INFINITY, f64::min);
    individuals
        .iter()
        .filter(move |individual| individual.fitness < 1.0 || individual.fitness <= least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_is_nondominated_or_of_least_fitness() {
        let genomes = |fitness: &[f64]| -> Vec<usize> {
            let individual = |(genome, &fitness)| Individual { genome, evaluation: (), fitness };
            let individuals: Vec<_> = fitness.iter().enumerate().map(individual).collect();
            front(&individuals).map(|individual| individual.genome).collect()
        };
        assert_eq!(genomes(&[0.5, 1.2, 0.3]), [0, 2]);
        assert_eq!(genomes(&[3.5, 2.5, 4.0, 2.5]), [1, 3]);
        assert!(genomes(&[]).is_empty());
    }
}
