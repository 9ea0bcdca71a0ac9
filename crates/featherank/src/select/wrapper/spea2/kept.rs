//! What a checkpoint holds: subsets, and not what they are worth, which follows from the data.

use serde::{Deserialize, Serialize};

use super::objectives::Worth;
use super::subsets::Subsets;
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
    pub fn of(state: &SearchState<Bits, Worth>, generations: &[Generation]) -> Self {
        let bare = |one: &Individual<Bits, Worth>| Individual {
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
        problem: &mut Memo<Subsets<'_>>,
    ) -> Result<(SearchState<Bits, Worth>, Vec<Generation>)> {
        let mut again = |bare: Vec<Individual<Bits, ()>>| -> Result<Vec<Individual<Bits, Worth>>> {
            let genomes: Vec<Bits> = bare.iter().map(|one| one.genome.clone()).collect();
            let worths = problem.evaluate(&genomes)?;
            let join = |(one, evaluation): (Individual<Bits, ()>, Worth)| Individual {
                genome: one.genome,
                evaluation,
                fitness: one.fitness,
            };
            Ok(bare.into_iter().zip(worths).map(join).collect())
        };
        let SearchState { generation, population, archive } = self.state;
        let archive = again(archive)?;
        Ok((SearchState { generation, population: again(population)?, archive }, self.generations))
    }
}
