//! Rankings by their source: a file of scores, a saved model or a single feature.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::{
    Evaluation, EvaluationPlan, OverFeatures, RankedBy, Ranking, Resampling, RiskBaseline,
    evaluate_on, evaluate_rows, feature_scores, read_scores,
};
use crate::data::{Dataset, FeatureTable};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::rank::Model;

/// The source of a ranking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RankingSource {
    /// A file of scores, see [`read_scores`].
    Scores(PathBuf),
    /// A saved model.
    Model(PathBuf),
    /// A feature, by name or id.
    Feature(String),
}

impl RankingSource {
    /// Rejects scores in the order of rows if the rows are not in this process.
    pub fn check_remote(&self) -> Result<()> {
        match self {
            RankingSource::Scores(path) => Err(remote_scores(path)),
            RankingSource::Feature(_) | RankingSource::Model(_) => Ok(()),
        }
    }

    /// Loads a model.
    fn open(&self) -> Result<OpenedSource<'_>> {
        Ok(match self {
            RankingSource::Scores(path) => OpenedSource::Scores(path),
            RankingSource::Feature(name) => OpenedSource::Feature(name),
            RankingSource::Model(path) => {
                OpenedSource::Model(path.display().to_string(), Box::new(Model::load(path)?))
            }
        })
    }
}

/// A ranking before the data is known.
enum OpenedSource<'a> {
    Scores(&'a Path),
    Model(String, Box<Model>),
    Feature(&'a str),
}

impl OpenedSource<'_> {
    fn ranking(&self, data: &Dataset) -> Result<Ranking> {
        match self {
            OpenedSource::Scores(path) => read_scores(path, data),
            OpenedSource::Feature(name) => Ok(feature_scores(data, data.features().resolve(name)?)),
            OpenedSource::Model(name, model) => {
                Ok(Ranking { name: name.clone(), scores: model.score(&data.view())? })
            }
        }
    }

    fn ranked_by(&self, table: &FeatureTable) -> Result<RankedBy> {
        match self {
            OpenedSource::Feature(name) => Ok(RankedBy::feature(table, table.resolve(name)?)),
            OpenedSource::Model(name, model) => {
                Ok(RankedBy::model(name.clone(), Model::clone(model)))
            }
            OpenedSource::Scores(path) => Err(remote_scores(path)),
        }
    }

    /// Whether features of a model are found by id, because the table has no names.
    fn finds_by_id(&self, table: &FeatureTable) -> bool {
        let OpenedSource::Model(_, model) = self else { return false };
        table.finds_by_id(model.features())
    }
}

fn remote_scores(path: &Path) -> Error {
    Error::unsupported(
        format!(
            "{} holds scores in the order of the rows, and the rows are not in this process",
            path.display()
        ),
        "evaluate a model or a feature, or read the data into memory",
    )
}

/// The source of a risk baseline. Parsed from `mean`, `max`, `feature:ID`, `scores:FILE`,
/// `model:FILE`, or the number of a ranking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaselineSource {
    /// Single features.
    OverFeatures(OverFeatures),
    /// A ranking that is not evaluated itself.
    Other(RankingSource),
    /// The number of an evaluated ranking, from 1; the last one is the constant score.
    Number(usize),
}

impl FromStr for BaselineSource {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let other = |source| Ok(BaselineSource::Other(source));
        match (text.split_once(':'), text) {
            (Some(("feature", name)), _) => other(RankingSource::Feature(name.into())),
            (Some(("scores", path)), _) => other(RankingSource::Scores(path.into())),
            (Some(("model", path)), _) => other(RankingSource::Model(path.into())),
            (_, "mean") => Ok(BaselineSource::OverFeatures(OverFeatures::Mean)),
            (_, "max") => Ok(BaselineSource::OverFeatures(OverFeatures::Max)),
            _ => text.parse().map(BaselineSource::Number).map_err(|_| {
                let expected =
                    "mean, max, feature:ID, scores:FILE, model:FILE, or the number of a ranking";
                Error::invalid("baseline", text, expected)
            }),
        }
    }
}

impl BaselineSource {
    fn check(&self, rankings: usize) -> Result<()> {
        match self {
            BaselineSource::Number(number) if !(1..=rankings).contains(number) => {
                let expected = format!("the number of a ranking, 1 to {rankings}");
                Err(Error::invalid("baseline", number, expected))
            }
            _ => Ok(()),
        }
    }
}

/// Evaluates rankings by their sources, and a constant score as the last one. Models and features
/// score rows where they are; files of scores need rows in this process.
///
/// ```
/// use featherank::data::synth::{Preset, generate};
/// use featherank::engine::LocalEngine;
/// use featherank::evaluate::{EvaluationPlan, RankingSource, evaluate_sources};
///
/// let engine = LocalEngine::new(generate(&Preset::Tiny.config())?.0, 1)?;
/// let measures = vec!["ndcg@10".parse()?];
/// let plan = EvaluationPlan { measures, alpha: 5.0, resamples: 100, seed: 1 };
/// let sources = [RankingSource::Feature("1".into()), RankingSource::Feature("2".into())];
/// let found = evaluate_sources(&engine, &sources, &plan, Some(&"max".parse()?))?;
/// assert_eq!(found.rankings.len(), 3);
/// assert_eq!(found.risk_baseline.as_deref(), Some("max of single features"));
/// # Ok::<(), featherank::Error>(())
/// ```
pub fn evaluate_sources(
    engine: &dyn Engine,
    sources: &[RankingSource],
    plan: &EvaluationPlan,
    baseline: Option<&BaselineSource>,
) -> Result<Evaluation> {
    plan.check()?;
    baseline.map_or(Ok(()), |baseline| baseline.check(sources.len() + 1))?;
    let opened: Vec<OpenedSource<'_>> =
        sources.iter().map(RankingSource::open).collect::<Result<_>>()?;
    let found = match engine.local() {
        Some(data) => evaluate_local(engine, data, &opened, plan, baseline)?,
        None => evaluate_remote(engine, &opened, plan, baseline)?,
    };
    let table = &engine.schema().features;
    let found_by_id = opened.iter().any(|source| source.finds_by_id(table));
    Ok(Evaluation { found_by_id, ..found })
}

fn evaluate_local(
    engine: &dyn Engine,
    data: &Dataset,
    sources: &[OpenedSource<'_>],
    plan: &EvaluationPlan,
    baseline: Option<&BaselineSource>,
) -> Result<Evaluation> {
    let mut rankings: Vec<Ranking> =
        sources.iter().map(|source| source.ranking(data)).collect::<Result<_>>()?;
    rankings.push(Ranking::constant(data));
    let measure = &plan.measures[0];
    let values = |ranking: &Ranking| RiskBaseline {
        name: ranking.name.clone(),
        per_query: measure.per_query(&ranking.scores, &data.view()),
    };
    let baseline = match baseline {
        None => None,
        Some(BaselineSource::OverFeatures(over)) => Some(over.as_baseline(engine, measure)?),
        Some(BaselineSource::Other(source)) => Some(values(&source.open()?.ranking(data)?)),
        Some(BaselineSource::Number(number)) => Some(values(&rankings[number - 1])),
    };
    let resampling = Resampling::of(engine, plan, rankings.len());
    evaluate_rows(data, &rankings, plan, baseline.as_ref(), &resampling)
}

fn evaluate_remote(
    engine: &dyn Engine,
    sources: &[OpenedSource<'_>],
    plan: &EvaluationPlan,
    baseline: Option<&BaselineSource>,
) -> Result<Evaluation> {
    let table = &engine.schema().features;
    let mut rankings: Vec<RankedBy> =
        sources.iter().map(|source| source.ranked_by(table)).collect::<Result<_>>()?;
    rankings.push(RankedBy::constant());
    let measure = &plan.measures[0];
    let baseline = match baseline {
        None => None,
        Some(BaselineSource::OverFeatures(over)) => Some(over.as_baseline(engine, measure)?),
        Some(BaselineSource::Other(source)) => {
            Some(source.open()?.ranked_by(table)?.as_baseline(engine, measure)?)
        }
        Some(BaselineSource::Number(number)) => {
            Some(rankings[number - 1].as_baseline(engine, measure)?)
        }
    };
    evaluate_on(engine, &rankings, plan, baseline.as_ref())
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::data::synth::{Preset, generate};
    use crate::data::{Feature, FeatureId};
    use crate::engine::LocalEngine;
    use crate::error::Stop;
    use crate::progress::{Observer, Step, StepLevel};
    use crate::rank::LinearModel;

    #[test]
    fn features_of_a_model_may_be_found_by_id() {
        let (data, _) = generate(&Preset::Tiny.config()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let named = |name: Option<&str>| {
            let table =
                FeatureTable::from_features(vec![Feature { id: 1, name: name.map(str::to_owned) }]);
            let model = Model::from(LinearModel::new(&table, &[(FeatureId(0), 1.0)]));
            let path = folder.path().join(format!("{name:?}.json"));
            model.save(&path).unwrap();
            RankingSource::Model(path)
        };
        let plan = EvaluationPlan {
            measures: vec!["map".parse().unwrap()],
            alpha: 1.0,
            resamples: 10,
            seed: 1,
        };
        let engine = LocalEngine::new(data, 1).unwrap();
        for (name, by_id) in [(Some("bm25"), true), (None, false)] {
            let found = evaluate_sources(&engine, &[named(name)], &plan, None).unwrap();
            assert_eq!(found.found_by_id, by_id, "{name:?}");
        }
    }

    /// Collects the stages, and may be told to stop at one.
    #[derive(Default)]
    struct Recorder(Mutex<Vec<Step>>, Option<&'static str>);

    impl Observer for Recorder {
        fn on_step(&self, step: &Step) -> ControlFlow<Stop> {
            if step.level == StepLevel::Stage {
                self.0.lock().unwrap().push(*step);
            }
            match self.1 == Some(step.what) {
                true => ControlFlow::Break(Stop::Interrupted),
                false => ControlFlow::Continue(()),
            }
        }
    }

    #[test]
    fn resampling_is_a_stage_that_can_be_stopped() {
        let (data, _) = generate(&Preset::Tiny.config()).unwrap();
        let plan = EvaluationPlan {
            measures: vec!["map".parse().unwrap(), "ndcg@10".parse().unwrap()],
            alpha: 1.0,
            resamples: 2_500,
            seed: 1,
        };
        let evaluate = |recorder: &Arc<Recorder>| {
            let engine = LocalEngine::new(data.clone(), 1).unwrap().observed_by(recorder.clone());
            evaluate_sources(&engine, &[RankingSource::Feature("1".into())], &plan, None)
        };
        let recorder = Arc::new(Recorder::default());
        evaluate(&recorder).unwrap();
        let steps = recorder.0.lock().unwrap().clone();
        // Three blocks for each of two rankings under two measures.
        let expected = (0..=12).map(|done| Step::stage("resampling", done, Some(12)));
        assert_eq!(steps, expected.collect::<Vec<_>>());
        let stopped = evaluate(&Arc::new(Recorder(Mutex::default(), Some("resampling"))));
        assert!(matches!(stopped, Err(Error::Stopped(Stop::Interrupted))));
    }

    #[test]
    fn baselines_are_parsed() {
        let parsed = |text: &str| text.parse::<BaselineSource>();
        let feature = RankingSource::Feature("a:b".into());
        assert_eq!(parsed("feature:a:b").unwrap(), BaselineSource::Other(feature));
        let scores = RankingSource::Scores("run.txt".into());
        assert_eq!(parsed("scores:run.txt").unwrap(), BaselineSource::Other(scores));
        assert_eq!(parsed("mean").unwrap(), BaselineSource::OverFeatures(OverFeatures::Mean));
        assert_eq!(parsed("3").unwrap(), BaselineSource::Number(3));
        assert!(parsed("best").unwrap_err().to_string().contains("the number of a ranking"));
        let error = BaselineSource::Number(0).check(2).unwrap_err().to_string();
        assert!(error.contains("1 to 2") && BaselineSource::Number(2).check(2).is_ok(), "{error}");
    }
}
