//! Greedy wrapper: adds the feature that, together with the chosen ones, gives the best trained
//! ranker.
//!
//! Costa & Silva, technical report, 2010, as the baseline of [BestGain](crate::select::filter):
//! with V(S) the measure on training data of the ranker trained there on the features S, every
//! round adds the feature f with the largest V(S ∪ f); ties go to the first. It stops before V
//! would increase by less than δ. The report uses SVM-MAP and MAP.
//!
//! The report does not print δ. Departure: tied documents contribute their expected value, because
//! file order carries information in real data. After the choice no more rankers are trained: the
//! features that were not chosen follow in the order of their values in the last round.

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::data::FeatureId;
use crate::declare::method;
use crate::engine::passes::Moments;
use crate::engine::{Ask, Engine};
use crate::error::Result;
use crate::run::Run;
use crate::select::forward::{Criterion, forward};
use crate::select::shared_params::trainer_params;
use crate::select::subsets::on_threads_of;
use crate::select::{Findings, Selector};

method! {
    /// Forward selection: repeatedly add the feature with which the retrained ranker ranks best.
    pub struct GreedyForward: Selector as "greedy" in Wrapper,
        cites ["costa2010"], AsPublished, Passes
    {
        use trainer_params!(
            "svm-map",
            "map[ties=expected]", "Measure by which subsets are compared, on training data."
        );
        /// Stop when the measure would increase by less than this.
        delta: Real(0.0..=1.0) = "0.005",
    }
}

impl Selector for GreedyForward {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        on_threads_of(engine, || {
            let evaluator = self.trainer.evaluator("greedy", run, engine)?;
            let (usable, unusable) = self.trainer.spec().usable(&engine.ask(&Moments)?);
            let whole = evaluator.whole(&usable)?;
            let trainers = [evaluator.trainer(&whole)?];
            let values = |subsets: &[Vec<FeatureId>]| evaluator.values(&trainers, subsets);
            let mut trained = GreedyCriterion::new(values, self.delta, run.constraints.k);
            forward(run, engine.schema(), &usable, &unusable, &mut trained)
        })
    }
}

/// The measure of the ranker trained on each subset, until the stopping rule applies.
struct GreedyCriterion<V> {
    values: V,
    delta: f64,
    wanted: Option<usize>,
    /// The value of each candidate in its last round.
    last: BTreeMap<FeatureId, f64>,
    enough: Cell<bool>,
    /// The value of the chosen features.
    reached: f64,
}

impl<V: Fn(&[Vec<FeatureId>]) -> Result<Vec<f64>>> GreedyCriterion<V> {
    fn new(values: V, delta: f64, wanted: Option<usize>) -> Self {
        GreedyCriterion {
            values,
            delta,
            wanted,
            last: BTreeMap::new(),
            enough: Cell::new(false),
            reached: 0.0,
        }
    }
}

impl<V: Fn(&[Vec<FeatureId>]) -> Result<Vec<f64>>> Criterion for GreedyCriterion<V> {
    fn scores(&mut self, chosen: &[FeatureId], candidates: &[FeatureId]) -> Result<Vec<f64>> {
        if let Some(reached) = chosen.last().and_then(|newest| self.last.get(newest)) {
            self.reached = *reached;
        }
        let done = self.enough.get() || self.wanted.is_some_and(|k| chosen.len() >= k);
        let is_open = |f: &FeatureId| !(done && self.last.contains_key(f));
        let open: Vec<FeatureId> = candidates.iter().copied().filter(is_open).collect();
        let subsets: Vec<Vec<FeatureId>> = open.iter().map(|&f| [chosen, &[f]].concat()).collect();
        let values = (self.values)(&subsets)?;
        self.last.extend(open.into_iter().zip(values));
        Ok(candidates.iter().map(|f| self.last[f]).collect())
    }

    fn scores_rest(&self) -> bool {
        false
    }

    fn enough(&self, best: f64, _: usize) -> bool {
        self.enough.set(best - self.reached < self.delta);
        self.enough.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};
    use crate::engine::{LocalEngine, Schema};
    use crate::run::Constraints;

    /// The reference's table of values: δ = .01 chooses features 0 and 2, δ = .11 feature 0 alone.
    #[test]
    fn stops_before_the_value_would_grow_too_little() {
        let text = include_str!("../../../tests/fixtures/wrapper_svmmap_opt.json");
        let fixture: serde_json::Value = serde_json::from_str(text).unwrap();
        let fixture = &fixture["greedy_wrapper"];
        let value = |features: &Vec<FeatureId>| {
            let mut sorted: Vec<u32> = features.iter().map(|f| f.0).collect();
            sorted.sort_unstable();
            let name = sorted.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
            fixture["values"][name].as_f64().unwrap()
        };
        let values = |subsets: &[Vec<FeatureId>]| Ok(subsets.iter().map(value).collect());
        let data = Dataset::new(
            vec![0.; 6],
            vec![0., 1.],
            Queries::from_sizes(&[2]),
            FeatureTable::numbered(3, 0),
        );
        let varying: Vec<FeatureId> = (0..3).map(FeatureId).collect();
        let select = |delta: f64, k: Option<usize>| {
            let run = Run::new(0, Constraints { k, ..Constraints::default() });
            let mut trained = GreedyCriterion::new(values, delta, k);
            forward(&run, &Schema::of(&data), &varying, &[], &mut trained).unwrap()
        };
        for (delta, name) in [(0.01, "delta_0_01"), (0.11, "delta_0_11")] {
            let found: Vec<u32> = select(delta, None).selected.iter().map(|(f, _)| f.0).collect();
            let expected = fixture[name].as_array().unwrap();
            let expected: Vec<u32> =
                expected.iter().map(|id| id.as_u64().unwrap() as u32).collect();
            assert_eq!(found, expected);
        }
        let path: Vec<(u32, f64)> =
            select(0.11, Some(1)).path.iter().map(|(f, value)| (f.0, *value)).collect();
        assert_eq!(path, [(0, 0.3), (1, 0.28), (2, 0.1)], "nothing is trained after the choice");
    }

    /// Feature 1 orders the first query, feature 2 the second; least squares on both orders both.
    #[test]
    fn trains_the_ranker_that_is_asked_for() {
        let values = vec![1., 0., 0., 0., 0., 0., 1., 0., 0., 0., 0.5, 1.];
        let table = FeatureTable::numbered(3, 1);
        let data = Dataset::new(values, vec![1., 0., 1., 0.], Queries::from_sizes(&[2, 2]), table);
        let engine = LocalEngine::new(data, 1).unwrap();
        let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let settings =
            [set("ranker", "linear-regression"), set("settings", "centring=query;ridge=0.001")];
        let run = Run::new(0, Constraints::default());
        let found = GreedyForward::SPEC.run(&settings, &run, &engine).unwrap();
        let chosen: Vec<(u32, f64)> =
            found.selected.iter().map(|chosen| (chosen.id, chosen.score)).collect();
        assert_eq!(chosen[0], (1, 0.875));
        assert_eq!(chosen.last().unwrap().1, 1.0);
        for (settings, says) in [
            ([set("ranker", "lambdamrat")], "lambdamart"),
            ([set("settings", "c")], "name=value"),
            ([set("settings", "d=1")], "no parameter of svm-map"),
        ] {
            let error = GreedyForward::SPEC.run(&settings, &run, &engine).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
