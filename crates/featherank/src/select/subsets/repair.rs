//! Random subsets made to satisfy the run's constraints, for evolutionary searches.

use rand::RngExt;

use crate::data::FeatureId;
use crate::evolve::Bits;
use crate::random::Stream;
use crate::run::Constraints;

/// The constraints on subsets of some features, one bit for each feature.
#[derive(Debug, Clone)]
pub struct SubsetRepair {
    is_kept: Vec<bool>,
    costs: Vec<f64>,
    budget: f64,
    /// The number of features, if it is fixed.
    size: Option<usize>,
    /// The smallest number of features that is allowed.
    least: usize,
}

impl SubsetRepair {
    /// For subsets of `features`, with at least `least` of them. Features to keep that are not
    /// among them take their share of the budget and of the number of features.
    pub fn new(constraints: &Constraints, features: &[FeatureId], least: usize) -> Self {
        let elsewhere: Vec<FeatureId> =
            constraints.keep.iter().copied().filter(|f| !features.contains(f)).collect();
        let spent: f64 = elsewhere.iter().map(|&f| constraints.cost(f)).sum();
        SubsetRepair {
            is_kept: features.iter().map(|f| constraints.keep.contains(f)).collect(),
            costs: features.iter().map(|&f| constraints.cost(f)).collect(),
            budget: constraints.budget.map_or(f64::INFINITY, |budget| budget - spent),
            size: constraints.k.map(|k| k.saturating_sub(elsewhere.len()).max(least)),
            least,
        }
    }

    /// The same for subsets of some of the features.
    pub fn restricted(&self, places: &[usize]) -> Self {
        SubsetRepair {
            is_kept: places.iter().map(|&k| self.is_kept[k]).collect(),
            costs: places.iter().map(|&k| self.costs[k]).collect(),
            ..*self
        }
    }

    /// The cost of a subset: the number of its features unless they have costs.
    pub fn cost(&self, subset: &Bits) -> f64 {
        subset.ones().map(|k| self.costs[k]).sum()
    }

    /// Adds and removes random features until the subset satisfies the constraints.
    pub fn repair(&self, subset: &mut Bits, rng: &mut Stream) {
        for k in (0..subset.length()).filter(|&k| self.is_kept[k]) {
            subset.set(k, true);
        }
        let is_too_large = |subset: &Bits| {
            self.size.is_some_and(|size| subset.count() > size) || self.cost(subset) > self.budget
        };
        while is_too_large(subset) {
            let removable = subset.ones().filter(|&k| !self.is_kept[k]);
            let Some(removed) = any(removable, rng) else { break };
            subset.set(removed, false);
        }
        while subset.count() < self.size.unwrap_or(self.least) {
            let spent = self.cost(subset);
            let is_affordable = |&k: &usize| spent + self.costs[k] <= self.budget;
            let outside = (0..subset.length()).filter(|&k| !subset.get(k));
            let Some(added) = any(outside.filter(is_affordable), rng) else { break };
            subset.set(added, true);
        }
    }
}

/// One of the candidates, each with the same probability.
fn any(candidates: impl Iterator<Item = usize>, rng: &mut Stream) -> Option<usize> {
    let candidates: Vec<usize> = candidates.collect();
    (!candidates.is_empty()).then(|| candidates[rng.random_range(0..candidates.len())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolve::bernoulli;
    use crate::random::{Purpose, stream};

    #[test]
    fn repaired_subsets_satisfy_all_constraints() {
        let features: Vec<FeatureId> = (0..10).map(FeatureId).collect();
        let costs = (0..10).map(|k| if k < 5 { 1.0 } else { 3.0 }).collect();
        let constraints = Constraints {
            k: Some(4),
            keep: vec![FeatureId(7), FeatureId(30)],
            costs,
            budget: Some(8.0),
            ..Constraints::default()
        };
        let repair = SubsetRepair::new(&constraints, &features, 1);
        let mut rng = stream(1, Purpose::Test, 0);
        let mut seen = Bits::new(10);
        for density in [0.0, 0.1, 0.5, 1.0].repeat(50) {
            let mut subset = bernoulli(10, density, &mut rng);
            repair.repair(&mut subset, &mut rng);
            // Feature 30 is not among the ten: it takes one of the four places and 1 of the budget.
            let is_valid = subset.get(7) && subset.count() == 3 && repair.cost(&subset) <= 7.0;
            assert!(is_valid, "{subset}");
            subset.ones().for_each(|k| seen.set(k, true));
        }
        assert_eq!(seen.count(), 10, "every feature can be reached");
        let mut empty = Bits::new(10);
        SubsetRepair::new(&Constraints::default(), &features, 1).repair(&mut empty, &mut rng);
        assert_eq!(empty.count(), 1);
        SubsetRepair::new(&Constraints::default(), &features, 0).repair(&mut empty, &mut rng);
        assert_eq!(empty.count(), 1);
    }
}
