//! FCBF, the fast correlation-based filter: features correlated with the class, without those that
//! are redundant to a better one.
//!
//! Yu & Liu, ICML 2003. Features are discretised (`discrete/`), and those whose symmetrical
//! uncertainty SU with the class does not exceed the threshold are removed. The others are visited
//! in descending order of SU: each one not yet removed is chosen, and every later feature q with
//! `SU(p, q) ≥ SU(q, class)` is removed: its uncertainty with the chosen p is at least that with
//! the class.
//!
//! Costa & Silva (2010) state the last test against `SU(p, class)`, with ">"; this implementation
//! follows the original. Kept features are visited first and never removed. On the path, the
//! removed features follow by their SU with the class.

use super::discrete::Discrete;
use super::discrete::uncertainty::Uncertainties;
use crate::data::FeatureId;
use crate::declare::method;
use crate::engine::Engine;
use crate::error::Result;
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::shared_params::encoding_param;
use crate::select::{Findings, Selector};

method! {
    /// Fast correlation-based filter: features that predict the label, without those made redundant
    /// by a better one.
    pub struct FCBF: Selector as "fcbf" in Filter,
        cites ["yu2003", "fayyad1993", "costa2010"], AsPublished, Rows
    {
        /// Symmetrical uncertainty with the label that a feature must exceed.
        threshold: Real(0.0..=1.0) = "0",
        use encoding_param!();
    }
}

impl Selector for FCBF {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let candidates = Candidates::of(run, engine)?;
        let data = Discrete::of(run, engine, &candidates.all(), self.encoding)?;
        let mut uncertainties = Uncertainties::of(&data).stopped_by(run.stop());
        let chosen = predominant(
            run,
            &candidates.keep,
            &candidates.free,
            self.threshold,
            &mut uncertainties,
        )?;
        let rest = uncertainties.ranked(&candidates.without(&chosen));
        let scored = |features: &[FeatureId]| -> Vec<_> {
            features.iter().map(|&f| (f, uncertainties.with_class(f))).collect()
        };
        candidates.select(run, engine, &scored(&chosen), &scored(&rest))
    }
}

/// The features that are not redundant to another one, best first, after those that must be
/// included.
pub fn predominant(
    run: &Run,
    keep: &[FeatureId],
    free: &[FeatureId],
    threshold: f64,
    uncertainties: &mut Uncertainties<'_>,
) -> Result<Vec<FeatureId>> {
    let mut left = uncertainties.ranked(keep);
    let relevant = uncertainties.ranked(free).into_iter();
    left.extend(relevant.filter(|&f| uncertainties.with_class(f) > threshold));
    let (mut chosen, total) = (Vec::new(), left.len());
    while !left.is_empty() {
        let best = left.remove(0);
        chosen.push(best);
        uncertainties.prepare(&[best], &left)?;
        left.retain(|f| {
            keep.contains(f) || uncertainties.between(best, *f) < uncertainties.with_class(*f)
        });
        run.step("removing redundant features", (total - left.len()) as u64, Some(total as u64))?;
    }
    Ok(chosen)
}
