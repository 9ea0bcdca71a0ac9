//! A small quadratic program: maximise bᵀα − ½ αᵀQα subject to α ≥ 0 and Σ α = 1.
//!
//! An active-set method in the manner of Wolfe (1976): keep a set of positive entries that is
//! optimal on its own; add the entry with the largest derivative; while the optimum over the set
//! has negative entries, move towards it until the first of them reaches 0, and remove that entry.
//! Warm-started from the previous solution. α stays feasible regardless of rounding.

use super::cholesky::PivotedCholesky;

/// Weight of the proximal term in each step, as a fraction of Q's largest entry: rows of Q may be
/// linearly dependent, and without the term a step could be arbitrarily long. Steps are repeated
/// until no gain is left, so the term does not change the optimum.
const PROXIMAL_WEIGHT: f64 = 1e-10;

/// Derivatives that differ by less than this fraction of the largest linear term are considered
/// equal.
const EQUAL: f64 = 1e-11;

/// The program; entries can be added and removed between calls of `solve`.
#[derive(Debug, Default)]
pub struct SimplexQp {
    products: Vec<Vec<f64>>,
    linear: Vec<f64>,
    shares: Vec<f64>,
}

impl SimplexQp {
    /// An empty program.
    pub fn new() -> Self {
        SimplexQp::default()
    }

    /// Adds an entry: its products with the previous entries and with itself, and its linear term.
    pub fn add(&mut self, products: &[f64], linear: f64) {
        for (row, &product) in self.products.iter_mut().zip(products) {
            row.push(product);
        }
        self.products.push(products.to_vec());
        self.linear.push(linear);
        self.shares.push(if self.shares.is_empty() { 1.0 } else { 0.0 });
    }

    /// Removes an entry whose value is 0.
    pub fn remove(&mut self, entry: usize) {
        self.products.remove(entry);
        self.products.iter_mut().for_each(|row| {
            row.remove(entry);
        });
        self.linear.remove(entry);
        self.shares.remove(entry);
    }

    /// The entries of α at the optimum.
    pub fn solve(&mut self) -> &[f64] {
        let n = self.shares.len();
        let most = (0..n).fold(0.0f64, |most, i| most.max(self.products[i][i]));
        // If all products are 0, the scale of the proximal term is arbitrary.
        let nearness = if most > 0.0 { PROXIMAL_WEIGHT * most } else { 1.0 };
        let mut set: Vec<usize> = (0..n).filter(|&i| self.shares[i] > 0.0).collect();
        let mut last = f64::NEG_INFINITY;
        // Far more iterations than are ever needed; guards against cycling due to rounding.
        for _ in 0..20 * n + 100 {
            self.settle(&mut set, nearness);
            let gradient: Vec<f64> = (0..n).map(|i| self.derivative(i)).collect();
            let value: f64 =
                (0..n).map(|i| 0.5 * self.shares[i] * (self.linear[i] + gradient[i])).sum();
            let level = self.level(&set);
            let outside = (0..n).filter(|i| !set.contains(i));
            let steepest =
                outside.reduce(|best, i| if gradient[i] > gradient[best] { i } else { best });
            match steepest {
                Some(i) if gradient[i] > level + self.rounding() && value > last => set.push(i),
                _ => break,
            }
            last = value;
        }
        &self.shares
    }

    /// The derivative with respect to one entry.
    fn derivative(&self, i: usize) -> f64 {
        let quadratic =
            self.products[i].iter().zip(&self.shares).filter(|(_, share)| **share > 0.0);
        self.linear[i] - quadratic.map(|(q, share)| q * share).sum::<f64>()
    }

    /// The common derivative of all entries of a set at its optimum.
    fn level(&self, set: &[usize]) -> f64 {
        set.iter().map(|&i| self.shares[i] * self.derivative(i)).sum()
    }

    /// The threshold below which differences between derivatives are rounding errors.
    fn rounding(&self) -> f64 {
        EQUAL * self.linear.iter().fold(f64::MIN_POSITIVE, |most, b| most.max(b.abs()))
    }

    /// Moves to the optimum over a set of entries; entries that reach 0 on the way are removed from
    /// it.
    fn settle(&mut self, set: &mut Vec<usize>, nearness: f64) {
        for _ in 0..4 * set.len() + 20 {
            let step = self.step(set, nearness);
            let reach = set
                .iter()
                .zip(&step)
                .filter(|(i, step)| self.shares[**i] + **step <= 0.0)
                .map(|(&i, step)| if *step < 0.0 { self.shares[i] / -step } else { 0.0 })
                .fold(1.0f64, f64::min);
            for (&i, step) in set.iter().zip(&step) {
                let share = self.shares[i] + reach * step;
                self.shares[i] = if share > 1e-15 { share } else { 0.0 };
            }
            set.retain(|&i| self.shares[i] > 0.0);
            let sum: f64 = set.iter().map(|&i| self.shares[i]).sum();
            set.iter().for_each(|&i| self.shares[i] /= sum);
            let level = self.level(set);
            if set.iter().all(|&i| (self.derivative(i) - level).abs() <= self.rounding()) {
                return;
            }
        }
    }

    /// The step to the optimum over a set, ignoring signs, with a small proximal term: (Q + ρI) Δ =
    /// gradient − μ1 with Σ Δ = 0.
    fn step(&self, set: &[usize], nearness: f64) -> Vec<f64> {
        let cell = |i: usize, j: usize| self.products[i][j] + if i == j { nearness } else { 0.0 };
        let matrix: Vec<f64> =
            set.iter().flat_map(|&i| set.iter().map(move |&j| cell(i, j))).collect();
        let factor = PivotedCholesky::new(matrix, 0.0);
        let level = self.level(set);
        let gradient: Vec<f64> = set.iter().map(|&i| self.derivative(i) - level).collect();
        let (free, ones) = (factor.solve(&gradient), factor.solve(&vec![1.0; set.len()]));
        let multiplier = free.iter().sum::<f64>() / ones.iter().sum::<f64>();
        free.iter().zip(ones).map(|(free, one)| free - multiplier * one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The optimality conditions hold: derivatives are equal on the positive entries, and not
    /// larger elsewhere.
    #[test]
    fn the_optimum_satisfies_the_optimality_conditions() {
        let n = 30;
        let point = |i: usize| {
            (0..4).map(|k| ((i * 37 + k * 101) % 29) as f64 / 7.0 - 2.0).collect::<Vec<f64>>()
        };
        let linear = |i: usize| ((i * 53) % 17) as f64 / 10.0;
        let mut qp = SimplexQp::new();
        for i in 0..n {
            let products: Vec<f64> =
                (0..=i).map(|j| point(i).iter().zip(point(j)).map(|(a, b)| a * b).sum()).collect();
            qp.add(&products, linear(i));
            qp.solve();
        }
        let shares = qp.solve().to_vec();
        assert!(
            (shares.iter().sum::<f64>() - 1.0).abs() < 1e-12 && shares.iter().all(|&s| s >= 0.0)
        );
        let gradient: Vec<f64> = (0..n).map(|i| qp.derivative(i)).collect();
        let level: f64 = shares.iter().zip(&gradient).map(|(s, g)| s * g).sum();
        for (share, derivative) in shares.iter().zip(&gradient) {
            assert!(
                *derivative <= level + 1e-9 && (*share == 0.0 || *derivative >= level - 1e-9),
                "{share} {derivative} {level}"
            );
        }
    }

    /// Two entries without any effect, and one whose linear term exceeds its cost: it gets all the
    /// weight.
    #[test]
    fn entries_without_effect_get_no_weight() {
        let mut qp = SimplexQp::new();
        qp.add(&[0.0], 0.0);
        qp.add(&[0.0, 0.0], 0.0);
        assert_eq!(qp.solve(), [1.0, 0.0]);
        qp.add(&[0.0, 0.0, 1.25e-4], 0.01);
        assert_eq!(qp.solve(), [0.0, 0.0, 1.0]);
    }
}
