//! The training procedure: select features, normalise, fit, and return a model that accepts raw
//! data.

use super::tune::{Trial, declared_grid, tune};
use super::{Model, RankerSpec};
use crate::data::{Dataset, FeatureId, Normaliser, View};
use crate::error::{Error, Result};
use crate::measure::{Measure, Ties};
use crate::remedy;
use crate::run::Run;

/// What to train, and on which part of the data.
pub struct TrainingPlan<'a> {
    /// The ranker.
    pub ranker: &'static RankerSpec,
    /// Parameters that differ from their defaults.
    pub params: &'a [(String, String)],
    /// The features it may use; all of them if `None`.
    pub features: Option<Vec<FeatureId>>,
    /// How features are normalised before training.
    pub normaliser: Normaliser,
    /// Tune the parameters that are not set over the ranker's declared grid, by this measure on
    /// validation data, with expected-value ties.
    pub tune: Option<Measure>,
}

impl TrainingPlan<'_> {
    fn view<'d>(&'d self, data: &'d Dataset) -> View<'d> {
        match &self.features {
            Some(features) => data.view().with_features(&features[..]),
            None => data.view(),
        }
    }

    fn fit(
        &self,
        run: &Run,
        train: &View<'_>,
        valid: Option<&View<'_>>,
    ) -> Result<(Model, Vec<Trial>)> {
        let Some(measure) = &self.tune else {
            return Ok((self.ranker.fit(self.params, run, train, valid)?, Vec::new()));
        };
        let valid = valid.ok_or_else(|| {
            Error::protocol("tuning needs validation data, and none is given", remedy![Valid.set()])
        })?;
        let grid = declared_grid(self.ranker, self.params);
        // With expected-value ties, so that the order of the file has no influence.
        let measure = measure.clone().with_ties(Ties::Expected);
        let tuned = tune(self.ranker, self.params, &grid, run, train, valid, &measure)?;
        Ok((tuned.model, tuned.trials))
    }
}

/// A model and its scores of the training and validation data.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// The model. It accepts data that is not normalised.
    pub model: Model,
    /// Its scores of the training data.
    pub train_scores: Vec<f32>,
    /// Its scores of the validation data.
    pub valid_scores: Option<Vec<f32>>,
    /// The settings that were tried; empty without tuning.
    pub trials: Vec<Trial>,
}

/// Trains according to the plan. The data stays normalised afterwards; both parts must have the
/// same features.
pub fn train(
    plan: &TrainingPlan<'_>,
    run: &Run,
    train: &mut Dataset,
    mut valid: Option<&mut Dataset>,
) -> Result<Trained> {
    if valid.as_ref().is_some_and(|valid| valid.features() != train.features()) {
        return Err(Error::mismatch(
            "training and validation data have different features",
            "use files with the same features in the same order",
        ));
    }
    let fingerprint = train.fingerprint();
    let scaler = plan.normaliser.fit(train);
    scaler.apply(train);
    valid.iter_mut().for_each(|valid| scaler.apply(valid));
    let (train_view, valid_view) =
        (plan.view(train), valid.as_deref().map(|valid| plan.view(valid)));
    let (mut model, trials) = plan.fit(run, &train_view, valid_view.as_ref())?;
    if let Some(trained) = &mut model.trained {
        // The fingerprint of the raw data, as selections record it.
        trained.data = Some(fingerprint);
    }
    let train_scores = model.score_until(&train_view, run.stop())?;
    let valid_scores = valid_view.map(|valid| model.score_until(&valid, run.stop())).transpose()?;
    let columns = model.columns(train.features())?;
    Ok(Trained { model: model.with_scaler(&scaler, &columns), train_scores, valid_scores, trials })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{FeatureTable, Queries};
    use crate::rank::ranker;
    use crate::run::Constraints;

    /// Feature 1 is noise, feature 2 ranks.
    fn data(shift: f32) -> Dataset {
        let values = vec![5., 1., 4., 9., 3. + shift, 7., 2., 1.];
        Dataset::new(
            values,
            vec![0., 1., 1., 0.],
            Queries::from_sizes(&[2, 2]),
            FeatureTable::numbered(2, 1),
        )
    }

    fn plan(normaliser: Normaliser, features: Option<Vec<FeatureId>>) -> TrainingPlan<'static> {
        TrainingPlan {
            ranker: ranker("single-feature").unwrap(),
            params: &[],
            features,
            normaliser,
            tune: None,
        }
    }

    #[test]
    fn scores_of_raw_and_normalised_data_agree() {
        let run = Run::new(1, Constraints::default());
        for (_, normaliser) in Normaliser::NAMES {
            let trained =
                train(&plan(normaliser, None), &run, &mut data(0.0), Some(&mut data(0.5))).unwrap();
            assert_eq!(trained.model.features()[0].id, 2);
            assert_eq!(trained.model.score(&data(0.0).view()).unwrap(), trained.train_scores);
            assert_eq!(Some(trained.model.score(&data(0.5).view()).unwrap()), trained.valid_scores);
            assert_eq!(trained.model.trained.unwrap().data, Some(data(0.0).fingerprint()));
        }
    }

    #[test]
    fn tuning_needs_validation_data_and_lists_its_trials() {
        let run = Run::new(1, Constraints::default());
        let params = [("ridge".to_owned(), "3".to_owned())];
        let tree = TrainingPlan {
            ranker: ranker("regression-tree").unwrap(),
            tune: Some("map".parse().unwrap()),
            ..plan(Normaliser::None, None)
        };
        let error = train(&tree, &run, &mut data(0.0), None).unwrap_err().to_string();
        assert!(error.contains("`valid`"), "{error}");
        let trained = train(&tree, &run, &mut data(0.0), Some(&mut data(0.5))).unwrap();
        assert_eq!(trained.trials.len(), 4);
        // Parameters that the user sets are not tuned.
        let regression = ranker("linear-regression").unwrap();
        let fixed = TrainingPlan { ranker: regression, params: &params, ..tree };
        let trained = train(&fixed, &run, &mut data(0.0), Some(&mut data(0.5))).unwrap();
        assert_eq!(trained.trials.len(), 1);
    }

    #[test]
    fn only_planned_features_are_used() {
        let run = Run::new(1, Constraints::default());
        let first = plan(Normaliser::Zscore, Some(vec![FeatureId(0)]));
        let trained = train(&first, &run, &mut data(0.0), None).unwrap();
        assert_eq!(trained.model.features()[0].id, 1);
        let mut three = Dataset::new(
            vec![0.; 3],
            vec![0.],
            Queries::from_sizes(&[1]),
            FeatureTable::numbered(3, 1),
        );
        let error = train(&first, &run, &mut data(0.0), Some(&mut three)).unwrap_err().to_string();
        assert!(error.contains("different features"), "{error}");
    }
}
