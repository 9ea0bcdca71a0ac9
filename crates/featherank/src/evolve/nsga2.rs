//! NSGA-II: fronts first, room second (Deb, Pratap, Agarwal & Meyarivan 2002).
//!
//! Parents and children together are sorted into fronts: those whom nobody dominates, then those whom nobody else
//! dominates, and so on. Within a front, those with more room around them in the space of objectives come first. The
//! first half survives.
//!
//! Departs from the paper: fitness is the front's number and a crowding term below 1 in one number, and of equals the
//! earlier one is preferred, not a random one.

use super::dominance::{Dominance, Relation};
use super::search::{Algorithm, Settings};
use super::state::{Individual, State};

/// | Name | Meaning |
/// |---|---|
/// | `settings` | as for every algorithm; as many survive as are born, and the paper's tournament is of 2 |
/// | `dominance` | who is better than whom |
#[derive(Debug, Clone, Copy)]
pub struct Nsga2<D> {
    /// As for every algorithm.
    pub settings: Settings,
    /// Who is better than whom.
    pub dominance: D,
}

impl<G, E: AsRef<[f64]> + Sync, D: Dominance<E>> Algorithm<G, E> for Nsga2<D> {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn parents<'s>(&self, state: &'s State<G, E>) -> &'s [Individual<G, E>] {
        &state.population
    }

    fn survive(&self, state: &mut State<G, E>, children: Vec<Individual<G, E>>, known: &mut Relation) {
        let mut all = std::mem::take(&mut state.population);
        all.extend(children);
        let evaluations: Vec<&E> = all.iter().map(|individual| &individual.evaluation).collect();
        let relation = known.grown(&evaluations, &self.dominance);
        let fitness = fitness(&relation, &evaluations);
        let mut order: Vec<usize> = (0..all.len()).collect();
        // Stable: of equals the earlier one comes first.
        order.sort_by(|&a, &b| fitness[a].total_cmp(&fitness[b]));
        order.truncate(self.settings.population);
        *known = relation.among(&order);
        let mut all: Vec<Option<Individual<G, E>>> = all.into_iter().map(Some).collect();
        let survivor = |&one: &usize| all[one].take().map(|it| Individual { fitness: fitness[one], ..it });
        state.population = order.iter().filter_map(survivor).collect();
    }
}

/// The fronts, best first, each in order.
///
/// Where dominance goes in circles everyone left may be dominated by someone left. The next front is then those who are
/// dominated by the fewest.
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

/// How much room each member of a front has: the distance between its two neighbours, summed over objectives, each as
/// a share of the front's range. Endless for the first and the last on any objective.
pub fn crowding_distance<E: AsRef<[f64]>>(front: &[E]) -> Vec<f64> {
    let mut room = vec![0.0; front.len()];
    let objectives = front.first().map_or(0, |one| one.as_ref().len());
    for objective in 0..objectives {
        let value = |one: usize| front[one].as_ref()[objective];
        let mut order: Vec<usize> = (0..front.len()).collect();
        order.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
        let (first, last) = (order[0], order[order.len() - 1]);
        room[first] = f64::INFINITY;
        room[last] = f64::INFINITY;
        let range = value(last) - value(first);
        // Where all are equal nobody has room, and where the range is endless no share of it can be told.
        if range > 0.0 && range.is_finite() {
            for neighbours in order.windows(3) {
                room[neighbours[1]] += (value(neighbours[2]) - value(neighbours[0])) / range;
            }
        }
    }
    room
}

/// The number of an individual's front, from 0, and 1/(room + 2): the crowded comparison as one number, the least best.
/// Below 1 in the first front.
pub fn fitness<E: AsRef<[f64]>>(relation: &Relation, evaluations: &[&E]) -> Vec<f64> {
    let mut fitness = vec![0.0; evaluations.len()];
    for (number, front) in nondominated_sort(relation).iter().enumerate() {
        let members: Vec<&[f64]> = front.iter().map(|&one| evaluations[one].as_ref()).collect();
        for (&one, room) in front.iter().zip(crowding_distance(&members)) {
            fitness[one] = number as f64 + 1.0 / (room + 2.0);
        }
    }
    fitness
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
        let objectives: Vec<Vec<f64>> = serde_json::from_value(fixture["objectives_min"].clone()).unwrap();
        let relation = Relation::default().grown(&objectives.iter().collect::<Vec<_>>(), &Pareto);
        let fronts = nondominated_sort(&relation);
        assert_eq!(json!(fronts), fixture["fronts"]);
        let first: Vec<&Vec<f64>> = fronts[0].iter().map(|&one| &objectives[one]).collect();
        for (one, room) in fronts[0].iter().zip(crowding_distance(&first)) {
            match &fixture["crowding_front0"][one.to_string()] {
                Value::String(text) => assert!(text == "inf" && room.is_infinite()),
                expected => assert!((room - expected.as_f64().unwrap()).abs() < 1e-9, "{one}: {room}"),
            }
        }
    }

    #[test]
    fn the_crowded_comparison_is_one_number() {
        // Front 0 is 0 to 3, with 1 more crowded than 2; 4 is alone in front 1.
        let points = [[0.0, 10.0], [1.0, 9.0], [4.0, 3.0], [10.0, 0.0], [11.0, 11.0]];
        let all: Vec<&[f64; 2]> = points.iter().collect();
        let fitness = fitness(&Relation::default().grown(&all, &Pareto), &all);
        assert_eq!((fitness[0], fitness[3], fitness[4]), (0.0, 0.0, 1.0));
        assert!(fitness[2] < fitness[1] && fitness[1] < 1.0, "{fitness:?}");
    }

    #[test]
    fn equal_objectives_and_circles() {
        assert_eq!(crowding_distance(&[[1.0], [1.0], [1.0]]), [f64::INFINITY, 0.0, f64::INFINITY]);
        assert!(crowding_distance::<[f64; 2]>(&[]).is_empty());
        assert!(crowding_distance(&[[1.0], [f64::INFINITY], [2.0]]).iter().all(|room| !room.is_nan()));
        let relation = Relation::default().grown(&[&0, &1, &2, &3], &Circle(3));
        assert_eq!(nondominated_sort(&relation), [vec![0, 1, 2], vec![3]]);
    }

    /// Four equals: the first and the last have endless room, the others none; among those the earlier survives.
    #[test]
    fn of_equals_the_earlier_survives() {
        let individual = |genome: u8| Individual { genome, evaluation: [1.0], fitness: 0.0 };
        let settings = Settings { population: 3, generations: 1, crossover: 1.0, tournament: 2 };
        let mut state =
            State { generation: 0, population: vec![individual(0), individual(1)], archive: vec![] };
        let children = vec![individual(2), individual(3)];
        Nsga2 { settings, dominance: Pareto }.survive(&mut state, children, &mut Relation::default());
        let survivors: Vec<(u8, f64)> =
            state.population.iter().map(|one| (one.genome, one.fitness)).collect();
        assert_eq!(survivors, [(0, 0.0), (3, 0.0), (1, 0.5)]);
    }

    /// The definition: whom nobody left dominates; if there is no such one, who is dominated by the fewest left.
    fn brute_force(size: usize, dominates: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
        let mut left: Vec<usize> = (0..size).collect();
        let mut fronts = Vec::new();
        while !left.is_empty() {
            let dominators = |one: usize| left.iter().filter(|&&other| dominates(other, one)).count();
            let fewest = left.iter().map(|&one| dominators(one)).min().unwrap();
            let front: Vec<usize> = left.iter().copied().filter(|&one| dominators(one) == fewest).collect();
            left.retain(|one| !front.contains(one));
            fronts.push(front);
        }
        fronts
    }

    /// Dominance by a table: any relation at all.
    struct Table<'a>(&'a [Vec<bool>]);

    impl Dominance<usize> for Table<'_> {
        fn dominates(&self, &a: &usize, &b: &usize) -> bool {
            self.0[a][b]
        }
    }

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn fronts_are_as_by_brute_force(points in prop::collection::vec(any::<[u8; 3]>(), 0..30)) {
            let points: Vec<[f64; 3]> = points.iter().map(|point| point.map(|value| f64::from(value % 6))).collect();
            let relation = Relation::default().grown(&points.iter().collect::<Vec<_>>(), &Pareto);
            let expected = brute_force(points.len(), |a, b| Pareto.dominates(&points[a], &points[b]));
            prop_assert_eq!(nondominated_sort(&relation), expected);
        }

        #[test]
        fn fronts_of_any_relation_are_as_by_brute_force(
            table in (0usize..12).prop_flat_map(|size| {
                prop::collection::vec(prop::collection::vec(prop::bool::weighted(0.2), size), size)
            }),
        ) {
            let numbers: Vec<usize> = (0..table.len()).collect();
            let relation = Relation::default().grown(&numbers.iter().collect::<Vec<_>>(), &Table(&table));
            prop_assert_eq!(nondominated_sort(&relation), brute_force(table.len(), |a, b| a != b && table[a][b]));
        }
    }
}
