//! Z_RISK and GeoRisk: risk against several systems at once.
//!
//! Dinçer, Macdonald, Ounis, *Risk-sensitive evaluation and learning to rank using multiple
//! baselines*, SIGIR 2016. In the table X of c queries × systems, with the sums S_i of system i,
//! T_j of query j and N of all, E = S_i T_j / N is the expected value of system i on query j. Then
//!
//! * z = (X − E)/√E (0 where E = 0), times 1+α where negative; Z_RISK of system i is its sum over
//!   queries
//! * GeoRisk = √( S_i/c · Φ(Z_RISK/c) ): combines effectiveness and safety; between 0 and 1 if the
//!   measure is
//!
//! The evaluated system is one of the columns, and E depends on the others: report which systems
//! are in the table.

use serde::{Deserialize, Serialize};
use statrs::function::erf::erfc;

use super::loss_weighted;

/// Risk of every system, in the order given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GeoRisk {
    /// Sum of weighted standardised differences from expectation.
    pub z_risk: Vec<f64>,
    /// Geometric mean of effectiveness and safety; higher is better.
    pub geo_risk: Vec<f64>,
}

/// Z_RISK and GeoRisk of `systems`, each a vector of non-negative per-query values, with losses
/// weighted 1 + `alpha` times as much as gains. A query counts if every system has a number for it;
/// if none counts, all risks are 0.
///
/// # Panics
/// If the lengths differ.
pub fn geo_risk(systems: &[Vec<f64>], alpha: f64) -> GeoRisk {
    let queries = systems.first().map_or(0, Vec::len);
    assert!(
        systems.iter().all(|system| system.len() == queries),
        "every system needs one value for every query"
    );
    let row_sums: Vec<f64> =
        (0..queries).map(|query| systems.iter().map(|system| system[query]).sum()).collect();
    let counted: Vec<usize> = (0..queries).filter(|&query| !row_sums[query].is_nan()).collect();
    let total: f64 = counted.iter().map(|&query| row_sums[query]).sum();
    let c = counted.len().max(1) as f64;

    let mut risks = GeoRisk { z_risk: Vec::new(), geo_risk: Vec::new() };
    for system in systems {
        let sum: f64 = counted.iter().map(|&query| system[query]).sum();
        let z_risk: f64 = counted
            .iter()
            .map(|&query| {
                let expected = sum * row_sums[query] / total;
                // Also if all values are 0 and `expected` is 0/0.
                if expected.is_nan() || expected <= 0.0 {
                    return 0.0;
                }
                loss_weighted((system[query] - expected) / expected.sqrt(), alpha)
            })
            .sum();
        risks.geo_risk.push((sum / c * normal_below(z_risk / c)).sqrt());
        risks.z_risk.push(z_risk);
    }
    risks
}

/// Z_RISK and GeoRisk of `systems` among themselves and a baseline, in the order of the systems. A
/// baseline that is one of the systems, with the same value on every query, counts once.
///
/// # Panics
/// If the lengths differ.
pub fn geo_risk_with_baseline(systems: &[Vec<f64>], baseline: &[f64], alpha: f64) -> GeoRisk {
    let same = |a: &f64, b: &f64| a == b || (a.is_nan() && b.is_nan());
    let is_baseline = |system: &Vec<f64>| system.iter().zip(baseline).all(|(a, b)| same(a, b));
    if systems.iter().any(is_baseline) {
        return geo_risk(systems, alpha);
    }
    let mut risks = geo_risk(&[systems, &[baseline.to_vec()]].concat(), alpha);
    risks.z_risk.truncate(systems.len());
    risks.geo_risk.truncate(systems.len());
    risks
}

/// The standard normal distribution function Φ.
fn normal_below(z: f64) -> f64 {
    erfc(-z / std::f64::consts::SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two equal systems: E = X everywhere, Z = 0, and GeoRisk = √(mean / 2).
    #[test]
    fn equal_systems_have_no_risk() {
        let found = geo_risk(&[vec![0.2, 0.6], vec![0.2, 0.6]], 5.0);
        assert!(found.z_risk.iter().all(|z| z.abs() < 1e-12));
        assert!(found.geo_risk.iter().all(|geo| (geo - 0.2f64.sqrt()).abs() < 1e-12));
    }

    #[test]
    fn a_query_counts_only_if_every_system_has_it() {
        let with = geo_risk(&[vec![0.2, 0.9, 0.6], vec![0.3, f64::NAN, 0.1]], 1.0);
        assert_eq!(with, geo_risk(&[vec![0.2, 0.6], vec![0.3, 0.1]], 1.0));
    }

    #[test]
    fn a_baseline_among_the_systems_counts_once() {
        let none = f64::NAN;
        let systems = [vec![0.2, none, 0.6], vec![0.5, none, 0.1], vec![0.4, none, 0.3]];
        let expected = geo_risk(&systems, 5.0);
        for baseline in &systems {
            assert_eq!(geo_risk_with_baseline(&systems, baseline, 5.0), expected);
        }
        // Another baseline is one more system, and has no entry of its own.
        let found = geo_risk_with_baseline(&systems[..2], &systems[2], 5.0);
        assert_eq!(found.geo_risk, expected.geo_risk[..2]);
        assert_eq!(found.z_risk, expected.z_risk[..2]);
    }

    #[test]
    fn zero_effectiveness_has_no_risk() {
        assert_eq!(geo_risk(&[vec![0.0; 3], vec![0.0; 3]], 1.0).geo_risk, [0.0, 0.0]);
        assert_eq!(geo_risk(&[vec![], vec![]], 1.0).z_risk, [0.0, 0.0]);
        assert!(geo_risk(&[], 1.0).geo_risk.is_empty());
    }
}
