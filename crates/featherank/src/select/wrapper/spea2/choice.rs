//! Which subset of the front is the answer.

use super::objectives::Worth;
use super::tested::{Test, TestName};
use crate::declare::choice;
use crate::measure::significance::LEVEL;

choice! {
    /// Which member of the front is the answer.
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
    /// The place of the answer on a front, which has at least one member. Of equals the cheaper one
    /// is taken, then the smaller one, then the more effective one, then the first.
    pub fn of(self, front: &[&Worth], test: Test) -> usize {
        let values = |value: &dyn Fn(&Worth) -> f64| {
            front.iter().map(|worth| value(worth)).collect::<Vec<f64>>()
        };
        let best = least(front, &values(&|worth| -worth.effectiveness));
        match self {
            FrontChoice::Effectiveness => best,
            FrontChoice::Knee => least(front, &distances(front)),
            FrontChoice::Cheapest => {
                // Without a test every difference would count.
                let test = match test {
                    Test::Means => Test::new(TestName::Wilcoxon, LEVEL),
                    tested => tested,
                };
                let is_worse = |worth: &Worth| {
                    worth.effectiveness < front[best].effectiveness
                        && test.differ(&worth.per_query, &front[best].per_query)
                };
                let price =
                    |worth: &Worth| if is_worse(worth) { f64::INFINITY } else { worth.cost };
                least(front, &values(&price))
            }
        }
    }
}

/// How far each member is from the best of every objective at once.
fn distances(front: &[&Worth]) -> Vec<f64> {
    let mut squares = vec![0.0; front.len()];
    for objective in 0..front.first().map_or(0, |worth| worth.objectives.len()) {
        let value = |worth: &&Worth| worth.objectives[objective].value;
        let best = front.iter().map(value).fold(f64::INFINITY, f64::min);
        let worst = front.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
        if worst > best {
            let share = |worth| (value(worth) - best) / (worst - best);
            squares
                .iter_mut()
                .zip(front)
                .for_each(|(sum, worth)| *sum += share(worth) * share(worth));
        }
    }
    squares
}

/// The place of the least value.
fn least(front: &[&Worth], values: &[f64]) -> usize {
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

    use super::super::objectives::Judged;
    use super::*;
    use crate::measure::significance::PerQuery;

    fn worth(objectives: [f64; 2], per_query: &[f64], cost: f64) -> Worth {
        let judged = |value| Judged { value, per_query: None };
        let effectiveness = per_query.iter().sum::<f64>() / per_query.len() as f64;
        let objectives = objectives.map(judged).to_vec();
        let per_query = Arc::new(PerQuery::new(per_query));
        Worth { effectiveness, per_query, features: 1, cost, objectives }
    }

    /// The first is the most effective one; the second gains in half of the queries and loses a
    /// little more in the others, which says nothing; the third loses in all.
    #[test]
    fn each_rule_by_hand() {
        let even = vec![0.8; 60];
        let change = |q: u32| f64::from(q + 1) * if q.is_multiple_of(2) { 0.003 } else { -0.003 };
        let other: Vec<f64> = (0..60).map(|q| 0.8 + change(q)).collect();
        let front = [
            worth([-0.80, 10.0], &even, 10.0),
            worth([-0.795, 5.0], &other, 5.0),
            worth([-0.70, 1.0], &vec![0.7; 60], 1.0),
            worth([-0.70, 1.0], &vec![0.7; 60], 1.0),
        ];
        let front: Vec<&Worth> = front.iter().collect();
        for test in [TestName::Wilcoxon, TestName::Student, TestName::Means]
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
