//! Baselines from single features: their mean and their maximum for each query.
//!
//! Every feature ranks alone; for each query the mean over features is the expected effectiveness
//! of a feature chosen at random, and the maximum that of an oracle (Sousa et al., CIKM 2016). The
//! oracle is hard to beat: expect few wins.
//!
//! Exclude constant features first: they rank by input order and distort the mean. A feature
//! without a value for a query (NaN) is omitted there; if no feature has one, the query does not
//! count and stays NaN.

/// For each query, the mean over features. `features` holds one vector of per-query effectiveness
/// per feature.
///
/// # Panics
/// If the lengths differ.
pub fn mean_baseline(features: &[Vec<f64>]) -> Vec<f64> {
    per_query(features, |values| {
        let (sum, n) = values.fold((0.0, 0u32), |(sum, n), value| (sum + value, n + 1));
        // 0/0 is NaN: the query does not count.
        sum / f64::from(n)
    })
}

/// For each query, the maximum over features.
///
/// # Panics
/// If the lengths differ.
pub fn max_baseline(features: &[Vec<f64>]) -> Vec<f64> {
    per_query(features, |values| values.fold(f64::NAN, f64::max))
}

fn per_query(
    features: &[Vec<f64>],
    summary: impl Fn(&mut dyn Iterator<Item = f64>) -> f64,
) -> Vec<f64> {
    let queries = features.first().map_or(0, Vec::len);
    assert!(
        features.iter().all(|feature| feature.len() == queries),
        "every feature needs one value for every query"
    );
    (0..queries)
        .map(|query| {
            summary(
                &mut features.iter().map(|feature| feature[query]).filter(|value| !value.is_nan()),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_features_by_hand() {
        let features = [vec![0.25, 1.0], vec![0.75, 0.5]];
        assert_eq!(mean_baseline(&features), [0.5, 0.75]);
        assert_eq!(max_baseline(&features), [0.75, 1.0]);
    }

    #[test]
    fn missing_values_are_left_out() {
        let features = [vec![0.25, f64::NAN], vec![f64::NAN, f64::NAN], vec![0.75, f64::NAN]];
        let (mean, max) = (mean_baseline(&features), max_baseline(&features));
        assert_eq!((mean[0], max[0]), (0.5, 0.75));
        assert!(mean[1].is_nan() && max[1].is_nan());
        assert!(mean_baseline(&[]).is_empty());
    }
}
