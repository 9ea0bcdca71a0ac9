//! The search for a size: repeated cross-fitting of every method and size, the choice among the
//! candidates that pass, and the final set.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rand::Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::advice::{Advice, SizeFindings};
use super::cell::{Cell, CellQueries, CellResult, CellRunner, CrossFitting};
use super::curve::{Candidate, Curve};
use super::portfolio::{Effort, Proposer};
use super::racing::{self, OpenCandidates};
use super::sizes::{CostCap, Size, by_importance_per_cost, sizes};
use super::tuning::RankerTuning;
use super::{AutoSelector, RiskRule, words};
use crate::data::FeatureId;
use crate::engine::passes::feature_means;
use crate::engine::{Engine, QueryFolds};
use crate::error::{Error, Result};
use crate::random::{Purpose, stream};
use crate::rank::tune::Settings;
use crate::run::Run;
use crate::select::Findings;
use crate::select::candidates::Candidates;

/// The checkpoint: all that is needed to resume the search.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct State {
    /// Names of the methods, the share of the queries in the sample, and the largest number of
    /// repetitions.
    pub methods: Vec<String>,
    pub share: f64,
    pub repetitions: usize,
    /// The ranker's settings, once they are tuned.
    pub settings: Option<Settings>,
    /// Finished cells: repetition · folds + fold.
    pub cells: BTreeMap<usize, CellResult>,
}

impl State {
    /// Resumes work that was planned with the same effort; work of another plan, such as that of a
    /// shorter time limit, is of no use.
    pub fn planned(self, effort: &Effort) -> Self {
        let methods: Vec<String> =
            effort.proposers.iter().map(|proposer| proposer.name().to_owned()).collect();
        let plan = (&methods, effort.share, effort.repetitions);
        if plan == (&self.methods, self.share, self.repetitions) {
            return self;
        }
        let Effort { share, repetitions, .. } = *effort;
        State { methods, share, repetitions, ..State::default() }
    }

    /// The cells of finished repetitions, or all if no repetition is finished.
    fn complete(&self, folds: usize) -> Vec<&CellResult> {
        match self.finished(folds) {
            0 => self.cells.values().collect(),
            finished => self.cells.range(..finished * folds).map(|(_, cell)| cell).collect(),
        }
    }

    /// The number of finished repetitions; all before an unfinished one are finished.
    fn finished(&self, folds: usize) -> usize {
        (0..).find(|repetition| !self.has(*repetition, folds)).unwrap_or(0)
    }

    fn has(&self, repetition: usize, folds: usize) -> bool {
        (0..folds).all(|fold| self.cells.contains_key(&(repetition * folds + fold)))
    }
}

/// The search for a size.
pub(super) struct SizeSearch<'a> {
    pub auto: &'a AutoSelector,
    /// The run with the constraints on the features that the ranker can use.
    pub run: &'a Run,
    /// The run as the user asked for it.
    pub asked: &'a Run,
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
        let advice = Advice::of(self.auto, untested, self.lacks_any(&found));
        let kept = words::kept(found.selected.len(), self.lacks_any(&found));
        Ok(Findings { notes: vec![format!("{kept}: {why}")], advice: Some(advice), ..found })
    }

    /// Resumes from a state, and runs until repetitions suffice or the time limit is reached.
    pub fn finish(&self, mut state: State) -> Result<Findings> {
        let AutoSelector { folds, demand, .. } = *self.auto;
        let sizes = sizes(&self.run.constraints, &self.features);
        let queries = self.all.schema().queries();
        let fits = |(&place, cell): (&usize, &CellResult)| {
            place < state.repetitions * folds
                && cell.fits(self.proposers.len(), sizes.len(), queries, &self.usable)
        };
        if !state.cells.iter().all(fits) {
            return Err(self.run.misfit());
        }
        let finished = self.run_cells(&mut state, &sizes);
        let unfinished = self.run.unless_stopped(finished)?.is_none();
        let cells = state.complete(folds);
        if cells.is_empty() {
            let why = words::no_time(self.run.stop().ended_early());
            return Ok(Findings { unfinished, ..self.keep_all(&state, why)? });
        }
        let curve = Curve::of(&cells, &sizes, self.proposers.len(), demand);
        let returned = self.chosen(&curve, &sizes, &cells);
        let (size, method) = returned.map_or((0, 0), |chosen| (chosen.size, chosen.method));
        let proposer = self.proposers[method];
        let settings = state.settings.clone().unwrap_or_default();
        let order = by_consensus(&self.features, &cells, method);
        // Otherwise some folds were not held out yet.
        let is_whole = cells.len() >= folds;
        let found = self.findings(&order, sizes[size])?;
        let tested_set = sorted(CostCap::new(&self.run.constraints, sizes[size]).take(&order));
        let is_tested_set = found.columns() == self.with_unusable(tested_set);
        let set_of = |size: &Size| {
            let set = CostCap::new(&self.run.constraints, *size).take(&order);
            set.iter().map(|&f| self.engine.schema().features.get(f).id).collect()
        };
        let tested = SizeFindings {
            methods: &state.methods,
            sizes: &sizes,
            sets: sizes.iter().map(set_of).collect(),
            tried: curve.candidates.iter().filter(|one| one.method == method).collect(),
            returned: returned.filter(|_| is_tested_set && is_whole).map(|chosen| chosen.size),
            settings: &settings,
            all: &curve.all,
            queries: curve.queries.iter().map(|&q| self.all.schema().query_id(q)).collect(),
            repetitions: cells.len().div_ceil(folds),
        };
        let advice = Advice::of(self.auto, tested, self.lacks_any(&found));
        let set = words::ReturnedSet {
            features: found.selected.len(),
            lacks_any: self.lacks_any(&found),
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

    /// Tunes the ranker and runs the cells that the state does not contain; saves the state after
    /// each step.
    fn run_cells(&self, state: &mut State, sizes: &[Size]) -> Result<()> {
        let AutoSelector { folds, demand, .. } = *self.auto;
        let (share, methods) = (state.share, self.proposers.len());
        let settings = match &state.settings {
            Some(settings) => settings.clone(),
            None => {
                let divisions: Vec<CellQueries> =
                    (0..state.repetitions).map(|place| self.queries(place, share)).collect();
                let (auto, run, engine) = (self.auto, self.run, self.all);
                let tuning = RankerTuning { auto, run, engine, features: &self.usable };
                let settings = tuning.settings(&divisions)?;
                state.settings = Some(settings.clone());
                self.run.save(&*state)?;
                settings
            }
        };
        let ranker = self.auto.ranker_with(&settings)?;
        let progress = CrossFitting::new(self.run);
        // A repetition is begun if there is time for it.
        let mut longest = Duration::ZERO;
        for repetition in 0..state.repetitions {
            let curve = || {
                let earlier: Vec<&CellResult> =
                    state.cells.range(..repetition * folds).map(|(_, cell)| cell).collect();
                Curve::of(&earlier, sizes, methods, demand)
            };
            let (open, total) = match repetition {
                0 => (OpenCandidates::all(methods, sizes.len()), state.repetitions),
                _ => {
                    let curve = curve();
                    let allowed = first_allowed(sizes);
                    let open = OpenCandidates::after(repetition, &curve, allowed, sizes.len());
                    let needed = match self.auto.repetitions {
                        0 => racing::repetitions(repetition, &curve, &open),
                        asked => asked,
                    };
                    (open, needed.min(state.repetitions))
                }
            };
            let is_late = || self.run.stop().time_left().is_some_and(|left| left < longest);
            if total <= repetition || repetition > 0 && is_late() {
                break;
            }
            let began = Instant::now();
            let cells = (0..folds).map(|fold| repetition * folds + fold);
            let missing: Vec<usize> =
                cells.filter(|cell| !state.cells.contains_key(cell)).collect();
            let sets = 1 + open.count();
            progress.plan(folds * (total - repetition) * sets, (folds - missing.len()) * sets)?;
            let state = Mutex::new(&mut *state);
            missing.par_iter().try_for_each(|&cell| {
                let queries = CellQueries { fold: cell % folds, ..self.queries(repetition, share) };
                let parts = Cell::new(self.auto, ranker.as_ref(), self.all, queries, &self.usable)?;
                let runner =
                    CellRunner::new(self.auto, self.run, &parts, &self.features, &progress);
                let result =
                    runner.run(ranker.as_ref(), &self.usable, &self.proposers, sizes, &open)?;
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                state.cells.insert(cell, result);
                self.run.save(&**state)?;
                Ok::<(), Error>(())
            })?;
            longest = longest.max(began.elapsed());
        }
        Ok(())
    }

    /// The division of the queries of a repetition, of which `share` are used.
    fn queries(&self, repetition: usize, share: f64) -> CellQueries {
        let folds = self.auto.folds;
        let seed = stream(self.run.seed, Purpose::Folds, repetition as u64).next_u64();
        let keys = &self.all.schema().query_keys;
        let parts = QueryFolds::of_share(keys, folds * folds, share, seed);
        CellQueries { parts, folds, fold: 0 }
    }

    /// The smallest candidate that passes, with the highest bound among equals; if none does, the
    /// best of the largest size that the constraints allow. Candidates that were not tried in every
    /// one of these cells do not pass, and without a finished repetition none does.
    fn chosen<'c>(
        &self,
        curve: &'c Curve,
        sizes: &[Size],
        cells: &[&CellResult],
    ) -> Option<&'c Candidate> {
        let is_tried = |one: &Candidate| {
            cells.len() >= self.auto.folds
                && cells.iter().all(|cell| cell.tried[one.method][one.size].is_some())
        };
        let passes = |one: &&Candidate| {
            sizes[one.size].is_allowed
                && is_tried(one)
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

    /// Whether a result lacks any feature that the ranker can use.
    fn lacks_any(&self, found: &Findings) -> bool {
        let selected = found.columns();
        self.usable.iter().any(|f| selected.binary_search(f).is_err())
    }

    /// A set with the features to keep that the ranker cannot use, by column.
    fn with_unusable(&self, mut set: Vec<FeatureId>) -> Vec<FeatureId> {
        let missing = self.asked.constraints.keep.iter().filter(|f| !set.contains(f)).copied();
        let missing: Vec<FeatureId> = missing.collect();
        set.extend(missing);
        sorted(set)
    }

    /// The set of a size from an order of the features.
    fn findings(&self, order: &[FeatureId], size: Size) -> Result<Findings> {
        let set = CostCap::new(&self.run.constraints, size).take(order);
        let rest: Vec<FeatureId> = order.iter().filter(|f| !set.contains(f)).copied().collect();
        let scores = scored(&[&set[..], &rest].concat());
        let (own, others) = scores.split_at(set.len());
        self.candidates.select(self.asked, self.engine, own, others)
    }

    /// An order that takes little data and time: by the measures of single features.
    fn order_alone(&self) -> Result<Vec<FeatureId>> {
        let values = feature_means(self.all, &self.auto.measure, &self.features)?;
        let alone: Vec<(FeatureId, f64)> = self.features.iter().copied().zip(values).collect();
        Ok(by_importance_per_cost(&self.run.constraints, &alone))
    }
}

/// The place of the largest size that the constraints allow.
fn first_allowed(sizes: &[Size]) -> usize {
    sizes.iter().position(|size| size.is_allowed).unwrap_or(0)
}

/// The features in the order in which the sets of one method agree on them: by the share of its
/// sets that contain a feature, summed over the sizes. Ties by column.
fn by_consensus(features: &[FeatureId], cells: &[&CellResult], method: usize) -> Vec<FeatureId> {
    let sizes = cells.first().map_or(0, |cell| cell.tried[method].len());
    let share = |f: &FeatureId, size: usize| {
        let sets = || cells.iter().filter_map(|cell| cell.tried[method][size].as_ref());
        let with = sets().filter(|tried| tried.set.binary_search(f).is_ok()).count();
        with as f64 / sets().count().max(1) as f64
    };
    let support = |f: &FeatureId| (0..sizes).map(|size| share(f, size)).sum::<f64>();
    let mut order: Vec<(FeatureId, f64)> = features.iter().map(|f| (*f, support(f))).collect();
    order.sort_by(|(f, a), (g, b)| b.total_cmp(a).then(f.cmp(g)));
    order.into_iter().map(|(f, _)| f).collect()
}

fn sorted(mut set: Vec<FeatureId>) -> Vec<FeatureId> {
    set.sort_unstable();
    set
}

/// Features with scores that express only their order.
fn scored(order: &[FeatureId]) -> Vec<(FeatureId, f64)> {
    let count = order.len() as f64;
    order.iter().enumerate().map(|(place, &f)| (f, (count - place as f64) / count)).collect()
}
