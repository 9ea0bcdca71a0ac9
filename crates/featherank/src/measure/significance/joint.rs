//! Joint non-inferiority: which of several systems lose less than a margin against one reference?
//!
//! Testing each system on its own and taking any that passes is wrong too often: the more systems,
//! the more of them pass by chance. Here all tests hold together: the probability that any system
//! passes although it loses the margin or more is at most `level`.
//!
//! With d_j = system j − reference on n queries, t_j = (d̄_j + margin) / SE_j. Under the hypotheses
//! that all systems lose exactly the margin, (t_1 … t_m) is approximately multivariate Student with
//! the correlation matrix of the differences. A system passes if t_j exceeds the quantile c of the
//! largest of the m values; then the others are compared with the smaller quantile of those that
//! are left, until none passes (stepdown: Romano & Wolf, *Exact and approximate stepdown methods
//! for multiple hypothesis testing*, JASA 2005). Systems that resemble each other share their
//! errors: c grows with the number of different ones only. Systems that lose far more than the
//! margin, t_j < −√(2 ln ln n), cannot pass by chance and do not raise c (Hansen, *A test for
//! superior predictive ability*, JBES 2005).
//!
//! The lower bound of a system is d̄_j − c · SE_j with the c of its step; it lies above −margin if
//! and only if the system passes. Quantiles are simulated with a fixed seed.

use rand_distr::{ChiSquared, Distribution, StandardNormal};

use super::{NonInferiority, student};
use crate::random::{Purpose, stream};

/// The number of simulated vectors: quantiles have a standard error of about 1 %.
const DRAWS: usize = 10_000;

/// Pivots below this belong to differences that follow from others.
const DEPENDENT: f64 = 1e-10;

/// Tests which systems lose less than `margin` (absolute, 0 or more), all tests together at
/// significance `level`. `differences` holds system − reference for each system and query; queries
/// with a NaN of any system do not count. Standard errors are multiplied by `widening`.
///
/// ```
/// use featherank::measure::significance::jointly_non_inferior;
/// let near: Vec<f64> = (0..50).map(|q| 0.01 * f64::from(q % 3 - 1)).collect();
/// let far: Vec<f64> = near.iter().map(|d| d - 0.1).collect();
/// let tests = jointly_non_inferior(&[near, far], 0.02, 0.05, 1.0);
/// assert!(tests[0].holds && !tests[1].holds);
/// ```
pub fn jointly_non_inferior(
    differences: &[Vec<f64>],
    margin: f64,
    level: f64,
    widening: f64,
) -> Vec<NonInferiority> {
    let systems = standardised(differences, widening);
    let queries = systems.first().map_or(0, |system| system.scaled.len());
    let t: Vec<f64> =
        systems.iter().map(|system| (system.mean + margin) / system.standard_error).collect();
    // Systems whose differences are all equal are certain: t is infinite, or NaN at the margin.
    let is_certain = |j: usize| systems[j].standard_error == 0.0;
    let hopeless = -(2.0 * (queries.max(3) as f64).ln().ln()).sqrt();
    let mut open: Vec<usize> = (0..systems.len()).filter(|&j| !is_certain(j)).collect();
    let simulated = if queries < 2 { Vec::new() } else { simulate(&systems, &open, queries) };
    let places = open.clone();
    let mut critical = vec![f64::INFINITY; systems.len()];
    let mut p = vec![1.0; systems.len()];
    let mut largest_p = 0.0f64;
    while queries >= 2 && !open.is_empty() {
        let family: Vec<usize> = (0..places.len())
            .filter(|&i| open.contains(&places[i]) && t[places[i]] >= hopeless)
            .collect();
        let mut largest: Vec<f64> = simulated
            .iter()
            .map(|draw| family.iter().map(|&i| draw[i]).fold(f64::NEG_INFINITY, f64::max))
            .collect();
        largest.sort_unstable_by(f64::total_cmp);
        let place = (((1.0 - level) * DRAWS as f64).ceil() as usize).clamp(1, DRAWS) - 1;
        let alone = (queries - 1) as f64;
        // If only clearly inferior systems are left, each is tested on its own.
        let c = match family.is_empty() {
            true => student::quantile(1.0 - level, alone),
            false => largest[place],
        };
        for &j in &open {
            critical[j] = c;
            let above = largest.len() - largest.partition_point(|&value| value < t[j]);
            let own = match family.is_empty() {
                true => student::upper(t[j], alone),
                false => (1 + above) as f64 / (1 + DRAWS) as f64,
            };
            p[j] = own.max(largest_p);
        }
        let (passed, failed): (Vec<usize>, Vec<usize>) = open.iter().partition(|&&j| t[j] > c);
        if passed.is_empty() {
            break;
        }
        largest_p = passed.iter().map(|&j| p[j]).fold(largest_p, f64::max);
        open = failed;
    }
    let result = |(j, system): (usize, &Standardised)| {
        let mean = system.mean;
        if queries < 2 || is_certain(j) {
            let holds = queries >= 2 && mean >= -margin;
            let lower_bound = if queries < 2 { f64::NEG_INFINITY } else { mean };
            let p = if holds { 0.0 } else { 1.0 };
            return NonInferiority { mean_difference: mean, lower_bound, margin, p, holds };
        }
        let lower_bound = mean - critical[j] * system.standard_error;
        let holds = t[j] > critical[j];
        NonInferiority { mean_difference: mean, lower_bound, margin, p: p[j], holds }
    };
    systems.iter().enumerate().map(result).collect()
}

/// The differences of one system.
struct Standardised {
    mean: f64,
    standard_error: f64,
    /// Deviations from the mean, with a sum of squares of 1.
    scaled: Vec<f64>,
}

fn standardised(differences: &[Vec<f64>], widening: f64) -> Vec<Standardised> {
    let queries = differences.first().map_or(0, Vec::len);
    let counts = |&q: &usize| differences.iter().all(|values| !values[q].is_nan());
    let counted: Vec<usize> = (0..queries).filter(counts).collect();
    let of = |values: &Vec<f64>| {
        let n = counted.len() as f64;
        let mean = counted.iter().map(|&q| values[q]).sum::<f64>() / n.max(1.0);
        let deviations: Vec<f64> = counted.iter().map(|&q| values[q] - mean).collect();
        let squares: f64 = deviations.iter().map(|d| d * d).sum();
        let norm = squares.sqrt();
        let scaled = deviations.iter().map(|d| if norm > 0.0 { d / norm } else { 0.0 }).collect();
        let standard_error = widening * (squares / (n - 1.0).max(1.0) / n.max(1.0)).sqrt();
        Standardised { mean, standard_error, scaled }
    };
    differences.iter().map(of).collect()
}

/// Draws of the multivariate Student distribution with the correlations of some systems.
fn simulate(systems: &[Standardised], which: &[usize], queries: usize) -> Vec<Vec<f64>> {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let correlation =
        |i: usize, j: usize| product(&systems[which[i]].scaled, &systems[which[j]].scaled);
    let factor = cholesky(which.len(), correlation);
    let mut random = stream(0, Purpose::Bootstrap, 1);
    let freedom = (queries - 1) as f64;
    let chi = ChiSquared::new(freedom).ok();
    let draw = |_| {
        let normal: Vec<f64> = which.iter().map(|_| StandardNormal.sample(&mut random)).collect();
        let scale = chi.map_or(1.0, |chi| (chi.sample(&mut random) / freedom).sqrt());
        factor.iter().map(|row| product(row, &normal) / scale).collect()
    };
    (0..DRAWS).map(draw).collect()
}

/// The lower triangular factor of a positive semidefinite matrix, by rows.
fn cholesky(size: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    let mut factor: Vec<Vec<f64>> = Vec::with_capacity(size);
    for i in 0..size {
        let mut row: Vec<f64> = Vec::with_capacity(i + 1);
        for (j, above) in factor.iter().enumerate() {
            let known: f64 = row.iter().zip(above).map(|(a, b)| a * b).sum();
            row.push(if above[j] > 0.0 { (entry(i, j) - known) / above[j] } else { 0.0 });
        }
        let pivot = entry(i, i) - row.iter().map(|value| value * value).sum::<f64>();
        row.push(if pivot > DEPENDENT { pivot.sqrt() } else { 0.0 });
        factor.push(row);
    }
    factor
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::significance::non_inferior;
    use rand_distr::Normal;

    fn noise(index: u64, queries: usize, mean: f64) -> Vec<f64> {
        let mut random = stream(7, Purpose::Test, index);
        let normal = Normal::new(mean, 0.1).unwrap();
        (0..queries).map(|_| normal.sample(&mut random)).collect()
    }

    /// One system: the quantile is Student's, up to the error of the simulation.
    #[test]
    fn one_system_is_the_usual_test() {
        let differences = noise(0, 40, -0.01);
        let joint =
            jointly_non_inferior(std::slice::from_ref(&differences), 0.02, 0.05, 1.0).remove(0);
        let alone = non_inferior(&differences, &[0.0; 40], 0.02, 0.05);
        assert!((joint.mean_difference - alone.mean_difference).abs() < 1e-15);
        let ratio = (joint.mean_difference - joint.lower_bound)
            / (alone.mean_difference - alone.lower_bound);
        assert!((ratio - 1.0).abs() < 0.03, "{ratio}");
        assert!((joint.p - alone.p).abs() < 0.01);
    }

    /// Copies share their errors; different systems do not.
    #[test]
    fn bounds_widen_with_the_number_of_different_systems() {
        let width = |differences: &[Vec<f64>]| {
            let test = jointly_non_inferior(differences, 0.01, 0.05, 1.0).remove(0);
            test.mean_difference - test.lower_bound
        };
        let one = noise(0, 100, 0.0);
        let copies = vec![one.clone(); 6];
        let different: Vec<Vec<f64>> = (0..6).map(|index| noise(index, 100, -0.008)).collect();
        let alone = width(&copies[..1]);
        assert!((width(&copies) / alone - 1.0).abs() < 0.03);
        assert!(width(&different) / alone > 1.2);
    }

    /// Systems that lose far more than the margin do not widen the bounds of the others.
    #[test]
    fn clearly_inferior_systems_do_not_widen_bounds() {
        let near = noise(0, 100, 0.0);
        let with: Vec<Vec<f64>> =
            std::iter::once(near.clone()).chain((1..6).map(|i| noise(i, 100, -0.5))).collect();
        let tests = jointly_non_inferior(&with, 0.03, 0.05, 1.0);
        let alone = jointly_non_inferior(&[near], 0.03, 0.05, 1.0).remove(0);
        assert!((tests[0].lower_bound - alone.lower_bound).abs() < 1e-3);
        assert!(tests[1..].iter().all(|test| !test.holds));
    }

    /// Five systems lose exactly the margin: any of them passes in about 5 % of the trials.
    #[test]
    fn the_level_holds_for_all_tests_together() {
        let trial = |trial: u64| {
            let differences: Vec<Vec<f64>> =
                (0..5).map(|system| noise(1000 + 5 * trial + system, 60, -0.02)).collect();
            jointly_non_inferior(&differences, 0.02, 0.05, 1.0).iter().any(|test| test.holds)
        };
        let wrong = (0..400).filter(|&t| trial(t)).count();
        // Expected 20, with a standard deviation of 4.4.
        assert!((8..=33).contains(&wrong), "{wrong}");
    }

    #[test]
    fn a_system_passes_exactly_if_its_bound_is_above_the_margin() {
        let differences: Vec<Vec<f64>> = (0..8).map(|i| noise(i, 400, -0.01 * i as f64)).collect();
        let tests = jointly_non_inferior(&differences, 0.03, 0.05, 1.5);
        assert!(tests.iter().any(|t| t.holds) && tests.iter().any(|t| !t.holds));
        for test in tests {
            assert_eq!(test.holds, test.lower_bound > -test.margin);
            assert_eq!(test.holds, test.p < 0.05, "{test:?}");
        }
    }

    #[test]
    fn edge_cases() {
        assert!(jointly_non_inferior(&[], 0.1, 0.05, 1.0).is_empty());
        let one = jointly_non_inferior(&[vec![0.5]], 0.1, 0.05, 1.0);
        assert!(!one[0].holds && one[0].lower_bound == f64::NEG_INFINITY);
        let equal = jointly_non_inferior(&[vec![0.0; 9], vec![-0.2; 9]], 0.1, 0.05, 1.0);
        assert!(equal[0].holds && equal[0].lower_bound == 0.0 && !equal[1].holds);
        let skipped =
            jointly_non_inferior(&[vec![0.1, f64::NAN, 0.1], vec![0.1, 9.0, 0.1]], 0.1, 0.05, 1.0);
        assert!(skipped[1].holds && (skipped[1].mean_difference - 0.1).abs() < 1e-15);
    }
}
