//! A linear SVM on any set of preference pairs and features, fast enough to be trained a million
//! times.
//!
//! Minimises ½ Σ pₖwₖ² + C/(2n) Σ max(0, 1 − wᵀδ)² over the n differences δ of the pairs: the
//! squared hinge of RankSVM in the primal (Chapelle & Keerthi 2010), with C divided by the number
//! of pairs, so that the loss of few pairs has the same weight as that of many.
//!
//! The solver is Newton's method. If a small set of pairs is used repeatedly, the products of
//! differences are precomputed for the pairs that a model of all features violates, and only pairs
//! that change this status are visited: the Hessian then costs little more than the margins.
//! Otherwise conjugate gradients compute the step. The curvature of the loss of a subset of the
//! pairs is close to that of all pairs, so that the factored Hessian over all pairs is a
//! preconditioner with which a few products suffice. Every solution starts from the same point, the
//! minimum of the quadratic model for all pairs: the score of a subset must not depend on the
//! subsets tried before it.

use super::pairs::{PairMatrix, Violated};
use super::preconditioner::{Preconditioner, SvmStart, penalised};
use crate::rank::linear::cholesky::PivotedCholesky;
use crate::rank::linear::newton::{EXACT_TOLERANCE, line_minimum};
use crate::stop::StopToken;
use crate::vector::{add_times, dot};

/// The maximum number of Newton steps; three or four are usual.
const STEPS: usize = 100;

/// Stops when the predicted relative decrease of the objective is below about this value.
const TOLERANCE: f64 = 1e-9;

/// The distance to the minimum estimated from all pairs may be too small by this factor for a small
/// set of pairs.
const DISTANCE_UNDERESTIMATE: f64 = 1e4;

/// A step of 1 is accepted if at most this share of the derivative is left there.
const FLAT: f64 = 0.25;

/// The problem, for any set of pairs.
pub(super) struct PairSvm {
    /// The factor of the mean loss of a pair.
    pub c: f64,
    /// p, for each feature.
    pub penalties: Vec<f64>,
    /// Ends solvers early; their result must then be dropped.
    pub stop: StopToken,
}

/// A point, with the margins and derivatives there.
struct PairSvmIterate {
    weights: Vec<f64>,
    margins: Vec<f64>,
}

/// A direction, and the change of each margin along it.
struct SearchDirection {
    weights: Vec<f64>,
    margins: Vec<f64>,
}

impl PairSvm {
    /// The weights at the minimum, one for each feature of the start.
    pub fn solve(&self, pairs: &dyn PairMatrix, start: &SvmStart) -> Vec<f64> {
        let features = &start.features;
        let penalties: Vec<f64> = features.iter().map(|&k| self.penalties[k]).collect();
        let share = self.c / pairs.pairs() as f64;
        let mut point = PairSvmIterate {
            weights: start.weights.clone(),
            margins: pairs.margins(features, &start.weights),
        };
        for _ in 0..STEPS {
            if self.stop.is_stopped() {
                break;
            }
            let lost = lost(&point.margins);
            let objective = 0.5
                * (weighted(&penalties, &point.weights, &point.weights)
                    + share * dot(&lost, &lost));
            let enough = TOLERANCE * objective;
            let violated = pairs.violated(features, &point.weights, &point.margins);
            let (gradient, curvature) = match violated {
                Some(Violated { gradient, curvature }) => (gradient, Some(curvature)),
                None => (pairs.combined(features, &lost), None),
            };
            let negative_gradient: Vec<f64> = (0..gradient.len())
                .map(|k| share * gradient[k] - penalties[k] * point.weights[k])
                .collect();
            let product = |v: &[f64]| {
                if self.stop.is_stopped() {
                    return None;
                }
                let margins = pairs.margins(features, v);
                let violated =
                    margins.iter().zip(&lost).map(|(m, l)| if *l > 0.0 { *m } else { 0.0 });
                let image = pairs.combined(features, &violated.collect::<Vec<_>>());
                let image = (0..v.len()).map(|k| penalties[k] * v[k] + share * image[k]).collect();
                Some((image, margins))
            };
            let direction = match curvature {
                Some(curvature) => {
                    let factored =
                        PivotedCholesky::new(penalised(share, curvature, &penalties), 0.0);
                    let weights = factored.solve(&negative_gradient);
                    (dot(&weights, &negative_gradient) > enough).then(|| SearchDirection {
                        margins: pairs.margins(features, &weights),
                        weights,
                    })
                }
                None => newton_direction(
                    product,
                    &negative_gradient,
                    &start.factored,
                    enough,
                    objective,
                ),
            };
            let Some(direction) = direction else { break };
            let step = self.step(
                share,
                &penalties,
                &point,
                &direction,
                dot(&direction.weights, &negative_gradient),
            );
            add_times(&mut point.weights, step, &direction.weights);
            add_times(&mut point.margins, step, &direction.margins);
        }
        point.weights
    }

    /// The step length: 1 if that is nearly optimal, the minimum along the direction otherwise.
    fn step(
        &self,
        share: f64,
        penalties: &[f64],
        from: &PairSvmIterate,
        direction: &SearchDirection,
        first: f64,
    ) -> f64 {
        let straight = weighted(penalties, &from.weights, &direction.weights);
        let curved = weighted(penalties, &direction.weights, &direction.weights);
        let margins = || from.margins.iter().zip(&direction.margins);
        let first_derivative = |&t: &f64| {
            let of_pair = |(m, a): (&f64, &f64)| (1.0 - m - t * a).max(0.0) * a;
            straight + t * curved - share * margins().map(of_pair).sum::<f64>()
        };
        if first_derivative(&1.0).abs() <= FLAT * first {
            return 1.0;
        }
        let second_derivative = |&t: &f64| {
            let of_pair = |(m, a): (&f64, &f64)| if 1.0 - m - t * a > 0.0 { a * a } else { 0.0 };
            curved + share * margins().map(of_pair).sum::<f64>()
        };
        let found = line_minimum(
            -first,
            1.0,
            f64::INFINITY,
            EXACT_TOLERANCE,
            Ok,
            first_derivative,
            second_derivative,
        );
        // The line search cannot fail; if it did, a full step would still be in a descent
        // direction.
        found.map_or(1.0, |(t, _)| t)
    }

    /// The weights of all features at the minimum; `flat` is the curvature of the pairs at zero
    /// weights.
    pub fn minimum(&self, pairs: &dyn PairMatrix, flat: &[f64]) -> Vec<f64> {
        let width = self.penalties.len();
        let origin = Preconditioner { hessian: self.hessian(flat), weights: vec![0.0; width] };
        self.solve(pairs, &origin.start((0..width).collect()))
    }

    /// The Hessian of the objective; `curvature` is that of the loss.
    pub fn hessian(&self, curvature: &[f64]) -> Vec<f64> {
        penalised(self.c, curvature.to_vec(), &self.penalties)
    }
}

/// Solves for Newton's direction by conjugate gradients, more precisely closer to the minimum;
/// `None` if the distance to it is at most `enough`, or if there is no product because the run is
/// stopped.
fn newton_direction(
    product: impl Fn(&[f64]) -> Option<(Vec<f64>, Vec<f64>)>,
    negative_gradient: &[f64],
    factored: &PivotedCholesky,
    enough: f64,
    objective: f64,
) -> Option<SearchDirection> {
    let mut residual = negative_gradient.to_vec();
    let mut search = factored.solve(&residual);
    let first = dot(&residual, &search);
    // Also stops if numbers have overflowed.
    if first.is_nan() || first <= enough / DISTANCE_UNDERESTIMATE {
        return None;
    }
    let close = (0.1 * enough / DISTANCE_UNDERESTIMATE).max(first * (first / objective).min(1e-2));
    let mut direction =
        SearchDirection { weights: vec![0.0; negative_gradient.len()], margins: Vec::new() };
    let mut left = first;
    for _ in 0..2 * negative_gradient.len() + 2 {
        let (image, margins) = product(&search)?;
        let step = left / dot(&search, &image);
        add_times(&mut direction.weights, step, &search);
        direction.margins.resize(margins.len(), 0.0);
        add_times(&mut direction.margins, step, &margins);
        add_times(&mut residual, -step, &image);
        let solved = factored.solve(&residual);
        let next = dot(&residual, &solved);
        if next.is_nan() || next <= close {
            break;
        }
        search.iter_mut().zip(&solved).for_each(|(s, z)| *s = z + next / left * *s);
        left = next;
    }
    (dot(&direction.weights, negative_gradient) > enough).then_some(direction)
}

/// max(0, 1 − margin) of each pair.
pub(super) fn lost(margins: &[f64]) -> Vec<f64> {
    margins.iter().map(|margin| (1.0 - margin).max(0.0)).collect()
}

fn weighted(penalties: &[f64], a: &[f64], b: &[f64]) -> f64 {
    penalties.iter().zip(a).zip(b).map(|((p, a), b)| p * a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::super::pairs::{Differences, OfDocuments, Runs, WithProducts, preference_pairs};
    use super::super::preconditioner::curvature;
    use super::super::rows::OrderedRows;
    use super::*;
    use crate::data::synth::{Preset, SynthConfig, generate};
    use crate::data::{Dataset, FeatureId};
    use crate::evolve::bernoulli;
    use crate::random::{Purpose, stream};
    use proptest::prelude::*;

    fn data(seed: u64) -> Dataset {
        let config = SynthConfig { queries: 8, documents: 120, seed, ..Preset::Tiny.config() };
        generate(&config).unwrap().0
    }

    /// The objective with its gradient and Hessian, computed from the formula pair by pair and
    /// feature by feature.
    fn by_formula(
        svm: &PairSvm,
        deltas: &[Vec<f64>],
        penalties: &[f64],
        weights: &[f64],
    ) -> (f64, Vec<f64>, Vec<f64>) {
        let (width, share) = (weights.len(), svm.c / deltas.len() as f64);
        let mut value = 0.5 * weighted(penalties, weights, weights);
        let mut gradient: Vec<f64> = (0..width).map(|k| penalties[k] * weights[k]).collect();
        let mut hessian = vec![0.0; width * width];
        (0..width).for_each(|k| hessian[k * width + k] = penalties[k]);
        for delta in deltas {
            let lost = 1.0 - delta.iter().zip(weights).map(|(d, w)| d * w).sum::<f64>();
            if lost > 0.0 {
                value += 0.5 * share * lost * lost;
                for k in 0..width {
                    gradient[k] -= share * lost * delta[k];
                    (0..width).for_each(|l| hessian[k * width + l] += share * delta[k] * delta[l]);
                }
            }
        }
        (value, gradient, hessian)
    }

    fn variance(values: &[f32]) -> f64 {
        let values = || values.iter().map(|&x| f64::from(x));
        let count = values().count() as f64;
        let mean = values().sum::<f64>() / count;
        values().map(|x| (x - mean).powi(2)).sum::<f64>() / count
    }

    /// Newton's method with halved steps, until the objective no longer decreases.
    fn least(svm: &PairSvm, deltas: &[Vec<f64>], penalties: &[f64]) -> f64 {
        let mut weights = vec![0.0; penalties.len()];
        let mut reached = by_formula(svm, deltas, penalties, &weights);
        for _ in 0..200 {
            let direction = PivotedCholesky::new(reached.2.clone(), 0.0).solve(&reached.1);
            let at = |t: f64| -> Vec<f64> {
                weights.iter().zip(&direction).map(|(w, d)| w - t * d).collect()
            };
            let steps = (0..40).map(|halvings| at(0.5f64.powi(halvings)));
            let better = steps
                .map(|next| (by_formula(svm, deltas, penalties, &next), next))
                .find(|(next, _)| next.0 < reached.0);
            let Some((next, at)) = better else { break };
            (reached, weights) = (next, at);
        }
        reached.0
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

        /// All representations of pairs reach the minimum, for sets of pairs of any size, any
        /// features and any C.
        #[test]
        fn the_minimum_is_reached(seed in 0u64..1000, density in 0.002f64..1.0, share in 0.1f64..1.0, exponent in -1.0f64..4.0) {
            let data = data(seed);
            let varying: Vec<FeatureId> = (0..18).map(FeatureId).collect();
            let rows = OrderedRows::new(&data, &varying, |_| true);
            let mut rng = stream(seed, Purpose::Test, 0);
            let all = preference_pairs(&rows, usize::MAX, &mut rng);
            // On the scale of the features, as in the method: raw ones span ten orders of
            // magnitude.
            let penalties: Vec<f64> = (0..18).map(|k| f64::from(1 + k as u32 % 3) * variance(rows.column(k))).collect();
            let svm = PairSvm { c: 10f64.powf(exponent), penalties, stop: StopToken::default() };
            let matrix = OfDocuments { rows: &rows, pairs: all.clone() };
            let preconditioner = Preconditioner::new(&svm, &matrix, &curvature(&matrix, &[0.0; 18], &svm.stop));
            let chosen = bernoulli(all.len(), density, &mut rng);
            let some: Vec<_> = if chosen.count() == 0 { vec![all[0]] } else { chosen.ones().map(|p| all[p]).collect() };
            let features = bernoulli(18, share, &mut rng);
            let start = preconditioner.start(if features.count() == 0 { vec![3] } else { features.ones().collect() });
            let difference = |k: usize, better: u32, worse: u32| {
                f64::from(rows.column(k)[better as usize]) - f64::from(rows.column(k)[worse as usize])
            };
            let delta = |&(better, worse): &(u32, u32)| start.features.iter().map(|&k| difference(k, better, worse)).collect();
            let deltas: Vec<Vec<f64>> = some.iter().map(delta).collect();
            let penalties: Vec<f64> = start.features.iter().map(|&k| svm.penalties[k]).collect();
            let least = least(&svm, &deltas, &penalties);
            let by_documents = svm.solve(&OfDocuments { rows: &rows, pairs: some.clone() }, &start);
            let written_out = svm.solve(&Differences::new(&rows, &some), &start);
            let with_products = svm.solve(&WithProducts::new(&rows, &some, &preconditioner.weights), &start);
            let in_runs = svm.solve(&Runs::new(&rows, &some), &start);
            for weights in [by_documents, written_out, with_products, in_runs] {
                let reached = by_formula(&svm, &deltas, &penalties, &weights).0;
                prop_assert!(reached <= least * (1.0 + 1e-7), "{reached} instead of {least}");
            }
        }
    }

    /// One pair that differs by 2 in one feature: ½w² + C/2 (1 − 2w)² has its minimum at 2C/(1 +
    /// 4C).
    #[test]
    fn one_pair_by_hand() {
        let table = crate::data::FeatureTable::numbered(1, 1);
        let data =
            Dataset::new(vec![3., 1.], vec![1., 0.], crate::data::Queries::from_sizes(&[2]), table);
        let rows = OrderedRows::new(&data, &[FeatureId(0)], |_| true);
        for c in [0.1, 1.0, 100.0] {
            let svm = PairSvm { c, penalties: vec![1.0], stop: StopToken::default() };
            let preconditioner = Preconditioner::new(
                &svm,
                &OfDocuments { rows: &rows, pairs: vec![(0, 1)] },
                &[4.0],
            );
            assert!(
                (preconditioner.weights[0] - 2.0 * c / (1.0 + 4.0 * c)).abs() < 1e-12,
                "{:?}",
                preconditioner.weights
            );
        }
    }
}
