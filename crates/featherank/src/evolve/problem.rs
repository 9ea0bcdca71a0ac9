//! The problem to be searched: its genomes, their evaluation and their variation.

use std::hash::Hash;

use crate::random::Stream;

/// A problem that can be searched. All randomness comes from the generator passed in, and an
/// evaluation depends on the genome alone; an interrupted search can therefore be resumed exactly.
pub trait SearchProblem {
    /// A candidate solution.
    type Genome: Clone + Eq + Hash;
    /// The evaluation of a genome: its objectives and any other results to keep.
    type Evaluation: Clone;
    /// Why an evaluation may fail.
    type Error;

    /// A genome of the first generation. `number` counts from 0, so that an implementation may
    /// return given genomes first and random ones after. It exceeds the population if earlier
    /// genomes were duplicates.
    fn initial(&self, number: usize, rng: &mut Stream) -> Self::Genome;

    /// Two children of two parents.
    fn cross(
        &self,
        a: &Self::Genome,
        b: &Self::Genome,
        rng: &mut Stream,
    ) -> (Self::Genome, Self::Genome);

    /// Mutates a child. The first children are those of generation 1.
    fn mutate(&self, genome: Self::Genome, generation: u64, rng: &mut Stream) -> Self::Genome;

    /// Turns a genome into a feasible one, for instance a nonempty one. Called once for every
    /// genome.
    fn repair(&self, genome: Self::Genome) -> Self::Genome {
        genome
    }

    /// Evaluates genomes, in order. All genomes of a generation are passed at once, so that they
    /// may share passes over the data or threads.
    ///
    /// # Errors
    /// If the problem's own computation fails; the search then stops.
    fn evaluate(&mut self, genomes: &[Self::Genome]) -> Result<Vec<Self::Evaluation>, Self::Error>;

    /// Whether an error of [`evaluate`](Self::evaluate) ends the search with the state before it,
    /// as a stop does, or fails it. Not called in the first generation, before which there is no
    /// state.
    ///
    /// # Errors
    /// If the search fails, which is the default.
    fn end_early(&self, error: Self::Error) -> Result<(), Self::Error> {
        Err(error)
    }
}
