//! One fold: methods propose sets from the part they learn from, another part says which proposal
//! is best, and the part held out says what that one is worth. The held-out part takes no part in
//! any choice, so that trying many methods does not flatter them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::portfolio::Proposer;
use super::sizes::{Room, levels};
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
use crate::select::wrapper::lesson::{Lesson, Material, Watch};

/// What a query is for in a fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Methods and rankers learn from it.
    Learn,
    /// It chooses settings and methods.
    Check,
    /// It is held out.
    Test,
    /// It is not looked at.
    None,
}

/// What queries are for in a fold, by the part that they were dealt into.
pub struct Roles {
    pub deal: QueryFolds,
    pub of_part: Vec<Role>,
}

/// Which queries a fold does what with.
pub struct Fold<'a> {
    engine: &'a dyn Engine,
    roles: Roles,
    /// What is learnt from; what checks and what is held out are judged on.
    material: Material<'a>,
}

impl<'a> Fold<'a> {
    /// For a ranker and subsets of some features, where each query has a role.
    pub fn new(
        engine: &'a dyn Engine,
        roles: Roles,
        ranker: &dyn Ranker,
        features: &[FeatureId],
    ) -> Result<Self> {
        let part = |wanted: &[Role]| {
            PartEngine::of(engine, roles.deal.range(|part| wanted.contains(&roles.of_part[part])))
        };
        let (learn, check) = (part(&[Role::Learn])?, part(&[Role::Check])?);
        let material = Material::new(
            ranker,
            learn,
            Some(&check),
            part(&[Role::Check, Role::Test])?,
            features,
        )?;
        Ok(Fold { engine, roles, material })
    }

    fn role(&self, query: usize) -> Role {
        self.roles.of_part[self.roles.deal.fold_of(self.engine.schema().query_keys[query])]
    }

    /// The queries that are judged on in one role.
    pub fn judged(&self, role: Role) -> impl Iterator<Item = usize> {
        self.material.judge().places().iter().copied().filter(move |&q| self.role(q) == role)
    }

    /// Of values for the queries that are judged on, those in one role.
    fn values(&self, role: Role, judged: &[f64]) -> Vec<f64> {
        let with_role = self.material.judge().places().iter().zip(judged);
        with_role.filter(|(q, _)| self.role(**q) == role).map(|(_, value)| *value).collect()
    }
}

/// What a fold knows before sizes are tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The ranker's settings.
    pub settings: Settings,
    /// For each method its order of all features, best first; none of elimination.
    pub orders: Vec<Vec<FeatureId>>,
    /// What elimination begins with: all features, what matters most to the ranker for its price
    /// first.
    pub left: Vec<FeatureId>,
    /// All features on each query held out.
    pub all: Vec<Option<f64>>,
    /// The baseline of risk on each query held out.
    pub baseline: Vec<Option<f64>>,
}

/// What a fold says of a size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tested {
    /// The method whose set was best where that is checked.
    pub method: usize,
    /// What the set of each method is worth there.
    pub values: Vec<f64>,
    /// What the best set costs.
    pub cost: f64,
    /// How many features it has.
    pub features: usize,
    /// What it is worth on each query held out.
    pub per_query: Vec<Option<f64>>,
    /// What is left after elimination, what matters most for its price first.
    pub left: Vec<FeatureId>,
}

/// A fold at work.
pub struct Worker<'a> {
    auto: &'a AutoSelector,
    run: &'a Run,
    fold: &'a Fold<'a>,
    /// Features that may be chosen, by column.
    features: &'a [FeatureId],
    watch: Watch<'a>,
}

impl<'a> Worker<'a> {
    pub fn new(
        auto: &'a AutoSelector,
        run: &'a Run,
        fold: &'a Fold<'a>,
        features: &'a [FeatureId],
    ) -> Self {
        Worker { auto, run, fold, features, watch: Watch::new(run) }
    }

    /// Learns with all features, and asks everybody for an order.
    pub fn start(&self, all: &[FeatureId], proposers: &[Proposer]) -> Result<Start> {
        let settings = self.tuned(all)?;
        let ranker = self.auto.ranker_with(&settings)?;
        let subset = [all.to_vec()];
        let lesson = self.lesson(ranker.as_ref())?;
        let taught = lesson.teach(&subset)?;
        let per_query = counted(&self.fold.values(Role::Test, &taught.judged()?[0]));
        let mut shares = taught.shares(0)?;
        shares.retain(|(f, _)| self.features.contains(f));
        let orders = proposers.iter().map(|&proposer| self.order(proposer));
        Ok(Start {
            orders: orders.collect::<Result<_>>()?,
            left: self.by_worth(&shares),
            settings,
            baseline: self.baseline(&per_query)?,
            all: per_query,
        })
    }

    /// The settings of the ranker that do best where that is checked.
    fn tuned(&self, all: &[FeatureId]) -> Result<Settings> {
        let AutoSelector { ranker, measure, .. } = self.auto;
        let (fixed, is_open) = self.auto.settings();
        let grid = if is_open { declared_grid(ranker, &fixed) } else { Vec::new() };
        if grid.is_empty() {
            return Ok(fixed);
        }
        if let Some(view) = self.fold.material.learnt_rows() {
            let check: Vec<usize> = self.fold.judged(Role::Check).collect();
            let check: View<'_> = view.with_queries(check);
            return Ok(tune(ranker, &fixed, &grid, self.run, view, &check, measure)?.settings);
        }
        let (subset, mut best) = ([all.to_vec()], None);
        for settings in combinations(&grid) {
            let settings = [&fixed[..], &settings].concat();
            let ranker = self.auto.ranker_with(&settings)?;
            let lesson = self.lesson(ranker.as_ref())?;
            let taught = lesson.teach(&subset)?;
            let value = measure.summary(&self.fold.values(Role::Check, &taught.judged()?[0]));
            let ranks = taught.shares(0)?.iter().any(|(_, share)| *share > 0.0);
            if best.as_ref().is_none_or(|(best, _)| is_better((ranks, value), *best)) {
                best = Some(((ranks, value), settings));
            }
        }
        Ok(best.map_or(fixed, |(_, settings)| settings))
    }

    /// The order in which a selector takes all features; those that nobody may choose are left out.
    /// None of elimination.
    pub fn order(&self, proposer: Proposer) -> Result<Vec<FeatureId>> {
        let Proposer::Order(spec) = proposer else { return Ok(Vec::new()) };
        // The sets come from the order; a number of features or a budget is for later.
        let constraints =
            Constraints { k: None, budget: None, keep: Vec::new(), ..self.run.constraints.clone() };
        let run =
            Run { constraints, valid: None, checkpoint: None, deadline: None, ..self.run.clone() };
        let takes_rows =
            self.fold.material.learnt_rows().is_some() || !spec.data_access(&[])?.is_passes();
        let selection = match self.fold.engine.local().filter(|_| takes_rows) {
            Some(data) => {
                let part = |queries: &[usize]| -> Result<LocalEngine> {
                    Ok(LocalEngine::new(data.subset(queries), 0)?
                        .observed_by(self.run.observer.clone()))
                };
                let check: Vec<usize> = self.fold.judged(Role::Check).collect();
                let valid: Arc<dyn Engine> = Arc::new(part(&check)?);
                let learn = part(self.fold.material.learn().places())?;
                spec.run(&[], &Run { valid: Some(valid), ..run }, &learn)?
            }
            None => spec.run(&[], &run, self.fold.material.learn())?,
        };
        let table = &self.fold.engine.schema().features;
        let column = |step: &crate::select::PathStep| table.resolve(&step.feature.to_string());
        let mut order: Vec<FeatureId> = selection.path.iter().map(column).collect::<Result<_>>()?;
        // What is constant in this part alone comes last.
        let rest = self.features.iter().filter(|f| !order.contains(f)).copied().collect::<Vec<_>>();
        order.extend(rest);
        order.retain(|f| self.features.contains(f));
        Ok(order)
    }

    /// Elimination from all features down to a level, what stayed longest first.
    pub fn eliminate(&self, settings: &[(String, String)], level: f64) -> Result<Vec<FeatureId>> {
        let ranker = self.auto.ranker_with(settings)?;
        let lesson = self.lesson(ranker.as_ref())?;
        let ranked = |left: Vec<FeatureId>| Ok(self.by_worth(&lesson.teach(&[left])?.shares(0)?));
        let (mut left, mut gone) = (self.features.to_vec(), Vec::new());
        for level in
            levels(&self.run.constraints, self.features).into_iter().filter(|&next| next >= level)
        {
            let ranked = ranked(left)?;
            let set = Room::new(&self.run.constraints, level).first_of(&ranked);
            let leaving = ranked.into_iter().filter(|f| !set.contains(f)).collect::<Vec<_>>();
            gone.splice(0..0, leaving);
            left = sorted(set);
            self.run.step("eliminating features", 0, None)?;
        }
        let mut order = ranked(left)?;
        order.extend(gone);
        Ok(order)
    }

    /// Tries a size; `before` is what elimination has left so far.
    pub fn test(
        &self,
        start: &Start,
        level: f64,
        proposers: &[Proposer],
        before: &[FeatureId],
    ) -> Result<Tested> {
        let room = Room::new(&self.run.constraints, level);
        let set = |(proposer, order): (&Proposer, &Vec<FeatureId>)| match proposer {
            Proposer::Elimination => room.first_of(before),
            Proposer::Order(_) => room.first_of(order),
        };
        let sets: Vec<Vec<FeatureId>> =
            proposers.iter().zip(&start.orders).map(set).map(sorted).collect();
        // Methods may propose the same set, which is learnt once.
        let mut different = sets.clone();
        different.sort_unstable();
        different.dedup();
        let places: Vec<usize> =
            sets.iter().map(|set| different.partition_point(|other| other < set)).collect();
        let ranker = self.auto.ranker_with(&start.settings)?;
        let lesson = self.lesson(ranker.as_ref())?;
        let taught = lesson.teach(&different)?;
        let judged = taught.judged()?;
        let value = |&place: &usize| {
            let checked = self.fold.values(Role::Check, &judged[place]);
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
            Some(proposer) => self.by_worth(&taught.shares(places[proposer])?),
            None => Vec::new(),
        };
        Ok(Tested {
            method,
            cost: sets[method].iter().map(|&f| self.run.constraints.cost(f)).sum(),
            features: sets[method].len(),
            per_query: counted(&self.fold.values(Role::Test, &judged[places[method]])),
            values,
            left,
        })
    }

    fn lesson<'l>(&'l self, ranker: &'l dyn Ranker) -> Result<Lesson<'l>> {
        Lesson::new(&self.watch, ranker, &self.auto.measure, &self.fold.material)
    }

    /// Features by how much they matter for their price.
    fn by_worth(&self, shares: &[(FeatureId, f64)]) -> Vec<FeatureId> {
        Room::new(&self.run.constraints, 0.0).by_worth(shares)
    }

    /// What risk is measured against on each query held out.
    fn baseline(&self, all: &[Option<f64>]) -> Result<Vec<Option<f64>>> {
        let measure = &self.auto.measure;
        let (learn, judge): (&dyn Engine, &dyn Engine) =
            (self.fold.material.learn(), self.fold.material.judge());
        let alone = |features: &[FeatureId]| -> Result<Vec<Vec<f64>>> {
            let judged = judge.ask(&FeatureMeasures::new(measure, features))?.per_query;
            Ok(judged.iter().map(|judged| self.fold.values(Role::Test, judged)).collect())
        };
        match self.auto.baseline {
            RiskBaseline::Full => Ok(all.to_vec()),
            RiskBaseline::Mean => Ok(counted(&mean_baseline(&alone(self.features)?))),
            RiskBaseline::BestFeature => {
                let values = feature_means(learn, measure, self.features)?;
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
