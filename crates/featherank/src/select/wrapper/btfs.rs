//! BTFS: boosted trees score the features; a population of subsets shrinks, and only its best
//! member survives.
//!
//! Pan, Converse, Ahn, Salvetti & Donato, "Feature selection for ranking using boosted trees", CIKM
//! 2009, and "Greedy and randomized feature selection for web search ranking", CIT 2011. Only their
//! abstracts were available, so this is a reconstruction of the best variant, randomised search
//! with backward elimination by importance. A feature's influence is Friedman's: its share of the
//! gain of all splits. Every generation trains boosted trees on each subset of a population and
//! evaluates them on held-out queries. The best subset survives, loses the share `rate` of its
//! features with the least influence, and starts the next generation: itself, and copies in which
//! some features, drawn at random, are swapped for features outside. A feature that was removed too
//! early can thus return.
//!
//! It ends at `k` features. Without `k` it continues to one feature, and the best survivor is
//! taken, or the smallest within `slack` of it; the papers fix the number. Influence is the mean
//! over the held-out folds. Of equal subsets the first survives. The score of a chosen feature is
//! its influence in its subset; the others follow in the reverse order of their removal from the
//! survivors.

use rand::seq::SliceRandom;

use super::elimination::{EliminationProgress, next_size, order, survivors};
use super::rfe::record;
use crate::data::FeatureId;
use crate::declare::method;
use crate::engine::Engine;
use crate::error::Result;
use crate::random::{Purpose, stream};
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::forward::Scored;
use crate::select::shared_params::{size_slack_param, trainer_params};
use crate::select::subsets::{
    SubsetEvaluator, SubsetTrainer, best_place, on_threads_of, smallest_within_slack,
};
use crate::select::{Findings, Selector};

method! {
    /// Boosted-tree feature selection: a population of subsets from which the least important
    /// features are removed.
    pub struct BTFS: Selector as "btfs" in Wrapper,
        cites ["pan2009", "pan2011", "friedman2001"], Reconstruction, Passes,
        with [uses_valid]
    {
        use trainer_params!(
            "mart", "ndcg[ties=expected]@10", "Measure by which subsets are compared.",
            few_trees, "Parameters of the ranker; auto: 50 trees if it has trees."
        );
        /// Share of the features removed after each generation; at least one.
        rate: Real(0.001..=0.9) = "0.25",
        /// Number of subsets in each generation.
        population: Whole<usize>(1..=1_000) = "4",
        /// Share of a subset's features swapped for others; at least one unless 0.
        swaps: Real(0.0..=1.0) = "0.1",
        /// Number of cross-validation folds over the queries.
        folds: Whole<usize>(2..=100) = "3",
        use size_slack_param!();
    }
}

/// A subset, most influential feature first, and its value.
struct ScoredSubset {
    ranked: Scored,
    value: f64,
}

impl Selector for BTFS {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        on_threads_of(engine, || {
            let evaluator = self.trainer.evaluator("btfs", run, engine)?;
            let candidates = Candidates::for_ranker(run, engine, self.trainer.spec())?;
            let features = candidates.all();
            if features.is_empty() {
                return candidates.select(run, engine, &[], &[]);
            }
            let parts = evaluator.held_out(self.folds, &features)?;
            let trainers = evaluator.trainers(&parts)?;
            let survivors =
                self.evolve(run, &candidates, |subsets| evaluate(&evaluator, &trainers, subsets))?;
            let (sizes, values): (Vec<usize>, Vec<Option<f64>>) = survivors
                .iter()
                .rev()
                // Subsets that exceed the budget occur in the first generation only.
                .filter(|member| {
                    survivors.len() == 1 || !holds_any(&member.ranked, &candidates.unaffordable)
                })
                .map(|member| (member.ranked.len(), Some(member.value)))
                .unzip();
            let place = match candidates.wanted(run) {
                Some(_) => 0,
                None => smallest_within_slack(self.slack, &values, &sizes).unwrap_or(0),
            };
            let chosen = &survivors[survivors.len() - 1 - place].ranked;
            let rounds: Vec<Scored> =
                survivors.iter().map(|member| member.ranked.clone()).collect();
            let is_chosen = |f: &FeatureId| chosen.iter().any(|(own, _)| own == f);
            let rest: Scored = order(&rounds).into_iter().filter(|(f, _)| !is_chosen(f)).collect();
            let fits = record(&sizes, &values, place);
            Ok(Findings { fits, ..candidates.select(run, engine, chosen, &rest)? })
        })
    }
}

fn holds_any(ranked: &[(FeatureId, f64)], features: &[FeatureId]) -> bool {
    ranked.iter().any(|(f, _)| features.contains(f))
}

/// Trains on each fold and evaluates on its held-out queries; influence is the mean over the folds.
fn evaluate(
    evaluator: &SubsetEvaluator<'_>,
    trainers: &[SubsetTrainer<'_>],
    subsets: &[Vec<FeatureId>],
) -> Result<Vec<ScoredSubset>> {
    let unranked = |subset: &Vec<FeatureId>| subset.iter().map(|&f| (f, 0.0)).collect();
    let mut ranked: Vec<Scored> = subsets.iter().map(unranked).collect();
    let mut parts = Vec::with_capacity(trainers.len());
    for trainer in trainers {
        let fitted = trainer.fit(subsets)?;
        parts.push(fitted.means()?);
        for (place, ranked) in ranked.iter_mut().enumerate() {
            let of_part = fitted.importance(place)?;
            for (f, influence) in ranked {
                let own =
                    of_part.iter().find(|(other, _)| other == f).map_or(0.0, |(_, share)| *share);
                *influence += own / trainers.len() as f64;
            }
        }
    }
    let member = |(mut ranked, value): (Scored, f64)| {
        ranked.sort_by(|(f, a), (g, b)| b.total_cmp(a).then(f.cmp(g)));
        ScoredSubset { ranked, value }
    };
    Ok(ranked.into_iter().zip(evaluator.summaries(parts)?).map(member).collect())
}

impl BTFS {
    /// The survivor of every generation.
    fn evolve(
        &self,
        run: &Run,
        candidates: &Candidates,
        evaluate: impl Fn(&[Vec<FeatureId>]) -> Result<Vec<ScoredSubset>>,
    ) -> Result<Vec<ScoredSubset>> {
        let wanted = candidates.wanted(run);
        let mut survivors_so_far: Vec<ScoredSubset> = Vec::new();
        let mut population = vec![candidates.all()];
        let last = wanted.unwrap_or(1).max(1);
        let next = |&size: &usize| (size > last).then(|| next_size(self.rate, size, last));
        let sizes = std::iter::successors(Some(population[0].len()), next);
        let mut progress = EliminationProgress::new(sizes, self.population);
        while !population.is_empty() {
            let mut members = evaluate(&population)?;
            let values: Vec<Option<f64>> =
                members.iter().map(|member| Some(member.value)).collect();
            let survivor = members.swap_remove(best_place(&values).unwrap_or(0));
            let parent_subset = match wanted {
                Some(wanted) if survivor.ranked.len() <= wanted => Vec::new(),
                _ => survivors(&survivor.ranked, candidates, self.rate, wanted.unwrap_or(1)),
            };
            progress.round(run, survivor.ranked.len(), parent_subset.len())?;
            survivors_so_far.push(survivor);
            population =
                self.descend(run.seed, survivors_so_far.len() as u64, candidates, parent_subset);
        }
        Ok(survivors_so_far)
    }

    /// A parent and copies of it with some features swapped; empty without a parent.
    fn descend(
        &self,
        seed: u64,
        generation: u64,
        candidates: &Candidates,
        parent_subset: Vec<FeatureId>,
    ) -> Vec<Vec<FeatureId>> {
        if parent_subset.is_empty() {
            return Vec::new();
        }
        let outside: Vec<FeatureId> =
            candidates.free.iter().copied().filter(|f| !parent_subset.contains(f)).collect();
        let (kept, free): (Vec<FeatureId>, Vec<FeatureId>) =
            parent_subset.iter().partition(|f| candidates.keep.contains(f));
        let wanted = if self.swaps > 0.0 {
            ((self.swaps * parent_subset.len() as f64) as usize).max(1)
        } else {
            0
        };
        let count = wanted.min(outside.len()).min(free.len());
        let copies = if count > 0 { self.population as u64 - 1 } else { 0 };
        let copy = |number: u64| {
            let mut draws = stream(seed, Purpose::Evolution, generation << 16 | number);
            let (mut staying, mut coming) = (free.clone(), outside.clone());
            staying.shuffle(&mut draws);
            coming.shuffle(&mut draws);
            let mut subset = [&kept[..], &staying[count..], &coming[..count]].concat();
            subset.sort_unstable();
            subset
        };
        let copies: Vec<Vec<FeatureId>> = (0..copies).map(copy).collect();
        [vec![parent_subset], copies].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};
    use crate::engine::LocalEngine;
    use crate::run::Constraints;

    /// Eight features. The score of a subset is the number of its features below 3, minus a small
    /// amount per feature; influence decreases with the feature number, except that feature 2 has
    /// none.
    fn member(subset: &[FeatureId]) -> ScoredSubset {
        let influence = |f: &FeatureId| if f.0 == 2 { 0.0 } else { 1.0 / f64::from(f.0 + 1) };
        let mut ranked: Scored = subset.iter().map(|f| (*f, influence(f))).collect();
        ranked.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        let good = subset.iter().filter(|f| f.0 < 3).count() as f64;
        ScoredSubset { ranked, value: good - 0.01 * subset.len() as f64 }
    }

    fn evolve(population: usize, constraints: Constraints) -> Vec<(Vec<u32>, f64)> {
        let values = (0..16).map(|i| i as f32).collect();
        let data = Dataset::new(
            values,
            vec![0., 1.],
            Queries::from_sizes(&[2]),
            FeatureTable::numbered(8, 0),
        );
        let engine = LocalEngine::new(data, 1).unwrap();
        let run = Run::new(1, constraints);
        let btfs = BTFS::builder().population(population).swaps(0.1).folds(2).build().unwrap();
        let members =
            |subsets: &[Vec<FeatureId>]| Ok(subsets.iter().map(|subset| member(subset)).collect());
        let survivors =
            btfs.evolve(&run, &Candidates::of(&run, &engine).unwrap(), members).unwrap();
        let ids = |member: &ScoredSubset| {
            let mut ids: Vec<u32> = member.ranked.iter().map(|(f, _)| f.0).collect();
            ids.sort_unstable();
            ids
        };
        survivors.iter().map(|member| (ids(member), member.value)).collect()
    }

    /// By hand, without copies: 8 → 6 removes 2 and 7; then 5 4 … by number. Sizes 8 6 5 4 3 2 1.
    #[test]
    fn without_copies_it_is_elimination_by_influence() {
        let found: Vec<Vec<u32>> =
            evolve(1, Constraints::default()).into_iter().map(|(ids, _)| ids).collect();
        let whole: Vec<u32> = (0..8).collect();
        let expected =
            [whole, vec![0, 1, 3, 4, 5, 6], vec![0, 1, 3, 4, 5], vec![0, 1, 3, 4], vec![0, 1, 3]];
        assert_eq!(found[..5], expected);
        assert_eq!(found[5..], [vec![0, 1], vec![0]]);
    }

    /// Feature 2 is removed first, because its influence is 0; swaps return it, and the subset with
    /// it survives because its score is higher. It is removed again in every generation.
    #[test]
    fn swaps_restore_features_removed_too_early() {
        let (alone, many) = (evolve(1, Constraints::default()), evolve(40, Constraints::default()));
        assert!(many[1].0.contains(&2) && many[1].1 > alone[1].1);
        let three = evolve(40, Constraints { k: Some(3), ..Constraints::default() });
        assert_eq!(three.last().unwrap().0, [0, 1, 2]);
        let kept = evolve(
            40,
            Constraints { k: Some(3), keep: vec![FeatureId(7)], ..Constraints::default() },
        );
        assert!(kept.iter().all(|(ids, _)| ids.contains(&7)));
    }
}
