//! What a set of features may be: the run's constraints as a search over sets obeys them.

use rand::RngExt;

use crate::data::FeatureId;
use crate::evolve::Bits;
use crate::random::Stream;
use crate::run::Constraints;

/// Constraints on sets of some features.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    is_kept: Vec<bool>,
    costs: Vec<f64>,
    budget: f64,
    size: Option<usize>,
}

impl Limits {
    /// For sets of these features. Features to keep that are not among them take their share of
    /// budget and number.
    pub fn new(constraints: &Constraints, features: &[FeatureId]) -> Self {
        let elsewhere: Vec<FeatureId> =
            constraints.keep.iter().copied().filter(|f| !features.contains(f)).collect();
        let spent: f64 = elsewhere.iter().map(|&f| constraints.cost(f)).sum();
        let size = |k: usize| k.saturating_sub(elsewhere.len()).clamp(1, features.len().max(1));
        Limits {
            is_kept: features.iter().map(|f| constraints.keep.contains(f)).collect(),
            costs: features.iter().map(|&f| constraints.cost(f)).collect(),
            budget: constraints.budget.map_or(f64::INFINITY, |budget| budget - spent),
            size: constraints.k.map(size),
        }
    }

    /// The same for sets of some of the features.
    pub fn among(&self, features: &[usize]) -> Self {
        Limits {
            is_kept: features.iter().map(|&k| self.is_kept[k]).collect(),
            costs: features.iter().map(|&k| self.costs[k]).collect(),
            ..*self
        }
    }

    /// What a set costs: the number of its features unless they have prices.
    pub fn cost(&self, set: &Bits) -> f64 {
        set.ones().map(|k| self.costs[k]).sum()
    }

    /// Adds and removes features at random until the set is one that may be: never empty, and of
    /// the size that is wanted.
    pub fn mend(&self, set: &mut Bits, rng: &mut Stream) {
        for k in (0..set.length()).filter(|&k| self.is_kept[k]) {
            set.set(k, true);
        }
        let too_many = |set: &Bits| {
            self.size.is_some_and(|size| set.count() > size) || self.cost(set) > self.budget
        };
        while too_many(set) {
            let Some(gone) = any(set.ones().filter(|&k| !self.is_kept[k]), rng) else { break };
            set.set(gone, false);
        }
        while set.count() < self.size.unwrap_or(1) {
            let left = self.budget - self.cost(set);
            let affordable = (0..set.length()).filter(|&k| !set.get(k) && self.costs[k] <= left);
            let Some(new) = any(affordable, rng) else { break };
            set.set(new, true);
        }
    }
}

/// One of them, each as likely.
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
    fn sets_are_mended_until_they_may_be() {
        let features: Vec<FeatureId> = (0..10).map(FeatureId).collect();
        let costs = (0..10).map(|k| if k < 5 { 1.0 } else { 3.0 }).collect();
        let constraints = Constraints {
            k: Some(4),
            keep: vec![FeatureId(7), FeatureId(30)],
            costs,
            budget: Some(8.0),
            ..Constraints::default()
        };
        let limits = Limits::new(&constraints, &features);
        let mut rng = stream(1, Purpose::Test, 0);
        let mut seen = Bits::new(10);
        for density in [0.0, 0.1, 0.5, 1.0].repeat(50) {
            let mut set = bernoulli(10, density, &mut rng);
            limits.mend(&mut set, &mut rng);
            // Feature 30 is elsewhere: it takes one of the four and 1 of the budget.
            assert!(set.get(7) && set.count() == 3 && limits.cost(&set) <= 7.0, "{set}");
            set.ones().for_each(|k| seen.set(k, true));
        }
        assert_eq!(seen.count(), 10, "no feature is out of reach");
        let mut empty = Bits::new(10);
        Limits::new(&Constraints::default(), &features).mend(&mut empty, &mut rng);
        assert_eq!(empty.count(), 1);
    }
}
