//! Evaluation by passes: rankings that are computed where the rows are, so that the scores of all
//! documents are never collected.

use super::{Evaluation, EvaluationPlan, Resampling, RiskBaseline, summarise};
use crate::data::{FeatureId, FeatureTable};
use crate::engine::passes::{FeatureMeasures, Moments};
use crate::engine::{Ask, Engine};
use crate::error::Result;
use crate::measure::Measure;
use crate::measure::risk::{max_baseline, mean_baseline};
use crate::rank::passes::model_measures;
use crate::rank::{LinearModel, Model};

/// A ranking to be evaluated where the rows are: its name and its scorer.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedBy {
    /// Its name.
    pub name: String,
    scorer: RowScorer,
}

#[derive(Debug, Clone, PartialEq)]
enum RowScorer {
    Model(Box<Model>),
    Feature(FeatureId),
}

impl RankedBy {
    /// Ranks by a model's scores.
    pub fn model(name: impl Into<String>, model: Model) -> Self {
        RankedBy { name: name.into(), scorer: RowScorer::Model(Box::new(model)) }
    }

    /// Ranks by a feature's values.
    pub fn feature(table: &FeatureTable, feature: FeatureId) -> Self {
        RankedBy { name: super::feature_name(table, feature), scorer: RowScorer::Feature(feature) }
    }

    /// Ranks by a constant score, see [`Ranking::constant`](super::Ranking::constant).
    pub fn constant() -> Self {
        let empty = LinearModel::new(&FeatureTable::numbered(0, 1), &[]);
        RankedBy::model(super::CONSTANT, empty.into())
    }

    /// This ranking as a risk baseline, under the first measure of a plan.
    pub fn as_baseline(&self, engine: &dyn Engine, measure: &Measure) -> Result<RiskBaseline> {
        let values = values(engine, std::slice::from_ref(self), std::slice::from_ref(measure))?;
        Ok(RiskBaseline {
            name: self.name.clone(),
            per_query: values.into_iter().flatten().flatten().collect(),
        })
    }
}

/// Single features as a risk baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverFeatures {
    /// Their mean on each query.
    Mean,
    /// The best of them on each query.
    Max,
}

impl OverFeatures {
    /// Over all features that vary within queries; the others would only add the order of the file.
    pub fn as_baseline(self, engine: &dyn Engine, measure: &Measure) -> Result<RiskBaseline> {
        let (varying, _) = engine.ask(&Moments)?.varying_within_queries();
        let alone = engine.ask(&FeatureMeasures::new(measure, &varying))?.per_query;
        let (which, per_query) = match self {
            OverFeatures::Mean => ("mean", mean_baseline(&alone)),
            OverFeatures::Max => ("max", max_baseline(&alone)),
        };
        Ok(RiskBaseline { name: format!("{which} of single features"), per_query })
    }
}

/// Evaluates rankings of the rows behind an engine. The result equals that of
/// [`evaluate`](super::evaluate) for the same rankings.
///
/// ```
/// use featherank::data::FeatureId;
/// use featherank::data::synth::{Preset, generate};
/// use featherank::engine::{Engine, LocalEngine};
/// use featherank::evaluate::{EvaluationPlan, OverFeatures, RankedBy, evaluate_on};
///
/// let engine = LocalEngine::new(generate(&Preset::Tiny.config())?.0, 1)?;
/// let best = RankedBy::feature(&engine.schema().features, FeatureId(0));
/// let measures = vec!["ndcg@10".parse()?];
/// let plan = EvaluationPlan { measures, alpha: 5.0, resamples: 100, seed: 1 };
/// let baseline = OverFeatures::Mean.as_baseline(&engine, &plan.measures[0])?;
/// let found = evaluate_on(&engine, &[best, RankedBy::constant()], &plan, Some(&baseline))?;
/// assert!(found.rankings[0].values[0].value > 0.0);
/// # Ok::<(), featherank::Error>(())
/// ```
pub fn evaluate_on(
    engine: &dyn Engine,
    rankings: &[RankedBy],
    plan: &EvaluationPlan,
    baseline: Option<&RiskBaseline>,
) -> Result<Evaluation> {
    let values = values(engine, rankings, &plan.measures)?;
    let named = rankings.iter().map(|ranking| ranking.name.clone()).zip(values).collect();
    let queries = (0..engine.schema().queries()).map(|q| engine.schema().query_id(q)).collect();
    summarise(named, queries, plan, baseline, &Resampling::of(engine, plan, rankings.len()))
}

/// For each ranking and measure, the value of every query: one pass for all models, and one per
/// measure for all features.
fn values(
    engine: &dyn Engine,
    rankings: &[RankedBy],
    measures: &[Measure],
) -> Result<Vec<Vec<Vec<f64>>>> {
    let (mut models, mut features) = (Vec::new(), Vec::new());
    for ranking in rankings {
        match &ranking.scorer {
            RowScorer::Model(model) => models.push(model.as_ref()),
            RowScorer::Feature(feature) => features.push(*feature),
        }
    }
    let mut of_models = match models.is_empty() {
        true => Vec::new(),
        false => model_measures(engine, &models, measures)?,
    }
    .into_iter();
    let mut of_features = vec![Vec::with_capacity(measures.len()); features.len()];
    if !features.is_empty() {
        for measure in measures {
            let alone = engine.ask(&FeatureMeasures::new(measure, &features))?.per_query;
            of_features.iter_mut().zip(alone).for_each(|(all, values)| all.push(values));
        }
    }
    let mut of_features = of_features.into_iter();
    let next = |ranking: &RankedBy| match ranking.scorer {
        RowScorer::Model(_) => of_models.next(),
        RowScorer::Feature(_) => of_features.next(),
    };
    Ok(rankings.iter().filter_map(next).collect())
}
