//! What embedded methods tune themselves on: the run's validation data, or parts of the training data held out one after the
//! other.
//!
//! Held-out parts are whole queries, dealt out by their ids and the seed, so that the order of the data has no say. A query is
//! judged by the model that was fitted without it, and the measure is taken over all queries together. Where fewer than ten
//! queries have documents of different relevance none can be spared: they are both learnt from and tuned on.

use super::sample::Sample;
use crate::engine::Engine;
use crate::engine::passes::LinearMeasuresPass;
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::select::judging::{checked_validation, deal};

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
    /// The part of each query of the training data.
    Parts(Vec<usize>),
}

impl<'a> HeldOut<'a> {
    /// Validation data of the run, or parts of the training data.
    pub fn new(sample: &Sample<'a>, measure: &'a Measure) -> Result<Self> {
        let (run, engine) = (sample.run, sample.engine());
        let schema = engine.schema();
        let by = match &run.valid {
            Some(valid) => By::Data(checked_validation(valid.as_ref(), engine, sample.features())?),
            None if schema.queries() as u64 - schema.all_equal < LEAST => By::Data(engine),
            None => By::Parts(deal(&schema.query_keys, PARTS, run.seed)),
        };
        Ok(HeldOut { measure, by })
    }

    /// What models are worth, where they rank. `fit` fits all of them to a part of the data; `whole` are the weights that it
    /// finds on all of it.
    pub fn values(
        &self,
        sample: &Sample<'a>,
        whole: &[Vec<f64>],
        fit: impl Fn(&Sample<'a>) -> Result<Vec<Vec<f64>>>,
    ) -> Result<Vec<Option<f64>>> {
        let is_empty = |weights: &Vec<f64>| weights.iter().all(|w| *w == 0.0);
        // An empty model ranks by the order of the input, which may happen to be good.
        let mut ranks: Vec<bool> = whole.iter().map(|weights| !is_empty(weights)).collect();
        let values: Vec<Vec<f64>> = match &self.by {
            By::Data(data) => self.per_query(*data, sample, whole)?,
            By::Parts(parts) => {
                let mut values = vec![vec![f64::NAN; parts.len()]; whole.len()];
                let keys = &sample.engine().schema().query_keys;
                for part in 0..PARTS {
                    let own: Vec<usize> = (0..parts.len()).filter(|&q| parts[q] == part).collect();
                    let Some(others) = sample.leaving_out(own.iter().map(|&q| keys[q]).collect())? else {
                        continue;
                    };
                    let fitted = fit(&others)?;
                    let of_part = self.per_query(sample.engine(), sample, &fitted)?;
                    for (model, of_model) in of_part.iter().enumerate() {
                        ranks[model] &= !is_empty(&fitted[model]);
                        own.iter().for_each(|&q| values[model][q] = of_model[q]);
                    }
                }
                values
            }
        };
        if values.iter().flatten().all(|value| value.is_nan()) {
            return Err(Error::Conflict {
                what: format!("{} counts no query of the validation data", self.measure),
                help: "choose another measure, or data with relevant documents".into(),
            });
        }
        let value = |(values, ranks): (Vec<f64>, bool)| ranks.then(|| self.measure.summary(&values));
        Ok(values.into_iter().zip(ranks).map(value).collect())
    }

    fn per_query(
        &self,
        data: &dyn Engine,
        sample: &Sample<'_>,
        models: &[Vec<f64>],
    ) -> Result<Vec<Vec<f64>>> {
        let raw = |weights: &Vec<f64>| sample.raw(weights).into_iter().map(|w| w as f32).collect();
        let pass = LinearMeasuresPass {
            measure: self.measure.clone(),
            features: sample.features().to_vec(),
            weights: models.iter().map(raw).collect(),
            leave_out: Vec::new(),
        };
        Ok(data.linear_measures(pass)?.per_query)
    }
}
