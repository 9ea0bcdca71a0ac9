//! What embedded methods tune themselves on: the run's validation data, or parts of the training
//! data held out one after the other.
//!
//! Held-out parts are whole queries, dealt out by their ids and the seed, so that the order of the
//! data has no say. A query is judged by the model that was fitted without it, and the measure is
//! taken over all queries together. Where fewer than ten queries have documents of different
//! relevance none can be spared: they are both learnt from and tuned on.

use super::sample::Sample;
use crate::engine::passes::{LinearMeans, LinearMeasures, MeasureSums};
use crate::engine::{Ask, Engine, Merge, PartEngine, QueryFolds};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::select::judging::checked_validation;

/// Parts that are held out.
pub(in crate::select) const PARTS: usize = 5;

/// Queries below which none is held out.
pub(in crate::select) const LEAST: u64 = 2 * PARTS as u64;

/// Who judges models.
pub struct HeldOut<'a> {
    measure: &'a Measure,
    by: By<'a>,
}

enum By<'a> {
    /// Other data, or the very data that is learnt from.
    Data(&'a dyn Engine),
    /// Parts of the training data.
    Parts(QueryFolds),
}

impl<'a> HeldOut<'a> {
    /// Validation data of the run, or parts of the training data.
    pub fn new(sample: &Sample<'a>, measure: &'a Measure) -> Result<Self> {
        let (run, engine) = (sample.run, sample.engine());
        let schema = engine.schema();
        let by = match &run.valid {
            Some(valid) => By::Data(checked_validation(valid.as_ref(), engine, sample.features())?),
            None if schema.queries() as u64 - schema.all_equal < LEAST => By::Data(engine),
            None => By::Parts(QueryFolds::new(&schema.query_keys, PARTS, run.seed)),
        };
        Ok(HeldOut { measure, by })
    }

    /// What models are worth, where they rank. `fit` fits all of them to a part of the data;
    /// `whole` are the weights that it finds on all of it.
    pub fn values(
        &self,
        sample: &Sample<'a>,
        whole: &[Vec<f64>],
        fit: impl Fn(&Sample<'_>) -> Result<Vec<Vec<f64>>>,
    ) -> Result<Vec<Option<f64>>> {
        let is_empty = |weights: &Vec<f64>| weights.iter().all(|w| *w == 0.0);
        // An empty model ranks by the order of the input, which may happen to be good.
        let mut ranks: Vec<bool> = whole.iter().map(|weights| !is_empty(weights)).collect();
        let means = match &self.by {
            By::Data(data) => Some(self.means(*data, sample, whole)?),
            By::Parts(deal) => {
                let mut means: Option<MeasureSums> = None;
                for held_out in 0..PARTS {
                    let learn =
                        PartEngine::of(sample.engine(), deal.range(|part| part != held_out))?;
                    let judge =
                        PartEngine::of(sample.engine(), deal.range(|part| part == held_out))?;
                    let Some(others) = sample.of_part(&learn) else { continue };
                    let fitted = fit(&others)?;
                    ranks
                        .iter_mut()
                        .zip(&fitted)
                        .for_each(|(ranks, model)| *ranks &= !is_empty(model));
                    let of_part = self.means(&judge, sample, &fitted)?;
                    means = Some(match means {
                        Some(so_far) => so_far.merge(of_part),
                        None => of_part,
                    });
                }
                means
            }
        };
        let values = means.map(|means| means.summaries(self.measure)).unwrap_or_default();
        if values.iter().all(|value| value.is_nan()) {
            return Err(Error::nothing_counts(
                format!("{} counts no query of the validation data", self.measure),
                "choose another measure, or data with relevant documents",
            ));
        }
        Ok(values.into_iter().zip(ranks).map(|(value, ranks)| ranks.then_some(value)).collect())
    }

    fn means(
        &self,
        data: &dyn Engine,
        sample: &Sample<'_>,
        models: &[Vec<f64>],
    ) -> Result<MeasureSums> {
        let raw = |weights: &Vec<f64>| sample.raw(weights).into_iter().map(|w| w as f32).collect();
        data.ask(&LinearMeans(LinearMeasures {
            measure: self.measure.clone(),
            features: sample.features().to_vec(),
            weights: models.iter().map(raw).collect(),
        }))
    }
}
