//! How much selections agree: across folds, seeds and samples of queries, and between methods.
//!
//! Nogueira, Sechidis & Brown, *On the stability of feature selection algorithms*, JMLR 18(174), 2018. With M selections among d features, p_f the
//! share of them that chose feature f, and k̄ the mean number of features chosen, stability is
//!
//! ```text
//! Φ = 1 − [ (1/d) Σ_f M/(M−1) · p_f (1 − p_f) ] / [ (k̄/d) (1 − k̄/d) ]
//! ```
//!
//! 1 where all are the same, around 0 where they agree as if features were drawn at random,
//! whatever their number. The interval is the paper's: Φ is asymptotically normal, with a variance
//! from what each selection contributes (its theorem 7). Where every selection takes all features,
//! or none, there is nothing to tell apart and Φ is not defined.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

use crate::error::{Error, Result};
use crate::measure::significance::Interval;

/// How often features were chosen, and how far selections agree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stability {
    /// How many selections were compared.
    pub selections: usize,
    /// A feature's id and how many selections chose it, most often first, then by id; those never
    /// chosen are left out.
    pub chosen: Vec<(u32, usize)>,
    /// How far they agree; nothing where every selection took all features, or none.
    pub agreement: Option<Agreement>,
}

/// Nogueira's stability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// Its estimate Φ.
    pub value: f64,
    /// Where the true value lies.
    pub interval: Interval,
}

impl Stability {
    /// Of selections, each the ids of its features, among `features` features; the interval at this
    /// confidence, such as .95.
    ///
    /// ```
    /// use featherank::experiment::Stability;
    /// let same = Stability::of(&[vec![1, 2], vec![2, 1], vec![1, 2]], 10, 0.95)?;
    /// assert_eq!(same.chosen, [(1, 3), (2, 3)]);
    /// assert_eq!(same.agreement.unwrap().value, 1.0);
    /// # Ok::<(), featherank::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than two selections, more features chosen than there are, or a confidence outside 0 to
    /// 1.
    pub fn of(selections: &[Vec<u32>], features: usize, confidence: f64) -> Result<Self> {
        let sets: Vec<BTreeSet<u32>> =
            selections.iter().map(|ids| ids.iter().copied().collect()).collect();
        let all: BTreeSet<u32> = sets.iter().flatten().copied().collect();
        if sets.len() < 2 {
            return Err(Error::invalid(
                "number of selections",
                sets.len(),
                "at least two to compare",
            ));
        }
        if all.len() > features {
            return Err(Error::invalid(
                "number of features",
                features,
                "at least those that were chosen",
            ));
        }
        if !(confidence > 0.0 && confidence < 1.0) {
            return Err(Error::invalid("confidence", confidence, "above 0 and below 1"));
        }
        let count = |id: u32| (id, sets.iter().filter(|set| set.contains(&id)).count());
        let mut chosen: Vec<(u32, usize)> = all.into_iter().map(count).collect();
        chosen.sort_by_key(|&(id, count)| (std::cmp::Reverse(count), id));
        let agreement = agreement(&sets, &chosen, features as f64, confidence);
        Ok(Stability { selections: sets.len(), chosen, agreement })
    }
}

fn agreement(
    sets: &[BTreeSet<u32>],
    chosen: &[(u32, usize)],
    features: f64,
    confidence: f64,
) -> Option<Agreement> {
    let count = sets.len() as f64;
    let share = |times: usize| times as f64 / count;
    let mean_size = chosen.iter().map(|&(_, times)| share(times)).sum::<f64>() / features;
    let spread = mean_size * (1.0 - mean_size);
    if spread <= SOME {
        return None;
    }
    let variances = chosen.iter().map(|&(_, times)| share(times) * (1.0 - share(times)));
    let value = 1.0 - count / (count - 1.0) * variances.sum::<f64>() / features / spread;
    let contribution = |set: &BTreeSet<u32>| {
        let size = set.len() as f64 / features;
        let of_set = chosen.iter().filter(|(id, _)| set.contains(id));
        let overlap = of_set.map(|&(_, times)| share(times)).sum::<f64>() / features;
        let sizes = 2.0 * size * mean_size - size - mean_size + 1.0;
        (overlap - size * mean_size + value / 2.0 * sizes) / spread
    };
    let contributions: Vec<f64> = sets.iter().map(contribution).collect();
    let middle = contributions.iter().sum::<f64>() / count;
    let squares: f64 = contributions.iter().map(|own| (own - middle).powi(2)).sum();
    let reach =
        Normal::standard().inverse_cdf(0.5 + confidence / 2.0) * 2.0 / count * squares.sqrt();
    let interval =
        Interval { low: value - reach, high: (value + reach).min(1.0), level: confidence };
    Some(Agreement { value, interval })
}

/// Shares add up to 1 but for rounding.
const SOME: f64 = 1e-12;

/// How alike two selections are: the share of all features chosen by either that both chose. 1
/// where neither chose any.
#[must_use]
pub fn jaccard(a: &[u32], b: &[u32]) -> f64 {
    let (a, b): (BTreeSet<_>, BTreeSet<_>) = (a.iter().collect(), b.iter().collect());
    let (both, either) = (a.intersection(&b).count(), a.union(&b).count());
    if either == 0 { 1.0 } else { both as f64 / either as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use rand::seq::SliceRandom;

    /// In fractions, by another program.
    #[test]
    fn values_of_an_independent_calculation() {
        let check = |sets: &[&[u32]], features: usize, value: f64, low: f64, high: f64| {
            let sets: Vec<Vec<u32>> = sets.iter().map(|set| set.to_vec()).collect();
            let agreement = Stability::of(&sets, features, 0.95).unwrap().agreement.unwrap();
            let found = [agreement.value, agreement.interval.low, agreement.interval.high];
            assert!(
                found.iter().zip([value, low, high]).all(|(a, b)| (a - b).abs() < 1e-12),
                "{found:?}"
            );
        };
        check(
            &[&[1, 2, 3], &[1, 2], &[1, 4, 5, 6]],
            6,
            -0.1111111111111111,
            -0.5385168695820455,
            0.3162946473598233,
        );
        check(
            &[&[1, 2], &[3, 4], &[1, 3], &[1, 2]],
            8,
            0.2222222222222222,
            -0.06067421129682071,
            0.5051186557412651,
        );
    }

    /// Chance agreement is 0, whatever the number of features chosen, and the interval holds it.
    #[test]
    fn features_drawn_at_random_do_not_agree() {
        for size in [2, 10, 30] {
            let draw = |index: u64| {
                let mut ids: Vec<u32> = (1..=40).collect();
                ids.shuffle(&mut stream(size, Purpose::Test, index));
                ids.truncate(size as usize);
                ids
            };
            let sets: Vec<Vec<u32>> = (0..200).map(draw).collect();
            let Agreement { value, interval } =
                Stability::of(&sets, 40, 0.999).unwrap().agreement.unwrap();
            assert!(
                value.abs() < 0.02 && interval.low < 0.0 && interval.high > 0.0,
                "{value} {interval:?}"
            );
        }
    }

    #[test]
    fn nothing_to_tell_apart_and_bad_input() {
        let all = vec![vec![1, 2, 3]; 4];
        assert_eq!(Stability::of(&all, 3, 0.95).unwrap().agreement, None);
        assert_eq!(Stability::of(&[vec![], vec![]], 3, 0.95).unwrap().agreement, None);
        assert!(Stability::of(&all[..1], 3, 0.95).is_err());
        assert!(Stability::of(&all, 2, 0.95).is_err());
        assert!(Stability::of(&all, 3, 1.0).is_err());
    }

    #[test]
    fn alike_by_hand() {
        assert_eq!(jaccard(&[1, 2, 3], &[3, 2, 9]), 0.5);
        assert_eq!((jaccard(&[], &[]), jaccard(&[1], &[])), (1.0, 0.0));
    }
}
