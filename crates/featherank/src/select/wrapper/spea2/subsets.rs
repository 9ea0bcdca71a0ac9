//! Subsets of features as something to search: a bit for each feature that may be chosen or not.
//!
//! Features to keep are in every subset and have no bit. A subset that is empty, too dear or not of
//! the size that is wanted is mended by taking random features in or out.

use rand::RngExt;
use rayon::prelude::*;

use super::black_box::BlackBox;
use super::objectives::{Judge, Worth};
use crate::data::FeatureId;
use crate::error::{Error, Result};
use crate::evolve::{Bits, Problem, bernoulli, mutate_gene_wise, two_point};
use crate::random::Stream;
use crate::run::Constraints;

/// What is searched.
pub struct Subsets<'a> {
    /// To be chosen or not.
    pub free: Vec<FeatureId>,
    /// In every subset.
    pub keep: Vec<FeatureId>,
    /// What subsets must satisfy.
    pub constraints: &'a Constraints,
    /// The probability that a child is changed.
    pub mutation: f64,
    /// The probability that a gene of such a child is.
    pub gene: f64,
    /// Who ranks.
    pub black_box: BlackBox<'a>,
    /// Who judges.
    pub judge: Judge,
}

impl Subsets<'_> {
    /// The features of a subset, by column.
    pub fn features(&self, genome: &Bits) -> Vec<FeatureId> {
        let mut features: Vec<FeatureId> =
            self.keep.iter().copied().chain(genome.ones().map(|gene| self.free[gene])).collect();
        features.sort_unstable();
        features
    }

    /// What features cost together.
    fn cost(&self, features: &[FeatureId]) -> f64 {
        features.iter().map(|&f| self.constraints.cost(f)).sum()
    }

    fn mended(&self, mut genome: Bits, rng: &mut Stream) -> Bits {
        let size = self.constraints.k.map(|k| k.saturating_sub(self.constraints.keep.len()));
        let most = self.constraints.budget.map(|budget| {
            let kept: f64 = self.constraints.keep.iter().map(|&f| self.constraints.cost(f)).sum();
            budget - kept
        });
        let cost = |genome: &Bits| {
            genome.ones().map(|gene| self.constraints.cost(self.free[gene])).sum::<f64>()
        };
        let too_dear = |genome: &Bits| most.is_some_and(|most| cost(genome) > most);
        while size.is_some_and(|size| genome.count() > size) || too_dear(&genome) {
            let gene = any(genome.ones(), genome.count(), rng);
            genome.flip(gene);
        }
        let least = size.unwrap_or(usize::from(self.keep.is_empty()));
        while genome.count() < least {
            let spent = cost(&genome);
            let fits = |gene: &usize| {
                let price = self.constraints.cost(self.free[*gene]);
                !genome.get(*gene) && most.is_none_or(|most| spent + price <= most)
            };
            let others: Vec<usize> = (0..genome.length()).filter(fits).collect();
            if others.is_empty() {
                break;
            }
            genome.flip(others[rng.random_range(0..others.len())]);
        }
        genome
    }
}

/// One of some genes, of which there are `count`, at least one.
fn any(mut genes: impl Iterator<Item = usize>, count: usize, rng: &mut Stream) -> usize {
    genes.nth(rng.random_range(0..count)).unwrap_or(0)
}

impl Problem for Subsets<'_> {
    type Genome = Bits;
    type Evaluation = Worth;
    type Error = Error;

    fn initial(&self, _: usize, rng: &mut Stream) -> Bits {
        let genome = bernoulli(self.free.len(), 0.5, rng);
        self.mended(genome, rng)
    }

    fn cross(&self, a: &Bits, b: &Bits, rng: &mut Stream) -> (Bits, Bits) {
        two_point(a, b, rng)
    }

    fn mutate(&self, mut genome: Bits, _: u64, rng: &mut Stream) -> Bits {
        mutate_gene_wise(&mut genome, self.mutation, self.gene, rng);
        self.mended(genome, rng)
    }

    fn evaluate(&mut self, genomes: &[Bits]) -> Result<Vec<Worth>> {
        let subsets: Vec<Vec<FeatureId>> =
            genomes.iter().map(|genome| self.features(genome)).collect();
        let values = self.black_box.per_query(&subsets)?;
        let worth = |(subset, values): (&Vec<FeatureId>, Vec<f64>)| {
            self.judge.worth(&values, subset.len(), self.cost(subset))
        };
        Ok(subsets.par_iter().zip(values).map(worth).collect())
    }
}
