//! From models that no other dominates to one of them, and to a selection.

use super::Choose;
use super::feature_selection::Weighted;
use super::pair_svm::{Guide, PairSvm};
use super::pairs::OfDocuments;
use super::phases::{Finalist, Found};
use crate::data::FeatureId;
use crate::engine::passes::LinearMeasures;
use crate::engine::{Ask, Engine, PartEngine, QueryFolds};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::rank::LinearModel;
use crate::remedy;
use crate::select::candidates::Candidates;
use crate::select::embedded::held_out::{LEAST, PARTS};
use crate::select::embedded::sample::Sample;
use crate::select::judging::{best, checked_validation, within_errors};
use crate::select::{Fit, Member, Searched, Selection};

/// The part that the searches do not see.
const HELD_OUT: usize = 0;

/// Who chooses among models.
pub(super) struct Judge<'a> {
    measure: &'a Measure,
    /// How many standard errors below the best the answer may be, if it is smaller.
    slack: f64,
    data: Data<'a>,
}

enum Data<'a> {
    Training,
    Validation(&'a dyn Engine),
    /// One part of the training data is held out.
    Part(&'a dyn Engine, QueryFolds),
}

impl<'a> Judge<'a> {
    pub fn new(
        choose: Choose,
        slack: f64,
        measure: &'a Measure,
        sample: &Sample<'a>,
    ) -> Result<Self> {
        let (run, engine) = (sample.run, sample.engine());
        let schema = engine.schema();
        let valid = run
            .valid
            .as_deref()
            .map(|valid| checked_validation(valid, engine, sample.features()))
            .transpose()?;
        let can_spare = schema.queries() as u64 - schema.all_equal >= LEAST;
        let data = match (choose, valid) {
            (Choose::Auto | Choose::Validation, Some(valid)) => Data::Validation(valid),
            (Choose::Validation, None) => {
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
            (Choose::HeldOut, _) if can_spare => {
                Data::Part(engine, QueryFolds::new(&schema.query_keys, PARTS, run.seed))
            }
            _ => Data::Training,
        };
        Ok(Judge { measure, slack, data })
    }

    /// Whether the searches must not see a query of the training data.
    pub fn holds_out(&self, query: usize) -> bool {
        let is_held_out = |engine: &dyn Engine, deal: &QueryFolds| {
            deal.fold_of(engine.schema().query_keys[query]) == HELD_OUT
        };
        matches!(&self.data, Data::Part(engine, deal) if is_held_out(*engine, deal))
    }

    /// How well models rank each query that judges them, where others than those of the searches
    /// do.
    fn per_query(
        &self,
        sample: &Sample<'_>,
        finalists: &[Finalist],
    ) -> Result<Option<Vec<Vec<f64>>>> {
        let part;
        let data: &dyn Engine = match &self.data {
            Data::Training => return Ok(None),
            Data::Validation(valid) => *valid,
            Data::Part(engine, deal) => {
                part = PartEngine::of(*engine, deal.range(|part| part == HELD_OUT))?;
                &part
            }
        };
        let weights = |finalist: &Finalist| {
            let mut all = vec![0.0; sample.width()];
            let Weighted { features, weights } = &finalist.model;
            features.iter().zip(weights).for_each(|(&k, &w)| all[k] = w as f32);
            all
        };
        let pass = LinearMeasures {
            measure: self.measure.clone(),
            features: sample.features().to_vec(),
            weights: finalists.iter().map(weights).collect(),
        };
        let values = data.ask(&pass)?.per_query;
        if values.iter().any(|values| self.measure.summary(values).is_nan()) {
            return Err(Error::nothing_counts(
                format!("{} counts no query of the validation data", self.measure),
                "choose another measure, or data with relevant documents",
            ));
        }
        Ok(Some(values))
    }
}

/// What is needed to make a selection of a model.
pub(super) struct Answer<'a> {
    pub sample: &'a Sample<'a>,
    pub candidates: &'a Candidates,
    /// The accuracy of every feature alone.
    pub alone: &'a [f64],
    pub all: &'a OfDocuments<'a>,
    pub svm: &'a PairSvm,
    pub guide: &'a Guide,
}

impl Answer<'_> {
    /// The best model, its features first, then those that many rankers use.
    pub fn select(&self, found: Found, judge: &Judge<'_>) -> Result<Selection> {
        let Found { finalists, used, pairs } = found;
        let judged = judge.per_query(self.sample, &finalists)?;
        let place = match &judged {
            Some(per_query) => {
                let sizes: Vec<usize> =
                    finalists.iter().map(|one| one.model.features.len()).collect();
                within_errors(judge.slack, per_query, &sizes)
            }
            // Those with the fewest features come first, and of equals the first is taken.
            None => best(&finalists.iter().map(|one| Some(one.accuracy)).collect::<Vec<_>>()),
        };
        let place = place.unwrap_or(0);
        let named =
            |pairs: &[(&str, f64)]| pairs.iter().map(|&(name, x)| (name.to_owned(), x)).collect();
        let fit = |(i, finalist): (usize, &Finalist)| Fit {
            settings: named(&[
                ("accuracy", finalist.accuracy),
                ("c", self.svm.c),
                ("pairs", pairs),
            ]),
            features: finalist.model.features.len(),
            value: judged.as_ref().map(|values| judge.measure.summary(&values[i])),
            certificate: named(&[]),
            chosen: i == place,
        };
        let fits = finalists.iter().enumerate().map(fit).collect();
        let schema = self.sample.engine().schema();
        let id = |&k: &usize| schema.features.get(self.sample.features()[k]).id;
        let member = |(i, finalist): (usize, &Finalist)| {
            let features: Vec<u32> = finalist.model.features.iter().map(id).collect();
            let objectives =
                named(&[("accuracy", finalist.accuracy), ("features", features.len() as f64)]);
            Member { features, objectives, chosen: i == place }
        };
        let front = finalists.iter().enumerate().map(member).collect();
        let selection = self.of_model(&finalists[place].model, &used)?;
        Ok(Selection {
            fits,
            searched: Some(Searched { generations: Vec::new(), front }),
            ..selection
        })
    }

    fn of_model(&self, model: &Weighted, used: &[usize]) -> Result<Selection> {
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
        let selection = candidates.select(run, engine, &chosen, &others)?;
        let selected = selection.columns(&engine.schema().features)?;
        let wanted: Vec<usize> =
            (0..sample.width()).filter(|&k| selected.contains(&feature(k))).collect();
        let is_as_found =
            wanted.len() == chosen.len() && chosen.iter().all(|(f, _)| selected.contains(f));
        // Where constraints change the set, all pairs train the SVM of the features that they
        // leave.
        let refitted = (!is_as_found).then(|| {
            let weights = self.svm.solve(self.all, &self.guide.start(wanted.clone()));
            Weighted { features: wanted, weights }
        });
        let Weighted { features, weights } = refitted.as_ref().unwrap_or(model);
        let weights = features.iter().map(|&k| feature(k)).zip(weights.iter().copied());
        let weights: Vec<(FeatureId, f64)> = weights.filter(|(_, w)| *w != 0.0).collect();
        Ok(Selection {
            model: Some(LinearModel::new(&engine.schema().features, &weights).into()),
            ..selection
        })
    }
}
