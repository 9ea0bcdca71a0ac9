//! The driver of all embedded methods: paths over a parameter that controls sparsity, and the
//! choice among models.
//!
//! A [`Family`] fits models for one value of its parameter; a method has one family, or one for
//! each value of a second parameter. The driver fits each family's path from sparse to dense on the
//! training data, each fit starting from its neighbour, and chooses a model:
//!
//! * with a value set by the user, the model at that value; several values replace the path;
//! * with `k`, a model with exactly k features, found by bisection. If the path skips k, the k
//!   features of the next denser model with the largest |weight| × standard deviation are taken,
//!   and the model is refitted to them with the same loss and value;
//! * otherwise the model with the best measure on validation data, or on held-out folds of the
//!   training data ([`held_out_values`]): ties go to the first, and an empty model is never chosen.
//!   With a `slack`, the sparsest model that is at most that much worse. If several families remain
//!   in the first two cases, the same rule decides between them.
//!
//! Chosen features are ordered by |weight| × standard deviation within queries: their effect on the
//! ranking. The path of the selection is the order in which features first enter, with the
//! remaining share of the path as its value (0 for those that never enter), or the family's own
//! order. The method does not receive dropped and unaffordable features, nor those that are
//! constant within queries. Kept features are never penalised if the method has penalties;
//! otherwise they are chosen even if the model does not use them. A model never uses a feature that
//! is not chosen: if constraints forbid some of its features, it is refitted to the others.

use super::held_out::held_out_values;
use super::outcome::{ChosenModel, entries, record};
use super::path_progress::PathProgress;
use super::sample::Sample;
use super::tuning::Tuning;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::remedy;
use crate::run::Run;
use crate::select::Findings;
use crate::select::candidates::Candidates;
use crate::select::subsets::smallest_within_slack;

/// The maximum number of bisection steps in the search for a model with k features.
const HALVINGS: usize = 25;

/// The maximum number of times that the parameter is doubled beyond its grid, if the densest model
/// has fewer than k features or a model is empty.
const DOUBLINGS: usize = 20;

/// Sparse linear models along one parameter.
pub trait Family: Sync {
    /// The user-visible settings for a value, and the settings that are fixed in this family.
    fn settings(&self, sample: &Sample<'_>, value: f64) -> Vec<(&'static str, f64)>;

    /// Values of the parameter, from sparse to dense: all ascending or all descending, and above 0.
    fn grid(&self, sample: &Sample<'_>) -> Result<Vec<f64>>;

    /// The models for one value, usually one; the same number for all samples, and the densest
    /// last. `warm_start` is the last model of the neighbour on the path. Kept features need not be
    /// penalised.
    fn fit(
        &self,
        sample: &Sample<'_>,
        value: f64,
        warm_start: Option<&SparseModel>,
    ) -> Result<Vec<SparseModel>>;

    /// Whether models have the number of features that the run's constraints require for any value
    /// of the parameter.
    fn counts_itself(&self) -> bool {
        false
    }
}

/// A sparse linear model, and a certificate of its distance from the optimum.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseModel {
    /// One weight per feature of the sample.
    pub weights: Vec<f64>,
    /// The name and value of the certificate: `kkt`, `gap` or `gradient`.
    pub certificate: (&'static str, f64),
    /// Settings that distinguish it from other models of the same value.
    pub settings: Vec<(&'static str, f64)>,
    /// The family's own order of features, by place, best first, with a score for each; empty if
    /// the order follows from the path.
    pub order: Vec<(usize, f64)>,
    /// State that the family uses to fit the neighbour.
    pub state: Vec<f64>,
    /// Denser values of the parameter would not change or not improve the model: the path ends
    /// here.
    pub ends_path: bool,
}

impl SparseModel {
    /// A model from its weights and their certificate.
    pub fn new(weights: Vec<f64>, certifies: &'static str, certificate: f64) -> Self {
        SparseModel {
            weights,
            certificate: (certifies, certificate),
            settings: Vec::new(),
            order: Vec::new(),
            state: Vec::new(),
            ends_path: false,
        }
    }

    /// Whether all weights are 0.
    pub fn is_empty(&self) -> bool {
        self.weights.iter().all(|w| *w == 0.0)
    }
}

/// Models of one family: values of its parameter, and the models of each.
pub(super) struct Path<'a> {
    pub family: &'a dyn Family,
    pub values: Vec<f64>,
    pub models: Vec<Vec<SparseModel>>,
}

/// A candidate model: the index of its family, and the value of the parameter.
pub(super) struct CandidateModel {
    pub which: usize,
    pub value: f64,
    pub model: SparseModel,
}

/// The search for a model on the paths of several families.
pub(super) struct PathSearch<'a> {
    pub families: &'a [&'a dyn Family],
    pub tuning: &'a Tuning,
    /// The user's values of the parameter; empty to use the families' own grids.
    pub given: &'a [f64],
}

impl PathSearch<'_> {
    /// Selects by the best model.
    pub fn select(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        self.select_if_any(run, engine)?.ok_or_else(nothing_ranks)
    }

    /// The same, or `None` if all models are empty.
    pub fn select_if_any(&self, run: &Run, engine: &dyn Engine) -> Result<Option<Findings>> {
        let mut found = Ok(None);
        engine.within(&mut || found = choose(self, run, engine));
        found
    }
}

fn choose(search: &PathSearch<'_>, run: &Run, engine: &dyn Engine) -> Result<Option<Findings>> {
    let PathSearch { families, tuning, given } = *search;
    let is_fixed = given.len() == 1;
    let candidates = Candidates::of(run, engine)?;
    let sample = Sample::new(run, engine, &candidates, tuning.scale)?;
    // The candidates: all models, or those of one value of each family.
    let wanted = run.constraints.k.filter(|_| !is_fixed);
    let grids: Vec<Vec<f64>> =
        families.iter().map(|&family| values(family, &sample, given)).collect::<Result<_>>()?;
    let progress = PathProgress::new(families, &grids, wanted.is_some(), is_fixed, run);
    let mut paths = Vec::with_capacity(families.len());
    for (&family, values) in families.iter().zip(grids) {
        let models = fit_all(family, &sample, &values, &progress)?;
        paths.push(Path { family, models, values });
    }
    let mut finalists: Vec<CandidateModel> = Vec::new();
    let mut tried: Vec<Vec<f64>> = Vec::new();
    for (which, path) in paths.iter().enumerate() {
        let first = if is_fixed { path.values.len() - 1 } else { 0 };
        let known = path.values.iter().copied().zip(&path.models);
        let of_size = wanted
            .filter(|_| !path.family.counts_itself())
            .map(|k| of_size(path, &sample, k, &progress));
        let models: Vec<(f64, Vec<SparseModel>)> = match of_size.transpose()? {
            // Models before the last one have other numbers of features.
            Some((value, models)) => vec![(value, models.into_iter().rev().take(1).collect())],
            None => known.skip(first).map(|(value, models)| (value, models.clone())).collect(),
        };
        tried.push(models.iter().map(|(value, _)| *value).collect());
        for (value, models) in models {
            finalists.extend(models.into_iter().map(|model| CandidateModel {
                which,
                value,
                model,
            }));
        }
    }
    let judged = match finalists.len() {
        1 => {
            // The measure must fit the labels even if no model has to be evaluated.
            tuning.measure.check_labels(engine.schema().largest_label())?;
            vec![None]
        }
        _ => {
            let whole: Vec<Vec<f64>> =
                finalists.iter().map(|finalist| finalist.model.weights.clone()).collect();
            let fit = |part: &Sample<'_>| -> Result<Vec<Vec<f64>>> {
                let mut all = Vec::new();
                for (path, values) in paths.iter().zip(&tried) {
                    let last_only = wanted.is_some() && !path.family.counts_itself();
                    for models in fit_all(path.family, part, values, &progress)? {
                        let first = if last_only { models.len() - 1 } else { 0 };
                        all.extend(models.into_iter().skip(first).map(|model| model.weights));
                    }
                }
                Ok(all)
            };
            held_out_values(&sample, &tuning.measure, &whole, fit)?
        }
    };
    // If every model is empty in some fold of very small data, the densest non-empty model is
    // taken.
    let ranks = |finalist: &CandidateModel| !finalist.model.is_empty();
    let sizes: Vec<usize> =
        finalists.iter().map(|finalist| size(&sample, &finalist.model)).collect();
    let place = smallest_within_slack(tuning.slack, &judged, &sizes)
        .or_else(|| finalists.iter().rposition(ranks))
        .unwrap_or(finalists.len() - 1);
    let fits = record(&sample, &paths, &finalists, &judged, place);
    let CandidateModel { which, value, model } = finalists.swap_remove(place);
    if model.is_empty() && run.constraints.k.is_none() && run.constraints.keep.is_empty() {
        return Ok(None);
    }
    let family = paths[which].family;
    let entered = entries(&sample, &paths[which], &model);
    let result = ChosenModel { sample: &sample, candidates: &candidates, entered }
        .select(model, |fewer| denser(family, fewer, value))?;
    Ok(Some(Findings { fits, ..result }))
}

/// The values of a family that are fitted, from sparse to dense.
fn values(family: &dyn Family, sample: &Sample<'_>, given: &[f64]) -> Result<Vec<f64>> {
    match *given {
        [] => family.grid(sample),
        [fixed] if family.counts_itself() => Ok(vec![fixed]),
        [fixed] => {
            // The sparser values determine the order in which features enter, and provide starting
            // points.
            let mut grid = family.grid(sample)?;
            let ascends = ascends(&grid);
            grid.retain(|&value| if ascends { value < fixed } else { value > fixed });
            grid.push(fixed);
            Ok(grid)
        }
        _ => {
            let mut values = given.to_vec();
            values.sort_by(f64::total_cmp);
            values.dedup();
            if !ascends(&family.grid(sample)?) {
                values.reverse();
            }
            Ok(values)
        }
    }
}

fn ascends(grid: &[f64]) -> bool {
    grid.first() <= grid.last()
}

/// The models of all values, each fitted from its neighbour.
fn fit_all(
    family: &dyn Family,
    sample: &Sample<'_>,
    values: &[f64],
    progress: &PathProgress,
) -> Result<Vec<Vec<SparseModel>>> {
    let mut all: Vec<Vec<SparseModel>> = Vec::with_capacity(values.len());
    for &value in values {
        let warm_start = all.last().and_then(|models| models.last());
        let models = match warm_start {
            // Every fold must have as many models as the whole sample.
            Some(last) if last.ends_path => all[all.len() - 1].clone(),
            _ => {
                let unit = progress.unit(sample.run);
                family.fit(&sample.reporting_to(&unit), value, warm_start)?
            }
        };
        all.push(models);
        progress.end_unit(sample.run)?;
    }
    Ok(all)
}

/// The number of features of a selection from a model.
fn size(sample: &Sample<'_>, model: &SparseModel) -> usize {
    let free =
        (0..sample.width()).filter(|&k| model.weights[k] != 0.0 && !sample.is_kept(k)).count();
    free + sample.run.constraints.keep.len()
}

fn last_size(sample: &Sample<'_>, models: &[SparseModel]) -> usize {
    models.last().map_or(0, |model| size(sample, model))
}

/// Models with exactly `k` features, or the next denser ones if there are none; the densest if all
/// have fewer.
fn of_size(
    path: &Path<'_>,
    sample: &Sample<'_>,
    k: usize,
    progress: &PathProgress,
) -> Result<(f64, Vec<SparseModel>)> {
    let Path { family, values, models } = path;
    let towards_dense = if ascends(values) { 2.0 } else { 0.5 };
    let unit = progress.unit(sample.run);
    let fit = |value: f64, warm_start: &[SparseModel]| -> Result<(f64, Vec<SparseModel>)> {
        let models = family.fit(&sample.reporting_to(&unit), value, warm_start.last())?;
        unit.step("looking for the number of features", 1, None)?;
        Ok((value, models))
    };
    let reached = models.iter().position(|models| last_size(sample, models) >= k);
    let place = reached.unwrap_or(values.len() - 1);
    let mut dense = (values[place], models[place].clone());
    let mut sparse = match place {
        0 => dense.0 / f64::powi(towards_dense, 10),
        _ => values[place - 1],
    };
    for _ in 0..DOUBLINGS {
        if last_size(sample, &dense.1) >= k {
            break;
        }
        sparse = dense.0;
        dense = fit(towards_dense * dense.0, &dense.1)?;
    }
    for _ in 0..HALVINGS {
        if last_size(sample, &dense.1) <= k {
            break;
        }
        let middle = fit((sparse * dense.0).sqrt(), &dense.1)?;
        if last_size(sample, &middle.1) < k {
            sparse = middle.0;
        } else {
            dense = middle;
        }
    }
    progress.end_unit(sample.run)?;
    Ok(dense)
}

/// The last model for a value, doubled until the model is not empty.
fn denser(family: &dyn Family, sample: &Sample<'_>, value: f64) -> Result<SparseModel> {
    let towards_dense = if ascends(&family.grid(sample)?) { 2.0 } else { 0.5 };
    let mut value = value;
    for _ in 0..DOUBLINGS {
        match family.fit(sample, value, None)?.pop() {
            Some(model) if !model.is_empty() => return Ok(model),
            _ => value *= towards_dense,
        }
    }
    Err(nothing_ranks())
}

/// The error for a model without features.
pub(super) fn nothing_ranks() -> Error {
    Error::nothing_selected(
        "the model uses no feature",
        remedy![
            "let the method tune its parameter, ask for a number of features with ",
            K,
            ", or give other values"
        ],
    )
}
