//! Selectors: methods that choose features.
//!
//! The methods are filters, wrappers, embedded methods and [`AutoSelector`]; each has a builder,
//! and [`selector()`] finds them by name. All return a [`Selection`]: the chosen features, the
//! order of the others, and a model if the method trains one. [`SelectionJob`] runs a method with
//! time limit, checkpoint and output files, as the command does. A crate adds a method by
//! implementing [`Selector`]; [`forward`] contains the loop of methods that add one feature at a
//! time.

pub mod auto;
mod candidates;
pub(crate) mod embedded;
mod exported;
pub(crate) mod filter;
mod findings;
pub mod forward;
mod job;
mod request;
mod rows;
pub(crate) mod search;
mod searched;
mod selection;
mod shared_params;
mod subsets;
mod verdict;
mod wrapper;

use crate::checkpoint::{Checkpoint, Work};
use crate::declare::{Category, DataAccess, Declared, Status};
use crate::engine::passes::Moments;
use crate::engine::{Ask, Engine, Schema};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::names::unknown;
use crate::params::{Kind, Param, Params};
use crate::rank::{ChosenRanker, RankerSpec};
use crate::remedy;
use crate::run::Run;
pub use auto::AutoSelector;
pub use embedded::eg_rank::EGRank;
pub use embedded::fenchel_rank::{FenchelRank, FenchelStart};
pub use embedded::fsm_rank::FSMRank;
pub use embedded::greedy_rank_rls::GreedyRankRLS;
pub use embedded::l1_svm::L1SVM;
pub use embedded::nonconvex_svm::{NonconvexSVM, PenaltyName};
pub use embedded::rank_rwfs::{RankL2AROM, RankRWFSL0, RankRWFSL1};
pub use embedded::rs_rank::{RSRank, RSRankTruncation};
pub use embedded::sample::Standardisation;
pub use exported::Exportable;
pub use filter::best_gain::BestGain;
pub use filter::cfs::{CFS, UndefinedCorrelation};
pub use filter::consistency::{Consistency, ConsistencySearch};
pub use filter::discrete::mdl::Encoding;
pub use filter::div_fs::{DivFS, DiversityRule};
pub use filter::fcbf::FCBF;
pub use filter::gas::GAS;
pub use filter::hcas::{HCAS, Linkage};
pub use filter::hierarchical::{Hierarchical, Representative};
pub use filter::interact::Interact;
pub use filter::mrmr::{MRMR, MRMRForm, RelevanceScaling};
pub use filter::ngas::NGAS;
pub use filter::rank_filter::{RankFilter, ReliefScale};
pub use filter::relevance::RelevanceModel;
pub use filter::top_k::TopK;
pub use filter::xgas::XGAS;
pub use findings::Findings;
pub use job::{SelectionJob, SelectionOutcome, UnusedSetting};
pub use request::RecordedConstraints;
pub use searched::{FrontSubset, Generation, Searched};
pub use selection::{
    ChosenFeature, DataSummary, Exclusion, FittedModel, PathStep, Selection, SetAside,
};
pub use verdict::{Evidence, KeyFigure, SelectionVerdict};
pub use wrapper::backward::Backward;
pub use wrapper::best_first::BestFirst;
pub use wrapper::boruta::{Boruta, TentativeRule};
pub use wrapper::btfs::BTFS;
pub use wrapper::greedy::GreedyForward;
pub use wrapper::mofsrank::{InstanceShares, MOFSRank, MOFSRankChoice, SearchEffort};
pub use wrapper::rank_wrapper::RankWrapper;
pub use wrapper::rfe::RFE;
pub use wrapper::spea2::{FrontChoice, SPEA2, SPEA2Test};

/// All selectors, in the order they are listed.
pub static SELECTORS: &[&SelectorSpec] = &[
    &auto::AutoSelector::SPEC,
    &filter::top_k::TopK::SPEC,
    &filter::best_gain::BestGain::SPEC,
    &filter::gas::GAS::SPEC,
    &filter::div_fs::DivFS::SPEC,
    &filter::mrmr::MRMR::SPEC,
    &filter::fcbf::FCBF::SPEC,
    &filter::cfs::CFS::SPEC,
    &filter::consistency::Consistency::SPEC,
    &filter::interact::Interact::SPEC,
    &filter::ngas::NGAS::SPEC,
    &filter::xgas::XGAS::SPEC,
    &filter::hcas::HCAS::SPEC,
    &filter::hierarchical::Hierarchical::SPEC,
    &filter::rank_filter::RankFilter::SPEC,
    &wrapper::greedy::GreedyForward::SPEC,
    &wrapper::spea2::SPEA2::SPEC,
    &wrapper::backward::Backward::SPEC,
    &wrapper::rfe::RFE::SPEC,
    &wrapper::boruta::Boruta::SPEC,
    &wrapper::rank_wrapper::RankWrapper::SPEC,
    &wrapper::btfs::BTFS::SPEC,
    &wrapper::best_first::BestFirst::SPEC,
    &wrapper::mofsrank::MOFSRank::SPEC,
    &embedded::l1_svm::L1SVM::SPEC,
    &embedded::rank_rwfs::RankRWFSL1::SPEC,
    &embedded::rank_rwfs::RankRWFSL0::SPEC,
    &embedded::rank_rwfs::RankL2AROM::SPEC,
    &embedded::fenchel_rank::FenchelRank::SPEC,
    &embedded::fsm_rank::FSMRank::SPEC,
    &embedded::nonconvex_svm::NonconvexSVM::SPEC,
    &embedded::greedy_rank_rls::GreedyRankRLS::SPEC,
    &embedded::eg_rank::EGRank::SPEC,
    &embedded::rs_rank::RSRank::SPEC,
];

/// The selector with this name.
pub fn selector(name: &str) -> Result<&'static SelectorSpec> {
    let found = SELECTORS.iter().find(|spec| spec.name == name).copied();
    found.ok_or_else(|| unknown("selector", name, SELECTORS.iter().map(|spec| spec.name)))
}

/// A method that chooses features. Selectors implement [`search`](Selector::search); users call
/// [`select`](Selector::select).
pub trait Selector: Declared<SelectorSpec> + Send + Sync {
    /// Chooses features of the data behind the engine, under the run's constraints. The data and
    /// the constraints are checked; [`select`](Selector::select) makes the document of the
    /// findings.
    fn search(&self, run: &Run, engine: &dyn Engine) -> Result<Findings>;

    /// Checks data and constraints, and chooses features. Thresholds of relevance that are not set
    /// and do not divide the labels are replaced; a note says so.
    fn select(&self, run: &Run, engine: &dyn Engine) -> Result<Selection> {
        let (spec, labels) = (self.spec(), engine.schema().label_frequencies());
        match self.params().for_labels(spec.params, &labels) {
            Some(adapted) => {
                let selector = (spec.build)(&adapted.params)?;
                selected(selector.as_ref(), run, engine, Some(adapted.note))
            }
            None => selected(self, run, engine, None),
        }
    }
}

/// Checks data and constraints, searches, and makes the document; `note` follows the notes of the
/// search.
fn selected<S: Selector + ?Sized>(
    selector: &S,
    run: &Run,
    engine: &dyn Engine,
    note: Option<String>,
) -> Result<Selection> {
    let (spec, params) = (selector.spec(), selector.params());
    spec.check_data(params, run, engine)?;
    let of_this = |checkpoint: &Checkpoint| checkpoint.of(spec.work_with(params, run, engine));
    let checkpoint = run.checkpoint.as_ref().map(of_this);
    let run = &Run { checkpoint, ..run.clone() };
    let mut found = match run.unless_stopped(selector.search(run, engine))? {
        Some(found) => found,
        // Stopped before the method had a result: it may still find one in the time granted.
        None => selector.search(run, engine)?,
    };
    found.notes.extend(note);
    if let Some(data) = engine.local() {
        let view = data.view();
        let measures = spec.measures(params)?.into_iter();
        found.notes.extend(measures.filter_map(|(_, measure)| measure.scarcity_note(&view)));
    }
    let statistics = engine.ask(&Moments)?;
    Ok(Selection::new(spec, params, run, engine.schema(), &statistics, found))
}

/// The registry's entry for a selector.
pub struct SelectorSpec {
    /// The name in the command, in Python and in documents.
    pub name: &'static str,
    /// The name of its type, and of its class in Python.
    pub type_name: &'static str,
    /// A summary of one line.
    pub summary: &'static str,
    /// Filter, wrapper or embedded.
    pub category: Category,
    /// Keys of the papers.
    pub cites: &'static [&'static str],
    /// How closely it follows its paper.
    pub status: Status,
    /// The access to the data that it needs, in addition to that of the ranker that it trains.
    pub access: DataAccess,
    /// Whether it writes checkpoints, resumes from them, and returns the best result so far at the
    /// time limit or when it is interrupted. The other methods return nothing then.
    pub resumes: bool,
    /// Whether it uses the run's validation data for tuning or evaluation, if available.
    pub uses_valid: bool,
    /// Whether it returns a model of the chosen features.
    pub leaves_model: bool,
    /// Whether it compares all pairs of features, in memory that grows with the square of their
    /// number.
    pub compares_pairs: bool,
    /// Its parameters.
    pub params: &'static [Param],
    /// Builds the method from checked parameters.
    pub build: fn(&Params) -> Result<Box<dyn Selector>>,
}

impl SelectorSpec {
    /// Checks the parameters, builds the method and selects.
    pub fn run(
        &self,
        set: &[(String, String)],
        run: &Run,
        engine: &dyn Engine,
    ) -> Result<Selection> {
        (self.build)(&Params::new(self.name, self.params, set)?)?.select(run, engine)
    }

    /// Rejects data and constraints that the method does not support.
    fn check_data(&self, params: &Params, run: &Run, engine: &dyn Engine) -> Result<()> {
        if engine.local().is_none() {
            self.refuse_remote(params)?;
        }
        let schema = engine.schema();
        run.constraints.check(&schema.features)?;
        if let Some(&f) = schema.missing.first() {
            return Err(Error::unsupported(
                format!(
                    "{} does not support missing values, and feature {} has some",
                    self.name,
                    schema.features.label(f)
                ),
                remedy!["to read missing values as 0, ", MissingAsZero.set()],
            ));
        }
        if schema.all_equal == schema.queries() as u64 {
            return Err(Error::nothing_counts(
                "no query has documents of different relevance, so no feature ranks better than another",
                "check the labels",
            ));
        }
        self.check_measures(params, schema)?;
        let valid = run.valid.as_ref().filter(|_| self.uses_valid);
        valid.map_or(Ok(()), |valid| self.check_measures(params, valid.schema()))
    }

    /// Rejects measures that are the same for every ranking of the data.
    fn check_measures(&self, params: &Params, schema: &Schema) -> Result<()> {
        let labels = schema.label_frequencies();
        let mut measures = self.measures(params)?.into_iter();
        measures.try_for_each(|(name, measure)| measure.check_divides(name, &labels))
    }

    /// The parameters that hold measures, by name.
    fn measures(&self, params: &Params) -> Result<Vec<(&'static str, Measure)>> {
        let declared = self.params.iter().filter(|param| param.kind == Kind::Measure);
        declared.map(|param| Ok((param.name, params.text(param.name).parse()?))).collect()
    }

    /// The access to the data that the method and its ranker need with these parameters.
    pub fn data_access(&self, set: &[(String, String)]) -> Result<DataAccess> {
        let params = Params::new(self.name, self.params, set)?;
        let of_ranker = self.ranker(&params)?.map_or(DataAccess::Passes, |ranker| ranker.access);
        Ok(if self.access.is_passes() { of_ranker } else { self.access })
    }

    /// Rejects parameters with which the method needs rows, for data that is not in this process;
    /// to be called before the data is opened.
    pub fn check_remote(&self, set: &[(String, String)]) -> Result<()> {
        self.refuse_remote(&Params::new(self.name, self.params, set)?)
    }

    fn refuse_remote(&self, params: &Params) -> Result<()> {
        match self.ranker(params)? {
            _ if !self.access.is_passes() => Err(rows::needs_rows(self.name)),
            Some(ranker) if !ranker.access.is_passes() => {
                Err(rows::ranker_needs_rows(self.name, ranker))
            }
            _ => Ok(()),
        }
    }

    /// The ranker that the method trains, if it trains one.
    fn ranker(&self, params: &Params) -> Result<Option<&'static RankerSpec>> {
        let names = self.params.iter().find(|param| matches!(param.kind, Kind::Ranker));
        let chosen = names.map(|param| params.get::<ChosenRanker>(param.name)).transpose()?;
        Ok(chosen.map(|ChosenRanker(spec)| spec))
    }

    /// The identity of a [`run`](Self::run): checkpoints of other work are rejected.
    #[cfg(feature = "experiments")]
    pub(crate) fn work(
        &self,
        set: &[(String, String)],
        run: &Run,
        engine: &dyn Engine,
    ) -> Result<Work> {
        Ok(self.work_with(&Params::new(self.name, self.params, set)?, run, engine))
    }

    fn work_with(&self, params: &Params, run: &Run, engine: &dyn Engine) -> Work {
        Work {
            method: self.name.to_owned(),
            parameters: params.to_map(),
            seed: run.seed,
            constraints: run.constraints.clone(),
            data: engine.schema().fingerprint.clone(),
            valid: run.valid.as_ref().map(|valid| valid.schema().fingerprint.clone()),
            release: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}
