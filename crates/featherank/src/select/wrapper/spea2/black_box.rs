//! The black box: how well a ranker ranks each query with a subset of the features.
//!
//! Trained and judged on the same queries, as published, or judged on queries that it was not trained on, in as many
//! parts as wanted. Least squares needs one matrix of sums of products for each part, and then one pass over the documents
//! for all subsets of a generation together. Other rankers are trained on the rows for every subset.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::data::{FeatureId, View};
use crate::engine::Engine;
use crate::engine::passes::{Centring, GramPass, LinearMeasuresPass};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::params::Params;
use crate::rank::linear::gram_solver::GramSolver;
use crate::rank::tune::Settings;
use crate::rank::{Ranker, RankerSpec};
use crate::run::{Run, Silent};
use crate::select::judging::deal;

/// A ranker, and who judges it.
pub struct BlackBox<'a> {
    run: &'a Run,
    engine: &'a dyn Engine,
    measure: &'a Measure,
    parts: Vec<Part>,
    learner: Learner<'a>,
    trained: AtomicU64,
}

/// Queries by what they are for, as keys; both ascend.
#[derive(Debug, Default)]
struct Part {
    not_learnt_from: Vec<u64>,
    not_judged: Vec<u64>,
}

enum Learner<'a> {
    /// The solver of each part.
    LeastSquares { features: Vec<FeatureId>, solvers: Vec<GramSolver> },
    /// Any ranker, where the rows are.
    Trained { ranker: Box<dyn Ranker>, view: View<'a> },
}

impl<'a> BlackBox<'a> {
    /// A ranker for subsets of some features. With `folds`, judged on queries that it was not trained on.
    pub fn new(
        run: &'a Run,
        engine: &'a dyn Engine,
        (ranker, settings): (&RankerSpec, &Settings),
        features: &[FeatureId],
        measure: &'a Measure,
        folds: usize,
    ) -> Result<Self> {
        // Whether queries count does not depend on who ranks them.
        let counts = engine.feature_measures(measure, &features[..features.len().min(1)])?.summaries(measure);
        if counts.iter().any(|value| value.is_nan()) {
            return Err(Error::Conflict {
                what: format!("{measure} counts no query of the data"),
                help: "choose another measure, or data with relevant documents".into(),
            });
        }
        let params = Params::new(ranker.name, ranker.params, settings)?;
        let parts = parts(&engine.schema().query_keys, folds, run.seed)?;
        let learner = if ranker.name == "linear-regression" {
            let centring = match params.text("centring") {
                "query" => Centring::PerQuery,
                _ => Centring::Overall,
            };
            let ridge = params.real("ridge")?;
            let solver = |part: &Part| {
                let leave_out = part.not_learnt_from.clone();
                let gram = engine.gram(GramPass { features: features.to_vec(), centring, leave_out })?;
                Ok(GramSolver::new(gram, ridge))
            };
            let solvers = parts.iter().map(solver).collect::<Result<_>>()?;
            Learner::LeastSquares { features: features.to_vec(), solvers }
        } else {
            let data = engine.local().ok_or_else(|| Error::Conflict {
                what: format!("{} is trained on rows, and they are not in this process", ranker.name),
                help: "use ranker=linear-regression, or run it where the data is".into(),
            })?;
            Learner::Trained {
                ranker: (ranker.build)(&params)?,
                view: data.view().with_features(features.to_vec()),
            }
        };
        Ok(BlackBox { run, engine, measure, parts, learner, trained: AtomicU64::new(0) })
    }

    /// For each subset, how well each query is ranked; NaN where the query does not count.
    pub fn per_query(&self, subsets: &[Vec<FeatureId>]) -> Result<Vec<Vec<f64>>> {
        let mut all: Vec<Vec<f64>> = Vec::new();
        for (number, part) in self.parts.iter().enumerate() {
            let values = match &self.learner {
                Learner::LeastSquares { features, solvers } => {
                    self.least_squares(features, &solvers[number], part, subsets)?
                }
                Learner::Trained { ranker, view } => self.trained(ranker.as_ref(), view, part, subsets)?,
            };
            if all.is_empty() {
                all = values;
                continue;
            }
            for (all, values) in all.iter_mut().zip(values) {
                all.iter_mut().zip(values).filter(|(_, value)| !value.is_nan()).for_each(|(a, v)| *a = v);
            }
        }
        let trained = self.trained.fetch_add(subsets.len() as u64, Ordering::Relaxed) + subsets.len() as u64;
        self.run.step("evaluating subsets", trained, None)?;
        Ok(all)
    }

    fn least_squares(
        &self,
        features: &[FeatureId],
        solver: &GramSolver,
        part: &Part,
        subsets: &[Vec<FeatureId>],
    ) -> Result<Vec<Vec<f64>>> {
        let weights = |subset: &Vec<FeatureId>| {
            let places: Vec<usize> = subset.iter().filter_map(|f| features.binary_search(f).ok()).collect();
            let mut weights = vec![0.0; features.len()];
            let solved = solver.solve(&places).weights;
            places.iter().zip(solved).for_each(|(&place, weight)| weights[place] = weight as f32);
            weights
        };
        let pass = LinearMeasuresPass {
            measure: self.measure.clone(),
            features: features.to_vec(),
            weights: subsets.par_iter().map(weights).collect(),
            leave_out: part.not_judged.clone(),
        };
        Ok(self.engine.linear_measures(pass)?.per_query)
    }

    fn trained(
        &self,
        ranker: &dyn Ranker,
        view: &View<'a>,
        part: &Part,
        subsets: &[Vec<FeatureId>],
    ) -> Result<Vec<Vec<f64>>> {
        let keys = &self.engine.schema().query_keys;
        let without = |out: &[u64]| -> Vec<usize> {
            (0..keys.len()).filter(|&q| out.binary_search(&keys[q]).is_err()).collect()
        };
        let learnt_from = view.with_queries(without(&part.not_learnt_from));
        let judged = without(&part.not_judged);
        let judged_view = view.with_queries(judged.clone());
        // Steps are the subsets that are evaluated; what happens within a training would drown them.
        let within = Run { observer: Arc::new(Silent), ..self.run.clone() };
        let fit = ranker.for_subsets(&within, &learnt_from, None)?;
        let values = |subset: &Vec<FeatureId>| {
            self.run.step("training rankers", self.trained.load(Ordering::Relaxed), None)?;
            let scores = fit(subset)?.score(&judged_view)?;
            let mut values = vec![f64::NAN; keys.len()];
            let of_judged = self.measure.per_query(&scores, &judged_view);
            judged.iter().zip(of_judged).for_each(|(&q, value)| values[q] = value);
            Ok(values)
        };
        subsets.par_iter().map(values).collect()
    }
}

/// One part in which everything is learnt from and judged, or as many as wanted, each judged by what the others teach. Queries are dealt out by
/// their keys, so that the order of the data has no say.
fn parts(keys: &[u64], folds: usize, seed: u64) -> Result<Vec<Part>> {
    if folds == 0 {
        return Ok(vec![Part::default()]);
    }
    if keys.len() < folds {
        let expected = format!("at most {}, the number of queries", keys.len());
        return Err(Error::invalid("folds", folds, expected));
    }
    let dealt = deal(keys, folds, seed);
    let of_fold = |fold: usize| {
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for (&key, &of_query) in keys.iter().zip(&dealt) {
            (if of_query == fold { &mut own } else { &mut others }).push(key);
        }
        own.sort_unstable();
        others.sort_unstable();
        Part { not_learnt_from: own, not_judged: others }
    };
    Ok((0..folds).map(of_fold).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synth::{SynthConfig, generate};
    use crate::engine::LocalEngine;
    use crate::registry;
    use crate::run::Constraints;

    /// Least squares from sums of products and as any other ranker, judged where it was trained and where it was not.
    #[test]
    fn both_ways_agree() {
        let config =
            SynthConfig { queries: 40, documents: 500, heavy_tails: false, ..SynthConfig::default() };
        let engine = LocalEngine::new(generate(&config).unwrap().0, 2).unwrap();
        let engine: &dyn Engine = &engine;
        let (run, measure) = (Run::new(3, Constraints::default()), "ndcg@5".parse().unwrap());
        let features = engine.alive().unwrap().0;
        let ranker = registry::ranker("linear-regression").unwrap();
        let subsets = [features.clone(), features[..3].to_vec(), vec![features[7]]];
        let mut in_sample = None;
        for folds in [0, 2, 7] {
            let mut black_box =
                BlackBox::new(&run, engine, (ranker, &Vec::new()), &features, &measure, folds).unwrap();
            let fast = black_box.per_query(&subsets).unwrap();
            let params = Params::new(ranker.name, ranker.params, &[]).unwrap();
            let view = engine.local().unwrap().view().with_features(features.clone());
            black_box.learner = Learner::Trained { ranker: (ranker.build)(&params).unwrap(), view };
            assert_eq!(black_box.per_query(&subsets).unwrap(), fast, "{folds} folds");
            assert_ne!(in_sample.replace(fast.clone()), Some(fast), "{folds} folds change something");
        }
    }

    #[test]
    fn every_query_is_judged_once() {
        let keys: Vec<u64> = (0..23).map(|q| q * 7919 % 101).collect();
        let parts = parts(&keys, 4, 1).unwrap();
        for key in &keys {
            let judged = parts.iter().filter(|part| !part.not_judged.contains(key)).count();
            let learnt_from = parts.iter().filter(|part| !part.not_learnt_from.contains(key)).count();
            assert_eq!((judged, learnt_from), (1, 3));
        }
        assert!(super::parts(&keys, 24, 1).is_err());
    }
}
