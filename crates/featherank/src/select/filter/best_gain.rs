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
use crate::declare::method;
use crate::engine::passes::{MergeGains, Moments, feature_means};
use crate::engine::{Ask, Engine};
use crate::error::{Error, Result};
use crate::run::Run;
use crate::select::forward::{Criterion, forward};
use crate::select::{Selection, Selector};

method! {
    /// Features whose merged rankings could gain most.
    pub struct BestGain: Selector as "best-gain" in Filter,
        cites ["costa2010"], AsPublished, Passes
    {
        /// Measure that says how well a feature ranks.
        measure: Measure = "map[ties=expected]",
        /// Least gain that a feature must bring.
        delta: Real(0.0..=1.0) = "0.01",
        /// Labels from here on are relevant.
        relevant: Real<f32>(1e-6..=1e6) = "1",
    }
}

impl Selector for BestGain {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let most = engine.schema().largest_label();
        if most < self.relevant {
            let expected = format!("at most {most}, the largest label of this data");
            return Err(Error::invalid("relevant of best-gain", self.relevant, expected));
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
    fn scores(&mut self, chosen: &[FeatureId], candidates: &[FeatureId]) -> Result<Vec<f64>> {
        let BestGain { measure, relevant, .. } = self.method;
        if chosen.is_empty() {
            return feature_means(self.engine, measure, candidates);
        }
        let pass = MergeGains {
            measure: measure.clone(),
            relevant_from: *relevant,
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
