//! Many linear models, measured in one pass, on any engine.

use rayon::prelude::*;

use super::held_out::HeldOut;
use crate::data::FeatureId;
use crate::engine::passes::{LinearMeans, LinearMeasures, MeasureSums};
use crate::engine::{Ask, Engine, Merge, PartEngine};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::rank::linear::least_squares::Weights;

/// For each linear model, the measure of every query of an engine.
pub fn linear_values(
    engine: &dyn Engine,
    measure: &Measure,
    models: &[Weights],
) -> Result<Vec<Vec<f64>>> {
    Ok(engine.ask(&request(measure, models))?.per_query)
}

/// For each linear model, the measure over all queries of an engine.
pub fn linear_means(
    engine: &dyn Engine,
    measure: &Measure,
    models: &[Weights],
) -> Result<MeasureSums> {
    engine.ask(&LinearMeans(request(measure, models)))
}

fn request(measure: &Measure, models: &[Weights]) -> LinearMeasures {
    let mut features: Vec<FeatureId> = models.iter().flatten().map(|(f, _)| *f).collect();
    features.sort_unstable();
    features.dedup();
    let dense = |model: &Weights| {
        let mut weights = vec![0.0; features.len()];
        for (f, weight) in model {
            features.binary_search(f).into_iter().for_each(|place| weights[place] = *weight as f32);
        }
        weights
    };
    let weights = models.par_iter().map(dense).collect();
    LinearMeasures { measure: measure.clone(), features, weights }
}

/// The measure of each linear model over the held-out queries; `None` for a model that is empty in
/// some fold. `fitted_to_all` are the models fitted to all training data; `fit` fits the same
/// models to some of its queries, or returns `None` if these have no preference pair.
pub fn held_out_values(
    held_out: &HeldOut<'_>,
    engine: &dyn Engine,
    measure: &Measure,
    fitted_to_all: &[Weights],
    fit: impl Fn(&PartEngine<'_>) -> Result<Option<Vec<Weights>>>,
) -> Result<Vec<Option<f64>>> {
    let is_empty = |model: &Weights| model.iter().all(|(_, w)| *w == 0.0);
    // An empty model ranks in the order of the input, which may happen to be good.
    let mut ranks: Vec<bool> = fitted_to_all.iter().map(|model| !is_empty(model)).collect();
    let means = match held_out {
        HeldOut::Nothing => Some(linear_means(engine, measure, fitted_to_all)?),
        HeldOut::Validation(valid) => Some(linear_means(*valid, measure, fitted_to_all)?),
        HeldOut::Folds { .. } => {
            let mut means: Option<MeasureSums> = None;
            for (train, judge) in held_out.parts(engine)? {
                let Some(fitted) = fit(&train)? else { continue };
                for (ranks, model) in ranks.iter_mut().zip(&fitted) {
                    *ranks &= !is_empty(model);
                }
                let of_fold = linear_means(&judge, measure, &fitted)?;
                means = Some(match means {
                    Some(so_far) => so_far.merge(of_fold),
                    None => of_fold,
                });
            }
            means
        }
    };
    let values = means.map(|means| means.summaries(measure)).unwrap_or_default();
    if values.iter().all(|value| value.is_nan()) {
        return Err(no_query_counts(measure));
    }
    Ok(values.into_iter().zip(ranks).map(|(value, ranks)| ranks.then_some(value)).collect())
}

/// The error for validation data in which the measure counts no query.
pub fn no_query_counts(measure: &Measure) -> Error {
    Error::nothing_counts(
        format!("no query of the validation data counts under {measure}"),
        "choose another measure, or data with relevant documents",
    )
}
