//! Holm's correction of p-values for multiple tests.
//!
//! Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian Journal of
//! Statistics 1979. With the m p-values in ascending order, adjusted p₍ᵢ₎ = max over j ≤ i of
//! min(1, (m−j+1) p₍ⱼ₎). It controls the probability of any false positive under every dependence
//! between the tests, and is never weaker than Bonferroni's.
//!
//! NaN marks a test that was not made: it stays NaN and does not count in m.

/// Adjusted p-values, in the order given.
///
/// ```
/// use featherank::measure::significance::holm;
/// assert_eq!(holm(&[0.25, 0.125, 0.5]), [0.5, 0.375, 0.5]);
/// ```
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).filter(|&i| !p_values[i].is_nan()).collect();
    order.sort_by(|&i, &j| p_values[i].total_cmp(&p_values[j]));
    let mut adjusted = vec![f64::NAN; p_values.len()];
    let mut largest: f64 = 0.0;
    for (step, &i) in order.iter().enumerate() {
        let still_open = (order.len() - step) as f64;
        largest = largest.max((still_open * p_values[i]).min(1.0));
        adjusted[i] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sorted .01 .02 .03 .04 → 4·.01, 3·.02, max(.06, 2·.03), max(.06, 1·.04).
    #[test]
    fn adjusts_in_the_order_given() {
        let found = holm(&[0.04, 0.01, 0.03, 0.02]);
        for (found, expected) in found.iter().zip([0.06, 0.04, 0.06, 0.06]) {
            assert!((found - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn an_omitted_test_does_not_count() {
        let found = holm(&[0.02, f64::NAN, 0.01]);
        assert_eq!((found[0], found[2]), (0.02, 0.02));
        assert!(found[1].is_nan());
    }

    #[test]
    fn caps_at_one_and_accepts_no_tests() {
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
