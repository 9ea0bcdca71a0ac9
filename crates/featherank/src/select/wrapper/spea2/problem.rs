//! The search problem: a genome has one bit for each feature that may be chosen or not.
//!
//! Features to keep are in every subset and have no bit. A subset that is empty, too expensive or
//! not of the wanted size is repaired by adding or removing random features.

use rayon::prelude::*;

use super::objectives::{SubsetJudge, SubsetScores};
use crate::data::FeatureId;
use crate::error::{Error, Result};
use crate::evolve::{Bits, SearchProblem, bernoulli, mutate_gene_wise, two_point};
use crate::random::Stream;
use crate::run::{Constraints, Run};
use crate::select::subsets::{SubsetEvaluator, SubsetRepair, SubsetTrainer};

/// Subsets of features, evaluated by a ranker.
pub struct SubsetProblem<'a> {
    /// Features that may be chosen or not.
    pub free: Vec<FeatureId>,
    /// Features in every subset.
    pub keep: Vec<FeatureId>,
    /// The costs of features.
    pub constraints: &'a Constraints,
    /// Makes subsets satisfy the constraints.
    pub repair: SubsetRepair,
    /// The probability that a child is mutated.
    pub mutation: f64,
    /// The probability that a bit of a mutated child flips.
    pub gene: f64,
    /// Evaluates the ranker on each subset.
    pub evaluator: &'a SubsetEvaluator<'a>,
    /// Its trainers, one for each split of the queries.
    pub trainers: &'a [SubsetTrainer<'a>],
    /// Returns the best subset so far when it is stopped.
    pub run: &'a Run,
    /// Computes the objectives.
    pub judge: SubsetJudge,
}

impl SubsetProblem<'_> {
    /// The features of a subset, by column.
    pub fn features(&self, genome: &Bits) -> Vec<FeatureId> {
        let mut features: Vec<FeatureId> =
            self.keep.iter().copied().chain(genome.ones().map(|gene| self.free[gene])).collect();
        features.sort_unstable();
        features
    }

    /// The total cost of some features.
    fn cost(&self, features: &[FeatureId]) -> f64 {
        features.iter().map(|&f| self.constraints.cost(f)).sum()
    }

    fn repaired(&self, mut genome: Bits, rng: &mut Stream) -> Bits {
        self.repair.repair(&mut genome, rng);
        genome
    }
}

impl SearchProblem for SubsetProblem<'_> {
    type Genome = Bits;
    type Evaluation = SubsetScores;
    type Error = Error;

    fn initial(&self, _: usize, rng: &mut Stream) -> Bits {
        let genome = bernoulli(self.free.len(), 0.5, rng);
        self.repaired(genome, rng)
    }

    fn cross(&self, a: &Bits, b: &Bits, rng: &mut Stream) -> (Bits, Bits) {
        two_point(a, b, rng)
    }

    fn mutate(&self, mut genome: Bits, _: u64, rng: &mut Stream) -> Bits {
        mutate_gene_wise(&mut genome, self.mutation, self.gene, rng);
        self.repaired(genome, rng)
    }

    fn evaluate(&mut self, genomes: &[Bits]) -> Result<Vec<SubsetScores>> {
        let subsets: Vec<Vec<FeatureId>> =
            genomes.iter().map(|genome| self.features(genome)).collect();
        let values = self.evaluator.per_query(self.trainers, &subsets)?;
        let scores = |(subset, values): (&Vec<FeatureId>, Vec<f64>)| {
            self.judge.scores(&values, subset.len(), self.cost(subset))
        };
        Ok(subsets.par_iter().zip(values).map(scores).collect())
    }

    fn end_early(&self, error: Error) -> Result<()> {
        self.run.unless_stopped(Err(error)).map(|_: Option<()>| ())
    }
}
