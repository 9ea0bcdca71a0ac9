//! The engine: methods reach rows only by sending passes through it.
//!
//! A [`Pass`] is a small request that can be sent anywhere; an [`Outcome`] is a small answer that
//! can be merged with the answers of other rows. A pass is a pure function of the rows and the
//! request, so a lost shard is simply asked again. Rows are visited in blocks of queries whose
//! borders depend on the data alone, and outcomes are merged in an order that depends on the number
//! of blocks alone ([`tree`]): results are the same to the last bit for any number of threads and
//! shards.

mod correlation;
mod deal;
mod layout;
mod ledger;
mod local;
mod memory;
mod message;
mod part;
mod pass;
pub mod passes;
mod remote;
mod rows;
mod schema;
mod shard;
mod store;
mod stream;
mod tree;

use crate::data::{Dataset, FeatureId};
use crate::error::Result;
use crate::measure::Measure;
use crate::rank::Model;
use crate::rank::lambda::check_largest;
use crate::run::Step;
pub use correlation::{CorrelationMatrix, Scope};
pub use deal::{Deal, Drawn};
pub use ledger::{Cost, Explained};
pub use local::LocalEngine;
pub use part::{JoinedEngine, PartEngine};
pub use pass::{FeatureMeasuresPass, Outcome, Pass};
pub use passes::LabelCount;
use passes::{
    FeatureMeasures, Gram, GramPass, LeaveQueryOut, LeaveQueryOutPass, LinearMeasures,
    LinearMeasuresPass, Means, MergeGains, MergeGainsPass, ModelMeasuresPass, Moments, NdcgPairs,
    NdcgPairsPass, PairwiseHinge, PairwiseHingePass, PlacedModel, Relief, ReliefPass,
};
pub use remote::{RemoteEngine, Shards};
pub(crate) use rows::BLOCKS_AT_A_TIME;
pub use schema::Schema;
pub use shard::Shard;
pub use stream::StreamEngine;

/// Bytes of a pass, all shards together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moved {
    /// Of requests.
    pub sent: u64,
    /// Of replies.
    pub received: u64,
}

/// Access to rows, wherever they are. Many threads may ask at once.
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
    /// Asks all rows, and says what that moved to other processes and back; `None` where rows are
    /// in this one.
    fn run_counted(&self, pass: &Pass) -> Result<(Outcome, Option<Moved>)> {
        Ok((self.run(pass)?, None))
    }
    /// Reports a step of work outside passes to whoever watches; an error when that one says stop.
    fn step(&self, _step: &Step) -> Result<()> {
        Ok(())
    }
}

/// Typed requests: what methods call.
impl dyn Engine + '_ {
    fn checked(&self, pass: Pass) -> Result<Outcome> {
        pass.check(self.schema().features.len())?;
        self.run(&pass)
    }

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
    pub fn feature_measures(
        &self,
        measure: &Measure,
        features: &[FeatureId],
    ) -> Result<FeatureMeasures> {
        measure.check_labels(self.schema().largest_label())?;
        let pass = FeatureMeasuresPass { measure: measure.clone(), features: features.to_vec() };
        match self.run(&Pass::FeatureMeasures(pass))? {
            Outcome::FeatureMeasures(measures) => Ok(measures),
            _ => unreachable!("an engine answers the pass it was sent"),
        }
    }

    /// The measure of each of these features alone, over all queries. Unlike values per query, that
    /// is little to send however many queries there are.
    pub fn feature_means(&self, measure: &Measure, features: &[FeatureId]) -> Result<Vec<f64>> {
        measure.check_labels(self.schema().largest_label())?;
        let pass = FeatureMeasuresPass { measure: measure.clone(), features: features.to_vec() };
        match self.run(&Pass::FeatureMeans(pass))? {
            Outcome::Means(means) => Ok(means.summaries(measure)),
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
        match self.checked(Pass::LinearMeasures(pass))? {
            Outcome::LinearMeasures(measures) => Ok(measures),
            _ => unreachable!("an engine answers the pass it was sent"),
        }
    }

    /// A measure for many linear models at once, over all queries.
    pub fn linear_means(&self, pass: LinearMeasuresPass) -> Result<Means> {
        pass.measure.check_labels(self.schema().largest_label())?;
        match self.checked(Pass::LinearMeans(pass))? {
            Outcome::Means(means) => Ok(means),
            _ => unreachable!("an engine answers the pass it was sent"),
        }
    }

    /// Measures of models, per query; for each model one list a measure. An error for models that
    /// could not score the rows.
    pub fn model_measures(
        &self,
        models: &[&Model],
        measures: &[Measure],
    ) -> Result<Vec<Vec<Vec<f64>>>> {
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
        match self.checked(Pass::MergeGains(pass))? {
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

    /// Squared errors on queries left out, with every feature that could be added to a
    /// least-squares model.
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
