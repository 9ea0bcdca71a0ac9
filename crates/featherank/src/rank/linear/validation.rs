//! Shared by iterative rankers: evaluation of all queries at once, and the best step on validation
//! data.

use rayon::prelude::*;

use super::design::Design;
use crate::data::{FeatureId, View};
use crate::error::{Error, Result};
use crate::measure::{Measure, RankingScratch};
use crate::remedy;

/// Queries that one thread evaluates in one task.
const QUERIES: usize = 16;

/// The measure of every query of a design; `scores` are in its order of documents.
///
/// Scores are rounded to the precision of a model's scores, so that the ties are the same.
pub fn per_query(measure: &Measure, design: &Design<'_>, scores: &[f64]) -> Vec<f64> {
    let of_chunk = |queries: &[std::ops::Range<usize>]| {
        let (mut scratch, mut rounded) = (RankingScratch::default(), Vec::new());
        let of_query = |documents: &std::ops::Range<usize>| {
            rounded.clear();
            rounded.extend(scores[documents.clone()].iter().map(|&score| score as f32));
            scratch.labels(&design.labels()[documents.clone()]);
            measure.of_ranking(&scratch.rank(&rounded))
        };
        queries.iter().map(of_query).collect::<Vec<f64>>()
    };
    let parts: Vec<Vec<f64>> = design.queries().par_chunks(QUERIES).map(of_chunk).collect();
    parts.concat()
}

/// Queries whose documents differ in their labels: only these carry information about the ranking.
pub fn informative(design: &Design<'_>) -> Result<Vec<usize>> {
    let differs = |documents: &std::ops::Range<usize>| {
        let labels = &design.labels()[documents.clone()];
        labels.iter().any(|label| *label != labels[0])
    };
    let numbered = design.queries().iter().enumerate();
    let found: Vec<usize> =
        numbered.filter(|(_, documents)| differs(documents)).map(|(q, _)| q).collect();
    if found.is_empty() {
        return Err(Error::nothing_counts(
            "no query of the training data has documents of different relevance",
            "train on at least one query whose documents have different labels",
        ));
    }
    Ok(found)
}

/// The largest range of every feature within a query, which bounds its effect on a ranking. 1 if
/// features are normalised per query; never 0, because a design has no constant features.
pub fn ranges(design: &Design<'_>) -> Vec<f64> {
    let of_query = |feature: usize, query: usize| {
        let spread =
            design.values(feature, query).iter().fold(None, |spread: Option<(f32, f32)>, &x| {
                Some(spread.map_or((x, x), |(least, most)| (least.min(x), most.max(x))))
            });
        spread.map_or(0.0, |(least, most)| f64::from(most) - f64::from(least))
    };
    let of_feature = |feature: usize| {
        (0..design.queries().len()).map(|q| of_query(feature, q)).fold(0.0, f64::max)
    };
    (0..design.width()).into_par_iter().map(of_feature).collect()
}

/// Rejects a measure that does not support the labels of a design.
pub fn check_labels(measure: &Measure, design: &Design<'_>) -> Result<()> {
    measure.check_labels(design.labels().iter().copied().fold(0.0, f32::max))
}

/// The error for validation data in which no query counts under the measure.
pub fn no_query_counts(measure: &Measure) -> Error {
    Error::nothing_counts(
        format!("no query of the validation data counts under {measure}"),
        "choose another measure, or data with relevant documents",
    )
}

/// Rejects weights that are not finite.
pub fn check_finite(ranker: &str, weights: &[f64]) -> Result<()> {
    // A model's scores are single precision: larger weights would make scores infinite.
    if weights.iter().all(|weight| weight.abs() < f64::from(f32::MAX)) {
        return Ok(());
    }
    Err(Error::numerical(
        format!("{ranker} diverged: its weights are not finite"),
        remedy!["lower ", Parameter("eta"), ", or normalise the features per query"],
    ))
}

/// Evaluates a ranker on validation data during training: keeps the best weights and decides on
/// early stopping.
#[derive(Debug)]
pub struct Validation<'a> {
    measure: &'a Measure,
    design: Option<Design<'a>>,
    patience: u64,
    waited: u64,
    best: Option<(f64, Vec<f64>)>,
}

impl<'a> Validation<'a> {
    /// Without validation data the last weights are used; `patience` 0 disables early stopping.
    pub fn new(
        measure: &'a Measure,
        train: &View<'_>,
        design: &Design<'_>,
        valid: Option<&View<'a>>,
        patience: u64,
    ) -> Result<Self> {
        check_labels(measure, design)?;
        let same_features = |valid: &View<'a>| -> Result<Design<'a>> {
            let (own, other) = (train.data().features(), valid.data().features());
            let resolve = |&f: &FeatureId| other.resolve(&own.get(f).label());
            let features: Vec<FeatureId> =
                design.features().iter().map(resolve).collect::<Result<_>>()?;
            let design = Design::with_features(valid, features);
            check_labels(measure, &design)?;
            // Which queries count does not depend on the scores.
            let values = per_query(measure, &design, &vec![0.0; design.labels().len()]);
            match values.iter().all(|value| value.is_nan()) {
                true => Err(no_query_counts(measure)),
                false => Ok(design),
            }
        };
        let design = valid.map(same_features).transpose()?;
        Ok(Validation { measure, design, patience, waited: 0, best: None })
    }

    /// Evaluates the weights after a step; returns true if training should stop.
    pub fn is_enough(&mut self, weights: &[f64]) -> bool {
        let Some(design) = &self.design else { return false };
        // An all-zero model ranks by the order of the input, which may happen to be good.
        if weights.iter().all(|weight| *weight == 0.0) {
            return false;
        }
        let value = self.measure.summary(&per_query(self.measure, design, &design.scores(weights)));
        if self.best.as_ref().is_none_or(|(best, _)| value > *best) {
            self.best = Some((value, weights.to_vec()));
            self.waited = 0;
        } else {
            self.waited += 1;
        }
        self.patience > 0 && self.waited >= self.patience
    }

    /// Resets the best value, so that the next weights become the best: the recorded ones were
    /// withdrawn.
    pub fn start_over(&mut self) {
        self.best = self.best.take().map(|(_, weights)| (f64::NEG_INFINITY, weights));
        self.waited = 0;
    }

    /// The best weights on validation data; the last ones without validation data.
    pub fn best_or(self, last: Vec<f64>) -> Vec<f64> {
        self.best.map_or(last, |(_, weights)| weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};

    fn data() -> Dataset {
        let values = vec![1., 2., 3., 4., 3., 2., 1., 4.];
        Dataset::new(
            values,
            vec![0., 1., 0., 1.],
            Queries::from_sizes(&[2, 2]),
            FeatureTable::numbered(2, 1),
        )
    }

    #[test]
    fn keeps_the_best_step_and_stops_early() {
        let (data, measure) = (data(), "map".parse::<Measure>().unwrap());
        let view = data.view();
        let design = Design::new(&view).unwrap();
        let mut validation = Validation::new(&measure, &view, &design, Some(&view), 2).unwrap();
        assert!(!validation.is_enough(&[0.0, 0.0]), "an empty model does not count");
        assert!(!validation.is_enough(&[-1.0, 0.0]));
        assert!(!validation.is_enough(&[1.0, 0.0]));
        assert!(!validation.is_enough(&[2.0, 0.0]));
        assert!(validation.is_enough(&[3.0, 0.0]), "twice no better");
        assert_eq!(validation.best_or(vec![9.0, 9.0]), [1.0, 0.0]);
        let mut alone = Validation::new(&measure, &view, &design, None, 1).unwrap();
        assert!((0..9).all(|_| !alone.is_enough(&[1.0, 0.0])));
        assert_eq!(alone.best_or(vec![9.0, 9.0]), [9.0, 9.0]);
    }

    #[test]
    fn ranges_are_the_largest_within_a_query() {
        let data = data();
        assert_eq!(ranges(&Design::new(&data.view()).unwrap()), [1.0, 3.0]);
    }

    #[test]
    fn queries_with_one_label_are_not_informative() {
        let data = data();
        let view = data.view();
        assert_eq!(informative(&Design::new(&view).unwrap()).unwrap(), [0, 1]);
        let mut equal = data.clone();
        equal = Dataset::new(
            equal.values().to_vec(),
            vec![1., 1., 0., 0.],
            Queries::from_sizes(&[2, 2]),
            FeatureTable::numbered(2, 1),
        );
        assert!(informative(&Design::new(&equal.view()).unwrap()).is_err());
    }
}
