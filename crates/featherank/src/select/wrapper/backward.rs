//! Backward elimination: removes the feature without which a retrained ranker ranks best.
//!
//! Marill & Green, IEEE Transactions on Information Theory 1963. Starting from all features, every
//! round evaluates the removal of each feature, and removes the one that leaves the largest measure
//! V; of equals the last column. It stops before V would fall by more than δ below the best V so
//! far: compared with the previous round only, many small decreases would accumulate. A feature's
//! score is the decrease of V without it, in the round in which it was removed or in the last one.
//! Rankers are evaluated on held-out folds or on validation data; with `folds=0` on the training
//! data.
//!
//! The number of trained rankers is half the square of the number of features, times the folds. The
//! default ranker needs only one pass over the rows for all subsets.

use crate::data::FeatureId;
use crate::declare::method;
use crate::engine::Engine;
use crate::error::Result;
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::forward::Scored;
use crate::select::shared_params::trainer_params;
use crate::select::subsets::on_threads_of;
use crate::select::{Findings, Selector};

method! {
    /// Backward elimination: repeatedly remove the feature without which the retrained ranker ranks
    /// best.
    pub struct Backward: Selector as "backward" in Wrapper,
        cites ["marill1963"], AsPublished, Passes,
        with [uses_valid]
    {
        use trainer_params!(
            "rankrls", "map[ties=expected]", "Measure by which subsets are compared."
        );
        /// Number of cross-validation folds over the queries; 0 evaluates on training data.
        folds: Whole<usize>(0..=100) = "5",
        /// Stop when the measure would decrease by more than this.
        delta: Real(0.0..=1.0) = "0.005",
    }
}

impl Selector for Backward {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        on_threads_of(engine, || {
            let evaluator = self.trainer.evaluator("backward", run, engine)?;
            let candidates = Candidates::for_ranker(run, engine, self.trainer.spec())?;
            let parts = evaluator.held_out(self.folds, &candidates.all())?;
            let trainers = evaluator.trainers(&parts)?;
            let values = |subsets: &[Vec<FeatureId>]| evaluator.values(&trainers, subsets);
            let (chosen, removed) = eliminate(run, &candidates, values, self.delta)?;
            candidates.select(run, engine, &chosen, &removed)
        })
    }
}

/// The remaining features, and the removed ones, the last one first, each with the decrease of the
/// measure without it.
fn eliminate(
    run: &Run,
    candidates: &Candidates,
    values: impl Fn(&[Vec<FeatureId>]) -> Result<Vec<f64>>,
    delta: f64,
) -> Result<(Scored, Scored)> {
    let (wanted, mut left) = (candidates.wanted(run), candidates.all());
    let total = Some(left.len() as u64);
    let mut removed: Scored = Vec::new();
    if left.is_empty() {
        return Ok((Vec::new(), removed));
    }
    let value = |subset: &[FeatureId]| Ok(values(&[subset.to_vec()])?[0]);
    let mut reached = value(&left)?;
    let mut best = reached;
    loop {
        let falls = falls(&left, reached, &values)?;
        let unaffordable: Scored =
            falls.iter().copied().filter(|(f, _)| candidates.unaffordable.contains(f)).collect();
        if !unaffordable.is_empty() && unaffordable.len() < left.len() {
            // Unaffordable features are removed first; the others determine the reference value.
            left.retain(|f| !candidates.unaffordable.contains(f));
            removed.extend(unaffordable.into_iter().rev());
            reached = value(&left)?;
            best = reached;
            continue;
        }
        let last = falls.iter().rev().find(|(f, _)| !candidates.keep.contains(f)).copied();
        let enough = |fall: f64| match wanted {
            Some(wanted) => left.len() <= wanted,
            None => best - (reached - fall) > delta,
        };
        match last {
            Some((feature, fall)) if left.len() > 1 && !enough(fall) => {
                left.retain(|&f| f != feature);
                removed.push((feature, fall));
                run.step("eliminating features", removed.len() as u64, total)?;
                reached -= fall;
                best = best.max(reached);
            }
            _ => {
                removed.reverse();
                return Ok((falls, removed));
            }
        }
    }
}

/// The decrease of the measure without each feature, largest first; ties by column.
fn falls(
    left: &[FeatureId],
    reached: f64,
    values: &impl Fn(&[Vec<FeatureId>]) -> Result<Vec<f64>>,
) -> Result<Scored> {
    if let [only] = left {
        return Ok(vec![(*only, reached)]);
    }
    let others = |&without: &FeatureId| left.iter().copied().filter(|&f| f != without).collect();
    let values = values(&left.iter().map(others).collect::<Vec<_>>())?;
    let mut falls: Scored =
        left.iter().copied().zip(values.iter().map(|value| reached - value)).collect();
    falls.sort_by(|(f, a), (g, b)| b.total_cmp(a).then(f.cmp(g)));
    Ok(falls)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};
    use crate::engine::LocalEngine;
    use crate::run::Constraints;

    /// The values of the fixture: all .38; without 1 .4, without 0 .35, without 2 .31. From {0,2}:
    /// without 2 .3, without 0 .1. So 1 is removed with a gain of .02. Then 2 would be removed with
    /// a decrease of .1, and 0 with one of .3.
    #[test]
    fn removes_the_feature_with_the_smallest_loss() {
        let text = include_str!("../../../tests/fixtures/wrapper_svmmap_opt.json");
        let fixture: serde_json::Value = serde_json::from_str(text).unwrap();
        let value = |features: &Vec<FeatureId>| {
            let name = features.iter().map(|f| f.0.to_string()).collect::<Vec<_>>().join(",");
            fixture["greedy_wrapper"]["values"][name].as_f64().unwrap()
        };
        let values_of = |subsets: &[Vec<FeatureId>]| Ok(subsets.iter().map(value).collect());
        // Three varying features.
        let values = vec![0., 1., 2., 3., 4., 5.];
        let data = Dataset::new(
            values,
            vec![0., 1.],
            Queries::from_sizes(&[2]),
            FeatureTable::numbered(3, 0),
        );
        let engine = LocalEngine::new(data, 1).unwrap();
        let eliminate = |delta: f64, constraints: Constraints| {
            let run = Run::new(0, constraints);
            let candidates = Candidates::of(&run, &engine).unwrap();
            let (left, removed) = eliminate(&run, &candidates, values_of, delta).unwrap();
            let round = |scored: Scored| -> Vec<(u32, f64)> {
                scored.into_iter().map(|(f, fall)| (f.0, (fall * 1e9).round() / 1e9)).collect()
            };
            (round(left), round(removed))
        };
        let free = Constraints::default;
        assert_eq!(eliminate(0.05, free()), (vec![(0, 0.3), (2, 0.1)], vec![(1, -0.02)]));
        assert_eq!(eliminate(0.11, free()), (vec![(0, 0.3)], vec![(2, 0.1), (1, -0.02)]));
        assert_eq!(eliminate(0.0, Constraints { k: Some(1), ..free() }).0, [(0, 0.3)]);
        assert_eq!(
            eliminate(0.0, Constraints { k: Some(3), ..free() }).0,
            [(2, 0.07), (0, 0.03), (1, -0.02)]
        );
        // 1 is kept: without 0 the value is .35, without 2 .31. Then, without 2, .28, which is .1
        // below .38.
        let kept = Constraints { keep: vec![FeatureId(1)], ..free() };
        assert_eq!(eliminate(0.05, kept), (vec![(1, 0.25), (2, 0.07)], vec![(0, 0.03)]));
        // Unaffordable features are removed first, the others determine the value: {1,2} .35,
        // without 2 .28, without 1 .1.
        let expensive = Constraints { costs: vec![9., 1., 1.], budget: Some(2.0), ..free() };
        assert_eq!(eliminate(0.05, expensive), (vec![(1, 0.25), (2, 0.07)], vec![(0, 0.03)]));
    }
}
