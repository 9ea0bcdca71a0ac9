//! The smallest set of features that is as good as all of them, for the user's own ranker and measure, and no riskier.
//!
//! The queries are dealt into `folds` parts. Each part is held out once; the part after it checks, and the others are learnt from. In every
//! fold a few methods (`portfolio.rs`) put the features in order, the ranker is trained on the first ones of each order, and the part that checks
//! says whose set is best. That set ranks the queries held out. So every size has a value for each query that nothing about it has seen,
//! the choice of the method included, and so have all features.
//!
//! Sizes are tested from large to small (`recommendation.rs`) until one cannot be shown to lose less than the margin. The last that passed is
//! recommended; then the method that did best at that size on the parts that check puts the features in order once more, on all data. What
//! is promised is the procedure: that sets of this size, found this way, lose no more than the margin. Where no size passes all features
//! are kept. Validation data, where the run has some, is joined with the training data: held-out parts serve better than one fixed part.

mod advice;
mod fold;
mod portfolio;
mod recommendation;
mod sizes;
mod words;

use std::collections::BTreeMap;
use std::time::Instant;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data::{Dataset, FeatureId};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::measure::{Measure, counted};
use crate::params::{Kind, Param};
use crate::rank::RankerSpec;
use crate::rank::tune::Settings;
use crate::registry::{self, Category, Status};
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::judging::{checked_validation, deal};
use crate::select::wrapper::training::{folds_param, measure_param, on_threads_of, ranker_param, rows};
use crate::select::{Selection, Selector, SelectorSpec};
pub use advice::{Advice, Tried};
use fold::{Fold, Start, Tested, Worker};
use portfolio::Proposer;
use recommendation::Judge;
pub use recommendation::{Candidate, Demand, Recommendation, Verdict, Yardstick, recommend};

/// Its name everywhere.
pub const NAME: &str = "auto";

/// Trees that a ranker of trees gets unless told otherwise, and how many without progress end it.
const TREES: &[(&str, &str)] = &[("trees", "300"), ("patience", "30")];

/// | Name | Default | Range | Meaning |
/// |---|---|---|---|
/// | `ranker` | `lambdamart` | any ranker | what the features are for |
/// | `settings` | `auto` | name=value;name=value | parameters of the ranker; auto: up to 300 trees, or what checking finds best |
/// | `measure` | `ndcg[ties=expected]@10` | any measure | what rankings are judged by |
/// | `margin` | `0.02` | 0 to 0.5 | share of the measure of all features that may be lost |
/// | `level` | `0.05` | 0.001 to 0.4 | chance of recommending a set that loses more |
/// | `baseline` | `mean` | mean, best-feature, full | what risk is measured against |
/// | `alpha` | `5` | 0 to 1000 | how much more a loss against the baseline weighs than a gain |
/// | `methods` | `auto` | auto, or elimination and selectors with commas between | who proposes sets |
/// | `folds` | `5` | 3 to 100 | parts of the queries that are held out in turn |
pub struct Auto {
    ranker: &'static RankerSpec,
    settings: Option<Settings>,
    measure: Measure,
    demand: Demand,
    baseline: Baseline,
    proposers: Option<Vec<Proposer>>,
    folds: usize,
}

/// What risk is measured against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Baseline {
    /// The mean of all single features on each query.
    Mean,
    /// The feature that is best alone.
    BestFeature,
    /// All features together.
    Full,
}

/// The registry's entry.
pub const SPEC: SelectorSpec = SelectorSpec {
    name: NAME,
    summary: "the smallest set that is shown to be as good as all features, within a margin, for a ranker of your choice",
    category: Category::Wrapper,
    cites: &["wellek2010", "maurer1995"],
    status: Status::Original,
    scales_out: false,
    resumes: true,
    uses_valid: true,
    leaves_model: false,
    params: &[
        Param { meaning: "what the features are for", ..ranker_param("lambdamart") },
        Param {
            name: "settings",
            kind: Kind::Settings,
            default: "auto",
            meaning: "parameters of the ranker; auto: up to 300 trees, or what checking finds best",
        },
        measure_param("ndcg[ties=expected]@10", "what rankings are judged by"),
        Param {
            name: "margin",
            kind: Kind::Real { min: 0.0, max: 0.5 },
            default: "0.02",
            meaning: "share of the measure of all features that may be lost",
        },
        Param {
            name: "level",
            kind: Kind::Real { min: 0.001, max: 0.4 },
            default: "0.05",
            meaning: "chance of recommending a set that loses more",
        },
        Param {
            name: "baseline",
            kind: Kind::Choice(&["mean", "best-feature", "full"]),
            default: "mean",
            meaning: "what risk is measured against: the mean of single features, the best one, or all features together",
        },
        Param {
            name: "alpha",
            kind: Kind::Real { min: 0.0, max: 1000.0 },
            default: "5",
            meaning: "how much more a loss against the baseline weighs than a gain",
        },
        Param {
            name: "methods",
            kind: Kind::Words("auto, or elimination and selectors with commas between"),
            default: "auto",
            meaning: "who proposes sets; auto: as many as the size of the data and the time limit allow",
        },
        folds_param(3, "5", "parts of the queries that are held out in turn"),
    ],
    build: |params| {
        let open = params.text("settings") == "auto";
        let demand = Demand {
            margin: params.real("margin")?,
            level: params.real("level")?,
            alpha: params.real("alpha")?,
        };
        Ok(Box::new(Auto {
            ranker: registry::ranker(params.text("ranker"))?,
            settings: if open { None } else { Some(params.settings("settings")?) },
            measure: params.measure("measure")?,
            demand,
            baseline: match params.text("baseline") {
                "mean" => Baseline::Mean,
                "best-feature" => Baseline::BestFeature,
                _ => Baseline::Full,
            },
            proposers: match params.text("methods") {
                "auto" => None,
                names => Some(portfolio::named(names)?),
            },
            folds: params.whole("folds")? as usize,
        }))
    },
};

/// What is kept to go on after an interruption.
#[derive(Default, Serialize, Deserialize)]
struct State {
    /// Names of the methods, and the share of the queries that they look at.
    methods: Vec<String>,
    share: f64,
    starts: Vec<Start>,
    /// By size, then by fold.
    tested: Vec<Vec<Tested>>,
}

impl Selector for Auto {
    fn select(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        on_threads_of(engine, || self.recommend(run, engine))
    }
}

impl Auto {
    /// The ranker's settings, and whether others may be tried.
    fn settings(&self) -> (Settings, bool) {
        let has = |name: &str| self.ranker.params.iter().any(|param| param.name == name);
        match &self.settings {
            Some(settings) => (settings.clone(), false),
            None if has("trees") => {
                let known = TREES.iter().filter(|(name, _)| has(name));
                (known.map(|&(name, value)| (name.to_owned(), value.to_owned())).collect(), false)
            }
            None => (Vec::new(), true),
        }
    }

    fn recommend(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let candidates = Candidates::of(run, engine)?;
        let features = candidates.all();
        let train = rows(NAME, engine)?;
        self.measure.check_labels(engine.schema().largest_label())?;
        self.check_measure(train)?;
        let joined = match &run.valid {
            Some(valid) => {
                Some(train.joined(rows(NAME, checked_validation(valid.as_ref(), engine, &features)?)?))
            }
            None => None,
        };
        let data = joined.as_ref().unwrap_or(train);
        let mut state: State = run.saved()?.unwrap_or_default();
        if state.methods.is_empty() {
            let values = data.documents() as f64 * features.len() as f64;
            let limit = run.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let (proposers, share) = portfolio::for_data(values, limit)?;
            let proposers = self.proposers.clone().unwrap_or(proposers);
            state.methods = proposers.into_iter().map(|proposer| proposer.name().to_owned()).collect();
            state.share = share;
        }
        let proposers = portfolio::named(&state.methods.join(","))?;
        let informative =
            data.view().labels().filter(|labels| labels.iter().any(|y| *y != labels[0])).count();
        if features.len() < 2 || informative < 4 * self.folds {
            let order = self.last_order(run, data, &features, proposers[0], &[], f64::INFINITY)?;
            let all = scored(&order);
            let mut selection = candidates.select(run, engine, &all, &[])?;
            selection.notes.push(words::too_few(informative, self.folds));
            return Ok(selection);
        }
        let (alive, _) = engine.alive()?;
        self.search(run, engine, &Setting { data, candidates, alive, features, proposers }, state)
    }

    /// Better said now than after rankers are trained.
    fn check_measure(&self, data: &Dataset) -> Result<()> {
        let anything = self.measure.per_query(&vec![0.0; data.documents()], &data.view());
        match self.measure.summary(&anything).is_nan() {
            false => Ok(()),
            true => Err(Error::Conflict {
                what: format!("{} counts no query of the data", self.measure),
                help: "choose another measure, or data with relevant documents".into(),
            }),
        }
    }
}

/// What a search has before it.
struct Setting<'a> {
    data: &'a Dataset,
    candidates: Candidates,
    /// All features that differ within queries, by column: what "all features" are.
    alive: Vec<FeatureId>,
    /// Those of them that may be chosen.
    features: Vec<FeatureId>,
    proposers: Vec<Proposer>,
}

impl Auto {
    fn search(
        &self,
        run: &Run,
        engine: &dyn Engine,
        setting: &Setting<'_>,
        mut state: State,
    ) -> Result<Selection> {
        let Setting { data, features, proposers, .. } = setting;
        let folds = self.deal(data, run.seed, state.share);
        let worker = |fold: usize| Worker { auto: self, run, fold: &folds[fold], features };
        let levels = sizes::levels(&run.constraints, features);
        while state.starts.len() < self.folds && !run.is_out_of_time() {
            state.starts.push(worker(state.starts.len()).start(&setting.alive, proposers)?);
            run.save(&state)?;
            run.step("learning with all features", state.starts.len() as u64, Some(self.folds as u64))?;
        }
        let whole = |of: &dyn Fn(&Start) -> &Vec<Option<f64>>| gathered(state.starts.iter().map(of));
        let (all, baseline) = (whole(&|start| &start.all), whole(&|start| &start.baseline));
        let judge = Judge::new(Yardstick { all: &all, baseline: &baseline }, self.demand, self.demand.level);
        let is_started = state.starts.len() == self.folds;
        let passes = |tested: &[Tested]| {
            let (effectiveness, risk) = judge.tests(&gathered(tested.iter().map(|tested| &tested.per_query)));
            effectiveness.holds && risk.holds
        };
        let mut is_open = is_started && state.tested.iter().all(|tested| passes(tested));
        while is_open && state.tested.len() < levels.len() && !run.is_out_of_time() {
            let size = state.tested.len();
            let of_fold = |fold: usize| {
                let start = &state.starts[fold];
                let first = proposers.iter().position(|proposer| matches!(proposer, Proposer::Elimination));
                let first = first.map_or(&[][..], |place| &start.orders[place]);
                let before = state.tested.last().map_or(first, |tested| &tested[fold].left);
                worker(fold).test(start, levels[size], proposers, before)
            };
            let tested: Vec<Tested> = (0..self.folds).into_par_iter().map(of_fold).collect::<Result<_>>()?;
            is_open = passes(&tested);
            state.tested.push(tested);
            run.save(&state)?;
            run.step("trying sizes", size as u64 + 1, Some(levels.len() as u64))?;
        }
        let is_unfinished = is_open && state.tested.len() < levels.len() || !is_started;
        let verdicts: Vec<_> = state
            .tested
            .iter()
            .map(|tested| judge.tests(&gathered(tested.iter().map(|tested| &tested.per_query))))
            .collect();
        let chosen = verdicts.iter().rposition(|(effectiveness, risk)| effectiveness.holds && risk.holds);
        let advice = self.advice(&state, &folds, &levels, &verdicts, chosen, &all);
        // Without a size that passes: all features, or as many as the user allows.
        let level = chosen.map_or(levels[0], |size| levels[size]);
        let method = best_method(state.tested.get(chosen.unwrap_or(0)), proposers.len());
        let settings = state.starts.first().map(|start| &start.settings[..]).unwrap_or_default();
        let order = self.last_order(run, data, features, proposers[method], settings, level)?;
        let set = sizes::Room::new(&run.constraints, level).first_of(&order);
        let rest: Vec<FeatureId> = order.iter().filter(|f| !set.contains(f)).copied().collect();
        let scores = scored(&[&set[..], &rest].concat());
        let (own, others) = scores.split_at(set.len());
        let mut selection = setting.candidates.select(run, engine, own, others)?;
        selection.notes = words::notes(&advice, &selection, proposers[method].name(), state.share);
        selection.unfinished = is_unfinished;
        Ok(Selection { advice: Some(advice), ..selection })
    }

    /// The folds: parts are dealt by the queries' ids, so that their order has no say.
    fn deal<'a>(&self, data: &'a Dataset, seed: u64, share: f64) -> Vec<Fold<'a>> {
        let keys: Vec<u64> = (0..data.queries().len()).map(|q| data.queries().key(q)).collect();
        // Of large data only some cards are dealt.
        let parts = (self.folds as f64 / share).floor() as usize;
        let dealt = deal(&keys, parts.max(self.folds), seed);
        let part = |which: usize| (0..dealt.len()).filter(|&q| dealt[q] == which).collect::<Vec<_>>();
        let fold = |test: usize| {
            let check = (test + 1) % self.folds;
            let learn =
                (0..dealt.len()).filter(|&q| dealt[q] < self.folds && ![test, check].contains(&dealt[q]));
            Fold { data, learn: learn.collect(), check: part(check), test: part(test) }
        };
        (0..self.folds).map(fold).collect()
    }

    /// The order of one method once more, on all data; elimination goes as far down as `level`.
    fn last_order(
        &self,
        run: &Run,
        data: &Dataset,
        features: &[FeatureId],
        proposer: Proposer,
        settings: &[(String, String)],
        level: f64,
    ) -> Result<Vec<FeatureId>> {
        let fold = match &self.deal(data, run.seed, 1.0)[..] {
            [first, ..] if !first.learn.is_empty() => Fold::whole(data, first.test.clone()),
            _ => {
                Fold { data, learn: (0..data.queries().len()).collect(), check: Vec::new(), test: Vec::new() }
            }
        };
        let worker = Worker { auto: self, run, fold: &fold, features };
        match proposer {
            Proposer::Order(_) => worker.order(proposer),
            Proposer::Elimination => worker.eliminate(settings, level),
        }
    }

    fn advice(
        &self,
        state: &State,
        folds: &[Fold<'_>],
        levels: &[f64],
        verdicts: &[(
            crate::measure::significance::NonInferiority,
            crate::measure::significance::NonInferiority,
        )],
        chosen: Option<usize>,
        all: &[f64],
    ) -> Advice {
        let tried = |(size, tested): (usize, &Vec<Tested>)| {
            let values = gathered(tested.iter().map(|tested| &tested.per_query));
            let (value, error) = mean_and_error(&values);
            Tried {
                features: tested.iter().map(|tested| tested.features).max().unwrap_or(0),
                cost: levels[size],
                methods: tested.iter().map(|tested| state.methods[tested.method].clone()).collect(),
                value,
                error,
                effectiveness: verdicts[size].0.clone(),
                risk: verdicts[size].1.clone(),
            }
        };
        let per_query = chosen.map_or_else(
            || all.to_vec(),
            |size| gathered(state.tested[size].iter().map(|tested| &tested.per_query)),
        );
        let queries = folds.iter().flat_map(|fold| &fold.test).map(|&q| (q, folds[0].data.queries().id(q)));
        Advice {
            ranker: self.ranker.name.to_owned(),
            settings: self.settings().0.into_iter().collect::<BTreeMap<_, _>>(),
            measure: self.measure.to_string(),
            demand: self.demand,
            baseline: match self.baseline {
                Baseline::Mean => "mean of single features",
                Baseline::BestFeature => "best single feature",
                Baseline::Full => "all features",
            }
            .to_owned(),
            folds: self.folds,
            methods: state.methods.clone(),
            all: mean_and_error(all).0,
            tried: state.tested.iter().enumerate().map(tried).collect(),
            chosen,
            next: verdicts.iter().position(|(effectiveness, risk)| !(effectiveness.holds && risk.holds)),
            queries: queries.map(|(_, id)| id.to_owned()).collect(),
            per_query_of_all: counted(all),
            per_query: counted(&per_query),
        }
    }
}

/// The values of all folds, one after the other.
fn gathered<'a>(folds: impl Iterator<Item = &'a Vec<Option<f64>>>) -> Vec<f64> {
    folds.flatten().map(|value| value.unwrap_or(f64::NAN)).collect()
}

/// Over the queries that count.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let counted: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    let count = counted.len() as f64;
    let mean = counted.iter().sum::<f64>() / count;
    let squares: f64 = counted.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0) / count).sqrt())
}

/// The method that does best on average where folds check; the first of equals.
fn best_method(tested: Option<&Vec<Tested>>, methods: usize) -> usize {
    let mean =
        |method: usize| tested.map_or(0.0, |folds| folds.iter().map(|fold| fold.values[method]).sum::<f64>());
    (1..methods).fold(0, |best, method| if mean(method) > mean(best) { method } else { best })
}

/// Features in order with scores that say no more than the order.
fn scored(order: &[FeatureId]) -> Vec<(FeatureId, f64)> {
    let count = order.len() as f64;
    order.iter().enumerate().map(|(place, &f)| (f, (count - place as f64) / count)).collect()
}
