//! The smallest set of features that is non-inferior to all of them in effectiveness and risk, for
//! the user's own ranker and measure.
//!
//! The queries are divided into `folds` folds, and each fold is held out once; small data is
//! divided several times (`repetitions`). In every such cell (`cell.rs`) a few methods
//! (`portfolio.rs`) order the features, and the ranker is trained on the first features of each
//! order, for every size from all features down to one. Every candidate, a size of one method, and
//! all features thus have values for queries that influenced neither the features nor the model.
//!
//! All candidates are tested jointly (`curve.rs`): with probability 1 − `level`, none that passes
//! loses more than the margin. The smallest that passes is recommended. Its features are those on
//! which the sets of its method agree in most cells, which varies less than one set from all data.
//! The guarantee is about the procedure: sets of this size, found this way, lose no more than the
//! margin in expectation over training sets. If no size passes, all features are kept. Risk has
//! tests of its own; `risk` says whether a set has to pass them. Validation data of the run is
//! joined with the training data: folds are better than one fixed part. Features that equal another
//! one are excluded.
//!
//! Least-squares rankers are trained and evaluated by passes, so that the rows may be remote. The
//! proposing methods then use passes as well.

mod advice;
mod cell;
mod curve;
mod portfolio;
mod racing;
mod search;
mod sizes;
mod tuning;
mod words;

use crate::declare::{choice, method};
use crate::engine::passes::Moments;
use crate::engine::{Ask, Engine, JoinedEngine, LocalEngine};
use crate::error::Result;
use crate::rank::tune::Settings;
use crate::rank::{Ranker, RankerSpec};
use crate::run::Run;
use crate::select::candidates::Candidates;
use crate::select::rows::rows;
use crate::select::subsets::{check_counts, checked_validation, on_threads_of};
use crate::select::{Findings, Selector};
pub use advice::{Advice, TestedSize, Verdict};
pub use curve::NonInferiorityDemand;
use portfolio::Proposer;
use search::{SizeSearch, State};

/// The name in the command, in Python and in documents.
pub(crate) const NAME: &str = "auto";

/// Defaults of tree rankers: the number of trees, and the number of trees without improvement that
/// ends training (early stopping).
const TREES: &[(&str, &str)] = &[("trees", "300"), ("patience", "30")];

method! {
    /// Smallest feature set shown to be non-inferior to all features, within a margin, for the
    /// chosen ranker.
    pub struct AutoSelector: Selector as "auto" in Wrapper,
        cites ["wellek2010", "romano2005", "hansen2005", "bayle2020"], Original, Passes,
        with [resumes, uses_valid]
    {
        /// Ranker that will use the selected features.
        let ranker: Ranker = "lambdamart",
        /// Parameters of the ranker; auto: up to 300 trees with early stopping, or tuned on
        /// validation data.
        settings: Settings = "auto",
        /// Measure of ranking quality.
        measure: Measure = "ndcg[ties=expected]@10",
        /// Largest acceptable relative loss of the measure, compared with all features.
        let margin: Real(0.0..=0.5) = "0.02",
        /// Significance level: probability of recommending a set that loses more than the margin.
        let level: Real(0.001..=0.4) = "0.05",
        /// Baseline of the risk: mean of single features, best single feature, or all features.
        baseline: Choice<AutoBaseline> = "mean",
        /// Risk aversion: additional weight of losses against the baseline.
        let alpha: Real(0.0..=1000.0) = "5",
        /// Methods that propose feature sets; auto: as many as data size and time limit allow.
        let methods: Words("auto, or a comma-separated list of elimination and selectors") = "auto",
        /// Number of cross-validation folds over the queries.
        folds: Whole<usize>(3..=100) = "5",
        /// How often the queries are divided into folds; 0: as often as the number of queries
        /// requires, at most 10 times.
        repetitions: Whole<usize>(0..=1000) = "0",
        /// Role of the risk: require that it is within its margin, report it, or ignore it.
        risk: Choice<RiskRule> = "report",
        derive ranker: &'static RankerSpec = ranker.0;
        derive demand: NonInferiorityDemand = NonInferiorityDemand { margin, level, alpha };
        derive proposers: Option<Vec<Proposer>> = portfolio::requested(&methods)?;
    }
}

choice! {
    /// Baseline of the risk.
    pub enum AutoBaseline {
        /// The mean of all single features on each query.
        Mean = "mean",
        /// The feature that is best alone.
        BestFeature = "best-feature",
        /// All features together.
        Full = "full",
    }
}

choice! {
    /// The role of the risk in a recommendation.
    pub enum RiskRule {
        /// A set is recommended only if its risk is shown to be within its margin.
        Require = "require",
        /// The test of the risk is reported, and does not influence the recommendation.
        Report = "report",
        /// The risk is not reported.
        Ignore = "ignore",
    }
}

impl Selector for AutoSelector {
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
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

    /// Whether the ranker stops its training early, on queries that are held out for that.
    fn stops_early(&self) -> bool {
        self.ranker.params.iter().any(|param| param.name == "patience")
    }

    /// Whether early stopping determines a number of trees, with which the ranker can be trained
    /// again.
    fn counts_trees(&self) -> bool {
        self.stops_early() && self.ranker.params.iter().any(|param| param.name == "trees")
    }

    /// The ranker with these settings.
    fn ranker_with(&self, settings: &[(String, String)]) -> Result<Box<dyn Ranker>> {
        self.ranker.with(settings)
    }

    fn recommend(&self, run: &Run, engine: &dyn Engine) -> Result<Findings> {
        let mut candidates = Candidates::for_ranker(run, engine, self.ranker)?;
        let statistics = engine.ask(&Moments)?;
        candidates.exclude_duplicates(&statistics, &run.constraints);
        let features = candidates.all();
        // Reported before rankers are trained.
        check_counts(&self.measure, engine)?;
        let valid = match &run.valid {
            Some(valid) => Some(checked_validation(valid.as_ref(), engine, &features)?),
            None => None,
        };
        let informative =
            engine.schema().informative() + valid.map_or(0, |valid| valid.schema().informative());
        let of_valid = valid.map_or(0, |valid| valid.schema().documents());
        let values = (engine.schema().documents() + of_valid) as f64 * features.len() as f64;
        let mut effort = portfolio::effort(values, informative, run.stop().time_left())?;
        if let Some(proposers) = &self.proposers {
            effort.proposers.clone_from(proposers);
        }
        if self.repetitions > 0 {
            effort.repetitions = self.repetitions;
        }
        let saved: State = run.saved()?.unwrap_or_default();
        let state = saved.planned(&effort);
        let proposers = effort.proposers;
        let joined = valid.map(|valid| self.joined(run, engine, valid, &proposers)).transpose()?;
        let all = joined.as_deref().unwrap_or(engine);
        let (usable, _) = self.ranker.usable(&statistics);
        let own = Run { constraints: candidates.constraints(run), ..run.clone() };
        let search = SizeSearch {
            auto: self,
            run: &own,
            asked: run,
            engine,
            all,
            candidates,
            usable,
            features,
            proposers,
        };
        if search.features.len() < 2 || informative < 4 * self.folds {
            return search.keep_all(&state, words::too_few(informative, self.folds));
        }
        match run.stop().ended_early() {
            // Stopped before the search began, which is repeated to return the features untested.
            stop @ Some(_) => {
                Ok(Findings { unfinished: true, ..search.keep_all(&state, words::no_time(stop))? })
            }
            None => search.finish(state),
        }
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
            Some(method) => {
                let data = rows(method, engine)?.joined(rows(method, valid)?);
                Box::new(LocalEngine::new(data, 0)?.observed_by(run.observer.clone()))
            }
        })
    }
}
