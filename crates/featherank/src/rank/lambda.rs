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
//! Documents with equal score and label form a group. All pairs of two groups are equal, so that
//! one pair is computed and multiplied by their number. After few trees most scores are equal, and
//! a group that begins above the cut-off can hold most of a long list: without groups the time
//! would grow with the square of the length of the list.
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
    groups: TieGroups,
}

/// A query's documents in ranked order, as parallel arrays.
#[derive(Debug, Default)]
struct Ranked {
    scores: Vec<f64>,
    /// (2^y − 1) / ideal DCG.
    gains: Vec<f64>,
    /// Mean discount of the document's group.
    discounts: Vec<f64>,
    /// The first position of each group.
    firsts: Vec<usize>,
}

/// Groups of documents with equal score and label in ranked order, as parallel arrays of the
/// quantities that pairs need.
#[derive(Debug, Default)]
struct TieGroups {
    /// The number of documents.
    sizes: Vec<f64>,
    scores: Vec<f64>,
    /// exp(score − best score), so that no exponential is computed per pair.
    powers: Vec<f64>,
    gains: Vec<f64>,
    discounts: Vec<f64>,
    /// The sums of one document of the group.
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
        let (ranked, groups) = (&self.ranked, &mut self.groups);
        groups.fill(ranked);
        let cutoff = self.cutoff.unwrap_or(usize::MAX);
        let n = scores.len();
        let differ = self.normalised && ranked.scores[0] != ranked.scores[n - 1];
        let mut total = 0.0;
        for above in 0..ranked.firsts.partition_point(|&first| first < cutoff) {
            total += if differ {
                groups.add_pairs::<true>(above)
            } else {
                groups.add_pairs::<false>(above)
            };
        }
        let factor =
            if self.normalised && total > 0.0 { (1.0 + total).log2() / total } else { 1.0 };
        let ends = ranked.firsts[1..].iter().chain([&n]);
        for (group, (&first, &end)) in ranked.firsts.iter().zip(ends).enumerate() {
            for &document in &self.order[first..end] {
                lambda[document as usize] = factor * groups.lambdas[group];
                hessian[document as usize] = factor * groups.hessians[group];
            }
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
            let first = ranked.discounts.len();
            let positions = &self.position_discounts[first..first + group.len()];
            let discount = positions.iter().sum::<f64>() / group.len() as f64;
            ranked.discounts.extend(group.iter().map(|_| discount));
            ranked.firsts.push(first);
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

impl TieGroups {
    /// The groups of ranked documents, with all sums 0.
    fn fill(&mut self, ranked: &Ranked) {
        let Ranked { scores, gains, discounts, firsts } = ranked;
        let of = |from: &[f64], to: &mut Vec<f64>| {
            to.clear();
            to.extend(firsts.iter().map(|&first| from[first]));
        };
        of(scores, &mut self.scores);
        of(gains, &mut self.gains);
        of(discounts, &mut self.discounts);
        let ends = firsts.iter().skip(1).copied().chain([scores.len()]);
        self.sizes.clear();
        self.sizes.extend(firsts.iter().zip(ends).map(|(&first, end)| (end - first) as f64));
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

    /// Processes all pairs of one group with the groups ranked below it; returns the sum of their
    /// 2 ρΔ. Branch-free, so that the compiler vectorises it: a pair of equal gains has Δ = 0 and
    /// contributes nothing.
    fn add_pairs<const NORMALISE_BY_DISTANCE: bool>(&mut self, above: usize) -> f64 {
        let (score, power, size) = (self.scores[above], self.powers[above], self.sizes[above]);
        let (gain, discount) = (self.gains[above], self.discounts[above]);
        let below = above + 1..;
        let scores = &self.scores[below.clone()];
        let powers = &self.powers[below.clone()];
        let gains = &self.gains[below.clone()];
        let discounts = &self.discounts[below.clone()];
        let sizes = &self.sizes[below.clone()];
        let lambdas = &mut self.lambdas[below.clone()];
        let hessians = &mut self.hessians[below];
        let (mut lambda, mut hessian, mut total) = (0.0, 0.0, 0.0);
        let pairs = scores.iter().zip(powers).zip(gains).zip(discounts).zip(sizes);
        let pairs = pairs.zip(lambdas.iter_mut().zip(hessians));
        for (((((&s, &p), &g), &d), &count), (low_lambda, low_hessian)) in pairs {
            let mut swap = (gain - g).abs() * (discount - d);
            if NORMALISE_BY_DISTANCE {
                swap /= 0.01 + (score - s);
            }
            // The probability that the lower document should be ranked higher, and ρ: the
            // probability that the pair is ordered incorrectly.
            let lower = p / (power + p);
            let (rho, sign) = if gain > g { (lower, 1.0) } else { (1.0 - lower, -1.0) };
            let (pair_lambda, pair_hessian) = (rho * swap, lower * (1.0 - lower) * swap);
            lambda += count * (sign * pair_lambda);
            *low_lambda -= size * (sign * pair_lambda);
            hessian += count * pair_hessian;
            *low_hessian += size * pair_hessian;
            total += count * (2.0 * pair_lambda);
        }
        self.lambdas[above] += lambda;
        self.hessians[above] += hessian;
        size * total
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
        let lambda = 0.5 * (shared - 0.5);
        for (labels, expected) in [
            ([1., 0., 0.], [2.0 * lambda, -lambda, -lambda]),
            ([0., 1., 0.], [-lambda, 2.0 * lambda, -lambda]),
        ] {
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
    /// Groups give the sums over single pairs: scores and labels with many ties, against the
    /// definition.
    #[test]
    fn groups_equal_the_sums_over_their_pairs() {
        let labels: Vec<f32> = (0..60u16).map(|i| f32::from(i * 7 % 5 / 2)).collect();
        let scores: Vec<f64> = (0..60).map(|i| f64::from(i * 11 % 4) / 3.0).collect();
        for cutoff in [None, Some(5)] {
            let mut kernel = Lambdas::new(cutoff);
            let placed = kernel.rank(&scores, &labels).unwrap();
            let n = scores.len();
            let first = |place: usize| {
                let key = |at: usize| (placed.scores[at], placed.gains[at]);
                (0..n).find(|&at| key(at) == key(place)).unwrap()
            };
            let mut expected = vec![0.0; n];
            for above in (0..n).filter(|&above| first(above) < cutoff.unwrap_or(n)) {
                for below in above + 1..n {
                    let gain = placed.gains[above] - placed.gains[below];
                    let swap = gain.abs() * (placed.discounts[above] - placed.discounts[below]);
                    let apart = gain.signum() * (placed.scores[above] - placed.scores[below]);
                    let lambda = gain.signum() * swap / (1.0 + apart.exp());
                    expected[placed.order[above] as usize] += lambda;
                    expected[placed.order[below] as usize] -= lambda;
                }
            }
            let got = lambdas(cutoff, &scores, &labels);
            let apart = got.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-12, "{apart}");
        }
    }
}
