//! CFS, correlation-based feature selection: features with high correlation to the class and low
//! correlation to each other.
//!
//! Hall, ICML 2000. Features are discretised (`discrete/`); with SU the symmetrical uncertainty,
//! the merit of a set S of k features is
//!
//! ```text
//! merit(S) = Σ SU(f, class) / √(k + 2·Σ SU(f, g)),   sums over features and over pairs of S
//! ```
//!
//! and a best-first search ([`search`](crate::select::search)) runs forward from the kept features,
//! or from the empty set if there are none. Then locally predictive features are added: in
//! descending order of `SU(f, class)`, every f for which no feature g of the set has an `SU(f, g)`
//! above `SU(f, class)`.
//!
//! Everything follows WEKA's `CfsSubsetEval` with `BestFirst`, whose sets it reproduces on real
//! data, including one peculiarity that a parameter disables: two features with SU below 1e-6 count
//! as fully redundant, because in most cases one of them was never cut. On the path, the remaining
//! features follow in the order in which each increases the merit most.

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
use crate::select::{Findings, Selector};

/// Two features with an uncertainty below this count as unrelated.
const NOTHING: f64 = 1e-6;

method! {
    /// Correlation-based feature selection: features correlated with the label, not with each
    /// other.
    pub struct CFS: Selector as "cfs" in Filter,
        cites ["hall2000", "fayyad1993", "costa2010"], AsPublished, Rows
    {
        use patience_param!();
        /// Finally add features more correlated with the label than with any selected feature.
        locally_predictive: Flag = "true",
        /// Whether uncorrelated features count as redundant, as in WEKA, or as free of redundancy.
        unrelated: Choice<UndefinedCorrelation> = "redundant",
        use encoding_param!();
    }
}

choice! {
    /// How two features without correlation count.
    pub enum UndefinedCorrelation {
        /// As redundant, as in WEKA.
        Redundant = "redundant",
        /// As independent.
        Free = "free",
    }
}

impl Selector for CFS {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let candidates = Candidates::of(run, engine)?;
        let data = Discrete::of(run, engine, &candidates.all(), self.encoding)?;
        let mut merit = CFSMerit::of(&data, self.unrelated == UndefinedCorrelation::Redundant);
        merit.uncertainties = merit.uncertainties.stopped_by(run.stop());
        let search = BestFirstSearch { patience: self.patience, revisits: true };
        let mut chosen = search.search(run, &candidates.keep, &candidates.free, &mut merit)?.subset;
        if self.locally_predictive {
            merit.add_locally_predictive(&mut chosen, &candidates.free)?;
        }
        let left = candidates.without(&chosen);
        let total = chosen.len() + left.len();
        let rest = extend(run, &chosen, &left, total, &mut merit)?;
        let path =
            (1..=chosen.len()).map(|size| Ok((chosen[size - 1], merit.merit(&chosen[..size])?)));
        let scored = path.collect::<Result<Vec<_>>>()?;
        candidates.select(run, engine, &scored, &rest)
    }
}

/// The merit of sets of features.
pub struct CFSMerit<'a> {
    uncertainties: Uncertainties<'a>,
    unrelated_are_redundant: bool,
    growing: GrowingSet,
}

/// The sums of a set to which one feature after the other is added. Keeping all pairs would take
/// memory that grows with the square of the number of features.
#[derive(Default)]
struct GrowingSet {
    set: Vec<FeatureId>,
    with_class: f64,
    /// Over pairs of the set.
    between: f64,
    /// The features that may be added, in ascending order, and the sum of each over the set.
    others: Vec<FeatureId>,
    with_others: Vec<f64>,
}

impl<'a> CFSMerit<'a> {
    /// For discrete data; see the method's parameter `unrelated`.
    pub fn of(data: &'a Discrete, unrelated_are_redundant: bool) -> Self {
        CFSMerit {
            uncertainties: Uncertainties::of(data),
            unrelated_are_redundant,
            growing: GrowingSet::default(),
        }
    }

    /// Adds the features whose uncertainty with the class is at least that with any feature of the
    /// set.
    pub fn add_locally_predictive(
        &mut self,
        set: &mut Vec<FeatureId>,
        free: &[FeatureId],
    ) -> Result<()> {
        for f in self.uncertainties.ranked(free) {
            let with_class = self.uncertainties.with_class(f);
            if set.contains(&f) || with_class == 0.0 {
                continue;
            }
            self.uncertainties.prepare(&[f], set)?;
            if set.iter().all(|&g| self.redundancy(f, g) <= with_class) {
                set.push(f);
            }
        }
        Ok(())
    }

    fn redundancy(&self, f: FeatureId, g: FeatureId) -> f64 {
        self.as_redundancy(self.uncertainties.between(f, g))
    }

    /// The redundancies of a feature with each of some others.
    fn redundancies(&self, f: FeatureId, others: &[FeatureId]) -> Result<Vec<f64>> {
        let found = self.uncertainties.between_each(f, others)?;
        Ok(found.into_iter().map(|uncertainty| self.as_redundancy(uncertainty)).collect())
    }

    fn as_redundancy(&self, uncertainty: f64) -> f64 {
        if uncertainty < NOTHING && self.unrelated_are_redundant { 1.0 } else { uncertainty }
    }

    /// Sums of uncertainties with the class, and between pairs of features.
    fn sums(&self, subset: &[FeatureId]) -> (f64, f64) {
        let with_class = subset.iter().map(|&f| self.uncertainties.with_class(f)).sum();
        let pairs =
            subset.iter().enumerate().flat_map(|(i, &f)| subset[..i].iter().map(move |&g| (f, g)));
        (with_class, pairs.map(|(f, g)| self.redundancy(f, g)).sum())
    }

    /// Brings the sums to this set and these features, from the set before if it was a part.
    fn grow_to(&mut self, set: &[FeatureId], others: &[FeatureId]) -> Result<()> {
        let mut growing = std::mem::take(&mut self.growing);
        let is_known = |f: &FeatureId| growing.others.binary_search(f).is_ok();
        if !set.starts_with(&growing.set) || !others.iter().all(is_known) {
            let mut others = others.to_vec();
            others.sort_unstable();
            let with_others = vec![0.0; others.len()];
            growing = GrowingSet { others, with_others, ..GrowingSet::default() };
        }
        for &f in &set[growing.set.len()..] {
            growing.with_class += self.uncertainties.with_class(f);
            for redundancy in self.redundancies(f, &growing.set)? {
                growing.between += redundancy;
            }
            let more = self.redundancies(f, &growing.others)?;
            growing.with_others.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            growing.set.push(f);
        }
        self.growing = growing;
        Ok(())
    }
}

/// Rounded, so that sets of equal merit tie regardless of the order of summation.
fn merit(size: usize, with_class: f64, between: f64) -> f64 {
    if size == 0 {
        return 0.0;
    }
    let merit = with_class / (size as f64 + 2.0 * between).sqrt();
    (merit * 1e12).round() / 1e12
}

impl SubsetMerit for CFSMerit<'_> {
    fn merit(&mut self, subset: &[FeatureId]) -> Result<f64> {
        self.uncertainties.prepare(subset, subset)?;
        let (with_class, between) = self.sums(subset);
        Ok(merit(subset.len(), with_class, between))
    }
}

impl Criterion for CFSMerit<'_> {
    fn scores(&mut self, subset: &[FeatureId], added: &[FeatureId]) -> Result<Vec<f64>> {
        self.grow_to(subset, added)?;
        let GrowingSet { with_class, between, others, with_others, .. } = &self.growing;
        let with = |&f: &FeatureId| {
            let with_set = others.binary_search(&f).map_or(0.0, |place| with_others[place]);
            merit(
                subset.len() + 1,
                with_class + self.uncertainties.with_class(f),
                between + with_set,
            )
        };
        Ok(added.iter().map(with).collect())
    }
}
