//! Stability of selections over folds, seeds and samples of queries, and similarity of methods.
//!
//! Nogueira, Sechidis & Brown, *On the stability of feature selection algorithms*, JMLR 18(174),
//! 2018. With M selections among d features, p_f the share of selections that contain feature f,
//! and k̄ the mean number of selected features, stability is
//!
//! ```text
//! Φ = 1 − [ (1/d) Σ_f M/(M−1) · p_f (1 − p_f) ] / [ (k̄/d) (1 − k̄/d) ]
//! ```
//!
//! It is 1 if all selections are equal, and about 0 for random selections of any size. The
//! confidence interval follows theorem 7 of the paper: Φ is asymptotically normal, with a variance
//! estimated from the contribution of each selection. Φ is not defined if every selection contains
//! all features, or none.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

use crate::error::{Error, Result};
use crate::measure::significance::Interval;

/// Selection frequencies and stability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stability {
    /// The number of selections.
    pub selections: usize,
    /// Feature ids and the number of selections that contain them, most frequent first, then by id;
    /// features that were never selected are omitted.
    pub chosen: Vec<(u32, usize)>,
    /// The stability; `None` if every selection contains all features, or none.
    pub agreement: Option<Agreement>,
}

/// Nogueira's stability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// The estimate Φ.
    pub value: f64,
    /// The confidence interval.
    pub interval: Interval,
}

impl Stability {
    /// The stability of selections (lists of feature ids) among `features` features, with an
    /// interval at the given confidence, such as 0.95.
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
    /// Fewer than two selections, more selected features than `features`, or a confidence outside 0
    /// to 1.
    pub fn of(selections: &[Vec<u32>], features: usize, confidence: f64) -> Result<Self> {
        let sets: Vec<BTreeSet<u32>> =
            selections.iter().map(|ids| ids.iter().copied().collect()).collect();
        let all: BTreeSet<u32> = sets.iter().flatten().copied().collect();
        if sets.len() < 2 {
            return Err(Error::invalid("number of selections", sets.len(), "at least 2"));
        }
        if all.len() > features {
            return Err(Error::invalid(
                "number of features",
                features,
                "at least the number of features selected",
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
    if spread <= ROUNDING {
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
    let half_width =
        Normal::standard().inverse_cdf(0.5 + confidence / 2.0) * 2.0 / count * squares.sqrt();
    let interval = Interval {
        low: value - half_width,
        high: (value + half_width).min(1.0),
        level: confidence,
    };
    Some(Agreement { value, interval })
}

/// Tolerance for rounding errors in sums of shares.
const ROUNDING: f64 = 1e-12;

/// The Jaccard similarity of two selections: the share of the features in either that are in both;
/// 1 if both are empty.
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

    /// Computed independently with exact fractions.
    #[test]
    fn values_agree_with_an_independent_calculation() {
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

    /// The stability of random selections is 0 for any size, and the interval contains it.
    #[test]
    fn random_selections_are_not_stable() {
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
    fn undefined_stability_and_invalid_input() {
        let all = vec![vec![1, 2, 3]; 4];
        assert_eq!(Stability::of(&all, 3, 0.95).unwrap().agreement, None);
        assert_eq!(Stability::of(&[vec![], vec![]], 3, 0.95).unwrap().agreement, None);
        assert!(Stability::of(&all[..1], 3, 0.95).is_err());
        assert!(Stability::of(&all, 2, 0.95).is_err());
        assert!(Stability::of(&all, 3, 1.0).is_err());
    }

    #[test]
    fn jaccard_by_hand() {
        assert_eq!(jaccard(&[1, 2, 3], &[3, 2, 9]), 0.5);
        assert_eq!((jaccard(&[], &[]), jaccard(&[1], &[])), (1.0, 0.0));
    }
}
