//! The report of a trained model: its measures on training and validation data beside those of a
//! constant score, the trials of tuning, and the importance of its features.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::data::{Dataset, Feature, Normaliser};
use crate::error::Result;
use crate::evaluate::Ranking;
use crate::measure::Measure;
use crate::rank::tune::Trial;
use crate::rank::{
    FeatureImportance, ImportanceKind, Model, Scorer, Trained, TrainingPlan, feature_importance,
};
use crate::run::Run;

/// The report of a trained model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrainingReport {
    /// The ranker.
    pub ranker: &'static str,
    /// Its parameters.
    pub params: BTreeMap<String, String>,
    /// The seed.
    pub seed: u64,
    /// How features were normalised.
    pub normalise: Normaliser,
    /// The features that the model uses.
    pub features: Vec<Feature>,
    /// The number of features that it could have used.
    #[serde(skip)]
    pub offered: usize,
    /// The measures, in order.
    pub measures: Vec<Measure>,
    /// The model and the constant score, on training data and on validation data.
    pub results: Vec<TrainingResult>,
    /// The settings that were tried; empty without tuning.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trials: Vec<Trial>,
    /// The importance of the features, most important first; empty if not requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub importance: Vec<FeatureImportance>,
    /// Notes for users about this model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The measures of one ranking on one part of the data.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrainingResult {
    /// The name of the ranking.
    pub ranking: String,
    /// `training` or `validation`.
    pub data: &'static str,
    /// One value per measure.
    pub values: Vec<f64>,
}

impl TrainingReport {
    /// Reports on a model that [`train`](crate::rank::train) returned, with the data as it left
    /// them. Importance by permutation uses the first measure, on validation data if there is any.
    pub(super) fn new(
        plan: &TrainingPlan<'_>,
        run: &Run,
        trained: &Trained,
        (train, valid): (&Dataset, Option<&Dataset>),
        measures: &[Measure],
        importance: Option<ImportanceKind>,
    ) -> Result<Self> {
        let model = &trained.model;
        let importance = match importance {
            Some(kind) => {
                // The data is already normalised.
                let model = Model { scaler: None, ..model.clone() };
                let view = valid.unwrap_or(train).view();
                feature_importance(kind, run, &model, &view, &measures[0])?
            }
            None => Vec::new(),
        };
        let mut results = results("training", &trained.train_scores, train, measures);
        if let (Some(scores), Some(data)) = (&trained.valid_scores, valid) {
            results.extend(self::results("validation", scores, data, measures));
        }
        let params = model.trained.as_ref().map(|trained| trained.params.clone());
        Ok(TrainingReport {
            ranker: plan.ranker.name,
            params: params.unwrap_or_default(),
            seed: run.seed,
            normalise: plan.normaliser,
            features: model.features().into_iter().cloned().collect(),
            offered: plan.features.as_ref().map_or(train.features().len(), Vec::len),
            measures: measures.to_vec(),
            results,
            trials: trained.trials.clone(),
            importance,
            notes: unstopped(plan, trained, valid.is_some())
                .into_iter()
                .chain(scarce(plan, measures, train, valid))
                .collect(),
        })
    }
}

/// The note for boosting without validation data. A number of trees that is set without patience
/// was chosen, by the user or by `auto`; patience asks for early stopping, which cannot happen.
fn unstopped(plan: &TrainingPlan<'_>, trained: &Trained, validated: bool) -> Option<String> {
    let boosts = plan.ranker.params.iter().any(|param| param.name == "patience");
    let is_set = |wanted: &str| plan.params.iter().any(|(name, _)| name == wanted);
    let is_chosen = is_set("trees") && !is_set("patience");
    let Scorer::Trees(ensemble) = &trained.model.scorer else { return None };
    (boosts && !is_chosen && !validated).then(|| {
        let patience = if is_set("patience") { "; patience has no effect" } else { "" };
        format!(
            "{} trained {} trees, because there is no validation data to choose their number; \
             fewer often rank new queries better{patience}",
            plan.ranker.name,
            ensemble.trees().len()
        )
    })
}

/// The notes for measures to which few queries contribute: the one that tunes, on validation data,
/// or all on training data.
fn scarce(
    plan: &TrainingPlan<'_>,
    measures: &[Measure],
    train: &Dataset,
    valid: Option<&Dataset>,
) -> Vec<String> {
    let (measures, data) = match (&plan.tune, valid) {
        (Some(measure), Some(valid)) => (std::slice::from_ref(measure), valid),
        _ => (measures, train),
    };
    measures.iter().filter_map(|measure| measure.scarcity_note(&data.view())).collect()
}

/// The measures of the model and of the constant score on one part of the data.
fn results(
    part: &'static str,
    scores: &[f32],
    data: &Dataset,
    measures: &[Measure],
) -> Vec<TrainingResult> {
    let rankings =
        [Ranking { name: "model".into(), scores: scores.to_vec() }, Ranking::constant(data)];
    let value =
        |m: &Measure, ranking: &Ranking| m.summary(&m.per_query(&ranking.scores, &data.view()));
    let result = |ranking: Ranking| {
        let values = measures.iter().map(|m| value(m, &ranking)).collect();
        TrainingResult { ranking: ranking.name, data: part, values }
    };
    rankings.into_iter().map(result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::folds::train_valid_test;
    use crate::data::synth::{Preset, generate};
    use crate::rank::{ranker, train};
    use crate::run::Constraints;

    #[test]
    fn boosting_that_cannot_stop_early_is_noted() {
        let (data, _) = generate(&Preset::Tiny.config()).unwrap();
        let mut fold = train_valid_test(&data, 1).unwrap();
        let run = Run::new(1, Constraints::default());
        let mut notes = |params: &[(&str, &str)], has_valid: bool| {
            let params: Vec<(String, String)> =
                params.iter().map(|&(name, value)| (name.into(), value.into())).collect();
            let plan = TrainingPlan {
                ranker: ranker("lambdamart").unwrap(),
                params: &params,
                features: None,
                normaliser: Normaliser::None,
                tune: None,
            };
            let mut valid = has_valid.then(|| fold.valid.clone());
            let trained = train(&plan, &run, &mut fold.train, valid.as_mut()).unwrap();
            let parts = (&fold.train, valid.as_ref());
            let measures = ["ndcg@10".parse().unwrap()];
            TrainingReport::new(&plan, &run, &trained, parts, &measures, None).unwrap().notes
        };
        let both = [("trees", "7"), ("patience", "3")];
        let note = notes(&both, false).remove(0);
        assert!(note.contains("7 trees") && note.contains("patience has no effect"), "{note}");
        assert_eq!(notes(&[("patience", "3")], false).len(), 1);
        assert!(notes(&both, true).is_empty());
        assert!(notes(&[("trees", "7")], false).is_empty());
    }

    #[test]
    fn a_report_has_both_parts_and_the_most_important_feature_first() {
        let (data, _) = generate(&Preset::Tiny.config()).unwrap();
        let mut fold = train_valid_test(&data, 1).unwrap();
        let plan = TrainingPlan {
            ranker: ranker("regression-tree").unwrap(),
            params: &[],
            features: None,
            normaliser: Normaliser::None,
            tune: None,
        };
        let run = Run::new(1, Constraints::default());
        let measures = ["ndcg@10".parse().unwrap(), "map".parse().unwrap()];
        let trained = train(&plan, &run, &mut fold.train, Some(&mut fold.valid)).unwrap();
        let parts = (&fold.train, Some(&fold.valid));
        for kind in [ImportanceKind::Gain, ImportanceKind::Count, ImportanceKind::Permutation] {
            let report =
                TrainingReport::new(&plan, &run, &trained, parts, &measures, Some(kind)).unwrap();
            let rows: Vec<(&str, &str)> =
                report.results.iter().map(|row| (row.ranking.as_str(), row.data)).collect();
            assert_eq!(
                rows,
                [
                    ("model", "training"),
                    ("constant score", "training"),
                    ("model", "validation"),
                    ("constant score", "validation")
                ]
            );
            assert!(report.results[0].values[0] > report.results[1].values[0]);
            assert_eq!((report.offered, report.importance.len()), (20, report.features.len()));
            assert!(report.importance.is_sorted_by(|a, b| a.importance >= b.importance));
        }
    }
}
