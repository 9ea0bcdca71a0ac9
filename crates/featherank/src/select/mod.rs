//! Selectors: methods that choose features.

pub mod auto;
mod candidates;
pub mod embedded;
pub mod filter;
pub mod forward;
mod job;
mod judging;
mod rows;
pub mod search;
mod searched;
mod selection;
pub mod wrapper;

use crate::checkpoint::Work;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::params::{Kind, Param, Params};
use crate::rank::RankerSpec;
use crate::registry::{self, Category, Status};
use crate::remedy;
use crate::run::Run;
pub use job::{SelectionJob, SelectionOutcome, UnusedSetting};
pub use searched::{Generation, Member, Searched};
pub use selection::{Chosen, DataSummary, Fit, PathStep, Selection, SetAside};

/// A method that chooses features.
pub trait Selector: Send + Sync {
    /// Chooses features of the data behind the engine, under the run's constraints.
    fn select(&self, run: &Run, engine: &dyn Engine) -> Result<Selection>;
}

/// What the registry holds of a selector.
pub struct SelectorSpec {
    /// Its name everywhere.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Filter, wrapper or embedded.
    pub category: Category,
    /// Keys of papers.
    pub cites: &'static [&'static str],
    /// How close to its paper.
    pub status: Status,
    /// Needs passes only, never rows; where it trains a ranker, with one that needs none.
    pub scales_out: bool,
    /// Keeps checkpoints and goes on from them, and returns the best so far when time is up.
    pub resumes: bool,
    /// Tunes or judges on the run's validation data, where there is some.
    pub uses_valid: bool,
    /// Leaves a model with the chosen features.
    pub leaves_model: bool,
    /// Its parameters.
    pub params: &'static [Param],
    /// Makes the method from checked parameters.
    pub build: fn(&Params) -> Result<Box<dyn Selector>>,
}

impl SelectorSpec {
    /// Runs the method: checks parameters and constraints, selects, and signs the result.
    pub fn run(
        &self,
        set: &[(String, String)],
        run: &Run,
        engine: &dyn Engine,
    ) -> Result<Selection> {
        let params = Params::new(self.name, self.params, set)?;
        if engine.local().is_none() {
            self.check_elsewhere(set)?;
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
        let checkpoint = match &run.checkpoint {
            Some(checkpoint) => Some(checkpoint.of(self.work(set, run, engine)?)),
            None => None,
        };
        let run = &Run { checkpoint, ..run.clone() };
        let mut selection = (self.build)(&params)?.select(run, engine)?;
        selection.sign(self.name, &params, run, &schema.features);
        Ok(selection)
    }

    /// Whether it takes rows with these parameters, as far as the registry knows.
    pub fn needs_rows(&self, set: &[(String, String)]) -> Result<bool> {
        let params = Params::new(self.name, self.params, set)?;
        Ok(!self.scales_out || self.ranker(&params)?.is_some_and(|ranker| !ranker.scales_out))
    }

    /// Refuses what cannot be done where rows are not in this process, as far as the registry
    /// knows: better said before they are looked for.
    pub fn check_elsewhere(&self, set: &[(String, String)]) -> Result<()> {
        match self.ranker(&Params::new(self.name, self.params, set)?)? {
            _ if !self.scales_out => Err(rows::needs_rows(self.name)),
            Some(ranker) if !ranker.scales_out => Err(rows::ranker_needs_rows(self.name, ranker)),
            _ => Ok(()),
        }
    }

    /// The ranker that it trains, where it trains one.
    fn ranker(&self, params: &Params) -> Result<Option<&'static RankerSpec>> {
        let names = self.params.iter().find(|param| matches!(param.kind, Kind::Ranker));
        names.map(|param| registry::ranker(params.text(param.name))).transpose()
    }

    /// What [`run`](Self::run) does, told apart from everything else.
    pub fn work(&self, set: &[(String, String)], run: &Run, engine: &dyn Engine) -> Result<Work> {
        let params = Params::new(self.name, self.params, set)?;
        Ok(Work {
            method: self.name.to_owned(),
            parameters: params
                .iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            seed: run.seed,
            constraints: run.constraints.clone(),
            data: engine.schema().fingerprint.clone(),
            valid: run.valid.as_ref().map(|valid| valid.schema().fingerprint.clone()),
            release: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}
