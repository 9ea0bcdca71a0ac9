//! NSGA-II: fronts first, room second (Deb, Pratap, Agarwal & Meyarivan 2002).
//!
//! Parents and children together are sorted into fronts: those whom nobody dominates, then those
//! whom nobody else dominates, and so on. Within a front, those with more room around them in the
//! space of objectives come first. The first half survives.
//!
//! Departs from the paper: fitness is the front's number and a crowding term below 1 in one number.
//! Where a front does not fit, the most crowded leave one after the other, with room measured anew
//! each time (Kukkonen & Deb 2006), not all at once. Of equals the last born survives: a search
//! thus wanders over genomes that are worth the same, where keeping the first would hold it in
//! place.

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

    /// As in the paper's own code: who dominates, and where neither does, who has more room. The
    /// paper's text compares the fronts' numbers, which also sets apart two who have nothing to do
    /// with each other.
    fn beats(&self, one: &Individual<G, E>, other: &Individual<G, E>) -> bool {
        let dominates = |a: &Individual<G, E>, b: &Individual<G, E>| {
            self.dominance.dominates(&a.evaluation, &b.evaluation)
        };
        dominates(one, other)
            || !dominates(other, one) && one.fitness.fract() < other.fitness.fract()
    }

    fn survive(
        &self,
        state: &mut State<G, E>,
        children: Vec<Individual<G, E>>,
        known: &mut Relation,
    ) {
        let mut all = std::mem::take(&mut state.population);
        all.extend(children);
        let evaluations: Vec<&E> = all.iter().map(|individual| &individual.evaluation).collect();
        let relation = known.grown(&evaluations, &self.dominance);
        let mut survivors = survivors(&relation, &evaluations, self.settings.population);
        survivors.sort_by(|a, b| a.1.total_cmp(&b.1));
        let chosen: Vec<usize> = survivors.iter().map(|&(one, _)| one).collect();
        *known = relation.among(&chosen);
        let mut all: Vec<Option<Individual<G, E>>> = all.into_iter().map(Some).collect();
        let survivor =
            |(one, fitness): (usize, f64)| all[one].take().map(|it| Individual { fitness, ..it });
        state.population = survivors.into_iter().filter_map(survivor).collect();
    }
}

/// The fronts, best first, each in order.
///
/// Where dominance goes in circles everyone left may be dominated by someone left. The next front
/// is then those who are dominated by the fewest.
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

/// How much room each member of a front has: the distance between its two neighbours, summed over
/// objectives, each as a share of the front's range. Endless for the first and the last on any
/// objective.
pub fn crowding_distance<E: AsRef<[f64]>>(front: &[E]) -> Vec<f64> {
    let mut room = vec![0.0; front.len()];
    let objectives = front.first().map_or(0, |one| one.as_ref().len());
    for objective in 0..objectives {
        let value = |one: usize| front[one].as_ref()[objective];
        // Stable: of equals the last born comes first, and keeps its room where they are the
        // outermost.
        let mut order: Vec<usize> = (0..front.len()).rev().collect();
        order.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
        let (first, last) = (order[0], order[order.len() - 1]);
        room[first] = f64::INFINITY;
        room[last] = f64::INFINITY;
        let range = value(last) - value(first);
        // Where all are equal nobody has room, and where the range is endless no share of it can be
        // told.
        if range > 0.0 && range.is_finite() {
            for neighbours in order.windows(3) {
                room[neighbours[1]] += (value(neighbours[2]) - value(neighbours[0])) / range;
            }
        }
    }
    room
}

/// Who survives, front after front, each with its fitness: the number of its front, from 0, and
/// 1/(room + 2). Below 1 in the first front.
pub fn survivors<E: AsRef<[f64]>>(
    relation: &Relation,
    evaluations: &[&E],
    size: usize,
) -> Vec<(usize, f64)> {
    let mut chosen = Vec::with_capacity(size);
    for (number, mut front) in nondominated_sort(relation).into_iter().enumerate() {
        let objectives = |one: &usize| evaluations[*one].as_ref();
        let room =
            |front: &[usize]| crowding_distance(&front.iter().map(objectives).collect::<Vec<_>>());
        // Whoever leaves gives room to its neighbours, so that room is measured anew.
        while chosen.len() + front.len() > size {
            let room = room(&front);
            let crowded = (0..front.len()).min_by(|&a, &b| room[a].total_cmp(&room[b]));
            crowded.map(|crowded| front.remove(crowded));
        }
        let room = room(&front);
        chosen.extend(
            front
                .into_iter()
                .zip(room)
                .map(|(one, room)| (one, number as f64 + 1.0 / (room + 2.0))),
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
        let relation = Relation::default().grown(&objectives.iter().collect::<Vec<_>>(), &Pareto);
        let fronts = nondominated_sort(&relation);
        assert_eq!(json!(fronts), fixture["fronts"]);
        let first: Vec<&Vec<f64>> = fronts[0].iter().map(|&one| &objectives[one]).collect();
        for (one, room) in fronts[0].iter().zip(crowding_distance(&first)) {
            match &fixture["crowding_front0"][one.to_string()] {
                Value::String(text) => assert!(text == "inf" && room.is_infinite()),
                expected => {
                    assert!((room - expected.as_f64().unwrap()).abs() < 1e-9, "{one}: {room}")
                }
            }
        }
    }

    #[test]
    fn the_crowded_comparison_is_one_number() {
        // Front 0 is 0 to 3, with 1 more crowded than 2; 4 is alone in front 1.
        let points = [[0.0, 10.0], [1.0, 9.0], [4.0, 3.0], [10.0, 0.0], [11.0, 11.0]];
        let all: Vec<&[f64; 2]> = points.iter().collect();
        let survivors = survivors(&Relation::default().grown(&all, &Pareto), &all, 5);
        let fitness: Vec<f64> = survivors.iter().map(|&(_, fitness)| fitness).collect();
        assert_eq!((fitness[0], fitness[3], fitness[4]), (0.0, 0.0, 1.0));
        assert!(fitness[2] < fitness[1] && fitness[1] < 1.0, "{fitness:?}");
    }

    /// 1, 2 and 3 stand close together. Two of them leave, and the one that is left has all their
    /// room: were the two most crowded removed at once, 4 could go instead.
    #[test]
    fn the_crowded_leave_one_by_one() {
        let points = [[0.0, 10.0], [4.9, 5.1], [5.0, 5.0], [5.1, 4.9], [8.0, 2.0], [10.0, 0.0]];
        let all: Vec<&[f64; 2]> = points.iter().collect();
        let relation = Relation::default().grown(&all, &Pareto);
        let left: Vec<usize> =
            survivors(&relation, &all, 4).into_iter().map(|(one, _)| one).collect();
        assert_eq!((left[0], left[2], left[3]), (0, 4, 5));
    }

    #[test]
    fn equal_objectives_and_circles() {
        assert_eq!(crowding_distance(&[[1.0], [1.0], [1.0]]), [f64::INFINITY, 0.0, f64::INFINITY]);
        assert!(crowding_distance::<[f64; 2]>(&[]).is_empty());
        assert!(
            crowding_distance(&[[1.0], [f64::INFINITY], [2.0]]).iter().all(|room| !room.is_nan())
        );
        let relation = Relation::default().grown(&[&0, &1, &2, &3], &Circle(3));
        assert_eq!(nondominated_sort(&relation), [vec![0, 1, 2], vec![3]]);
    }

    /// Of four equals the first and the last have endless room and the others none; the earlier of
    /// those leaves first.
    #[test]
    fn of_equals_the_last_born_survive() {
        let individual = |genome: u8| Individual { genome, evaluation: [1.0], fitness: 0.0 };
        let settings = Settings { population: 3, generations: 1, crossover: 1.0, tournament: 2 };
        let mut state = State {
            generation: 0,
            population: vec![individual(0), individual(1)],
            archive: vec![],
        };
        let children = vec![individual(2), individual(3)];
        Nsga2 { settings, dominance: Pareto }.survive(
            &mut state,
            children,
            &mut Relation::default(),
        );
        let survivors: Vec<(u8, f64)> =
            state.population.iter().map(|one| (one.genome, one.fitness)).collect();
        assert_eq!(survivors, [(0, 0.0), (3, 0.0), (2, 0.5)]);
    }

    /// The definition: whom nobody left dominates; if there is no such one, who is dominated by the
    /// fewest left.
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
