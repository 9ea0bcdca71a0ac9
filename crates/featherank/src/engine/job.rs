//! Jobs: a request together with the place where its answers go, without their types, so that
//! engines stay object safe and no engine knows what passes there are.
//!
//! Every engine leaves exactly one complete answer on the job: it adds the answers of its blocks,
//! then calls [`Job::complete`]. An engine made of two engines runs both and then calls
//! [`Job::join`].

use std::any::{Any, TypeId};
use std::sync::Arc;

use rayon::prelude::*;

#[cfg(feature = "shards")]
use super::codec::{append, take};
use super::pass::{Merge, Pass};
use super::tree::{MergeTree, Node};
use super::{Block, QuerySample};
use crate::error::{Error, Result};
use crate::stop::StopToken;

/// Bytes that a pass moved to other processes and back, all shards together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Bytes of requests.
    pub sent: u64,
    /// Bytes of replies.
    pub received: u64,
}

impl std::ops::Add for Traffic {
    type Output = Traffic;

    fn add(self, other: Traffic) -> Traffic {
        Traffic { sent: self.sent + other.sent, received: self.received + other.received }
    }
}

/// A request and its answers, without their types. Implemented in this crate only; engines receive
/// jobs from [`Ask::ask`](super::Ask::ask).
pub trait Job: Send + sealed::Sealed {
    /// [`Pass::NAME`].
    fn name(&self) -> &'static str;
    /// [`Pass::ACTIVITY`].
    fn activity(&self) -> &'static str;
    /// [`Pass::answer_bytes`].
    fn answer_bytes(&self) -> u64;
    /// The type of the request.
    fn pass_type(&self) -> TypeId;
    /// Only queries in all of these samples answer.
    fn query_samples(&self) -> Vec<QuerySample>;
    /// Answers blocks in parallel, unless the token is stopped. `first` is the number of the first
    /// of them; blocks arrive in the order of the data.
    fn answer_blocks(&mut self, first: u64, blocks: &[Block<'_>], stop: &StopToken) -> Result<()>;
    /// Merges the answers of the blocks since the last complete answer into the next one; an error
    /// if there are none.
    fn complete(&mut self) -> Result<()>;
    /// Merges the last two complete answers into one; an error if there are fewer.
    fn join(&mut self) -> Result<()>;
    /// Appends the encoded request to a message.
    #[cfg(feature = "shards")]
    fn append_request(&self, message: Vec<u8>) -> Result<Vec<u8>>;
    /// Adds encoded answers of a shard, whose first block must be `first`; returns the number of
    /// the block after the last.
    #[cfg(feature = "shards")]
    fn accept(&mut self, answers: &[u8], first: u64) -> Result<u64>;
    /// Encoded size of the last complete answer, in bytes.
    #[cfg(feature = "shards")]
    fn answer_size(&self) -> Result<u64>;
    /// What the job moved to other processes and back; `None` if all rows were in this one.
    fn traffic(&mut self) -> &mut Option<Traffic>;
    /// The last complete answer, if engines keep it ([`Pass::CACHED`]).
    fn cacheable(&self) -> Option<Arc<dyn Any + Send + Sync>>;
    /// Whether an engine may keep the answer, or supply it from its cache.
    fn is_cached(&self) -> bool;
    /// Takes a cached answer as a complete one; `false` if it has another type.
    fn supply(&mut self, answer: &(dyn Any + Send + Sync)) -> bool;
}

mod sealed {
    pub trait Sealed {}
}

/// The only kind of request that has answers; see [`Job`].
pub(crate) struct TypedJob<'p, P: Pass> {
    pass: &'p P,
    tree: MergeTree<P::Answer>,
    complete: Vec<P::Answer>,
    traffic: Option<Traffic>,
}

impl<'p, P: Pass> TypedJob<'p, P> {
    pub fn new(pass: &'p P) -> Self {
        TypedJob { pass, tree: MergeTree::new(), complete: Vec::new(), traffic: None }
    }

    /// The answer that an engine left.
    pub fn into_answer(mut self) -> Result<P::Answer> {
        match (self.complete.pop(), self.complete.is_empty()) {
            (Some(answer), true) => Ok(answer),
            _ => Err(incomplete()),
        }
    }

    /// Appends the answers of blocks, merged as far as possible, to a message.
    #[cfg(feature = "shards")]
    pub fn append_answers(self, message: Vec<u8>) -> Result<Vec<u8>> {
        append(message, &self.tree.into_nodes())
    }
}

/// The answers of blocks, in parallel. The answer of a block that a stop cut short is dropped.
pub(super) fn answer_unless_stopped<P: Pass>(
    pass: &P,
    blocks: &[Block<'_>],
    stop: &StopToken,
) -> Result<Vec<P::Answer>> {
    let answer = |block: &Block<'_>| {
        stop.check()?;
        let answer = pass.answer(&block.stopped_by(stop));
        stop.check().map(|()| answer)
    };
    blocks.par_iter().map(answer).collect()
}

fn incomplete() -> Error {
    Error::internal(
        "an engine did not answer the pass that it was sent",
        "check the engine's `run`: it must complete the job exactly once",
    )
}

impl<P: Pass> sealed::Sealed for TypedJob<'_, P> {}

impl<P: Pass> Job for TypedJob<'_, P> {
    fn name(&self) -> &'static str {
        P::NAME
    }

    fn activity(&self) -> &'static str {
        P::ACTIVITY
    }

    fn answer_bytes(&self) -> u64 {
        self.pass.answer_bytes()
    }

    fn pass_type(&self) -> TypeId {
        TypeId::of::<P>()
    }

    fn query_samples(&self) -> Vec<QuerySample> {
        Vec::new()
    }

    fn answer_blocks(&mut self, first: u64, blocks: &[Block<'_>], stop: &StopToken) -> Result<()> {
        let answers = answer_unless_stopped(self.pass, blocks, stop)?;
        for (number, answer) in (first..).zip(answers) {
            self.tree.push(Node::leaf(number, answer));
        }
        Ok(())
    }

    fn complete(&mut self) -> Result<()> {
        let tree = std::mem::replace(&mut self.tree, MergeTree::new());
        self.complete.push(tree.finish().ok_or_else(incomplete)?);
        Ok(())
    }

    fn join(&mut self) -> Result<()> {
        let next = self.complete.pop().ok_or_else(incomplete)?;
        let first = self.complete.pop().ok_or_else(incomplete)?;
        self.complete.push(first.merge(next));
        Ok(())
    }

    #[cfg(feature = "shards")]
    fn append_request(&self, message: Vec<u8>) -> Result<Vec<u8>> {
        append(message, self.pass)
    }

    #[cfg(feature = "shards")]
    fn accept(&mut self, answers: &[u8], first: u64) -> Result<u64> {
        let nodes: Vec<Node<P::Answer>> = take(answers)?;
        let mut next = first;
        for node in nodes {
            if node.first != next || !node.is_aligned() {
                return Err(incomplete());
            }
            next = node.end();
            self.tree.push(node);
        }
        Ok(next)
    }

    #[cfg(feature = "shards")]
    fn answer_size(&self) -> Result<u64> {
        let answer = self.complete.last().ok_or_else(incomplete)?;
        Ok(append(Vec::new(), answer)?.len() as u64)
    }

    fn traffic(&mut self) -> &mut Option<Traffic> {
        &mut self.traffic
    }

    fn cacheable(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        let answer = self.complete.last().filter(|_| P::CACHED)?;
        Some(Arc::new(answer.clone()))
    }

    fn is_cached(&self) -> bool {
        P::CACHED
    }

    fn supply(&mut self, answer: &(dyn Any + Send + Sync)) -> bool {
        let answer: Option<&P::Answer> = answer.downcast_ref();
        self.complete.extend(answer.cloned());
        answer.is_some()
    }
}

/// A job for some of the queries.
pub(crate) struct RestrictedJob<'a> {
    pub job: &'a mut dyn Job,
    /// Only queries in all of these samples answer.
    pub samples: &'a [QuerySample],
}

impl sealed::Sealed for RestrictedJob<'_> {}

impl Job for RestrictedJob<'_> {
    fn name(&self) -> &'static str {
        self.job.name()
    }

    fn activity(&self) -> &'static str {
        self.job.activity()
    }

    fn answer_bytes(&self) -> u64 {
        self.job.answer_bytes()
    }

    fn pass_type(&self) -> TypeId {
        self.job.pass_type()
    }

    fn query_samples(&self) -> Vec<QuerySample> {
        let mut samples = self.job.query_samples();
        samples.extend_from_slice(self.samples);
        samples
    }

    fn answer_blocks(&mut self, first: u64, blocks: &[Block<'_>], stop: &StopToken) -> Result<()> {
        let samples = self.samples;
        let restricted: Vec<Block<'_>> =
            blocks.par_iter().map(|block| block.restricted(samples)).collect();
        self.job.answer_blocks(first, &restricted, stop)
    }

    fn complete(&mut self) -> Result<()> {
        self.job.complete()
    }

    fn join(&mut self) -> Result<()> {
        self.job.join()
    }

    #[cfg(feature = "shards")]
    fn append_request(&self, message: Vec<u8>) -> Result<Vec<u8>> {
        self.job.append_request(message)
    }

    #[cfg(feature = "shards")]
    fn accept(&mut self, answers: &[u8], first: u64) -> Result<u64> {
        self.job.accept(answers, first)
    }

    #[cfg(feature = "shards")]
    fn answer_size(&self) -> Result<u64> {
        self.job.answer_size()
    }

    fn traffic(&mut self) -> &mut Option<Traffic> {
        self.job.traffic()
    }

    fn cacheable(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        None
    }

    fn is_cached(&self) -> bool {
        false
    }

    fn supply(&mut self, _: &(dyn Any + Send + Sync)) -> bool {
        false
    }
}
