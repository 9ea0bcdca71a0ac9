//! What a pass is: a request that every block of queries answers on its own.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Block, Schema};
use crate::data::FeatureId;
use crate::error::{Error, Result};

/// A request that every block of queries answers on its own.
///
/// A pass is a pure function of the request and the rows. One file holds the request, its check,
/// the computation, the answer and its merge; [`Ask::ask`](super::Ask::ask) sends the request to
/// any engine. Local engines run every pass; shards run those in the lists `passes!` of
/// `engine/passes/mod.rs` and `rank/passes/mod.rs`.
///
/// ```
/// use featherank::data::synth::{Preset, generate};
/// use featherank::engine::{Ask, Block, LocalEngine, Merge, Pass};
/// use serde::{Deserialize, Serialize};
///
/// /// Counts documents whose label is at least `label`.
/// #[derive(Serialize, Deserialize)]
/// struct CountLabels {
///     label: f32,
/// }
///
/// #[derive(Clone, Serialize, Deserialize)]
/// struct Count(u64);
///
/// impl Merge for Count {
///     fn merge(self, next: Self) -> Self {
///         Count(self.0 + next.0)
///     }
/// }
///
/// impl Pass for CountLabels {
///     type Answer = Count;
///     const NAME: &'static str = "count-labels";
///     const ACTIVITY: &'static str = "counting labels";
///
///     fn answer(&self, block: &Block<'_>) -> Count {
///         Count(block.labels().flatten().filter(|&&label| label >= self.label).count() as u64)
///     }
/// }
///
/// let engine = LocalEngine::new(generate(&Preset::Tiny.config())?.0, 1)?;
/// assert_eq!(engine.ask(&CountLabels { label: 100.0 })?.0, 0);
/// # Ok::<(), featherank::Error>(())
/// ```
pub trait Pass: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The answer of one block, and of all blocks together.
    type Answer: Merge + Clone + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// The name of the pass in messages and in `--explain`.
    const NAME: &'static str;
    /// What the pass does, for progress bars.
    const ACTIVITY: &'static str;
    /// Whether engines keep the answer and do not compute it twice. Only for requests without
    /// parameters.
    const CACHED: bool = false;

    /// Refuses a request that contradicts itself or the data. Engines call this before any row is
    /// read. A shard checks requests, too, against a schema that has features and no labels.
    fn check(&self, _schema: &Schema) -> Result<()> {
        Ok(())
    }

    /// The memory that one block takes to answer, in bytes, if it grows with the square of the
    /// number of features; else 0. Engines answer fewer blocks at the same time if it is large, and
    /// [`check_memory`](Pass::check_memory) rejects what does not fit at all.
    fn answer_bytes(&self) -> u64 {
        0
    }

    /// Refuses a request whose answer exceeds the memory limit of the engine.
    fn check_memory(&self, _limit: u64) -> Result<()> {
        Ok(())
    }

    /// The answer of the queries of one block, of which there may be none.
    fn answer(&self, block: &Block<'_>) -> Self::Answer;
}

/// An answer that can be merged with the answer of the blocks that follow.
pub trait Merge {
    /// Adds the answer of the blocks that follow.
    #[must_use]
    fn merge(self, next: Self) -> Self;
}

/// Refuses features that the schema does not have.
pub(crate) fn check_features(schema: &Schema, features: &[FeatureId]) -> Result<()> {
    let count = schema.features.len();
    match features.iter().find(|feature| feature.index() >= count) {
        Some(f) => Err(Error::invalid(
            "feature index",
            f.0,
            format!("below {count}, the number of features"),
        )),
        None => Ok(()),
    }
}

/// Refuses a list that is not as long as it must be.
pub(crate) fn check_length(what: &'static str, found: usize, expected: usize) -> Result<()> {
    match found == expected {
        true => Ok(()),
        false => Err(Error::invalid(what, found, format!("{expected}, one per feature"))),
    }
}

/// Sees the types of passes.
#[cfg(feature = "shards")]
pub(crate) trait PassVisitor {
    /// Called once for each pass.
    fn visit<P: Pass>(&mut self);
}
