//! BestGain: add the feature whose ranking could improve the ranking so far the most.
//!
//! The first feature is the one that ranks best alone. For every other feature, the two rankings of
//! each query are merged as an oracle that knows the labels would merge them (see
//! [`crate::engine::passes::MergeGains`]); the mean increase of the measure is an upper bound on
//! what the feature can contribute. The feature with the largest bound is added and its merged
//! ranking becomes the current one, until the gain falls below `delta`.
//!
//! Costa & Silva: A fast filter feature selection algorithm for ranking, technical report 2010.
//! Departures: the listing tests the gain after adding a feature and so never returns a single
//! feature, although the report's own results do; here a feature is added only if its gain reaches
//! `delta`. The report does not print its `delta`; .055 reproduces its results on OHSUMED with
//! `measure=map`, .01 is a good working value. Relevance is binary in the report and graded in many
//! data sets: `relevant` is the lowest label that counts as relevant for the merge, and any measure
//! can score the merged ranking. The report leaves tied documents in file order; the default here
//! does not, because file order can carry information that no feature has.

use crate::data::FeatureId;
use crate::declare::method;
use crate::engine::passes::{MergeGains, Moments, feature_means};
use crate::engine::{Ask, Engine};
use crate::error::{Result, Setting};
use crate::measure::check_threshold;
use crate::remedy;
use crate::run::Run;
use crate::select::forward::{Criterion, forward};
use crate::select::{Findings, Selector};

method! {
    /// Greedy filter by optimal rank merging: add the feature whose ranking could improve the
    /// current one most.
    pub struct BestGain: Selector as "best-gain" in Filter,
        cites ["costa2010"], AsPublished, Passes
    {
        /// Measure of how well a feature ranks on its own.
        measure: Measure = "map[ties=expected]",
        /// Smallest gain that justifies another feature.
        delta: Real(0.0..=1.0) = "0.01",
        /// Smallest label of a relevant document.
        relevant: Threshold(1e-30..=1e30) = "1",
    }
}

impl Selector for BestGain {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let labels = engine.schema().label_frequencies();
        check_threshold("best-gain", self.relevant, &labels, |threshold| {
            remedy!["set ", Setting::Parameter("relevant"), format!(" to {threshold}, for example")]
        })?;
        let (varying, unusable) = engine.ask(&Moments)?.varying_within_queries();
        let undropped =
            varying.iter().copied().filter(|f| !run.constraints.drop.contains(f)).collect();
        forward(
            run,
            engine.schema(),
            &varying,
            &unusable,
            &mut Gains { method: self, engine, undropped },
        )
    }
}

struct Gains<'a> {
    method: &'a BestGain,
    engine: &'a dyn Engine,
    undropped: Vec<FeatureId>,
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
            varying: self.undropped.clone(),
            chosen: chosen.to_vec(),
            candidates: candidates.to_vec(),
        };
        Ok(self.engine.ask(&pass)?.gains(measure))
    }

    fn enough(&self, best: f64, _: usize) -> bool {
        best < self.method.delta
    }
}
