//! A method of an experiment: a ranker, optionally after a selector, with fixed parameters and
//! grids to tune on validation data.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::checkpoint::Work;
use crate::data::FeatureId;
use crate::data::folds::Fold;
use crate::engine::{Engine, LocalEngine};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::rank::RankerSpec;
use crate::rank::tune::{
    Grid, Settings, Trial, TrialOutcome, Tuned, combinations, refuse_twice, tune,
};
use crate::run::{Constraints, Run};
use crate::select::{Selection, SelectionJob, SelectionOutcome, SelectorSpec};

/// A ranker, and the selector of its features.
#[derive(Clone)]
pub struct ComparedMethod {
    /// Selects the features on training data; `None` for all features.
    pub selecting: Option<ConfiguredSelector>,
    /// The ranker; `None` for the model that the selector trains itself.
    pub ranker: Option<&'static RankerSpec>,
    /// Fixed parameters of the ranker.
    pub fixed: Settings,
    /// Parameters of the ranker to tune on validation data.
    pub grid: Grid,
}

/// A selector with its parameters.
#[derive(Clone)]
pub struct ConfiguredSelector {
    /// The selector.
    pub selector: &'static SelectorSpec,
    /// Fixed parameters.
    pub fixed: Settings,
    /// Parameters to tune on validation data.
    pub grid: Grid,
    /// Numbers of features to choose from on validation data; empty if the method decides.
    pub sizes: Vec<usize>,
}

/// The selection of a fold.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FoldSelection {
    /// The parameters of the selector: the fixed ones, then the tuned ones.
    pub settings: Settings,
    /// The requested number of features.
    pub k: Option<usize>,
    /// Duration of the selection, without tuning.
    pub seconds: f64,
    /// The selection.
    pub selection: Selection,
}

/// The result of fitting a method on a fold.
pub(super) struct FittedMethod {
    /// The selection, if the method has a selector.
    pub selected: Option<FoldSelection>,
    /// The model and its parameters.
    pub tuned: Tuned,
    /// Duration of the selections that were reused from another ranker.
    pub borrowed: f64,
}

/// Caches selections, so that several rankers can share them.
#[derive(Debug, Clone, Default)]
pub(super) struct SelectionCache(Arc<Mutex<Vec<(Work, FoldSelection)>>>);

impl SelectionCache {
    fn get(&self, work: &Work) -> Option<FoldSelection> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|(known, _)| known == work).map(|(_, selected)| selected.clone())
    }

    fn insert(&self, work: Work, selected: FoldSelection) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((work, selected));
    }
}

impl ComparedMethod {
    /// A ranker on all features.
    pub fn ranker(ranker: &'static RankerSpec, fixed: Settings, grid: Grid) -> Self {
        ComparedMethod { selecting: None, ranker: Some(ranker), fixed, grid }
    }

    /// A selector that trains a model while it selects, and that model.
    pub fn own_model(selecting: ConfiguredSelector) -> Self {
        ComparedMethod {
            selecting: Some(selecting),
            ranker: None,
            fixed: Vec::new(),
            grid: Vec::new(),
        }
    }

    /// The same method on the features that a selector selects.
    #[must_use]
    pub fn after(self, selecting: ConfiguredSelector) -> Self {
        ComparedMethod { selecting: Some(selecting), ..self }
    }

    /// Selects and trains on the training part of a fold; the parameters of both are chosen by
    /// `measure` on validation data. The first of equals wins. A model with constant scores wins
    /// only if there is no other.
    pub(super) fn fit(
        &self,
        run: &Run,
        fold: &Fold,
        measure: &Measure,
        cache: &SelectionCache,
    ) -> Result<FittedMethod> {
        let Some(selecting) = &self.selecting else {
            let tuned = self.tune(run, fold, None, measure)?;
            return Ok(FittedMethod { selected: None, tuned, borrowed: 0.0 });
        };
        let mut best: Option<(FoldSelection, Tuned)> = None;
        let parts = 1 + u64::from(self.ranker.is_some());
        let (all, borrowed) = selecting.select(&run.within("selecting", 0, parts), fold, cache)?;
        if all.len() > 1 {
            measure.check_varies("validation data", &fold.valid.view())?;
        }
        let (tuning, total) = (run.within("training", 1, parts), all.len() as u64);
        for (selected, done) in all.into_iter().zip(0..) {
            let run = &tuning.within("training", done, total);
            let columns = selected.selection.columns(fold.train.features())?;
            let tuned = match self.ranker {
                Some(_) => self.tune(run, fold, Some(&columns), measure)?,
                None => selected.own_model(fold, measure)?,
            };
            if best
                .as_ref()
                .is_none_or(|(_, best)| validation_order(&tuned) > validation_order(best))
            {
                best = Some((selected, tuned));
            }
        }
        let (selected, tuned) = best.ok_or_else(|| {
            Error::invalid("grid of a selector", "empty", "at least one value for every parameter")
        })?;
        Ok(FittedMethod { selected: Some(selected), tuned, borrowed })
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

impl FoldSelection {
    /// The model trained by the selector, with the parameters that it chose.
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
        let trials =
            vec![Trial { settings: settings.clone(), outcome: TrialOutcome::Value(value) }];
        Ok(Tuned { model, settings, value, trials })
    }
}

/// Orders models on validation data: first whether the scores vary at all, then the value.
fn validation_order(tuned: &Tuned) -> (bool, f64) {
    (tuned.trials.iter().any(|trial| matches!(trial.outcome, TrialOutcome::Value(_))), tuned.value)
}

impl ConfiguredSelector {
    /// A selection on training data for every combination of the grid and the sizes; methods that
    /// tune themselves use the validation data. Also returns the duration of cached selections.
    pub(super) fn select(
        &self,
        run: &Run,
        fold: &Fold,
        cache: &SelectionCache,
    ) -> Result<(Vec<FoldSelection>, f64)> {
        refuse_twice(&self.fixed, &self.grid)?;
        let threads = rayon::current_num_threads();
        let engine =
            LocalEngine::new(fold.train.clone(), threads)?.observed_by(run.observer.clone());
        let sizes = match &self.sizes[..] {
            [] => vec![run.constraints.k],
            sizes => sizes.iter().copied().map(Some).collect(),
        };
        let valid = LocalEngine::new(fold.valid.clone(), threads)?;
        let valid: Arc<dyn Engine> = Arc::new(valid.observed_by(run.observer.clone()));
        let (mut all, mut borrowed) = (Vec::new(), 0.0);
        let combinations = combinations(&self.grid);
        let total = (combinations.len() * sizes.len()) as u64;
        for tried in combinations {
            let settings = [&self.fixed[..], &tried].concat();
            for &k in &sizes {
                let constraints = Constraints { k, ..run.constraints.clone() };
                let run = run.within("selecting", all.len() as u64, total);
                let run = Run { constraints, valid: Some(valid.clone()), ..run };
                let job = SelectionJob::new(self.selector, settings.clone(), run);
                let identity = job.identity(&engine)?;
                if let Some(selected) = cache.get(&identity) {
                    borrowed += selected.seconds;
                    all.push(selected);
                    continue;
                }
                let SelectionOutcome { selection, seconds, .. } = job.run(&engine)?;
                let selected = FoldSelection { settings: settings.clone(), k, seconds, selection };
                cache.insert(identity, selected.clone());
                all.push(selected);
            }
        }
        Ok((all, borrowed))
    }
}
