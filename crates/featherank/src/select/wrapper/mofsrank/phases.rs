//! The three searches one after the other, from the start or resumed from a checkpoint.

use std::borrow::Cow;
use std::ops::ControlFlow;

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::accuracy::Accuracy;
use super::ensemble::Combination;
use super::feature_selection::{Adaptive, FeatureChoice, TrainedSubset, Weighted};
use super::instance_selection::{PairChoice, Shares};
use super::pair_svm::{Guide, PairSvm};
use super::pairs::{Pair, for_many_models, of_genome};
use super::rows::OrderedRows;
use crate::error::{Error, Result};
use crate::evolve::{
    Bits, Memo, Mixed, Nsga2, Pareto, Problem, SearchSettings, SearchState, front, run,
};
use crate::random::{Purpose, stream};
use crate::select::subsets::SubsetRepair;

/// The parameters of the searches.
#[derive(Debug, Clone)]
pub(super) struct Searches {
    pub population: usize,
    /// Of each phase.
    pub generations: [u64; 3],
    pub crossover: f64,
    pub pair_mutation: f64,
    pub shares: Shares,
    pub instance_selection: bool,
    pub adaptive: bool,
    pub ensemble: bool,
}

/// The inputs of the searches.
pub(super) struct SearchInputs<'a> {
    pub rows: &'a OrderedRows,
    pub pairs: &'a [Pair],
    pub svm: &'a PairSvm,
    pub guide: &'a Guide,
    pub accuracy: &'a Accuracy<'a>,
    pub repair: &'a SubsetRepair,
    /// The accuracy of every feature alone.
    pub alone: &'a [f64],
    pub seed: u64,
}

/// The state of the searches: all that is needed to resume.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Progress<'a> {
    Pairs(Cow<'a, SearchState<Bits, [f64; 2]>>),
    Features { subsets: Cow<'a, [Bits]>, search: Option<Cow<'a, SearchState<Bits, TrainedSubset>>> },
    Ensemble { found: Cow<'a, Features>, search: Option<Cow<'a, SearchState<Mixed, [f64; 2]>>> },
}

/// The results of the second phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Features {
    /// The mean number of pairs in the sets of pairs.
    pub pairs: f64,
    /// Rankers that none other dominates.
    pub members: Vec<Weighted>,
    /// Their accuracies.
    pub accuracies: Vec<f64>,
}

/// A model that no other dominates.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Finalist {
    pub model: Weighted,
    pub accuracy: f64,
}

/// The results of all phases.
pub(super) struct PhaseResults {
    /// Fewest features first, then the most accurate.
    pub finalists: Vec<Finalist>,
    /// The number of rankers of the second phase that use each feature.
    pub used: Vec<usize>,
    /// The mean number of pairs in the sets of pairs.
    pub pairs: f64,
}

/// Called after every generation with the phase, the generation, the number of generations and the
/// state to resume from; decides whether the search continues.
pub(super) type PhaseObserver<'w> =
    dyn FnMut(Phase, u64, u64, &Progress<'_>) -> Result<ControlFlow<()>> + 'w;

/// One of the three searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Pairs = 1,
    Features = 2,
    Ensemble = 3,
}

impl Searches {
    /// Runs all searches. When time runs out, the current phase stops and each later phase runs its
    /// first generation only.
    pub fn run(
        &self,
        inputs: &SearchInputs<'_>,
        saved: Option<Progress<'_>>,
        watch: &mut PhaseObserver<'_>,
    ) -> Result<PhaseResults> {
        let (mut pairs, mut subsets, mut features, mut found, mut ensemble) =
            (None, None, None, None, None);
        match saved {
            None => {}
            Some(Progress::Pairs(search)) => pairs = Some(search.into_owned()),
            Some(Progress::Features { subsets: known, search }) => {
                subsets = Some(known.into_owned());
                features = search.map(Cow::into_owned);
            }
            Some(Progress::Ensemble { found: known, search }) => {
                found = Some(known.into_owned());
                ensemble = search.map(Cow::into_owned);
            }
        }
        let found = match found {
            Some(found) => found,
            None => {
                let subsets = match subsets {
                    Some(subsets) => subsets,
                    None => self.choose_pairs(inputs, pairs, watch)?,
                };
                self.choose_features(inputs, &subsets, features, watch)?
            }
        };
        let mut used = vec![0; inputs.rows.width()];
        found.members.iter().flat_map(|member| &member.features).for_each(|&k| used[k] += 1);
        let pairs = found.pairs;
        let finalists = self.combine(inputs, found, ensemble, watch)?;
        Ok(PhaseResults { finalists, used, pairs })
    }

    fn choose_pairs(
        &self,
        inputs: &SearchInputs<'_>,
        saved: Option<SearchState<Bits, [f64; 2]>>,
        watch: &mut PhaseObserver<'_>,
    ) -> Result<Vec<Bits>> {
        if !self.instance_selection {
            return Ok(vec![Bits::from_range(inputs.pairs.len(), 0..inputs.pairs.len())]);
        }
        let start = inputs.guide.start((0..inputs.rows.width()).collect());
        let mut problem = PairChoice {
            rows: inputs.rows,
            pairs: inputs.pairs,
            svm: inputs.svm,
            start: &start,
            accuracy: inputs.accuracy,
            shares: self.shares,
            population: self.population,
            mutation: self.pair_mutation,
        };
        let state =
            self.evolve(&mut problem, Phase::Pairs, inputs.seed, saved, |state, generations| {
                watch(
                    Phase::Pairs,
                    state.generation,
                    generations,
                    &Progress::Pairs(Cow::Borrowed(state)),
                )
            })?;
        Ok(distinct(front(&state.population).map(|individual| individual.genome.clone())))
    }

    fn choose_features(
        &self,
        inputs: &SearchInputs<'_>,
        subsets: &[Bits],
        saved: Option<SearchState<Bits, TrainedSubset>>,
        watch: &mut PhaseObserver<'_>,
    ) -> Result<Features> {
        let adaptive =
            self.adaptive.then(|| Adaptive::new(inputs.alone, &inputs.rows.correlations()));
        let in_form = |subset: &Bits| {
            for_many_models(inputs.rows, of_genome(inputs.pairs, subset), &inputs.guide.weights)
        };
        let mut problem = Memo::new(FeatureChoice {
            svm: inputs.svm,
            guide: inputs.guide,
            subsets: subsets.iter().map(in_form).collect(),
            accuracy: inputs.accuracy,
            repair: inputs.repair,
            adaptive: adaptive.as_ref(),
        });
        let state = self.evolve(
            &mut problem,
            Phase::Features,
            inputs.seed,
            saved,
            |state, generations| {
                let search = Some(Cow::Borrowed(state));
                let progress = Progress::Features { subsets: Cow::Borrowed(subsets), search };
                watch(Phase::Features, state.generation, generations, &progress)
            },
        )?;
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
        watch: &mut PhaseObserver<'_>,
    ) -> Result<Vec<Finalist>> {
        let mut finalists: Vec<Finalist> = if self.ensemble {
            let mut problem = Combination::new(inputs.accuracy, inputs.repair, &found.members);
            let state = self.evolve(
                &mut problem,
                Phase::Ensemble,
                inputs.seed,
                saved,
                |state, generations| {
                    let search = Some(Cow::Borrowed(state));
                    let progress = Progress::Ensemble { found: Cow::Borrowed(&found), search };
                    watch(Phase::Ensemble, state.generation, generations, &progress)
                },
            )?;
            let best = front(&state.population).map(|one| (one.genome.clone(), one.evaluation));
            let finalist = |(genome, objectives): (Mixed, [f64; 2])| Finalist {
                model: problem.model(&genome),
                accuracy: 1.0 - objectives[1],
            };
            distinct(best).into_iter().map(finalist).collect()
        } else {
            let members = found.members.into_iter().zip(found.accuracies);
            members.map(|(model, accuracy)| Finalist { model, accuracy }).collect()
        };
        finalists.sort_by(|a, b| {
            let size = |finalist: &Finalist| finalist.model.features.len();
            let sizes = size(a).cmp(&size(b));
            sizes
                .then(b.accuracy.total_cmp(&a.accuracy))
                .then(a.model.features.cmp(&b.model.features))
        });
        Ok(finalists)
    }

    fn evolve<P: Problem<Error = Error>>(
        &self,
        problem: &mut P,
        phase: Phase,
        seed: u64,
        saved: Option<SearchState<P::Genome, P::Evaluation>>,
        mut tell: impl FnMut(&SearchState<P::Genome, P::Evaluation>, u64) -> Result<ControlFlow<()>>,
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
        let algorithm = Nsga2 { settings, dominance: Pareto };
        run(problem, &algorithm, seed_of(seed, phase as u64), saved, |state| {
            tell(state, generations)
        })
    }
}

/// A seed for one part of the method, so that parts draw different numbers.
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
