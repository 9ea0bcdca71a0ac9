//! INTERACT: backward elimination that spares features which tell little alone but much together.
//!
//! Zhao & Liu, IJCAI 2007. Features are cut into intervals ([`discrete`](super::discrete)) and
//! ordered by their symmetrical uncertainty SU with the class. Starting with all of them, S is
//! visited from the lowest SU up: the contribution of f is
//!
//! ```text
//! contribution(f) = U(S without f) − U(S),   U the inconsistency of consistency.rs
//! ```
//!
//! with S as it is by then, and f leaves if that is below the threshold. Small losses add up: each
//! removal may cost almost the threshold. Of features with equal SU the later column is visited
//! first, so that of two copies the first one stays. Kept features never leave. The chosen are
//! listed by contribution, as the authors' program does; on the path, the others follow from the
//! last that left to the first.

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
use crate::select::{Selection, Selector};

method! {
    /// What is left when features go whose absence makes documents no less consistent.
    pub struct Interact: Selector as "interact" in Filter,
        cites ["zhao2007", "fayyad1993", "costa2010"], AsPublished, Rows
    {
        /// Contribution to consistency below which a feature leaves; 0 keeps every feature.
        threshold: Real(0.0..=1.0) = "0.0001",
        use encoding_param!();
    }
}

impl Selector for Interact {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let candidates = Candidates::of(run, engine)?;
        let data = Discrete::of(run, engine, &candidates.all(), self.encoding)?;
        let uncertainties = Uncertainties::of(&data);
        let mut start = uncertainties.ranked(&[&candidates.keep[..], &candidates.free].concat());
        start.reverse();
        let Elimination { mut stayed, left, .. } =
            eliminate(run, &data, &start, &candidates.keep, self.threshold)?;
        // From the highest SU down, so that equal contributions stand in that order.
        stayed.reverse();
        stayed.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let unaffordable =
            uncertainties.ranked(&candidates.unaffordable).into_iter().map(|f| (f, 0.0));
        let rest: Vec<_> = left.into_iter().rev().chain(unaffordable).collect();
        candidates.select(run, engine, &stayed, &rest)
    }
}

/// What came of all features, in the order of their visits, with their contributions.
pub struct Elimination<'a> {
    /// Those that stayed.
    pub stayed: Vec<(FeatureId, f64)>,
    /// Those that left.
    pub left: Vec<(FeatureId, f64)>,
    run: &'a Run,
    keep: &'a [FeatureId],
    threshold: f64,
    documents: f64,
    inconsistent: u64,
    total: u64,
}

/// Visits the features in order; those whose contribution is below the threshold leave.
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
    /// Visits some features, given the groups under all others of S. The first half needs the
    /// division by the whole second half, the second half that by what stayed of the first: d
    /// features cost d·log d divisions, not d².
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
