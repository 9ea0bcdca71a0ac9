//! Judging the models of embedded methods on queries they were not fitted to.

use super::sample::Sample;
use crate::error::Result;
use crate::measure::Measure;
use crate::rank::linear::least_squares::Weights;
use crate::select::subsets::{self, FOLDS, HeldOut};

/// The measure of models on the run's validation data or on held-out folds; `None` for a model that
/// does not rank. `fitted_to_all` are the weights fitted to the whole sample; `fit` fits all models
/// to a part of it.
pub fn held_out_values(
    sample: &Sample<'_>,
    measure: &Measure,
    fitted_to_all: &[Vec<f64>],
    fit: impl Fn(&Sample<'_>) -> Result<Vec<Vec<f64>>>,
) -> Result<Vec<Option<f64>>> {
    let engine = sample.engine();
    let held_out = HeldOut::of_run(sample.run, engine, sample.features(), FOLDS)?;
    let weights = |weights: &Vec<f64>| -> Weights {
        sample.features().iter().copied().zip(sample.raw(weights)).collect()
    };
    let models = |all: &[Vec<f64>]| all.iter().map(weights).collect::<Vec<_>>();
    subsets::held_out_values(&held_out, engine, measure, &models(fitted_to_all), |train| {
        let part = sample.of_part(train);
        part.map(|part| Ok(models(&fit(&part)?))).transpose()
    })
}
