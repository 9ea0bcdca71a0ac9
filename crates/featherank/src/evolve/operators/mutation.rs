//! Random genomes and mutation.
//!
//! Genes to change are found by skipping: the number of genes up to the next one is drawn from the
//! geometric distribution. Changing 1 % of a genome of 350,000 genes takes 3,500 random numbers.

use rand::{Rng, RngExt};

use super::super::genome::{Bits, GeneBounds};

/// Iterates over genes that are each chosen with the same probability.
struct GeometricSkips {
    next: usize,
    length: usize,
    /// The logarithm of the probability that a gene is not chosen.
    log_passed: f64,
}

impl GeometricSkips {
    fn new(length: usize, probability: f64) -> Self {
        let next = if probability > 0.0 { 0 } else { length };
        Self { next, length, log_passed: (-probability.min(1.0)).ln_1p() }
    }

    fn next(&mut self, rng: &mut impl Rng) -> Option<usize> {
        if self.next >= self.length {
            return None;
        }
        // Never 0, whose logarithm is infinite.
        let uniform = 1.0 - rng.random::<f64>();
        // The conversion saturates if the skip is too long for an integer.
        let chosen = self.next.saturating_add((uniform.ln() / self.log_passed) as usize);
        self.next = chosen.saturating_add(1);
        (chosen < self.length).then_some(chosen)
    }
}

/// A genome whose genes are each set with the same probability.
#[must_use]
pub fn bernoulli(length: usize, probability: f64, rng: &mut impl Rng) -> Bits {
    // Draws the rarer value, so that at most half of the genes cost a random number.
    let rarer = probability.min(1.0 - probability);
    if rarer >= 0.5 {
        return Bits::from_words(length, || rng.next_u64());
    }
    let mut bits = Bits::new(length);
    let mut skips = GeometricSkips::new(length, rarer);
    while let Some(gene) = skips.next(rng) {
        bits.set(gene, true);
    }
    if probability > 0.5 {
        bits.flip_masked(&Bits::from_range(length, 0..length));
    }
    bits
}

/// With probability `individual`, flips each gene with probability `gene`.
pub fn mutate_gene_wise(bits: &mut Bits, individual: f64, gene: f64, rng: &mut impl Rng) {
    if rng.random::<f64>() < individual {
        bits.flip_masked(&bernoulli(bits.length(), gene, rng));
    }
}

/// Flips each gene with a probability of its own.
///
/// Skips genes as if every one had the greatest of the probabilities, then accepts a gene in
/// proportion to its own: cheap if all are small.
pub fn flip_each(bits: &mut Bits, probabilities: &[f64], rng: &mut impl Rng) {
    debug_assert_eq!(bits.length(), probabilities.len());
    let greatest = probabilities.iter().copied().fold(0.0, f64::max).min(1.0);
    let mut skips = GeometricSkips::new(bits.length().min(probabilities.len()), greatest);
    while let Some(gene) = skips.next(rng) {
        if rng.random::<f64>() * greatest < probabilities[gene] {
            bits.flip(gene);
        }
    }
}

/// Polynomial mutation of reals, each with the same probability (Deb & Goyal 1996; the bounded
/// form).
///
/// The greater `eta`, the closer a value stays; 20 is usual. Values must be within the bounds.
pub fn polynomial(
    reals: &mut [f64],
    eta: f64,
    bounds: GeneBounds,
    probability: f64,
    rng: &mut impl Rng,
) {
    let range = bounds.high - bounds.low;
    if range <= 0.0 {
        return;
    }
    let mut skips = GeometricSkips::new(reals.len(), probability);
    while let Some(gene) = skips.next(rng) {
        let real = &mut reals[gene];
        let (below, above) = ((*real - bounds.low) / range, (bounds.high - *real) / range);
        *real = bounds.clamp(*real + range * step(rng.random(), eta, below, above));
    }
}

/// A step as a share of the range, given the shares `below` and `above` the current value. It never
/// leaves the range.
fn step(uniform: f64, eta: f64, below: f64, above: f64) -> f64 {
    let length = |uniform: f64, to_bound: f64| {
        let rest = (1.0 - to_bound).powf(eta + 1.0);
        1.0 - (2.0 * uniform + (1.0 - 2.0 * uniform) * rest).powf(1.0 / (eta + 1.0))
    };
    if uniform < 0.5 { -length(uniform, below) } else { length(1.0 - uniform, above) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    /// Whether a count of successes is within five standard deviations of its expectation.
    fn plausible(count: usize, trials: usize, probability: f64) -> bool {
        let (count, trials) = (count as f64, trials as f64);
        (count - trials * probability).abs()
            <= 5.0 * (trials * probability * (1.0 - probability)).sqrt() + 1e-9
    }

    #[test]
    fn genes_are_set_at_the_rate_asked_for() {
        let mut rng = stream(1, Purpose::Test, 0);
        for probability in [0.0, 1e-5, 0.01, 0.3, 0.5, 0.7, 0.999, 1.0] {
            let bits = bernoulli(350_000, probability, &mut rng);
            assert!(
                plausible(bits.count(), 350_000, probability),
                "{probability}: {}",
                bits.count()
            );
        }
        assert_eq!(bernoulli(0, 0.3, &mut rng).count(), 0);
        assert_eq!(bernoulli(10, f64::NAN, &mut rng).count(), 0);
    }

    /// Skipping must not favour any gene: every gene, including the first and the last, and every
    /// pair of neighbours is as frequent as with independent draws.
    #[test]
    fn skipping_is_the_same_everywhere() {
        let mut rng = stream(2, Purpose::Test, 0);
        let (mut alone, mut pairs) = ([0; 70], [0; 69]);
        for _ in 0..20_000 {
            let bits = bernoulli(70, 0.2, &mut rng);
            bits.ones().for_each(|gene| alone[gene] += 1);
            bits.ones()
                .filter(|&gene| gene < 69 && bits.get(gene + 1))
                .for_each(|gene| pairs[gene] += 1);
        }
        assert!(alone.iter().all(|&count| plausible(count, 20_000, 0.2)), "{alone:?}");
        assert!(pairs.iter().all(|&count| plausible(count, 20_000, 0.04)), "{pairs:?}");
    }

    #[test]
    fn individuals_then_genes_mutate() {
        let mut rng = stream(3, Purpose::Test, 0);
        let (mut mutated, mut flips) = (0, 0);
        for _ in 0..5_000 {
            let mut bits = Bits::from_indices(136, [3, 70]);
            let before = bits.clone();
            mutate_gene_wise(&mut bits, 0.2, 0.3, &mut rng);
            mutated += usize::from(bits != before);
            flips += bits.hamming(&before);
        }
        assert!(plausible(mutated, 5_000, 0.2), "{mutated}");
        assert!(plausible(flips, mutated * 136, 0.3), "{flips}");
    }

    /// The adaptive probabilities of the fixture at generation 1, without and with a gene that
    /// flips with certainty.
    #[test]
    fn every_gene_has_its_own_rate() {
        let text = include_str!("../../../tests/fixtures/mofsrank.json");
        let fixture: serde_json::Value = serde_json::from_str(text).unwrap();
        let first = &fixture["adaptive_mutation"]["p_star_by_generation"]["1"];
        let mut rates: Vec<f64> = serde_json::from_value(first.clone()).unwrap();
        let mut rng = stream(4, Purpose::Test, 0);
        for extra in [None, Some(1.0)] {
            rates.extend(extra);
            let mut counts = vec![0; rates.len()];
            for _ in 0..20_000 {
                let mut bits = Bits::from_indices(rates.len(), [0, 2]);
                let before = bits.clone();
                flip_each(&mut bits, &rates, &mut rng);
                (0..rates.len()).for_each(|gene| {
                    counts[gene] += usize::from(bits.get(gene) != before.get(gene))
                });
            }
            for (&count, &rate) in counts.iter().zip(&rates) {
                assert!(plausible(count, 20_000, rate), "{rate}: {count}");
            }
        }
    }

    /// In the middle, with η = 1: √(½ + ½ · ½²) - 1 at u = ¼, and its mirror image at ¾. The
    /// longest steps lead exactly to the bounds; at a bound, no step leads outside.
    #[test]
    fn steps_by_hand() {
        let near = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-12, "{found}, {expected}")
        };
        near(step(0.25, 1.0, 0.5, 0.5), 0.625f64.sqrt() - 1.0);
        near(step(0.75, 1.0, 0.5, 0.5), 1.0 - 0.625f64.sqrt());
        near(step(0.5, 20.0, 0.2, 0.8), 0.0);
        near(step(0.0, 20.0, 0.2, 0.8), -0.2);
        near(step(1.0, 20.0, 0.2, 0.8), 0.8);
        near(step(0.1, 20.0, 0.0, 1.0), 0.0);
    }

    #[test]
    fn polynomial_mutation_keeps_bounds_and_middle() {
        let mut rng = stream(5, Purpose::Test, 0);
        let bounds = GeneBounds { low: -1.0, high: 3.0 };
        let (mut sum, mut changed) = (0.0, 0);
        for _ in 0..500 {
            let mut reals = [vec![1.0; 98], vec![-1.0, 3.0]].concat();
            polynomial(&mut reals, 20.0, bounds, 0.25, &mut rng);
            assert!(reals.iter().all(|&real| (-1.0..=3.0).contains(&real)));
            sum += reals[..98].iter().sum::<f64>();
            changed += reals[..98].iter().filter(|&&real| (real - 1.0).abs() > 0.0).count();
        }
        assert!(plausible(changed, 49_000, 0.25), "{changed}");
        // A step has a standard deviation of about .06 of the range 4, and a quarter of 49,000
        // genes take one.
        assert!((sum / 49_000.0 - 1.0).abs() < 5.0 * 0.25 * (0.25f64 / 49_000.0).sqrt(), "{sum}");
        let mut fixed = [2.0];
        polynomial(&mut fixed, 20.0, GeneBounds { low: 2.0, high: 2.0 }, 1.0, &mut rng);
        assert_eq!(fixed, [2.0]);
    }
}
