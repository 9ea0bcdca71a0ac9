//! BFS-Wrapper: best-first search for the subsets on which a ranker performs best.
//!
//! Dang & Croft, "Feature selection for document ranking using best first search and coordinate
//! ascent", SIGIR workshop on feature generation and selection for information retrieval, 2010. The
//! score of a subset is the measure on training data of the ranker trained there on the subset;
//! coordinate ascent in the paper. A [best-first search](crate::select::search) finds the best
//! subset. Its features are removed from the candidates, and the search restarts among the others.
//! At the end each subset becomes one feature, its ranker's score, and a ranker is trained on
//! these; subsets that it does not use are not chosen.
//!
//! The paper continues until no feature is left; here `subsets` limits the number of subsets, where
//! 0 means no limit, and `k` searches for as many as needed. The paper does not state its patience.
//! Chosen features are listed subset by subset, each in the order in which its features were added,
//! with the value of the subset; the others follow by their own values. With `auto` settings,
//! coordinate ascent runs once with few trials, because a search trains hundreds of rankers.

use std::collections::BTreeMap;

use crate::data::{Dataset, FeatureId, FeatureTable};
use crate::declare::method;
use crate::engine::Engine;
use crate::error::Result;
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::forward::{Criterion, Scored};
use crate::select::rows::rows;
use crate::select::search::{BestFirstSearch, FoundSubset, SubsetMerit};
use crate::select::shared_params::{patience_param, trainer_params};
use crate::select::subsets::{SubsetEvaluator, SubsetTrainer, on_threads_of};
use crate::select::{Findings, Selector};
use crate::stop::StopToken;

method! {
    /// Best-first search for the subsets on which coordinate ascent ranks best.
    pub struct BestFirst: Selector as "best-first" in Wrapper,
        cites ["dang2010", "metzler2007"], Reconstruction, Rows
    {
        use trainer_params!(
            "coordinate-ascent",
            "ndcg[ties=expected]@10", "Measure by which subsets are compared, on training data.",
            one_short_ascent,
            "Parameters of the ranker; auto: optimises `measure`, with one restart and 10 trials in \
             each direction, as far as it has these parameters."
        );
        use patience_param!();
        /// Number of disjoint subsets to search for; 0: until no feature is left.
        subsets: Whole<usize>(0..=10_000) = "1",
    }
}

impl Selector for BestFirst {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        on_threads_of(engine, || {
            let data = rows("best-first", engine)?;
            let evaluator = self.trainer.evaluator("best-first", run, engine)?;
            let candidates = Candidates::for_ranker(run, engine, self.trainer.spec())?;
            let whole = evaluator.whole(&candidates.all())?;
            let trainers = [evaluator.trainer(&whole)?];
            let mut trained = TrainedMerit {
                values: |s: &[Vec<FeatureId>]| evaluator.values(&trainers, s),
                first: BTreeMap::new(),
            };
            let found = self.search(run, &candidates, &mut trained)?;
            let used = match found.len() {
                0 | 1 => vec![true; found.len()],
                _ => used(&evaluator, &trainers[0], data, &found, run.stop())?,
            };
            let scored = |found: &FoundSubset| -> Scored {
                found.subset.iter().map(|&f| (f, found.merit)).collect()
            };
            let pick =
                |wanted: bool| found.iter().zip(&used).filter(move |(_, used)| **used == wanted);
            let chosen: Scored = pick(true).flat_map(|(found, _)| scored(found)).collect();
            let unused: Scored = pick(false).flat_map(|(found, _)| scored(found)).collect();
            let seen: Vec<FeatureId> = chosen.iter().chain(&unused).map(|(f, _)| *f).collect();
            let mut others = trained.alone(&candidates.without(&seen))?;
            others.sort_by(|(f, a), (g, b)| b.total_cmp(a).then(f.cmp(g)));
            candidates.select(run, engine, &chosen, &[unused, others].concat())
        })
    }
}

impl BestFirst {
    /// Disjoint subsets, the best first. Kept features are in the first.
    fn search(
        &self,
        run: &Run,
        candidates: &Candidates,
        merit: &mut dyn SubsetMerit,
    ) -> Result<Vec<FoundSubset>> {
        let how = BestFirstSearch { patience: self.patience, revisits: false };
        let (mut start, mut left) = (candidates.keep.clone(), candidates.free.clone());
        let mut found: Vec<FoundSubset> = Vec::new();
        let is_enough = |found: &[FoundSubset]| match candidates.wanted(run) {
            Some(wanted) => found.iter().map(|found| found.subset.len()).sum::<usize>() >= wanted,
            None => self.subsets > 0 && found.len() >= self.subsets,
        };
        while (!start.is_empty() || !left.is_empty()) && !is_enough(&found) {
            let best = how.search(run, &start, &left, merit)?;
            if best.subset.is_empty() {
                break;
            }
            left.retain(|f| !best.subset.contains(f));
            start.clear();
            found.push(best);
        }
        Ok(found)
    }
}

/// The subsets that a ranker uses if each of them is one feature.
fn used(
    evaluator: &SubsetEvaluator<'_>,
    trainer: &SubsetTrainer<'_>,
    data: &Dataset,
    found: &[FoundSubset],
    stop: &StopToken,
) -> Result<Vec<bool>> {
    let subsets: Vec<Vec<FeatureId>> = found.iter().map(|found| found.subset.clone()).collect();
    let models = trainer.fit(&subsets)?.into_models(data.features());
    let scores: Vec<Vec<f32>> =
        models.iter().map(|model| model.score_until(&data.view(), stop)).collect::<Result<_>>()?;
    let table = FeatureTable::numbered(found.len(), 0);
    let combined =
        Dataset::new(scores.concat(), data.labels().to_vec(), data.queries().clone(), table);
    let important = evaluator.important_features(&combined)?;
    Ok((0..found.len()).map(|place| important.contains(&FeatureId::from(place))).collect())
}

/// The merit of a subset is the measure of the ranker trained on it.
struct TrainedMerit<V> {
    values: V,
    /// The value of each feature when it was first tried.
    first: BTreeMap<FeatureId, f64>,
}

impl<V: Fn(&[Vec<FeatureId>]) -> Result<Vec<f64>>> TrainedMerit<V> {
    /// The values of features when they were first tried.
    fn alone(&mut self, features: &[FeatureId]) -> Result<Scored> {
        let unknown: Vec<FeatureId> =
            features.iter().copied().filter(|f| !self.first.contains_key(f)).collect();
        self.scores(&[], &unknown)?;
        Ok(features.iter().map(|f| (*f, self.first[f])).collect())
    }
}

impl<V: Fn(&[Vec<FeatureId>]) -> Result<Vec<f64>>> SubsetMerit for TrainedMerit<V> {
    fn merit(&mut self, subset: &[FeatureId]) -> Result<f64> {
        if subset.is_empty() { Ok(0.0) } else { Ok((self.values)(&[subset.to_vec()])?[0]) }
    }
}

impl<V: Fn(&[Vec<FeatureId>]) -> Result<Vec<f64>>> Criterion for TrainedMerit<V> {
    fn scores(&mut self, subset: &[FeatureId], added: &[FeatureId]) -> Result<Vec<f64>> {
        let subsets: Vec<Vec<FeatureId>> = added.iter().map(|&f| [subset, &[f]].concat()).collect();
        let values = (self.values)(&subsets)?;
        added.iter().zip(&values).for_each(|(&f, &value)| {
            self.first.entry(f).or_insert(value);
        });
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Queries;
    use crate::engine::LocalEngine;
    use crate::run::Constraints;

    /// The fixture's values: {0, 2} is best with .4; the rest is {1}, with .28. Each feature alone:
    /// .3, .28, .1.
    #[test]
    fn finds_the_fixture_s_subset_and_goes_on_among_the_others() {
        let all: serde_json::Value =
            serde_json::from_str(include_str!("../../../tests/fixtures/other_fs.json")).unwrap();
        let value = |features: &Vec<FeatureId>| {
            let mut sorted: Vec<u32> = features.iter().map(|f| f.0).collect();
            sorted.sort_unstable();
            let name = sorted.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
            all["bfs"]["values"][name].as_f64().unwrap()
        };
        let values_of = |subsets: &[Vec<FeatureId>]| Ok(subsets.iter().map(value).collect());
        let values = vec![0., 1., 2., 3., 4., 5.];
        let data = Dataset::new(
            values,
            vec![0., 1.],
            Queries::from_sizes(&[2]),
            FeatureTable::numbered(3, 0),
        );
        let engine = LocalEngine::new(data, 1).unwrap();
        let search = |subsets: usize, constraints: Constraints| {
            let run = Run::new(0, constraints);
            let wrapper = BestFirst::builder().subsets(subsets).build().unwrap();
            let mut trained = TrainedMerit { values: values_of, first: BTreeMap::new() };
            let candidates = Candidates::of(&run, &engine).unwrap();
            let found = wrapper.search(&run, &candidates, &mut trained).unwrap();
            let found: Vec<(Vec<u32>, f64)> = found
                .into_iter()
                .map(|found| (found.subset.iter().map(|f| f.0).collect(), found.merit))
                .collect();
            (
                found,
                trained
                    .alone(&candidates.all())
                    .unwrap()
                    .into_iter()
                    .map(|(_, value)| value)
                    .collect::<Vec<_>>(),
            )
        };
        let free = Constraints::default;
        assert_eq!(search(1, free()), (vec![(vec![0, 2], 0.4)], vec![0.3, 0.28, 0.1]));
        assert_eq!(search(0, free()).0, [(vec![0, 2], 0.4), (vec![1], 0.28)]);
        assert_eq!(search(1, Constraints { k: Some(3), ..free() }).0.len(), 2);
        // From {1}: {1, 2} has .35, and no larger set exceeds all three, .38, by .00001.
        let kept = Constraints { keep: vec![FeatureId(1)], ..free() };
        assert_eq!(search(1, kept).0, [(vec![1, 2, 0], 0.38)]);
    }
}
