//! The ranker's settings, tuned once with all features and used in every cell.
//!
//! Every fold of the first divisions of the queries is held out once. A grid is decided by the mean
//! value over the folds. The number of trees is the median number at which training with early
//! stopping has the best value on the held-out fold. The best setting on a few queries is mostly
//! noise: if every training set had its own, comparisons of sets would be as noisy. The settings
//! see held-out queries, but only through models of all features, which favours all features.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::AutoSelector;
use super::cell::CellQueries;
use crate::data::FeatureId;
use crate::engine::{Engine, PartEngine};
use crate::error::{Error, Result};
use crate::rank::Model;
use crate::rank::tune::{Settings, TrialOutcome, combinations, declared_grid, is_better, tune};
use crate::run::Run;
use crate::select::subsets::{Split, SubsetTrainer, TrainingProgress};

/// The most divisions of the queries that the number of trees is determined on.
const DIVISIONS: usize = 3;

/// Tunes the settings that the user left open.
pub struct RankerTuning<'a> {
    pub auto: &'a AutoSelector,
    pub run: &'a Run,
    pub engine: &'a dyn Engine,
    /// All features that the ranker can use.
    pub features: &'a [FeatureId],
}

impl RankerTuning<'_> {
    /// The settings with the best values on held-out folds of these divisions.
    pub fn settings(&self, divisions: &[CellQueries]) -> Result<Settings> {
        let (fixed, is_open) = self.auto.settings();
        if self.auto.counts_trees() {
            return self.with_trees(fixed, &divisions[..divisions.len().min(DIVISIONS)]);
        }
        match is_open {
            true if !declared_grid(self.auto.ranker, &fixed).is_empty() => {
                self.best_of_grid(fixed, &divisions[0])
            }
            _ => Ok(fixed),
        }
    }

    /// Every fold of a division, held out.
    fn folds(&self, division: &CellQueries) -> Vec<CellQueries> {
        let held_out = |fold| CellQueries { fold, ..division.clone() };
        (0..division.folds).map(held_out).collect()
    }

    /// The split that holds out a fold, which also stops training early.
    fn split(&self, settings: &Settings, queries: &CellQueries) -> Result<Split<'_>> {
        let ranker = self.auto.ranker_with(settings)?;
        let (train, held_out) = (queries.training_sample(), queries.test_sample());
        let held_out = || PartEngine::of(self.engine, held_out.clone());
        let train = PartEngine::of(self.engine, train)?;
        Split::new(ranker.as_ref(), train, Some(&held_out()?), held_out()?, self.features)
    }

    fn with_trees(&self, mut settings: Settings, divisions: &[CellQueries]) -> Result<Settings> {
        let ranker = self.auto.ranker_with(&settings)?;
        let quiet = self.run.quiet();
        let (subset, progress) = ([self.features.to_vec()], TrainingProgress::new(&quiet));
        let folds = divisions.iter().map(|one| one.folds as u64).sum();
        let done = AtomicU64::new(0);
        self.run.step("tuning the ranker", 0, Some(folds))?;
        let trees = |queries: &CellQueries| -> Result<usize> {
            let split = self.split(&settings, queries)?;
            let trainer =
                SubsetTrainer::new(&progress, ranker.as_ref(), &self.auto.measure, &split)?;
            let models = trainer.fit(&subset)?.into_models(&self.engine.schema().features);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            self.run.step("tuning the ranker", done, Some(folds))?;
            Ok(models.iter().map(Model::trees).sum())
        };
        let cells: Vec<CellQueries> = divisions.iter().flat_map(|one| self.folds(one)).collect();
        let mut counts: Vec<usize> = cells.par_iter().map(trees).collect::<Result<_>>()?;
        counts.sort_unstable();
        settings.retain(|(name, _)| name != "trees" && name != "patience");
        settings.push(("trees".to_owned(), counts[counts.len() / 2].max(1).to_string()));
        Ok(settings)
    }

    fn best_of_grid(&self, fixed: Settings, division: &CellQueries) -> Result<Settings> {
        let folds = self.folds(division);
        let values: Vec<Vec<GridValue>> =
            folds.par_iter().map(|fold| self.grid_values(&fixed, fold)).collect::<Result<_>>()?;
        let grid = combinations(&declared_grid(self.auto.ranker, &fixed));
        let mut best: Option<((bool, f64), Settings)> = None;
        for (place, open) in grid.into_iter().enumerate() {
            let of_folds = || values.iter().map(|fold| fold[place]);
            let value = of_folds().map(|one| one.value).sum::<f64>() / values.len() as f64;
            let known = (of_folds().all(|one| one.ranks), value);
            if best.as_ref().is_none_or(|(best, _)| is_better(known, *best)) {
                best = Some((known, [&fixed[..], &open].concat()));
            }
        }
        Ok(best.map_or(fixed, |(_, settings)| settings))
    }

    /// The value of every combination of the declared grid on a held-out fold.
    fn grid_values(&self, fixed: &Settings, queries: &CellQueries) -> Result<Vec<GridValue>> {
        let AutoSelector { ranker, measure, .. } = self.auto;
        let grid = declared_grid(ranker, fixed);
        let split = self.split(fixed, queries)?;
        if let (Some(train), Some(judge)) = (split.training_rows(), split.judge_rows()) {
            let quiet = self.run.quiet();
            let tuned = tune(ranker, fixed, &grid, &quiet, train, judge, measure)?;
            return Ok(tuned.trials.iter().map(|trial| GridValue::of(&trial.outcome)).collect());
        }
        let (subset, progress) = ([self.features.to_vec()], TrainingProgress::new(self.run));
        let value = |open: Settings| -> Result<GridValue> {
            let ranker = self.auto.ranker_with(&[&fixed[..], &open].concat())?;
            let trainer = SubsetTrainer::new(&progress, ranker.as_ref(), measure, &split)?;
            let fitted = match trainer.fit(&subset) {
                Err(Error::Numerical(_)) => return Ok(GridValue::FAILED),
                fitted => fitted?,
            };
            let value = measure.summary(&fitted.per_query()?[0]);
            let ranks = fitted.importance(0)?.iter().any(|(_, share)| *share > 0.0);
            Ok(GridValue { ranks, value })
        };
        combinations(&grid).into_iter().map(value).collect()
    }
}

/// The result of one combination of settings on one fold.
#[derive(Clone, Copy)]
struct GridValue {
    /// Whether the model's scores vary within queries.
    ranks: bool,
    value: f64,
}

impl GridValue {
    const FAILED: GridValue = GridValue { ranks: false, value: f64::NEG_INFINITY };

    fn of(outcome: &TrialOutcome) -> Self {
        match outcome {
            TrialOutcome::Value(value) => GridValue { ranks: true, value: *value },
            TrialOutcome::Constant(value) => GridValue { ranks: false, value: *value },
            TrialOutcome::Failed(_) => GridValue::FAILED,
        }
    }
}
