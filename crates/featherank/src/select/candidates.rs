//! The features that may be chosen, under the constraints of a run.

use crate::data::FeatureId;
use crate::engine::passes::{FeatureStatistics, Moments};
use crate::engine::{Ask, Engine};
use crate::error::{Error, Result};
use crate::rank::RankerSpec;
use crate::remedy;
use crate::run::{Constraints, Run};
use crate::select::Findings;

/// The features of a run by their role in a search; dropped features are in no list.
pub(super) struct Candidates {
    /// Always chosen.
    pub keep: Vec<FeatureId>,
    /// May be chosen or not.
    pub free: Vec<FeatureId>,
    /// Cost more than the budget: never chosen, but on the path.
    pub unaffordable: Vec<FeatureId>,
    /// Cannot be used, whatever is chosen with them.
    unusable: Vec<FeatureId>,
    /// Excluded because they equal another feature, with that feature.
    duplicates: Vec<(FeatureId, FeatureId)>,
}

impl Candidates {
    /// The candidates of a method whose features rank by themselves or in a linear model.
    pub fn of(run: &Run, engine: &dyn Engine) -> Result<Self> {
        Ok(Self::among(run, engine.ask(&Moments)?.varying_within_queries()))
    }

    /// The candidates of a method that trains a ranker.
    pub fn for_ranker(run: &Run, engine: &dyn Engine, ranker: &RankerSpec) -> Result<Self> {
        Ok(Self::among(run, ranker.usable(&engine.ask(&Moments)?)))
    }

    fn among(run: &Run, (usable, unusable): (Vec<FeatureId>, Vec<FeatureId>)) -> Self {
        let constraints = &run.constraints;
        let spent: f64 = constraints.keep.iter().map(|&f| constraints.cost(f)).sum();
        let is_unaffordable = |f: &FeatureId| {
            constraints.budget.is_some_and(|most| spent + constraints.cost(*f) > most)
        };
        let allowed = usable.into_iter().filter(|f| !constraints.drop.contains(f));
        let (keep, others): (Vec<_>, Vec<_>) = allowed.partition(|f| constraints.keep.contains(f));
        let (unaffordable, free) = others.into_iter().partition(is_unaffordable);
        Candidates { keep, free, unaffordable, unusable, duplicates: Vec::new() }
    }

    /// Excludes features that equal another one. Of equal features a kept one stays, then the
    /// cheapest, then the first.
    pub fn exclude_duplicates(&mut self, features: &FeatureStatistics, constraints: &Constraints) {
        let all = self.all();
        for group in features.duplicates(&all) {
            let is_kept = |f: &FeatureId| constraints.keep.contains(f);
            let best = group.iter().copied().min_by(|f, g| {
                let first_kept = is_kept(g).cmp(&is_kept(f));
                first_kept
                    .then(constraints.cost(*f).total_cmp(&constraints.cost(*g)))
                    .then(f.cmp(g))
            });
            let Some(best) = best else { continue };
            let excluded = |f: &FeatureId| group.contains(f) && *f != best && !is_kept(f);
            self.duplicates.extend(group.iter().copied().filter(excluded).map(|f| (f, best)));
            self.free.retain(|f| !excluded(f));
            self.unaffordable.retain(|f| !excluded(f));
        }
    }

    /// The wanted number of usable features, at least one; unusable features to keep count towards
    /// `k` too.
    pub fn wanted(&self, run: &Run) -> Option<usize> {
        let unusable_kept = run.constraints.keep.len() - self.keep.len();
        run.constraints.k.map(|k| k.saturating_sub(unusable_kept).max(1))
    }

    /// The constraints on the usable features alone: unusable features to keep count towards `k`
    /// and the budget.
    pub fn constraints(&self, run: &Run) -> Constraints {
        let asked = &run.constraints;
        let unusable = asked.keep.iter().filter(|f| !self.keep.contains(f));
        let spent: f64 = unusable.map(|&f| asked.cost(f)).sum();
        Constraints {
            k: self.wanted(run),
            keep: self.keep.clone(),
            budget: asked.budget.map(|most| most - spent),
            ..asked.clone()
        }
    }

    /// All features on the path, by column.
    pub fn all(&self) -> Vec<FeatureId> {
        let mut all = [&self.keep[..], &self.free, &self.unaffordable].concat();
        all.sort_unstable();
        all
    }

    /// The features of [`Candidates::all`] that are not in a set.
    pub fn without(&self, set: &[FeatureId]) -> Vec<FeatureId> {
        let mut all = self.all();
        all.retain(|f| !set.contains(f));
        all
    }

    /// The findings for the chosen features, best first; the rest follow on the path in the given
    /// order.
    pub fn select(
        &self,
        run: &Run,
        engine: &dyn Engine,
        chosen: &[(FeatureId, f64)],
        rest: &[(FeatureId, f64)],
    ) -> Result<Findings> {
        let found_none =
            chosen.is_empty() && run.constraints.k.is_none() && run.constraints.keep.is_empty();
        if found_none && !self.free.is_empty() {
            return Err(Error::nothing_selected(
                "no feature separates the labels well enough to be selected",
                remedy!["ask for a number of features with ", K, ", or use another method"],
            ));
        }
        let found = Findings::in_order(run, engine.schema(), chosen, rest, &self.unusable)?;
        Ok(Findings { duplicates: self.duplicates.clone(), ..found })
    }
}
