//! BestGain: add the feature whose ranking could improve the ranking so far the most.
//!
//! The first feature is the one that ranks best alone. For every other one the two rankings of each
//! query are merged as a learner that knew the answer would (see
//! [`crate::engine::passes::MergeGains`]); the mean increase of the measure is an optimistic
//! estimate of what the feature can bring. The best one is added, its merge becomes the ranking so
//! far, until the gain falls below `delta`.
//!
//! Costa & Silva: A fast filter feature selection algorithm for ranking, technical report 2010.
//! Departs from the listing, which tests the gain after adding and so never returns a single
//! feature, as the report's own results do: here a feature is added only if its gain reaches
//! `delta`. The report does not print its `delta`; .055 gives its results on OHSUMED with
//! `measure=map`, .01 is a good working value. Relevance is graded in many data sets and two-valued
//! in the report: `relevant` says from which label on a document is to be brought to the top, and
//! any measure can say what that is worth. Tied documents stand in the order of the file in the
//! report; by default they do not here, because that order can carry information that no feature
//! has.

use crate::data::FeatureId;
use crate::engine::passes::{MergeGains, Moments, feature_means};
use crate::engine::{Ask, Engine};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::params::{Kind, Param};
use crate::registry::{Category, Status};
use crate::run::Run;
use crate::select::filter::relevance::Relevance;
use crate::select::forward::{Criterion, forward};
use crate::select::{Selection, Selector, SelectorSpec};

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `measure` | `map[ties=expected]` | any measure | what "ranks well" means |
/// | `delta` | 0.01 | 0 to 1 | least gain that a feature must bring |
/// | `relevant` | 1 | above 0 | labels from here on are relevant |
pub struct BestGain {
    measure: Measure,
    delta: f64,
    relevant_from: f32,
}

/// The registry's entry.
pub const SPEC: SelectorSpec = SelectorSpec {
    name: "best-gain",
    summary: "features whose merged rankings could gain most",
    category: Category::Filter,
    cites: &["costa2010"],
    status: Status::AsPublished,
    scales_out: true,
    resumes: false,
    uses_valid: false,
    leaves_model: false,
    params: &[
        Relevance::measure("map[ties=expected]"),
        Param {
            name: "delta",
            kind: Kind::Real { min: 0.0, max: 1.0 },
            default: "0.01",
            meaning: "least gain that a feature must bring",
        },
        Param {
            name: "relevant",
            kind: Kind::Real { min: 1e-6, max: 1e6 },
            default: "1",
            meaning: "labels from here on are relevant",
        },
    ],
    build: |params| {
        Ok(Box::new(BestGain {
            measure: params.measure("measure")?,
            delta: params.real("delta")?,
            relevant_from: params.real("relevant")? as f32,
        }))
    },
};

impl Selector for BestGain {
    fn select(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let most = engine.schema().largest_label();
        if most < self.relevant_from {
            let expected = format!("at most {most}, the largest label of this data");
            return Err(Error::invalid("relevant of best-gain", self.relevant_from, expected));
        }
        let (alive, dead) = engine.ask(&Moments)?.alive();
        let live = alive.iter().copied().filter(|f| !run.constraints.drop.contains(f)).collect();
        forward(run, engine.schema(), &alive, &dead, &mut Gains { method: self, engine, live })
    }
}

struct Gains<'a> {
    method: &'a BestGain,
    engine: &'a dyn Engine,
    live: Vec<FeatureId>,
}

impl Criterion for Gains<'_> {
    fn worth(&mut self, chosen: &[FeatureId], candidates: &[FeatureId]) -> Result<Vec<f64>> {
        let BestGain { measure, relevant_from, .. } = self.method;
        if chosen.is_empty() {
            return feature_means(self.engine, measure, candidates);
        }
        let pass = MergeGains {
            measure: measure.clone(),
            relevant_from: *relevant_from,
            live: self.live.clone(),
            chosen: chosen.to_vec(),
            candidates: candidates.to_vec(),
        };
        Ok(self.engine.ask(&pass)?.gains(measure))
    }

    fn enough(&self, best: f64, _: usize) -> bool {
        best < self.method.delta
    }
}
