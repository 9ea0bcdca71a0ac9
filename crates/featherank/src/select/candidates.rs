//! The features that may be chosen, under the constraints of a run.

use crate::data::FeatureId;
use crate::engine::passes::Moments;
use crate::engine::{Ask, Engine};
use crate::error::{Error, Result};
use crate::remedy;
use crate::run::Run;
use crate::select::Selection;

/// The features of a run by what a search may do with them; dropped features are in no list.
pub(super) struct Candidates {
    /// Always chosen.
    pub keep: Vec<FeatureId>,
    /// May be chosen or not.
    pub free: Vec<FeatureId>,
    /// More expensive than the budget allows: never chosen, but on the path.
    pub unaffordable: Vec<FeatureId>,
    dead: Vec<FeatureId>,
}

impl Candidates {
    /// Under the run's constraints.
    pub fn of(run: &Run, engine: &dyn Engine) -> Result<Self> {
        let (alive, dead) = engine.ask(&Moments)?.alive();
        let constraints = &run.constraints;
        let spent: f64 = constraints.keep.iter().map(|&f| constraints.cost(f)).sum();
        let is_unaffordable = |f: &FeatureId| {
            constraints.budget.is_some_and(|most| spent + constraints.cost(*f) > most)
        };
        let allowed = alive.into_iter().filter(|f| !constraints.drop.contains(f));
        let (keep, others): (Vec<_>, Vec<_>) = allowed.partition(|f| constraints.keep.contains(f));
        let (unaffordable, free) = others.into_iter().partition(is_unaffordable);
        Ok(Candidates { keep, free, unaffordable, dead })
    }

    /// The wanted number of live features, at least one; dead features to keep count towards `k`
    /// too.
    pub fn wanted(&self, run: &Run) -> Option<usize> {
        let dead_kept = run.constraints.keep.len() - self.keep.len();
        run.constraints.k.map(|k| k.saturating_sub(dead_kept).max(1))
    }

    /// All features on the path, by column.
    pub fn all(&self) -> Vec<FeatureId> {
        let mut all = [&self.keep[..], &self.free, &self.unaffordable].concat();
        all.sort_unstable();
        all
    }

    /// Those of [`Candidates::all`] that are not in a set.
    pub fn without(&self, set: &[FeatureId]) -> Vec<FeatureId> {
        let mut all = self.all();
        all.retain(|f| !set.contains(f));
        all
    }

    /// The selection of the chosen features, best first; the rest follow on the path in the given
    /// order.
    pub fn select(
        &self,
        run: &Run,
        engine: &dyn Engine,
        chosen: &[(FeatureId, f64)],
        rest: &[(FeatureId, f64)],
    ) -> Result<Selection> {
        let found_none =
            chosen.is_empty() && run.constraints.k.is_none() && run.constraints.keep.is_empty();
        if found_none && !self.free.is_empty() {
            return Err(Error::nothing_selected(
                "no feature separates the labels well enough to be selected",
                remedy!["ask for a number of features with ", K, ", or use another method"],
            ));
        }
        Selection::in_order(run, engine.schema(), chosen, rest, &self.dead)
    }
}
