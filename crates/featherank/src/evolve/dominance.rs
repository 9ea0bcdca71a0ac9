//! Dominance relations between evaluations.
//!
//! Nothing here assumes that dominance is transitive or acyclic: "significantly better" is neither.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::genome::Bits;

/// Decides which of two evaluations is better, if either is. Called from many threads at once.
pub trait Dominance<E: ?Sized>: Sync {
    /// Whether `a` is better than `b`.
    fn dominates(&self, a: &E, b: &E) -> bool;

    /// Whether `a` is better than `b`, and whether `b` is better than `a`. Override it if the two
    /// answers share work, as those of a significance test do.
    fn both_ways(&self, a: &E, b: &E) -> (bool, bool) {
        (self.dominates(a, b), self.dominates(b, a))
    }
}

impl<E: ?Sized, D: Dominance<E>> Dominance<E> for &D {
    fn dominates(&self, a: &E, b: &E) -> bool {
        (**self).dominates(a, b)
    }

    fn both_ways(&self, a: &E, b: &E) -> (bool, bool) {
        (**self).both_ways(a, b)
    }
}

/// Better on at least one objective and worse on none: the rule of every dominance by objectives.
/// Each item compares the first with the second on one objective: `Less` is better, and `Equal`
/// includes differences that may be chance.
pub fn pareto_dominates(objectives: impl IntoIterator<Item = Ordering>) -> bool {
    let mut better = false;
    for objective in objectives {
        match objective {
            Ordering::Less => better = true,
            Ordering::Equal => {}
            Ordering::Greater => return false,
        }
    }
    better
}

/// Pareto dominance of minimised objectives: less on one and greater on none. A NaN counts as
/// equal.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pareto;

impl<E: AsRef<[f64]> + ?Sized> Dominance<E> for Pareto {
    fn dominates(&self, a: &E, b: &E) -> bool {
        let objectives = a.as_ref().iter().zip(b.as_ref());
        pareto_dominates(objectives.map(|(a, b)| a.partial_cmp(b).unwrap_or(Ordering::Equal)))
    }
}

/// Which individuals dominate which: one row of bits for each, with a bit for every individual it
/// dominates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Relation {
    rows: Vec<Bits>,
}

impl Relation {
    /// Extends this relation, which covers the first of `evaluations`, to all of them. Only pairs
    /// that include a new individual are compared: comparisons may be expensive, and most of an
    /// archive survives for many generations.
    #[must_use]
    pub fn extended_to<E: Sync>(&self, evaluations: &[&E], dominance: &impl Dominance<E>) -> Self {
        let count = evaluations.len();
        let mut rows: Vec<Bits> =
            self.rows.iter().map(|row| Bits::from_indices(count, row.ones())).collect();
        rows.resize(count, Bits::new(count));
        let with_others = |new: usize| -> Vec<(bool, bool)> {
            (0..new)
                .map(|other| dominance.both_ways(evaluations[new], evaluations[other]))
                .collect()
        };
        let compared: Vec<Vec<(bool, bool)>> =
            (self.rows.len()..count).into_par_iter().map(with_others).collect();
        for (new, with_others) in (self.rows.len()..).zip(compared) {
            for (other, (is_better, is_worse)) in with_others.into_iter().enumerate() {
                rows[new].set(other, is_better);
                rows[other].set(new, is_worse);
            }
        }
        Self { rows }
    }

    /// The relation restricted to `chosen`, in the order given.
    #[must_use]
    pub fn restricted_to(&self, chosen: &[usize]) -> Self {
        let row = |&from: &usize| {
            let dominated = (0..chosen.len()).filter(|&to| self.rows[from].get(chosen[to]));
            Bits::from_indices(chosen.len(), dominated)
        };
        Self { rows: chosen.iter().map(row).collect() }
    }

    /// The number of individuals.
    #[must_use]
    pub fn size(&self) -> usize {
        self.rows.len()
    }

    /// The individuals that `individual` dominates.
    #[must_use]
    pub fn dominated_by(&self, individual: usize) -> &Bits {
        &self.rows[individual]
    }

    /// The number of individuals that dominate each individual.
    #[must_use]
    pub fn dominators(&self) -> Vec<usize> {
        let mut dominators = vec![0; self.size()];
        for row in &self.rows {
            row.ones().for_each(|dominated| dominators[dominated] += 1);
        }
        dominators
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Circle, config};
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    /// The evaluations that no other dominates, in order. If dominance is cyclic there may be none.
    fn nondominated<E: Sync>(evaluations: &[E], dominance: &impl Dominance<E>) -> Vec<usize> {
        let all: Vec<&E> = evaluations.iter().collect();
        let dominators = Relation::default().extended_to(&all, dominance).dominators();
        (0..evaluations.len()).filter(|&one| dominators[one] == 0).collect()
    }

    #[test]
    fn pareto_by_hand() {
        let front = [[1.0, 3.0], [2.0, 2.0], [2.0, 2.0], [2.0, 3.0], [f64::NAN, 9.0]];
        assert!(Pareto.dominates(&front[0], &front[3]) && !Pareto.dominates(&front[3], &front[0]));
        assert!(!Pareto.dominates(&front[1], &front[2]), "equals do not dominate each other");
        assert_eq!(nondominated(&front, &Pareto), [0, 1, 2]);
        assert!(nondominated::<[f64; 2]>(&[], &Pareto).is_empty());
        assert!(nondominated(&[0, 1, 2], &Circle(3)).is_empty());
    }

    /// The p-values are the fixture's; the test checks the rule that combines them into dominance.
    #[test]
    fn tested_dominance_matches_the_fixture() {
        struct FixtureDominance<'a>(&'a Value);
        impl FixtureDominance<'_> {
            fn outcomes(&self, a: usize, b: usize, level: f64) -> [Ordering; 2] {
                let pair = self.0["pairs"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(|pair| pair["i"] == a && pair["j"] == b);
                let number = |name: &str| pair.unwrap()[name].as_f64().unwrap();
                let tested =
                    |p: f64, order: Ordering| if p < level { order } else { Ordering::Equal };
                let risk = number("frisk_i").total_cmp(&number("frisk_j"));
                let effectiveness = number("eff_j").total_cmp(&number("eff_i"));
                [tested(number("p_risk"), risk), tested(number("p_eff"), effectiveness)]
            }
        }
        impl Dominance<usize> for FixtureDominance<'_> {
            fn dominates(&self, &a: &usize, &b: &usize) -> bool {
                pareto_dominates(self.outcomes(a, b, self.0["alpha_level"].as_f64().unwrap()))
            }
        }

        let text = include_str!("../../tests/fixtures/spea2_tested_dominance.json");
        let fixture: Value = serde_json::from_str(text).unwrap();
        let tested = FixtureDominance(&fixture);
        let pairs = fixture["pairs"].as_array().unwrap();
        let index =
            |pair: &Value, name: &str| usize::try_from(pair[name].as_u64().unwrap()).unwrap();
        for pair in pairs {
            let (a, b) = (index(pair, "i"), index(pair, "j"));
            assert_eq!(tested.dominates(&a, &b), pair["tested_ER"].as_bool().unwrap(), "{pair}");
            let untested = pareto_dominates(tested.outcomes(a, b, 2.0));
            assert_eq!(untested, pair["scalar_ER"].as_bool().unwrap(), "{pair}");
        }
        assert_eq!(pairs.len(), 6);
        assert_eq!(nondominated(&[0, 1, 2], &tested), [0, 1]);
    }

    proptest! {
        #![proptest_config(config())]

        /// Extending a relation in any two steps equals comparing every pair.
        #[test]
        fn relations_extend(points in prop::collection::vec(any::<[u8; 2]>(), 0..20), known in 0usize..20) {
            let points: Vec<[f64; 2]> = points.iter().map(|point| point.map(|value| f64::from(value % 8))).collect();
            let all: Vec<&[f64; 2]> = points.iter().collect();
            let known: Vec<usize> = (0..all.len().min(known)).collect();
            let relation = Relation::default().extended_to(&all, &Pareto);
            prop_assert_eq!(&relation.restricted_to(&known).extended_to(&all, &Pareto), &relation);
            for (a, one) in points.iter().enumerate() {
                for (b, other) in points.iter().enumerate() {
                    prop_assert_eq!(relation.dominated_by(a).get(b), Pareto.dominates(one, other));
                }
            }
        }
    }
}
