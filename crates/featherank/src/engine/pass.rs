//! Requests that every block of queries can answer on its own, and their answers.

use serde::{Deserialize, Serialize};

use super::passes::{
    Correlations, CorrelationsPass, FeatureMeasures, Gram, GramPass, Labels, LeaveQueryOut,
    LeaveQueryOutPass, LinearMeasures, LinearMeasuresPass, Means, MergeGains, MergeGainsPass,
    ModelMeasures, ModelMeasuresPass, Moments, NdcgPairs, NdcgPairsPass, PairwiseHinge,
    PairwiseHingePass, PartPass, Relief, ReliefPass,
};
use super::tree::Merge;
use crate::data::FeatureId;
use crate::error::{Error, Result};
use crate::measure::Measure;

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
    Part(PartPass),
    /// A measure for every single feature, per query.
    FeatureMeasures(FeatureMeasuresPass),
    /// A measure for every single feature, over all queries.
    FeatureMeans(FeatureMeasuresPass),
    /// Sums of products of centred columns: covariances, correlations, normal equations.
    Gram(GramPass),
    /// A measure for many linear models at once, per query.
    LinearMeasures(LinearMeasuresPass),
    /// A measure for many linear models at once, over all queries.
    LinearMeans(LinearMeasuresPass),
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
    /// Squared errors of least squares on queries that were not learnt from, for every feature that
    /// could be added.
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
    /// Its name, as `--explain` prints it.
    pub fn name(&self) -> &'static str {
        match self {
            Pass::Moments => "moments",
            Pass::Labels => "labels",
            Pass::Part(part) => part.pass.name(),
            Pass::FeatureMeasures(_) => "feature-measures",
            Pass::FeatureMeans(_) => "feature-means",
            Pass::Gram(_) => "gram",
            Pass::LinearMeasures(_) => "linear-measures",
            Pass::LinearMeans(_) => "linear-means",
            Pass::ModelMeasures(_) => "model-measures",
            Pass::Correlations(_) => "correlations",
            Pass::Relief(_) => "relief",
            Pass::MergeGains(_) => "merge-gains",
            Pass::PairwiseHinge(_) => "pairwise-hinge",
            Pass::LeaveQueryOut(_) => "leave-query-out",
            Pass::NdcgPairs(_) => "ndcg-pairs",
        }
    }

    /// What the pass does, for progress bars.
    pub fn describe(&self) -> &'static str {
        match self {
            Pass::Moments => "looking at every feature",
            Pass::Labels => "counting labels",
            Pass::Part(part) => part.pass.describe(),
            Pass::FeatureMeasures(_) | Pass::FeatureMeans(_) => "ranking by single features",
            Pass::Gram(_) => "correlating features",
            Pass::LinearMeasures(_) | Pass::LinearMeans(_) => "ranking by linear models",
            Pass::ModelMeasures(_) => "ranking by models",
            Pass::Correlations(_) => "comparing features",
            Pass::Relief(_) => "comparing near documents",
            Pass::MergeGains(_) => "merging rankings",
            Pass::PairwiseHinge(_) => "comparing documents that differ in relevance",
            Pass::LeaveQueryOut(_) => "leaving out queries",
            Pass::NdcgPairs(_) => "weighing pairs by NDCG",
        }
    }

    /// Refuses a request that contradicts itself or names features that are not there; rows need
    /// not be looked at for that.
    pub(crate) fn check(&self, features: usize) -> Result<()> {
        let known = |list: &[FeatureId]| match list.iter().find(|f| f.index() >= features) {
            Some(f) => {
                Err(Error::invalid("feature", f.0, format!("below {features}, their number")))
            }
            None => Ok(()),
        };
        let as_many = |what: &'static str, found: usize, wanted: usize| match found == wanted {
            true => Ok(()),
            false => Err(Error::invalid(what, found, format!("{wanted}, one a feature"))),
        };
        match self {
            Pass::Moments | Pass::Labels => Ok(()),
            Pass::Part(part) => match *part.pass {
                Pass::Part(_) => Err(Error::invalid("request", "a part of a part", "one part")),
                ref pass => pass.check(features),
            },
            Pass::ModelMeasures(pass) => pass.models.iter().try_for_each(|placed| {
                as_many("columns of a model", placed.columns.len(), placed.model.features().len())?;
                known(&placed.columns)
            }),
            Pass::FeatureMeasures(pass) | Pass::FeatureMeans(pass) => known(&pass.features),
            Pass::Gram(pass) => known(&pass.features),
            Pass::Correlations(pass) => known(&pass.features),
            Pass::Relief(pass) => {
                let width = pass.features.len();
                as_many("ranges", pass.ranges.as_ref().map_or(width, Vec::len), width)?;
                as_many(
                    "weights of distances",
                    pass.distance_weights.as_ref().map_or(width, Vec::len),
                    width,
                )?;
                known(&pass.features)
            }
            Pass::LinearMeasures(pass) | Pass::LinearMeans(pass) => {
                let width = pass.features.len();
                pass.weights
                    .iter()
                    .try_for_each(|w| as_many("weights of a model", w.len(), width))?;
                known(&pass.features)
            }
            Pass::MergeGains(pass) => {
                if pass.chosen.is_empty() {
                    return Err(Error::invalid("features to merge with", "none", "at least one"));
                }
                [&pass.live, &pass.chosen, &pass.candidates]
                    .into_iter()
                    .try_for_each(|list| known(list))
            }
            Pass::PairwiseHinge(pass) => {
                let width = pass.features.len();
                as_many("weights of a model", pass.weights.len(), width)?;
                as_many(
                    "weights to go towards",
                    pass.towards.as_ref().map_or(width, Vec::len),
                    width,
                )?;
                if let Some(place) = pass.curved.iter().find(|&&place| place >= width) {
                    return Err(Error::invalid(
                        "place of a feature",
                        place,
                        format!("below {width}"),
                    ));
                }
                known(&pass.features)
            }
            Pass::NdcgPairs(pass) => {
                as_many("weights of a model", pass.weights.len(), pass.features.len())?;
                known(&pass.features)
            }
            Pass::LeaveQueryOut(pass) => {
                let (chosen, candidates) = (pass.weights.len(), pass.slopes.len());
                as_many("divisors", pass.divisors.len(), pass.features.len())?;
                as_many("weights and slopes", chosen + candidates, pass.features.len())?;
                as_many("sums of products", pass.penalised.len(), chosen * chosen)?;
                as_many("projections", pass.projections.len(), chosen * candidates)?;
                as_many("curvatures", pass.curvatures.len(), candidates)?;
                known(&pass.features)
            }
        }
    }

    /// Whether an outcome is of the kind that answers this.
    pub(crate) fn is_answered_by(&self, outcome: &Outcome) -> bool {
        if let Pass::Part(part) = self {
            return part.pass.is_answered_by(outcome);
        }
        matches!(
            (self, outcome),
            (Pass::Moments, Outcome::Moments(_))
                | (Pass::Labels, Outcome::Labels(_))
                | (Pass::ModelMeasures(_), Outcome::ModelMeasures(_))
                | (Pass::FeatureMeasures(_), Outcome::FeatureMeasures(_))
                | (Pass::FeatureMeans(_) | Pass::LinearMeans(_), Outcome::Means(_))
                | (Pass::Gram(_), Outcome::Gram(_))
                | (Pass::LinearMeasures(_), Outcome::LinearMeasures(_))
                | (Pass::Correlations(_), Outcome::Correlations(_))
                | (Pass::Relief(_), Outcome::Relief(_))
                | (Pass::MergeGains(_), Outcome::MergeGains(_))
                | (Pass::PairwiseHinge(_), Outcome::PairwiseHinge(_))
                | (Pass::LeaveQueryOut(_), Outcome::LeaveQueryOut(_))
                | (Pass::NdcgPairs(_), Outcome::NdcgPairs(_))
        )
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
    /// To [`Pass::FeatureMeans`] and [`Pass::LinearMeans`].
    Means(Means),
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

impl Merge for Outcome {
    /// # Panics
    /// If the two answers are to different requests; an engine never mixes them.
    fn merge(self, next: Outcome) -> Outcome {
        match (self, next) {
            (Outcome::Moments(a), Outcome::Moments(b)) => Outcome::Moments(a.merge(b)),
            (Outcome::Labels(a), Outcome::Labels(b)) => Outcome::Labels(a.merge(b)),
            (Outcome::ModelMeasures(a), Outcome::ModelMeasures(b)) => {
                Outcome::ModelMeasures(a.merge(b))
            }
            (Outcome::FeatureMeasures(a), Outcome::FeatureMeasures(b)) => {
                Outcome::FeatureMeasures(a.merge(b))
            }
            (Outcome::Means(a), Outcome::Means(b)) => Outcome::Means(a.merge(b)),
            (Outcome::Gram(a), Outcome::Gram(b)) => Outcome::Gram(a.merge(b)),
            (Outcome::LinearMeasures(a), Outcome::LinearMeasures(b)) => {
                Outcome::LinearMeasures(a.merge(b))
            }
            (Outcome::Correlations(a), Outcome::Correlations(b)) => {
                Outcome::Correlations(a.merge(b))
            }
            (Outcome::Relief(a), Outcome::Relief(b)) => Outcome::Relief(a.merge(b)),
            (Outcome::MergeGains(a), Outcome::MergeGains(b)) => Outcome::MergeGains(a.merge(b)),
            (Outcome::PairwiseHinge(a), Outcome::PairwiseHinge(b)) => {
                Outcome::PairwiseHinge(a.merge(b))
            }
            (Outcome::LeaveQueryOut(a), Outcome::LeaveQueryOut(b)) => {
                Outcome::LeaveQueryOut(a.merge(b))
            }
            (Outcome::NdcgPairs(a), Outcome::NdcgPairs(b)) => Outcome::NdcgPairs(a.merge(b)),
            _ => unreachable!("answers to different passes are never merged"),
        }
    }
}
