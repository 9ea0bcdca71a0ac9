//! Consistency: a small set of features under which documents that look alike have the same label.
//!
//! Dash, Liu & Motoda, PAKDD 2000. Features are cut into intervals ([`discrete`](super::discrete)). Documents with the same intervals
//! in all features of a set form a group; those outside the largest class of their group are inconsistent, and the merit of the set is
//! one less their share of all documents. The merit never falls with more features, so the full set is never beaten and the question is
//! how small a set comes close.
//!
//! Two searches. `best-first` goes forward from the empty set (from the kept features) as WEKA's `ConsistencySubsetEval` with `BestFirst`
//! does, which is what Costa & Silva (2010) ran. `backward` is what their text describes: it starts from all features and takes away
//! features as long as the merit stays that of the full set, best-first as well. One thing is ours: where the forward search ends
//! with no feature at all, because none alone changes a majority, it starts again from the shortest greedy run of features that does.
//! On the path, features follow each other as each
//! would raise the merit most.

use rayon::prelude::*;

use super::candidates::Candidates;
use super::discrete::Discrete;
use super::discrete::groups::Groups;
use super::discrete::mdl::Encoding;
use crate::data::FeatureId;
use crate::engine::Engine;
use crate::error::Result;
use crate::params::{Kind, Param};
use crate::registry::{Category, Status};
use crate::run::Run;
use crate::select::search::{BestFirst, Direction, SubsetMerit, greedy_order};
use crate::select::{Selection, Selector, SelectorSpec};

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `search` | `best-first` | best-first, backward | from none towards more, or from all towards fewer |
/// | `patience` | `5` | 1 to 1000 | expansions without a better set after which the search ends |
/// | `encoding` | `better` | better, plain | how the price of a cut is counted |
pub struct Consistency {
    direction: Direction,
    patience: usize,
    encoding: Encoding,
}

/// The registry's entry.
pub const SPEC: SelectorSpec = SelectorSpec {
    name: "consistency",
    summary: "a small set under which documents that look alike have the same label",
    category: Category::Filter,
    cites: &["dash2000", "fayyad1993", "costa2010"],
    status: Status::AsPublished,
    scales_out: false,
    params: &[
        Param {
            name: "search",
            kind: Kind::Choice(&["best-first", "backward"]),
            default: "best-first",
            meaning: "from no feature towards more, or from all towards fewer",
        },
        BestFirst::PATIENCE,
        Encoding::PARAM,
    ],
    build: |params| {
        let backward = params.text("search") == "backward";
        Ok(Box::new(Consistency {
            direction: if backward { Direction::Backward } else { Direction::Forward },
            patience: params.whole("patience")? as usize,
            encoding: Encoding::of(params)?,
        }))
    },
};

impl Selector for Consistency {
    fn select(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let candidates = Candidates::of(run, engine)?;
        let data = Discrete::of(run, engine, &candidates.all(), self.encoding)?;
        let mut merit = ConsistencyMerit::of(&data);
        let search = BestFirst { direction: self.direction, patience: self.patience, revisits: true };
        let start = match self.direction {
            Direction::Forward => candidates.keep.clone(),
            Direction::Backward => [&candidates.keep[..], &candidates.free].concat(),
        };
        let mut found = search.search(run, &start, &candidates.free, &mut merit)?.subset;
        if found.is_empty() {
            let start = shortest_start(run, &candidates.free, &mut merit)?;
            found = search.search(run, &start, &candidates.free, &mut merit)?.subset;
        }
        let chosen = match self.direction {
            Direction::Forward => {
                let along = (1..=found.len()).map(|size| Ok((found[size - 1], merit.merit(&found[..size])?)));
                along.collect::<Result<Vec<_>>>()?
            }
            Direction::Backward => greedy_order(run, &[], &found, &mut merit)?,
        };
        let set: Vec<FeatureId> = chosen.iter().map(|(f, _)| *f).collect();
        let rest = greedy_order(run, &set, &candidates.without(&set), &mut merit)?;
        candidates.select(run, engine, &chosen, &rest)
    }
}

/// The shortest greedy run of features under which some document becomes consistent.
fn shortest_start(run: &Run, free: &[FeatureId], merit: &mut ConsistencyMerit<'_>) -> Result<Vec<FeatureId>> {
    let without = merit.merit(&[])?;
    let order = greedy_order(run, &[], free, merit)?;
    let needed = order.iter().position(|(_, with)| *with > without).map_or(0, |last| last + 1);
    Ok(order[..needed].iter().map(|(f, _)| *f).collect())
}

/// The consistency of sets of features.
pub struct ConsistencyMerit<'a> {
    data: &'a Discrete,
    /// The last set and its groups: a search mostly goes on from there.
    subset: Vec<FeatureId>,
    groups: Groups<'a>,
}

impl<'a> ConsistencyMerit<'a> {
    /// On discrete data.
    pub fn of(data: &'a Discrete) -> Self {
        ConsistencyMerit { data, subset: Vec::new(), groups: Groups::undivided(data) }
    }

    fn groups(&mut self, subset: &[FeatureId]) -> &Groups<'a> {
        if !subset.starts_with(&self.subset) {
            (self.subset, self.groups) = (Vec::new(), Groups::undivided(self.data));
        }
        for &feature in &subset[self.subset.len()..] {
            self.groups = self.groups.divided_by(feature);
            self.subset.push(feature);
        }
        &self.groups
    }

    fn share(&self, inconsistent: u64) -> f64 {
        1.0 - inconsistent as f64 / self.data.documents().max(1) as f64
    }
}

impl SubsetMerit for ConsistencyMerit<'_> {
    fn merit(&mut self, subset: &[FeatureId]) -> Result<f64> {
        let inconsistent = self.groups(subset).inconsistent();
        Ok(self.share(inconsistent))
    }

    fn merits(&mut self, subset: &[FeatureId], changes: &[FeatureId]) -> Result<Vec<f64>> {
        let (leave, join): (Vec<_>, Vec<_>) = changes.iter().copied().partition(|f| subset.contains(f));
        let mut with: std::vec::IntoIter<u64> = if join.is_empty() {
            Vec::new().into_iter()
        } else {
            let groups = self.groups(subset);
            join.par_iter().map(|&f| groups.inconsistent_with(f)).collect::<Vec<_>>().into_iter()
        };
        let stay: Vec<FeatureId> = subset.iter().copied().filter(|f| !leave.contains(f)).collect();
        let mut without: std::vec::IntoIter<u64> = if leave.is_empty() {
            Vec::new().into_iter()
        } else {
            let groups = Groups::undivided(self.data).divided_by_all(&stay);
            groups.inconsistent_without_each(&leave).into_iter()
        };
        let merged =
            changes.iter().filter_map(|f| if leave.contains(f) { without.next() } else { with.next() });
        Ok(merged.map(|inconsistent| self.share(inconsistent)).collect())
    }
}
