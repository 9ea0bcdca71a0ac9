//! The engine: methods reach rows only by sending passes through it.
//!
//! A [`Pass`] is a small request; its answer is small, too, and can be merged with the answers of
//! other rows. A pass is a pure function of the rows and the request, so a lost shard is simply
//! asked again. Rows are visited in blocks of queries whose borders depend on the data alone, and
//! answers are merged in an order that depends on the number of blocks alone: results have the same
//! bits for any number of threads and shards.
//!
//! ```
//! use featherank::data::synth::{Preset, generate};
//! use featherank::engine::passes::{Centring, Gram};
//! use featherank::engine::{Ask, Engine, LocalEngine};
//!
//! let engine = LocalEngine::new(generate(&Preset::Tiny.config())?.0, 1)?;
//! let features = engine.schema().features.iter().map(|(feature, _)| feature).collect();
//! let sums = engine.ask(&Gram::new(features, Centring::PerQuery))?;
//! assert_eq!(sums.count, engine.schema().documents());
//! # Ok::<(), featherank::Error>(())
//! ```

mod answer_cache;
pub(crate) mod block;
#[cfg(feature = "shards")]
pub(crate) mod codec;
mod correlation;
mod job;
mod local;
pub(crate) mod part;
mod pass;
pub mod passes;
mod query_sample;
mod schema;
mod tree;

use crate::data::Dataset;
use crate::error::Result;
use crate::progress::Step;
use crate::stop::StopToken;
#[cfg(feature = "shards")]
pub(crate) use answer_cache::AnswerCache;
pub(crate) use block::BLOCKS_IN_MEMORY;
pub use block::Block;
pub(crate) use block::answer_view;
#[cfg(feature = "shards")]
pub(crate) use block::{RowBlocks, block_ranges};
pub use correlation::{CorrelationMatrix, Scope, correlations};
#[cfg(feature = "shards")]
pub(crate) use job::RestrictedJob;
pub(crate) use job::TypedJob;
pub use job::{Job, Traffic};
pub use local::LocalEngine;
#[cfg(feature = "shards")]
pub(crate) use local::thread_pool;
pub(crate) use part::JoinedEngine;
pub use part::PartEngine;
#[cfg(feature = "shards")]
pub(crate) use pass::PassVisitor;
pub use pass::{Merge, Pass};
pub(crate) use pass::{check_features, check_length};
pub use passes::LabelCount;
pub use query_sample::{QueryFolds, QuerySample};
pub use schema::Schema;
#[cfg(feature = "shards")]
pub(crate) use schema::SchemaPart;

/// Access to rows, in this process or in others. Many threads may use an engine at the same time.
pub trait Engine: Send + Sync {
    /// Features, labels and query sizes of the data; never rows.
    fn schema(&self) -> &Schema;
    /// Runs a job on all rows, and leaves one complete answer on it ([`Job::complete`]). Callers
    /// use [`Ask::ask`].
    fn run(&self, job: &mut dyn Job) -> Result<()>;
    /// The data set itself, if its rows are in this process.
    fn local(&self) -> Option<&Dataset>;
    /// Runs work that sends many small passes on a thread that answers them without delay.
    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        work();
    }
    /// The memory that answers may take, in bytes; by default what the machine and the control
    /// groups of the process allow.
    fn memory_limit(&self) -> u64 {
        crate::memory::limit()
    }
    /// Reports a step of work outside passes to the engine's observer; an error if the observer
    /// stops the run.
    fn step(&self, _step: &Step) -> Result<()> {
        Ok(())
    }
    /// The token that stops passes and steps.
    fn stop(&self) -> StopToken {
        StopToken::default()
    }
}

/// Typed requests to any engine: what methods call.
pub trait Ask: Engine {
    /// Checks a request, runs it on all rows and returns the merged answer.
    fn ask<P: Pass>(&self, pass: &P) -> Result<P::Answer> {
        pass.check(self.schema())?;
        pass.check_memory(self.memory_limit())?;
        let mut job = TypedJob::new(pass);
        self.run(&mut job)?;
        job.into_answer()
    }
}

impl<E: Engine + ?Sized> Ask for E {}
