//! Preference pairs weighted by the change of NDCG when they are swapped: loss and gradient at the
//! weights of a linear model.
//!
//! The loss is Σ ω φ(wᵀ(xᵢ − xⱼ)) over the pairs of one query with yᵢ > yⱼ (Sun et al., SIGIR 2009,
//! equations 3, 13 and 14), with ω = Z |2^yᵢ − 2^yⱼ| |1/log₂(1 + πᵢ) − 1/log₂(1 + πⱼ)|, π the
//! positions in the ranking by wᵀx and Z = 1 / ideal DCG of the whole list, and φ(v) = −4v below
//! −1, (v − 1)² up to 1, and 0 above. The pair weights are constants in the gradient.
//!
//! Pair weights do not factorise, so all pairs are visited; none is stored. Documents with equal
//! scores are placed as in `rank/lambda.rs`: worse labels first, and documents with equal
//! labels share the mean of their discounts. So the order of rows has no influence, and equal
//! scores have a gradient. Everything is a sum over queries, and answers merge by addition.

use pulp::{Arch, NullaryFnOnce};
use serde::{Deserialize, Serialize};

use crate::data::FeatureId;
use crate::engine::{Block, Merge, Pass, Schema, check_features, check_length};
use crate::error::Result;
use crate::rank::lambda::{Lambdas, Placed, check_largest};
use crate::rank::linear::design::Design;

/// The loss of a linear model over preference pairs weighted by NDCG, and its gradient.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct NdcgPairs {
    /// The features of the model.
    pub features: Vec<FeatureId>,
    /// One weight per feature.
    pub weights: Vec<f64>,
    /// Whether to compute the gradient only; `loss` and `weight` are then 0.
    pub gradient_only: bool,
}

/// The loss and its gradient.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NdcgPairLoss {
    /// Σ ω φ(margin).
    pub loss: f64,
    /// Σ ω, the loss of a model that gives all documents the same score, under these pair weights.
    pub weight: f64,
    /// The derivative of the loss with respect to each weight of the model.
    pub gradient: Vec<f64>,
}

impl Pass for NdcgPairs {
    type Answer = NdcgPairLoss;
    const NAME: &'static str = "ndcg-pairs";
    const ACTIVITY: &'static str = "weighting pairs by NDCG";

    fn check(&self, schema: &Schema) -> Result<()> {
        check_largest(schema.largest_label())?;
        check_length("weights of a model", self.weights.len(), self.features.len())?;
        check_features(schema, &self.features)
    }

    fn answer(&self, block: &Block<'_>) -> NdcgPairLoss {
        let design = Design::with_features(block, self.features.clone());
        let scores = design.scores(&self.weights);
        let mut gradient = vec![0.0; scores.len()];
        let (mut places, mut sums) = (Lambdas::new(None), PairSums::default());
        let mut grades = Grades::default();
        for documents in design.queries() {
            let labels = &design.labels()[documents.clone()];
            if let Some(placed) = places.rank(&scores[documents.clone()], labels) {
                let gradient = &mut gradient[documents.clone()];
                sums.add(match self.gradient_only {
                    true => grades.of_query::<false>(&placed, gradient),
                    false => grades.of_query::<true>(&placed, gradient),
                });
            }
        }
        NdcgPairLoss {
            loss: sums.loss,
            weight: sums.weight,
            gradient: design.transposed(&gradient),
        }
    }
}

impl Merge for NdcgPairLoss {
    fn merge(mut self, next: Self) -> Self {
        self.loss += next.loss;
        self.weight += next.weight;
        self.gradient.iter_mut().zip(&next.gradient).for_each(|(sum, x)| *sum += x);
        self
    }
}

/// Sums over pairs: weights, losses, and the derivatives with respect to the score of the better
/// document.
#[derive(Debug, Clone, Copy, Default)]
struct PairSums {
    weight: f64,
    loss: f64,
    gradient: f64,
}

impl PairSums {
    fn add(&mut self, more: PairSums) {
        self.weight += more.weight;
        self.loss += more.loss;
        self.gradient += more.gradient;
    }
}

/// The documents of a query by gain, so that pairs of two gains are neighbours in memory.
#[derive(Debug, Default)]
struct Grades {
    /// Positions in the ranking, worst gain first.
    places: Vec<usize>,
    gains: Vec<f64>,
    scores: Vec<f64>,
    discounts: Vec<f64>,
    gradients: Vec<f64>,
}

/// Number of pairs processed at the same time.
const LANES: usize = 8;

impl Grades {
    /// Loss and weight of a query; writes the derivative with respect to each score to `gradient`.
    fn of_query<const WITH_LOSS: bool>(
        &mut self,
        placed: &Placed<'_>,
        gradient: &mut [f64],
    ) -> PairSums {
        self.places.clear();
        self.places.extend(0..placed.order.len());
        self.places.sort_by(|&a, &b| placed.gains[a].total_cmp(&placed.gains[b]));
        for (to, from) in [
            (&mut self.gains, placed.gains),
            (&mut self.scores, placed.scores),
            (&mut self.discounts, placed.discounts),
        ] {
            to.clear();
            to.extend(self.places.iter().map(|&place| from[place]));
        }
        self.gradients.clear();
        self.gradients.resize(self.places.len(), 0.0);
        let mut total = PairSums::default();
        let mut worse: Vec<std::ops::Range<usize>> = Vec::new();
        let mut start = 0;
        for same in self.gains.chunk_by(|a, b| a == b) {
            let end = start + same.len();
            for better in start..end {
                let (score, discount) = (self.scores[better], self.discounts[better]);
                let mut sums = PairSums::default();
                for group in &worse {
                    let gap = same[0] - self.gains[group.start];
                    let gradients = &mut self.gradients[group.clone()];
                    let (scores, discounts) =
                        (&self.scores[group.clone()], &self.discounts[group.clone()]);
                    let pairs = PairDerivatives::<WITH_LOSS> {
                        gap,
                        score,
                        discount,
                        scores,
                        discounts,
                        gradients,
                    };
                    sums.add(Arch::new().dispatch(pairs));
                }
                self.gradients[better] += sums.gradient;
                total.add(sums);
            }
            worse.push(start..end);
            start = end;
        }
        for (&place, value) in self.places.iter().zip(&self.gradients) {
            gradient[placed.order[place] as usize] = *value;
        }
        total
    }
}

/// One document against all documents of a lower gain. Uses lanes and no branches, so that the
/// compiler vectorises it; the order of summation is fixed.
struct PairDerivatives<'a, const WITH_LOSS: bool> {
    gap: f64,
    score: f64,
    discount: f64,
    scores: &'a [f64],
    discounts: &'a [f64],
    gradients: &'a mut [f64],
}

impl<const WITH_LOSS: bool> PairDerivatives<'_, WITH_LOSS> {
    /// Adds pairs to lanes of sums, and their derivatives to those of the worse documents.
    #[inline(always)]
    fn add(&self, s: &[f64], d: &[f64], gradients: &mut [f64], sums: &mut [[f64; LANES]; 3]) {
        for lane in 0..s.len().min(LANES) {
            let weight = self.gap * (self.discount - d[lane]).abs();
            let margin = self.score - s[lane];
            let short = margin.clamp(-1.0, 1.0) - 1.0;
            let half_gradient = weight * short;
            sums[0][lane] += half_gradient;
            gradients[lane] -= 2.0 * half_gradient;
            if WITH_LOSS {
                sums[1][lane] += weight;
                // (v − 1)² continues as a straight line with derivative −4 below −1.
                sums[2][lane] += half_gradient * short + 4.0 * weight * (-1.0 - margin).max(0.0);
            }
        }
    }
}

impl<const WITH_LOSS: bool> NullaryFnOnce for PairDerivatives<'_, WITH_LOSS> {
    type Output = PairSums;

    #[inline(always)]
    fn call(mut self) -> PairSums {
        let gradients = std::mem::take(&mut self.gradients);
        let mut sums = [[0.0; LANES]; 3];
        let whole = self.scores.len() / LANES * LANES;
        for start in (0..whole).step_by(LANES) {
            let lanes = start..start + LANES;
            self.add(
                &self.scores[lanes.clone()],
                &self.discounts[lanes.clone()],
                &mut gradients[lanes],
                &mut sums,
            );
        }
        self.add(
            &self.scores[whole..],
            &self.discounts[whole..],
            &mut gradients[whole..],
            &mut sums,
        );
        let [half_gradient, weight, loss] = sums.map(|lanes| lanes.iter().sum::<f64>());
        PairSums { weight, loss, gradient: 2.0 * half_gradient }
    }
}
