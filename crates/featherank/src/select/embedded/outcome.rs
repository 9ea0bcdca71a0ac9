//! The result of an embedded method: the features of the chosen model, and all models of the path.

use super::path::{CandidateModel, Path, SparseModel};
use super::sample::Sample;
use crate::data::FeatureId;
use crate::error::Result;
use crate::rank::LinearModel;
use crate::select::candidates::Candidates;
use crate::select::{Findings, FittedModel};

/// Features in the order in which they first enter, with the share of the path that remained;
/// features that enter together are ordered by their effect on the ranking.
pub(super) fn entries(
    sample: &Sample<'_>,
    path: &Path<'_>,
    chosen: &SparseModel,
) -> Vec<(FeatureId, f64)> {
    if !chosen.order.is_empty() {
        return chosen.order.iter().map(|&(k, value)| (sample.features()[k], value)).collect();
    }
    let last: Vec<&SparseModel> = path.models.iter().filter_map(|models| models.last()).collect();
    let first = |k: usize| last.iter().position(|model| model.weights[k] != 0.0);
    let mut entered: Vec<(usize, usize)> =
        (0..sample.width()).filter_map(|k| Some((first(k)?, k))).collect();
    let effect = |&(place, k): &(usize, usize)| sample.effect(k, last[place].weights[k]);
    entered.sort_by(|a, b| a.0.cmp(&b.0).then(effect(b).total_cmp(&effect(a))).then(a.1.cmp(&b.1)));
    let ahead = |place: usize| 1.0 - place as f64 / last.len() as f64;
    entered.into_iter().map(|(place, k)| (sample.features()[k], ahead(place))).collect()
}

/// All models that were fitted, for inspecting the path.
pub(super) fn record(
    sample: &Sample<'_>,
    paths: &[Path<'_>],
    finalists: &[CandidateModel],
    judged: &[Option<f64>],
    chosen: usize,
) -> Vec<FittedModel> {
    let fit = |which: usize, value: f64, model: &SparseModel, judged: Option<f64>, chosen: bool| {
        let own = paths[which].family.settings(sample, value);
        let named =
            |pairs: &[(&str, f64)]| pairs.iter().map(|&(name, x)| (name.to_owned(), x)).collect();
        FittedModel {
            settings: named(&[&own[..], &model.settings].concat()),
            features: model.weights.iter().filter(|w| **w != 0.0).count(),
            value: judged,
            certificate: named(&[model.certificate]),
            chosen,
        }
    };
    let mut fits = Vec::new();
    let place_of = |which: usize, value: f64, model: &SparseModel| {
        let is_it = |f: &CandidateModel| {
            f.which == which && f.value == value && f.model.settings == model.settings
        };
        finalists.iter().position(is_it)
    };
    for (which, path) in paths.iter().enumerate() {
        for (&value, models) in path.values.iter().zip(&path.models) {
            for model in models {
                let place = place_of(which, value, model);
                let judged = place.and_then(|place| judged[place]);
                fits.push(fit(which, value, model, judged, place == Some(chosen)));
            }
        }
    }
    // Bisection tries values between those of the path.
    if !fits.iter().any(|fit| fit.chosen) {
        let CandidateModel { which, value, model } = &finalists[chosen];
        fits.push(fit(*which, *value, model, judged[chosen], true));
    }
    fits
}

/// The features of the chosen model, under the run's constraints.
pub(super) struct ChosenModel<'a> {
    pub sample: &'a Sample<'a>,
    pub candidates: &'a Candidates,
    pub entered: Vec<(FeatureId, f64)>,
}

impl ChosenModel<'_> {
    /// The features of a model, best first; `refit` fits the model to fewer features if
    /// constraints forbid some.
    pub fn select(
        &self,
        model: SparseModel,
        refit: impl Fn(&Sample<'_>) -> Result<SparseModel>,
    ) -> Result<Findings> {
        let ChosenModel { sample, candidates, entered } = self;
        let (run, engine) = (sample.run, sample.engine());
        let effects = model.weights.iter().enumerate().map(|(k, &w)| sample.effect(k, w));
        let mut chosen: Vec<(FeatureId, f64)> = sample
            .features()
            .iter()
            .copied()
            .zip(effects)
            .filter(|(_, effect)| *effect > 0.0)
            .collect();
        chosen.sort_by(|(f, a), (g, b)| b.total_cmp(a).then(f.cmp(g)));
        let used: Vec<FeatureId> = chosen.iter().map(|(f, _)| *f).collect();
        let known: Vec<FeatureId> = entered.iter().map(|(f, _)| *f).collect();
        let never = candidates.without(&known).into_iter().map(|f| (f, 0.0));
        let order: Vec<(FeatureId, f64)> = entered.iter().copied().chain(never).collect();
        let others = order.iter().filter(|(f, _)| !used.contains(f));
        let rest: Vec<(FeatureId, f64)> = others.map(|&(f, _)| (f, 0.0)).collect();
        let found = candidates.select(run, engine, &chosen, &rest)?;
        let selected = found.columns();
        let (fitted, model) = match used.iter().all(|f| selected.contains(f)) {
            true => ((*sample).clone(), model),
            false => {
                let fewer = sample.with_features(&selected);
                let model = refit(&fewer)?;
                (fewer, model)
            }
        };
        let weights = fitted.features().iter().copied().zip(fitted.raw(&model.weights));
        let weights: Vec<(FeatureId, f64)> = weights.filter(|(_, w)| *w != 0.0).collect();
        let (name, certificate) = model.certificate;
        Ok(Findings {
            model: Some(LinearModel::new(&engine.schema().features, &weights).into()),
            certificate: [(name.to_owned(), certificate)].into(),
            path: self.kept_first(&order),
            ..found
        })
    }

    fn kept_first(&self, order: &[(FeatureId, f64)]) -> Vec<(FeatureId, f64)> {
        let keep = &self.sample.run.constraints.keep;
        let (kept, free): (Vec<_>, Vec<_>) =
            order.iter().copied().partition(|(f, _)| keep.contains(f));
        let unusable = keep.iter().filter(|f| !self.candidates.keep.contains(f)).map(|&f| (f, 0.0));
        kept.into_iter().chain(unusable).chain(free).collect()
    }
}
