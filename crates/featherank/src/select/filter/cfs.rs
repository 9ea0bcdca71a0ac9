//! CFS, correlation-based feature selection: a set whose features tell much about the class and
//! little about each other.
//!
//! Hall, ICML 2000. Features are cut into intervals ([`discrete`](super::discrete)); with SU the
//! symmetrical uncertainty, the merit of a set S of k features is
//!
//! ```text
//! merit(S) = Σ SU(f, class) / √(k + 2·Σ SU(f, g)),   sums over features and over pairs of S
//! ```
//!
//! and a best-first search ([`search`](crate::select::search)) goes forward from the empty set
//! (from the kept features, if there are any). Then features join that are locally predictive: from
//! the highest `SU(f, class)` down, every f that no feature of the set tells more about than f
//! tells about the class.
//!
//! Everything is as in WEKA's `CfsSubsetEval` with `BestFirst`, whose sets it finds on real data,
//! including one peculiarity that a parameter undoes: two features that tell nothing about each
//! other (SU below 1e-6) count as telling everything, because in most cases one of them was never
//! cut. On the path, the other features follow as each would raise the merit most.

use super::discrete::Discrete;
use super::discrete::uncertainty::Uncertainties;
use crate::data::FeatureId;
use crate::declare::{choice, method};
use crate::engine::Engine;
use crate::error::Result;
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::forward::{Criterion, extend};
use crate::select::search::{BestFirstSearch, SubsetMerit};
use crate::select::shared_params::{encoding_param, patience_param};
use crate::select::{Selection, Selector};

/// Below this, two features tell nothing about each other.
const NOTHING: f64 = 1e-6;

method! {
    /// A set whose features tell much about the label and little about each other.
    pub struct CFS: Selector as "cfs" in Filter,
        cites ["hall2000", "fayyad1993", "costa2010"], AsPublished, Rows
    {
        use patience_param!();
        /// Whether features join at the end that tell more about the label than the set tells about
        /// them.
        locally_predictive: Flag = "true",
        /// What two features count as that tell nothing about each other; WEKA calls them
        /// redundant.
        unrelated: Choice<Unrelated> = "redundant",
        use encoding_param!();
    }
}

choice! {
    /// How two features count that tell nothing about each other.
    pub enum Unrelated {
        /// As redundant, as in WEKA.
        Redundant = "redundant",
        /// As independent.
        Free = "free",
    }
}

impl Selector for CFS {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let candidates = Candidates::of(run, engine)?;
        let data = Discrete::of(run, engine, &candidates.all(), self.encoding)?;
        let mut merit = CfsMerit::of(&data, self.unrelated == Unrelated::Redundant);
        let search = BestFirstSearch { patience: self.patience, revisits: true };
        let mut chosen = search.search(run, &candidates.keep, &candidates.free, &mut merit)?.subset;
        if self.locally_predictive {
            merit.add_locally_predictive(&mut chosen, &candidates.free);
        }
        let rest = extend(run, &chosen, &candidates.without(&chosen), &mut merit)?;
        let along =
            (1..=chosen.len()).map(|size| Ok((chosen[size - 1], merit.merit(&chosen[..size])?)));
        let scored = along.collect::<Result<Vec<_>>>()?;
        candidates.select(run, engine, &scored, &rest)
    }
}

/// The merit of sets of features.
pub struct CfsMerit<'a> {
    uncertainties: Uncertainties<'a>,
    unrelated_are_redundant: bool,
}

impl<'a> CfsMerit<'a> {
    /// On discrete data; see the method's parameter `unrelated`.
    pub fn of(data: &'a Discrete, unrelated_are_redundant: bool) -> Self {
        CfsMerit { uncertainties: Uncertainties::of(data), unrelated_are_redundant }
    }

    /// Adds the features that tell at least as much about the class as any feature of the set tells
    /// about them.
    pub fn add_locally_predictive(&mut self, set: &mut Vec<FeatureId>, free: &[FeatureId]) {
        for f in self.uncertainties.ranked(free) {
            let with_class = self.uncertainties.with_class(f);
            if set.contains(&f) || with_class == 0.0 {
                continue;
            }
            self.uncertainties.prepare(&[f], set);
            if set.iter().all(|&g| self.redundancy(f, g) <= with_class) {
                set.push(f);
            }
        }
    }

    fn redundancy(&self, f: FeatureId, g: FeatureId) -> f64 {
        let uncertainty = self.uncertainties.between(f, g);
        if uncertainty < NOTHING && self.unrelated_are_redundant { 1.0 } else { uncertainty }
    }

    /// Sums of uncertainties with the class, and between pairs.
    fn sums(&self, subset: &[FeatureId]) -> (f64, f64) {
        let with_class = subset.iter().map(|&f| self.uncertainties.with_class(f)).sum();
        let pairs =
            subset.iter().enumerate().flat_map(|(i, &f)| subset[..i].iter().map(move |&g| (f, g)));
        (with_class, pairs.map(|(f, g)| self.redundancy(f, g)).sum())
    }
}

/// Rounded, so that sets of equal merit tie whatever the order in which their sums were made.
fn merit(size: usize, with_class: f64, between: f64) -> f64 {
    if size == 0 {
        return 0.0;
    }
    let merit = with_class / (size as f64 + 2.0 * between).sqrt();
    (merit * 1e12).round() / 1e12
}

impl SubsetMerit for CfsMerit<'_> {
    fn merit(&mut self, subset: &[FeatureId]) -> Result<f64> {
        self.uncertainties.prepare(subset, subset);
        let (with_class, between) = self.sums(subset);
        Ok(merit(subset.len(), with_class, between))
    }
}

impl Criterion for CfsMerit<'_> {
    fn scores(&mut self, subset: &[FeatureId], added: &[FeatureId]) -> Result<Vec<f64>> {
        self.uncertainties.prepare(added, subset);
        let (with_class, between) = self.sums(subset);
        let with = |&f: &FeatureId| {
            let with_others: f64 = subset.iter().map(|&g| self.redundancy(f, g)).sum();
            merit(
                subset.len() + 1,
                with_class + self.uncertainties.with_class(f),
                between + with_others,
            )
        };
        Ok(added.iter().map(with).collect())
    }
}
