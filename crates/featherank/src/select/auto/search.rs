//! The search for a size: repeated cross-fitting of every method and size, the choice among the
//! candidates that pass, and the final set.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use rand::Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::advice::{Advice, SizeFindings};
use super::cell::{Cell, CellQueries, CellResult, CellRunner};
use super::curve::{Candidate, Curve};
use super::portfolio::Proposer;
use super::sizes::{CostCap, Size, by_importance_per_cost, sizes};
use super::{AutoSelector, RiskRule, words};
use crate::data::FeatureId;
use crate::engine::passes::feature_means;
use crate::engine::{Engine, QueryFolds};
use crate::error::Result;
use crate::random::{Purpose, stream};
use crate::run::Run;
use crate::select::Findings;
use crate::select::candidates::Candidates;

/// The checkpoint: all that is needed to resume the search.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct State {
    /// Names of the methods, the share of the queries in the sample, and the number of repetitions.
    pub methods: Vec<String>,
    pub share: f64,
    pub repetitions: usize,
    /// Finished cells: repetition · folds + fold.
    pub cells: BTreeMap<usize, CellResult>,
}

/// The search for a size.
pub(super) struct SizeSearch<'a> {
    pub auto: &'a AutoSelector,
    pub run: &'a Run,
    pub engine: &'a dyn Engine,
    /// All data: that of the engine, joined with the validation data of the run.
    pub all: &'a dyn Engine,
    pub candidates: Candidates,
    /// All features that the ranker can use, by column: the meaning of "all features".
    pub usable: Vec<FeatureId>,
    /// Those of them that may be chosen.
    pub features: Vec<FeatureId>,
    pub proposers: Vec<Proposer>,
}

impl SizeSearch<'_> {
    /// All features, or as many as the constraints allow, if no size can be tested.
    pub fn keep_all(&self, state: &State, why: String) -> Result<Findings> {
        let sizes = sizes(&self.run.constraints, &self.features);
        let size = first_allowed(&sizes);
        // There is too little data or time for the methods.
        let found = self.findings(&self.order_alone()?, sizes[size])?;
        let untested = SizeFindings { methods: &state.methods, ..SizeFindings::default() };
        let advice = Advice::of(self.auto, untested, found.selected.len() < self.usable.len());
        Ok(Findings { notes: vec![why], advice: Some(advice), ..found })
    }

    /// Resumes from a state, and runs until all cells are finished or the time limit is reached.
    pub fn finish(&self, mut state: State) -> Result<Findings> {
        let AutoSelector { folds, demand, .. } = *self.auto;
        let sizes = sizes(&self.run.constraints, &self.features);
        let total = state.repetitions * folds;
        self.run_cells(&mut state, &sizes)?;
        let cells: Vec<CellResult> = state.cells.values().cloned().collect();
        let unfinished = cells.len() < total;
        if cells.is_empty() {
            return Ok(Findings { unfinished, ..self.keep_all(&state, words::no_time())? });
        }
        let curve = Curve::of(&cells, &sizes, self.proposers.len(), demand);
        let returned = self.chosen(&curve, &sizes);
        let (size, method) = returned.map_or((0, 0), |chosen| (chosen.size, chosen.method));
        let proposer = self.proposers[method];
        let order = match self.run.stop().ended_early() {
            // There is no time for the method on all data.
            Some(_) => by_survival(&self.features, &cells, method),
            None => self.final_order(proposer, &sizes)?,
        };
        let found = self.findings(&order, sizes[size])?;
        let set_of = |size: &Size| {
            let set = CostCap::new(&self.run.constraints, *size).take(&order);
            set.iter().map(|&f| self.engine.schema().features.get(f).id).collect()
        };
        let tested = SizeFindings {
            methods: &state.methods,
            sizes: &sizes,
            sets: sizes.iter().map(set_of).collect(),
            tried: curve.candidates.iter().filter(|one| one.method == method).collect(),
            returned: returned.map(|chosen| chosen.size),
            all: &curve.all,
            queries: curve.queries.iter().map(|&q| self.all.schema().query_id(q)).collect(),
            repetitions: cells.len().div_ceil(folds),
        };
        let advice = Advice::of(self.auto, tested, found.selected.len() < self.usable.len());
        let set = words::ReturnedSet {
            features: found.selected.len(),
            all: self.usable.len(),
            method: proposer.name(),
            share: state.share,
        };
        Ok(Findings {
            notes: words::notes(&advice, &set),
            unfinished,
            advice: Some(advice),
            ..found
        })
    }

    /// Runs the cells that the state does not contain, and saves the state after each.
    fn run_cells(&self, state: &mut State, sizes: &[Size]) -> Result<()> {
        let AutoSelector { folds, .. } = *self.auto;
        let (share, total) = (state.share, state.repetitions * folds);
        for repetition in 0..state.repetitions {
            let cells = (0..folds).map(|fold| repetition * folds + fold);
            let missing: Vec<usize> =
                cells.filter(|cell| !state.cells.contains_key(cell)).collect();
            let state = Mutex::new(&mut *state);
            let finished = missing.par_iter().try_for_each(|&cell| {
                let queries = CellQueries {
                    fold: cell % folds,
                    holds_out: true,
                    ..self.queries(repetition, share)
                };
                let parts = Cell::new(self.auto, self.all, queries, &self.usable)?;
                let runner = CellRunner::new(self.auto, self.run, &parts, &self.features);
                let result = runner.run(&self.usable, &self.proposers, sizes)?;
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                state.cells.insert(cell, result);
                self.run.save(&**state)?;
                self.run.step("cross-fitting", state.cells.len() as u64, Some(total as u64))
            });
            if self.run.unless_stopped(finished)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// The division of the queries of a repetition, of which `share` are used.
    fn queries(&self, repetition: usize, share: f64) -> CellQueries {
        let folds = self.auto.folds;
        let seed = stream(self.run.seed, Purpose::Folds, repetition as u64).next_u64();
        let keys = &self.all.schema().query_keys;
        let parts = QueryFolds::of_share(keys, folds * folds, share, seed);
        CellQueries { parts, folds, fold: 0, holds_out: false }
    }

    /// The smallest candidate that passes, with the highest bound among equals; if none does, the
    /// best of the largest size that the constraints allow.
    fn chosen<'c>(&self, curve: &'c Curve, sizes: &[Size]) -> Option<&'c Candidate> {
        let passes = |one: &&Candidate| {
            sizes[one.size].is_allowed
                && one.effectiveness.holds
                && (self.auto.risk != RiskRule::Require || one.risk.holds)
        };
        let passed = curve.candidates.iter().filter(passes).reduce(|best, next| {
            let bound = |one: &Candidate| one.effectiveness.lower_bound;
            let is_better =
                next.size > best.size || next.size == best.size && bound(next) > bound(best);
            if is_better { next } else { best }
        });
        passed.or_else(|| curve.best(first_allowed(sizes)))
    }

    /// The set of a size from an order of the features.
    fn findings(&self, order: &[FeatureId], size: Size) -> Result<Findings> {
        let set = CostCap::new(&self.run.constraints, size).take(order);
        let rest: Vec<FeatureId> = order.iter().filter(|f| !set.contains(f)).copied().collect();
        let scores = scored(&[&set[..], &rest].concat());
        let (own, others) = scores.split_at(set.len());
        self.candidates.select(self.run, self.engine, own, others)
    }

    /// The order of one method on all data.
    fn final_order(&self, proposer: Proposer, sizes: &[Size]) -> Result<Vec<FeatureId>> {
        let whole = |fold: usize| {
            let queries = CellQueries { fold, ..self.queries(0, 1.0) };
            Cell::new(self.auto, self.all, queries, &self.usable)
        };
        match proposer {
            Proposer::Order(_) => {
                let cell = whole(0)?;
                CellRunner::new(self.auto, self.run, &cell, &self.features).order(proposer)
            }
            Proposer::Elimination => self.eliminate(&whole(0)?, sizes),
        }
    }

    /// An order that takes little data and time: by the measures of single features.
    fn order_alone(&self) -> Result<Vec<FeatureId>> {
        let values = feature_means(self.all, &self.auto.measure, &self.features)?;
        let alone: Vec<(FeatureId, f64)> = self.features.iter().copied().zip(values).collect();
        Ok(by_importance_per_cost(&self.run.constraints, &alone))
    }

    /// Elimination on all data; features that stayed longest come first.
    fn eliminate(&self, cell: &Cell<'_>, sizes: &[Size]) -> Result<Vec<FeatureId>> {
        let runner = CellRunner::new(self.auto, self.run, cell, &self.features);
        let ranker = self.auto.ranker_with(&runner.tuned(&self.usable)?)?;
        let ranked = |set: &[FeatureId]| -> Result<Vec<FeatureId>> {
            let importance = runner.importance(ranker.as_ref(), set)?;
            Ok(by_importance_per_cost(&self.run.constraints, &importance))
        };
        let (mut left, mut gone) = (self.features.clone(), Vec::new());
        for (done, &size) in sizes.iter().enumerate().skip(1) {
            let order = ranked(&left)?;
            let mut set = CostCap::new(&self.run.constraints, size).take(&order);
            let leaving: Vec<FeatureId> = order.into_iter().filter(|f| !set.contains(f)).collect();
            gone.splice(0..0, leaving);
            set.sort_unstable();
            left = set;
            self.run.step("eliminating features", done as u64, Some(sizes.len() as u64))?;
        }
        let mut order = ranked(&left)?;
        order.extend(gone);
        Ok(order)
    }
}

/// The place of the largest size that the constraints allow.
fn first_allowed(sizes: &[Size]) -> usize {
    sizes.iter().position(|size| size.is_allowed).unwrap_or(0)
}

/// Features by the number of sets of one method that contain them, in all cells; ties by column.
fn by_survival(features: &[FeatureId], cells: &[CellResult], method: usize) -> Vec<FeatureId> {
    let sets = || cells.iter().flat_map(|cell| &cell.tried[method]);
    let count = |f: &FeatureId| sets().filter(|tried| tried.set.contains(f)).count();
    let mut order = features.to_vec();
    order.sort_by_key(|f| (std::cmp::Reverse(count(f)), *f));
    order
}

/// Features with scores that express only their order.
fn scored(order: &[FeatureId]) -> Vec<(FeatureId, f64)> {
    let count = order.len() as f64;
    order.iter().enumerate().map(|(place, &f)| (f, (count - place as f64) / count)).collect()
}
