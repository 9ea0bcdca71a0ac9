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
//! - The answer is chosen on validation data where there is some: accuracy on training data is far
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
mod limits;
mod pair_svm;
mod pairs;
mod phases;
mod rows;

use std::collections::HashSet;
use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::data::{Dataset, FeatureId};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::params::{Kind, Param, Params};
use crate::random::{Purpose, stream};
use crate::registry::{Category, Status};
use crate::remedy;
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::embedded::held_out::HeldOut;
use crate::select::embedded::sample::{Sample, Scale, ten_digits};
use crate::select::embedded::tuning::Tuning;
use crate::select::judging::best;
use crate::select::rows::rows;
use crate::select::wrapper::training::on_threads_of;
use crate::select::{Selection, Selector, SelectorSpec};
use accuracy::Accuracy;
use answer::{Answer, Judge};
use feature_selection::alone;
use instance_selection::Shares;
use limits::Limits;
use pair_svm::{Guide, PairSvm, curvature};
use pairs::{OfDocuments, Pair, preference_pairs};
use phases::{Ground, Phase, Progress, Searches, seed_of};
use rows::Rows;

/// Values of C that are tried: what the mean loss of a pair is multiplied by.
const CS: [f64; 9] = [0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0];

/// Published: individuals in each search, and generations of each phase.
const POPULATION: u64 = 50;
const GENERATIONS: [u64; 3] = [200, 300, 500];

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `measure` | `ndcg[ties=expected]@10` | any measure | the accuracy |
/// | `effort` | `paper` | quick, paper, long | a fifth of the published generations, as many, or four times as many |
/// | `population` | `auto` | auto, or 2 to 10000 | individuals in each search; published: 50 |
/// | `pair-generations` | `auto` | auto, or 0 to 1e6 | generations of the search for pairs; published: 200 |
/// | `feature-generations` | `auto` | auto, or 0 to 1e6 | generations of the search for features; published: 300 |
/// | `ensemble-generations` | `auto` | auto, or 0 to 1e6 | generations of the search for a sum of rankers; published: 500 |
/// | `crossover` | `1` | 0 to 1 | the probability that two parents are crossed |
/// | `pair-mutation` | `0.01` | 0 to 1 | the probability that a pair comes in or goes out |
/// | `shares` | `spread` | spread, coins | the share of the pairs that the first search starts with: from .005 to 1, or half |
/// | `pairs` | `1000000` | 1 to 100000000 | so many preference pairs at most, drawn at random, take part |
/// | `c` | `auto` | auto, or 1e-9 to 1e9 | what the mean loss of a pair is multiplied by; auto takes what is best on validation data with all pairs and features |
/// | `instance-selection` | `true` | true, false | whether pairs are searched for, or all of them are taken |
/// | `adaptive` | `true` | true, false | whether mutation of features looks at importance and redundancy |
/// | `ensemble` | `true` | true, false | whether rankers are combined, or the best of them answers |
/// | `choose` | `auto` | auto, training, validation, held-out | the data on which the answer is chosen among the undominated; auto: validation data where there is some, else training data; held-out: a fifth of the queries, which the searches do not see |
/// | `slack` | `0` | 0 to 10 | how many standard errors of the difference the answer may be below the best on that data, if it has fewer features; not on training data |
/// | `standardise` | `auto` | auto, no, yes | divides features by their standard deviation within queries; auto does where some value is outside 0 to 1 |
pub struct MofsRank {
    measure: Measure,
    searches: Searches,
    pairs: usize,
    c: Option<f64>,
    choose: Choose,
    slack: f64,
    scale: Scale,
}

/// The data on which the answer is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choose {
    Auto,
    Training,
    Validation,
    HeldOut,
}

const GENERATIONS_RANGE: Kind = Kind::Auto { min: 0.0, max: 1e6 };
const YES_OR_NO: Kind = Kind::Choice(&["true", "false"]);

/// The registry's entry.
pub const SPEC: SelectorSpec = SelectorSpec {
    name: "mofsrank",
    summary: "evolutionary searches for pairs to learn from, for features, and for a sum of rankers",
    category: Category::Wrapper,
    cites: &["cheng2018", "deb2002"],
    status: Status::Reconstruction,
    scales_out: false,
    resumes: true,
    uses_valid: true,
    leaves_model: true,
    params: &[
        Param {
            name: "measure",
            kind: Kind::Measure,
            default: "ndcg[ties=expected]@10",
            meaning: "the accuracy that is traded against numbers of pairs and features",
        },
        Param {
            name: "effort",
            kind: Kind::Choice(&["quick", "paper", "long"]),
            default: "paper",
            meaning: "a fifth of the published generations, as many, or four times as many",
        },
        Param {
            name: "population",
            kind: Kind::Auto { min: 2.0, max: 1e4 },
            default: "auto",
            meaning: "individuals in each search; published: 50",
        },
        Param {
            name: "pair-generations",
            kind: GENERATIONS_RANGE,
            default: "auto",
            meaning: "generations of the search for pairs; published: 200",
        },
        Param {
            name: "feature-generations",
            kind: GENERATIONS_RANGE,
            default: "auto",
            meaning: "generations of the search for features; published: 300",
        },
        Param {
            name: "ensemble-generations",
            kind: GENERATIONS_RANGE,
            default: "auto",
            meaning: "generations of the search for a sum of rankers; published: 500",
        },
        Param {
            name: "crossover",
            kind: Kind::Real { min: 0.0, max: 1.0 },
            default: "1",
            meaning: "the probability that two parents are crossed",
        },
        Param {
            name: "pair-mutation",
            kind: Kind::Real { min: 0.0, max: 1.0 },
            default: "0.01",
            meaning: "the probability that a pair comes in or goes out",
        },
        Param {
            name: "shares",
            kind: Kind::Choice(&["spread", "coins"]),
            default: "spread",
            meaning: "the share of the pairs that the first search starts with: from .005 to 1, or half",
        },
        Param {
            name: "pairs",
            kind: Kind::Whole { min: 1, max: 100_000_000 },
            default: "1000000",
            meaning: "so many preference pairs at most, drawn at random, take part",
        },
        Param {
            name: "c",
            kind: Kind::Auto { min: 1e-9, max: 1e9 },
            default: "auto",
            meaning: "what the mean loss of a pair is multiplied by; auto takes what is best on validation data with all pairs and features",
        },
        Param {
            name: "instance-selection",
            kind: YES_OR_NO,
            default: "true",
            meaning: "whether pairs are searched for, or all of them are taken",
        },
        Param {
            name: "adaptive",
            kind: YES_OR_NO,
            default: "true",
            meaning: "whether mutation of features looks at importance and redundancy",
        },
        Param {
            name: "ensemble",
            kind: YES_OR_NO,
            default: "true",
            meaning: "whether rankers are combined, or the best of them answers",
        },
        Param {
            name: "choose",
            kind: Kind::Choice(&["auto", "training", "validation", "held-out"]),
            default: "auto",
            meaning: "the data on which the answer is chosen among the undominated; auto: validation data where there is some, else training data; held-out: a fifth of the queries, which the searches do not see",
        },
        Param {
            name: "slack",
            kind: Kind::Real { min: 0.0, max: 10.0 },
            default: "0",
            meaning: "how many standard errors of the difference the answer may be below the best on that data, if it has fewer features; not on training data",
        },
        Tuning::STANDARDISE,
    ],
    build: |params| Ok(Box::new(MofsRank::from_params(params)?)),
};

impl MofsRank {
    fn from_params(params: &Params) -> Result<Self> {
        let effort = |published: u64| match params.text("effort") {
            "quick" => published / 5,
            "long" => published * 4,
            _ => published,
        };
        let whole = |name: &str, otherwise: u64| -> Result<u64> {
            match params.auto(name)? {
                None => Ok(otherwise),
                Some(value) if value.fract() == 0.0 => Ok(value as u64),
                Some(value) => {
                    Err(Error::invalid(format!("{name} of mofsrank"), value, "a whole number"))
                }
            }
        };
        let is_on = |name: &str| params.text(name) == "true";
        let [pairs, features, ensemble] = GENERATIONS.map(effort);
        Ok(MofsRank {
            measure: params.measure("measure")?,
            searches: Searches {
                population: whole("population", POPULATION)? as usize,
                generations: [
                    whole("pair-generations", pairs)?,
                    whole("feature-generations", features)?,
                    whole("ensemble-generations", ensemble)?,
                ],
                crossover: params.real("crossover")?,
                pair_mutation: params.real("pair-mutation")?,
                shares: if params.text("shares") == "coins" {
                    Shares::Coins
                } else {
                    Shares::Spread
                },
                instance_selection: is_on("instance-selection"),
                adaptive: is_on("adaptive"),
                ensemble: is_on("ensemble"),
            },
            pairs: params.whole("pairs")? as usize,
            c: params.auto("c")?,
            choose: match params.text("choose") {
                "training" => Choose::Training,
                "validation" => Choose::Validation,
                "held-out" => Choose::HeldOut,
                _ => Choose::Auto,
            },
            slack: params.real("slack")?,
            scale: Tuning::scale(params),
        })
    }

    fn choose_features(&self, run: &Run, engine: &dyn Engine, data: &Dataset) -> Result<Selection> {
        let candidates = Candidates::of(run, engine)?;
        let sample = Sample::new(run, engine, &candidates, self.scale)?;
        let sample =
            sample.with_features(&distinct_columns(data, sample.features(), &run.constraints.keep));
        let judge = Judge::new(self.choose, self.slack, &self.measure, &sample)?;
        let rows = Rows::new(data, sample.features(), |query| !judge.holds_out(query));
        let accuracy = Accuracy::new(&rows, &self.measure)?;
        let mut rng = stream(seed_of(run.seed, 0), Purpose::Phases, 0);
        let all = OfDocuments { pairs: preference_pairs(&rows, self.pairs, &mut rng), rows: &rows };
        if all.pairs.is_empty() {
            return Err(Error::nothing_counts(
                "no training query has documents of different relevance",
                remedy!["to hold out no queries, ", ParameterValue("choose", "training").set()],
            ));
        }
        // The unit of a feature must not decide how dear its weight is.
        let penalties: Vec<f64> =
            sample.divisors().iter().map(|divisor| ten_digits(*divisor).powi(2)).collect();
        let flat = curvature(&all, &vec![0.0; rows.width()]);
        let c = match self.c {
            Some(c) => c,
            None => self.best_c(&sample, &all, &penalties, &flat)?,
        };
        let svm = PairSvm { c, penalties };
        let guide = Guide::new(&svm, &all, &flat);
        let limits = Limits::new(&run.constraints, sample.features());
        let alone = alone(&rows, &accuracy);
        let ground = Ground {
            rows: &rows,
            pairs: &all.pairs,
            svm: &svm,
            guide: &guide,
            accuracy: &accuracy,
            limits: &limits,
            alone: &alone,
            seed: run.seed,
        };
        let saved: Option<Progress<'_>> = run.saved()?;
        let mut unfinished = false;
        let found = self.searches.run(
            &ground,
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
        let values = HeldOut::new(sample, &self.measure)?.values(
            sample,
            &with_all_cs(all, flat),
            |part| {
                let pairs = OfDocuments { rows: all.rows, pairs: among(all, part.engine()) };
                let flat = curvature(&pairs, &vec![0.0; penalties.len()]);
                Ok(with_all_cs(&pairs, &flat))
            },
        )?;
        Ok(CS[best(&values).unwrap_or(CS.len() / 2)])
    }
}

impl Selector for MofsRank {
    fn select(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
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
