//! Non-inferiority: is the new system as good as the reference, give or take a margin?
//!
//! The question behind "fewer features, same quality". A test for a difference cannot answer it: with few queries it
//! finds none and accepts anything. Here the burden lies on the new system: the one-sided t lower bound of the mean of
//! d = new − reference, d̄ − t₍₁₋level, n−1₎ · SE, must lie above −margin. Equivalent: p < level for the hypothesis that
//! the mean is −margin or less (Wellek, *Testing Statistical Hypotheses of Equivalence and Noninferiority*, 2010).
//!
//! Where the new system was built anew for every group of queries, as in cross-validation, and one more will be built in the end, the mean over the groups is
//! not what that one is worth: systems differ. [`non_inferior_when_built_again`] bounds the next one. Of the one-way analysis of variance, MS_b between and
//! MS_w within g groups of n̄ queries, τ² = max(0, (MS_b − MS_w)/n̄) is how much systems differ, and the variance of the bound is MS_w/n + τ²(1 + 1/g), with Satterthwaite's
//! degrees of freedom.
//!
//! Edges: fewer than two queries never suffice (bound −∞, p = 1). Differences all equal leave no doubt: the bound is
//! the mean itself, and reaching −margin is enough, so that an unchanged system passes with a margin of zero.

use serde::{Deserialize, Serialize};

use super::t_test::Moments;
use super::{number, pairs, student};

/// Whether a system is good enough, and by how much.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NonInferiority {
    /// Mean of new − reference over the queries that count.
    pub mean_difference: f64,
    /// One-sided lower confidence bound of that mean; −∞ when fewer than two queries count.
    #[serde(with = "number")]
    pub lower_bound: f64,
    /// What may be lost, in the measure's own units.
    pub margin: f64,
    /// p-value of the hypothesis that the margin, or more, is lost.
    pub p: f64,
    /// The lower bound lies above −margin.
    pub holds: bool,
}

/// Tests that `new` loses less than `margin` (absolute, 0 or more) against `reference` at significance `level`
/// (.05 makes the bound a one-sided 95 % one).
///
/// ```
/// use featherank::measure::significance::non_inferior;
/// let reference = [0.5, 0.7, 0.6, 0.9, 0.4];
/// let new = [0.5, 0.69, 0.61, 0.89, 0.4];
/// assert!(non_inferior(&new, &reference, 0.02, 0.05).holds);
/// assert!(!non_inferior(&new, &reference, 0.001, 0.05).holds);
/// ```
///
/// # Panics
/// If the lengths differ.
pub fn non_inferior(new: &[f64], reference: &[f64], margin: f64, level: f64) -> NonInferiority {
    let differences = pairs::counted(new, reference).map(|pair| pair.a - pair.b);
    let Moments { n, mean, standard_error } = Moments::of(differences);
    bounded(n, mean, standard_error, (n as f64 - 1.0).max(1.0), margin, level)
}

/// As [`non_inferior`], for a system that is built once more; `groups` says which of the systems built so far ranked a query.
///
/// ```
/// use featherank::measure::significance::{non_inferior, non_inferior_when_built_again};
/// let reference = [0.5; 6];
/// let new = [0.54, 0.56, 0.55, 0.44, 0.46, 0.45];
/// let bound = non_inferior(&new, &reference, 0.1, 0.05).lower_bound;
/// // The first one gains what the second one loses: the next one may do either.
/// assert!(non_inferior_when_built_again(&new, &reference, &[0, 0, 0, 1, 1, 1], 0.1, 0.05).lower_bound < bound);
/// ```
///
/// # Panics
/// If the lengths differ.
pub fn non_inferior_when_built_again(
    new: &[f64],
    reference: &[f64],
    groups: &[usize],
    margin: f64,
    level: f64,
) -> NonInferiority {
    assert_eq!(groups.len(), new.len(), "every query belongs to a group");
    let differences = || pairs::counted(new, reference).map(|pair| (groups[pair.query], pair.a - pair.b));
    let Moments { n, mean, standard_error } = Moments::of(differences().map(|(_, difference)| difference));
    let mut labels: Vec<usize> = differences().map(|(group, _)| group).collect();
    labels.sort_unstable();
    labels.dedup();
    let of_group = |label: &usize| {
        let own: Vec<f64> = differences().filter(|(group, _)| group == label).map(|(_, d)| d).collect();
        let middle = own.iter().sum::<f64>() / own.len() as f64;
        (own.len() as f64, middle, own.iter().map(|d| (d - middle).powi(2)).sum::<f64>())
    };
    let of_groups: Vec<(f64, f64, f64)> = labels.iter().map(of_group).collect();
    let (count, all) = (of_groups.len() as f64, n as f64);
    if count < 2.0 || all <= count {
        return bounded(n, mean, standard_error, (all - 1.0).max(1.0), margin, level);
    }
    let between =
        of_groups.iter().map(|(n, middle, _)| n * (middle - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let within = of_groups.iter().map(|(_, _, squares)| squares).sum::<f64>() / (all - count);
    let squared_shares: f64 = of_groups.iter().map(|(n, _, _)| (n / all).powi(2)).sum();
    let size = all * (1.0 - squared_shares) / (count - 1.0);
    let of_queries = within / all;
    let of_systems = ((between - within) / size).max(0.0) * (1.0 + squared_shares);
    let variance = of_queries + of_systems;
    let df = match variance > 0.0 {
        true => variance.powi(2) / (of_queries.powi(2) / (all - count) + of_systems.powi(2) / (count - 1.0)),
        false => all - count,
    };
    bounded(n, mean, variance.sqrt(), df, margin, level)
}

fn bounded(n: usize, mean: f64, standard_error: f64, df: f64, margin: f64, level: f64) -> NonInferiority {
    if n < 2 {
        let lower_bound = f64::NEG_INFINITY;
        return NonInferiority { mean_difference: mean, lower_bound, margin, p: 1.0, holds: false };
    }
    if standard_error == 0.0 {
        let holds = mean >= -margin;
        let p = if holds { 0.0 } else { 1.0 };
        return NonInferiority { mean_difference: mean, lower_bound: mean, margin, p, holds };
    }
    let lower_bound = mean - student::quantile(1.0 - level, df) * standard_error;
    let p = student::upper((mean + margin) / standard_error, df);
    NonInferiority { mean_difference: mean, lower_bound, margin, p, holds: lower_bound > -margin }
}

/// As [`non_inferior`], with the margin as a share of the reference's mean over the same queries: .02 allows a loss
/// of 2 %.
///
/// # Panics
/// If the lengths differ.
pub fn non_inferior_by_share(new: &[f64], reference: &[f64], share: f64, level: f64) -> NonInferiority {
    let reference_mean = pairs::mean(pairs::counted(new, reference).map(|pair| pair.b));
    non_inferior(new, reference, share * reference_mean.abs(), level)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// d = (−1, 0, 1): mean 0, SE = 1/√3; t₍.95, 2₎ = 2.919986, so the bound is −1.685855.
    #[test]
    fn three_differences_by_hand() {
        let (new, reference) = ([1.0, 2.0, 3.0], [2.0, 2.0, 2.0]);
        let test = non_inferior(&new, &reference, 1.7, 0.05);
        assert!((test.lower_bound + 2.919985580353724 / 3f64.sqrt()).abs() < 1e-12);
        assert!(test.holds && test.p < 0.05);
        let test = non_inferior(&new, &reference, 1.6, 0.05);
        assert!(!test.holds && test.p > 0.05);
    }

    #[test]
    fn the_bound_and_the_p_value_agree_at_the_edge() {
        let (new, reference) = ([0.3, 0.5, 0.1, 0.8], [0.35, 0.45, 0.2, 0.8]);
        let bound = non_inferior(&new, &reference, 0.0, 0.05).lower_bound;
        assert!((non_inferior(&new, &reference, -bound, 0.05).p - 0.05).abs() < 1e-9);
    }

    /// Groups (1, 3) and (5, 7): MS_b = 16, MS_w = 2, τ² = (16 − 2)/2 = 7, variance 2/4 + 7 · 1.5 = 11, df = 121/(.25/2 + 110.25).
    #[test]
    fn systems_that_differ_by_hand() {
        let test = non_inferior_when_built_again(&[1., 3., 5., 7.], &[0.; 4], &[0, 0, 1, 1], 0.0, 0.05);
        let expected = 4.0 - student::quantile(0.95, 121.0 / 110.375) * 11f64.sqrt();
        assert!((test.lower_bound - expected).abs() < 1e-12, "{test:?}");
        // Groups that agree better than chance: the variance within them alone, 2/4, with two degrees of freedom.
        let alike = non_inferior_when_built_again(&[1., 3., 1., 3.], &[0.; 4], &[0, 0, 1, 1], 0.0, 0.05);
        let expected = 2.0 - student::quantile(0.95, 2.0) * (2.0f64 / 4.0).sqrt();
        assert!((alike.lower_bound - expected).abs() < 1e-12, "{alike:?}");
        // One group says nothing about systems.
        let one = non_inferior_when_built_again(&[1., 3., 5.], &[0.; 3], &[4; 3], 0.0, 0.05);
        assert_eq!(one, non_inferior(&[1., 3., 5.], &[0.; 3], 0.0, 0.05));
        let same = non_inferior_when_built_again(&[0.4; 4], &[0.4; 4], &[0, 0, 1, 1], 0.0, 0.05);
        assert!(same.holds);
    }

    #[test]
    fn few_queries_prove_nothing() {
        let one = non_inferior(&[0.9], &[0.1], 0.5, 0.05);
        assert!(!one.holds && one.p == 1.0);
        let text = serde_json::to_string(&one).unwrap();
        assert_eq!(serde_json::from_str::<NonInferiority>(&text).unwrap(), one);
        assert!(!non_inferior(&[], &[], 0.5, 0.05).holds);
    }

    #[test]
    fn equal_differences_leave_no_doubt() {
        assert!(non_inferior(&[0.1; 4], &[0.1; 4], 0.0, 0.05).holds);
        assert!(non_inferior(&[0.3; 4], &[0.4; 4], 0.2, 0.05).holds);
        let lost = non_inferior(&[0.1; 4], &[0.4; 4], 0.2, 0.05);
        assert!(!lost.holds && lost.p == 1.0);
    }

    #[test]
    fn a_share_is_of_the_mean_of_queries_that_count() {
        let test = non_inferior_by_share(&[0.5, 0.4, f64::NAN], &[0.5, 0.3, 9.0], 0.1, 0.05);
        assert!((test.margin - 0.04).abs() < 1e-12);
    }
}
