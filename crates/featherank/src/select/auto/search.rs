//! The search for a size: all features first, then fewer, until a size cannot be shown to be as
//! good.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::advice::{Advice, SizeFindings};
use super::fold::{Fold, FoldResult, FoldRoles, FoldRunner, FoldStart, Role};
use super::portfolio::Proposer;
use super::recommendation::{Reference, SizeTest};
use super::{AutoSelector, sizes, words};
use crate::data::FeatureId;
use crate::engine::{Engine, QueryFolds};
use crate::error::Result;
use crate::measure::significance::NonInferiority;
use crate::run::Run;
use crate::select::Selection;
use crate::select::candidates::Candidates;

/// The checkpoint: all that is needed to resume the search.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct State {
    /// Names of the methods, and the share of the queries in the sample.
    pub methods: Vec<String>,
    pub share: f64,
    pub starts: Vec<FoldStart>,
    /// By size, then by fold.
    pub tested: Vec<Vec<FoldResult>>,
}

/// The tests of a size, in effectiveness and in risk.
pub(super) type Tests = (NonInferiority, NonInferiority);

/// The search for a size.
pub(super) struct SizeSearch<'a> {
    pub auto: &'a AutoSelector,
    pub run: &'a Run,
    pub engine: &'a dyn Engine,
    /// All data: that of the engine, joined with the validation data of the run.
    pub all: &'a dyn Engine,
    pub candidates: Candidates,
    /// All features that vary within queries, by column: what "all features" means.
    pub alive: Vec<FeatureId>,
    /// Those of them that may be chosen.
    pub features: Vec<FeatureId>,
    pub proposers: Vec<Proposer>,
}

impl SizeSearch<'_> {
    /// All features, or as many as the constraints allow, when nothing can be shown.
    pub fn keep_all(&self, why: String) -> Result<Selection> {
        let limit = sizes::cost_limits(&self.run.constraints, &self.features)[0];
        let mut selection = self.selection(self.proposers[0], &self.auto.settings().0, limit)?;
        selection.notes.push(why);
        Ok(selection)
    }

    /// Resumes from a state and runs until a size fails or time is up.
    pub fn finish(&self, mut state: State) -> Result<Selection> {
        let SizeSearch { auto, run, .. } = self;
        let folds: Vec<Fold<'_>> = self
            .roles(state.share)
            .into_iter()
            .map(|roles| self.fold(roles))
            .collect::<Result<_>>()?;
        let runner = |fold: usize| FoldRunner::new(auto, run, &folds[fold], &self.features);
        let limits = sizes::cost_limits(&run.constraints, &self.features);
        while state.starts.len() < auto.folds && !run.is_out_of_time() {
            state.starts.push(runner(state.starts.len()).start(&self.alive, &self.proposers)?);
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
            |of: &dyn Fn(&FoldStart) -> &Vec<Option<f64>>| gathered(state.starts.iter().map(of));
        let (all, baseline) = (whole(&|start| &start.all), whole(&|start| &start.baseline));
        let reference = Reference { all: &all, baseline: &baseline, folds: auto.folds };
        let size_test = SizeTest::new(reference, auto.demand);
        let verdict = |tested: &Vec<FoldResult>| size_test.run(&values(tested));
        let mut verdicts: Vec<_> = state.tested.iter().map(verdict).collect();
        let is_open = |verdicts: &[Tests]| {
            verdicts.len() < limits.len()
                && verdicts.last().is_none_or(|last| last.0.holds && last.1.holds)
        };
        while is_open(&verdicts) && !run.is_out_of_time() {
            let size = state.tested.len();
            let of_fold = |fold: usize| {
                let start = &state.starts[fold];
                let left = state.tested.last().map_or(&start.left[..], |tested| &tested[fold].left);
                runner(fold).test(start, limits[size], &self.proposers, left)
            };
            let tested: Vec<FoldResult> =
                (0..auto.folds).into_par_iter().map(of_fold).collect::<Result<_>>()?;
            verdicts.push(verdict(&tested));
            state.tested.push(tested);
            run.save(&state)?;
            run.step("trying sizes", size as u64 + 1, Some(limits.len() as u64))?;
        }
        let chosen =
            verdicts.iter().rposition(|(effectiveness, risk)| effectiveness.holds && risk.holds);
        // If no size passes: all features, or as many as the constraints allow.
        let limit = limits[chosen.unwrap_or(0)];
        let method = self.proposers
            [best_method(state.tested.get(chosen.unwrap_or(0)), self.proposers.len())];
        let mut selection = self.selection(method, &state.starts[0].settings, limit)?;
        let found =
            SizeFindings { state: &state, limits: &limits, verdicts: &verdicts, chosen, all: &all };
        let queries = folds
            .iter()
            .flat_map(|fold| fold.judged(Role::Test))
            .map(|q| self.all.schema().query_id(q));
        let advice = Advice::of(auto, &found, queries.collect());
        selection.notes = words::notes(&advice, &selection, method.name(), state.share);
        selection.unfinished = is_open(&verdicts);
        Ok(Selection { advice: Some(advice), ..selection })
    }

    /// The subset of one method up to a cost limit, from all data.
    fn selection(
        &self,
        method: Proposer,
        settings: &[(String, String)],
        limit: f64,
    ) -> Result<Selection> {
        let order = self.final_order(method, settings, limit)?;
        let set = sizes::CostCap::new(&self.run.constraints, limit).take(&order);
        let rest: Vec<FeatureId> = order.iter().filter(|f| !set.contains(f)).copied().collect();
        let scores = scored(&[&set[..], &rest].concat());
        let (own, others) = scores.split_at(set.len());
        self.candidates.select(self.run, self.engine, own, others)
    }

    fn fold(&self, roles: FoldRoles) -> Result<Fold<'_>> {
        let ranker = self.auto.ranker_with(&self.auto.settings().0)?;
        Fold::new(self.all, roles, ranker.as_ref(), &self.alive)
    }

    /// The role of each query in each fold; `share` of the queries are used.
    fn roles(&self, share: f64) -> Vec<FoldRoles> {
        let count = self.auto.folds;
        // The first `count` parts are the folds, the others are not in the sample.
        let parts = ((count as f64 / share).floor() as usize).max(count);
        let deal = QueryFolds::new(&self.all.schema().query_keys, parts, self.run.seed);
        let fold = |test: usize| {
            let role = |part: usize| match part {
                part if part == test => Role::Test,
                part if part == (test + 1) % count => Role::Validate,
                part if part < count => Role::Train,
                _ => Role::Unused,
            };
            FoldRoles { of_part: (0..parts).map(role).collect(), parts: deal.clone() }
        };
        (0..count).map(fold).collect()
    }

    /// The order of one method on all data; elimination goes down to `limit`.
    fn final_order(
        &self,
        proposer: Proposer,
        settings: &[(String, String)],
        limit: f64,
    ) -> Result<Vec<FeatureId>> {
        let first = self.roles(1.0).swap_remove(0);
        // The test queries validate, as long as others are left to train on.
        let can_validate = first.of_part.contains(&Role::Train);
        let role = |role: Role| match can_validate && role == Role::Test {
            true => Role::Validate,
            false => Role::Train,
        };
        let of_part = first.of_part.into_iter().map(role).collect();
        let fold = self.fold(FoldRoles { of_part, ..first })?;
        let runner = FoldRunner::new(self.auto, self.run, &fold, &self.features);
        match proposer {
            Proposer::Order(_) => runner.order(proposer),
            Proposer::Elimination => runner.eliminate(settings, limit),
        }
    }
}

/// The values of all folds, one after the other.
fn gathered<'a>(folds: impl Iterator<Item = &'a Vec<Option<f64>>>) -> Vec<f64> {
    folds.flatten().map(|value| value.unwrap_or(f64::NAN)).collect()
}

/// The measure of a size on every query.
pub(super) fn values(tested: &[FoldResult]) -> Vec<f64> {
    gathered(tested.iter().map(|tested| &tested.per_query))
}

/// The method that does best on the validation queries, on average over folds; ties go to the first.
fn best_method(tested: Option<&Vec<FoldResult>>, methods: usize) -> usize {
    let mean = |method: usize| {
        tested.map_or(0.0, |folds| folds.iter().map(|fold| fold.values[method]).sum::<f64>())
    };
    (1..methods).fold(0, |best, method| if mean(method) > mean(best) { method } else { best })
}

/// Features with scores that express nothing but their order.
fn scored(order: &[FeatureId]) -> Vec<(FeatureId, f64)> {
    let count = order.len() as f64;
    order.iter().enumerate().map(|(place, &f)| (f, (count - place as f64) / count)).collect()
}
