//! What methods that judge models share: which queries are held out, which validation data will do, and which of the judged is
//! taken.

use rand::seq::SliceRandom;

use crate::data::FeatureId;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::random::{Purpose, stream};

/// Values closer than this are equal: sums in another order differ in their last digits.
const EQUAL: f64 = 1e-9;

/// The place of the best value, the first of equals.
pub(super) fn best(values: &[Option<f64>]) -> Option<usize> {
    let known = values.iter().enumerate().filter_map(|(i, value)| Some((i, (*value)?)));
    known.reduce(|best, next| if next.1 > best.1 + EQUAL { next } else { best }).map(|(i, _)| i)
}

/// The place of the smallest of those whose value is at most `slack` below the best; of equally small ones the best, the
/// first of equals. Without slack the best.
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

/// The part of each query, dealt out by keys and the seed, so that the order of the data has no say.
pub(super) fn deal(keys: &[u64], parts: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&q| keys[q]);
    order.shuffle(&mut stream(seed, Purpose::Folds, 0));
    let mut dealt = vec![0; keys.len()];
    order.iter().enumerate().for_each(|(place, &q)| dealt[q] = place % parts);
    dealt
}

/// Validation data, where it has the same features and none is missing.
pub(super) fn checked_validation<'a>(
    valid: &'a dyn Engine,
    train: &dyn Engine,
    features: &[FeatureId],
) -> Result<&'a dyn Engine> {
    let schema = valid.schema();
    if schema.features != train.schema().features {
        return Err(Error::Conflict {
            what: "training and validation data have different features".into(),
            help: "use files made with the same features in the same order".into(),
        });
    }
    match features.iter().find(|f| schema.missing.contains(f)) {
        None => Ok(valid),
        Some(&f) => Err(Error::Conflict {
            what: format!("feature {} has missing values in the validation data", schema.features.label(f)),
            help: "read the data with --missing zero".into(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_ids_and_are_even() {
        let keys: Vec<u64> = (0..23).map(|i| i * 7919 % 101).collect();
        let parts = deal(&keys, 5, 7);
        let reversed: Vec<u64> = keys.iter().rev().copied().collect();
        assert_eq!(deal(&reversed, 5, 7).into_iter().rev().collect::<Vec<_>>(), parts);
        assert_ne!(deal(&keys, 5, 8), parts);
        let sizes: Vec<usize> = (0..5).map(|part| parts.iter().filter(|&&p| p == part).count()).collect();
        assert_eq!(sizes, [5, 5, 5, 4, 4]);
    }

    #[test]
    fn the_first_of_equals_is_best_and_empty_models_never() {
        assert_eq!(best(&[None, Some(0.4), Some(0.4 + 1e-12), Some(0.3)]), Some(1));
        assert_eq!(best(&[None, None]), None);
    }

    #[test]
    fn slack_buys_a_smaller_model() {
        let (values, sizes) = ([None, Some(0.38), Some(0.395), Some(0.398), Some(0.4)], [0, 1, 2, 2, 9]);
        assert_eq!(within(0.0, &values, &sizes), Some(4));
        assert_eq!(within(0.005, &values, &sizes), Some(3));
        assert_eq!(within(0.1, &values, &sizes), Some(1));
        assert_eq!(within(0.1, &[None], &[0]), None);
    }
}
