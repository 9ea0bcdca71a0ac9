//! What a search has reached.

use serde::{Deserialize, Serialize};

/// A genome, what it is worth by itself, and how it stands among the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Individual<G, E> {
    /// The genome.
    pub genome: G,
    /// What the problem said about it.
    pub evaluation: E,
    /// How it stands among those it was last compared with; the least is best, and below 1 nobody
    /// dominates it.
    pub fitness: f64,
}

/// A search after one of its generations: all that is needed to go on.
///
/// To go on with the same bytes, a format must give every number back as it was. In JSON that takes
/// the feature `float_roundtrip` of `serde_json` and evaluations without infinities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State<G, E> {
    /// The generation that was completed last; 0 is the random one.
    pub generation: u64,
    /// SPEA2: the individuals born in this generation. NSGA-II: those that survived it, best first.
    pub population: Vec<Individual<G, E>>,
    /// SPEA2: the individuals that survived this generation. NSGA-II has none.
    pub archive: Vec<Individual<G, E>>,
}

impl<G, E> State<G, E> {
    /// Before anything is born.
    pub(super) fn empty() -> Self {
        Self { generation: 0, population: Vec::new(), archive: Vec::new() }
    }
}

/// Those whom nobody dominates. If dominance goes in circles there may be none; then those with the
/// least fitness.
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
    fn the_front_is_the_undominated_or_else_the_least() {
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
