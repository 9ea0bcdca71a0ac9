//! Lambdas: gradient and second derivative of a ranking measure with respect to each document's
//! score.
//!
//! For every pair of documents of a query with labels yᵢ > yⱼ: ρ = 1/(1 + exp(sᵢ − sⱼ)), Δ =
//! |ΔNDCG| of swapping the two, λᵢ += ρΔ, λⱼ −= ρΔ, and both second derivatives grow by ρ(1 − ρ)Δ
//! (Burges, Ragno & Le, NIPS 2006; Wu et al. 2010). Gain 2^y − 1 and discount 1/log₂(1 + position).
//! With a cut-off, a pair counts if at least one of its documents is ranked above it; as in RankLib
//! and LightGBM, the ideal DCG is truncated at the cut-off and the discounts are not.
//!
//! Departure from both for equal scores, which include all scores before the first step: RankLib
//! and LightGBM use the input order, which carries information in real data. Here, among equal
//! scores, lower labels are ranked first, and documents with equal score and equal label share the
//! mean discount of their positions. The order of rows therefore has no influence.
//!
//! Normalised lambdas follow LightGBM and differ in two ways. Once scores differ, a pair's Δ is
//! divided by 0.01 + |sᵢ − sⱼ|, so that pairs with close scores count most. And a query's lambdas
//! and second derivatives are scaled by log₂(1 + Σ) / Σ, where Σ is the sum of 2 ρΔ over all pairs,
//! so that queries with many pairs do not dominate.

use crate::data::View;
use crate::error::{Error, Result};

/// Computes lambdas one query at a time and reuses its buffers.
#[derive(Debug, Default)]
pub struct Lambdas {
    cutoff: Option<usize>,
    normalised: bool,
    /// 1/log₂(1 + position) of every position.
    position_discounts: Vec<f64>,
    ideal: Vec<f64>,
    order: Vec<u32>,
    ranked: Ranked,
}

/// A query's documents in ranked order, as parallel arrays of the quantities that pairs need.
#[derive(Debug, Default)]
struct Ranked {
    scores: Vec<f64>,
    /// exp(score − best score), so that no exponential is computed per pair.
    powers: Vec<f64>,
    /// (2^y − 1) / ideal DCG.
    gains: Vec<f64>,
    /// Mean discount of the document's tie group, and the group's first position.
    discounts: Vec<f64>,
    firsts: Vec<usize>,
    lambdas: Vec<f64>,
    hessians: Vec<f64>,
}

impl Lambdas {
    /// For NDCG at a cut-off, or of the whole list if there is no cut-off.
    pub fn new(cutoff: Option<usize>) -> Self {
        Lambdas { cutoff, ..Lambdas::default() }
    }

    /// Like [`Self::new`], with LightGBM's normalisation.
    pub fn normalised(cutoff: Option<usize>) -> Self {
        Lambdas { normalised: true, ..Lambdas::new(cutoff) }
    }

    /// Overwrites `lambda` and `hessian` with the values of one query.
    pub fn of_query(
        &mut self,
        scores: &[f64],
        labels: &[f32],
        lambda: &mut [f64],
        hessian: &mut [f64],
    ) {
        lambda.fill(0.0);
        hessian.fill(0.0);
        if self.rank(scores, labels).is_none() {
            return;
        }
        self.ranked.prepare_pushes();
        let cutoff = self.cutoff.unwrap_or(usize::MAX);
        let ranked = &mut self.ranked;
        let n = scores.len();
        let differ = self.normalised && ranked.scores[0] != ranked.scores[n - 1];
        let mut pushes = 0.0;
        for above in 0..ranked.firsts.partition_point(|&first| first < cutoff) {
            pushes += if differ { ranked.push::<true>(above) } else { ranked.push::<false>(above) };
        }
        let factor =
            if self.normalised && pushes > 0.0 { (1.0 + pushes).log2() / pushes } else { 1.0 };
        for (place, &document) in self.order.iter().enumerate() {
            lambda[document as usize] = factor * ranked.lambdas[place];
            hessian[document as usize] = factor * ranked.hessians[place];
        }
    }

    /// DCG of the ideal ranking, truncated at the cut-off.
    fn ideal_dcg(&mut self, labels: &[f32]) -> f64 {
        while self.position_discounts.len() < labels.len() {
            self.position_discounts.push(1.0 / ((self.position_discounts.len() + 2) as f64).log2());
        }
        self.ideal.clear();
        self.ideal.extend(labels.iter().map(|&y| gain(y)));
        self.ideal.sort_unstable_by(|a, b| b.total_cmp(a));
        let top =
            self.ideal.iter().zip(&self.position_discounts).take(self.cutoff.unwrap_or(usize::MAX));
        top.map(|(gain, discount)| gain * discount).sum()
    }

    /// The documents of a query in ranked order; `None` if no document has a gain.
    pub(crate) fn rank(&mut self, scores: &[f64], labels: &[f32]) -> Option<Placed<'_>> {
        let ideal = self.ideal_dcg(labels);
        if ideal <= 0.0 {
            return None;
        }
        self.order.clear();
        self.order.extend(0..scores.len() as u32);
        let key = |&i: &u32| (scores[i as usize], labels[i as usize]);
        self.order.sort_unstable_by(|a, b| {
            let ((s, y), (t, z)) = (key(a), key(b));
            t.total_cmp(&s).then(y.total_cmp(&z)).then(a.cmp(b))
        });
        let ranked = &mut self.ranked;
        let of = |from: &[u32], to: &mut Vec<f64>, value: &dyn Fn(usize) -> f64| {
            to.clear();
            to.extend(from.iter().map(|&i| value(i as usize)));
        };
        of(&self.order, &mut ranked.scores, &|i| scores[i]);
        of(&self.order, &mut ranked.gains, &|i| gain(labels[i]) / ideal);
        ranked.discounts.clear();
        ranked.firsts.clear();
        for group in self.order.chunk_by(|a, b| key(a) == key(b)) {
            let first = ranked.firsts.len();
            let positions = &self.position_discounts[first..first + group.len()];
            let discount = positions.iter().sum::<f64>() / group.len() as f64;
            ranked.discounts.extend(group.iter().map(|_| discount));
            ranked.firsts.extend(group.iter().map(|_| first));
        }
        let Ranked { scores, gains, discounts, .. } = &self.ranked;
        Some(Placed { order: &self.order, scores, gains, discounts })
    }
}

/// A query's documents in ranked order.
pub(crate) struct Placed<'a> {
    /// The documents, as indices within the query.
    pub order: &'a [u32],
    /// Their scores.
    pub scores: &'a [f64],
    /// (2^y − 1) / ideal DCG.
    pub gains: &'a [f64],
    /// 1/log₂(1 + position); documents with equal score and label share the mean of their
    /// discounts.
    pub discounts: &'a [f64],
}

/// Rejects labels whose gain 2^y − 1 is not exactly representable.
pub fn check_labels(view: &View<'_>) -> Result<()> {
    check_largest(view.labels().flatten().copied().fold(0.0, f32::max))
}

/// Like [`check_labels`], given the largest label.
pub(crate) fn check_largest(largest: f32) -> Result<()> {
    match largest > 53.0 {
        true => Err(Error::invalid(
            "label",
            largest,
            "at most 53: the lambdas of NDCG need the gain 2^y - 1",
        )),
        false => Ok(()),
    }
}

fn gain(label: f32) -> f64 {
    f64::from(label).exp2() - 1.0
}

impl Ranked {
    /// Computes what [`Self::push`] needs in addition to scores, gains and discounts.
    fn prepare_pushes(&mut self) {
        let best = self.scores.first().copied().unwrap_or(0.0);
        self.powers.clear();
        // Never 0, so that the quotient of two powers is finite for any difference of scores.
        self.powers
            .extend(self.scores.iter().map(|score| (score - best).exp().max(f64::MIN_POSITIVE)));
        for sums in [&mut self.lambdas, &mut self.hessians] {
            sums.clear();
            sums.resize(self.scores.len(), 0.0);
        }
    }

    /// Processes all pairs of one document with the documents ranked below it; returns the sum of
    /// their 2 ρΔ. Branch-free, so that the compiler vectorises it: a pair of equal gains has Δ = 0
    /// and contributes nothing.
    fn push<const CLOSE_COUNT_MORE: bool>(&mut self, above: usize) -> f64 {
        let (score, power) = (self.scores[above], self.powers[above]);
        let (gain, discount) = (self.gains[above], self.discounts[above]);
        let below = above + 1..;
        let scores = &self.scores[below.clone()];
        let powers = &self.powers[below.clone()];
        let gains = &self.gains[below.clone()];
        let discounts = &self.discounts[below.clone()];
        let lambdas = &mut self.lambdas[below.clone()];
        let hessians = &mut self.hessians[below];
        let (mut lambda, mut hessian, mut pushes) = (0.0, 0.0, 0.0);
        let pairs = scores.iter().zip(powers).zip(gains).zip(discounts).zip(lambdas).zip(hessians);
        for (((((&s, &p), &g), &d), low_lambda), low_hessian) in pairs {
            let mut swap = (gain - g).abs() * (discount - d);
            if CLOSE_COUNT_MORE {
                swap /= 0.01 + (score - s);
            }
            // The probability that the lower document should be ranked higher, and ρ: the
            // probability that the pair is ordered incorrectly.
            let lower = p / (power + p);
            let (rho, sign) = if gain > g { (lower, 1.0) } else { (1.0 - lower, -1.0) };
            let (push, curve) = (rho * swap, lower * (1.0 - lower) * swap);
            lambda += sign * push;
            *low_lambda -= sign * push;
            hessian += curve;
            *low_hessian += curve;
            pushes += 2.0 * push;
        }
        self.lambdas[above] += lambda;
        self.hessians[above] += hessian;
        pushes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lambdas(cutoff: Option<usize>, scores: &[f64], labels: &[f32]) -> Vec<f64> {
        let (mut lambda, mut hessian) = (vec![9.0; scores.len()], vec![9.0; scores.len()]);
        Lambdas::new(cutoff).of_query(scores, labels, &mut lambda, &mut hessian);
        lambda
    }

    /// All scores equal: the label-0 documents share positions 1 and 2, the relevant one is third,
    /// ρ is ½.
    #[test]
    fn equal_scores_are_independent_of_row_order() {
        let shared = (1.0 + 1.0 / 3f64.log2()) / 2.0;
        let push = 0.5 * (shared - 0.5);
        for (labels, expected) in
            [([1., 0., 0.], [2.0 * push, -push, -push]), ([0., 1., 0.], [-push, 2.0 * push, -push])]
        {
            let got = lambdas(None, &[0.0; 3], &labels);
            assert!(got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{got:?}");
        }
    }

    #[test]
    fn pairs_below_the_cutoff_do_not_count() {
        let got = lambdas(Some(1), &[3., 2., 1.], &[0., 0., 1.]);
        assert_eq!(got[1], 0.0);
        assert!(got[2] > 0.0 && got[0] == -got[2]);
        assert_eq!(lambdas(Some(1), &[3., 2., 1.], &[0., 0., 0.]), [0.0; 3]);
    }
}
