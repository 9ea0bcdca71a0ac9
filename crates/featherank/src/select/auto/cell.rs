//! One cell of repeated cross-fitting: methods order the features on the training queries of one
//! fold of one repetition, the ranker is trained on the first features of each order, and the held-
//! out queries measure it. Held-out queries influence no choice of the cell.
//!
//! The queries of a repetition are divided into folds², so that rankers with early stopping whose
//! number of trees cannot be fixed beforehand can hold out a part of each training set.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::portfolio::{self, Proposer};
use super::racing::OpenCandidates;
use super::sizes::{CostCap, Size, by_importance_per_cost};
use super::{AutoBaseline, AutoSelector};
use crate::data::FeatureId;
use crate::engine::passes::{FeatureMeasures, Moments, feature_means};
use crate::engine::{Ask, Engine, LocalEngine, PartEngine, QueryFolds, QuerySample};
use crate::error::Result;
use crate::measure::counted;
use crate::measure::risk::mean_baseline;
use crate::rank::Ranker;
use crate::run::{Constraints, Run};
use crate::select::subsets::{Split, SubsetTrainer, TrainingProgress};

/// The division of the queries of one repetition, and the fold that is held out.
#[derive(Clone)]
pub struct CellQueries {
    /// The queries in folds × folds parts, and those outside the sample in further parts.
    pub parts: QueryFolds,
    pub folds: usize,
    pub fold: usize,
}

impl CellQueries {
    /// The queries that the ranker is trained on.
    pub fn training_sample(&self) -> QuerySample {
        self.sample(|part| !self.is_test(part))
    }

    /// The held-out queries.
    pub fn test_sample(&self) -> QuerySample {
        self.sample(|part| self.is_test(part))
    }

    /// The part of the training queries that stops training early.
    fn stopping_sample(&self) -> QuerySample {
        self.sample(|part| self.is_stopping(part))
    }

    fn is_test(&self, part: usize) -> bool {
        part / self.folds == self.fold
    }

    fn is_stopping(&self, part: usize) -> bool {
        part.is_multiple_of(self.folds) && !self.is_test(part)
    }

    fn sample(&self, is_in: impl Fn(usize) -> bool) -> QuerySample {
        self.parts.sample(|part| part < self.folds * self.folds && is_in(part))
    }
}

/// The engines of one cell.
pub struct Cell<'a> {
    engine: &'a dyn Engine,
    queries: CellQueries,
    /// Trains for the held-out queries, and evaluates on them.
    pub split: Split<'a>,
}

impl<'a> Cell<'a> {
    /// For a ranker and subsets of `features`.
    pub fn new(
        auto: &AutoSelector,
        ranker: &dyn Ranker,
        engine: &'a dyn Engine,
        queries: CellQueries,
        features: &[FeatureId],
    ) -> Result<Self> {
        let part = |sample: QuerySample| PartEngine::of(engine, sample);
        let judge = part(queries.test_sample())?;
        let split = match auto.stops_early() && !auto.counts_trees() {
            true => {
                let train =
                    queries.sample(|part| !queries.is_test(part) && !queries.is_stopping(part));
                let stopping = part(queries.stopping_sample())?;
                Split::new(ranker, part(train)?, Some(&stopping), judge, features)?
            }
            false => Split::new(ranker, part(queries.training_sample())?, None, judge, features)?,
        };
        Ok(Cell { engine, queries, split })
    }
}

/// The results of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellResult {
    /// The held-out queries, as places of the data.
    pub queries: Vec<usize>,
    /// The measure of all features on each of them.
    pub all: Vec<Option<f64>>,
    /// The measure of the risk baseline on each of them.
    pub baseline: Vec<Option<f64>>,
    /// For each method, the result of each size; `None` for candidates that were not tried again.
    pub tried: Vec<Vec<Option<TriedSet>>>,
}

impl CellResult {
    /// Whether these can be the results of so many methods and sizes on this many queries, with
    /// sets of these features. Checkpoints may have been edited.
    pub fn fits(
        &self,
        methods: usize,
        sizes: usize,
        queries: usize,
        features: &[FeatureId],
    ) -> bool {
        let held_out = self.queries.len();
        let is_increasing = self.queries.windows(2).all(|two| two[0] < two[1]);
        let fits = |tried: &TriedSet| {
            tried.per_query.len() == held_out
                && tried.set.windows(2).all(|two| two[0] < two[1])
                && tried.set.iter().all(|f| features.contains(f))
        };
        is_increasing
            && self.queries.last().is_none_or(|&last| last < queries)
            && self.all.len() == held_out
            && self.baseline.len() == held_out
            && self.tried.len() == methods
            && self.tried.iter().all(|of_method| of_method.len() == sizes)
            && self.tried.iter().flatten().flatten().all(fits)
    }
}

/// The set of one method and size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TriedSet {
    /// Its features, by column.
    pub set: Vec<FeatureId>,
    /// Its measure on each held-out query.
    pub per_query: Vec<Option<f64>>,
}

/// The progress of all cells together, in trained sets.
pub struct CrossFitting<'a> {
    run: &'a Run,
    done: AtomicU64,
    total: AtomicU64,
}

impl<'a> CrossFitting<'a> {
    /// Nothing has been trained or planned yet.
    pub fn new(run: &'a Run) -> Self {
        CrossFitting { run, done: AtomicU64::new(0), total: AtomicU64::new(0) }
    }

    /// Plans to train so many further sets, instead of what was planned before; an earlier run has
    /// trained some of them.
    pub fn plan(&self, sets: usize, trained: usize) -> Result<()> {
        let total = self.done.load(Ordering::Relaxed) + sets as u64;
        self.total.store(total, Ordering::Relaxed);
        self.advance(trained)
    }

    /// Reports that so many further sets are trained; fails if the run was stopped.
    fn advance(&self, sets: usize) -> Result<()> {
        let done = self.done.fetch_add(sets as u64, Ordering::Relaxed) + sets as u64;
        self.run.step("cross-fitting", done, Some(self.total.load(Ordering::Relaxed)))
    }
}

/// Runs methods and rankers on one cell.
pub struct CellRunner<'a> {
    auto: &'a AutoSelector,
    run: &'a Run,
    cell: &'a Cell<'a>,
    /// Features that may be chosen, by column.
    features: &'a [FeatureId],
    progress: &'a CrossFitting<'a>,
}

impl<'a> CellRunner<'a> {
    pub fn new(
        auto: &'a AutoSelector,
        run: &'a Run,
        cell: &'a Cell<'a>,
        features: &'a [FeatureId],
        progress: &'a CrossFitting<'a>,
    ) -> Self {
        CellRunner { auto, run, cell, features, progress }
    }

    /// Trains the ranker on all features, and on the sets of the open candidates.
    pub fn run(
        &self,
        ranker: &dyn Ranker,
        all: &[FeatureId],
        proposers: &[Proposer],
        sizes: &[Size],
        open: &OpenCandidates,
    ) -> Result<CellResult> {
        // Steps of single rankers are not reported.
        let quiet = self.run.quiet();
        let training = TrainingProgress::new(&quiet);
        let trainer = SubsetTrainer::new(&training, ranker, &self.auto.measure, &self.cell.split)?;
        let whole = [all.to_vec()];
        let fitted = trainer.fit(&whole)?;
        self.progress.advance(1)?;
        let of_all = counted(&fitted.per_query()?[0]);
        let mut left = self.by_importance(fitted.importance(0)?);
        let order = |(method, &proposer): (usize, &Proposer)| match open.any_of(method) {
            true => self.order(proposer),
            false => Ok(Vec::new()),
        };
        let orders: Vec<Vec<FeatureId>> =
            proposers.iter().enumerate().map(order).collect::<Result<_>>()?;
        let mut tried = vec![Vec::with_capacity(sizes.len()); proposers.len()];
        for (place, &size) in sizes.iter().enumerate() {
            let cap = CostCap::new(&self.run.constraints, size);
            // Elimination passes through every size above the smallest that is tried.
            let set =
                |(method, (proposer, order)): (usize, (&Proposer, &Vec<FeatureId>))| match proposer
                {
                    Proposer::Elimination => {
                        open.reaches(method, place).then(|| sorted(cap.take(&left)))
                    }
                    Proposer::Order(_) => open.has(method, place).then(|| sorted(cap.take(order))),
                };
            let sets: Vec<Option<Vec<FeatureId>>> =
                proposers.iter().zip(&orders).enumerate().map(set).collect();
            // Methods may propose the same set, which is trained once.
            let mut different: Vec<Vec<FeatureId>> =
                sets.iter().flatten().filter(|set| *set != all).cloned().collect();
            different.sort_unstable();
            different.dedup();
            let fitted = trainer.fit(&different)?;
            let judged = fitted.per_query()?;
            for (method, set) in sets.into_iter().enumerate() {
                let known = set.map(|set| -> Result<TriedSet> {
                    let Ok(place) = different.binary_search(&set) else {
                        return Ok(TriedSet { set, per_query: of_all.clone() });
                    };
                    if matches!(proposers[method], Proposer::Elimination) {
                        left = self.by_importance(fitted.importance(place)?);
                    }
                    Ok(TriedSet { set, per_query: counted(&judged[place]) })
                });
                tried[method].push(known.transpose()?);
            }
            self.progress.advance(open.count_of(place))?;
        }
        Ok(CellResult {
            queries: self.cell.split.judge().places().to_vec(),
            baseline: self.baseline(&of_all)?,
            all: of_all,
            tried,
        })
    }

    /// The order in which a selector takes all features that may be chosen; empty for elimination.
    pub fn order(&self, proposer: Proposer) -> Result<Vec<FeatureId>> {
        let Proposer::Order(spec) = proposer else { return Ok(Vec::new()) };
        let engine = self.cell.engine;
        let settings = portfolio::settings(spec, &self.auto.measure);
        // Subsets are cut from the order later; here no limit applies.
        let constraints =
            Constraints { k: None, budget: None, keep: Vec::new(), ..self.run.constraints.clone() };
        let run = Run {
            constraints,
            valid: None,
            checkpoint: None,
            best_so_far: false,
            ..self.run.quiet()
        };
        let train = PartEngine::of(engine, self.cell.queries.training_sample())?;
        let selection = match engine.local() {
            Some(data) => {
                let rows = data.subset(train.places());
                let rows = LocalEngine::new(rows, 0)?.observed_by(run.observer.clone());
                spec.run(&settings, &run, &rows)?
            }
            None => spec.run(&settings, &run, &train)?,
        };
        let table = &engine.schema().features;
        let column = |step: &crate::select::PathStep| table.with_id(step.feature);
        let mut order: Vec<FeatureId> = selection.path.iter().map(column).collect::<Result<_>>()?;
        // Features that the method cannot use, or not on these queries, come last.
        let rest = self.features.iter().filter(|f| !order.contains(f)).copied().collect::<Vec<_>>();
        order.extend(rest);
        order.retain(|f| self.features.contains(f));
        Ok(order)
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
