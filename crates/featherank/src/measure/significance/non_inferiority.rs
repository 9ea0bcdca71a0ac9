//! Non-inferiority: is the new system as good as the reference, up to a margin?
//!
//! This is the question behind "fewer features, same quality". A test for a difference cannot
//! answer it: with few queries it finds none and accepts anything. Here the burden of proof is on
//! the new system: the one-sided lower confidence bound of the mean of d = new − reference, d̄ −
//! t₍₁₋level, n−1₎ · SE, must lie above −margin. Equivalently, p < level for the hypothesis that
//! the mean is −margin or less (Wellek, *Testing Statistical Hypotheses of Equivalence and
//! Noninferiority*, 2010).
//!
//! Edge cases: fewer than two queries never suffice (bound −∞, p = 1). If all differences are
//! equal, the bound is the mean itself and reaching −margin is enough, so that an unchanged system
//! passes with a margin of zero.

use serde::{Deserialize, Serialize};

use super::t_test::SampleMean;
use super::{number, pairs, student};

/// The result of a non-inferiority test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NonInferiority {
    /// Mean of new − reference over the queries that count.
    pub mean_difference: f64,
    /// One-sided lower confidence bound of that mean; −∞ if fewer than two queries count.
    #[serde(with = "number")]
    pub lower_bound: f64,
    /// The acceptable loss, in the measure's own units.
    pub margin: f64,
    /// p-value of the hypothesis that the margin or more is lost.
    pub p: f64,
    /// Whether the lower bound lies above −margin.
    pub holds: bool,
}

/// Tests that `new` loses less than `margin` (absolute, 0 or more) against `reference` at
/// significance `level` (.05 makes the bound a one-sided 95 % one).
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
    let SampleMean { n, mean, standard_error } = SampleMean::of(differences);
    if n < 2 {
        let lower_bound = f64::NEG_INFINITY;
        return NonInferiority { mean_difference: mean, lower_bound, margin, p: 1.0, holds: false };
    }
    if standard_error == 0.0 {
        let holds = mean >= -margin;
        let p = if holds { 0.0 } else { 1.0 };
        return NonInferiority { mean_difference: mean, lower_bound: mean, margin, p, holds };
    }
    let df = (n - 1) as f64;
    let lower_bound = mean - student::quantile(1.0 - level, df) * standard_error;
    let p = student::upper((mean + margin) / standard_error, df);
    NonInferiority { mean_difference: mean, lower_bound, margin, p, holds: lower_bound > -margin }
}

/// As [`non_inferior`], with the margin as a share of the reference's mean over the same queries:
/// .02 allows a loss of 2 %.
///
/// # Panics
/// If the lengths differ.
pub fn non_inferior_by_share(
    new: &[f64],
    reference: &[f64],
    share: f64,
    level: f64,
) -> NonInferiority {
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

    #[test]
    fn few_queries_are_not_enough() {
        let one = non_inferior(&[0.9], &[0.1], 0.5, 0.05);
        assert!(!one.holds && one.p == 1.0);
        let text = serde_json::to_string(&one).unwrap();
        assert_eq!(serde_json::from_str::<NonInferiority>(&text).unwrap(), one);
        assert!(!non_inferior(&[], &[], 0.5, 0.05).holds);
    }

    #[test]
    fn equal_differences_are_certain() {
        assert!(non_inferior(&[0.1; 4], &[0.1; 4], 0.0, 0.05).holds);
        assert!(non_inferior(&[0.3; 4], &[0.4; 4], 0.2, 0.05).holds);
        let lost = non_inferior(&[0.1; 4], &[0.4; 4], 0.2, 0.05);
        assert!(!lost.holds && lost.p == 1.0);
    }

    #[test]
    fn a_relative_margin_refers_to_the_queries_that_count() {
        let test = non_inferior_by_share(&[0.5, 0.4, f64::NAN], &[0.5, 0.3, 9.0], 0.1, 0.05);
        assert!((test.margin - 0.04).abs() < 1e-12);
    }
}
