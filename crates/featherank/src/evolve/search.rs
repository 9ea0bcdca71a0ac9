//! The search: generation after generation, the same for every algorithm.

use std::collections::HashSet;
use std::ops::ControlFlow;

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::dominance::Relation;
use super::problem::Problem;
use super::state::{Individual, State};
use super::tournament::Tournaments;
use crate::random::{Purpose, Stream, stream};

/// What every algorithm can be told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// How many are born in a generation.
    pub population: usize,
    /// How many generations follow the random one.
    pub generations: u64,
    /// The probability that two parents are crossed; otherwise their children are like them.
    pub crossover: f64,
    /// How many enter the tournament for a parent.
    pub tournament: usize,
}

/// Who survives and who has children.
pub trait Algorithm<G, E> {
    /// What it was told.
    fn settings(&self) -> &Settings;

    /// Those who may have children.
    fn parents<'s>(&self, state: &'s State<G, E>) -> &'s [Individual<G, E>];

    /// Whether one of two who may have children is preferred to the other.
    fn beats(&self, one: &Individual<G, E>, other: &Individual<G, E>) -> bool {
        one.fitness < other.fitness
    }

    /// Takes in the children of a generation, decides who survives and gives everybody their
    /// fitness.
    ///
    /// `known` says who dominates whom among [`parents`](Self::parents), or nothing yet, and must
    /// say so again afterwards. It saves comparisons and never changes what comes out.
    fn survive(
        &self,
        state: &mut State<G, E>,
        children: Vec<Individual<G, E>>,
        known: &mut Relation,
    );
}

/// Searches until the last generation or until the observer says stop, from the start or from a
/// saved state.
///
/// The random numbers of generation g are `stream(seed, Purpose::Evolution, g)` and nothing is kept
/// outside the state. So going on from a state that was saved after any generation, with the same
/// problem, algorithm and seed, ends in the same bytes as not stopping. Searches of one run that
/// must differ need different seeds.
///
/// The observer sees the state after each generation, also after the random one.
///
/// # Errors
/// If the problem cannot be evaluated. The state the observer saw last is the one to go on from.
pub fn run<P: Problem, A: Algorithm<P::Genome, P::Evaluation>>(
    problem: &mut P,
    algorithm: &A,
    seed: u64,
    saved: Option<State<P::Genome, P::Evaluation>>,
    mut observe: impl FnMut(&State<P::Genome, P::Evaluation>) -> ControlFlow<()>,
) -> Result<State<P::Genome, P::Evaluation>, P::Error> {
    let next = saved.as_ref().map_or(0, |state| state.generation + 1);
    let mut state = saved.unwrap_or_else(State::empty);
    let mut known = Relation::default();
    for generation in next..=algorithm.settings().generations {
        let mut rng = stream(seed, Purpose::Evolution, generation);
        let genomes = breed(problem, algorithm, &state, generation, &mut rng);
        let evaluations = problem.evaluate(&genomes)?;
        debug_assert_eq!(genomes.len(), evaluations.len(), "an evaluation for each genome");
        let born = |(genome, evaluation)| Individual { genome, evaluation, fitness: 0.0 };
        let children = genomes.into_iter().zip(evaluations).map(born).collect();
        algorithm.survive(&mut state, children, &mut known);
        state.generation = generation;
        if observe(&state).is_break() {
            break;
        }
    }
    Ok(state)
}

/// How many genomes may be bred for each one wanted before copies are accepted: small problems have
/// too few genomes.
const ATTEMPTS: usize = 100;

/// The genomes of a generation: exactly as many as were asked for, random ones where there are no
/// parents.
///
/// A child that is a copy of one of the parents or of a sibling tells nothing new and crowds out
/// others, so that another is bred in its place as long as the attempts last.
fn breed<P: Problem, A: Algorithm<P::Genome, P::Evaluation>>(
    problem: &P,
    algorithm: &A,
    state: &State<P::Genome, P::Evaluation>,
    generation: u64,
    rng: &mut Stream,
) -> Vec<P::Genome> {
    let (settings, parents) = (algorithm.settings(), algorithm.parents(state));
    let mut known: HashSet<P::Genome> = parents.iter().map(|one| one.genome.clone()).collect();
    let beats = |one: usize, other: usize| algorithm.beats(&parents[one], &parents[other]);
    let mut tournaments = Tournaments::new(parents.len(), settings.tournament);
    let mut genomes = Vec::with_capacity(settings.population);
    let mut bred = 0;
    while genomes.len() < settings.population {
        let children = match (tournaments.next(beats, rng), tournaments.next(beats, rng)) {
            (Some(a), Some(b)) => {
                let (a, b) = (&parents[a].genome, &parents[b].genome);
                let crossed = rng.random::<f64>() < settings.crossover;
                let (a, b) =
                    if crossed { problem.cross(a, b, rng) } else { (a.clone(), b.clone()) };
                [a, b].map(|child| problem.mutate(child, generation, rng)).to_vec()
            }
            _ => vec![problem.initial(bred, rng)],
        };
        for child in children.into_iter().map(|child| problem.repair(child)) {
            bred += 1;
            let copies_accepted = bred > ATTEMPTS * settings.population;
            if known.insert(child.clone()) || copies_accepted {
                genomes.push(child);
            }
        }
    }
    genomes.truncate(settings.population);
    genomes
}
