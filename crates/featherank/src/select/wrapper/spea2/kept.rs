//! What a checkpoint holds: subsets, and not what they are scores, which follows from the data.

use serde::{Deserialize, Serialize};

use super::objectives::SubsetScores;
use super::problem::SubsetProblem;
use crate::error::Result;
use crate::evolve::{Bits, Individual, Memo, Problem, SearchState};
use crate::select::Generation;

/// A search after a generation.
#[derive(Serialize, Deserialize)]
pub struct Kept {
    state: SearchState<Bits, ()>,
    generations: Vec<Generation>,
}

impl Kept {
    /// What there is to keep.
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
        Kept { state, generations: generations.to_vec() }
    }

    /// The search as it was, its subsets evaluated again.
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
