//! The smallest set of features that is as good as all of them, for the user's own ranker and
//! measure, and no riskier.
//!
//! The queries are split into `folds` folds. Each fold is the test data once; the next fold is the
//! validation data, and the others are the training data. In every fold a few methods
//! (`portfolio.rs`) order the features, the ranker is trained on the first ones of each order, and
//! the validation data chooses the best subset, which then ranks the test queries. So every size has
//! a value for each query that influenced nothing, not even the choice of the method, and so have
//! all features.
//!
//! Sizes are tested from large to small (`recommendation.rs`) until one cannot be shown to lose
//! less than the margin. The last that passed is recommended; then the method that did best at that
//! size on validation data orders the features once more, on all data. What is promised
//! is the procedure: that sets of this size, found this way, lose no more than the margin. Where no
//! size passes all features are kept. Validation data of the run is joined with the training data:
//! folds serve better than one fixed part.
//!
//! Least-squares rankers are trained and judged by passes, so that the rows may be anywhere. The
//! methods that propose then work by passes as well, without validation data: the validation fold
//! does not influence their choices.

mod advice;
mod fold;
mod portfolio;
mod recommendation;
mod search;
mod sizes;
mod words;

use std::time::Instant;

use crate::declare::{choice, method};
use crate::engine::passes::Moments;
use crate::engine::{Ask, Engine, JoinedEngine, LocalEngine};
use crate::error::Result;
use crate::rank::tune::Settings;
use crate::rank::{self, Ranker, RankerSpec};
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::rows::rows;
use crate::select::subsets::{check_counts, checked_validation, on_threads_of};
use crate::select::{Selection, Selector};
pub use advice::{Advice, Tried};
use portfolio::Proposer;
pub use recommendation::Demand;
use search::{SizeSearch, State};

/// Its name everywhere.
pub const NAME: &str = "auto";

/// Trees that a ranker of trees gets unless told otherwise, and how many without progress end it.
const TREES: &[(&str, &str)] = &[("trees", "300"), ("patience", "30")];

method! {
    /// The smallest set that is shown to be as good as all features, within a margin, for a ranker
    /// of your choice.
    pub struct AutoSelector: Selector as "auto" in Wrapper,
        cites ["wellek2010", "maurer1995", "nadeau2003"], Original, Passes,
        with [resumes, uses_valid]
    {
        /// Ranker that the features are for.
        let ranker: Ranker = "lambdamart",
        /// Parameters of the ranker; auto: up to 300 trees, or what checking finds best.
        settings: Settings = "auto",
        /// Measure that rankings are compared by.
        measure: Measure = "ndcg[ties=expected]@10",
        /// Share of the measure of all features that may be lost.
        let margin: Real(0.0..=0.5) = "0.02",
        /// Probability of recommending a set that loses more.
        let level: Real(0.001..=0.4) = "0.05",
        /// What risk is measured against: the mean of single features, the best one, or all
        /// features together.
        baseline: Choice<RiskBaseline> = "mean",
        /// How much more a loss against the baseline weighs than a gain.
        let alpha: Real(0.0..=1000.0) = "5",
        /// Methods that propose sets; auto: as many as the size of the data and the time limit allow.
        let methods: Words("auto, or elimination and selectors with commas between") = "auto",
        /// Folds of the queries that are held out in turn.
        folds: Whole<usize>(3..=100) = "5",
        derive ranker: &'static RankerSpec = rank::ranker(&ranker.0)?;
        derive demand: Demand = Demand { margin, level, alpha };
        derive proposers: Option<Vec<Proposer>> = portfolio::requested(&methods)?;
    }
}

choice! {
    /// What risk is measured against.
    pub enum RiskBaseline {
        /// The mean of all single features on each query.
        Mean = "mean",
        /// The feature that is best alone.
        BestFeature = "best-feature",
        /// All features together.
        Full = "full",
    }
}

impl Selector for AutoSelector {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        on_threads_of(engine, || self.recommend(run, engine))
    }
}

impl AutoSelector {
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
        self.ranker.with(settings)
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
            SizeSearch { auto: self, run, engine, all, candidates, alive, features, proposers };
        let informative = all.schema().informative();
        if search.features.len() < 2 || informative < 4 * self.folds {
            return search.keep_all(words::too_few(informative, self.folds));
        }
        search.finish(state)
    }

    /// Training and validation data as one, with rows if the ranker or a method needs them.
    fn joined<'a>(
        &self,
        run: &Run,
        engine: &'a dyn Engine,
        valid: &'a dyn Engine,
        proposers: &[Proposer],
    ) -> Result<Box<dyn Engine + 'a>> {
        let mut needs_rows = (!self.ranker.access.is_passes()).then_some(self.ranker.name);
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
