//! The queries that models are evaluated on: validation data, folds held out in turn, or the
//! training data itself.
//!
//! Folds consist of whole queries and depend on the query ids and the seed only, so that the order
//! of the data has no influence. A query is evaluated by the model that was trained without it, and
//! the measure is computed over all queries together. With fewer than two informative queries per
//! fold (queries with documents of different relevance) nothing is held out: models are evaluated
//! on the data they were trained on.

use crate::data::FeatureId;
use crate::engine::passes::feature_means;
use crate::engine::{Engine, PartEngine, QueryFolds, Schema};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::remedy;
use crate::run::Run;

/// The number of folds of methods that do not let the user choose it.
pub const FOLDS: usize = 5;

/// Whether the data has enough informative queries for this number of folds.
fn can_hold_out(schema: &Schema, folds: usize) -> bool {
    schema.informative() >= 2 * folds
}

/// The queries that models are evaluated on.
pub enum HeldOut<'a> {
    /// None: models are evaluated on the training data.
    Nothing,
    /// Validation data, all of it.
    Validation(&'a dyn Engine),
    /// Each fold of the training data in turn.
    Folds {
        /// Which query is in which fold.
        folds: QueryFolds,
        /// The number of folds.
        count: usize,
    },
}

impl<'a> HeldOut<'a> {
    /// The run's validation data if it has any, otherwise `folds` folds; nothing if there are too
    /// few queries, or if `folds` is 0.
    pub fn of_run(
        run: &'a Run,
        engine: &dyn Engine,
        features: &[FeatureId],
        folds: usize,
    ) -> Result<Self> {
        match (&run.valid, folds) {
            (Some(valid), 1..) => {
                Ok(HeldOut::Validation(checked_validation(valid.as_ref(), engine, features)?))
            }
            _ => Ok(Self::folds_if_enough(run, engine.schema(), folds)),
        }
    }

    /// `folds` folds of the training data, or nothing if there are too few queries.
    pub fn folds_if_enough(run: &Run, schema: &Schema, folds: usize) -> Self {
        match folds >= 2 && can_hold_out(schema, folds) {
            true => Self::folds(run, schema, folds),
            false => HeldOut::Nothing,
        }
    }

    /// `count` folds of the training data, for any number of queries.
    pub fn folds(run: &Run, schema: &Schema, count: usize) -> Self {
        HeldOut::Folds { folds: QueryFolds::new(&schema.query_keys, count, run.seed), count }
    }

    /// For each training run: the queries to train on, and those to evaluate the model on.
    pub fn parts<'b>(&self, engine: &'b dyn Engine) -> Result<Vec<(PartEngine<'b>, PartEngine<'b>)>>
    where
        'a: 'b,
    {
        let all = || PartEngine::all(engine);
        match self {
            HeldOut::Nothing => Ok(vec![(all(), all())]),
            HeldOut::Validation(valid) => Ok(vec![(all(), PartEngine::all(*valid))]),
            HeldOut::Folds { folds, count } => {
                let part = |held_out: usize| {
                    let train = PartEngine::of(engine, folds.sample(|fold| fold != held_out))?;
                    Ok((train, PartEngine::of(engine, folds.sample(|fold| fold == held_out))?))
                };
                (0..*count).map(part).collect()
            }
        }
    }
}

/// Rejects a measure that does not support the labels, or that counts no query. Whether a query
/// counts does not depend on its ranking, so one feature suffices for the check.
pub fn check_counts(measure: &Measure, engine: &dyn Engine) -> Result<()> {
    let first: Vec<FeatureId> = engine.schema().features.iter().map(|(f, _)| f).take(1).collect();
    let counted = feature_means(engine, measure, &first)?;
    match counted.iter().any(|value| value.is_nan()) {
        false => Ok(()),
        true => Err(Error::nothing_counts(
            format!("no query of the data counts under {measure}"),
            "choose another measure, or data with relevant documents",
        )),
    }
}

/// The validation data, if it has the same features as the training data and no missing values in
/// those that may be chosen.
pub fn checked_validation<'a>(
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
    use crate::data::synth::{SynthConfig, generate};
    use crate::engine::LocalEngine;
    use crate::run::Constraints;

    #[test]
    fn every_query_is_judged_once() {
        let config = SynthConfig { queries: 40, documents: 500, ..SynthConfig::default() };
        let engine = LocalEngine::new(generate(&config).unwrap().0, 2).unwrap();
        let run = Run::new(1, Constraints::default());
        let parts = HeldOut::folds(&run, engine.schema(), 4).parts(&engine).unwrap();
        for query in 0..40 {
            let judged = parts.iter().filter(|(_, judge)| judge.places().contains(&query)).count();
            let trained = parts.iter().filter(|(train, _)| train.places().contains(&query)).count();
            assert_eq!((judged, trained), (1, 3));
        }
    }
}
