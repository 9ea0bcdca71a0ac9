//! The second phase, MOFS: small sets of features with which a ranker ranks well.
//!
//! A genome has a bit for every feature. Its objectives are the cost of its features (their number
//! unless they have costs), and 1 − the accuracy of the best of the SVMs trained on each set of
//! pairs from the first phase. That SVM is kept.
//!
//! Mutation is adaptive in the first few generations: a feature that ranks well alone is added more
//! and removed less often; a feature similar to the chosen ones is added less and removed more
//! often.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::accuracy::Accuracy;
use super::pair_svm::PairSvm;
use super::pairs::PairMatrix;
use super::preconditioner::Preconditioner;
use super::rows::OrderedRows;
use crate::error::{Error, Result};
use crate::evolve::{Bits, SearchProblem, bernoulli, flip_each, two_point};
use crate::random::Stream;
use crate::run::Run;
use crate::select::subsets::SubsetRepair;

/// A linear model of some features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Weighted {
    pub features: Vec<usize>,
    pub weights: Vec<f64>,
}

/// A subset of features with the best ranker trained on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct TrainedSubset {
    /// The cost and 1 − the accuracy.
    pub objectives: [f64; 2],
    /// The weights of the best ranker, one for each feature of the set.
    pub weights: Vec<f64>,
}

impl AsRef<[f64]> for TrainedSubset {
    fn as_ref(&self) -> &[f64] {
        &self.objectives
    }
}

/// The search for features.
pub(super) struct FeatureChoice<'a> {
    pub run: &'a Run,
    pub svm: &'a PairSvm,
    pub preconditioner: &'a Preconditioner,
    /// The sets of pairs on which rankers are trained.
    pub subsets: Vec<Box<dyn PairMatrix + 'a>>,
    pub accuracy: &'a Accuracy<'a>,
    pub repair: &'a SubsetRepair,
    /// Without it every bit flips with the same probability.
    pub adaptive: Option<&'a Adaptive>,
}

impl FeatureChoice<'_> {
    fn width(&self) -> usize {
        self.preconditioner.weights.len()
    }

    fn evaluated(&self, set: &Bits) -> TrainedSubset {
        let start = self.preconditioner.start(set.ones().collect());
        let rankers: Vec<Vec<f64>> =
            self.subsets.iter().map(|pairs| self.svm.solve(pairs.as_ref(), &start)).collect();
        let models: Vec<_> =
            rankers.iter().map(|weights| (&start.features[..], &weights[..])).collect();
        let accuracies = self.accuracy.of_all(&models);
        // Ties go to the first.
        let best = (0..rankers.len())
            .reduce(|best, l| if accuracies[l] > accuracies[best] { l } else { best });
        let (accuracy, weights) =
            best.map_or((0.0, Vec::new()), |l| (accuracies[l], rankers[l].clone()));
        TrainedSubset { objectives: [self.repair.cost(set), 1.0 - accuracy], weights }
    }
}

impl SearchProblem for FeatureChoice<'_> {
    type Genome = Bits;
    type Evaluation = TrainedSubset;
    type Error = Error;

    fn initial(&self, _: usize, rng: &mut Stream) -> Bits {
        let mut set = bernoulli(self.width(), 0.5, rng);
        self.repair.repair(&mut set, rng);
        set
    }

    fn cross(&self, a: &Bits, b: &Bits, rng: &mut Stream) -> (Bits, Bits) {
        two_point(a, b, rng)
    }

    fn mutate(&self, mut set: Bits, generation: u64, rng: &mut Stream) -> Bits {
        let base = 1.0 / self.width() as f64;
        let rates = match self.adaptive {
            Some(adaptive) => adaptive.rates(&set, base, generation),
            None => vec![base; self.width()],
        };
        flip_each(&mut set, &rates, rng);
        self.repair.repair(&mut set, rng);
        set
    }

    fn evaluate(&mut self, sets: &[Bits]) -> Result<Vec<TrainedSubset>> {
        let stop = self.run.stop();
        let evaluated = |set: &Bits| {
            stop.check()?;
            let evaluated = self.evaluated(set);
            stop.check().map(|()| evaluated)
        };
        sets.par_iter().map(evaluated).collect()
    }

    fn end_early(&self, error: Error) -> Result<()> {
        self.run.unless_stopped(Err(error)).map(|_: Option<()>| ())
    }
}

/// The inputs of adaptive mutation.
pub(super) struct Adaptive {
    /// The accuracy of every feature alone, as a share of their sum.
    importance: Vec<f64>,
    /// The absolute correlation of every two features, in row-major order, and 0 on the diagonal.
    similarity: Vec<f64>,
}

impl Adaptive {
    /// From the accuracy of every feature alone and the correlations between features, in row-major
    /// order.
    pub fn new(alone: &[f64], correlations: &[f64]) -> Self {
        let (width, total) = (alone.len(), alone.iter().sum::<f64>());
        let share = |accuracy: &f64| if total > 0.0 { accuracy / total } else { 0.0 };
        let size = |(cell, correlation): (usize, &f64)| match cell / width == cell % width {
            true => 0.0,
            false => correlation.abs(),
        };
        Adaptive {
            importance: alone.iter().map(share).collect(),
            similarity: correlations.iter().enumerate().map(size).collect(),
        }
    }

    /// The probability that each bit of a set flips. The paper's σ = e^−generation vanishes within
    /// five generations; the paper does not say whether the first is 0 or 1; here it is 1.
    pub fn rates(&self, set: &Bits, base: f64, generation: u64) -> Vec<f64> {
        let fading = (-(generation as f64)).exp();
        let rate = |(k, importance): (usize, &f64)| {
            let similarity =
                &self.similarity[k * self.importance.len()..(k + 1) * self.importance.len()];
            let total: f64 = similarity.iter().sum();
            let chosen: f64 = set.ones().map(|l| similarity[l]).sum();
            let redundancy = if total > 0.0 { chosen / total } else { 0.0 };
            let drift = fading * (importance - redundancy);
            (if set.get(k) { base - drift } else { base + drift }).clamp(0.0, 1.0)
        };
        self.importance.iter().enumerate().map(rate).collect()
    }
}

/// The accuracy of the ranking by every feature alone, in descending order of its values.
pub(super) fn alone(rows: &OrderedRows, accuracy: &Accuracy<'_>) -> Vec<f64> {
    let features: Vec<usize> = (0..rows.width()).collect();
    let models: Vec<(&[usize], &[f64])> =
        features.chunks(1).map(|feature| (feature, &[1.0][..])).collect();
    accuracy.of_all(&models)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn rates_are_those_of_the_reference() {
        let text = include_str!("../../../../tests/fixtures/mofsrank.json");
        let fixture = &serde_json::from_str::<Value>(text).unwrap()["adaptive_mutation"];
        let numbers =
            |value: &Value| -> Vec<f64> { serde_json::from_value(value.clone()).unwrap() };
        let correlations: Vec<Vec<f64>> = serde_json::from_value(fixture["corr"].clone()).unwrap();
        let adaptive =
            Adaptive::new(&numbers(&fixture["single_feature_accuracy"]), &correlations.concat());
        let set = Bits::from_indices(4, [0, 2]);
        for (generation, expected) in fixture["p_star_by_generation"].as_object().unwrap() {
            let rates =
                adaptive.rates(&set, fixture["p_m"].as_f64().unwrap(), generation.parse().unwrap());
            let near = rates
                .iter()
                .zip(numbers(expected))
                .all(|(rate, expected)| (rate - expected).abs() < 1e-9);
            assert!(near, "generation {generation}: {rates:?}");
        }
    }
}
