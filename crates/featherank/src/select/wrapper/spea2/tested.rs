//! Dominance by tests: better is what is significantly better.
//!
//! A subset beats another in an objective if its value is better and the values of single queries
//! differ by a paired test; it dominates if it beats it in one and is beaten in none. Numbers of
//! features and costs are certain and need no test. This relation is not transitive and may go in
//! circles.

use std::cmp::Ordering;

use super::objectives::{ObjectiveScore, SubsetScores};
use crate::declare::choice;
use crate::evolve::{Dominance, pareto_dominates};
use crate::measure::significance::{PerQuery, SignedRankLevel, paired_t};

/// Values closer than this are equal: sums in another order differ in their last digits.
const EQUAL: f64 = 1e-12;

/// How a difference proves itself.
#[derive(Debug, Clone, Copy)]
pub enum Test {
    /// By Wilcoxon's signed-rank test.
    Wilcoxon(SignedRankLevel),
    /// By the paired t-test at this level.
    Student(f64),
    /// Not at all: any difference of the values counts.
    Means,
}

choice! {
    /// A test of differences.
    pub enum TestName {
        /// Wilcoxon's signed-rank test.
        Wilcoxon = "wilcoxon",
        /// The paired t-test.
        Student = "t-test",
        /// No test: any difference of the means counts.
        Means = "means",
    }
}

impl Test {
    /// By name, at a level.
    pub fn new(name: TestName, level: f64) -> Self {
        match name {
            TestName::Wilcoxon => Test::Wilcoxon(SignedRankLevel::new(level)),
            TestName::Student => Test::Student(level),
            TestName::Means => Test::Means,
        }
    }

    /// Whether the values of single queries differ.
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

/// Who has the better value.
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
                // The others cannot speak against it.
                break;
            }
        }
        (pareto_dominates(compared), pareto_dominates(compared.map(Ordering::reverse)))
    }
}
