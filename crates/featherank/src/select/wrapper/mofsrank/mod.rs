//! MOFSRank: three evolutionary searches, for pairs to learn from, for features, and for a weighted
//! sum of rankers.
//!
//! Cheng, Guo & Zhang, Complexity 2018. NSGA-II three times, each time trading a number against 1 −
//! accuracy, the measure on the training data: MOIS (`instance_selection`) searches for few
//! preference pairs that train a good SVM, MOFS (`feature_selection`) for few features with which
//! one of these sets of pairs trains a good SVM, and MOEN (`ensemble`) combines the rankers that
//! MOFS leaves. Of the combinations that no other dominates the most accurate one is the answer:
//! its features, and it as the model.
//!
//! The paper leaves open, and this is our reading: two-point crossover of bits, simulated binary
//! crossover and polynomial mutation (η = 20) of numbers; C of the SVM, which is shared out among
//! the pairs, so that few pairs mean no weaker loss; the SVM has a squared hinge; where MOIS is
//! skipped MOFS learns from all pairs; without MOEN the most accurate member of MOFS answers.
//! Departs from it in what its figures need or its rules lose:
//! - MOIS starts with shares of the pairs from .005 to 1. Fair coins, the usual start
//!   (`shares=coins`), leave about .4 of the pairs after 200 generations; the paper's own table has
//!   .03.
//! - MOEN starts with the members of MOFS among random sums: it can then only get better.
//! - The answer is chosen on validation data if there is any: accuracy on training data is far
//!   above that on new data, and grows with every feature. `choose=training` is the paper's rule;
//!   `slack` takes a smaller answer that is hardly worse.
//! - Tied documents count by their expected value, because file order carries information in real
//!   data.
//! - Copies of a feature take no part, for they can only stand in for each other.
//! - `k`, `keep`, `drop`, costs and budget hold within the searches; with costs, what a set costs
//!   takes the place of its number of features.
//!
//! Out of time, the phase under way stops with what it has and those after it do their first
//! generation alone.

mod accuracy;
mod answer;
mod ensemble;
mod feature_selection;
mod instance_selection;
mod pair_svm;
mod pairs;
mod phases;
mod rows;

use std::collections::HashSet;
use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::data::{Dataset, FeatureId};
use crate::declare::{choice, method};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::random::{Purpose, stream};
use crate::remedy;
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::embedded::held_out::held_out_values;
use crate::select::embedded::sample::{Sample, Scale, ten_digits};
use crate::select::rows::rows;
use crate::select::shared_params::standardise_param;
use crate::select::subsets::{SubsetRepair, best_place, on_threads_of};
use crate::select::{Selection, Selector};
use accuracy::Accuracy;
use answer::{Answer, FinalistJudge};
use feature_selection::alone;
use instance_selection::Shares;
use pair_svm::{Guide, PairSvm, curvature};
use pairs::{OfDocuments, Pair, preference_pairs};
use phases::{Phase, Progress, SearchInputs, Searches, seed_of};
use rows::OrderedRows;

/// Values of C that are tried: what the mean loss of a pair is multiplied by.
const CS: [f64; 9] = [0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0];

/// Published: individuals in each search, and generations of each phase.
const POPULATION: u64 = 50;
const GENERATIONS: [u64; 3] = [200, 300, 500];

method! {
    /// Evolutionary searches for pairs to learn from, for features, and for a sum of rankers.
    pub struct MOFSRank: Selector as "mofsrank" in Wrapper,
        cites ["cheng2018", "deb2002"], Reconstruction, Rows,
        with [resumes, uses_valid, leaves_model]
    {
        /// Accuracy that is traded against numbers of pairs and features.
        measure: Measure = "ndcg[ties=expected]@10",
        /// A fifth of the published generations, as many, or four times as many.
        let effort: Choice<Effort> = "paper",
        /// Individuals in each search; published: 50.
        let population: AutoWhole(2..=10_000) = "auto",
        /// Generations of the search for pairs; published: 200.
        let pair_generations: AutoWhole(0..=1_000_000) = "auto",
        /// Generations of the search for features; published: 300.
        let feature_generations: AutoWhole(0..=1_000_000) = "auto",
        /// Generations of the search for a sum of rankers; published: 500.
        let ensemble_generations: AutoWhole(0..=1_000_000) = "auto",
        /// Probability that two parents are crossed.
        let crossover: Real(0.0..=1.0) = "1",
        /// Probability that a pair comes in or goes out.
        let pair_mutation: Real(0.0..=1.0) = "0.01",
        /// Share of the pairs that the first search starts with: from .005 to 1, or half.
        let shares: Choice<Shares> = "spread",
        /// Largest number of preference pairs, drawn at random.
        pairs: Whole<usize>(1..=100_000_000) = "1000000",
        /// Weight of the mean loss of a pair; auto takes what is best on validation data with all
        /// pairs and features.
        c: Auto(1e-9..=1e9) = "auto",
        /// Whether pairs are searched for, or all of them are taken.
        let instance_selection: Flag = "true",
        /// Whether mutation of features uses importance and redundancy.
        let adaptive: Flag = "true",
        /// Whether rankers are combined, or the best of them answers.
        let ensemble: Flag = "true",
        /// Data on which the answer is chosen among the undominated; auto: validation data if given,
        /// training data otherwise; held-out: a fifth of the queries, which the searches do not see.
        choose: Choice<Choose> = "auto",
        /// How many standard errors of the difference the answer may be below the best on that
        /// data, if it has fewer features; not on training data.
        slack: Real(0.0..=10.0) = "0",
        use standardise_param!(standardise);
        derive scale: Scale = standardise;
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
    pub enum Effort {
        /// A fifth.
        Quick = "quick",
        /// All.
        Paper = "paper",
        /// Four times as many.
        Long = "long",
    }
}

impl Effort {
    fn generations(self, published: u64) -> u64 {
        match self {
            Effort::Quick => published / 5,
            Effort::Paper => published,
            Effort::Long => published * 4,
        }
    }
}

choice! {
    /// The data on which the answer is chosen.
    pub enum Choose {
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
    impl Shares { Spread = "spread", Coins = "coins" }
}

impl MOFSRank {
    fn choose_features(&self, run: &Run, engine: &dyn Engine, data: &Dataset) -> Result<Selection> {
        let candidates = Candidates::of(run, engine)?;
        let sample = Sample::new(run, engine, &candidates, self.scale)?;
        let sample =
            sample.with_features(&distinct_columns(data, sample.features(), &run.constraints.keep));
        let judge = FinalistJudge::new(self.choose, self.slack, &self.measure, &sample)?;
        let rows = OrderedRows::new(data, sample.features(), |query| {
            !judge.holds_out(engine.schema().query_keys[query])
        });
        let accuracy = Accuracy::new(&rows, &self.measure)?;
        let mut rng = stream(seed_of(run.seed, 0), Purpose::Phases, 0);
        let all = OfDocuments { pairs: preference_pairs(&rows, self.pairs, &mut rng), rows: &rows };
        if all.pairs.is_empty() {
            return Err(Error::nothing_counts(
                "no training query has documents of different relevance",
                remedy!["to hold out no queries, ", ParameterValue("choose", "training").set()],
            ));
        }
        // The unit of a feature must not decide how much its weight is penalised.
        let penalties: Vec<f64> =
            sample.divisors().iter().map(|divisor| ten_digits(*divisor).powi(2)).collect();
        let flat = curvature(&all, &vec![0.0; rows.width()]);
        let c = match self.c {
            Some(c) => c,
            None => self.best_c(&sample, &all, &penalties, &flat)?,
        };
        let svm = PairSvm { c, penalties };
        let guide = Guide::new(&svm, &all, &flat);
        let repair = SubsetRepair::new(&run.constraints, sample.features(), 1);
        let alone = alone(&rows, &accuracy);
        let inputs = SearchInputs {
            rows: &rows,
            pairs: &all.pairs,
            svm: &svm,
            guide: &guide,
            accuracy: &accuracy,
            repair: &repair,
            alone: &alone,
            seed: run.seed,
        };
        let saved: Option<Progress<'_>> = run.saved()?;
        let mut unfinished = false;
        let found = self.searches.run(
            &inputs,
            saved,
            &mut |phase, generation, generations, progress| {
                run.save(progress)?;
                let what = match phase {
                    Phase::Pairs => "searching for pairs",
                    Phase::Features => "searching for features",
                    Phase::Ensemble => "searching for a sum of rankers",
                };
                run.step(what, generation + 1, Some(generations + 1))?;
                if generation < generations && run.is_out_of_time() {
                    unfinished = true;
                    return Ok(ControlFlow::Break(()));
                }
                Ok(ControlFlow::Continue(()))
            },
        )?;
        let answer = Answer {
            sample: &sample,
            candidates: &candidates,
            alone: &alone,
            all: &all,
            svm: &svm,
            guide: &guide,
        };
        Ok(Selection { unfinished, ..answer.select(found, &judge)? })
    }

    /// The C with which the SVM on all pairs and all features ranks best on validation data or,
    /// without any, on held-out queries.
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
                scaled(PairSvm { c, penalties: penalties.to_vec() }.minimum(pairs, flat))
            };
            CS.par_iter().map(minimum).collect()
        };
        let values = held_out_values(sample, &self.measure, &with_all_cs(all, flat), |part| {
            let pairs = OfDocuments { rows: all.rows, pairs: among(all, part.engine()) };
            let flat = curvature(&pairs, &vec![0.0; penalties.len()]);
            Ok(with_all_cs(&pairs, &flat))
        })?;
        Ok(CS[best_place(&values).unwrap_or(CS.len() / 2)])
    }
}

impl Selector for MOFSRank {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let data = rows("mofsrank", engine)?;
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

/// The features without those that are copies of another, which is kept or comes before.
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
