//! One fold: methods propose sets from the part they learn from, another part says which proposal is best, and the part held out says what that one
//! is worth. The held-out part takes no part in any choice, so that trying many methods does not flatter them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::portfolio::Proposer;
use super::sizes::{Room, levels};
use super::{Auto, Baseline};
use crate::data::{Dataset, FeatureId, View};
use crate::engine::{Engine, LocalEngine};
use crate::error::Result;
use crate::measure::counted;
use crate::params::Params;
use crate::rank::tune::{Settings, declared_grid, tune};
use crate::rank::{Model, Ranker};
use crate::run::{Constraints, Run};
use crate::select::wrapper::elimination::shares;

/// Which queries a fold does what with.
pub struct Fold<'a> {
    pub data: &'a Dataset,
    /// What methods and rankers learn from.
    pub learn: Vec<usize>,
    /// What chooses settings and methods.
    pub check: Vec<usize>,
    /// What is held out.
    pub test: Vec<usize>,
}

/// What a fold knows before sizes are tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The ranker's settings.
    pub settings: Settings,
    /// For each method its order of all features, best first; none of elimination.
    pub orders: Vec<Vec<FeatureId>>,
    /// What elimination begins with: all features, what matters most to the ranker for its price first.
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

impl<'a> Fold<'a> {
    /// All data for the last choice: what is left out of learning still checks.
    pub fn whole(data: &'a Dataset, check: Vec<usize>) -> Self {
        let learn = (0..data.queries().len()).filter(|q| !check.contains(q)).collect();
        Fold { data, learn, check, test: Vec::new() }
    }

    fn view(&self, queries: &'a [usize]) -> View<'a> {
        self.data.view().with_queries(queries)
    }
}

/// A fold at work.
pub struct Worker<'a> {
    pub auto: &'a Auto,
    pub run: &'a Run,
    pub fold: &'a Fold<'a>,
    /// Features that may be chosen, by column.
    pub features: &'a [FeatureId],
}

impl Worker<'_> {
    /// Learns with all features, and asks everybody for an order.
    pub fn start(&self, all: &[FeatureId], proposers: &[Proposer]) -> Result<Start> {
        let (learn, check) = (self.fold.view(&self.fold.learn), self.fold.view(&self.fold.check));
        let (learn, check) = (learn.with_features(all), check.with_features(all));
        let Auto { ranker, measure, .. } = self.auto;
        let (fixed, is_open) = self.auto.settings();
        let grid = if is_open { declared_grid(ranker, &fixed) } else { Vec::new() };
        let tuned = tune(ranker, &fixed, &grid, self.run, &learn, &check, measure)?;
        let test = self.fold.view(&self.fold.test);
        let per_query = self.judge(&tuned.model, &test)?;
        let orders = proposers.iter().map(|&proposer| self.order(proposer));
        Ok(Start {
            orders: orders.collect::<Result<_>>()?,
            left: self.left(&tuned.model, self.features)?,
            settings: tuned.settings,
            baseline: self.baseline(&learn, &test, &per_query),
            all: per_query,
        })
    }

    /// The order in which a selector takes all features; those that nobody may choose are left out. None of elimination.
    pub fn order(&self, proposer: Proposer) -> Result<Vec<FeatureId>> {
        let Proposer::Order(spec) = proposer else { return Ok(Vec::new()) };
        let part = |queries: &[usize]| -> Result<LocalEngine> {
            Ok(LocalEngine::new(self.fold.data.subset(queries), 0)?.observed_by(self.run.observer.clone()))
        };
        let valid: Arc<dyn Engine> = Arc::new(part(&self.fold.check)?);
        // The sets come from the order; a number of features or a budget is for later.
        let constraints =
            Constraints { k: None, budget: None, keep: Vec::new(), ..self.run.constraints.clone() };
        let run =
            Run { constraints, valid: Some(valid), checkpoint: None, deadline: None, ..self.run.clone() };
        let selection = spec.run(&[], &run, &part(&self.fold.learn)?)?;
        let table = self.fold.data.features();
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
        let (learn, check) = (self.fold.view(&self.fold.learn), self.fold.view(&self.fold.check));
        let (learn, check) = (learn.with_features(self.features), check.with_features(self.features));
        let checks = check.documents() > 0;
        let (ranker, silent) = (self.lesson(settings)?, self.silent());
        let fit = ranker.for_subsets(&silent, &learn, checks.then_some(&check))?;
        let (mut left, mut gone) = (self.features.to_vec(), Vec::new());
        for level in levels(&self.run.constraints, self.features).into_iter().filter(|&next| next >= level) {
            let ranked = self.left(&fit(&left)?, &left)?;
            let set = Room::new(&self.run.constraints, level).first_of(&ranked);
            let leaving = ranked.into_iter().filter(|f| !set.contains(f)).collect::<Vec<_>>();
            gone.splice(0..0, leaving);
            left = sorted(set);
            self.run.step("eliminating features", 0, None)?;
        }
        let mut order = self.left(&fit(&left)?, &left)?;
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
        let sets: Vec<Vec<FeatureId>> = proposers.iter().zip(&start.orders).map(set).map(sorted).collect();
        let lesson = self.lesson(&start.settings)?;
        let (learn, check) = (self.fold.view(&self.fold.learn), self.fold.view(&self.fold.check));
        let (learn, check) = (learn.with_features(self.features), check.with_features(self.features));
        let silent = self.silent();
        let fit = lesson.for_subsets(&silent, &learn, Some(&check))?;
        let mut models: Vec<Option<Model>> = vec![None; sets.len()];
        for (place, set) in sets.iter().enumerate() {
            let same = (0..place).find(|&other| sets[other] == *set);
            models[place] = Some(match same.and_then(|other| models[other].clone()) {
                Some(model) => model,
                None => fit(set)?,
            });
            self.run.step("training rankers", 0, None)?;
        }
        let models: Vec<Model> = models.into_iter().flatten().collect();
        let value = |model: &Model| {
            Ok(self.auto.measure.summary(&self.auto.measure.per_query(&model.score(&check)?, &check)))
        };
        let values: Vec<f64> = models.iter().map(value).collect::<Result<_>>()?;
        let is_better = |place: usize, best: usize| values[place] > values[best] || values[best].is_nan();
        let method = (1..sets.len()).fold(0, |best, place| if is_better(place, best) { place } else { best });
        let eliminated = proposers.iter().position(|proposer| matches!(proposer, Proposer::Elimination));
        let left = eliminated.map_or(Ok(Vec::new()), |place| self.left(&models[place], &sets[place]))?;
        Ok(Tested {
            method,
            cost: sets[method].iter().map(|&f| self.run.constraints.cost(f)).sum(),
            features: sets[method].len(),
            per_query: self.judge(&models[method], &self.fold.view(&self.fold.test))?,
            values,
            left,
        })
    }

    /// The ranker with a fold's settings.
    fn lesson(&self, settings: &[(String, String)]) -> Result<Box<dyn Ranker>> {
        let spec = self.auto.ranker;
        (spec.build)(&Params::new(spec.name, spec.params, settings)?)
    }

    /// Steps within a ranker would drown those between rankers.
    fn silent(&self) -> Run {
        Run { observer: Arc::new(crate::run::Silent), ..self.run.clone() }
    }

    /// Features by how much they matter to a model for their price.
    fn left(&self, model: &Model, features: &[FeatureId]) -> Result<Vec<FeatureId>> {
        let view = self.fold.view(&self.fold.learn).with_features(features);
        Ok(Room::new(&self.run.constraints, 0.0).by_worth(&shares(model, &view, features)?))
    }

    fn judge(&self, model: &Model, test: &View<'_>) -> Result<Vec<Option<f64>>> {
        Ok(counted(&self.auto.measure.per_query(&model.score(test)?, test)))
    }

    /// What risk is measured against on each query held out.
    fn baseline(&self, learn: &View<'_>, test: &View<'_>, all: &[Option<f64>]) -> Vec<Option<f64>> {
        let alone = |view: &View<'_>, f: FeatureId| {
            let column = self.fold.data.column(f);
            let scores: Vec<f32> = view.rows().flat_map(|rows| &column[rows]).copied().collect();
            self.auto.measure.per_query(&scores, view)
        };
        match self.auto.baseline {
            Baseline::Full => all.to_vec(),
            Baseline::Mean => {
                let each: Vec<Vec<f64>> = self.features.iter().map(|&f| alone(test, f)).collect();
                counted(&crate::measure::risk::mean_baseline(&each))
            }
            Baseline::BestFeature => {
                let value = |&f: &FeatureId| self.auto.measure.summary(&alone(learn, f));
                let best = self.features.iter().max_by(|a, b| value(a).total_cmp(&value(b)).then(b.cmp(a)));
                best.map_or_else(|| all.to_vec(), |&f| counted(&alone(test, f)))
            }
        }
    }
}

fn sorted(mut set: Vec<FeatureId>) -> Vec<FeatureId> {
    set.sort_unstable();
    set
}
