//! The sizes that are tried, and the subset of a size that follows from an order of features.
//!
//! Each size costs four fifths of the previous one, down to a single feature; the number of
//! features or the budget that the user asks for is one of them. Features without costs have cost
//! 1. Sizes that the constraints do not allow are steps of the elimination only.

use crate::data::FeatureId;
use crate::run::Constraints;

/// The cost limit of the next size, as a share of the current one.
const STEP: f64 = 0.8;

/// Sums of fractional costs may miss a limit by rounding.
const ROUNDING: f64 = 1e-9;

/// A size of feature sets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// The largest cost of a set; the number of features if the user asks for a number.
    pub limit: f64,
    /// Whether the constraints allow to return a set of this size.
    pub is_allowed: bool,
}

/// The sizes from all features down; each has at least one feature less than the one before.
pub fn sizes(constraints: &Constraints, features: &[FeatureId]) -> Vec<Size> {
    let counts = constraints.k.is_some() || constraints.costs.is_empty();
    let cost = |f: &FeatureId| if constraints.k.is_some() { 1.0 } else { constraints.cost(*f) };
    let total: f64 = features.iter().map(cost).sum();
    let least = features.iter().map(cost).filter(|&cost| cost > 0.0).fold(f64::INFINITY, f64::min);
    let kept: f64 = constraints.keep.iter().map(cost).sum();
    let wanted = constraints.k.map(|k| k as f64);
    let most = wanted.or(constraints.budget);
    let lowest = wanted.unwrap_or(kept.max(least));
    let next = |&limit: &f64| {
        let next = (STEP * limit).min(limit - least);
        let next = if counts { next.floor() } else { next };
        let next = most.filter(|&most| most < limit && next < most).unwrap_or(next);
        (next >= lowest - ROUNDING).then_some(next)
    };
    let first = wanted.map_or(total, |wanted| total.max(wanted));
    let is_allowed = |limit: f64| most.is_none_or(|most| limit <= most + ROUNDING);
    std::iter::successors(Some(first), next)
        .map(|limit| Size { limit, is_allowed: is_allowed(limit) })
        .collect()
}

/// Takes features in order up to a cost limit.
pub struct CostCap<'a> {
    constraints: &'a Constraints,
    size: Size,
}

impl<'a> CostCap<'a> {
    /// With one of the [`sizes`].
    pub fn new(constraints: &'a Constraints, size: Size) -> Self {
        CostCap { constraints, size }
    }

    fn limited_cost(&self, f: FeatureId) -> f64 {
        if self.constraints.k.is_some() { 1.0 } else { self.constraints.cost(f) }
    }

    /// The features to keep, then every feature of the order that fits into the limit and, for
    /// sizes that may be returned, into the budget; those that do not fit are skipped.
    pub fn take(&self, order: &[FeatureId]) -> Vec<FeatureId> {
        let Constraints { keep, budget, .. } = self.constraints;
        let budget = budget.filter(|_| self.size.is_allowed);
        let (kept, free): (Vec<FeatureId>, Vec<FeatureId>) =
            order.iter().copied().partition(|f| keep.contains(f));
        let mut spent: f64 = kept.iter().map(|&f| self.limited_cost(f)).sum();
        let mut paid: f64 = kept.iter().map(|&f| self.constraints.cost(f)).sum();
        let mut set = kept;
        for f in free {
            let (limited, cost) = (self.limited_cost(f), self.constraints.cost(f));
            let fits = spent + limited <= self.size.limit + ROUNDING
                && budget.is_none_or(|most| paid + cost <= most);
            if fits {
                (spent, paid) = (spent + limited, paid + cost);
                set.push(f);
            }
        }
        set
    }
}

/// Features by importance divided by cost, highest first; ties by column.
pub fn by_importance_per_cost(
    constraints: &Constraints,
    importance: &[(FeatureId, f64)],
) -> Vec<FeatureId> {
    let per_cost = |(f, share): &(FeatureId, f64)| match constraints.cost(*f) {
        cost if cost > 0.0 => share / cost,
        _ => f64::INFINITY,
    };
    let mut order = importance.to_vec();
    order.sort_by(|a, b| per_cost(b).total_cmp(&per_cost(a)).then(a.0.cmp(&b.0)));
    order.into_iter().map(|(f, _)| f).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(count: u32) -> Vec<FeatureId> {
        (0..count).map(FeatureId).collect()
    }

    fn limits(constraints: &Constraints, count: u32) -> Vec<f64> {
        sizes(constraints, &features(count)).iter().map(|size| size.limit).collect()
    }

    fn allowed(constraints: &Constraints, count: u32) -> Vec<f64> {
        let sizes = sizes(constraints, &features(count));
        sizes.iter().filter(|size| size.is_allowed).map(|size| size.limit).collect()
    }

    #[test]
    fn sizes_shrink_by_a_fifth_down_to_one() {
        let none = Constraints::default();
        assert_eq!(limits(&none, 20), [20., 16., 12., 9., 7., 5., 4., 3., 2., 1.]);
        let keep = Constraints { keep: features(4), ..none.clone() };
        assert_eq!(limits(&keep, 9), [9., 7., 5., 4.]);
        assert_eq!(allowed(&none, 20).len(), 10);
    }

    #[test]
    fn a_number_or_a_budget_is_one_of_the_sizes() {
        let k = Constraints { k: Some(6), ..Constraints::default() };
        assert_eq!((limits(&k, 20), allowed(&k, 20)), (vec![20., 16., 12., 9., 7., 6.], vec![6.]));
        assert_eq!(allowed(&k, 6), [6.]);
        assert_eq!(allowed(&k, 3), [6.], "too many, which is reported elsewhere");
        let budget = Constraints { budget: Some(3.0), ..Constraints::default() };
        assert_eq!((limits(&budget, 9), allowed(&budget, 9)).0, [9., 7., 5., 4., 3., 2., 1.]);
        assert_eq!(allowed(&budget, 9), [3., 2., 1.]);
    }

    #[test]
    fn costs_shrink_down_to_the_cheapest_feature() {
        let costs = Constraints { costs: vec![0.5, 2.0, 1.5], ..Constraints::default() };
        let limits = limits(&costs, 3);
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
        let cap = CostCap::new(&constraints, Size { limit: 4.0, is_allowed: true });
        assert_eq!(cap.take(&[f(1), f(0), f(2), f(3)]), [f(3), f(0), f(2)]);
        let shares = [(f(1), 0.6), (f(0), 0.3), (f(2), 0.1), (f(3), 0.0)];
        assert_eq!(by_importance_per_cost(&constraints, &shares), [f(0), f(1), f(2), f(3)]);
        let budget = Constraints { budget: Some(2.0), ..constraints };
        let cap = |is_allowed| CostCap::new(&budget, Size { limit: 4.0, is_allowed });
        assert_eq!(cap(true).take(&[f(0), f(2), f(3)]), [f(3), f(0)]);
        assert_eq!(cap(false).take(&[f(0), f(2), f(3)]), [f(3), f(0), f(2)]);
    }
}
