//! The progress of a path search, as one stage.

use std::sync::atomic::{AtomicU64, Ordering};

use super::path::Family;
use crate::error::Result;
use crate::run::Run;
use crate::select::subsets::FOLDS;

/// Progress in values of the parameter, over the paths of all families on all folds. The steps of
/// each fit are parts of one value.
pub(super) struct PathProgress {
    done: AtomicU64,
    total: u64,
}

impl PathProgress {
    const STAGE: &'static str = "following the path";

    /// Nothing is fitted yet. `by_size`: a search for the number of features follows each path, as
    /// one more unit, and one value is evaluated on held-out folds; `is_fixed`: the last one is.
    pub fn new(
        families: &[&dyn Family],
        grids: &[Vec<f64>],
        by_size: bool,
        is_fixed: bool,
        run: &Run,
    ) -> Self {
        let searches = |family: &&dyn Family| by_size && !family.counts_itself();
        let fitted: usize = grids.iter().map(Vec::len).sum();
        let searched = families.iter().copied().filter(|family| searches(family)).count();
        let judged = |(family, grid): (&&dyn Family, &Vec<f64>)| {
            if is_fixed || searches(family) { 1 } else { grid.len() }
        };
        let judged: usize = families.iter().zip(grids).map(judged).sum();
        let folds = if judged > 1 && run.valid.is_none() { FOLDS } else { 0 };
        let total = (fitted + searched + folds * judged) as u64;
        PathProgress { done: AtomicU64::new(0), total }
    }

    /// The run of the next value.
    pub fn unit(&self, run: &Run) -> Run {
        run.within(Self::STAGE, self.done.load(Ordering::Relaxed).min(self.total), self.total)
    }

    /// Reports that a value is done.
    pub fn end_unit(&self, run: &Run) -> Result<()> {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        run.step(Self::STAGE, done.min(self.total), Some(self.total))
    }
}
