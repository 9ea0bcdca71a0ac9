//! The parameters that wrappers share: a ranker that is trained on subsets of features, and its
//! evaluation.

use crate::engine::Engine;
use crate::error::Result;
use crate::measure::Measure;
use crate::params::Settings;
use crate::rank::{ChosenRanker, Ranker, RankerSpec};
use crate::run::Run;
use crate::select::subsets::SubsetEvaluator;

/// The values that `settings=auto` sets, if the ranker has these parameters.
pub type AutoSettings = [(&'static str, String)];

/// Few trees: enough for methods that train many ensembles.
pub fn few_trees(_: &Measure) -> Vec<(&'static str, String)> {
    vec![("trees", "50".into())]
}

/// One short optimisation of the measure.
pub fn one_short_ascent(measure: &Measure) -> Vec<(&'static str, String)> {
    vec![("measure", measure.to_string()), ("restarts", "1".into()), ("iterations", "10".into())]
}

/// A ranker and the measure it is evaluated with.
pub struct Trainer {
    spec: &'static RankerSpec,
    ranker: Box<dyn Ranker>,
    measure: Measure,
}

impl Trainer {
    /// A ranker with its own parameters; `auto` sets them if none are given.
    pub fn new(
        chosen: ChosenRanker,
        settings: Option<Settings>,
        auto: &AutoSettings,
        measure: Measure,
    ) -> Result<Self> {
        Ok(Trainer { spec: chosen.0, ranker: ranker(chosen, settings, auto)?, measure })
    }

    /// The registry's entry of the ranker.
    pub fn spec(&self) -> &'static RankerSpec {
        self.spec
    }

    /// The evaluator of subsets for one run of a method.
    pub(in crate::select) fn evaluator<'a>(
        &'a self,
        method: &str,
        run: &'a Run,
        engine: &'a dyn Engine,
    ) -> Result<SubsetEvaluator<'a>> {
        let ranker = (self.spec, self.ranker.as_ref());
        SubsetEvaluator::new(method, ranker, &self.measure, run, engine)
    }
}

/// A ranker with its own parameters; `auto` sets them if none are given.
pub fn ranker(
    ChosenRanker(spec): ChosenRanker,
    settings: Option<Settings>,
    auto: &AutoSettings,
) -> Result<Box<dyn Ranker>> {
    let known = auto.iter().filter(|(name, _)| spec.params.iter().any(|p| p.name == *name));
    spec.with(&settings.unwrap_or_else(|| {
        known.map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }))
}
