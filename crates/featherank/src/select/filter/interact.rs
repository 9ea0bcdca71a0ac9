//! INTERACT: backward elimination that keeps features which are uninformative alone but informative
//! together.
//!
//! Zhao & Liu, IJCAI 2007. Features are discretised (`discrete/`) and ordered by their symmetrical
//! uncertainty SU with the class. S starts with all features and is visited in ascending order of
//! SU: the contribution of f is
//!
//! ```text
//! contribution(f) = U(S without f) − U(S),   U the inconsistency of consistency.rs
//! ```
//!
//! with the current S, and f is removed if its contribution is below the threshold. Small losses
//! accumulate: each removal may cost almost the threshold. Of features with equal SU the later
//! column is visited first, so that of two copies the first one is kept. Kept features are never
//! removed. The chosen features are listed by contribution, as in the authors' program; on the
//! path, the others follow from the last removed to the first.

use super::discrete::Discrete;
use super::discrete::groups::Groups;
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
    /// Backward elimination of features whose removal does not reduce consistency.
    pub struct Interact: Selector as "interact" in Filter,
        cites ["zhao2007", "fayyad1993", "costa2010"], AsPublished, Rows
    {
        /// Remove features that contribute less than this to consistency; 0 keeps all.
        threshold: Real(0.0..=1.0) = "0.0001",
        use encoding_param!();
    }
}

impl Selector for Interact {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let candidates = Candidates::of(run, engine)?;
        let data = Discrete::of(run, engine, &candidates.all(), self.encoding)?;
        let uncertainties = Uncertainties::of(&data);
        let mut start = uncertainties.ranked(&[&candidates.keep[..], &candidates.free].concat());
        start.reverse();
        let Elimination { mut stayed, left, .. } =
            eliminate(run, &data, &start, &candidates.keep, self.threshold)?;
        // In descending order of SU, so that equal contributions keep that order.
        stayed.reverse();
        stayed.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let unaffordable =
            uncertainties.ranked(&candidates.unaffordable).into_iter().map(|f| (f, 0.0));
        let rest: Vec<_> = left.into_iter().rev().chain(unaffordable).collect();
        candidates.select(run, engine, &stayed, &rest)
    }
}

/// The result of the elimination for all features, in the order of their visits, with their
/// contributions.
pub struct Elimination<'a> {
    /// The features that were not removed.
    pub stayed: Vec<(FeatureId, f64)>,
    /// The features that were removed.
    pub left: Vec<(FeatureId, f64)>,
    run: &'a Run,
    keep: &'a [FeatureId],
    threshold: f64,
    documents: f64,
    inconsistent: u64,
    total: u64,
}

/// Visits the features in order and removes those whose contribution is below the threshold.
pub fn eliminate<'a>(
    run: &'a Run,
    data: &Discrete,
    order: &[FeatureId],
    keep: &'a [FeatureId],
    threshold: f64,
) -> Result<Elimination<'a>> {
    let whole = Groups::undivided(data);
    let mut elimination = Elimination {
        stayed: Vec::new(),
        left: Vec::new(),
        run,
        keep,
        threshold,
        documents: data.documents().max(1) as f64,
        inconsistent: whole.clone().divided_by_all(order).inconsistent(),
        total: order.len() as u64,
    };
    elimination.visit(whole, order)?;
    Ok(elimination)
}

impl Elimination<'_> {
    /// Visits some features, given the groups under all other features of S. The first half needs
    /// the division by the whole second half, the second half the division by the features of the
    /// first that were not removed: d features cost d·log d divisions, not d².
    fn visit(&mut self, groups: Groups<'_>, features: &[FeatureId]) -> Result<()> {
        match features {
            [] => Ok(()),
            &[feature] => self.test(feature, groups.inconsistent()),
            _ => {
                let (first, second) = features.split_at(features.len() / 2);
                let before = self.stayed.len();
                self.visit(groups.clone().divided_by_all(second), first)?;
                let stayed: Vec<FeatureId> =
                    self.stayed[before..].iter().map(|(f, _)| *f).collect();
                self.visit(groups.divided_by_all(&stayed), second)
            }
        }
    }

    fn test(&mut self, feature: FeatureId, inconsistent_without: u64) -> Result<()> {
        let contribution = (inconsistent_without - self.inconsistent) as f64 / self.documents;
        if contribution < self.threshold && !self.keep.contains(&feature) {
            self.left.push((feature, contribution));
            self.inconsistent = inconsistent_without;
        } else {
            self.stayed.push((feature, contribution));
        }
        let done = (self.stayed.len() + self.left.len()) as u64;
        self.run.step("removing features that contribute nothing", done, Some(self.total))
    }
}
