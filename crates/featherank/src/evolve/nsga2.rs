//! NSGA-II: nondominated fronts, then crowding distance (Deb, Pratap, Agarwal & Meyarivan 2002).
//!
//! Parents and children together are sorted into fronts: the individuals that no other dominates,
//! then those that no other remaining one dominates, and so on. Within a front, individuals with a
//! greater crowding distance come first. The first half survives.
//!
//! Departures: fitness is one number, the front's index plus a crowding term below 1. If a front
//! does not fit, its most crowded members are removed one at a time, with crowding distances
//! computed again each time (Kukkonen & Deb 2006), not all at once. Among equals the most
//! recent offspring survive, so that a search drifts over genomes of equal objectives instead of
//! keeping the first.

use super::dominance::{Dominance, Relation};
use super::search::{Algorithm, SearchSettings};
use super::state::{Individual, SearchState};

/// The survival of NSGA-II.
#[derive(Debug, Clone, Copy)]
pub struct Nsga2Survival<D> {
    /// The settings of every algorithm. `population` is also the number of survivors; the paper's
    /// tournament size is 2.
    pub settings: SearchSettings,
    /// Which individuals are better than others.
    pub dominance: D,
}

impl<G, E: AsRef<[f64]> + Sync, D: Dominance<E>> Algorithm<G, E> for Nsga2Survival<D> {
    fn settings(&self) -> &SearchSettings {
        &self.settings
    }

    fn parents<'s>(&self, state: &'s SearchState<G, E>) -> &'s [Individual<G, E>] {
        &state.population
    }

    /// As in the paper's own code: the dominating one, and if neither dominates, the one with the
    /// greater crowding distance. The paper's text compares the indices of the fronts, which also
    /// orders individuals that do not dominate each other.
    fn beats(&self, one: &Individual<G, E>, other: &Individual<G, E>) -> bool {
        let dominates = |a: &Individual<G, E>, b: &Individual<G, E>| {
            self.dominance.dominates(&a.evaluation, &b.evaluation)
        };
        dominates(one, other)
            || !dominates(other, one) && one.fitness.fract() < other.fitness.fract()
    }

    fn survive(
        &self,
        state: &mut SearchState<G, E>,
        children: Vec<Individual<G, E>>,
        known: &mut Relation,
    ) {
        let mut all = std::mem::take(&mut state.population);
        all.extend(children);
        let evaluations: Vec<&E> = all.iter().map(|individual| &individual.evaluation).collect();
        let relation = known.extended_to(&evaluations, &self.dominance);
        let mut survivors = survivors(&relation, &evaluations, self.settings.population);
        survivors.sort_by(|a, b| a.1.total_cmp(&b.1));
        let chosen: Vec<usize> = survivors.iter().map(|&(one, _)| one).collect();
        *known = relation.restricted_to(&chosen);
        let mut all: Vec<Option<Individual<G, E>>> = all.into_iter().map(Some).collect();
        let survivor =
            |(one, fitness): (usize, f64)| all[one].take().map(|it| Individual { fitness, ..it });
        state.population = survivors.into_iter().filter_map(survivor).collect();
    }
}

/// The fronts, best first, each in order.
///
/// If dominance is cyclic, every remaining individual may be dominated by another one. The next
/// front is then those dominated by the fewest.
#[must_use]
pub fn nondominated_sort(relation: &Relation) -> Vec<Vec<usize>> {
    let mut dominators = relation.dominators();
    let mut left: Vec<usize> = (0..relation.size()).collect();
    let mut fronts = Vec::new();
    while let Some(fewest) = left.iter().map(|&one| dominators[one]).min() {
        let (front, rest): (Vec<usize>, Vec<usize>) =
            left.into_iter().partition(|&one| dominators[one] == fewest);
        for &one in &front {
            relation.dominated_by(one).ones().for_each(|dominated| dominators[dominated] -= 1);
        }
        fronts.push(front);
        left = rest;
    }
    fronts
}

/// The crowding distance of each member of a front: the distance between its two neighbours, summed
/// over objectives, each divided by the front's range. Infinite for the first and the last on any
/// objective.
pub fn crowding_distance<E: AsRef<[f64]>>(front: &[E]) -> Vec<f64> {
    let mut crowding = vec![0.0; front.len()];
    let objectives = front.first().map_or(0, |one| one.as_ref().len());
    for objective in 0..objectives {
        let value = |one: usize| front[one].as_ref()[objective];
        // Stable: among equals the most recent comes first, and has infinite distance if they are
        // the outermost.
        let mut order: Vec<usize> = (0..front.len()).rev().collect();
        order.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
        let (first, last) = (order[0], order[order.len() - 1]);
        crowding[first] = f64::INFINITY;
        crowding[last] = f64::INFINITY;
        let range = value(last) - value(first);
        // If all values are equal no distance grows; if the range is infinite there are no shares
        // of it.
        if range > 0.0 && range.is_finite() {
            for neighbours in order.windows(3) {
                crowding[neighbours[1]] += (value(neighbours[2]) - value(neighbours[0])) / range;
            }
        }
    }
    crowding
}

/// The survivors, front by front, each with its fitness: the index of its front, from 0, plus
/// 1/(crowding distance + 2). Below 1 in the first front.
pub fn survivors<E: AsRef<[f64]>>(
    relation: &Relation,
    evaluations: &[&E],
    size: usize,
) -> Vec<(usize, f64)> {
    let mut chosen = Vec::with_capacity(size);
    for (number, mut front) in nondominated_sort(relation).into_iter().enumerate() {
        let objectives = |one: &usize| evaluations[*one].as_ref();
        let crowding =
            |front: &[usize]| crowding_distance(&front.iter().map(objectives).collect::<Vec<_>>());
        // Removing a member changes its neighbours' distances, so they are computed again.
        while chosen.len() + front.len() > size {
            let crowding = crowding(&front);
            let crowded = (0..front.len()).min_by(|&a, &b| crowding[a].total_cmp(&crowding[b]));
            crowded.map(|crowded| front.remove(crowded));
        }
        let crowding = crowding(&front);
        chosen.extend(
            front
                .into_iter()
                .zip(crowding)
                .map(|(one, crowding)| (one, number as f64 + 1.0 / (crowding + 2.0))),
        );
        if chosen.len() == size {
            break;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::super::dominance::Pareto;
    use super::super::tests::{Circle, config};
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn fixture_is_reproduced() {
        let text = include_str!("../../tests/fixtures/mofsrank.json");
        let fixture: &Value = &serde_json::from_str::<Value>(text).unwrap()["nsga2"];
        let objectives: Vec<Vec<f64>> =
            serde_json::from_value(fixture["objectives_min"].clone()).unwrap();
        let relation =
            Relation::default().extended_to(&objectives.iter().collect::<Vec<_>>(), &Pareto);
        let fronts = nondominated_sort(&relation);
        assert_eq!(json!(fronts), fixture["fronts"]);
        let first: Vec<&Vec<f64>> = fronts[0].iter().map(|&one| &objectives[one]).collect();
        for (one, crowding) in fronts[0].iter().zip(crowding_distance(&first)) {
            match &fixture["crowding_front0"][one.to_string()] {
                Value::String(text) => assert!(text == "inf" && crowding.is_infinite()),
                expected => {
                    assert!(
                        (crowding - expected.as_f64().unwrap()).abs() < 1e-9,
                        "{one}: {crowding}"
                    )
                }
            }
        }
    }

    #[test]
    fn the_crowded_comparison_is_one_number() {
        // Front 0 is 0 to 3, with 1 more crowded than 2; 4 is alone in front 1.
        let points = [[0.0, 10.0], [1.0, 9.0], [4.0, 3.0], [10.0, 0.0], [11.0, 11.0]];
        let all: Vec<&[f64; 2]> = points.iter().collect();
        let survivors = survivors(&Relation::default().extended_to(&all, &Pareto), &all, 5);
        let fitness: Vec<f64> = survivors.iter().map(|&(_, fitness)| fitness).collect();
        assert_eq!((fitness[0], fitness[3], fitness[4]), (0.0, 0.0, 1.0));
        assert!(fitness[2] < fitness[1] && fitness[1] < 1.0, "{fitness:?}");
    }

    /// Points 1, 2 and 3 are close together. Two of them are removed, and the remaining one has all
    /// their space: removing the two most crowded at once could remove 4 instead.
    #[test]
    fn crowded_members_are_removed_one_by_one() {
        let points = [[0.0, 10.0], [4.9, 5.1], [5.0, 5.0], [5.1, 4.9], [8.0, 2.0], [10.0, 0.0]];
        let all: Vec<&[f64; 2]> = points.iter().collect();
        let relation = Relation::default().extended_to(&all, &Pareto);
        let left: Vec<usize> =
            survivors(&relation, &all, 4).into_iter().map(|(one, _)| one).collect();
        assert_eq!((left[0], left[2], left[3]), (0, 4, 5));
    }

    #[test]
    fn equal_objectives_and_cycles() {
        assert_eq!(crowding_distance(&[[1.0], [1.0], [1.0]]), [f64::INFINITY, 0.0, f64::INFINITY]);
        assert!(crowding_distance::<[f64; 2]>(&[]).is_empty());
        assert!(
            crowding_distance(&[[1.0], [f64::INFINITY], [2.0]]).iter().all(|value| !value.is_nan())
        );
        let relation = Relation::default().extended_to(&[&0, &1, &2, &3], &Circle(3));
        assert_eq!(nondominated_sort(&relation), [vec![0, 1, 2], vec![3]]);
    }

    /// Of four equals the first and the last have infinite crowding distance and the others 0; the
    /// earlier of those is removed first.
    #[test]
    fn among_equals_the_most_recent_offspring_survive() {
        let individual = |genome: u8| Individual { genome, evaluation: [1.0], fitness: 0.0 };
        let settings =
            SearchSettings { population: 3, generations: 1, crossover: 1.0, tournament: 2 };
        let mut state = SearchState {
            generation: 0,
            population: vec![individual(0), individual(1)],
            archive: vec![],
        };
        let children = vec![individual(2), individual(3)];
        Nsga2Survival { settings, dominance: Pareto }.survive(
            &mut state,
            children,
            &mut Relation::default(),
        );
        let survivors: Vec<(u8, f64)> =
            state.population.iter().map(|one| (one.genome, one.fitness)).collect();
        assert_eq!(survivors, [(0, 0.0), (3, 0.0), (2, 0.5)]);
    }

    /// The definition: the individuals that no remaining one dominates or, if there are none, those
    /// dominated by the fewest remaining ones.
    fn brute_force(size: usize, dominates: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
        let mut left: Vec<usize> = (0..size).collect();
        let mut fronts = Vec::new();
        while !left.is_empty() {
            let dominators =
                |one: usize| left.iter().filter(|&&other| dominates(other, one)).count();
            let fewest = left.iter().map(|&one| dominators(one)).min().unwrap();
            let front: Vec<usize> =
                left.iter().copied().filter(|&one| dominators(one) == fewest).collect();
            left.retain(|one| !front.contains(one));
            fronts.push(front);
        }
        fronts
    }

    /// Dominance given by a table: an arbitrary relation.
    struct DominanceTable<'a>(&'a [Vec<bool>]);

    impl Dominance<usize> for DominanceTable<'_> {
        fn dominates(&self, &a: &usize, &b: &usize) -> bool {
            self.0[a][b]
        }
    }

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn fronts_match_brute_force(points in prop::collection::vec(any::<[u8; 3]>(), 0..30)) {
            let points: Vec<[f64; 3]> = points.iter().map(|point| point.map(|value| f64::from(value % 6))).collect();
            let relation = Relation::default().extended_to(&points.iter().collect::<Vec<_>>(), &Pareto);
            let expected = brute_force(points.len(), |a, b| Pareto.dominates(&points[a], &points[b]));
            prop_assert_eq!(nondominated_sort(&relation), expected);
        }

        #[test]
        fn fronts_of_any_relation_match_brute_force(
            table in (0usize..12).prop_flat_map(|size| {
                prop::collection::vec(prop::collection::vec(prop::bool::weighted(0.2), size), size)
            }),
        ) {
            let numbers: Vec<usize> = (0..table.len()).collect();
            let relation = Relation::default().extended_to(&numbers.iter().collect::<Vec<_>>(), &DominanceTable(&table));
            prop_assert_eq!(nondominated_sort(&relation), brute_force(table.len(), |a, b| a != b && table[a][b]));
        }
    }
}
