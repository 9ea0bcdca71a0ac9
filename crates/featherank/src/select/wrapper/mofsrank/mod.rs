//! MOFSRank: three evolutionary searches, for training pairs, for features, and for a weighted sum
//! of rankers.
//!
//! Cheng, Guo & Zhang, Complexity 2018. NSGA-II runs three times, each time minimising a number and
//! 1 − accuracy, the measure on the training data: MOIS (`instance_selection`) searches for few
//! preference pairs that train a good SVM, MOFS (`feature_selection`) for few features with which
//! one of these sets of pairs trains a good SVM, and MOEN (`ensemble`) combines the rankers from
//! MOFS. The most accurate of the nondominated combinations is the answer: its features are
//! selected, and it is the model.
//!
//! The paper does not specify the following, which is our interpretation: two-point crossover of
//! bits, simulated binary crossover and polynomial mutation (η = 20) of numbers; C of the SVM,
//! which is divided by the number of pairs, so that the loss of few pairs has the same weight; the
//! SVM has a squared hinge; if MOIS is skipped, MOFS trains on all pairs; without MOEN the most
//! accurate member of MOFS is the answer. Departures, required to reach the paper's figures or to
//! avoid losses by its rules:
//! - MOIS starts with shares of the pairs from .005 to 1. The usual start, each bit with
//!   probability ½ (`shares=half`), leaves about .4 of the pairs after 200 generations; the
//!   paper's own table has .03.
//! - MOEN starts with the members of MOFS and random sums, so that it cannot be worse than MOFS.
//! - The answer is chosen on validation data if available: accuracy on training data is far above
//!   that on new data, and increases with every feature. `choose=training` is the paper's rule;
//!   `slack` allows a smaller answer that is slightly worse.
//! - Tied documents contribute their expected value, because file order carries information in real
//!   data.
//! - Copies of a feature are excluded, because they can only replace each other.
//! - `k`, `keep`, `drop`, costs and budget apply within the searches; with costs, the cost of a set
//!   replaces its number of features.
//!
//! When the time limit is reached, the current phase stops with its result so far, and later phases
//! run their first generation only.

mod accuracy;
mod answer;
mod ensemble;
mod feature_selection;
mod instance_selection;
mod pair_svm;
mod pairs;
mod phases;
mod preconditioner;
mod rows;

use std::cell::Cell;
use std::collections::HashSet;
use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::data::{Dataset, FeatureId};
use crate::declare::{choice, method};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::memory::check_pairs;
use crate::random::{Purpose, stream};
use crate::remedy;
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::embedded::held_out::held_out_values;
use crate::select::embedded::sample::{Sample, Standardisation, ten_digits};
use crate::select::rows::rows;
use crate::select::shared_params::standardise_param;
use crate::select::subsets::{SubsetRepair, best_place, on_threads_of};
use crate::select::{Findings, Selector};
use accuracy::Accuracy;
use answer::{Answer, FrontModelEvaluator};
use feature_selection::alone;
pub use instance_selection::InstanceShares;
use pair_svm::PairSvm;
use pairs::{OfDocuments, Pair, preference_pairs};
use phases::{PhaseProgress, SearchInputs, Searches, seed_of};
use preconditioner::{Preconditioner, curvature};
use rows::OrderedRows;

/// Values of C that are tried: the factor of the mean loss of a pair.
const CS: [f64; 9] = [0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0];

/// Published values: individuals in each search, and generations of each phase.
const POPULATION: u64 = 50;
const GENERATIONS: [u64; 3] = [200, 300, 500];

method! {
    /// Three evolutionary searches: for training pairs, for features, and for an ensemble of
    /// rankers.
    pub struct MOFSRank: Selector as "mofsrank" in Wrapper,
        cites ["cheng2018", "deb2002"], Reconstruction, Rows,
        with [resumes, uses_valid, leaves_model, compares_pairs]
    {
        /// Measure of accuracy, traded off against the numbers of pairs and features.
        measure: Measure = "ndcg[ties=expected]@10",
        /// Number of generations: a fifth of the published number, as published, or four times as
        /// many.
        let effort: Choice<SearchEffort> = "paper",
        /// Population size of each search; published: 50.
        let population: AutoWhole(2..=10_000) = "auto",
        /// Generations of the search for pairs; published: 200.
        let pair_generations: AutoWhole(0..=1_000_000) = "auto",
        /// Generations of the search for features; published: 300.
        let feature_generations: AutoWhole(0..=1_000_000) = "auto",
        /// Generations of the search for an ensemble; published: 500.
        let ensemble_generations: AutoWhole(0..=1_000_000) = "auto",
        /// Probability of crossover.
        let crossover: Real(0.0..=1.0) = "1",
        /// Probability that mutation adds or removes a pair.
        let pair_mutation: Real(0.0..=1.0) = "0.01",
        /// Initial share of the pairs in the first search: spread from .005 to 1, or half.
        let shares: Choice<InstanceShares> = "spread",
        /// Maximum number of preference pairs; if there are more, a random sample is used.
        pairs: Whole<usize>(1..=100_000_000) = "1000000",
        /// Weight of the mean loss of a pair; auto: the best on validation data with all pairs and
        /// features.
        c: Auto(1e-9..=1e9) = "auto",
        /// Search for training pairs, or use all of them.
        let instance_selection: Flag = "true",
        /// Adapt the mutation of features to their importance and redundancy.
        let adaptive: Flag = "true",
        /// Combine rankers into an ensemble, or return the best one.
        let ensemble: Flag = "true",
        /// Data on which the model is chosen from the Pareto front; auto: validation data if given,
        /// training data otherwise; held-out: a fifth of the queries, unused by the searches.
        choose: Choice<MOFSRankChoice> = "auto",
        /// Prefer a model with fewer features that is at most this many standard errors of the
        /// difference below the best; ignored on training data.
        slack: Real(0.0..=10.0) = "0",
        use standardise_param!(standardise);
        derive scale: Standardisation = standardise;
        derive searches: Searches = Searches {
            population: population.unwrap_or(POPULATION) as usize,
            generations: [
                pair_generations.unwrap_or(effort.generations(GENERATIONS[0])),
                feature_generations.unwrap_or(effort.generations(GENERATIONS[1])),
                ensemble_generations.unwrap_or(effort.generations(GENERATIONS[2])),
            ],
            crossover,
            pair_mutation,
            shares,
            instance_selection,
            adaptive,
            ensemble,
        };
    }
}

choice! {
    /// How much of the published number of generations is searched.
    pub enum SearchEffort {
        /// A fifth.
        Quick = "quick",
        /// All.
        Paper = "paper",
        /// Four times as many.
        Long = "long",
    }
}

impl SearchEffort {
    fn generations(self, published: u64) -> u64 {
        match self {
            SearchEffort::Quick => published / 5,
            SearchEffort::Paper => published,
            SearchEffort::Long => published * 4,
        }
    }
}

choice! {
    /// The data on which the answer is chosen.
    pub enum MOFSRankChoice {
        /// Validation data if given, training data otherwise.
        Auto = "auto",
        /// Training data.
        Training = "training",
        /// Validation data.
        Validation = "validation",
        /// A fifth of the queries, which the searches do not see.
        HeldOut = "held-out",
    }
}

choice! {
    impl InstanceShares { Spread = "spread", Half = "half" }
}

impl MOFSRank {
    fn choose_features(&self, run: &Run, engine: &dyn Engine, data: &Dataset) -> Result<Findings> {
        let candidates = Candidates::of(run, engine)?;
        let sample = Sample::new(run, engine, &candidates, self.scale)?;
        let sample =
            sample.with_features(&distinct_columns(data, sample.features(), &run.constraints.keep));
        let evaluator = FrontModelEvaluator::new(self.choose, self.slack, &self.measure, &sample)?;
        let rows = OrderedRows::new(data, sample.features(), |query| {
            !evaluator.holds_out(engine.schema().query_keys[query])
        });
        let accuracy = Accuracy::new(&rows, &self.measure, run.stop())?;
        let mut rng = stream(seed_of(run.seed, 0), Purpose::Phases, 0);
        let all = OfDocuments { pairs: preference_pairs(&rows, self.pairs, &mut rng), rows: &rows };
        if all.pairs.is_empty() {
            return Err(Error::nothing_counts(
                "no training query has documents of different relevance",
                remedy!["to hold out no queries, ", ParameterValue("choose", "training").set()],
            ));
        }
        // The penalty of a weight must not depend on the unit of its feature.
        let penalties: Vec<f64> =
            sample.divisors().iter().map(|divisor| ten_digits(*divisor).powi(2)).collect();
        let flat = curvature(&all, &vec![0.0; rows.width()], run.stop());
        run.check()?;
        let c = match self.c {
            Some(c) => c,
            None => self.best_c(&sample, &all, &penalties, &flat)?,
        };
        let svm = PairSvm { c, penalties, stop: run.stop().clone() };
        let preconditioner = Preconditioner::new(&svm, &all, &flat);
        run.check()?;
        let repair = SubsetRepair::new(&run.constraints, sample.features(), 1);
        let alone = alone(&rows, &accuracy);
        run.check()?;
        let inputs = SearchInputs {
            rows: &rows,
            pairs: &all.pairs,
            svm: &svm,
            preconditioner: &preconditioner,
            accuracy: &accuracy,
            repair: &repair,
            alone: &alone,
            run,
            unfinished: Cell::new(false),
        };
        let saved: Option<PhaseProgress<'_>> = run.saved()?;
        if saved.as_ref().is_some_and(|saved| !saved.fits(all.pairs.len(), rows.width())) {
            return Err(run.misfit());
        }
        let found = self.searches.run(&inputs, saved, &mut |phase, generation, progress| {
            // A phase that follows an unfinished one must not be resumed.
            if !inputs.unfinished.get() {
                run.save(progress)?;
            }
            let (done, total) = self.searches.work_done(phase, generation);
            let step = run.step("evolving rankers", done, Some(total));
            let continues =
                run.unless_stopped(step)?.is_some() && run.stop().ended_early().is_none();
            Ok(if continues { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })?;
        let answer = Answer {
            sample: &sample,
            candidates: &candidates,
            alone: &alone,
            all: &all,
            svm: &svm,
            preconditioner: &preconditioner,
        };
        let findings = answer.select(found, &evaluator)?;
        run.check()?;
        Ok(Findings { unfinished: inputs.unfinished.get(), ..findings })
    }

    /// The C with which the SVM on all pairs and all features ranks best on validation data or,
    /// without validation data, on held-out queries.
    fn best_c(
        &self,
        sample: &Sample<'_>,
        all: &OfDocuments<'_>,
        penalties: &[f64],
        flat: &[f64],
    ) -> Result<f64> {
        let scaled = |weights: Vec<f64>| -> Vec<f64> {
            weights.iter().zip(sample.divisors()).map(|(w, divisor)| w * divisor).collect()
        };
        let with_all_cs = |pairs: &OfDocuments<'_>, flat: &[f64]| -> Vec<Vec<f64>> {
            let minimum = |&c: &f64| {
                let stop = sample.run.stop().clone();
                scaled(PairSvm { c, penalties: penalties.to_vec(), stop }.minimum(pairs, flat))
            };
            CS.par_iter().map(minimum).collect()
        };
        let values = held_out_values(sample, &self.measure, &with_all_cs(all, flat), |part| {
            let pairs = OfDocuments { rows: all.rows, pairs: among(all, part.engine()) };
            let flat = curvature(&pairs, &vec![0.0; penalties.len()], sample.run.stop());
            let found = with_all_cs(&pairs, &flat);
            sample.run.check().map(|()| found)
        })?;
        Ok(CS[best_place(&values).unwrap_or(CS.len() / 2)])
    }
}

impl Selector for MOFSRank {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let data = rows("mofsrank", engine)?;
        let width = engine.schema().features.len();
        check_pairs("mofsrank", width, 24, engine.memory_limit())?;
        self.measure.check_labels(engine.schema().largest_label())?;
        on_threads_of(engine, || self.choose_features(run, engine, data))
    }
}

/// The pairs of the queries behind an engine.
fn among(all: &OfDocuments<'_>, part: &dyn Engine) -> Vec<Pair> {
    let keys: HashSet<u64> = part.schema().query_keys.iter().copied().collect();
    let mut is_in = vec![false; all.rows.documents()];
    for (query, key) in all.rows.queries().iter().zip(all.rows.keys()) {
        is_in[query.clone()].fill(keys.contains(key));
    }
    all.pairs.iter().copied().filter(|(better, _)| is_in[*better as usize]).collect()
}

/// The features without copies; of equal columns a kept one or else the first remains.
fn distinct_columns(data: &Dataset, features: &[FeatureId], keep: &[FeatureId]) -> Vec<FeatureId> {
    let (kept, free): (Vec<FeatureId>, Vec<FeatureId>) =
        features.iter().partition(|f| keep.contains(f));
    let mut distinct = kept;
    for f in free {
        if !distinct.iter().any(|&known| data.column(known) == data.column(f)) {
            distinct.push(f);
        }
    }
    distinct
}
