//! Which sizes are tried, and the set of a size that a method proposes.
//!
//! Each size costs four fifths of the one before, down to a single feature. Where features have no
//! costs of their own, each costs 1.

use crate::data::FeatureId;
use crate::run::Constraints;

/// What the next size may cost.
const STEP: f64 = 0.8;

/// What the sets of each size may cost, from all of the features down, each at least one feature
/// less than the one before.
pub fn levels(constraints: &Constraints, features: &[FeatureId]) -> Vec<f64> {
    if let Some(k) = constraints.k {
        // With `k` the number decides, not the cost.
        return vec![k as f64];
    }
    let cost = |f: &FeatureId| constraints.cost(*f);
    let total: f64 = features.iter().map(cost).sum();
    let least = features.iter().map(cost).filter(|&cost| cost > 0.0).fold(f64::INFINITY, f64::min);
    let kept: f64 = constraints.keep.iter().map(cost).sum();
    let first = constraints.budget.map_or(total, |budget| budget.min(total));
    let next = |&level: &f64| {
        let next = (STEP * level).min(level - least);
        let next = if constraints.costs.is_empty() { next.floor() } else { next };
        // Costs that are sums of fractions may miss a border by rounding.
        (next >= kept.max(least) - 1e-9).then_some(next)
    };
    std::iter::successors(Some(first), next).collect()
}

/// A place to put features in until a level is reached.
pub struct Room<'a> {
    constraints: &'a Constraints,
    level: f64,
}

impl<'a> Room<'a> {
    /// For one of the [`levels`].
    pub fn new(constraints: &'a Constraints, level: f64) -> Self {
        Room { constraints, level }
    }

    fn price(&self, f: FeatureId) -> f64 {
        if self.constraints.k.is_some() { 1.0 } else { self.constraints.cost(f) }
    }

    /// What is kept in any case, then the first of an order, as long as the next one fits; dearer
    /// ones are passed over.
    pub fn first_of(&self, order: &[FeatureId]) -> Vec<FeatureId> {
        let Constraints { keep, budget, .. } = self.constraints;
        let (kept, free): (Vec<FeatureId>, Vec<FeatureId>) =
            order.iter().copied().partition(|f| keep.contains(f));
        let mut spent: f64 = kept.iter().map(|&f| self.price(f)).sum();
        let mut paid: f64 = kept.iter().map(|&f| self.constraints.cost(f)).sum();
        let mut set = kept;
        for f in free {
            let (price, cost) = (self.price(f), self.constraints.cost(f));
            let fits =
                spent + price <= self.level + 1e-9 && budget.is_none_or(|most| paid + cost <= most);
            if fits {
                (spent, paid) = (spent + price, paid + cost);
                set.push(f);
            }
        }
        set
    }

    /// An order in which what matters least for its price comes last.
    pub fn by_worth(&self, shares: &[(FeatureId, f64)]) -> Vec<FeatureId> {
        let worth = |(f, share): &(FeatureId, f64)| match self.constraints.cost(*f) {
            cost if cost > 0.0 => share / cost,
            _ => f64::INFINITY,
        };
        let mut order = shares.to_vec();
        order.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then(a.0.cmp(&b.0)));
        order.into_iter().map(|(f, _)| f).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(count: u32) -> Vec<FeatureId> {
        (0..count).map(FeatureId).collect()
    }

    #[test]
    fn sizes_shrink_by_a_fifth_and_end_at_one() {
        let none = Constraints::default();
        assert_eq!(levels(&none, &features(20)), [20., 16., 12., 9., 7., 5., 4., 3., 2., 1.]);
        let keep = Constraints { keep: features(4), ..none.clone() };
        assert_eq!(levels(&keep, &features(9)), [9., 7., 5., 4.]);
        let k = Constraints { k: Some(3), ..none.clone() };
        assert_eq!(levels(&k, &features(9)), [3.]);
        let budget = Constraints { budget: Some(3.0), ..none };
        assert_eq!(levels(&budget, &features(9)), [3., 2., 1.]);
    }

    #[test]
    fn costs_shrink_down_to_the_cheapest_feature() {
        let costs = Constraints { costs: vec![0.5, 2.0, 1.5], ..Constraints::default() };
        let levels = levels(&costs, &features(3));
        assert_eq!(levels[0], 4.0);
        assert!(levels.windows(2).all(|two| two[1] <= 0.8 * two[0] + 1e-12));
        assert!(*levels.last().unwrap() >= 0.5);
    }

    #[test]
    fn a_room_takes_what_fits() {
        let f = FeatureId;
        let constraints = Constraints {
            costs: vec![1.0, 5.0, 2.0, 1.0],
            keep: vec![f(3)],
            ..Constraints::default()
        };
        let room = Room::new(&constraints, 4.0);
        assert_eq!(room.first_of(&[f(1), f(0), f(2), f(3)]), [f(3), f(0), f(2)]);
        let shares = [(f(1), 0.6), (f(0), 0.3), (f(2), 0.1), (f(3), 0.0)];
        assert_eq!(room.by_worth(&shares), [f(0), f(1), f(2), f(3)]);
    }
}
