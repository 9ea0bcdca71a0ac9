//! What wrappers share: a ranker that is trained on subsets of features, and the queries it is
//! judged on.
//!
//! A ranker is judged on validation data where the run has some, else on parts of the training data
//! that are held out one after the other: whole queries, dealt out by their ids and the seed. A
//! query is judged by the ranker that was trained without it, and the measure is taken over all
//! queries together. With fewer than two queries a part that have documents of different relevance
//! none can be spared: they are learnt from and judged on.

use super::lesson::{Lesson, Material, Watch};
use crate::data::{Dataset, FeatureId};
use crate::engine::passes::MeasureSums;
use crate::engine::{Engine, Merge, PartEngine, QueryFolds};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::params::{RankerName, Settings};
use crate::rank::{self, Ranker, RankerSpec, model_importance};
use crate::run::Run;
use crate::select::judging::{check_counts, checked_validation};
use crate::select::rows::check_ranker;

/// Subsets that are judged together: their weights and the scores of some documents stay in the
/// cache.
const TOGETHER: usize = 512;

/// What `settings=auto` sets, as far as the ranker has such parameters.
pub type AutoSettings = [(&'static str, String)];

/// Few trees: enough for methods that train many ensembles.
pub fn few_trees(_: &Measure) -> Vec<(&'static str, String)> {
    vec![("trees", "50".into())]
}

/// One short optimisation of the measure.
pub fn one_short_climb(measure: &Measure) -> Vec<(&'static str, String)> {
    vec![("measure", measure.to_string()), ("restarts", "1".into()), ("iterations", "10".into())]
}

/// A ranker and what it is judged by.
pub struct Trainer {
    spec: &'static RankerSpec,
    ranker: Box<dyn Ranker>,
    measure: Measure,
}

impl Trainer {
    /// A ranker with its own parameters; without any, `auto` sets them.
    pub fn new(
        name: &RankerName,
        settings: Option<Settings>,
        auto: &AutoSettings,
        measure: Measure,
    ) -> Result<Self> {
        let spec = rank::ranker(&name.0)?;
        Ok(Trainer { spec, ranker: ranker(name, settings, auto)?, measure })
    }
}

/// A ranker with its own parameters; without any, `auto` sets them.
pub fn ranker(
    name: &RankerName,
    settings: Option<Settings>,
    auto: &AutoSettings,
) -> Result<Box<dyn Ranker>> {
    let spec = rank::ranker(&name.0)?;
    let known = auto.iter().filter(|(name, _)| spec.params.iter().any(|p| p.name == *name));
    spec.with(&settings.unwrap_or_else(|| {
        known.map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }))
}

/// Works on the engine's threads.
pub fn on_threads_of<T: Send>(
    engine: &dyn Engine,
    work: impl Fn() -> Result<T> + Send + Sync,
) -> Result<T> {
    let mut done = None;
    engine.within(&mut || done = Some(work()));
    // An engine does the work that it is given.
    done.unwrap_or_else(&work)
}

/// One run of a wrapper.
pub struct Bench<'a> {
    trainer: &'a Trainer,
    run: &'a Run,
    engine: &'a dyn Engine,
    watch: Watch<'a>,
}

impl<'a> Bench<'a> {
    /// For the rows behind an engine; an error where the ranker needs them and they are not in this
    /// process.
    pub fn new(
        method: &str,
        trainer: &'a Trainer,
        run: &'a Run,
        engine: &'a dyn Engine,
    ) -> Result<Self> {
        check_ranker(method, trainer.spec, engine)?;
        // Better said now than after all rankers are trained.
        check_counts(&trainer.measure, engine)?;
        Ok(Bench { trainer, run, engine, watch: Watch::new(run) })
    }

    /// All training data, both to learn from and to judge on.
    pub fn whole(&self, features: &[FeatureId]) -> Result<Material<'a>> {
        let all = || PartEngine::all(self.engine);
        self.material(all(), all(), features)
    }

    /// Validation data, or so many held-out parts; the training data itself where there are none.
    pub fn held_out(&self, folds: usize, features: &[FeatureId]) -> Result<Vec<Material<'a>>> {
        if let (Some(valid), 1..) = (&self.run.valid, folds) {
            let valid = checked_validation(valid.as_ref(), self.engine, features)?;
            self.trainer.measure.check_labels(valid.schema().largest_label())?;
            let (learn, judge) = (PartEngine::all(self.engine), PartEngine::all(valid));
            return Ok(vec![self.material(learn, judge, features)?]);
        }
        let schema = self.engine.schema();
        if folds < 2 || schema.informative() < 2 * folds {
            return Ok(vec![self.whole(features)?]);
        }
        let deal = QueryFolds::new(&schema.query_keys, folds, self.run.seed);
        let part = |fold: usize| {
            let learn = PartEngine::of(self.engine, deal.range(|part| part != fold))?;
            let judge = PartEngine::of(self.engine, deal.range(|part| part == fold))?;
            self.material(learn, judge, features)
        };
        (0..folds).map(part).collect()
    }

    fn material(
        &self,
        learn: PartEngine<'a>,
        judge: PartEngine<'a>,
        features: &[FeatureId],
    ) -> Result<Material<'a>> {
        Material::new(self.trainer.ranker.as_ref(), learn, None, judge, features)
    }

    /// Does what is the same for all subsets of a part's features.
    pub fn lesson<'b>(&'b self, material: &'b Material<'b>) -> Result<Lesson<'b>> {
        Lesson::new(&self.watch, self.trainer.ranker.as_ref(), &self.trainer.measure, material)
    }

    /// The same for each of some parts.
    pub fn lessons<'b>(&'b self, parts: &'b [Material<'b>]) -> Result<Vec<Lesson<'b>>> {
        parts.iter().map(|part| self.lesson(part)).collect()
    }

    /// The measure of each that was judged on some parts; an error where no query counts.
    pub fn summaries(&self, parts: impl IntoIterator<Item = MeasureSums>) -> Result<Vec<f64>> {
        let means = parts.into_iter().reduce(MeasureSums::merge);
        let values = means.map(|means| means.summaries(&self.trainer.measure)).unwrap_or_default();
        match values.iter().any(|value| value.is_nan()) {
            false => Ok(values),
            true => Err(Error::nothing_counts(
                format!("{} counts no query of the evaluation data", self.trainer.measure),
                "choose another measure, or data with relevant documents",
            )),
        }
    }

    /// The features of other data with the same queries that matter to a ranker trained on all of
    /// them.
    pub fn important(&self, data: &Dataset) -> Result<Vec<FeatureId>> {
        let view = data.view();
        let model = self.trainer.ranker.learn(self.watch.silent(), &view, None)?;
        let matters = model_importance(&model, &view)?
            .into_iter()
            .filter(|(_, importance)| *importance > 0.0);
        Ok(matters.map(|(f, _)| f).collect())
    }

    /// What rankers of each of these subsets are worth.
    pub fn values(&self, lessons: &[Lesson<'_>], subsets: &[Vec<FeatureId>]) -> Result<Vec<f64>> {
        let mut values = Vec::with_capacity(subsets.len());
        for some in subsets.chunks(TOGETHER) {
            let judge = |lesson: &Lesson<'_>| lesson.teach(some)?.means();
            let parts: Vec<MeasureSums> = lessons.iter().map(judge).collect::<Result<_>>()?;
            values.extend(self.summaries(parts)?);
        }
        Ok(values)
    }
}
