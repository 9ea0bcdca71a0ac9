//! Evaluation of feature subsets by a ranker that is trained and evaluated on every split of a run.

use super::held_out::{HeldOut, check_counts};
use super::progress::TrainingProgress;
use super::split::Split;
use super::trainer::SubsetTrainer;
use crate::data::{Dataset, FeatureId};
use crate::engine::passes::MeasureSums;
use crate::engine::{Engine, Merge, PartEngine};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::rank::{Ranker, RankerSpec, model_importance};
use crate::run::Run;
use crate::select::rows::check_ranker;

/// The number of subsets that are evaluated in one pass: their weights and the scores of a block of
/// documents stay in the cache.
const SUBSETS_PER_PASS: usize = 512;

/// A ranker, the measure it is evaluated with, and the data of one run.
pub struct SubsetEvaluator<'a> {
    ranker: &'a dyn Ranker,
    measure: &'a Measure,
    run: &'a Run,
    engine: &'a dyn Engine,
    progress: TrainingProgress<'a>,
}

impl<'a> SubsetEvaluator<'a> {
    /// Fails if the ranker needs rows that are not in this process, or if the measure counts no
    /// query: both are reported before any ranker is trained.
    pub fn new(
        method: &str,
        (spec, ranker): (&RankerSpec, &'a dyn Ranker),
        measure: &'a Measure,
        run: &'a Run,
        engine: &'a dyn Engine,
    ) -> Result<Self> {
        check_ranker(method, spec, engine)?;
        check_counts(measure, engine)?;
        Ok(SubsetEvaluator { ranker, measure, run, engine, progress: TrainingProgress::new(run) })
    }

    /// All training data, both for training and for evaluation.
    pub fn whole(&self, features: &[FeatureId]) -> Result<Split<'a>> {
        let all = || PartEngine::all(self.engine);
        Split::new(self.ranker, all(), None, all(), features)
    }

    /// The run's validation data or `folds` folds, or the training data itself if there are too few
    /// queries or no folds.
    pub fn held_out(&self, folds: usize, features: &[FeatureId]) -> Result<Vec<Split<'a>>> {
        let held_out = HeldOut::of_run(self.run, self.engine, features, folds)?;
        if let HeldOut::Validation(valid) = held_out {
            self.measure.check_labels(valid.schema().largest_label())?;
        }
        self.splits(&held_out, features)
    }

    /// One split for each training run.
    pub fn splits(&self, held_out: &HeldOut<'a>, features: &[FeatureId]) -> Result<Vec<Split<'a>>> {
        let parts = held_out.parts(self.engine)?.into_iter();
        parts.map(|(train, judge)| Split::new(self.ranker, train, None, judge, features)).collect()
    }

    /// Does the work that is the same for all subsets of a split's features.
    pub fn trainer<'b>(&'b self, split: &'b Split<'b>) -> Result<SubsetTrainer<'b>> {
        SubsetTrainer::new(&self.progress, self.ranker, self.measure, split)
    }

    /// The same for each split.
    pub fn trainers<'b>(&'b self, splits: &'b [Split<'b>]) -> Result<Vec<SubsetTrainer<'b>>> {
        splits.iter().map(|split| self.trainer(split)).collect()
    }

    /// For each subset, the measure of the ranker trained on it, over the queries of all splits.
    pub fn values(
        &self,
        trainers: &[SubsetTrainer<'_>],
        subsets: &[Vec<FeatureId>],
    ) -> Result<Vec<f64>> {
        let mut values = Vec::with_capacity(subsets.len());
        for some in subsets.chunks(SUBSETS_PER_PASS) {
            let judge = |trainer: &SubsetTrainer<'_>| trainer.fit(some)?.means();
            let splits: Vec<MeasureSums> = trainers.iter().map(judge).collect::<Result<_>>()?;
            values.extend(self.summaries(splits)?);
        }
        Ok(values)
    }

    /// For each subset, the measure of every query of the training data, by the ranker of the split
    /// that evaluates it; NaN if the query does not count.
    pub fn per_query(
        &self,
        trainers: &[SubsetTrainer<'_>],
        subsets: &[Vec<FeatureId>],
    ) -> Result<Vec<Vec<f64>>> {
        let mut all = vec![vec![f64::NAN; self.engine.schema().queries()]; subsets.len()];
        for trainer in trainers {
            let places = trainer.split().judge().places();
            for (all, judged) in all.iter_mut().zip(trainer.fit(subsets)?.per_query()?) {
                places.iter().zip(judged).for_each(|(&place, value)| all[place] = value);
            }
        }
        Ok(all)
    }

    /// The measure of each subset over the queries of all splits; an error if none counts.
    pub fn summaries(&self, splits: impl IntoIterator<Item = MeasureSums>) -> Result<Vec<f64>> {
        let means = splits.into_iter().reduce(MeasureSums::merge);
        let values = means.map(|means| means.summaries(self.measure)).unwrap_or_default();
        match values.iter().any(|value| value.is_nan()) {
            false => Ok(values),
            true => Err(Error::nothing_counts(
                format!("no query of the evaluation data counts under {}", self.measure),
                "choose another measure, or data with relevant documents",
            )),
        }
    }

    /// The features of other data with the same queries that are important to a ranker trained on
    /// all of them.
    pub fn important_features(&self, data: &Dataset) -> Result<Vec<FeatureId>> {
        let view = data.view();
        let model = self.ranker.fit(self.progress.quiet_run(), &view, None)?;
        let important = model_importance(&model, &view)?
            .into_iter()
            .filter(|(_, importance)| *importance > 0.0);
        Ok(important.map(|(f, _)| f).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synth::{SynthConfig, generate};
    use crate::engine::passes::Moments;
    use crate::engine::{Ask, LocalEngine};
    use crate::params::Params;
    use crate::registry;
    use crate::run::Constraints;

    /// Least squares by passes equal the same ranker fitted to rows, on the training data and on
    /// folds.
    #[test]
    fn passes_and_rows_agree() {
        let config = SynthConfig {
            queries: 40,
            documents: 500,
            heavy_tails: false,
            ..SynthConfig::default()
        };
        let engine = LocalEngine::new(generate(&config).unwrap().0, 2).unwrap();
        let engine: &dyn Engine = &engine;
        let (run, measure): (Run, Measure) =
            (Run::new(3, Constraints::default()), "ndcg@5".parse().unwrap());
        let features = engine.ask(&Moments).unwrap().varying_within_queries().0;
        let subsets = [features.clone(), features[..3].to_vec(), vec![features[7]]];
        for spec in ["linear-regression", "rankrls"].map(|name| registry::ranker(name).unwrap()) {
            let ranker = (spec.build)(&Params::new(spec.name, spec.params, &[]).unwrap()).unwrap();
            let ranker = (spec, ranker.as_ref());
            let evaluator = SubsetEvaluator::new("test", ranker, &measure, &run, engine).unwrap();
            let mut of_whole = None;
            for folds in [0, 2, 7] {
                let held_out = match folds {
                    0 => HeldOut::Nothing,
                    _ => HeldOut::folds(&run, engine.schema(), folds),
                };
                let splits = evaluator.splits(&held_out, &features).unwrap();
                let trainers = evaluator.trainers(&splits).unwrap();
                let found = evaluator.per_query(&trainers, &subsets).unwrap();
                let mut expected = vec![vec![f64::NAN; 40]; 3];
                for (train, judge) in held_out.parts(engine).unwrap() {
                    for (subset, expected) in subsets.iter().zip(&mut expected) {
                        let train = train.view().unwrap().with_features(&subset[..]);
                        let model = spec.fit(&[], &run, &train, None).unwrap();
                        let view = judge.view().unwrap();
                        let values = measure.per_query(&model.score(&view).unwrap(), &view);
                        judge
                            .places()
                            .iter()
                            .zip(values)
                            .for_each(|(&q, value)| expected[q] = value);
                    }
                }
                assert_eq!(found, expected, "{} with {folds} folds", spec.name);
                let before = of_whole.replace(found.clone());
                assert_ne!(before, Some(found), "{folds} folds give other values");
            }
        }
    }
}
