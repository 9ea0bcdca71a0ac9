//! What methods that judge models share: which validation data will do, and which of the judged is
//! taken.

use crate::data::FeatureId;
use crate::engine::Engine;
use crate::engine::passes::feature_means;
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::remedy;

/// Values closer than this are equal: sums in another order differ in their last digits.
const EQUAL: f64 = 1e-9;

/// The place of the best value, the first of equals.
pub(super) fn best(values: &[Option<f64>]) -> Option<usize> {
    let known = values.iter().enumerate().filter_map(|(i, value)| Some((i, (*value)?)));
    known.reduce(|best, next| if next.1 > best.1 + EQUAL { next } else { best }).map(|(i, _)| i)
}

/// The place of the smallest of those whose value is at most `slack` below the best; of equally
/// small ones the best, the first of equals. Without slack the best.
pub(super) fn within(slack: f64, values: &[Option<f64>], sizes: &[usize]) -> Option<usize> {
    let place = best(values)?;
    if slack == 0.0 {
        return Some(place);
    }
    let enough = values[place]? - slack - EQUAL;
    let is_enough = |i: &usize| values[*i].is_some_and(|value| value >= enough);
    let least = (0..values.len()).filter(is_enough).map(|i| sizes[i]).min()?;
    let smallest = |i: usize| values[i].filter(|_| sizes[i] == least);
    best(&(0..values.len()).map(smallest).collect::<Vec<_>>())
}

/// The place of the smallest of those that are not clearly worse than the best: on average over the
/// queries that count, at most `errors` standard errors of the difference below it. Of equally
/// small ones the best, the first of equals.
pub(super) fn within_errors(errors: f64, per_query: &[Vec<f64>], sizes: &[usize]) -> Option<usize> {
    let means: Vec<Option<f64>> =
        per_query.iter().map(|values| Some(mean_and_error(values).0)).collect();
    let top = best(&means)?;
    let is_enough = |place: usize| {
        let below: Vec<f64> =
            per_query[top].iter().zip(&per_query[place]).map(|(best, own)| best - own).collect();
        let (mean, error) = mean_and_error(&below);
        mean <= errors * error + EQUAL
    };
    let enough: Vec<usize> = (0..per_query.len()).filter(|&place| is_enough(place)).collect();
    let least = enough.iter().map(|&place| sizes[place]).min()?;
    let smallest =
        |place: usize| means[place].filter(|_| enough.contains(&place) && sizes[place] == least);
    best(&(0..per_query.len()).map(smallest).collect::<Vec<_>>())
}

/// The mean over the queries that count, and its standard error.
pub(super) fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let counted: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    let count = counted.len() as f64;
    let mean = counted.iter().sum::<f64>() / count;
    let squares: f64 = counted.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0) / count).sqrt())
}

/// Refuses a measure that cannot take the labels, or that counts no query. Whether queries count
/// does not depend on who ranks them.
pub(super) fn check_counts(measure: &Measure, engine: &dyn Engine) -> Result<()> {
    let first: Vec<FeatureId> = engine.schema().features.iter().map(|(f, _)| f).take(1).collect();
    let counted = feature_means(engine, measure, &first)?;
    match counted.iter().any(|value| value.is_nan()) {
        false => Ok(()),
        true => Err(Error::nothing_counts(
            format!("{measure} counts no query of the data"),
            "choose another measure, or data with relevant documents",
        )),
    }
}

/// Validation data, where it has the same features and none is missing.
pub(super) fn checked_validation<'a>(
    valid: &'a dyn Engine,
    train: &dyn Engine,
    features: &[FeatureId],
) -> Result<&'a dyn Engine> {
    let schema = valid.schema();
    if schema.features != train.schema().features {
        return Err(Error::mismatch(
            "training and validation data have different features",
            "use files with the same features in the same order",
        ));
    }
    match features.iter().find(|f| schema.missing.contains(f)) {
        None => Ok(valid),
        Some(&f) => Err(Error::unsupported(
            format!(
                "feature {} has missing values in the validation data",
                schema.features.label(f)
            ),
            remedy!["to read missing values as 0, ", MissingAsZero.set()],
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equals_is_best_and_empty_models_never() {
        assert_eq!(best(&[None, Some(0.4), Some(0.4 + 1e-12), Some(0.3)]), Some(1));
        assert_eq!(best(&[None, None]), None);
    }

    /// The second is .1 worse on every query, which is clear; the third .1 worse on average, with
    /// an error of .1 · √(3/2).
    #[test]
    fn the_smallest_that_is_not_clearly_worse() {
        let per_query = [
            vec![0.8, 0.8, 0.8, f64::NAN],
            vec![0.7, 0.7, 0.7, f64::NAN],
            vec![0.9, 0.6, 0.6, f64::NAN],
        ];
        let choose = |errors: f64| within_errors(errors, &per_query, &[9, 1, 2]);
        assert_eq!((choose(0.0), choose(0.9), choose(1.1)), (Some(0), Some(0), Some(2)));
        assert_eq!(within_errors(1.0, &[], &[]), None);
    }

    #[test]
    fn slack_buys_a_smaller_model() {
        let (values, sizes) =
            ([None, Some(0.38), Some(0.395), Some(0.398), Some(0.4)], [0, 1, 2, 2, 9]);
        assert_eq!(within(0.0, &values, &sizes), Some(4));
        assert_eq!(within(0.005, &values, &sizes), Some(3));
        assert_eq!(within(0.1, &values, &sizes), Some(1));
        assert_eq!(within(0.1, &[None], &[0]), None);
    }
}
