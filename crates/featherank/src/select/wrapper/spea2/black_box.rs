//! The black box: how well a ranker ranks each query with a subset of the features.
//!
//! Trained and judged on the same queries, as published, or judged on queries that it was not
//! trained on, in as many parts as wanted. Least squares needs one matrix of sums of products for
//! each part, and then one pass over the documents for all subsets of a generation together. Other
//! rankers are trained on the rows for every subset.

use crate::data::FeatureId;
use crate::engine::{Engine, PartEngine, QueryFolds};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::rank::tune::Settings;
use crate::rank::{Ranker, RankerSpec};
use crate::run::Run;
use crate::select::judging::check_counts;
use crate::select::rows::check_ranker;
use crate::select::wrapper::lesson::{Lesson, Material, Watch};

/// A ranker, and who judges it.
pub struct BlackBox<'a> {
    queries: usize,
    measure: &'a Measure,
    ranker: Box<dyn Ranker>,
    parts: Vec<Material<'a>>,
    watch: Watch<'a>,
}

impl<'a> BlackBox<'a> {
    /// A ranker for subsets of some features. With `folds`, judged on queries that it was not
    /// trained on.
    pub fn new(
        run: &'a Run,
        engine: &'a dyn Engine,
        (ranker, settings): (&RankerSpec, &Settings),
        features: &[FeatureId],
        measure: &'a Measure,
        folds: usize,
    ) -> Result<Self> {
        check_ranker("spea2", ranker, engine)?;
        check_counts(measure, engine)?;
        let ranker = ranker.with(settings)?;
        let parts = parts(engine, folds, run.seed)?;
        let material =
            |(learn, judge)| Material::new(ranker.as_ref(), learn, None, judge, features);
        let parts = parts.into_iter().map(material).collect::<Result<_>>()?;
        Ok(BlackBox {
            queries: engine.schema().queries(),
            measure,
            ranker,
            parts,
            watch: Watch::new(run),
        })
    }

    /// For each subset, how well each query is ranked; NaN where the query does not count.
    pub fn per_query(&self, subsets: &[Vec<FeatureId>]) -> Result<Vec<Vec<f64>>> {
        let mut all = vec![vec![f64::NAN; self.queries]; subsets.len()];
        for part in &self.parts {
            let lesson = Lesson::new(&self.watch, self.ranker.as_ref(), self.measure, part)?;
            for (all, judged) in all.iter_mut().zip(lesson.teach(subsets)?.judged()?) {
                part.judge()
                    .places()
                    .iter()
                    .zip(judged)
                    .for_each(|(&place, value)| all[place] = value);
            }
        }
        Ok(all)
    }
}

/// All queries to learn from and to judge on, or as many parts as wanted, each judged by what the
/// others teach. Queries are dealt out by their keys, so that the order of the data has no say.
fn parts(
    engine: &dyn Engine,
    folds: usize,
    seed: u64,
) -> Result<Vec<(PartEngine<'_>, PartEngine<'_>)>> {
    if folds == 0 {
        return Ok(vec![(PartEngine::all(engine), PartEngine::all(engine))]);
    }
    let keys = &engine.schema().query_keys;
    if keys.len() < folds {
        let expected = format!("at most {}, the number of queries", keys.len());
        return Err(Error::invalid("folds", folds, expected));
    }
    let deal = QueryFolds::new(keys, folds, seed);
    let of_fold = |fold: usize| {
        let others = PartEngine::of(engine, deal.range(|part| part != fold))?;
        Ok((others, PartEngine::of(engine, deal.range(|part| part == fold))?))
    };
    (0..folds).map(of_fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synth::{SynthConfig, generate};
    use crate::engine::passes::Moments;
    use crate::engine::{Ask, LocalEngine};
    use crate::rank;
    use crate::run::Constraints;

    fn engine() -> LocalEngine {
        let config = SynthConfig {
            queries: 40,
            documents: 500,
            heavy_tails: false,
            ..SynthConfig::default()
        };
        LocalEngine::new(generate(&config).unwrap().0, 2).unwrap()
    }

    /// Least squares by passes and as any other ranker, judged where it was trained and where it
    /// was not.
    #[test]
    fn both_ways_agree() {
        let engine = engine();
        let engine: &dyn Engine = &engine;
        let (run, measure): (Run, Measure) =
            (Run::new(3, Constraints::default()), "ndcg@5".parse().unwrap());
        let features = engine.ask(&Moments).unwrap().alive().0;
        let subsets = [features.clone(), features[..3].to_vec(), vec![features[7]]];
        for ranker in ["linear-regression", "rankrls"].map(|name| rank::ranker(name).unwrap()) {
            let mut in_sample = None;
            for folds in [0, 2, 7] {
                let black_box =
                    BlackBox::new(&run, engine, (ranker, &Vec::new()), &features, &measure, folds)
                        .unwrap();
                let found = black_box.per_query(&subsets).unwrap();
                let mut expected = vec![vec![f64::NAN; 40]; 3];
                for (learn, judge) in parts(engine, folds, run.seed).unwrap() {
                    for (subset, expected) in subsets.iter().zip(&mut expected) {
                        let learn = learn.view().unwrap().with_features(&subset[..]);
                        let model = ranker.fit(&[], &run, &learn, None).unwrap();
                        let view = judge.view().unwrap();
                        let values = measure.per_query(&model.score(&view).unwrap(), &view);
                        judge
                            .places()
                            .iter()
                            .zip(values)
                            .for_each(|(&q, value)| expected[q] = value);
                    }
                }
                assert_eq!(found, expected, "{} {folds} folds", ranker.name);
                assert_ne!(
                    in_sample.replace(found.clone()),
                    Some(found),
                    "{folds} folds change something"
                );
            }
        }
    }

    #[test]
    fn every_query_is_judged_once() {
        let engine = engine();
        let parts = parts(&engine, 4, 1).unwrap();
        for query in 0..40 {
            let judged = parts.iter().filter(|(_, judge)| judge.places().contains(&query)).count();
            let learnt_from =
                parts.iter().filter(|(learn, _)| learn.places().contains(&query)).count();
            assert_eq!((judged, learnt_from), (1, 3));
        }
        assert!(super::parts(&engine, 41, 1).is_err());
    }
}
