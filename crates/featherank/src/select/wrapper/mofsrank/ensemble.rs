//! The third phase, MOEN: weighted sums of the rankers from the second phase.
//!
//! A genome has a bit for every feature that some ranker uses, and for every ranker a number
//! between 0 and 1 for each of these features. The weight of feature i is bit_i · Σ_j number_ji ·
//! weight_ji. Its objectives are the cost of the chosen features, and 1 − the accuracy of the sum.

use rand::RngExt;

use super::accuracy::Accuracy;
use super::feature_selection::Weighted;
use crate::error::{Error, Result};
use crate::evolve::{
    Bits, GeneBounds, Mixed, SearchProblem, bernoulli, mutate_gene_wise, polynomial, sbx, two_point,
};
use crate::random::Stream;
use crate::run::Run;
use crate::select::subsets::SubsetRepair;

/// The distribution index of crossover and mutation: children are closer to their parents if it is
/// larger.
const ETA: f64 = 20.0;

/// The range of the numbers.
const UNIT: GeneBounds = GeneBounds { low: 0.0, high: 1.0 };

/// The search for weighted sums.
pub(super) struct Combination<'a> {
    run: &'a Run,
    accuracy: &'a Accuracy<'a>,
    /// For subsets of the features below.
    repair: SubsetRepair,
    /// The features that some ranker uses.
    features: Vec<usize>,
    /// The weights of every ranker for all of them.
    rankers: Vec<Vec<f64>>,
}

impl<'a> Combination<'a> {
    pub fn new(
        run: &'a Run,
        accuracy: &'a Accuracy<'a>,
        repair: &SubsetRepair,
        members: &[Weighted],
    ) -> Self {
        let mut features: Vec<usize> =
            members.iter().flat_map(|member| member.features.iter().copied()).collect();
        features.sort_unstable();
        features.dedup();
        let weight = |member: &Weighted, feature: &usize| {
            let place = member.features.iter().position(|own| own == feature);
            place.map_or(0.0, |place| member.weights[place])
        };
        let of_member =
            |member: &Weighted| features.iter().map(|feature| weight(member, feature)).collect();
        let rankers = members.iter().map(of_member).collect();
        Combination { run, accuracy, repair: repair.restricted(&features), rankers, features }
    }

    /// The model that a genome encodes.
    pub fn model(&self, genome: &Mixed) -> Weighted {
        let all = sum(&genome.bits, &genome.reals, &self.rankers);
        Weighted {
            features: genome.bits.ones().map(|place| self.features[place]).collect(),
            weights: genome.bits.ones().map(|place| all[place]).collect(),
        }
    }

    fn rate(&self) -> f64 {
        1.0 / ((1 + self.rankers.len()) * self.features.len()) as f64
    }
}

/// The weights of a weighted sum of rankers; `numbers` are ordered by ranker.
fn sum(bits: &Bits, numbers: &[f64], rankers: &[Vec<f64>]) -> Vec<f64> {
    let mut weights = vec![0.0; bits.length()];
    for (numbers, ranker) in numbers.chunks(bits.length().max(1)).zip(rankers) {
        bits.ones().for_each(|place| weights[place] += numbers[place] * ranker[place]);
    }
    weights
}

impl SearchProblem for Combination<'_> {
    type Genome = Mixed;
    type Evaluation = [f64; 2];
    type Error = Error;

    /// The single rankers come first, then random sums.
    fn initial(&self, number: usize, rng: &mut Stream) -> Mixed {
        let length = self.features.len();
        if let Some(ranker) = self.rankers.get(number) {
            let used = (0..length).filter(|&place| ranker[place] != 0.0);
            let mut genome = Mixed {
                bits: Bits::from_indices(length, used),
                reals: vec![0.0; length * self.rankers.len()],
            };
            genome.reals[number * length..(number + 1) * length].fill(1.0);
            return genome;
        }
        let mut bits = bernoulli(length, 0.5, rng);
        self.repair.repair(&mut bits, rng);
        Mixed { bits, reals: (0..length * self.rankers.len()).map(|_| rng.random()).collect() }
    }

    fn cross(&self, a: &Mixed, b: &Mixed, rng: &mut Stream) -> (Mixed, Mixed) {
        let (first, second) = two_point(&a.bits, &b.bits, rng);
        let (one, other) = sbx(&a.reals, &b.reals, ETA, UNIT, rng);
        (Mixed { bits: first, reals: one }, Mixed { bits: second, reals: other })
    }

    fn mutate(&self, mut genome: Mixed, _: u64, rng: &mut Stream) -> Mixed {
        mutate_gene_wise(&mut genome.bits, 1.0, self.rate(), rng);
        polynomial(&mut genome.reals, ETA, UNIT, self.rate(), rng);
        self.repair.repair(&mut genome.bits, rng);
        genome
    }

    fn evaluate(&mut self, genomes: &[Mixed]) -> Result<Vec<[f64; 2]>> {
        let sums: Vec<Weighted> = genomes.iter().map(|genome| self.model(genome)).collect();
        let models: Vec<_> = sums.iter().map(|sum| (&sum.features[..], &sum.weights[..])).collect();
        let accuracies = self.accuracy.of_all(&models);
        let objectives =
            |(genome, accuracy): (&Mixed, f64)| [self.repair.cost(&genome.bits), 1.0 - accuracy];
        self.run.check()?;
        Ok(genomes.iter().zip(accuracies).map(objectives).collect())
    }

    fn end_early(&self, error: Error) -> Result<()> {
        self.run.unless_stopped(Err(error)).map(|_: Option<()>| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// The paper's example; it prints 1.2 × .09 in the third weight although its own ranker has
    /// .12.
    #[test]
    fn sums_are_those_of_the_reference() {
        let text = include_str!("../../../../tests/fixtures/mofsrank.json");
        let fixture = &serde_json::from_str::<Value>(text).unwrap()["moen"];
        let table = |name: &str| -> Vec<Vec<f64>> {
            serde_json::from_value(fixture[name].clone()).unwrap()
        };
        let bits = Bits::from_indices(4, [0, 2]);
        let found = sum(&bits, &table("part2").concat(), &table("rankers"));
        let expected: Vec<f64> = serde_json::from_value(fixture["ensemble"].clone()).unwrap();
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    }
}
