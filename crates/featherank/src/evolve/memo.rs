//! Caches the evaluations of genomes.

use std::collections::HashMap;

use super::problem::SearchProblem;
use crate::random::Stream;

/// A problem that evaluates no cached genome again.
///
/// Unbounded unless given a capacity. The cache is not part of a search's state: a resumed search
/// starts with an empty one, evaluates some genomes again and ends in the same bytes.
#[derive(Debug, Clone)]
pub struct Memo<P: SearchProblem> {
    problem: P,
    recent: HashMap<P::Genome, P::Evaluation>,
    /// The previous generation of the cache, dropped as a whole when `recent` is full.
    older: HashMap<P::Genome, P::Evaluation>,
    half: usize,
}

impl<P: SearchProblem> Memo<P> {
    /// Caches every genome.
    pub fn new(problem: P) -> Self {
        Self::bounded(problem, usize::MAX)
    }

    /// Caches at most `capacity` genomes, and at least the `capacity / 2` used last. For long
    /// genomes: 10,000 of 350,000 bits take 440 MB.
    pub fn bounded(problem: P, capacity: usize) -> Self {
        let half = capacity / 2;
        Self { problem, recent: HashMap::new(), older: HashMap::new(), half }
    }

    /// The wrapped problem, without the cache.
    pub fn into_problem(self) -> P {
        self.problem
    }

    fn lookup(&mut self, genome: &P::Genome) -> Option<P::Evaluation> {
        if let Some(evaluation) = self.recent.get(genome) {
            return Some(evaluation.clone());
        }
        let (genome, evaluation) = self.older.remove_entry(genome)?;
        self.store(genome, evaluation.clone());
        Some(evaluation)
    }

    fn store(&mut self, genome: P::Genome, evaluation: P::Evaluation) {
        if self.recent.len() >= self.half {
            self.older = std::mem::take(&mut self.recent);
        }
        if self.half > 0 {
            self.recent.insert(genome, evaluation);
        }
    }
}

/// Where the evaluation of a genome comes from.
enum Lookup<E> {
    Cached(E),
    /// The index among the genomes evaluated now.
    Fresh(usize),
}

impl<P: SearchProblem> SearchProblem for Memo<P> {
    type Genome = P::Genome;
    type Evaluation = P::Evaluation;
    type Error = P::Error;

    fn initial(&self, number: usize, rng: &mut Stream) -> P::Genome {
        self.problem.initial(number, rng)
    }

    fn cross(&self, a: &P::Genome, b: &P::Genome, rng: &mut Stream) -> (P::Genome, P::Genome) {
        self.problem.cross(a, b, rng)
    }

    fn mutate(&self, genome: P::Genome, generation: u64, rng: &mut Stream) -> P::Genome {
        self.problem.mutate(genome, generation, rng)
    }

    fn repair(&self, genome: P::Genome) -> P::Genome {
        self.problem.repair(genome)
    }

    fn end_early(&self, error: P::Error) -> Result<(), P::Error> {
        self.problem.end_early(error)
    }

    fn evaluate(&mut self, genomes: &[P::Genome]) -> Result<Vec<P::Evaluation>, P::Error> {
        let mut fresh: Vec<P::Genome> = Vec::new();
        let mut places = HashMap::new();
        let mut sources = Vec::with_capacity(genomes.len());
        for genome in genomes {
            if let Some(&place) = places.get(genome) {
                sources.push(Lookup::Fresh(place));
            } else if let Some(evaluation) = self.lookup(genome) {
                sources.push(Lookup::Cached(evaluation));
            } else {
                places.insert(genome, fresh.len());
                sources.push(Lookup::Fresh(fresh.len()));
                fresh.push(genome.clone());
            }
        }
        let evaluations =
            if fresh.is_empty() { Vec::new() } else { self.problem.evaluate(&fresh)? };
        let answer = |source| match source {
            Lookup::Cached(evaluation) => evaluation,
            Lookup::Fresh(place) => evaluations[place].clone(),
        };
        let answers = sources.into_iter().map(answer).collect();
        for (genome, evaluation) in fresh.into_iter().zip(evaluations) {
            self.store(genome, evaluation);
        }
        Ok(answers)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::LeadingTrailing;
    use super::*;
    use crate::evolve::Bits;

    fn genome(word: u64) -> Bits {
        Bits::from_words(8, || word)
    }

    #[test]
    fn genomes_are_evaluated_once() {
        let mut memo = Memo::new(LeadingTrailing::new(8));
        let batch = [1, 2, 1, 3].map(genome);
        let plain = LeadingTrailing::new(8).evaluate(&batch);
        assert_eq!(memo.evaluate(&batch), plain);
        assert_eq!(memo.problem.evaluated, 3);
        assert_eq!(memo.evaluate(&batch), plain);
        assert_eq!(memo.problem.evaluated, 3);
        memo.evaluate(&[genome(4)]).unwrap();
        assert_eq!(memo.into_problem().evaluated, 4);
    }

    #[test]
    fn a_bounded_cache_drops_unused_genomes() {
        for capacity in 0..12 {
            let mut memo = Memo::bounded(LeadingTrailing::new(8), capacity);
            for round in 0..40 {
                // Genome 0 is used in every round; the others vary.
                let batch = [0, 1 + round, 0, 1 + round * 7 % 40].map(genome);
                assert_eq!(memo.evaluate(&batch), LeadingTrailing::new(8).evaluate(&batch));
                assert!(memo.recent.len() + memo.older.len() <= capacity);
            }
            // Two other genomes were stored after genome 0; it is still cached if half the capacity
            // holds both.
            let before = memo.problem.evaluated;
            memo.evaluate(&[genome(0)]).unwrap();
            assert_eq!(memo.problem.evaluated == before, capacity / 2 >= 2, "{capacity}");
        }
    }
}
