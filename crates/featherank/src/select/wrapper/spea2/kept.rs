//! The content of a checkpoint: subsets without their scores, which can be recomputed from the
//! data.

use serde::{Deserialize, Serialize};

use super::objectives::SubsetScores;
use super::problem::SubsetProblem;
use crate::error::Result;
use crate::evolve::{Bits, Individual, Memo, SearchProblem, SearchState};
use crate::select::Generation;

/// The state of a search after a generation.
#[derive(Serialize, Deserialize)]
pub struct SavedSearch {
    state: SearchState<Bits, ()>,
    generations: Vec<Generation>,
}

impl SavedSearch {
    /// The content for a state of the search.
    pub fn of(state: &SearchState<Bits, SubsetScores>, generations: &[Generation]) -> Self {
        let bare = |one: &Individual<Bits, SubsetScores>| Individual {
            genome: one.genome.clone(),
            evaluation: (),
            fitness: one.fitness,
        };
        let state = SearchState {
            generation: state.generation,
            population: state.population.iter().map(bare).collect(),
            archive: state.archive.iter().map(bare).collect(),
        };
        SavedSearch { state, generations: generations.to_vec() }
    }

    /// Whether the state is one of a search with this many free features.
    pub fn fits(&self, features: usize) -> bool {
        let SearchState { population, archive, .. } = &self.state;
        let all_fit = |individuals: &[Individual<Bits, ()>]| {
            individuals.iter().all(|one| one.genome.length() == features && !one.fitness.is_nan())
        };
        !population.is_empty() && !archive.is_empty() && all_fit(population) && all_fit(archive)
    }

    /// The restored search, its subsets evaluated again.
    pub fn revived(
        self,
        problem: &mut Memo<SubsetProblem<'_>>,
    ) -> Result<(SearchState<Bits, SubsetScores>, Vec<Generation>)> {
        let mut again =
            |bare: Vec<Individual<Bits, ()>>| -> Result<Vec<Individual<Bits, SubsetScores>>> {
                let genomes: Vec<Bits> = bare.iter().map(|one| one.genome.clone()).collect();
                let all_scores = problem.evaluate(&genomes)?;
                let join = |(one, evaluation): (Individual<Bits, ()>, SubsetScores)| Individual {
                    genome: one.genome,
                    evaluation,
                    fitness: one.fitness,
                };
                Ok(bare.into_iter().zip(all_scores).map(join).collect())
            };
        let SearchState { generation, population, archive } = self.state;
        let archive = again(archive)?;
        Ok((SearchState { generation, population: again(population)?, archive }, self.generations))
    }
}
