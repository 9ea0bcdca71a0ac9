//! The search for a size: all features first, then fewer and fewer until one size cannot be shown
//! to be as good.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::advice::{Advice, Found};
use super::fold::{Fold, Role, Roles, Start, Tested, Worker};
use super::portfolio::Proposer;
use super::recommendation::{Judge, Yardstick};
use super::{AutoSelector, sizes, words};
use crate::data::FeatureId;
use crate::engine::{Engine, QueryFolds};
use crate::error::Result;
use crate::measure::significance::NonInferiority;
use crate::run::Run;
use crate::select::Selection;
use crate::select::candidates::Candidates;

/// What is kept to go on after an interruption.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct State {
    /// Names of the methods, and the share of the queries that they look at.
    pub methods: Vec<String>,
    pub share: f64,
    pub starts: Vec<Start>,
    /// By size, then by fold.
    pub tested: Vec<Vec<Tested>>,
}

/// What the tests say of a size, in effectiveness and in risk.
pub(super) type Tests = (NonInferiority, NonInferiority);

/// What a search has before it.
pub(super) struct Search<'a> {
    pub auto: &'a AutoSelector,
    pub run: &'a Run,
    pub engine: &'a dyn Engine,
    /// All data: that of the engine, joined with validation data where there is some.
    pub all: &'a dyn Engine,
    pub candidates: Candidates,
    /// All features that differ within queries, by column: what "all features" are.
    pub alive: Vec<FeatureId>,
    /// Those of them that may be chosen.
    pub features: Vec<FeatureId>,
    pub proposers: Vec<Proposer>,
}

impl Search<'_> {
    /// All features, or as many as the user allows, where nothing can be shown.
    pub fn keep_all(&self, why: String) -> Result<Selection> {
        let level = sizes::levels(&self.run.constraints, &self.features)[0];
        let mut selection = self.selection(self.proposers[0], &self.auto.settings().0, level)?;
        selection.notes.push(why);
        Ok(selection)
    }

    /// Goes on from a state until a size fails or time is up.
    pub fn to_the_end(&self, mut state: State) -> Result<Selection> {
        let Search { auto, run, .. } = self;
        let folds: Vec<Fold<'_>> = self
            .deal(state.share)
            .into_iter()
            .map(|roles| self.fold(roles))
            .collect::<Result<_>>()?;
        let worker = |fold: usize| Worker::new(auto, run, &folds[fold], &self.features);
        let levels = sizes::levels(&run.constraints, &self.features);
        while state.starts.len() < auto.folds && !run.is_out_of_time() {
            state.starts.push(worker(state.starts.len()).start(&self.alive, &self.proposers)?);
            run.save(&state)?;
            run.step(
                "learning with all features",
                state.starts.len() as u64,
                Some(auto.folds as u64),
            )?;
        }
        if state.starts.len() < auto.folds {
            return Ok(Selection { unfinished: true, ..self.keep_all(words::no_time())? });
        }
        let whole =
            |of: &dyn Fn(&Start) -> &Vec<Option<f64>>| gathered(state.starts.iter().map(of));
        let (all, baseline) = (whole(&|start| &start.all), whole(&|start| &start.baseline));
        let judge = Judge::new(
            Yardstick { all: &all, baseline: &baseline, folds: auto.folds },
            auto.demand,
        );
        let verdict = |tested: &Vec<Tested>| judge.tests(&values(tested));
        let mut verdicts: Vec<_> = state.tested.iter().map(verdict).collect();
        let is_open = |verdicts: &[Tests]| {
            verdicts.len() < levels.len()
                && verdicts.last().is_none_or(|last| last.0.holds && last.1.holds)
        };
        while is_open(&verdicts) && !run.is_out_of_time() {
            let size = state.tested.len();
            let of_fold = |fold: usize| {
                let start = &state.starts[fold];
                let before =
                    state.tested.last().map_or(&start.left[..], |tested| &tested[fold].left);
                worker(fold).test(start, levels[size], &self.proposers, before)
            };
            let tested: Vec<Tested> =
                (0..auto.folds).into_par_iter().map(of_fold).collect::<Result<_>>()?;
            verdicts.push(verdict(&tested));
            state.tested.push(tested);
            run.save(&state)?;
            run.step("trying sizes", size as u64 + 1, Some(levels.len() as u64))?;
        }
        let chosen =
            verdicts.iter().rposition(|(effectiveness, risk)| effectiveness.holds && risk.holds);
        // Without a size that passes: all features, or as many as the user allows.
        let level = levels[chosen.unwrap_or(0)];
        let method = self.proposers
            [best_method(state.tested.get(chosen.unwrap_or(0)), self.proposers.len())];
        let mut selection = self.selection(method, &state.starts[0].settings, level)?;
        let found =
            Found { state: &state, levels: &levels, verdicts: &verdicts, chosen, all: &all };
        let queries = folds
            .iter()
            .flat_map(|fold| fold.judged(Role::Test))
            .map(|q| self.all.schema().query_id(q));
        let advice = Advice::of(auto, &found, queries.collect());
        selection.notes = words::notes(&advice, &selection, method.name(), state.share);
        selection.unfinished = is_open(&verdicts);
        Ok(Selection { advice: Some(advice), ..selection })
    }

    /// The set of one method up to a level, from all data.
    fn selection(
        &self,
        method: Proposer,
        settings: &[(String, String)],
        level: f64,
    ) -> Result<Selection> {
        let order = self.last_order(method, settings, level)?;
        let set = sizes::Room::new(&self.run.constraints, level).first_of(&order);
        let rest: Vec<FeatureId> = order.iter().filter(|f| !set.contains(f)).copied().collect();
        let scores = scored(&[&set[..], &rest].concat());
        let (own, others) = scores.split_at(set.len());
        self.candidates.select(self.run, self.engine, own, others)
    }

    fn fold(&self, roles: Roles) -> Result<Fold<'_>> {
        let ranker = self.auto.ranker_with(&self.auto.settings().0)?;
        Fold::new(self.all, roles, ranker.as_ref(), &self.alive)
    }

    /// What each query is for in each fold.
    fn deal(&self, share: f64) -> Vec<Roles> {
        let count = self.auto.folds;
        // Of large data only some cards are dealt.
        let parts = (count as f64 / share).floor() as usize;
        let deal = QueryFolds::new(&self.all.schema().query_keys, parts.max(count), self.run.seed);
        let fold = |test: usize| {
            let role = |part: usize| match part {
                part if part == test => Role::Test,
                part if part == (test + 1) % count => Role::Check,
                part if part < count => Role::Learn,
                _ => Role::None,
            };
            Roles { of_part: (0..parts.max(count)).map(role).collect(), deal: deal.clone() }
        };
        (0..count).map(fold).collect()
    }

    /// The order of one method once more, on all data; elimination goes as far down as `level`.
    fn last_order(
        &self,
        proposer: Proposer,
        settings: &[(String, String)],
        level: f64,
    ) -> Result<Vec<FeatureId>> {
        let first = self.deal(1.0).swap_remove(0);
        // The part that would be held out checks, as long as others are left to learn from.
        let can_check = first.of_part.contains(&Role::Learn);
        let last =
            |role: Role| if can_check && role == Role::Test { Role::Check } else { Role::Learn };
        let of_part = first.of_part.into_iter().map(last).collect();
        let fold = self.fold(Roles { of_part, ..first })?;
        let worker = Worker::new(self.auto, self.run, &fold, &self.features);
        match proposer {
            Proposer::Order(_) => worker.order(proposer),
            Proposer::Elimination => worker.eliminate(settings, level),
        }
    }
}

/// The values of all folds, one after the other.
fn gathered<'a>(folds: impl Iterator<Item = &'a Vec<Option<f64>>>) -> Vec<f64> {
    folds.flatten().map(|value| value.unwrap_or(f64::NAN)).collect()
}

/// What a size is worth on every query.
pub(super) fn values(tested: &[Tested]) -> Vec<f64> {
    gathered(tested.iter().map(|tested| &tested.per_query))
}

/// The method that does best on average where folds check; the first of equals.
fn best_method(tested: Option<&Vec<Tested>>, methods: usize) -> usize {
    let mean = |method: usize| {
        tested.map_or(0.0, |folds| folds.iter().map(|fold| fold.values[method]).sum::<f64>())
    };
    (1..methods).fold(0, |best, method| if mean(method) > mean(best) { method } else { best })
}

/// Features in order with scores that say no more than the order.
fn scored(order: &[FeatureId]) -> Vec<(FeatureId, f64)> {
    let count = order.len() as f64;
    order.iter().enumerate().map(|(place, &f)| (f, (count - place as f64) / count)).collect()
}
