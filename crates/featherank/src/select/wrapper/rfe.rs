//! Recursive feature elimination: trains a ranker, removes the features that are least important to
//! it, and repeats.
//!
//! Guyon, Weston, Barnhill & Vapnik, Machine Learning 2002. They use a support vector machine and
//! the squares of its weights; here any ranker can be used. The importance of a feature is, for
//! trees, the gain of its splits, and for linear models its absolute weight times the standard
//! deviation of the feature within queries: a weight alone depends on the feature's unit. Of
//! equally important features the later column is removed first.
//!
//! The paper does not specify how to choose the number of features. Without `k` each of `folds`
//! folds is held out in turn, the elimination runs on the others down to one feature, and every
//! size is evaluated on the held-out fold. The size with the best measure over all queries is
//! chosen, or the smallest within `slack` of it; then the elimination runs on all data. Validation
//! data of the run, if available, replaces the folds. A feature's score is its share of all
//! importance in its last round; `fits` holds the measure of every size.

use super::elimination::{EliminationProgress, next_size, order, survivors};
use crate::declare::method;
use crate::engine::Engine;
use crate::engine::passes::MeasureSums;
use crate::error::Result;
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::forward::Scored;
use crate::select::shared_params::{size_slack_param, trainer_params};
use crate::select::subsets::{
    SubsetEvaluator, SubsetTrainer, on_threads_of, smallest_within_slack,
};
use crate::select::{Findings, FittedModel, Selector};

method! {
    /// Recursive feature elimination: repeatedly drop the features least important to a ranker.
    pub struct RFE: Selector as "rfe" in Wrapper,
        cites ["guyon2002"], AsPublished, Passes,
        with [uses_valid]
    {
        use trainer_params!(
            "lambdamart", "ndcg[ties=expected]@10", "Measure by which subset sizes are compared.",
            few_trees, "Parameters of the ranker; auto: 50 trees if it has trees."
        );
        /// Features removed per round: below 1 a share of the remaining ones, otherwise a number;
        /// at least one.
        step: Real(0.001..=100_000.0) = "0.2",
        /// Number of cross-validation folds over the queries.
        folds: Whole<usize>(2..=100) = "5",
        use size_slack_param!();
    }
}

impl Selector for RFE {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        on_threads_of(engine, || {
            let evaluator = self.trainer.evaluator("rfe", run, engine)?;
            let candidates = Candidates::for_ranker(run, engine, self.trainer.spec())?;
            let features = candidates.all();
            if features.is_empty() {
                return candidates.select(run, engine, &[], &[]);
            }
            let whole = evaluator.whole(&features)?;
            let eliminate = |wanted, run: &Run| {
                self.eliminate(run, &evaluator.trainer(&whole)?, &candidates, wanted)
            };
            let (order, size, fits) = match candidates.wanted(run) {
                Some(wanted) => (order_of(&eliminate(wanted, run)?), wanted, Vec::new()),
                None => {
                    let parts = evaluator.held_out(self.folds, &features)?;
                    // The last of several eliminations uses all training data.
                    let total = parts.len() as u64 + u64::from(parts.len() > 1);
                    let within = |done| run.within("eliminating features", done, total);
                    let of_part = |(part, done)| {
                        self.eliminate(&within(done), &evaluator.trainer(part)?, &candidates, 1)
                    };
                    let rounds: Vec<Vec<Round>> =
                        parts.iter().zip(0..).map(of_part).collect::<Result<_>>()?;
                    let (size, fits) = self.choose_size(&evaluator, &candidates, &rounds)?;
                    // A single split uses all training data.
                    let order = match &rounds[..] {
                        [only] => order_of(only),
                        _ => order_of(&eliminate(1, &within(total - 1))?),
                    };
                    (order, size, fits)
                }
            };
            let (chosen, rest) = order.split_at(size.min(order.len()));
            Ok(Findings { fits, ..candidates.select(run, engine, chosen, rest)? })
        })
    }
}

/// The features of a round, most important first, and the measure over the queries that it is
/// evaluated on.
struct Round {
    ranked: Scored,
    means: MeasureSums,
}

fn order_of(rounds: &[Round]) -> Scored {
    order(&rounds.iter().map(|round| round.ranked.clone()).collect::<Vec<_>>())
}

impl RFE {
    fn eliminate(
        &self,
        run: &Run,
        trainer: &SubsetTrainer<'_>,
        candidates: &Candidates,
        wanted: usize,
    ) -> Result<Vec<Round>> {
        let (mut left, mut rounds) = (candidates.all(), Vec::new());
        let next = |&size: &usize| (size > 1).then(|| next_size(self.step, size, wanted));
        let sizes = std::iter::successors(Some(left.len()), next);
        let mut progress = EliminationProgress::new(sizes, 1);
        while !left.is_empty() {
            let subset = [std::mem::take(&mut left)];
            let fitted = trainer.fit(&subset)?;
            let ranked = fitted.importance(0)?;
            left = survivors(&ranked, candidates, self.step, wanted);
            let size = ranked.len();
            rounds.push(Round { ranked, means: fitted.means()? });
            progress.round(run, size, left.len())?;
        }
        Ok(rounds)
    }

    /// The best size on the evaluated queries, and all sizes, smallest first. All splits have the
    /// same sizes.
    fn choose_size(
        &self,
        evaluator: &SubsetEvaluator<'_>,
        candidates: &Candidates,
        parts: &[Vec<Round>],
    ) -> Result<(usize, Vec<FittedModel>)> {
        // Unaffordable features are in the first round only.
        let first = usize::from(!candidates.unaffordable.is_empty() && parts[0].len() > 1);
        let places: Vec<usize> = (first..parts[0].len()).rev().collect();
        let sizes: Vec<usize> = places.iter().map(|&round| parts[0][round].ranked.len()).collect();
        let of_part = |rounds: &Vec<Round>| {
            MeasureSums::concat(places.iter().map(|&round| rounds[round].means.clone()))
        };
        let values = evaluator.summaries(parts.iter().map(of_part))?;
        let judged: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
        let chosen = smallest_within_slack(self.slack, &judged, &sizes).unwrap_or(0);
        Ok((sizes[chosen], record(&sizes, &judged, chosen)))
    }
}

/// The recorded result of every size.
pub(super) fn record(sizes: &[usize], values: &[Option<f64>], chosen: usize) -> Vec<FittedModel> {
    let fit = |(place, (&features, &value)): (usize, (&usize, &Option<f64>))| FittedModel {
        settings: Default::default(),
        features,
        value,
        certificate: Default::default(),
        chosen: place == chosen,
    };
    sizes.iter().zip(values).enumerate().map(fit).collect()
}
