//! Lambdas: how much a measure of the ranking wants each document to move, and how sure it is.
//!
//! For every pair of documents of a query with labels yᵢ > yⱼ: ρ = 1/(1 + exp(sᵢ − sⱼ)), Δ = |ΔNDCG| of swapping the two,
//! λᵢ += ρΔ, λⱼ −= ρΔ, and both second derivatives grow by ρ(1 − ρ)Δ (Burges, Ragno & Le, NIPS 2006; Wu et al. 2010).
//! Gain 2^y − 1 and discount 1/log₂(1 + position). With a cut-off a pair counts when one of its documents stands above
//! it; as in RankLib and LightGBM the ideal DCG stops at the cut-off and the discounts do not.
//!
//! Departs from both where scores are equal, as all are before the first step: they take the order of the input, which
//! carries information in real data. Here, among equal scores, the worse labels stand first, and documents that also
//! share the label share their positions' mean discount. So the order of rows does not matter.
//!
//! Normalised lambdas, LightGBM's rule, differ twice. Once scores differ, a pair's Δ is divided by 0.01 + |sᵢ − sⱼ|, so that
//! pairs whose order is open count most. And a query's lambdas and second derivatives are scaled by log₂(1 + Σ) / Σ, where
//! Σ is the sum of all pushes, 2 ρΔ each, so that queries with many pairs do not outvote the others.

/// Computes lambdas query after query without allocating anew.
#[derive(Debug)]
pub struct Lambdas {
    cutoff: usize,
    normalised: bool,
    discounts: Vec<f64>,
    gains: Vec<f64>,
    ideal: Vec<f64>,
    order: Vec<u32>,
    places: Vec<Place>,
}

/// Where a ranked document stands: the first position of its group, and the group's mean discount.
#[derive(Debug, Clone, Copy)]
struct Place {
    first: usize,
    discount: f64,
}

impl Lambdas {
    /// For NDCG at a cut-off, or of the whole list.
    pub fn new(cutoff: Option<usize>) -> Self {
        Lambdas {
            cutoff: cutoff.unwrap_or(usize::MAX),
            normalised: false,
            discounts: Vec::new(),
            gains: Vec::new(),
            ideal: Vec::new(),
            order: Vec::new(),
            places: Vec::new(),
        }
    }

    /// The same with LightGBM's normalisation.
    pub fn normalised(cutoff: Option<usize>) -> Self {
        Lambdas { normalised: true, ..Lambdas::new(cutoff) }
    }

    /// Overwrites `lambda` and `hessian` with those of one query.
    pub fn of_query(&mut self, scores: &[f64], labels: &[f32], lambda: &mut [f64], hessian: &mut [f64]) {
        lambda.fill(0.0);
        hessian.fill(0.0);
        let ideal = self.ideal_dcg(labels);
        if ideal <= 0.0 {
            return;
        }
        self.rank(scores, labels);
        let differ = self.order.first().zip(self.order.last()).is_some_and(|(best, worst)| {
            self.normalised && scores[*best as usize] != scores[*worst as usize]
        });
        let mut pushes = 0.0;
        for (above, high) in self.places.iter().enumerate().take_while(|(_, place)| place.first < self.cutoff)
        {
            let i = self.order[above] as usize;
            for (&j, low) in self.order[above + 1..].iter().zip(&self.places[above + 1..]) {
                let j = j as usize;
                if labels[i] == labels[j] {
                    continue;
                }
                let (better, worse) = if labels[i] > labels[j] { (i, j) } else { (j, i) };
                let apart = scores[better] - scores[worse];
                let mut swap =
                    (self.gains[better] - self.gains[worse]) * (high.discount - low.discount) / ideal;
                if differ {
                    swap /= 0.01 + apart.abs();
                }
                let rho = 1.0 / (1.0 + apart.exp());
                let (push, curve) = (rho * swap, rho * (1.0 - rho) * swap);
                lambda[better] += push;
                lambda[worse] -= push;
                hessian[better] += curve;
                hessian[worse] += curve;
                pushes += 2.0 * push;
            }
        }
        if self.normalised && pushes > 0.0 {
            let factor = (1.0 + pushes).log2() / pushes;
            lambda.iter_mut().chain(hessian).for_each(|value| *value *= factor);
        }
    }

    /// DCG of the ideal ranking above the cut-off.
    fn ideal_dcg(&mut self, labels: &[f32]) -> f64 {
        while self.discounts.len() < labels.len() {
            self.discounts.push(1.0 / ((self.discounts.len() + 2) as f64).log2());
        }
        self.gains.clear();
        self.gains.extend(labels.iter().map(|&y| f64::from(y).exp2() - 1.0));
        self.ideal.clone_from(&self.gains);
        self.ideal.sort_unstable_by(|a, b| b.total_cmp(a));
        self.ideal.iter().zip(&self.discounts).take(self.cutoff).map(|(gain, discount)| gain * discount).sum()
    }

    fn rank(&mut self, scores: &[f64], labels: &[f32]) {
        self.order.clear();
        self.order.extend(0..scores.len() as u32);
        let key = |&i: &u32| (scores[i as usize], labels[i as usize]);
        self.order.sort_unstable_by(|a, b| {
            let ((s, y), (t, z)) = (key(a), key(b));
            t.total_cmp(&s).then(y.total_cmp(&z)).then(a.cmp(b))
        });
        self.places.clear();
        for group in self.order.chunk_by(|a, b| key(a) == key(b)) {
            let first = self.places.len();
            let discounts = &self.discounts[first..first + group.len()];
            let discount = discounts.iter().sum::<f64>() / group.len() as f64;
            self.places.extend(group.iter().map(|_| Place { first, discount }));
        }
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

    /// Scores all equal: the label-0 documents share positions 1 and 2, the relevant one stands third, ρ is ½.
    #[test]
    fn equal_scores_do_not_look_at_the_order_of_rows() {
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
