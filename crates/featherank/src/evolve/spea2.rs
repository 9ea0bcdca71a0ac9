//! SPEA2: an archive of the best, spread over the genomes there are (Zitzler, Laumanns & Thiele
//! 2001).
//!
//! An individual's strength is how many it dominates. Its raw fitness is the strength of all who
//! dominate it, and its fitness adds a density below 1 that is greater where others are near. The
//! archive takes everyone who is not dominated; [`truncate`] thins it out where those are too many,
//! and the best of the others fill it up.
//!
//! The paper measures distances between objectives; Sousa et al., CIKM 2016, who select features
//! with SPEA2, between genomes. Departs from both: copies are removed from population and archive
//! together before anything is counted, so that a genome counts once, also in k. Of equals the
//! earlier one is preferred, members of the archive before the newly born.

use std::collections::HashMap;
use std::hash::Hash;

use super::dominance::{Dominance, Relation};
use super::genome::Bits;
use super::search::{Algorithm, Settings};
use super::state::{Individual, State};
use super::truncation::{Distances, truncate};

/// | Name | Default | Meaning |
/// |---|---|---|
/// | `settings` | 75 born, 30 generations, crossover .8, tournament of 2 | as for every algorithm |
/// | `archive` | 150 | how many survive |
/// | `dominance` | | who is better than whom |
/// | `distance` | | how far apart two are: [`genotype_distance`], [`objective_distance`] or another |
#[derive(Debug, Clone, Copy)]
pub struct Spea2<D, F> {
    /// As for every algorithm.
    pub settings: Settings,
    /// How many survive.
    pub archive: usize,
    /// Who is better than whom.
    pub dominance: D,
    /// How far apart two individuals are.
    pub distance: F,
}

impl<D, F> Spea2<D, F> {
    /// With the published settings.
    pub fn new(dominance: D, distance: F) -> Self {
        let settings = Settings { population: 75, generations: 30, crossover: 0.8, tournament: 2 };
        Self { settings, archive: 150, dominance, distance }
    }
}

/// The square root of the Hamming distance: the Euclidean distance of genomes.
pub fn genotype_distance<E>(a: &Individual<Bits, E>, b: &Individual<Bits, E>) -> f64 {
    a.genome.distance(&b.genome)
}

/// The Euclidean distance of objectives, as in SPEA2's own paper.
pub fn objective_distance<G, E: AsRef<[f64]>>(a: &Individual<G, E>, b: &Individual<G, E>) -> f64 {
    let differences = a.evaluation.as_ref().iter().zip(b.evaluation.as_ref()).map(|(a, b)| a - b);
    differences.map(|difference| difference * difference).sum::<f64>().sqrt()
}

impl<G, E, D, F> Algorithm<G, E> for Spea2<D, F>
where
    G: Clone + Eq + Hash,
    E: Clone + Sync,
    D: Dominance<E>,
    F: Fn(&Individual<G, E>, &Individual<G, E>) -> f64,
{
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn parents<'s>(&self, state: &'s State<G, E>) -> &'s [Individual<G, E>] {
        &state.archive
    }

    fn survive(
        &self,
        state: &mut State<G, E>,
        children: Vec<Individual<G, E>>,
        known: &mut Relation,
    ) {
        let mut all = std::mem::take(&mut state.archive);
        let archived = all.len();
        all.extend(children);
        let Distinct { firsts, place } = distinct(&all);
        let evaluations: Vec<&E> = firsts.iter().map(|&first| &all[first].evaluation).collect();
        let relation = known.grown(&evaluations, &self.dominance);
        let distances =
            Distances::new(firsts.len(), |a, b| (self.distance)(&all[firsts[a]], &all[firsts[b]]));
        let fitness = fitness(&relation, &distances);
        for (individual, &place) in all.iter_mut().zip(&place) {
            individual.fitness = fitness[place];
        }
        let survivors = survivors(&fitness, &distances, self.archive);
        *known = relation.among(&survivors);
        state.archive = survivors.iter().map(|&survivor| all[firsts[survivor]].clone()).collect();
        state.population = all.split_off(archived);
    }
}

/// Individuals with different genomes.
struct Distinct {
    /// The first individual with each genome.
    firsts: Vec<usize>,
    /// Where each individual's genome stands among the firsts.
    place: Vec<usize>,
}

fn distinct<G: Eq + Hash, E>(all: &[Individual<G, E>]) -> Distinct {
    let mut seen = HashMap::new();
    let mut firsts = Vec::new();
    let mut place = Vec::new();
    for (number, individual) in all.iter().enumerate() {
        let own = *seen.entry(&individual.genome).or_insert(firsts.len());
        if own == firsts.len() {
            firsts.push(number);
        }
        place.push(own);
    }
    Distinct { firsts, place }
}

/// How many each individual dominates.
#[must_use]
pub fn strength(relation: &Relation) -> Vec<usize> {
    (0..relation.size()).map(|individual| relation.dominated_by(individual).count()).collect()
}

/// The strength of all who dominate an individual, summed: 0 exactly where nobody does.
#[must_use]
pub fn raw_fitness(relation: &Relation) -> Vec<usize> {
    let mut raw = vec![0; relation.size()];
    for (individual, strength) in strength(relation).into_iter().enumerate() {
        relation.dominated_by(individual).ones().for_each(|dominated| raw[dominated] += strength);
    }
    raw
}

/// 1/(σ + 2), where σ is the distance to the k-th nearest other individual and k the square root of
/// the number of all, rounded down. One who is alone has a σ of 0.
#[must_use]
pub fn density(distances: &Distances) -> Vec<f64> {
    let everyone: Vec<usize> = (0..distances.size()).collect();
    let nearest = everyone.len().isqrt();
    let density = |&individual: &usize| {
        let sorted = distances.sorted(individual, &everyone);
        let sigma = sorted.iter().take(nearest).next_back().copied().unwrap_or(0.0);
        1.0 / (sigma + 2.0)
    };
    everyone.iter().map(density).collect()
}

/// Raw fitness and density together. Density is at most ½, so that it only decides between equals
/// and fitness is below 1 exactly where nobody dominates.
#[must_use]
pub fn fitness(relation: &Relation, distances: &Distances) -> Vec<f64> {
    raw_fitness(relation)
        .iter()
        .zip(density(distances))
        .map(|(&raw, density)| raw as f64 + density)
        .collect()
}

/// Who survives, in order of birth: everyone who is not dominated, truncated or filled up with the
/// best others to `size`. Where all are dominated, in circles, those with the least fitness
/// survive.
#[must_use]
pub fn survivors(fitness: &[f64], distances: &Distances, size: usize) -> Vec<usize> {
    let (mut chosen, mut dominated): (Vec<usize>, Vec<usize>) =
        (0..fitness.len()).partition(|&individual| fitness[individual] < 1.0);
    if chosen.len() > size {
        return truncate(distances, &chosen, size);
    }
    // Stable: of equals the earlier one comes first.
    dominated.sort_by(|&a, &b| fitness[a].total_cmp(&fitness[b]));
    dominated.truncate(size - chosen.len());
    chosen.append(&mut dominated);
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::super::dominance::Pareto;
    use super::super::tests::{Circle, chromosomes, fixture};
    use super::*;

    #[test]
    fn fixture_is_reproduced() {
        let fixture = fixture();
        let genomes = chromosomes(&fixture);
        let numbers =
            |name: &str| -> Vec<f64> { serde_json::from_value(fixture[name].clone()).unwrap() };
        let near = |found: Vec<f64>, name: &str| {
            let expected = numbers(name);
            assert_eq!(found.len(), expected.len());
            assert!(
                found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9),
                "{name}: {found:?}"
            );
        };
        let objectives: Vec<[f64; 2]> =
            numbers("f_risk").iter().zip(numbers("eff")).map(|(&risk, eff)| [risk, -eff]).collect();
        let relation = Relation::default().grown(&objectives.iter().collect::<Vec<_>>(), &Pareto);
        let distances = Distances::new(genomes.len(), |a, b| genomes[a].distance(&genomes[b]));
        assert_eq!(serde_json::to_value(strength(&relation)).unwrap(), fixture["strength"]);
        assert_eq!(serde_json::to_value(raw_fitness(&relation)).unwrap(), fixture["raw"]);
        near(density(&distances), "density");
        near(density(&distances).iter().map(|density| 1.0 / density - 2.0).collect(), "sigma_k");
        near(fitness(&relation, &distances), "fitness");
        assert_eq!(survivors(&fitness(&relation, &distances), &distances, 1), [2]);
        // Filled up: after 2 come 4 at 5.29 and 0 at 5.33.
        assert_eq!(survivors(&fitness(&relation, &distances), &distances, 3), [0, 2, 4]);
        assert_eq!(survivors(&fitness(&relation, &distances), &distances, 9), [0, 1, 2, 3, 4, 5]);
    }

    /// Three that beat each other in a circle, and two that everyone in it beats. Nobody is
    /// undominated; each in the circle has strength 3 and is dominated by one of that strength.
    #[test]
    fn circles_have_survivors() {
        let relation = Relation::default().grown(&[&0, &1, &2, &3, &4], &Circle(3));
        let distances = Distances::new(5, |a, b| a.abs_diff(b) as f64);
        assert_eq!(strength(&relation), [3, 3, 3, 0, 0]);
        assert_eq!(raw_fitness(&relation), [3, 3, 3, 9, 9]);
        // k is 2: the second nearest of 0 is 2 away, those of 1 and 2 are 1 away, and less crowded
        // is better.
        let fitness = fitness(&relation, &distances);
        assert_eq!(survivors(&fitness, &distances, 1), [0]);
        assert_eq!(survivors(&fitness, &distances, 2), [0, 1]);
        assert_eq!(survivors(&fitness, &distances, 4), [0, 1, 2, 4]);
    }

    #[test]
    fn copies_count_once() {
        let individual = |genome: u64, value: f64| Individual {
            genome: Bits::from_words(4, || genome),
            evaluation: [value],
            fitness: 0.0,
        };
        let mut state = State::empty();
        state.archive = vec![individual(1, 5.0), individual(2, 6.0)];
        let children = vec![individual(2, 6.0), individual(3, 7.0), individual(3, 7.0)];
        let mut known = Relation::default();
        let spea2 = Spea2::new(Pareto, genotype_distance);
        spea2.survive(&mut state, children, &mut known);
        let genomes: Vec<usize> = state.archive.iter().map(|one| one.genome.count()).collect();
        assert_eq!(genomes, [1, 1, 2]);
        assert_eq!(known.size(), 3);
        assert_eq!(state.population.len(), 3);
        // 5 beats 6 and 7, 6 beats 7: raw fitness 0, 2 and 2 + 1.
        let raw = |individuals: &[Individual<Bits, [f64; 1]>]| -> Vec<f64> {
            individuals.iter().map(|one| one.fitness.floor()).collect()
        };
        assert_eq!(raw(&state.archive), [0.0, 2.0, 3.0]);
        assert_eq!(raw(&state.population), [2.0, 3.0, 3.0]);
    }

    #[test]
    fn one_alone_has_a_density() {
        assert_eq!(density(&Distances::new(1, |_, _| 0.0)), [0.5]);
        assert!(density(&Distances::new(0, |_, _| 0.0)).is_empty());
    }
}
