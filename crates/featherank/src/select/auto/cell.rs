//! One cell of repeated cross-fitting: methods order the features on the training queries of one
//! fold of one repetition, the ranker is trained on the first features of each order, and the held-
//! out queries measure it. Held-out queries influence no choice of the cell.
//!
//! The queries of a repetition are divided into folds², so that each training set can hold out parts
//! of itself, which tune the ranker's settings. The number of trees is the median over several such
//! parts, each of which stops the training of a model of all features early; then rankers are
//! trained on the whole training set. The best number of trees on a few queries is mostly luck: if
//! every set had its own, the comparison of sets would be as noisy. Rankers with early stopping
//! that have no number of trees keep one part for it.

use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::portfolio::{self, Proposer};
use super::sizes::{CostCap, Size, by_importance_per_cost};
use super::{AutoBaseline, AutoSelector};
use crate::data::{FeatureId, View};
use crate::engine::passes::{FeatureMeasures, Moments, feature_means};
use crate::engine::{Ask, Engine, LocalEngine, PartEngine, QueryFolds, QuerySample};
use crate::error::Result;
use crate::measure::counted;
use crate::measure::risk::mean_baseline;
use crate::rank::tune::{Settings, combinations, declared_grid, is_better, tune};
use crate::rank::{Model, Ranker};
use crate::run::{Constraints, Run};
use crate::select::subsets::{Split, SubsetTrainer, TrainingProgress};

/// The division of the queries of one repetition, and the fold that is held out.
#[derive(Clone)]
pub struct CellQueries {
    /// The queries in folds × folds parts, and those outside the sample in further parts.
    pub parts: QueryFolds,
    pub folds: usize,
    pub fold: usize,
    /// Whether the fold is held out; otherwise all queries are used for training.
    pub holds_out: bool,
}

impl CellQueries {
    fn is_test(&self, part: usize) -> bool {
        self.holds_out && part / self.folds == self.fold
    }

    /// Whether a part belongs to one of the `folds` parts of the training set that tune settings.
    fn is_tuning(&self, part: usize, which: usize) -> bool {
        part % self.folds == which && !self.is_test(part)
    }

    fn sample(&self, is_in: impl Fn(usize) -> bool) -> QuerySample {
        self.parts.sample(|part| part < self.folds * self.folds && is_in(part))
    }
}

/// The engines of one cell.
pub struct Cell<'a> {
    engine: &'a dyn Engine,
    queries: CellQueries,
    /// Each trains without one part that tunes settings, and evaluates on it.
    tuning: Vec<Split<'a>>,
    /// Trains for the held-out queries, and evaluates on them.
    pub split: Split<'a>,
}

impl<'a> Cell<'a> {
    /// For subsets of `features`.
    pub fn new(
        auto: &AutoSelector,
        engine: &'a dyn Engine,
        queries: CellQueries,
        features: &[FeatureId],
    ) -> Result<Self> {
        let ranker = auto.ranker_with(&auto.settings().0)?;
        let part = |is_in: &dyn Fn(usize) -> bool| PartEngine::of(engine, queries.sample(is_in));
        let ranker = ranker.as_ref();
        let of_tuning = |which: usize| -> Result<_> {
            let train = part(&|part| !queries.is_test(part) && !queries.is_tuning(part, which))?;
            Ok((train, part(&|part| queries.is_tuning(part, which))?))
        };
        let tuning_split = |which: usize| -> Result<Split<'a>> {
            let ((train, stop), (_, judge)) = (of_tuning(which)?, of_tuning(which)?);
            Split::new(ranker, train, Some(&stop), judge, features)
        };
        let parts = if auto.counts_trees() { queries.folds } else { 1 };
        let tuning: Vec<Split<'a>> = (0..parts).map(tuning_split).collect::<Result<_>>()?;
        let judge = match queries.holds_out {
            true => part(&|part| queries.is_test(part))?,
            false => of_tuning(0)?.1,
        };
        let split = match auto.stops_early() && !auto.counts_trees() {
            true => {
                let (train, stop) = of_tuning(0)?;
                Split::new(ranker, train, Some(&stop), judge, features)?
            }
            false => {
                let whole = part(&|part| !queries.is_test(part))?;
                Split::new(ranker, whole, None, judge, features)?
            }
        };
        Ok(Cell { engine, queries, tuning, split })
    }
}

/// The results of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellResult {
    /// The ranker's settings.
    pub settings: Settings,
    /// The held-out queries, as places of the data.
    pub queries: Vec<usize>,
    /// The measure of all features on each of them.
    pub all: Vec<Option<f64>>,
    /// The measure of the risk baseline on each of them.
    pub baseline: Vec<Option<f64>>,
    /// For each method, the result of each size.
    pub tried: Vec<Vec<TriedSet>>,
}

/// The set of one method and size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriedSet {
    /// Its features, by column.
    pub set: Vec<FeatureId>,
    /// Its measure on each held-out query.
    pub per_query: Vec<Option<f64>>,
}

/// Runs methods and rankers on one cell.
pub struct CellRunner<'a> {
    auto: &'a AutoSelector,
    run: &'a Run,
    cell: &'a Cell<'a>,
    /// Features that may be chosen, by column.
    features: &'a [FeatureId],
    progress: TrainingProgress<'a>,
}

impl<'a> CellRunner<'a> {
    pub fn new(
        auto: &'a AutoSelector,
        run: &'a Run,
        cell: &'a Cell<'a>,
        features: &'a [FeatureId],
    ) -> Self {
        CellRunner { auto, run, cell, features, progress: TrainingProgress::new(run) }
    }

    /// Trains the ranker on all features, and on the sets of every method and size.
    pub fn run(
        &self,
        all: &[FeatureId],
        proposers: &[Proposer],
        sizes: &[Size],
    ) -> Result<CellResult> {
        let settings = self.tuned(all)?;
        let ranker = self.auto.ranker_with(&settings)?;
        let trainer = self.trainer(ranker.as_ref())?;
        let whole = [all.to_vec()];
        let fitted = trainer.fit(&whole)?;
        let of_all = counted(&fitted.per_query()?[0]);
        let mut left = self.by_importance(fitted.importance(0)?);
        let orders = proposers.iter().map(|&proposer| self.order(proposer));
        let orders: Vec<Vec<FeatureId>> = orders.collect::<Result<_>>()?;
        let mut tried = vec![Vec::with_capacity(sizes.len()); proposers.len()];
        for &size in sizes {
            let cap = CostCap::new(&self.run.constraints, size);
            let set = |(proposer, order): (&Proposer, &Vec<FeatureId>)| match proposer {
                Proposer::Elimination => cap.take(&left),
                Proposer::Order(_) => cap.take(order),
            };
            let sets: Vec<Vec<FeatureId>> =
                proposers.iter().zip(&orders).map(set).map(sorted).collect();
            if sets.iter().all(|set| set == all) {
                for (tried, set) in tried.iter_mut().zip(sets) {
                    tried.push(TriedSet { set, per_query: of_all.clone() });
                }
                continue;
            }
            // Methods may propose the same set, which is trained once.
            let mut different = sets.clone();
            different.sort_unstable();
            different.dedup();
            let place = |set: &Vec<FeatureId>| different.partition_point(|other| other < set);
            let fitted = trainer.fit(&different)?;
            let judged = fitted.per_query()?;
            for (tried, (proposer, set)) in tried.iter_mut().zip(proposers.iter().zip(&sets)) {
                let place = place(set);
                if matches!(proposer, Proposer::Elimination) {
                    left = self.by_importance(fitted.importance(place)?);
                }
                tried.push(TriedSet { set: set.clone(), per_query: counted(&judged[place]) });
            }
        }
        Ok(CellResult {
            settings,
            queries: self.cell.split.judge().places().to_vec(),
            baseline: self.baseline(&of_all)?,
            all: of_all,
            tried,
        })
    }

    /// The settings of the ranker with the best measure on the tuning queries.
    pub fn tuned(&self, all: &[FeatureId]) -> Result<Settings> {
        let AutoSelector { ranker, measure, .. } = self.auto;
        let (fixed, is_open) = self.auto.settings();
        if self.auto.counts_trees() {
            return self.with_trees(fixed, all);
        }
        let grid = if is_open { declared_grid(ranker, &fixed) } else { Vec::new() };
        if grid.is_empty() {
            return Ok(fixed);
        }
        let tuning = &self.cell.tuning[0];
        if let Some(view) = tuning.training_rows() {
            let validate: View<'_> = view.with_queries(tuning.judge().places().to_vec());
            return Ok(tune(ranker, &fixed, &grid, self.run, view, &validate, measure)?.settings);
        }
        let (subset, mut best) = ([all.to_vec()], None);
        for settings in combinations(&grid) {
            let settings = [&fixed[..], &settings].concat();
            let ranker = self.auto.ranker_with(&settings)?;
            let trainer = SubsetTrainer::new(&self.progress, ranker.as_ref(), measure, tuning)?;
            let fitted = trainer.fit(&subset)?;
            let value = measure.summary(&fitted.per_query()?[0]);
            let ranks = fitted.importance(0)?.iter().any(|(_, share)| *share > 0.0);
            if best.as_ref().is_none_or(|(best, _)| is_better((ranks, value), *best)) {
                best = Some(((ranks, value), settings));
            }
        }
        Ok(best.map_or(fixed, |(_, settings)| settings))
    }

    /// The settings with the median number of trees at which models of all features stop early.
    fn with_trees(&self, mut settings: Settings, all: &[FeatureId]) -> Result<Settings> {
        let ranker = self.auto.ranker_with(&settings)?;
        let subset = [all.to_vec()];
        let trees = |tuning: &Split<'_>| -> Result<usize> {
            let measure = &self.auto.measure;
            let trainer = SubsetTrainer::new(&self.progress, ranker.as_ref(), measure, tuning)?;
            let models = trainer.fit(&subset)?.into_models(&self.cell.engine.schema().features);
            Ok(models.iter().map(Model::trees).sum())
        };
        let mut counts: Vec<usize> =
            self.cell.tuning.par_iter().map(trees).collect::<Result<_>>()?;
        counts.sort_unstable();
        settings.retain(|(name, _)| name != "trees");
        settings.push(("trees".to_owned(), counts[counts.len() / 2].max(1).to_string()));
        Ok(settings)
    }

    /// The order in which a selector takes all features that may be chosen; empty for elimination.
    pub fn order(&self, proposer: Proposer) -> Result<Vec<FeatureId>> {
        let Proposer::Order(spec) = proposer else { return Ok(Vec::new()) };
        let Cell { engine, queries, .. } = self.cell;
        let tuning = &self.cell.tuning[0];
        let settings =
            portfolio::settings(spec, &self.auto.measure, &engine.schema().label_frequencies())?;
        // Subsets are cut from the order later; here no limit applies.
        let constraints =
            Constraints { k: None, budget: None, keep: Vec::new(), ..self.run.constraints.clone() };
        let run = Run {
            constraints,
            valid: None,
            checkpoint: None,
            best_so_far: false,
            ..self.run.clone()
        };
        let takes_rows = tuning.training_rows().is_some() || !spec.data_access(&[])?.is_passes();
        let selection = match engine.local().filter(|_| takes_rows) {
            Some(data) => {
                let part = |queries: &[usize]| -> Result<LocalEngine> {
                    Ok(LocalEngine::new(data.subset(queries), 0)?
                        .observed_by(self.run.observer.clone()))
                };
                let valid: Arc<dyn Engine> = Arc::new(part(tuning.judge().places())?);
                let train = part(tuning.train().places())?;
                spec.run(&settings, &Run { valid: Some(valid), ..run }, &train)?
            }
            None => {
                let train = PartEngine::of(*engine, queries.sample(|part| !queries.is_test(part)))?;
                spec.run(&settings, &run, &train)?
            }
        };
        let table = &engine.schema().features;
        let column = |step: &crate::select::PathStep| table.resolve(&step.feature.to_string());
        let mut order: Vec<FeatureId> = selection.path.iter().map(column).collect::<Result<_>>()?;
        // Features that the method cannot use, or not on these queries, come last.
        let rest = self.features.iter().filter(|f| !order.contains(f)).copied().collect::<Vec<_>>();
        order.extend(rest);
        order.retain(|f| self.features.contains(f));
        Ok(order)
    }

    /// The importance of each feature of a set that may be chosen, as shares of 1.
    pub fn importance(
        &self,
        ranker: &dyn Ranker,
        set: &[FeatureId],
    ) -> Result<Vec<(FeatureId, f64)>> {
        let trainer = self.trainer(ranker)?;
        trainer.fit(&[set.to_vec()])?.importance(0)
    }

    fn trainer<'t>(&'t self, ranker: &'t dyn Ranker) -> Result<SubsetTrainer<'t>> {
        SubsetTrainer::new(&self.progress, ranker, &self.auto.measure, &self.cell.split)
    }

    /// The features that may be chosen by importance divided by cost, highest first.
    fn by_importance(&self, mut importance: Vec<(FeatureId, f64)>) -> Vec<FeatureId> {
        importance.retain(|(f, _)| self.features.contains(f));
        by_importance_per_cost(&self.run.constraints, &importance)
    }

    /// The measure of the risk baseline on each held-out query.
    fn baseline(&self, all: &[Option<f64>]) -> Result<Vec<Option<f64>>> {
        let measure = &self.auto.measure;
        let (train, judge): (&dyn Engine, &dyn Engine) =
            (self.cell.split.train(), self.cell.split.judge());
        let alone = |features: &[FeatureId]| -> Result<Vec<Vec<f64>>> {
            Ok(judge.ask(&FeatureMeasures::new(measure, features))?.per_query)
        };
        // Query-level features rank nothing alone.
        let (ranking, _) = self.cell.engine.ask(&Moments)?.varying_within_queries();
        let single: Vec<FeatureId> =
            self.features.iter().copied().filter(|f| ranking.contains(f)).collect();
        match self.auto.baseline {
            AutoBaseline::Full => Ok(all.to_vec()),
            AutoBaseline::Mean => Ok(counted(&mean_baseline(&alone(&single)?))),
            AutoBaseline::BestFeature => {
                let values = feature_means(train, measure, &single)?;
                let known = single.iter().zip(&values);
                let best = known.max_by(|(f, a), (g, b)| a.total_cmp(b).then(g.cmp(f)));
                best.map_or_else(|| Ok(all.to_vec()), |(&f, _)| Ok(counted(&alone(&[f])?.concat())))
            }
        }
    }
}

fn sorted(mut set: Vec<FeatureId>) -> Vec<FeatureId> {
    set.sort_unstable();
    set
}
