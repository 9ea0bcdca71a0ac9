//! What is searched: genomes, what they are worth and how they vary.

use std::hash::Hash;

use crate::random::Stream;

/// A problem that can be searched. Everything random comes from the generator that is handed over,
/// and what a genome is worth depends on nothing but the genome: then a search that was interrupted
/// goes on as if it had not been.
pub trait Problem {
    /// A possible answer.
    type Genome: Clone + Eq + Hash;
    /// What an answer is worth: objectives, and whatever else is worth keeping.
    type Evaluation: Clone;
    /// Why evaluating may fail.
    type Error;

    /// A genome of the first generation. Numbers count from 0, so that some may be given and the
    /// others be random; they go on past the population where a genome was a copy of an earlier
    /// one.
    fn initial(&self, number: usize, rng: &mut Stream) -> Self::Genome;

    /// Two children of two parents.
    fn cross(
        &self,
        a: &Self::Genome,
        b: &Self::Genome,
        rng: &mut Stream,
    ) -> (Self::Genome, Self::Genome);

    /// A child, changed a little or not at all. The first children are born in generation 1.
    fn mutate(&self, genome: Self::Genome, generation: u64, rng: &mut Stream) -> Self::Genome;

    /// Makes a genome one that may be evaluated, such as one that is not empty. Every genome passes
    /// here once.
    fn repair(&self, genome: Self::Genome) -> Self::Genome {
        genome
    }

    /// What these genomes are worth, in their order. All genomes of a generation come at once, so
    /// that they may share passes over the data or threads.
    ///
    /// # Errors
    /// If the problem's own work fails; the search stops then.
    fn evaluate(&mut self, genomes: &[Self::Genome]) -> Result<Vec<Self::Evaluation>, Self::Error>;
}
