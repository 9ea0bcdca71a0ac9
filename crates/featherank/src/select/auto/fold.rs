//! One fold: methods propose subsets from the training queries, the validation queries choose the
//! best proposal, and the test queries measure it. Test queries influence no choice, so that trying
//! many methods does not bias the result.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::portfolio::Proposer;
use super::sizes::{CostCap, cost_limits};
use super::{AutoSelector, RiskBaseline};
use crate::data::{FeatureId, View};
use crate::engine::passes::{FeatureMeasures, feature_means};
use crate::engine::{Ask, Engine, LocalEngine, PartEngine, QueryFolds};
use crate::error::Result;
use crate::measure::counted;
use crate::measure::risk::mean_baseline;
use crate::rank::Ranker;
use crate::rank::tune::{Settings, combinations, declared_grid, is_better, tune};
use crate::run::{Constraints, Run};
use crate::select::subsets::{Split, SubsetTrainer, TrainingProgress};

/// The role of a query in a fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Methods and rankers are trained on it.
    Train,
    /// It chooses settings and methods.
    Validate,
    /// It measures the chosen subset.
    Test,
    /// It is outside the sample of queries.
    Unused,
}

/// The role of every query in one fold, by its part of the queries.
pub struct FoldRoles {
    pub parts: QueryFolds,
    pub of_part: Vec<Role>,
}

/// The queries of one fold.
pub struct Fold<'a> {
    engine: &'a dyn Engine,
    roles: FoldRoles,
    /// Trains on the training queries; judges on validation and test queries.
    split: Split<'a>,
}

impl<'a> Fold<'a> {
    /// For a ranker and subsets of `features`.
    pub fn new(
        engine: &'a dyn Engine,
        roles: FoldRoles,
        ranker: &dyn Ranker,
        features: &[FeatureId],
    ) -> Result<Self> {
        let part = |wanted: &[Role]| {
            PartEngine::of(engine, roles.parts.range(|part| wanted.contains(&roles.of_part[part])))
        };
        let (train, validate) = (part(&[Role::Train])?, part(&[Role::Validate])?);
        let judge = part(&[Role::Validate, Role::Test])?;
        let split = Split::new(ranker, train, Some(&validate), judge, features)?;
        Ok(Fold { engine, roles, split })
    }

    fn role(&self, query: usize) -> Role {
        self.roles.of_part[self.roles.parts.fold_of(self.engine.schema().query_keys[query])]
    }

    /// The judged queries with one role.
    pub fn judged(&self, role: Role) -> impl Iterator<Item = usize> {
        self.split.judge().places().iter().copied().filter(move |&q| self.role(q) == role)
    }

    /// Of values for all judged queries, those of the queries with one role.
    fn values(&self, role: Role, judged: &[f64]) -> Vec<f64> {
        let with_role = self.split.judge().places().iter().zip(judged);
        with_role.filter(|(q, _)| self.role(**q) == role).map(|(_, value)| *value).collect()
    }
}

/// The results of a fold before sizes are tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoldStart {
    /// The ranker's settings.
    pub settings: Settings,
    /// For each method its order of all features, best first; empty for elimination.
    pub orders: Vec<Vec<FeatureId>>,
    /// The features that elimination starts with: all, by importance per cost.
    pub left: Vec<FeatureId>,
    /// The measure of all features on each test query.
    pub all: Vec<Option<f64>>,
    /// The measure of the risk baseline on each test query.
    pub baseline: Vec<Option<f64>>,
}

/// The result of a fold for one size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoldResult {
    /// The method whose subset was best on the validation queries.
    pub method: usize,
    /// The measure of the subset of each method there.
    pub values: Vec<f64>,
    /// The cost of the best subset.
    pub cost: f64,
    /// Its number of features.
    pub features: usize,
    /// Its measure on each test query.
    pub per_query: Vec<Option<f64>>,
    /// The features that elimination has left, by importance per cost.
    pub left: Vec<FeatureId>,
}

/// Runs methods and rankers on one fold.
pub struct FoldRunner<'a> {
    auto: &'a AutoSelector,
    run: &'a Run,
    fold: &'a Fold<'a>,
    /// Features that may be chosen, by column.
    features: &'a [FeatureId],
    progress: TrainingProgress<'a>,
}

impl<'a> FoldRunner<'a> {
    pub fn new(
        auto: &'a AutoSelector,
        run: &'a Run,
        fold: &'a Fold<'a>,
        features: &'a [FeatureId],
    ) -> Self {
        FoldRunner { auto, run, fold, features, progress: TrainingProgress::new(run) }
    }

    /// Trains the ranker on all features, and gets an order of the features from every method.
    pub fn start(&self, all: &[FeatureId], proposers: &[Proposer]) -> Result<FoldStart> {
        let settings = self.tuned(all)?;
        let ranker = self.auto.ranker_with(&settings)?;
        let subset = [all.to_vec()];
        let trainer = self.trainer(ranker.as_ref())?;
        let fitted = trainer.fit(&subset)?;
        let per_query = counted(&self.fold.values(Role::Test, &fitted.per_query()?[0]));
        let mut importance = fitted.importance(0)?;
        importance.retain(|(f, _)| self.features.contains(f));
        let orders = proposers.iter().map(|&proposer| self.order(proposer));
        Ok(FoldStart {
            orders: orders.collect::<Result<_>>()?,
            left: self.by_importance_per_cost(&importance),
            settings,
            baseline: self.baseline(&per_query)?,
            all: per_query,
        })
    }

    /// The settings of the ranker that do best on the validation queries.
    fn tuned(&self, all: &[FeatureId]) -> Result<Settings> {
        let AutoSelector { ranker, measure, .. } = self.auto;
        let (fixed, is_open) = self.auto.settings();
        let grid = if is_open { declared_grid(ranker, &fixed) } else { Vec::new() };
        if grid.is_empty() {
            return Ok(fixed);
        }
        if let Some(view) = self.fold.split.training_rows() {
            let validate: Vec<usize> = self.fold.judged(Role::Validate).collect();
            let validate: View<'_> = view.with_queries(validate);
            return Ok(tune(ranker, &fixed, &grid, self.run, view, &validate, measure)?.settings);
        }
        let (subset, mut best) = ([all.to_vec()], None);
        for settings in combinations(&grid) {
            let settings = [&fixed[..], &settings].concat();
            let ranker = self.auto.ranker_with(&settings)?;
            let trainer = self.trainer(ranker.as_ref())?;
            let fitted = trainer.fit(&subset)?;
            let value = measure.summary(&self.fold.values(Role::Validate, &fitted.per_query()?[0]));
            let ranks = fitted.importance(0)?.iter().any(|(_, share)| *share > 0.0);
            if best.as_ref().is_none_or(|(best, _)| is_better((ranks, value), *best)) {
                best = Some(((ranks, value), settings));
            }
        }
        Ok(best.map_or(fixed, |(_, settings)| settings))
    }

    /// The order in which a selector takes all features that may be chosen; empty for elimination.
    pub fn order(&self, proposer: Proposer) -> Result<Vec<FeatureId>> {
        let Proposer::Order(spec) = proposer else { return Ok(Vec::new()) };
        // Subsets are cut from the order later; here no limit applies.
        let constraints =
            Constraints { k: None, budget: None, keep: Vec::new(), ..self.run.constraints.clone() };
        let run =
            Run { constraints, valid: None, checkpoint: None, deadline: None, ..self.run.clone() };
        let takes_rows =
            self.fold.split.training_rows().is_some() || !spec.data_access(&[])?.is_passes();
        let selection = match self.fold.engine.local().filter(|_| takes_rows) {
            Some(data) => {
                let part = |queries: &[usize]| -> Result<LocalEngine> {
                    Ok(LocalEngine::new(data.subset(queries), 0)?
                        .observed_by(self.run.observer.clone()))
                };
                let validate: Vec<usize> = self.fold.judged(Role::Validate).collect();
                let valid: Arc<dyn Engine> = Arc::new(part(&validate)?);
                let train = part(self.fold.split.train().places())?;
                spec.run(&[], &Run { valid: Some(valid), ..run }, &train)?
            }
            None => spec.run(&[], &run, self.fold.split.train())?,
        };
        let table = &self.fold.engine.schema().features;
        let column = |step: &crate::select::PathStep| table.resolve(&step.feature.to_string());
        let mut order: Vec<FeatureId> = selection.path.iter().map(column).collect::<Result<_>>()?;
        // Features that are constant in this fold alone come last.
        let rest = self.features.iter().filter(|f| !order.contains(f)).copied().collect::<Vec<_>>();
        order.extend(rest);
        order.retain(|f| self.features.contains(f));
        Ok(order)
    }

    /// Elimination from all features down to a cost limit; features that stayed longest come first.
    pub fn eliminate(&self, settings: &[(String, String)], limit: f64) -> Result<Vec<FeatureId>> {
        let ranker = self.auto.ranker_with(settings)?;
        let trainer = self.trainer(ranker.as_ref())?;
        let ranked = |left: Vec<FeatureId>| {
            Ok(self.by_importance_per_cost(&trainer.fit(&[left])?.importance(0)?))
        };
        let (mut left, mut gone) = (self.features.to_vec(), Vec::new());
        let limits = cost_limits(&self.run.constraints, self.features).into_iter();
        for limit in limits.filter(|&next| next >= limit) {
            let ranked = ranked(left)?;
            let set = CostCap::new(&self.run.constraints, limit).take(&ranked);
            let leaving = ranked.into_iter().filter(|f| !set.contains(f)).collect::<Vec<_>>();
            gone.splice(0..0, leaving);
            left = sorted(set);
            self.run.step("eliminating features", 0, None)?;
        }
        let mut order = ranked(left)?;
        order.extend(gone);
        Ok(order)
    }

    /// Tries a size; `left` are the features that elimination has left so far.
    pub fn test(
        &self,
        start: &FoldStart,
        limit: f64,
        proposers: &[Proposer],
        left: &[FeatureId],
    ) -> Result<FoldResult> {
        let cap = CostCap::new(&self.run.constraints, limit);
        let set = |(proposer, order): (&Proposer, &Vec<FeatureId>)| match proposer {
            Proposer::Elimination => cap.take(left),
            Proposer::Order(_) => cap.take(order),
        };
        let sets: Vec<Vec<FeatureId>> =
            proposers.iter().zip(&start.orders).map(set).map(sorted).collect();
        // Methods may propose the same subset, which is trained once.
        let mut different = sets.clone();
        different.sort_unstable();
        different.dedup();
        let places: Vec<usize> =
            sets.iter().map(|set| different.partition_point(|other| other < set)).collect();
        let ranker = self.auto.ranker_with(&start.settings)?;
        let trainer = self.trainer(ranker.as_ref())?;
        let fitted = trainer.fit(&different)?;
        let judged = fitted.per_query()?;
        let value = |&place: &usize| {
            let checked = self.fold.values(Role::Validate, &judged[place]);
            self.auto.measure.summary(&checked)
        };
        let values: Vec<f64> = places.iter().map(value).collect();
        let is_better =
            |place: usize, best: usize| values[place] > values[best] || values[best].is_nan();
        let method = (1..sets.len())
            .fold(0, |best, place| if is_better(place, best) { place } else { best });
        let eliminated =
            proposers.iter().position(|proposer| matches!(proposer, Proposer::Elimination));
        let left = match eliminated {
            Some(proposer) => self.by_importance_per_cost(&fitted.importance(places[proposer])?),
            None => Vec::new(),
        };
        Ok(FoldResult {
            method,
            cost: sets[method].iter().map(|&f| self.run.constraints.cost(f)).sum(),
            features: sets[method].len(),
            per_query: counted(&self.fold.values(Role::Test, &judged[places[method]])),
            values,
            left,
        })
    }

    fn trainer<'t>(&'t self, ranker: &'t dyn Ranker) -> Result<SubsetTrainer<'t>> {
        SubsetTrainer::new(&self.progress, ranker, &self.auto.measure, &self.fold.split)
    }

    /// Features by importance divided by cost, highest first.
    fn by_importance_per_cost(&self, importance: &[(FeatureId, f64)]) -> Vec<FeatureId> {
        CostCap::new(&self.run.constraints, 0.0).by_importance_per_cost(importance)
    }

    /// The measure of the risk baseline on each test query.
    fn baseline(&self, all: &[Option<f64>]) -> Result<Vec<Option<f64>>> {
        let measure = &self.auto.measure;
        let (train, judge): (&dyn Engine, &dyn Engine) =
            (self.fold.split.train(), self.fold.split.judge());
        let alone = |features: &[FeatureId]| -> Result<Vec<Vec<f64>>> {
            let judged = judge.ask(&FeatureMeasures::new(measure, features))?.per_query;
            Ok(judged.iter().map(|judged| self.fold.values(Role::Test, judged)).collect())
        };
        match self.auto.baseline {
            RiskBaseline::Full => Ok(all.to_vec()),
            RiskBaseline::Mean => Ok(counted(&mean_baseline(&alone(self.features)?))),
            RiskBaseline::BestFeature => {
                let values = feature_means(train, measure, self.features)?;
                let known = self.features.iter().zip(&values);
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
