//! The three searches one after the other, from the start or from wherever an interrupted run left
//! them.

use std::borrow::Cow;
use std::ops::ControlFlow;

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::accuracy::Accuracy;
use super::ensemble::Combination;
use super::feature_selection::{Adaptive, FeatureChoice, Weighted, Worth};
use super::instance_selection::{PairChoice, Shares};
use super::limits::Limits;
use super::pair_svm::{Guide, PairSvm};
use super::pairs::{Pair, for_many_models, of_genome};
use super::rows::Rows;
use crate::error::{Error, Result};
use crate::evolve::{
    Bits, Memo, Mixed, Nsga2, Pareto, Problem, SearchSettings, SearchState, front, run,
};
use crate::random::{Purpose, stream};

/// What the method was told.
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

/// What the searches look at.
pub(super) struct Ground<'a> {
    pub rows: &'a Rows,
    pub pairs: &'a [Pair],
    pub svm: &'a PairSvm,
    pub guide: &'a Guide,
    pub accuracy: &'a Accuracy<'a>,
    pub limits: &'a Limits,
    /// The accuracy of every feature alone.
    pub alone: &'a [f64],
    pub seed: u64,
}

/// How far the searches have come: all that is needed to go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Progress<'a> {
    Pairs(Cow<'a, SearchState<Bits, [f64; 2]>>),
    Features { subsets: Cow<'a, [Bits]>, search: Option<Cow<'a, SearchState<Bits, Worth>>> },
    Ensemble { found: Cow<'a, Features>, search: Option<Cow<'a, SearchState<Mixed, [f64; 2]>>> },
}

/// What the second phase leaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Features {
    /// How many pairs the sets of pairs have, on average.
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

/// What all phases leave.
pub(super) struct Found {
    /// Fewest features first, then the most accurate.
    pub finalists: Vec<Finalist>,
    /// How many rankers of the second phase use each feature.
    pub used: Vec<usize>,
    /// How many pairs the sets of pairs have, on average.
    pub pairs: f64,
}

/// Who is told of every generation: the phase, the generation and of how many, and what to go on
/// from. Says whether there is time for more.
pub(super) type Watch<'w> =
    dyn FnMut(Phase, u64, u64, &Progress<'_>) -> Result<ControlFlow<()>> + 'w;

/// One of the three searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Pairs = 1,
    Features = 2,
    Ensemble = 3,
}

impl Searches {
    /// Searches to the end. Where time runs out the phase stops with what it has, and each phase
    /// after it does its first generation alone.
    pub fn run(
        &self,
        ground: &Ground<'_>,
        saved: Option<Progress<'_>>,
        watch: &mut Watch<'_>,
    ) -> Result<Found> {
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
                    None => self.choose_pairs(ground, pairs, watch)?,
                };
                self.choose_features(ground, &subsets, features, watch)?
            }
        };
        let mut used = vec![0; ground.rows.width()];
        found.members.iter().flat_map(|member| &member.features).for_each(|&k| used[k] += 1);
        let pairs = found.pairs;
        let finalists = self.combine(ground, found, ensemble, watch)?;
        Ok(Found { finalists, used, pairs })
    }

    fn choose_pairs(
        &self,
        ground: &Ground<'_>,
        saved: Option<SearchState<Bits, [f64; 2]>>,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Bits>> {
        if !self.instance_selection {
            return Ok(vec![Bits::from_range(ground.pairs.len(), 0..ground.pairs.len())]);
        }
        let start = ground.guide.start((0..ground.rows.width()).collect());
        let mut problem = PairChoice {
            rows: ground.rows,
            pairs: ground.pairs,
            svm: ground.svm,
            start: &start,
            accuracy: ground.accuracy,
            shares: self.shares,
            population: self.population,
            mutation: self.pair_mutation,
        };
        let state =
            self.evolve(&mut problem, Phase::Pairs, ground.seed, saved, |state, generations| {
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
        ground: &Ground<'_>,
        subsets: &[Bits],
        saved: Option<SearchState<Bits, Worth>>,
        watch: &mut Watch<'_>,
    ) -> Result<Features> {
        let adaptive =
            self.adaptive.then(|| Adaptive::new(ground.alone, &ground.rows.correlations()));
        let in_form = |subset: &Bits| {
            for_many_models(ground.rows, of_genome(ground.pairs, subset), &ground.guide.weights)
        };
        let mut problem = Memo::new(FeatureChoice {
            svm: ground.svm,
            guide: ground.guide,
            subsets: subsets.iter().map(in_form).collect(),
            accuracy: ground.accuracy,
            limits: ground.limits,
            adaptive: adaptive.as_ref(),
        });
        let state = self.evolve(
            &mut problem,
            Phase::Features,
            ground.seed,
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
            accuracies: best.iter().map(|(_, worth)| 1.0 - worth.objectives[1]).collect(),
            members: best
                .into_iter()
                .map(|(set, worth)| Weighted {
                    features: set.ones().collect(),
                    weights: worth.weights,
                })
                .collect(),
        })
    }

    fn combine(
        &self,
        ground: &Ground<'_>,
        found: Features,
        saved: Option<SearchState<Mixed, [f64; 2]>>,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Finalist>> {
        let mut finalists: Vec<Finalist> = if self.ensemble {
            let mut problem = Combination::new(ground.accuracy, ground.limits, &found.members);
            let state = self.evolve(
                &mut problem,
                Phase::Ensemble,
                ground.seed,
                saved,
                |state, generations| {
                    let search = Some(Cow::Borrowed(state));
                    let progress = Progress::Ensemble { found: Cow::Borrowed(&found), search };
                    watch(Phase::Ensemble, state.generation, generations, &progress)
                },
            )?;
            let best = front(&state.population).map(|one| (one.genome.clone(), one.evaluation));
            let finalist = |(genome, worth): (Mixed, [f64; 2])| Finalist {
                model: problem.model(&genome),
                accuracy: 1.0 - worth[1],
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

/// A seed for one part of the method, so that no two draw the same numbers.
pub(super) fn seed_of(seed: u64, part: u64) -> u64 {
    stream(seed, Purpose::Phases, part).next_u64()
}

/// The first of each that are equal.
fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    all.fold(Vec::new(), |mut known, next| {
        if !known.contains(&next) {
            known.push(next);
        }
        known
    })
}
