//! What an experiment tries: a ranker, and where wanted a selector before it, with what is fixed
//! and what validation data chooses of both.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::checkpoint::Work;
use crate::data::FeatureId;
use crate::data::folds::Fold;
use crate::engine::{Engine, LocalEngine};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::rank::RankerSpec;
use crate::rank::tune::{Grid, Outcome, Settings, Trial, Tuned, combinations, refuse_twice, tune};
use crate::run::{Constraints, Run};
use crate::select::{Selection, SelectionJob, SelectionOutcome, SelectorSpec};

/// A ranker, and the selector that chooses its features.
#[derive(Clone)]
pub struct Method {
    /// Chooses the features on training data; the ranker gets all of them where `None`.
    pub selecting: Option<Selecting>,
    /// Learns from the chosen features; `None` for the model that the selector has trained itself.
    pub ranker: Option<&'static RankerSpec>,
    /// Parameters of the ranker that are set.
    pub fixed: Settings,
    /// Parameters of the ranker that validation data chooses.
    pub grid: Grid,
}

/// A selector with its settings.
#[derive(Clone)]
pub struct Selecting {
    /// The selector.
    pub selector: &'static SelectorSpec,
    /// Parameters that are set.
    pub fixed: Settings,
    /// Parameters that validation data chooses.
    pub grid: Grid,
    /// Numbers of features that validation data chooses among; empty where the method finds its
    /// own.
    pub sizes: Vec<usize>,
}

/// One fold's selection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Selected {
    /// The selector's settings: those that were fixed, then those that won on validation data.
    pub settings: Settings,
    /// The number of features that was asked for.
    pub k: Option<usize>,
    /// How long the selection took, tuning not counted.
    pub seconds: f64,
    /// What was chosen.
    pub selection: Selection,
}

/// What learning from a fold gave.
pub(super) struct Fitted {
    /// How features were selected, where they were.
    pub selected: Option<Selected>,
    /// The model and its settings.
    pub tuned: Tuned,
    /// Seconds that selections took which were made for another ranker.
    pub borrowed: f64,
}

/// Selections that were made, so that another ranker on the same features need not wait for them
/// again.
#[derive(Debug, Clone, Default)]
pub(super) struct Selections(Arc<Mutex<Vec<(Work, Selected)>>>);

impl Selections {
    fn get(&self, work: &Work) -> Option<Selected> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|(known, _)| known == work).map(|(_, selected)| selected.clone())
    }

    fn keep(&self, work: Work, selected: Selected) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((work, selected));
    }
}

impl Method {
    /// A ranker on all features.
    pub fn ranker(ranker: &'static RankerSpec, fixed: Settings, grid: Grid) -> Self {
        Method { selecting: None, ranker: Some(ranker), fixed, grid }
    }

    /// A selector that trains a model while it selects, and that model.
    pub fn own_model(selecting: Selecting) -> Self {
        Method { selecting: Some(selecting), ranker: None, fixed: Vec::new(), grid: Vec::new() }
    }

    /// The same on features that a selector chooses.
    #[must_use]
    pub fn after(self, selecting: Selecting) -> Self {
        Method { selecting: Some(selecting), ..self }
    }

    /// Selects and learns from a fold's training part; validation data chooses the settings of
    /// both, under `measure`. The first of equals wins. A model that does not rank wins only where
    /// there is no other.
    pub(super) fn fit(
        &self,
        run: &Run,
        fold: &Fold,
        measure: &Measure,
        made: &Selections,
    ) -> Result<Fitted> {
        let Some(selecting) = &self.selecting else {
            let tuned = self.tune(run, fold, None, measure)?;
            return Ok(Fitted { selected: None, tuned, borrowed: 0.0 });
        };
        let mut best: Option<(Selected, Tuned)> = None;
        let (all, borrowed) = selecting.select(run, fold, made)?;
        for selected in all {
            let columns = selected.selection.columns(fold.train.features())?;
            let tuned = match self.ranker {
                Some(_) => self.tune(run, fold, Some(&columns), measure)?,
                None => selected.own_model(fold, measure)?,
            };
            if best.as_ref().is_none_or(|(_, best)| worth(&tuned) > worth(best)) {
                best = Some((selected, tuned));
            }
        }
        let (selected, tuned) = best.ok_or_else(|| {
            Error::invalid("grid of a selector", "empty", "at least one value for every parameter")
        })?;
        Ok(Fitted { selected: Some(selected), tuned, borrowed })
    }

    fn tune(
        &self,
        run: &Run,
        fold: &Fold,
        columns: Option<&[FeatureId]>,
        measure: &Measure,
    ) -> Result<Tuned> {
        let (mut train, mut valid) = (fold.train.view(), fold.valid.view());
        if let Some(columns) = columns {
            (train, valid) = (train.with_features(columns), valid.with_features(columns));
        }
        let ranker = self
            .ranker
            .ok_or_else(|| Error::invalid("method", "no ranker", "a ranker or a selector"))?;
        tune(ranker, &self.fixed, &self.grid, run, &train, &valid, measure)
    }
}

impl Selected {
    /// The model that the selector has trained, with the settings that it found for itself.
    fn own_model(&self, fold: &Fold, measure: &Measure) -> Result<Tuned> {
        let Some(model) = self.selection.model.clone() else {
            return Err(Error::plan(
                format!("{} trains no model", self.selection.method),
                "use an embedded method, or name a ranker",
            ));
        };
        let valid = fold.valid.view();
        let value = measure.summary(&measure.per_query(&model.score(&valid)?, &valid));
        let chosen =
            self.selection.fits.iter().filter(|fit| fit.chosen).flat_map(|fit| &fit.settings);
        let settings: Settings =
            chosen.map(|(name, value)| (name.clone(), value.to_string())).collect();
        let trials = vec![Trial { settings: settings.clone(), outcome: Outcome::Value(value) }];
        Ok(Tuned { model, settings, value, trials })
    }
}

/// What validation data says: first whether the model ranks at all, then its value.
fn worth(tuned: &Tuned) -> (bool, f64) {
    (tuned.trials.iter().any(|trial| matches!(trial.outcome, Outcome::Value(_))), tuned.value)
}

impl Selecting {
    /// A selection for every combination of the grid and of the sizes, all from training data;
    /// methods that tune themselves do so on validation data. With the seconds that those took
    /// which were there already.
    pub(super) fn select(
        &self,
        run: &Run,
        fold: &Fold,
        made: &Selections,
    ) -> Result<(Vec<Selected>, f64)> {
        refuse_twice(&self.fixed, &self.grid)?;
        let threads = rayon::current_num_threads();
        let engine =
            LocalEngine::new(fold.train.clone(), threads)?.observed_by(run.observer.clone());
        let sizes = match &self.sizes[..] {
            [] => vec![run.constraints.k],
            sizes => sizes.iter().copied().map(Some).collect(),
        };
        let valid: Arc<dyn Engine> = Arc::new(LocalEngine::new(fold.valid.clone(), threads)?);
        let (mut all, mut borrowed) = (Vec::new(), 0.0);
        for tried in combinations(&self.grid) {
            let settings = [&self.fixed[..], &tried].concat();
            for &k in &sizes {
                let constraints = Constraints { k, ..run.constraints.clone() };
                let run = Run { constraints, valid: Some(valid.clone()), ..run.clone() };
                let job = SelectionJob::new(self.selector, settings.clone(), run);
                let identity = job.identity(&engine)?;
                if let Some(selected) = made.get(&identity) {
                    borrowed += selected.seconds;
                    all.push(selected);
                    continue;
                }
                let SelectionOutcome { selection, seconds, .. } = job.run(&engine)?;
                let selected = Selected { settings: settings.clone(), k, seconds, selection };
                made.keep(identity, selected.clone());
                all.push(selected);
            }
        }
        Ok((all, borrowed))
    }
}
