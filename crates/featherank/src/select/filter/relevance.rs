//! The relevance of a feature by itself: a parameter that many filters share.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::data::{Dataset, FeatureId};
use crate::declare::choice;
use crate::engine::passes::{FeatureMeasures, feature_means};
use crate::engine::{Ask, Engine};
use crate::error::Result;
use crate::measure::Measure;
use crate::rank::linear::ranksvm_primal::RankSVMPrimal;
use crate::rank::tree::lambda_mart::LambdaMART;
use crate::rank::{Ranker, Scorer};
use crate::run::Run;
use crate::select::embedded::sample::spreads;
use crate::select::rows::rows;

/// How relevance is measured.
#[derive(Debug, Clone)]
pub(in crate::select) struct Relevance {
    measure: Measure,
    source: RelevanceSource,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RelevanceSource {
    Alone,
    LambdaMart,
    Weight,
}

choice! {
    /// What ranks the documents when a feature's relevance is measured.
    pub enum RelevanceModel {
        /// The feature itself.
        Alone = "alone",
        /// LambdaMART, trained on the feature alone.
        LambdaMART = "lambdamart",
    }
}

/// The number of trees of a model of one feature. A step function of one variable needs no more:
/// the default of a thousand would take ten times as long for the same order of documents.
const TREES_OF_ONE_FEATURE: usize = 100;

impl Relevance {
    /// Relevance by the ranking of a feature alone.
    pub(in crate::select) fn alone(measure: Measure) -> Self {
        Relevance { measure, source: RelevanceSource::Alone }
    }

    /// Relevance by the ranking of a feature alone, or of a model trained on it.
    pub(in crate::select) fn new(measure: Measure, model: RelevanceModel) -> Self {
        let source = match model {
            RelevanceModel::Alone => RelevanceSource::Alone,
            RelevanceModel::LambdaMART => RelevanceSource::LambdaMart,
        };
        Relevance { measure, source }
    }

    /// Relevance by the ranking of a feature alone, or by its weight among all others in RankSVM.
    pub(super) fn of_representative(measure: Measure, by_weight: bool) -> Self {
        Relevance {
            measure,
            source: if by_weight { RelevanceSource::Weight } else { RelevanceSource::Alone },
        }
    }

    /// One value per feature; higher is better.
    pub(super) fn of(
        &self,
        run: &Run,
        engine: &dyn Engine,
        features: &[FeatureId],
    ) -> Result<Vec<f64>> {
        match self.source {
            RelevanceSource::Alone => Ok(feature_means(engine, &self.measure, features)?),
            RelevanceSource::LambdaMart => {
                self.of_models(run, rows("relevance=lambdamart", engine)?, features)
            }
            RelevanceSource::Weight => weights(run, engine, features),
        }
    }

    /// The sample variance over queries of the measure of each feature alone.
    pub(super) fn variances(
        &self,
        engine: &dyn Engine,
        features: &[FeatureId],
    ) -> Result<Vec<f64>> {
        let alone = engine.ask(&FeatureMeasures::new(&self.measure, features))?;
        Ok(alone.per_query.iter().map(|values| sample_variance(values)).collect())
    }

    /// The measure of LambdaMART on its training data, for one feature at a time.
    fn of_models(&self, run: &Run, data: &Dataset, features: &[FeatureId]) -> Result<Vec<f64>> {
        self.measure.check_labels(data.labels().iter().copied().fold(0.0, f32::max))?;
        let ranker = LambdaMART::builder().trees(TREES_OF_ONE_FEATURE).build()?;
        let view = data.view().with_features(features);
        let fit = ranker.for_subsets(run, &view, None)?;
        let done = AtomicU64::new(0);
        let value = |&feature: &FeatureId| {
            let scores = fit(&[feature])?.score_until(&view, run.stop())?;
            let (done, total) =
                (done.fetch_add(1, Ordering::Relaxed) + 1, Some(features.len() as u64));
            run.step("training on single features", done, total)?;
            Ok(self.measure.summary(&self.measure.per_query(&scores, &view)))
        };
        features.par_iter().map(value).collect()
    }
}

/// The sample variance over the queries that count; 0 for fewer than two.
fn sample_variance(values: &[f64]) -> f64 {
    let counted = values.iter().filter(|value| !value.is_nan());
    let count = counted.clone().count() as f64;
    if count < 2.0 {
        return 0.0;
    }
    let mean = counted.clone().sum::<f64>() / count;
    counted.map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0)
}

/// The absolute weight of each feature in RankSVM, times the feature's standard deviation within
/// queries: its effect on scores.
fn weights(run: &Run, engine: &dyn Engine, features: &[FeatureId]) -> Result<Vec<f64>> {
    let view = rows("the weight of features in RankSVM", engine)?.view().with_features(features);
    let model = RankSVMPrimal::builder().build()?.learn(run, &view, None)?;
    let spreads = spreads(engine, features)?;
    let weight = |f: FeatureId| match &model.scorer {
        Scorer::Linear(linear) => {
            let own = &engine.schema().features.get(f).id;
            linear.weights().iter().find(|w| w.feature.id == *own).map_or(0.0, |w| w.weight.abs())
        }
        _ => 0.0,
    };
    let effect = |(at, &f): (usize, &FeatureId)| weight(f) * spreads[at];
    Ok(features.iter().enumerate().map(effect).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variance_leaves_out_queries_that_do_not_count() {
        assert_eq!(sample_variance(&[1.0, f64::NAN, 3.0]), 2.0);
        assert_eq!(sample_variance(&[f64::NAN, 3.0]), 0.0);
    }
}
