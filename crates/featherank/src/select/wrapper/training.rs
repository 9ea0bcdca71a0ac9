//! What wrappers share: a ranker that is trained on subsets of features, and the queries it is judged on.
//!
//! A ranker is judged on validation data where the run has some, else on parts of the training data that are held out one after
//! the other: whole queries, dealt out by their ids and the seed. A query is judged by the ranker that was trained without it, and
//! the measure is taken over all queries together. With fewer than two queries a part that have documents of different relevance
//! none can be spared: they are learnt from and judged on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::data::{Dataset, FeatureId, View};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::params::{Kind, Param, Params};
use crate::rank::{Model, Ranker, SubsetFit, model_importance};
use crate::registry;
use crate::run::{Run, Silent};
use crate::select::judging::{checked_validation, deal};

/// The parameter that names the ranker.
pub const fn ranker_param(default: &'static str) -> Param {
    Param { name: "ranker", kind: Kind::Ranker, default, meaning: "what is trained on every subset" }
}

/// The parameter with the ranker's own parameters.
pub const SETTINGS: Param =
    Param { name: "settings", kind: Kind::Settings, default: "", meaning: "parameters of the ranker" };

/// The same for methods that train many ensembles of trees: fewer trees do.
pub const FEW_TREES: Param = Param {
    name: "settings",
    kind: Kind::Settings,
    default: "auto",
    meaning: "parameters of the ranker; auto: 50 trees where it has trees",
};

/// What `auto` then sets.
const FEW: &[(&str, &str)] = &[("trees", "50")];

/// The parameter that says how many parts are held out.
pub const fn folds_param(min: u64, default: &'static str, meaning: &'static str) -> Param {
    Param { name: "folds", kind: Kind::Whole { min, max: 100 }, default, meaning }
}

/// The parameter that says what rankers are judged by.
pub const fn measure_param(default: &'static str, meaning: &'static str) -> Param {
    Param { name: "measure", kind: Kind::Measure, default, meaning }
}

/// A ranker and what it is judged by.
pub struct Trainer {
    ranker: Box<dyn Ranker>,
    measure: Measure,
}

impl Trainer {
    /// From the parameters `ranker`, `settings` and `measure`.
    pub fn new(params: &Params) -> Result<Self> {
        Self::with_auto(params, FEW)
    }

    /// The same, with other settings for `settings=auto`.
    pub fn with_auto(params: &Params, auto: &[(&str, &str)]) -> Result<Self> {
        Ok(Trainer { ranker: ranker(params, auto)?, measure: params.measure("measure")? })
    }
}

/// From the parameters `ranker` and `settings`, where `auto` means these settings, as far as the ranker has them.
pub fn ranker(params: &Params, auto: &[(&str, &str)]) -> Result<Box<dyn Ranker>> {
    let spec = registry::ranker(params.text("ranker"))?;
    let settings = match params.text("settings") {
        "auto" => {
            let known = auto.iter().filter(|(name, _)| spec.params.iter().any(|param| param.name == *name));
            known.map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
        }
        _ => params.settings("settings")?,
    };
    (spec.build)(&Params::new(spec.name, spec.params, &settings)?)
}

/// The rows, where they are in this process.
pub fn rows<'a>(method: &str, engine: &'a dyn Engine) -> Result<&'a Dataset> {
    engine.local().ok_or_else(|| Error::Conflict {
        what: format!("{method} trains rankers, and the rows are not in this process"),
        help: "use a filter, or run it where the data is".into(),
    })
}

/// Works on the engine's threads.
pub fn on_threads_of<T: Send>(engine: &dyn Engine, work: impl Fn() -> Result<T> + Send + Sync) -> Result<T> {
    let mut done = None;
    engine.within(&mut || done = Some(work()));
    // An engine does the work that it is given.
    done.unwrap_or_else(&work)
}

/// One run of a wrapper. Its steps are the rankers that are trained; what happens within one would drown them.
pub struct Bench<'a> {
    trainer: &'a Trainer,
    run: &'a Run,
    engine: &'a dyn Engine,
    data: &'a Dataset,
    silent: Run,
    trained: AtomicU64,
}

/// What is learnt from, and what is judged on.
pub struct Part<'a> {
    learn: View<'a>,
    judge: View<'a>,
}

/// A part with a ranker at work.
pub struct Lesson<'a> {
    bench: &'a Bench<'a>,
    part: &'a Part<'a>,
    fit: SubsetFit<'a>,
}

impl<'a> Bench<'a> {
    /// For the rows behind an engine; an error where they are not in this process.
    pub fn new(method: &str, trainer: &'a Trainer, run: &'a Run, engine: &'a dyn Engine) -> Result<Self> {
        let data = rows(method, engine)?;
        trainer.measure.check_labels(engine.schema().largest_label())?;
        let silent = Run { observer: Arc::new(Silent), ..run.clone() };
        let bench = Bench { trainer, run, engine, data, silent, trained: AtomicU64::new(0) };
        // Better said now than after all rankers are trained.
        bench.summary(&trainer.measure.per_query(&vec![0.0; data.documents()], &data.view()))?;
        Ok(bench)
    }

    /// All training data, both to learn from and to judge on.
    pub fn whole(&self, features: &[FeatureId]) -> Part<'a> {
        let all = self.data.view().with_features(features.to_vec());
        Part { learn: all.clone(), judge: all }
    }

    /// Validation data, or so many held-out parts; the training data itself where there are none.
    pub fn held_out(&self, folds: usize, features: &[FeatureId]) -> Result<Vec<Part<'a>>> {
        let whole = self.whole(features);
        if let (Some(valid), 1..) = (&self.run.valid, folds) {
            let valid = rows("judging", checked_validation(valid.as_ref(), self.engine, features)?)?;
            let largest = valid.labels().iter().copied().fold(0.0, f32::max);
            self.trainer.measure.check_labels(largest)?;
            return Ok(vec![Part { judge: valid.view().with_features(features.to_vec()), ..whole }]);
        }
        let schema = self.engine.schema();
        if folds < 2 || schema.queries() - (schema.all_equal as usize) < 2 * folds {
            return Ok(vec![whole]);
        }
        let dealt = deal(&schema.query_keys, folds, self.run.seed);
        let queries = |is_in: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..dealt.len()).filter(|&q| is_in(dealt[q])).collect()
        };
        let part = |fold: usize| Part {
            learn: whole.learn.with_queries(queries(&|part| part != fold)),
            judge: whole.judge.with_queries(queries(&|part| part == fold)),
        };
        Ok((0..folds).map(part).collect())
    }

    /// Does what is the same for all subsets of a part's features.
    pub fn lesson<'b>(&'b self, part: &'b Part<'b>) -> Result<Lesson<'b>> {
        let fit = self.trainer.ranker.for_subsets(&self.silent, &part.learn, None)?;
        Ok(Lesson { bench: self, part, fit })
    }

    /// The measure of queries, in any order; an error where none counts.
    pub fn summary(&self, per_query: &[f64]) -> Result<f64> {
        let value = self.trainer.measure.summary(per_query);
        match value.is_nan() {
            false => Ok(value),
            true => Err(Error::Conflict {
                what: format!(
                    "{} counts no query of the data that rankers are judged on",
                    self.trainer.measure
                ),
                help: "choose another measure, or data with relevant documents".into(),
            }),
        }
    }

    /// The features of other data with the same queries that matter to a ranker trained on all of them.
    pub fn important(&self, data: &Dataset) -> Result<Vec<FeatureId>> {
        let view = data.view();
        let model = self.trainer.ranker.fit(&self.silent, &view, None)?;
        let matters =
            model_importance(&model, &view)?.into_iter().filter(|(_, importance)| *importance > 0.0);
        Ok(matters.map(|(f, _)| f).collect())
    }

    /// What rankers of these features are worth.
    pub fn value(&self, lessons: &[Lesson<'_>], features: &[FeatureId]) -> Result<f64> {
        let judged = |lesson: &Lesson<'_>| lesson.judge(&lesson.train(features)?);
        let per_query: Vec<Vec<f64>> = lessons.iter().map(judged).collect::<Result<_>>()?;
        self.summary(&per_query.concat())
    }
}

impl Lesson<'_> {
    /// Trains the ranker on these features.
    pub fn train(&self, features: &[FeatureId]) -> Result<Model> {
        let model = (self.fit)(features)?;
        let trained = self.bench.trained.fetch_add(1, Ordering::Relaxed) + 1;
        self.bench.run.step("training rankers", trained, None)?;
        Ok(model)
    }

    /// The measure of each query that is judged on.
    pub fn judge(&self, model: &Model) -> Result<Vec<f64>> {
        let judge = &self.part.judge;
        Ok(self.bench.trainer.measure.per_query(&model.score(judge)?, judge))
    }

    /// What is learnt from.
    pub fn learnt_from(&self) -> &View<'_> {
        &self.part.learn
    }
}
