//! SPEA2: an archive of the best individuals, spread over the search space (Zitzler, Laumanns &
//! Thiele 2001).
//!
//! An individual's strength is the number of individuals it dominates. Its raw fitness is the sum
//! of the strengths of all that dominate it; its fitness adds a density below 1 that is greater
//! where other individuals are near. The archive takes all nondominated individuals; [`truncate`]
//! reduces them if they are too many, and the best dominated ones fill the remaining places.
//!
//! The paper measures distances between objectives; Sousa et al., CIKM 2016, who select features
//! with SPEA2, between genomes. Departs from both: duplicates within population and archive are
//! removed before anything is counted, so that a genome counts once, also in k. Among equals the
//! earlier one is preferred, members of the archive before children.

use std::collections::HashMap;
use std::hash::Hash;

use super::dominance::{Dominance, Relation};
use super::genome::Bits;
use super::search::{Algorithm, SearchSettings};
use super::state::{Individual, SearchState};
use super::truncation::{Distances, truncate};

/// The survival of SPEA2; [`new`](Self::new) uses the published settings.
#[derive(Debug, Clone, Copy)]
pub struct Spea2Survival<D, F> {
    /// The settings of every algorithm; published: population 75, 30 generations, crossover .8 and
    /// tournament size 2.
    pub settings: SearchSettings,
    /// The size of the archive; published: 150.
    pub archive: usize,
    /// Which individuals are better than others.
    pub dominance: D,
    /// The distance between two individuals: [`genotype_distance`], [`objective_distance`] or
    /// another.
    pub distance: F,
}

impl<D, F> Spea2Survival<D, F> {
    /// Uses the published settings.
    pub fn new(dominance: D, distance: F) -> Self {
        let settings =
            SearchSettings { population: 75, generations: 30, crossover: 0.8, tournament: 2 };
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

impl<G, E, D, F> Algorithm<G, E> for Spea2Survival<D, F>
where
    G: Clone + Eq + Hash,
    E: Clone + Sync,
    D: Dominance<E>,
    F: Fn(&Individual<G, E>, &Individual<G, E>) -> f64,
{
    fn settings(&self) -> &SearchSettings {
        &self.settings
    }

    fn parents<'s>(&self, state: &'s SearchState<G, E>) -> &'s [Individual<G, E>] {
        &state.archive
    }

    fn survive(
        &self,
        state: &mut SearchState<G, E>,
        children: Vec<Individual<G, E>>,
        known: &mut Relation,
    ) {
        let mut all = std::mem::take(&mut state.archive);
        let archived = all.len();
        all.extend(children);
        let Distinct { firsts, place } = distinct(&all);
        let evaluations: Vec<&E> = firsts.iter().map(|&first| &all[first].evaluation).collect();
        let relation = known.extended_to(&evaluations, &self.dominance);
        let distances =
            Distances::new(firsts.len(), |a, b| (self.distance)(&all[firsts[a]], &all[firsts[b]]));
        let fitness = fitness(&relation, &distances);
        for (individual, &place) in all.iter_mut().zip(&place) {
            individual.fitness = fitness[place];
        }
        let survivors = survivors(&fitness, &distances, self.archive);
        *known = relation.restricted_to(&survivors);
        state.archive = survivors.iter().map(|&survivor| all[firsts[survivor]].clone()).collect();
        state.population = all.split_off(archived);
    }
}

/// The distinct genomes of a list of individuals.
struct Distinct {
    /// The index of the first individual with each genome.
    firsts: Vec<usize>,
    /// For each individual, the index of its genome in `firsts`.
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

/// The number of individuals that each individual dominates.
#[must_use]
pub fn strength(relation: &Relation) -> Vec<usize> {
    (0..relation.size()).map(|individual| relation.dominated_by(individual).count()).collect()
}

/// The sum of the strengths of all individuals that dominate an individual: 0 if and only if there
/// are none.
#[must_use]
pub fn raw_fitness(relation: &Relation) -> Vec<usize> {
    let mut raw = vec![0; relation.size()];
    for (individual, strength) in strength(relation).into_iter().enumerate() {
        relation.dominated_by(individual).ones().for_each(|dominated| raw[dominated] += strength);
    }
    raw
}

/// 1/(σ + 2), where σ is the distance to the k-th nearest other individual and k the square root of
/// the number of individuals, rounded down. A single individual has σ = 0.
#[must_use]
pub fn density(distances: &Distances) -> Vec<f64> {
    let individuals: Vec<usize> = (0..distances.size()).collect();
    let nearest = individuals.len().isqrt();
    let density = |&individual: &usize| {
        let sorted = distances.sorted(individual, &individuals);
        let sigma = sorted.iter().take(nearest).next_back().copied().unwrap_or(0.0);
        1.0 / (sigma + 2.0)
    };
    individuals.iter().map(density).collect()
}

/// Raw fitness plus density. Density is at most ½, so it only breaks ties, and fitness is below 1
/// if and only if no other individual dominates.
#[must_use]
pub fn fitness(relation: &Relation, distances: &Distances) -> Vec<f64> {
    raw_fitness(relation)
        .iter()
        .zip(density(distances))
        .map(|(&raw, density)| raw as f64 + density)
        .collect()
}

/// The survivors, in order of birth: all nondominated individuals, truncated to `size` or filled up
/// with the best dominated ones. If cycles leave none nondominated, those with the least fitness
/// survive.
#[must_use]
pub fn survivors(fitness: &[f64], distances: &Distances, size: usize) -> Vec<usize> {
    let (mut chosen, mut dominated): (Vec<usize>, Vec<usize>) =
        (0..fitness.len()).partition(|&individual| fitness[individual] < 1.0);
    if chosen.len() > size {
        return truncate(distances, &chosen, size);
    }
    // Stable: among equals the earlier one comes first.
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
        let relation =
            Relation::default().extended_to(&objectives.iter().collect::<Vec<_>>(), &Pareto);
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

    /// Three that dominate each other in a cycle, and two that all of these dominate. None is
    /// nondominated; each member of the cycle has strength 3 and is dominated by one of strength 3.
    #[test]
    fn cycles_have_survivors() {
        let relation = Relation::default().extended_to(&[&0, &1, &2, &3, &4], &Circle(3));
        let distances = Distances::new(5, |a, b| a.abs_diff(b) as f64);
        assert_eq!(strength(&relation), [3, 3, 3, 0, 0]);
        assert_eq!(raw_fitness(&relation), [3, 3, 3, 9, 9]);
        // k is 2: the second nearest of 0 is at distance 2, those of 1 and 2 at distance 1, and
        // less crowded is better.
        let fitness = fitness(&relation, &distances);
        assert_eq!(survivors(&fitness, &distances, 1), [0]);
        assert_eq!(survivors(&fitness, &distances, 2), [0, 1]);
        assert_eq!(survivors(&fitness, &distances, 4), [0, 1, 2, 4]);
    }

    #[test]
    fn duplicates_count_once() {
        let individual = |genome: u64, value: f64| Individual {
            genome: Bits::from_words(4, || genome),
            evaluation: [value],
            fitness: 0.0,
        };
        let mut state = SearchState::empty();
        state.archive = vec![individual(1, 5.0), individual(2, 6.0)];
        let children = vec![individual(2, 6.0), individual(3, 7.0), individual(3, 7.0)];
        let mut known = Relation::default();
        let spea2 = Spea2Survival::new(Pareto, genotype_distance);
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
    fn a_single_individual_has_a_density() {
        assert_eq!(density(&Distances::new(1, |_, _| 0.0)), [0.5]);
        assert!(density(&Distances::new(0, |_, _| 0.0)).is_empty());
    }
}
