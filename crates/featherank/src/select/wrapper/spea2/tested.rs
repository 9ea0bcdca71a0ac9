//! Dominance by tests: a subset is better only if it is significantly better.
//!
//! A subset beats another in an objective if its value is better and the values per query differ by
//! a paired test; it dominates if it beats the other in one objective and is beaten in none.
//! Numbers of features and costs are exact and need no test. This relation is not transitive and
//! can be cyclic.

use std::cmp::Ordering;

use super::objectives::{ObjectiveScore, SubsetScores};
use crate::declare::choice;
use crate::evolve::{Dominance, pareto_dominates};
use crate::measure::significance::{PerQuery, SignedRankLevel, paired_t};

/// Values closer than this are equal: sums in another order differ in their last digits.
const EQUAL: f64 = 1e-12;

/// The test that decides whether a difference counts.
#[derive(Debug, Clone, Copy)]
pub enum Test {
    /// Wilcoxon's signed-rank test.
    Wilcoxon(SignedRankLevel),
    /// The paired t-test at this level.
    Student(f64),
    /// No test: any difference of the values counts.
    Means,
}

choice! {
    /// A test of differences.
    pub enum SPEA2Test {
        /// Wilcoxon's signed-rank test.
        Wilcoxon = "wilcoxon",
        /// The paired t-test.
        Student = "t-test",
        /// No test: any difference of the means counts.
        Means = "means",
    }
}

impl Test {
    /// The test of this name, at a level.
    pub fn new(name: SPEA2Test, level: f64) -> Self {
        match name {
            SPEA2Test::Wilcoxon => Test::Wilcoxon(SignedRankLevel::new(level)),
            SPEA2Test::Student => Test::Student(level),
            SPEA2Test::Means => Test::Means,
        }
    }

    /// Whether the values per query differ.
    pub fn differ(&self, a: &PerQuery, b: &PerQuery) -> bool {
        match self {
            Test::Wilcoxon(level) => level.differ(a, b),
            Test::Student(level) => paired_t(&a.values(), &b.values()).p < *level,
            Test::Means => true,
        }
    }

    fn proves(&self, (a, b): (&ObjectiveScore, &ObjectiveScore)) -> bool {
        match (&a.per_query, &b.per_query) {
            (Some(a), Some(b)) => self.differ(a, b),
            _ => true,
        }
    }
}

/// Compares the values of two subsets.
fn compare((a, b): (&ObjectiveScore, &ObjectiveScore)) -> Ordering {
    if (a.value - b.value).abs() <= EQUAL { Ordering::Equal } else { a.value.total_cmp(&b.value) }
}

impl Dominance<SubsetScores> for Test {
    fn dominates(&self, a: &SubsetScores, b: &SubsetScores) -> bool {
        self.both_ways(a, b).0
    }

    fn both_ways(&self, a: &SubsetScores, b: &SubsetScores) -> (bool, bool) {
        let pairs = || a.objectives.iter().zip(&b.objectives);
        let mut compared: [Ordering; 3] = [Ordering::Equal; 3];
        compared.iter_mut().zip(pairs()).for_each(|(place, pair)| *place = compare(pair));
        let one_sided =
            [Ordering::Less, Ordering::Greater].iter().any(|side| !compared.contains(side));
        for (place, pair) in compared.iter_mut().zip(pairs()).filter(|(place, _)| place.is_ne()) {
            let proven = self.proves(pair);
            if !proven {
                *place = Ordering::Equal;
            } else if one_sided {
                // The remaining objectives cannot change the result.
                break;
            }
        }
        (pareto_dominates(compared), pareto_dominates(compared.map(Ordering::reverse)))
    }
}
