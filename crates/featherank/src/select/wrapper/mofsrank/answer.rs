//! The choice among the nondominated models, and the selection that follows from it.

use super::MOFSRankChoice;
use super::feature_selection::Weighted;
use super::pair_svm::PairSvm;
use super::pairs::OfDocuments;
use super::phases::{FrontModel, PhaseResults};
use super::preconditioner::Preconditioner;
use crate::data::FeatureId;
use crate::engine::{Engine, PartEngine};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::rank::LinearModel;
use crate::rank::linear::least_squares::Weights;
use crate::remedy;
use crate::select::candidates::Candidates;
use crate::select::embedded::sample::Sample;
use crate::select::subsets::{
    FOLDS, HeldOut, best_place, checked_validation, linear_values, no_query_counts,
    smallest_within_errors,
};
use crate::select::{Findings, FittedModel, FrontSubset, Searched};

/// The fold that the searches do not use.
const HELD_OUT: usize = 0;

/// Evaluates nondominated models on held-out queries.
pub(super) struct FrontModelEvaluator<'a> {
    measure: &'a Measure,
    /// The number of standard errors by which a smaller answer may be below the best.
    slack: f64,
    held_out: HeldOut<'a>,
}

impl<'a> FrontModelEvaluator<'a> {
    /// Uses the data that `choose` names. Of folds, only the first is held out.
    pub fn new(
        choose: MOFSRankChoice,
        slack: f64,
        measure: &'a Measure,
        sample: &Sample<'a>,
    ) -> Result<Self> {
        let (run, engine) = (sample.run, sample.engine());
        let valid = run
            .valid
            .as_deref()
            .map(|valid| checked_validation(valid, engine, sample.features()))
            .transpose()?;
        let held_out = match (choose, valid) {
            (MOFSRankChoice::Auto | MOFSRankChoice::Validation, Some(valid)) => {
                HeldOut::Validation(valid)
            }
            (MOFSRankChoice::Validation, None) => {
                return Err(Error::protocol(
                    "`choose` is validation, and no validation data is given",
                    remedy![
                        "to choose on validation data, ",
                        Valid.set(),
                        "; otherwise ",
                        ParameterValue("choose", "held-out").set(),
                        " or ",
                        ParameterValue("choose", "training").set()
                    ],
                ));
            }
            (MOFSRankChoice::HeldOut, _) => HeldOut::folds_if_enough(run, engine.schema(), FOLDS),
            _ => HeldOut::Nothing,
        };
        Ok(FrontModelEvaluator { measure, slack, held_out })
    }

    /// Whether the query of the training data with this key is held out from the searches.
    pub fn holds_out(&self, key: u64) -> bool {
        matches!(&self.held_out, HeldOut::Folds { folds, .. } if folds.fold_of(key) == HELD_OUT)
    }

    /// The measure of every model on each held-out query; `None` if nothing is held out.
    fn per_query(
        &self,
        sample: &Sample<'_>,
        models: &[FrontModel],
    ) -> Result<Option<Vec<Vec<f64>>>> {
        let part;
        let data: &dyn Engine = match &self.held_out {
            HeldOut::Nothing => return Ok(None),
            HeldOut::Validation(valid) => *valid,
            HeldOut::Folds { folds, .. } => {
                part = PartEngine::of(sample.engine(), folds.sample(|fold| fold == HELD_OUT))?;
                &part
            }
        };
        let weights = |front_model: &FrontModel| -> Weights {
            let mut all: Weights = sample.features().iter().map(|&f| (f, 0.0)).collect();
            let Weighted { features, weights } = &front_model.model;
            features.iter().zip(weights).for_each(|(&k, &w)| all[k].1 = w);
            all
        };
        let linear: Vec<Weights> = models.iter().map(weights).collect();
        let values = linear_values(data, self.measure, &linear)?;
        if values.iter().any(|values| self.measure.summary(values).is_nan()) {
            return Err(no_query_counts(self.measure));
        }
        Ok(Some(values))
    }
}

/// Builds the findings of a model.
pub(super) struct Answer<'a> {
    pub sample: &'a Sample<'a>,
    pub candidates: &'a Candidates,
    /// The accuracy of every feature alone.
    pub alone: &'a [f64],
    pub all: &'a OfDocuments<'a>,
    pub svm: &'a PairSvm,
    pub preconditioner: &'a Preconditioner,
}

impl Answer<'_> {
    /// The best model, its features first, then those that many rankers use.
    pub fn select(
        &self,
        found: PhaseResults,
        evaluator: &FrontModelEvaluator<'_>,
    ) -> Result<Findings> {
        let PhaseResults { models, used, pairs } = found;
        let evaluated = evaluator.per_query(self.sample, &models)?;
        let place = match &evaluated {
            Some(per_query) => {
                let sizes: Vec<usize> = models.iter().map(|one| one.model.features.len()).collect();
                smallest_within_errors(evaluator.slack, per_query, &sizes)
            }
            // Models are ordered by their number of features, and ties go to the first.
            None => best_place(&models.iter().map(|one| Some(one.accuracy)).collect::<Vec<_>>()),
        };
        let place = place.unwrap_or(0);
        let named =
            |pairs: &[(&str, f64)]| pairs.iter().map(|&(name, x)| (name.to_owned(), x)).collect();
        let fit = |(i, front_model): (usize, &FrontModel)| FittedModel {
            settings: named(&[
                ("accuracy", front_model.accuracy),
                ("c", self.svm.c),
                ("pairs", pairs),
            ]),
            features: front_model.model.features.len(),
            value: evaluated.as_ref().map(|values| evaluator.measure.summary(&values[i])),
            certificate: named(&[]),
            chosen: i == place,
        };
        let fits = models.iter().enumerate().map(fit).collect();
        let schema = self.sample.engine().schema();
        let id = |&k: &usize| schema.features.get(self.sample.features()[k]).id;
        let member = |(i, front_model): (usize, &FrontModel)| {
            let features: Vec<u32> = front_model.model.features.iter().map(id).collect();
            let objectives =
                named(&[("accuracy", front_model.accuracy), ("features", features.len() as f64)]);
            FrontSubset { features, objectives, chosen: i == place }
        };
        let front = models.iter().enumerate().map(member).collect();
        Ok(Findings {
            fits,
            searched: Some(Searched { generations: Vec::new(), front }),
            ..self.of_model(&models[place].model, &used)?
        })
    }

    fn of_model(&self, model: &Weighted, used: &[usize]) -> Result<Findings> {
        let Answer { sample, candidates, .. } = self;
        let (run, engine) = (sample.run, sample.engine());
        let feature = |k: usize| sample.features()[k];
        let effect = |k: usize, weight: f64| sample.effect(k, weight * sample.divisors()[k]);
        let weighted = || model.features.iter().copied().zip(model.weights.iter().copied());
        let mut chosen: Vec<(FeatureId, f64)> =
            weighted().map(|(k, w)| (feature(k), effect(k, w))).collect();
        if run.constraints.k.is_none() {
            chosen.retain(|(f, effect)| *effect > 0.0 || run.constraints.keep.contains(f));
        }
        chosen.sort_by(|(f, a), (g, b)| b.total_cmp(a).then(f.cmp(g)));
        let mut rest: Vec<usize> =
            (0..sample.width()).filter(|k| !model.features.contains(k)).collect();
        rest.sort_by(|&a, &b| used[b].cmp(&used[a]).then(self.alone[b].total_cmp(&self.alone[a])));
        let known: Vec<FeatureId> =
            chosen.iter().map(|(f, _)| *f).chain(rest.into_iter().map(feature)).collect();
        let others = known[chosen.len()..].iter().copied().chain(candidates.without(&known));
        let others: Vec<(FeatureId, f64)> = others.map(|f| (f, 0.0)).collect();
        let found = candidates.select(run, engine, &chosen, &others)?;
        let selected = found.columns();
        let wanted: Vec<usize> =
            (0..sample.width()).filter(|&k| selected.contains(&feature(k))).collect();
        let is_as_found =
            wanted.len() == chosen.len() && chosen.iter().all(|(f, _)| selected.contains(f));
        // If constraints change the set, the SVM is refitted on all pairs with the remaining
        // features.
        let refitted = (!is_as_found).then(|| {
            let weights = self.svm.solve(self.all, &self.preconditioner.start(wanted.clone()));
            Weighted { features: wanted, weights }
        });
        let Weighted { features, weights } = refitted.as_ref().unwrap_or(model);
        let weights = features.iter().map(|&k| feature(k)).zip(weights.iter().copied());
        let weights: Vec<(FeatureId, f64)> = weights.filter(|(_, w)| *w != 0.0).collect();
        Ok(Findings {
            model: Some(LinearModel::new(&engine.schema().features, &weights).into()),
            ..found
        })
    }
}
