//! The smallest set of features that is as good as all of them, for the user's own ranker and
//! measure, and no riskier.
//!
//! The queries are dealt into `folds` parts. Each part is held out once; the part after it checks,
//! and the others are learnt from. In every fold a few methods (`portfolio.rs`) put the features in
//! order, the ranker is trained on the first ones of each order, and the part that checks says
//! whose set is best. That set ranks the queries held out. So every size has a value for each query
//! that nothing about it has seen, the choice of the method included, and so have all features.
//!
//! Sizes are tested from large to small (`recommendation.rs`) until one cannot be shown to lose
//! less than the margin. The last that passed is recommended; then the method that did best at that
//! size on the parts that check puts the features in order once more, on all data. What is promised
//! is the procedure: that sets of this size, found this way, lose no more than the margin. Where no
//! size passes all features are kept. Validation data, where the run has some, is joined with the
//! training data: held-out parts serve better than one fixed part.
//!
//! Rankers of least squares are trained and judged by passes, so that the rows may be anywhere. The
//! methods that propose then work by passes as well, without validation data: the part that checks
//! takes no part in their choices.

mod advice;
mod fold;
mod portfolio;
mod recommendation;
mod search;
mod sizes;
mod words;

use std::time::Instant;

use crate::engine::passes::Moments;
use crate::engine::{Ask, Engine, JoinedEngine, LocalEngine};
use crate::error::Result;
use crate::measure::Measure;
use crate::params::{Kind, Param, Params};
use crate::rank::tune::Settings;
use crate::rank::{Ranker, RankerSpec};
use crate::registry::{self, Category, Status};
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::judging::{check_counts, checked_validation};
use crate::select::rows::rows;
use crate::select::wrapper::training::{folds_param, measure_param, on_threads_of, ranker_param};
use crate::select::{Selection, Selector, SelectorSpec};
pub use advice::{Advice, Tried};
use portfolio::Proposer;
pub use recommendation::Demand;
use search::{Search, State};

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
    cites: &["wellek2010", "maurer1995", "nadeau2003"],
    status: Status::Original,
    scales_out: true,
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

    /// The ranker with these settings.
    fn ranker_with(&self, settings: &[(String, String)]) -> Result<Box<dyn Ranker>> {
        (self.ranker.build)(&Params::new(self.ranker.name, self.ranker.params, settings)?)
    }

    fn recommend(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let candidates = Candidates::of(run, engine)?;
        let features = candidates.all();
        // Better said now than after rankers are trained.
        check_counts(&self.measure, engine)?;
        let valid = match &run.valid {
            Some(valid) => Some(checked_validation(valid.as_ref(), engine, &features)?),
            None => None,
        };
        let mut state: State = run.saved()?.unwrap_or_default();
        if state.methods.is_empty() {
            let of_valid = valid.map_or(0, |valid| valid.schema().documents());
            let values = (engine.schema().documents() + of_valid) as f64 * features.len() as f64;
            let limit =
                run.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let (proposers, share) = portfolio::for_data(values, limit)?;
            let proposers = self.proposers.clone().unwrap_or(proposers);
            state.methods =
                proposers.into_iter().map(|proposer| proposer.name().to_owned()).collect();
            state.share = share;
        }
        let proposers = portfolio::named(&state.methods.join(","))?;
        let joined = valid.map(|valid| self.joined(run, engine, valid, &proposers)).transpose()?;
        let all = joined.as_deref().unwrap_or(engine);
        let (alive, _) = engine.ask(&Moments)?.alive();
        let search =
            Search { auto: self, run, engine, all, candidates, alive, features, proposers };
        let informative = all.schema().informative();
        if search.features.len() < 2 || informative < 4 * self.folds {
            return search.keep_all(words::too_few(informative, self.folds));
        }
        search.to_the_end(state)
    }

    /// Training and validation data as one, with rows where somebody needs them.
    fn joined<'a>(
        &self,
        run: &Run,
        engine: &'a dyn Engine,
        valid: &'a dyn Engine,
        proposers: &[Proposer],
    ) -> Result<Box<dyn Engine + 'a>> {
        let mut needs_rows = (!self.ranker.scales_out).then_some(self.ranker.name);
        for proposer in proposers {
            needs_rows = needs_rows.or(proposer.needs_rows()?.then_some(proposer.name()));
        }
        Ok(match needs_rows {
            None => Box::new(JoinedEngine::new(engine, valid)),
            Some(who) => {
                let data = rows(who, engine)?.joined(rows(who, valid)?);
                Box::new(LocalEngine::new(data, 0)?.observed_by(run.observer.clone()))
            }
        })
    }
}
