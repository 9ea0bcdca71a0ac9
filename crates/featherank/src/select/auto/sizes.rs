//! The sizes that are tried, and the subset of a size that follows from an order of features.
//!
//! Each size costs four fifths of the previous one, down to a single feature. Features without
//! costs of their own cost 1.

use crate::data::FeatureId;
use crate::run::Constraints;

/// The cost limit of the next size, as a share of the current one.
const STEP: f64 = 0.8;

/// The cost limit of each size, from all features down; each size has at least one feature less
/// than the one before.
pub fn cost_limits(constraints: &Constraints, features: &[FeatureId]) -> Vec<f64> {
    if let Some(k) = constraints.k {
        // With `k`, the number of features is limited, not their cost.
        return vec![k as f64];
    }
    let cost = |f: &FeatureId| constraints.cost(*f);
    let total: f64 = features.iter().map(cost).sum();
    let least = features.iter().map(cost).filter(|&cost| cost > 0.0).fold(f64::INFINITY, f64::min);
    let kept: f64 = constraints.keep.iter().map(cost).sum();
    let first = constraints.budget.map_or(total, |budget| budget.min(total));
    let next = |&limit: &f64| {
        let next = (STEP * limit).min(limit - least);
        let next = if constraints.costs.is_empty() { next.floor() } else { next };
        // Sums of fractional costs may miss the limit by rounding.
        (next >= kept.max(least) - 1e-9).then_some(next)
    };
    std::iter::successors(Some(first), next).collect()
}

/// Takes features in order up to a cost limit.
pub struct CostCap<'a> {
    constraints: &'a Constraints,
    limit: f64,
}

impl<'a> CostCap<'a> {
    /// With one of the [`cost_limits`].
    pub fn new(constraints: &'a Constraints, limit: f64) -> Self {
        CostCap { constraints, limit }
    }

    fn price(&self, f: FeatureId) -> f64 {
        if self.constraints.k.is_some() { 1.0 } else { self.constraints.cost(f) }
    }

    /// The features to keep, then every feature of the order that fits into the limit and the
    /// budget; those that do not fit are skipped.
    pub fn take(&self, order: &[FeatureId]) -> Vec<FeatureId> {
        let Constraints { keep, budget, .. } = self.constraints;
        let (kept, free): (Vec<FeatureId>, Vec<FeatureId>) =
            order.iter().copied().partition(|f| keep.contains(f));
        let mut spent: f64 = kept.iter().map(|&f| self.price(f)).sum();
        let mut paid: f64 = kept.iter().map(|&f| self.constraints.cost(f)).sum();
        let mut set = kept;
        for f in free {
            let (price, cost) = (self.price(f), self.constraints.cost(f));
            let fits =
                spent + price <= self.limit + 1e-9 && budget.is_none_or(|most| paid + cost <= most);
            if fits {
                (spent, paid) = (spent + price, paid + cost);
                set.push(f);
            }
        }
        set
    }

    /// Features by importance divided by cost, highest first; ties by column.
    pub fn by_importance_per_cost(&self, importance: &[(FeatureId, f64)]) -> Vec<FeatureId> {
        let per_cost = |(f, share): &(FeatureId, f64)| match self.constraints.cost(*f) {
            cost if cost > 0.0 => share / cost,
            _ => f64::INFINITY,
        };
        let mut order = importance.to_vec();
        order.sort_by(|a, b| per_cost(b).total_cmp(&per_cost(a)).then(a.0.cmp(&b.0)));
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
    fn sizes_shrink_by_a_fifth_down_to_one() {
        let none = Constraints::default();
        assert_eq!(cost_limits(&none, &features(20)), [20., 16., 12., 9., 7., 5., 4., 3., 2., 1.]);
        let keep = Constraints { keep: features(4), ..none.clone() };
        assert_eq!(cost_limits(&keep, &features(9)), [9., 7., 5., 4.]);
        let k = Constraints { k: Some(3), ..none.clone() };
        assert_eq!(cost_limits(&k, &features(9)), [3.]);
        let budget = Constraints { budget: Some(3.0), ..none };
        assert_eq!(cost_limits(&budget, &features(9)), [3., 2., 1.]);
    }

    #[test]
    fn costs_shrink_down_to_the_cheapest_feature() {
        let costs = Constraints { costs: vec![0.5, 2.0, 1.5], ..Constraints::default() };
        let limits = cost_limits(&costs, &features(3));
        assert_eq!(limits[0], 4.0);
        assert!(limits.windows(2).all(|two| two[1] <= 0.8 * two[0] + 1e-12));
        assert!(*limits.last().unwrap() >= 0.5);
    }

    #[test]
    fn takes_features_that_fit() {
        let f = FeatureId;
        let constraints = Constraints {
            costs: vec![1.0, 5.0, 2.0, 1.0],
            keep: vec![f(3)],
            ..Constraints::default()
        };
        let cap = CostCap::new(&constraints, 4.0);
        assert_eq!(cap.take(&[f(1), f(0), f(2), f(3)]), [f(3), f(0), f(2)]);
        let shares = [(f(1), 0.6), (f(0), 0.3), (f(2), 0.1), (f(3), 0.0)];
        assert_eq!(cap.by_importance_per_cost(&shares), [f(0), f(1), f(2), f(3)]);
    }
}
