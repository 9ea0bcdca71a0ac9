//! The three searches in sequence, from the start or resumed from a checkpoint.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::accuracy::Accuracy;
use super::ensemble::Combination;
use super::feature_selection::{Adaptive, FeatureChoice, TrainedSubset, Weighted};
use super::instance_selection::{InstanceShares, PairChoice};
use super::pair_svm::PairSvm;
use super::pairs::{Pair, for_many_models, of_genome};
use super::preconditioner::Preconditioner;
use super::rows::OrderedRows;
use crate::error::{Error, Result};
use crate::evolve::{
    self, Bits, Memo, Mixed, Nsga2Survival, Pareto, SearchProblem, SearchSettings, SearchState,
    front,
};
use crate::random::{Purpose, stream};
use crate::run::Run;
use crate::select::subsets::SubsetRepair;

/// The parameters of the searches.
#[derive(Debug, Clone)]
pub(super) struct Searches {
    pub population: usize,
    /// The number of generations of each phase.
    pub generations: [u64; 3],
    pub crossover: f64,
    pub pair_mutation: f64,
    pub shares: InstanceShares,
    pub instance_selection: bool,
    pub adaptive: bool,
    pub ensemble: bool,
}

/// The inputs of the searches.
pub(super) struct SearchInputs<'a> {
    pub rows: &'a OrderedRows,
    pub pairs: &'a [Pair],
    pub svm: &'a PairSvm,
    pub preconditioner: &'a Preconditioner,
    pub accuracy: &'a Accuracy<'a>,
    pub repair: &'a SubsetRepair,
    /// The accuracy of every feature alone.
    pub alone: &'a [f64],
    pub run: &'a Run,
    /// Set when a search ends before its last generation.
    pub unfinished: Cell<bool>,
}

/// The state of the searches: all that is needed to resume.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PhaseProgress<'a> {
    Pairs(Cow<'a, SearchState<Bits, [f64; 2]>>),
    Features { subsets: Cow<'a, [Bits]>, search: Option<Cow<'a, SearchState<Bits, TrainedSubset>>> },
    Ensemble { found: Cow<'a, Features>, search: Option<Cow<'a, SearchState<Mixed, [f64; 2]>>> },
}

impl PhaseProgress<'_> {
    /// Whether this is a state of searches among so many pairs and features.
    pub fn fits(&self, pairs: usize, features: usize) -> bool {
        let are = |genomes: &[Bits], length: usize| {
            !genomes.is_empty() && genomes.iter().all(|genome| genome.length() == length)
        };
        match self {
            PhaseProgress::Pairs(search) => has(search, |genome, _| genome.length() == pairs),
            PhaseProgress::Features { subsets, search } => {
                are(subsets, pairs)
                    && search.as_ref().is_none_or(|search| {
                        has(search, |genome, trained| {
                            genome.length() == features && trained.weights.len() == genome.count()
                        })
                    })
            }
            PhaseProgress::Ensemble { found, search } => {
                let used = found.used(features);
                used.is_some_and(|used| {
                    let reals = used * found.members.len();
                    search.as_ref().is_none_or(|search| {
                        has(search, |genome, _| {
                            genome.bits.length() == used && genome.reals.len() == reals
                        })
                    })
                })
            }
        }
    }
}

/// Whether a search has individuals, all of which fit.
fn has<G: Clone, E: Clone>(search: &SearchState<G, E>, fits: impl Fn(&G, &E) -> bool) -> bool {
    let mut all = search.population.iter().chain(&search.archive);
    !search.population.is_empty()
        && all.all(|one| !one.fitness.is_nan() && fits(&one.genome, &one.evaluation))
}

/// The results of the second phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Features {
    /// The mean number of pairs in the sets of pairs.
    pub pairs: f64,
    /// The nondominated rankers.
    pub members: Vec<Weighted>,
    /// Their accuracies.
    pub accuracies: Vec<f64>,
}

impl Features {
    /// The number of features that some ranker uses; `None` if the parts contradict each other.
    fn used(&self, features: usize) -> Option<usize> {
        let is_whole = |member: &Weighted| {
            member.weights.len() == member.features.len()
                && member.features.iter().all(|&feature| feature < features)
        };
        let are_whole = !self.members.is_empty()
            && self.accuracies.len() == self.members.len()
            && self.members.iter().all(is_whole);
        let used: BTreeSet<usize> =
            self.members.iter().flat_map(|member| member.features.iter().copied()).collect();
        are_whole.then_some(used.len())
    }
}

/// A nondominated model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FrontModel {
    pub model: Weighted,
    pub accuracy: f64,
}

/// The results of all phases.
pub(super) struct PhaseResults {
    /// The nondominated models: fewest features first, then the most accurate.
    pub models: Vec<FrontModel>,
    /// The number of rankers of the second phase that use each feature.
    pub used: Vec<usize>,
    /// The mean number of pairs in the sets of pairs.
    pub pairs: f64,
}

/// Called after every generation with the phase, the generation and the state to resume from;
/// decides whether the search continues.
pub(super) type PhaseObserver<'w> =
    dyn FnMut(Phase, u64, &PhaseProgress<'_>) -> Result<ControlFlow<()>> + 'w;

/// One of the three searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Pairs = 1,
    Features = 2,
    Ensemble = 3,
}

impl Phase {
    /// The time that a generation takes, in generations of the last phase, which trains no ranker.
    fn cost(self) -> u64 {
        match self {
            Phase::Pairs | Phase::Features => 25,
            Phase::Ensemble => 1,
        }
    }
}

impl Searches {
    /// Runs all searches. A stopped run ends the current phase and makes the first generation of
    /// each later one; the last phase is left out if there is no time for it.
    pub fn run(
        &self,
        inputs: &SearchInputs<'_>,
        saved: Option<PhaseProgress<'_>>,
        observe: &mut PhaseObserver<'_>,
    ) -> Result<PhaseResults> {
        let (mut pairs, mut subsets, mut features, mut found, mut ensemble) =
            (None, None, None, None, None);
        match saved {
            None => {}
            Some(PhaseProgress::Pairs(search)) => pairs = Some(search.into_owned()),
            Some(PhaseProgress::Features { subsets: known, search }) => {
                subsets = Some(known.into_owned());
                features = search.map(Cow::into_owned);
            }
            Some(PhaseProgress::Ensemble { found: known, search }) => {
                found = Some(known.into_owned());
                ensemble = search.map(Cow::into_owned);
            }
        }
        let found = match found {
            Some(found) => found,
            None => {
                let subsets = match subsets {
                    Some(subsets) => subsets,
                    None => self.choose_pairs(inputs, pairs, observe)?,
                };
                self.choose_features(inputs, &subsets, features, observe)?
            }
        };
        let mut used = vec![0; inputs.rows.width()];
        found.members.iter().flat_map(|member| &member.features).for_each(|&k| used[k] += 1);
        let pairs = found.pairs;
        let models = self.combine(inputs, found, ensemble, observe)?;
        Ok(PhaseResults { models, used, pairs })
    }

    /// The work that is done after a generation of a phase, and that of all phases, in generations
    /// of the last phase; the first generation of each, which is random, counts.
    pub fn work_done(&self, phase: Phase, generation: u64) -> (u64, u64) {
        let phases = [Phase::Pairs, Phase::Features, Phase::Ensemble];
        let all = phases.map(|phase| match phase {
            Phase::Pairs if !self.instance_selection => 0,
            Phase::Ensemble if !self.ensemble => 0,
            _ => phase.cost() * (self.generations[phase as usize - 1] + 1),
        });
        let before: u64 = all[..phase as usize - 1].iter().sum();
        (before + phase.cost() * (generation + 1), all.iter().sum())
    }

    fn choose_pairs(
        &self,
        inputs: &SearchInputs<'_>,
        saved: Option<SearchState<Bits, [f64; 2]>>,
        observe: &mut PhaseObserver<'_>,
    ) -> Result<Vec<Bits>> {
        if !self.instance_selection {
            return Ok(vec![Bits::from_range(inputs.pairs.len(), 0..inputs.pairs.len())]);
        }
        let start = inputs.preconditioner.start((0..inputs.rows.width()).collect());
        let mut problem = PairChoice {
            run: inputs.run,
            rows: inputs.rows,
            pairs: inputs.pairs,
            svm: inputs.svm,
            start: &start,
            accuracy: inputs.accuracy,
            shares: self.shares,
            population: self.population,
            mutation: self.pair_mutation,
        };
        let state = self.evolve(&mut problem, Phase::Pairs, inputs, saved, |state| {
            let progress = PhaseProgress::Pairs(Cow::Borrowed(state));
            observe(Phase::Pairs, state.generation, &progress)
        })?;
        Ok(distinct(front(&state.population).map(|individual| individual.genome.clone())))
    }

    fn choose_features(
        &self,
        inputs: &SearchInputs<'_>,
        subsets: &[Bits],
        saved: Option<SearchState<Bits, TrainedSubset>>,
        observe: &mut PhaseObserver<'_>,
    ) -> Result<Features> {
        let adaptive = match self.adaptive {
            true => {
                let correlations = inputs.rows.correlations(inputs.run.stop())?;
                Some(Adaptive::new(inputs.alone, &correlations))
            }
            false => None,
        };
        let in_form = |subset: &Bits| {
            for_many_models(
                inputs.rows,
                of_genome(inputs.pairs, subset),
                &inputs.preconditioner.weights,
            )
        };
        let mut problem = Memo::new(FeatureChoice {
            run: inputs.run,
            svm: inputs.svm,
            preconditioner: inputs.preconditioner,
            subsets: subsets.iter().map(in_form).collect(),
            accuracy: inputs.accuracy,
            repair: inputs.repair,
            adaptive: adaptive.as_ref(),
        });
        let state = self.evolve(&mut problem, Phase::Features, inputs, saved, |state| {
            let search = Some(Cow::Borrowed(state));
            let progress = PhaseProgress::Features { subsets: Cow::Borrowed(subsets), search };
            observe(Phase::Features, state.generation, &progress)
        })?;
        let best = front(&state.population).map(|one| (one.genome.clone(), one.evaluation.clone()));
        let best = distinct(best);
        let sizes = subsets.iter().map(|subset| subset.count() as f64);
        Ok(Features {
            pairs: sizes.sum::<f64>() / subsets.len() as f64,
            accuracies: best.iter().map(|(_, trained)| 1.0 - trained.objectives[1]).collect(),
            members: best
                .into_iter()
                .map(|(set, trained)| Weighted {
                    features: set.ones().collect(),
                    weights: trained.weights,
                })
                .collect(),
        })
    }

    fn combine(
        &self,
        inputs: &SearchInputs<'_>,
        found: Features,
        saved: Option<SearchState<Mixed, [f64; 2]>>,
        observe: &mut PhaseObserver<'_>,
    ) -> Result<Vec<FrontModel>> {
        let mut problem =
            Combination::new(inputs.run, inputs.accuracy, inputs.repair, &found.members);
        let state = match self.ensemble {
            true => {
                let report = |state: &SearchState<Mixed, [f64; 2]>| {
                    let search = Some(Cow::Borrowed(state));
                    let progress = PhaseProgress::Ensemble { found: Cow::Borrowed(&found), search };
                    observe(Phase::Ensemble, state.generation, &progress)
                };
                match self.evolve(&mut problem, Phase::Ensemble, inputs, saved, report) {
                    Err(Error::Stopped(_)) if inputs.run.best_so_far => {
                        inputs.run.stop().grant_grace();
                        inputs.unfinished.set(true);
                        None
                    }
                    state => Some(state?),
                }
            }
            false => None,
        };
        let mut models: Vec<FrontModel> = match state {
            Some(state) => {
                let best = front(&state.population).map(|one| (one.genome.clone(), one.evaluation));
                let front_model = |(genome, objectives): (Mixed, [f64; 2])| FrontModel {
                    model: problem.model(&genome),
                    accuracy: 1.0 - objectives[1],
                };
                distinct(best).into_iter().map(front_model).collect()
            }
            // Without a sum of rankers, the rankers themselves.
            None => {
                let members = found.members.into_iter().zip(found.accuracies);
                members.map(|(model, accuracy)| FrontModel { model, accuracy }).collect()
            }
        };
        models.sort_by(|a, b| {
            let size = |front_model: &FrontModel| front_model.model.features.len();
            let sizes = size(a).cmp(&size(b));
            sizes
                .then(b.accuracy.total_cmp(&a.accuracy))
                .then(a.model.features.cmp(&b.model.features))
        });
        Ok(models)
    }

    fn evolve<P: SearchProblem<Error = Error>>(
        &self,
        problem: &mut P,
        phase: Phase,
        inputs: &SearchInputs<'_>,
        saved: Option<SearchState<P::Genome, P::Evaluation>>,
        report: impl FnMut(&SearchState<P::Genome, P::Evaluation>) -> Result<ControlFlow<()>>,
    ) -> Result<SearchState<P::Genome, P::Evaluation>>
    where
        P::Evaluation: AsRef<[f64]> + Sync,
    {
        let generations = self.generations[phase as usize - 1];
        let settings = SearchSettings {
            population: self.population,
            generations,
            crossover: self.crossover,
            tournament: 2,
        };
        let algorithm = Nsga2Survival { settings, dominance: Pareto };
        let seed = seed_of(inputs.run.seed, phase as u64);
        let state = evolve::run(problem, &algorithm, seed, saved, report)?;
        if state.generation < generations {
            inputs.unfinished.set(true);
        }
        Ok(state)
    }
}

/// A seed for one part of the method, so that parts draw different random numbers.
pub(super) fn seed_of(seed: u64, part: u64) -> u64 {
    stream(seed, Purpose::Phases, part).next_u64()
}

/// Distinct values, in the order of their first occurrence.
fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    all.fold(Vec::new(), |mut known, next| {
        if !known.contains(&next) {
            known.push(next);
        }
        known
    })
}
