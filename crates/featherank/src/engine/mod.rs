//! The engine: methods reach rows only by sending passes through it.
//!
//! A [`Pass`] is a small request that can be sent anywhere; an [`Outcome`] is a small answer that can be merged with the
//! answers of other rows. A pass is a pure function of the rows and the request, so a lost shard is simply asked again.
//! Rows are visited in blocks of queries whose borders depend on the data alone, and outcomes are merged in block
//! order: results are the same to the last bit for any number of threads.

mod correlation;
mod local;
mod part;
pub mod passes;
mod schema;

use serde::{Deserialize, Serialize};

use crate::data::{Dataset, FeatureId};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::rank::Model;
use crate::rank::lambda::check_largest;
use crate::run::Step;
pub use correlation::{CorrelationMatrix, Scope};
pub(crate) use local::BLOCKS_AT_A_TIME;
pub use local::LocalEngine;
pub use part::{JoinedEngine, PartEngine};
pub use passes::LabelCount;
use passes::{
    Correlations, CorrelationsPass, FeatureMeasures, Gram, GramPass, Labels, LeaveQueryOut,
    LeaveQueryOutPass, LinearMeasures, LinearMeasuresPass, MergeGains, MergeGainsPass, ModelMeasures,
    ModelMeasuresPass, Moments, NdcgPairs, NdcgPairsPass, PairwiseHinge, PairwiseHingePass, PlacedModel,
    Relief, ReliefPass, WithoutPass,
};
pub use schema::Schema;

/// Access to rows, wherever they are.
pub trait Engine: Send + Sync {
    /// What the data is like: features, labels, query sizes; never rows.
    fn schema(&self) -> &Schema;
    /// Asks all rows and merges the answers.
    fn run(&self, pass: &Pass) -> Result<Outcome>;
    /// The data set itself where its rows are in this process.
    fn local(&self) -> Option<&Dataset>;
    /// Does work that sends many small passes where they are answered soonest.
    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        work();
    }
    /// Reports a step of work outside passes to whoever watches; an error when that one says stop.
    fn step(&self, _step: &Step) -> Result<()> {
        Ok(())
    }
}

/// A request that every block of queries can answer on its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Pass {
    /// Mean, variance, range and liveliness of every feature.
    Moments,
    /// What labels there are, and how much they say.
    Labels,
    /// Another request, to some of the queries.
    Without(WithoutPass),
    /// A measure for every single feature, per query.
    FeatureMeasures(FeatureMeasuresPass),
    /// Sums of products of centred columns: covariances, correlations, normal equations.
    Gram(GramPass),
    /// A measure for many linear models at once, per query.
    LinearMeasures(LinearMeasuresPass),
    /// Measures of whole models of any kind, per query.
    ModelMeasures(ModelMeasuresPass),
    /// How alike features are, query by query.
    Correlations(CorrelationsPass),
    /// Where documents of one query differ from their nearest neighbours.
    Relief(ReliefPass),
    /// What the best merge of rankings would be worth.
    MergeGains(MergeGainsPass),
    /// Squared hinge over preference pairs, its slope and its curvature.
    PairwiseHinge(PairwiseHingePass),
    /// Squared errors of least squares on queries that were not learnt from, for every feature that could be added.
    LeaveQueryOut(LeaveQueryOutPass),
    /// Pairs weighted by what swapping them changes in NDCG: their loss and its slope.
    NdcgPairs(NdcgPairsPass),
}

/// Which features to measure alone, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureMeasuresPass {
    /// The measure.
    pub measure: Measure,
    /// The features, in the order of the answer.
    pub features: Vec<FeatureId>,
}

impl Pass {
    /// What the pass does, for progress bars.
    pub fn describe(&self) -> &'static str {
        match self {
            Pass::Moments => "looking at every feature",
            Pass::Labels => "counting labels",
            Pass::Without(part) => part.pass.describe(),
            Pass::FeatureMeasures(_) => "ranking by single features",
            Pass::Gram(_) => "correlating features",
            Pass::LinearMeasures(_) => "ranking by linear models",
            Pass::ModelMeasures(_) => "ranking by models",
            Pass::Correlations(_) => "comparing features",
            Pass::Relief(_) => "comparing near documents",
            Pass::MergeGains(_) => "merging rankings",
            Pass::PairwiseHinge(_) => "comparing documents that differ in relevance",
            Pass::LeaveQueryOut(_) => "leaving out queries",
            Pass::NdcgPairs(_) => "weighing pairs by NDCG",
        }
    }
}

/// The answer to a [`Pass`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Outcome {
    /// To [`Pass::Moments`].
    Moments(Moments),
    /// To [`Pass::Labels`].
    Labels(Labels),
    /// To [`Pass::FeatureMeasures`].
    FeatureMeasures(FeatureMeasures),
    /// To [`Pass::Gram`].
    Gram(Gram),
    /// To [`Pass::LinearMeasures`].
    LinearMeasures(LinearMeasures),
    /// To [`Pass::ModelMeasures`].
    ModelMeasures(ModelMeasures),
    /// To [`Pass::Correlations`].
    Correlations(Correlations),
    /// To [`Pass::Relief`].
    Relief(Relief),
    /// To [`Pass::MergeGains`].
    MergeGains(MergeGains),
    /// To [`Pass::PairwiseHinge`].
    PairwiseHinge(PairwiseHinge),
    /// To [`Pass::LeaveQueryOut`].
    LeaveQueryOut(LeaveQueryOut),
    /// To [`Pass::NdcgPairs`].
    NdcgPairs(NdcgPairs),
}

impl Outcome {
    /// Adds the answer of the rows that follow.
    ///
    /// # Panics
    /// If the two answers are to different requests; an engine never mixes them.
    #[must_use]
    pub fn merge(self, next: Outcome) -> Outcome {
        match (self, next) {
            (Outcome::Moments(a), Outcome::Moments(b)) => Outcome::Moments(a.merge(b)),
            (Outcome::Labels(a), Outcome::Labels(b)) => Outcome::Labels(a.merge(b)),
            (Outcome::FeatureMeasures(a), Outcome::FeatureMeasures(b)) => {
                Outcome::FeatureMeasures(a.merge(b))
            }
            (Outcome::Gram(a), Outcome::Gram(b)) => Outcome::Gram(a.merge(b)),
            (Outcome::LinearMeasures(a), Outcome::LinearMeasures(b)) => Outcome::LinearMeasures(a.merge(b)),
            (Outcome::ModelMeasures(a), Outcome::ModelMeasures(b)) => Outcome::ModelMeasures(a.merge(b)),
            (Outcome::Correlations(a), Outcome::Correlations(b)) => Outcome::Correlations(a.merge(b)),
            (Outcome::Relief(a), Outcome::Relief(b)) => Outcome::Relief(a.merge(b)),
            (Outcome::MergeGains(a), Outcome::MergeGains(b)) => Outcome::MergeGains(a.merge(b)),
            (Outcome::PairwiseHinge(a), Outcome::PairwiseHinge(b)) => Outcome::PairwiseHinge(a.merge(b)),
            (Outcome::LeaveQueryOut(a), Outcome::LeaveQueryOut(b)) => Outcome::LeaveQueryOut(a.merge(b)),
            (Outcome::NdcgPairs(a), Outcome::NdcgPairs(b)) => Outcome::NdcgPairs(a.merge(b)),
            _ => unreachable!("answers to different passes are never merged"),
        }
    }
}

/// Typed requests: what methods call.
impl dyn Engine + '_ {
    /// Mean, variance, range and liveliness of every feature.
    pub fn moments(&self) -> Result<Moments> {
        match self.run(&Pass::Moments)? {
            Outcome::Moments(moments) => Ok(moments),
            _ => unreachable!("an engine answers the pass it was sent"),
        }
    }

    /// The features that differ within some query, and those that never do.
    pub fn alive(&self) -> Result<(Vec<FeatureId>, Vec<FeatureId>)> {
        let moments = self.moments()?;
        let all = (0..moments.features.len()).map(FeatureId::from);
        Ok(all.partition(|f| !moments.features[f.index()].is_dead()))
    }

    /// A measure for each of these features alone, per query.
    pub fn feature_measures(&self, measure: &Measure, features: &[FeatureId]) -> Result<FeatureMeasures> {
        measure.check_labels(self.schema().largest_label())?;
        let pass = FeatureMeasuresPass { measure: measure.clone(), features: features.to_vec() };
        match self.run(&Pass::FeatureMeasures(pass))? {
            Outcome::FeatureMeasures(measures) => Ok(measures),
            _ => unreachable!("an engine answers the pass it was sent"),
        }
    }

    /// Sums of products of these centred features, and of the labels.
    pub fn gram(&self, pass: GramPass) -> Result<Gram> {
        match self.run(&Pass::Gram(pass))? {
            Outcome::Gram(gram) => Ok(gram),
            _ => unreachable!("an engine answers the pass it was sent"),
        }
    }

    /// Where documents of one query differ from their nearest neighbours.
    pub fn relief(&self, pass: ReliefPass) -> Result<Relief> {
        match self.run(&Pass::Relief(pass))? {
            Outcome::Relief(relief) => Ok(relief),
            _ => unreachable!("an engine answers the pass it was sent"),
        }
    }

    /// A measure for many linear models at once, per query.
    pub fn linear_measures(&self, pass: LinearMeasuresPass) -> Result<LinearMeasures> {
        pass.measure.check_labels(self.schema().largest_label())?;
        let width = pass.features.len();
        if let Some(weights) = pass.weights.iter().find(|weights| weights.len() != width) {
            return Err(Error::invalid(
                "weights of a model",
                weights.len(),
                format!("{width}, one a feature"),
            ));
        }
        match self.run(&Pass::LinearMeasures(pass))? {
            Outcome::LinearMeasures(measures) => Ok(measures),
            _ => unreachable!("an engine answers the pass it was sent"),
        }
    }

    /// Measures of models, per query; for each model one list a measure. An error for models that could not score the rows.
    pub fn model_measures(&self, models: &[&Model], measures: &[Measure]) -> Result<Vec<Vec<Vec<f64>>>> {
        let schema = self.schema();
        measures.iter().try_for_each(|measure| measure.check_labels(schema.largest_label()))?;
        let placed = |model: &&Model| {
            let columns = model.columns(&schema.features)?;
            model.check_missing(&schema.features, &columns, |f| schema.missing.contains(&f))?;
            Ok(PlacedModel { model: (*model).clone(), columns })
        };
        let models: Vec<PlacedModel> = models.iter().map(placed).collect::<Result<_>>()?;
        let count = models.len();
        let pass = ModelMeasuresPass { models, measures: measures.to_vec() };
        match self.run(&Pass::ModelMeasures(pass))? {
            Outcome::ModelMeasures(found) if found.finite => {
                let mut values = found.per_query.into_iter();
                Ok((0..count).map(|_| values.by_ref().take(measures.len()).collect()).collect())
            }
            Outcome::ModelMeasures(_) => Err(Model::beyond_numbers()),
            _ => unreachable!("an engine answers the pass it was sent"),
        }
    }

    /// What the best merge of the chosen features' rankings with each candidate's would be worth.
    pub fn merge_gains(&self, pass: MergeGainsPass) -> Result<MergeGains> {
        pass.measure.check_labels(self.schema().largest_label())?;
        if pass.chosen.is_empty() {
            return Err(Error::invalid("features to merge with", "none", "at least one"));
        }
        match self.run(&Pass::MergeGains(pass))? {
            Outcome::MergeGains(gains) => Ok(gains),
            _ => unreachable!("an engine answers the pass it was sent"),
        }
    }
    /// Squared hinge over preference pairs at a linear model's weights.
    pub fn pairwise_hinge(&self, pass: PairwiseHingePass) -> Result<PairwiseHinge> {
        match self.run(&Pass::PairwiseHinge(pass))? {
            Outcome::PairwiseHinge(hinge) => Ok(hinge),
            _ => unreachable!("an engine answers the pass it was sent"),
        }
    }

    /// Squared errors on queries left out, with every feature that could be added to a least-squares model.
    pub fn leave_query_out(&self, pass: LeaveQueryOutPass) -> Result<LeaveQueryOut> {
        match self.run(&Pass::LeaveQueryOut(pass))? {
            Outcome::LeaveQueryOut(errors) => Ok(errors),
            _ => unreachable!("an engine answers the pass it was sent"),
        }
    }

    /// Pairs weighted by what swapping them changes in NDCG, at a linear model's weights.
    pub fn ndcg_pairs(&self, pass: NdcgPairsPass) -> Result<NdcgPairs> {
        check_largest(self.schema().largest_label())?;
        match self.run(&Pass::NdcgPairs(pass))? {
            Outcome::NdcgPairs(pairs) => Ok(pairs),
            _ => unreachable!("an engine answers the pass it was sent"),
        }
    }
}
