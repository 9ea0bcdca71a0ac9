//! The search loop, shared by all algorithms.

use std::collections::HashSet;
use std::ops::ControlFlow;

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::dominance::Relation;
use super::problem::SearchProblem;
use super::state::{Individual, SearchState};
use super::tournament::Tournaments;
use crate::random::{Purpose, Stream, stream};

/// The settings of every algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SearchSettings {
    /// The number of offspring in each generation.
    pub population: usize,
    /// The number of generations after the random one.
    pub generations: u64,
    /// The probability that two parents are crossed; otherwise the children start as copies of
    /// them.
    pub crossover: f64,
    /// The number of individuals in each tournament for a parent.
    pub tournament: usize,
}

/// Decides which individuals survive and which have children.
pub trait Algorithm<G, E> {
    /// The settings.
    fn settings(&self) -> &SearchSettings;

    /// The individuals that may become parents.
    fn parents<'s>(&self, state: &'s SearchState<G, E>) -> &'s [Individual<G, E>];

    /// Whether `one` is preferred to `other` as a parent.
    fn beats(&self, one: &Individual<G, E>, other: &Individual<G, E>) -> bool {
        one.fitness < other.fitness
    }

    /// Takes in the children of a generation, decides which individuals survive and sets the
    /// fitness of all.
    ///
    /// `known` is the relation among [`parents`](Self::parents), or empty, and must be so again
    /// afterwards. It saves comparisons and never changes the result.
    fn survive(
        &self,
        state: &mut SearchState<G, E>,
        children: Vec<Individual<G, E>>,
        known: &mut Relation,
    );
}

/// Searches until the last generation or until the observer stops it, from the start or from a
/// saved state.
///
/// The random numbers of generation g are `stream(seed, Purpose::Evolution, g)`, and nothing is
/// kept outside the state. Resuming from the state after any generation, with the same problem,
/// algorithm and seed, therefore ends in the same bytes as an uninterrupted search. Two searches of
/// one run need different seeds to differ.
///
/// The observer sees the state after each generation, including the random one.
///
/// # Errors
/// If the problem or the observer fails. The state that the observer last accepted can be resumed.
pub fn run<P: SearchProblem, A: Algorithm<P::Genome, P::Evaluation>>(
    problem: &mut P,
    algorithm: &A,
    seed: u64,
    saved: Option<SearchState<P::Genome, P::Evaluation>>,
    mut observe: impl FnMut(&SearchState<P::Genome, P::Evaluation>) -> Result<ControlFlow<()>, P::Error>,
) -> Result<SearchState<P::Genome, P::Evaluation>, P::Error> {
    let next = saved.as_ref().map_or(0, |state| state.generation + 1);
    let mut state = saved.unwrap_or_else(SearchState::empty);
    let mut known = Relation::default();
    for generation in next..=algorithm.settings().generations {
        let mut rng = stream(seed, Purpose::Evolution, generation);
        let genomes = breed(problem, algorithm, &state, generation, &mut rng);
        let evaluations = match problem.evaluate(&genomes) {
            Ok(evaluations) => evaluations,
            Err(error) if generation == 0 => return Err(error),
            Err(error) => return problem.end_early(error).map(|()| state),
        };
        debug_assert_eq!(genomes.len(), evaluations.len(), "an evaluation for each genome");
        let offspring = |(genome, evaluation)| Individual { genome, evaluation, fitness: 0.0 };
        let children = genomes.into_iter().zip(evaluations).map(offspring).collect();
        algorithm.survive(&mut state, children, &mut known);
        state.generation = generation;
        if observe(&state)?.is_break() {
            break;
        }
    }
    Ok(state)
}

/// How many genomes may be bred for each one needed before duplicates are accepted. Small problems
/// have too few distinct genomes.
const ATTEMPTS: usize = 100;

/// Breeds the genomes of a generation: exactly `population` of them, random if there are no
/// parents.
///
/// A child equal to a parent or a sibling adds no information and displaces others, so another is
/// bred in its place until the attempts are used up.
fn breed<P: SearchProblem, A: Algorithm<P::Genome, P::Evaluation>>(
    problem: &P,
    algorithm: &A,
    state: &SearchState<P::Genome, P::Evaluation>,
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
            let accept_duplicates = bred > ATTEMPTS * settings.population;
            if known.insert(child.clone()) || accept_duplicates {
                genomes.push(child);
            }
        }
    }
    genomes.truncate(settings.population);
    genomes
}
