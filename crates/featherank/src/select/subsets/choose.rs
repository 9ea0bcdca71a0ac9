//! Which of several judged subsets or models is taken.

/// Values closer than this are equal: summation in another order changes the last digits.
const EQUAL: f64 = 1e-9;

/// The place of the best value; ties go to the first.
pub fn best_place(values: &[Option<f64>]) -> Option<usize> {
    let known = values.iter().enumerate().filter_map(|(i, value)| Some((i, (*value)?)));
    known.reduce(|best, next| if next.1 > best.1 + EQUAL { next } else { best }).map(|(i, _)| i)
}

/// The place of the smallest subset whose value is at most `slack` below the best; ties go to the
/// better one, then to the first. Without slack, the place of the best.
pub fn smallest_within_slack(slack: f64, values: &[Option<f64>], sizes: &[usize]) -> Option<usize> {
    let place = best_place(values)?;
    if slack == 0.0 {
        return Some(place);
    }
    let least_value = values[place]? - slack - EQUAL;
    let is_close = |i: &usize| values[*i].is_some_and(|value| value >= least_value);
    let least = (0..values.len()).filter(is_close).map(|i| sizes[i]).min()?;
    let smallest = |i: usize| values[i].filter(|_| sizes[i] == least);
    best_place(&(0..values.len()).map(smallest).collect::<Vec<_>>())
}

/// The place of the smallest subset that is not clearly worse than the best: on average over the
/// queries that count, at most `errors` standard errors of the difference below it. Ties go to the
/// better one, then to the first.
pub fn smallest_within_errors(
    errors: f64,
    per_query: &[Vec<f64>],
    sizes: &[usize],
) -> Option<usize> {
    let means: Vec<Option<f64>> =
        per_query.iter().map(|values| Some(mean_and_error(values).0)).collect();
    let top = best_place(&means)?;
    let is_close = |place: usize| {
        let below: Vec<f64> =
            per_query[top].iter().zip(&per_query[place]).map(|(best, own)| best - own).collect();
        let (mean, error) = mean_and_error(&below);
        mean <= errors * error + EQUAL
    };
    let close: Vec<usize> = (0..per_query.len()).filter(|&place| is_close(place)).collect();
    let least = close.iter().map(|&place| sizes[place]).min()?;
    let smallest =
        |place: usize| means[place].filter(|_| close.contains(&place) && sizes[place] == least);
    best_place(&(0..per_query.len()).map(smallest).collect::<Vec<_>>())
}

/// The mean over the queries that count, and its standard error.
pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let counted: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    let count = counted.len() as f64;
    let mean = counted.iter().sum::<f64>() / count;
    let squares: f64 = counted.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0) / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_first_and_empty_models_are_never_best() {
        assert_eq!(best_place(&[None, Some(0.4), Some(0.4 + 1e-12), Some(0.3)]), Some(1));
        assert_eq!(best_place(&[None, None]), None);
    }

    /// The second is .1 worse on every query, which is clear; the third .1 worse on average, with
    /// an error of .1 · √(3/2).
    #[test]
    fn takes_the_smallest_subset_that_is_not_clearly_worse() {
        let per_query = [
            vec![0.8, 0.8, 0.8, f64::NAN],
            vec![0.7, 0.7, 0.7, f64::NAN],
            vec![0.9, 0.6, 0.6, f64::NAN],
        ];
        let choose = |errors: f64| smallest_within_errors(errors, &per_query, &[9, 1, 2]);
        assert_eq!((choose(0.0), choose(0.9), choose(1.1)), (Some(0), Some(0), Some(2)));
        assert_eq!(smallest_within_errors(1.0, &[], &[]), None);
    }

    #[test]
    fn slack_allows_a_smaller_model() {
        let (values, sizes) =
            ([None, Some(0.38), Some(0.395), Some(0.398), Some(0.4)], [0, 1, 2, 2, 9]);
        assert_eq!(smallest_within_slack(0.0, &values, &sizes), Some(4));
        assert_eq!(smallest_within_slack(0.005, &values, &sizes), Some(3));
        assert_eq!(smallest_within_slack(0.1, &values, &sizes), Some(1));
        assert_eq!(smallest_within_slack(0.1, &[None], &[0]), None);
    }
}
