//! The choice of a subset from the front.

use super::objectives::SubsetScores;
use super::tested::{SPEA2Test, Test};
use crate::declare::choice;
use crate::measure::significance::LEVEL;

choice! {
    /// Which subset of the Pareto front is selected.
    pub enum FrontChoice {
        /// The most effective one, as published.
        Effectiveness = "effectiveness",
        /// The one nearest to the best of every objective at once, each on a scale from its best
        /// to its worst.
        Knee = "knee",
        /// The cheapest one that is not significantly less effective than the most effective one.
        Cheapest = "cheapest",
    }
}

impl FrontChoice {
    /// The place of the chosen subset on a front, which has at least one member. Of equals the
    /// cheaper one is taken, then the smaller one, then the more effective one, then the first.
    pub(super) fn of(self, front: &[&SubsetScores], test: Test) -> usize {
        let values = |value: &dyn Fn(&SubsetScores) -> f64| {
            front.iter().map(|scores| value(scores)).collect::<Vec<f64>>()
        };
        let best = least(front, &values(&|scores| -scores.effectiveness));
        match self {
            FrontChoice::Effectiveness => best,
            FrontChoice::Knee => least(front, &distances(front)),
            FrontChoice::Cheapest => {
                // Without a test every difference would be significant.
                let test = match test {
                    Test::Means => Test::new(SPEA2Test::Wilcoxon, LEVEL),
                    tested => tested,
                };
                let is_worse = |scores: &SubsetScores| {
                    scores.effectiveness < front[best].effectiveness
                        && test.differ(&scores.per_query, &front[best].per_query)
                };
                let cost = |scores: &SubsetScores| {
                    if is_worse(scores) { f64::INFINITY } else { scores.cost }
                };
                least(front, &values(&cost))
            }
        }
    }
}

/// The distance of each member from the best value of every objective.
fn distances(front: &[&SubsetScores]) -> Vec<f64> {
    let mut squares = vec![0.0; front.len()];
    for objective in 0..front.first().map_or(0, |scores| scores.objectives.len()) {
        let value = |scores: &&SubsetScores| scores.objectives[objective].value;
        let best = front.iter().map(value).fold(f64::INFINITY, f64::min);
        let worst = front.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
        if worst > best {
            let share = |scores| (value(scores) - best) / (worst - best);
            squares
                .iter_mut()
                .zip(front)
                .for_each(|(sum, scores)| *sum += share(scores) * share(scores));
        }
    }
    squares
}

/// The place of the smallest value.
fn least(front: &[&SubsetScores], values: &[f64]) -> usize {
    // Sums in another order differ in their last digits.
    let rounded = |value: f64| (value * 1e12).round();
    let order = |&a: &usize, &b: &usize| {
        let (one, other) = (front[a], front[b]);
        rounded(values[a])
            .total_cmp(&rounded(values[b]))
            .then(one.cost.total_cmp(&other.cost))
            .then(one.features.cmp(&other.features))
            .then(rounded(other.effectiveness).total_cmp(&rounded(one.effectiveness)))
    };
    (0..front.len()).min_by(order).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::objectives::ObjectiveScore;
    use super::*;
    use crate::measure::significance::PerQuery;

    fn scores(objectives: [f64; 2], per_query: &[f64], cost: f64) -> SubsetScores {
        let judged = |value| ObjectiveScore { value, per_query: None };
        let effectiveness = per_query.iter().sum::<f64>() / per_query.len() as f64;
        let objectives = objectives.map(judged).to_vec();
        let per_query = Arc::new(PerQuery::new(per_query));
        SubsetScores { effectiveness, per_query, features: 1, cost, objectives }
    }

    /// The first is the most effective one; the second gains in half of the queries and loses
    /// slightly more in the others, which is not significant; the third loses in all.
    #[test]
    fn each_rule_by_hand() {
        let even = vec![0.8; 60];
        let change = |q: u32| f64::from(q + 1) * if q.is_multiple_of(2) { 0.003 } else { -0.003 };
        let other: Vec<f64> = (0..60).map(|q| 0.8 + change(q)).collect();
        let front = [
            scores([-0.80, 10.0], &even, 10.0),
            scores([-0.795, 5.0], &other, 5.0),
            scores([-0.70, 1.0], &vec![0.7; 60], 1.0),
            scores([-0.70, 1.0], &vec![0.7; 60], 1.0),
        ];
        let front: Vec<&SubsetScores> = front.iter().collect();
        for test in [SPEA2Test::Wilcoxon, SPEA2Test::Student, SPEA2Test::Means]
            .map(|name| Test::new(name, 0.05))
        {
            assert_eq!(FrontChoice::Effectiveness.of(&front, test), 0);
            assert_eq!(FrontChoice::Knee.of(&front, test), 1);
            assert_eq!(FrontChoice::Cheapest.of(&front, test), 1);
        }
        assert_eq!(FrontChoice::Knee.of(&front[..1], Test::Means), 0);
        assert_eq!(
            FrontChoice::Effectiveness.of(&front[2..], Test::Means),
            0,
            "the first of equals"
        );
    }
}
