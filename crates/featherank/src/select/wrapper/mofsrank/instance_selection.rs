//! The first phase, MOIS: small sets of preference pairs on which a ranker can be trained that
//! ranks well.
//!
//! A genome has a bit for every pair. Its objectives are the number of pairs, and 1 − the accuracy,
//! on all training data, of the SVM trained on them with all features.

use rayon::prelude::*;

use super::accuracy::Accuracy;
use super::pair_svm::PairSvm;
use super::pairs::{Pair, for_one_model, of_genome};
use super::preconditioner::SvmStart;
use super::rows::OrderedRows;
use crate::error::{Error, Result};
use crate::evolve::{Bits, SearchProblem, bernoulli, mutate_gene_wise, two_point};
use crate::random::Stream;
use crate::run::Run;

/// The smallest initial share of the pairs in a genome if shares are spread.
const SMALLEST_SHARE: f64 = 0.005;

/// The initial share of the pairs in genomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstanceShares {
    /// From few pairs to all, evenly on a logarithmic scale.
    Spread,
    /// Half of the pairs.
    Half,
}

/// The search for pairs.
pub(super) struct PairChoice<'a> {
    pub run: &'a Run,
    pub rows: &'a OrderedRows,
    pub pairs: &'a [Pair],
    pub svm: &'a PairSvm,
    /// The starting point with all features.
    pub start: &'a SvmStart,
    pub accuracy: &'a Accuracy<'a>,
    pub shares: InstanceShares,
    pub population: usize,
    /// The probability that a bit flips.
    pub mutation: f64,
}

impl SearchProblem for PairChoice<'_> {
    type Genome = Bits;
    type Evaluation = [f64; 2];
    type Error = Error;

    fn initial(&self, number: usize, rng: &mut Stream) -> Bits {
        let share = match self.shares {
            InstanceShares::Half => 0.5,
            InstanceShares::Spread => {
                let place = (number % self.population) as f64
                    / self.population.saturating_sub(1).max(1) as f64;
                SMALLEST_SHARE.powf(1.0 - place)
            }
        };
        bernoulli(self.pairs.len(), share, rng)
    }

    fn cross(&self, a: &Bits, b: &Bits, rng: &mut Stream) -> (Bits, Bits) {
        two_point(a, b, rng)
    }

    fn mutate(&self, mut genome: Bits, _: u64, rng: &mut Stream) -> Bits {
        mutate_gene_wise(&mut genome, 1.0, self.mutation, rng);
        genome
    }

    /// Training needs at least one pair.
    fn repair(&self, mut genome: Bits) -> Bits {
        if genome.count() == 0 {
            genome.set(0, true);
        }
        genome
    }

    fn evaluate(&mut self, genomes: &[Bits]) -> Result<Vec<[f64; 2]>> {
        let stop = self.run.stop();
        let train = |genome: &Bits| {
            stop.check()?;
            let pairs = for_one_model(self.rows, of_genome(self.pairs, genome));
            let weights = self.svm.solve(pairs.as_ref(), self.start);
            stop.check().map(|()| weights)
        };
        let weights: Vec<Vec<f64>> = genomes.par_iter().map(train).collect::<Result<_>>()?;
        let models: Vec<_> =
            weights.iter().map(|weights| (&self.start.features[..], &weights[..])).collect();
        let accuracies = self.accuracy.of_all(&models);
        stop.check()?;
        Ok(genomes
            .iter()
            .zip(accuracies)
            .map(|(genome, accuracy)| [genome.count() as f64, 1.0 - accuracy])
            .collect())
    }

    fn end_early(&self, error: Error) -> Result<()> {
        self.run.unless_stopped(Err(error)).map(|_: Option<()>| ())
    }
}
