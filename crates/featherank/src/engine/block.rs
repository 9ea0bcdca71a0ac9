//! Blocks of queries: the unit of work of every engine, and rows in memory that answer block by
//! block.
//!
//! The borders of blocks depend on the data alone, so that answers do not depend on the machine.

use std::any::Any;
use std::ops::{Deref, Range};
use std::sync::{Mutex, PoisonError};

use super::job::answer_unless_stopped;
use super::pass::Pass;
use super::tree::{MergeTree, Node};
use super::{Job, QuerySample};
use crate::data::{Dataset, View};
use crate::error::Result;
use crate::memory::blocks_at_once;
use crate::stop::StopToken;

/// Documents per block, at least. Fixed, because results must not depend on the machine.
const BLOCK_DOCUMENTS: usize = 4096;

/// Blocks whose answers are in memory at the same time, for answers that are large.
pub(crate) const BLOCKS_IN_MEMORY: usize = 32;

/// Neighbouring queries that answer a pass together.
pub struct Block<'a> {
    view: View<'a>,
    cache: Option<&'a BlockCache>,
    stop: StopToken,
}

impl<'a> Block<'a> {
    /// These queries, with nothing cached from earlier passes.
    pub fn of(view: View<'a>) -> Self {
        Block { view, cache: None, stop: StopToken::default() }
    }

    /// The block's queries that are in all of these samples.
    pub(super) fn restricted(&self, samples: &[QuerySample]) -> Self {
        let queries = self.view.data().queries();
        let is_in = |&query: &usize| {
            let key = queries.key(query);
            samples.iter().all(|sample| sample.contains(key))
        };
        let queries: Vec<usize> = self.view.queries().filter(is_in).collect();
        Block { view: self.view.with_queries(queries), cache: self.cache, stop: self.stop.clone() }
    }

    /// The same block, with a token for passes that take long.
    pub(super) fn stopped_by(&self, stop: &StopToken) -> Self {
        Block { view: self.view.clone(), cache: self.cache, stop: stop.clone() }
    }

    /// The token that stops the run. A pass that sees it stopped may return any answer: the answer
    /// is dropped.
    pub fn stop(&self) -> &StopToken {
        &self.stop
    }

    /// Works with what an earlier pass cached for these queries; with the default value the first
    /// time, or after another type was cached. A cache saves time only: answers must be the same
    /// without it. The block is locked meanwhile, so `work` must not wait for other threads.
    pub(crate) fn with_cache<C: Default + Send + 'static, R>(
        &self,
        work: impl FnOnce(&mut C) -> R,
    ) -> R {
        let Some(BlockCache(slot)) = self.cache else { return work(&mut C::default()) };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        match slot.as_mut().and_then(|cached| cached.downcast_mut()) {
            Some(cached) => work(cached),
            None => {
                let mut fresh = C::default();
                let result = work(&mut fresh);
                *slot = Some(Box::new(fresh));
                result
            }
        }
    }
}

impl<'a> Deref for Block<'a> {
    type Target = View<'a>;

    fn deref(&self) -> &View<'a> {
        &self.view
    }
}

/// What passes cache for one block: the value of the last type that was used.
#[derive(Default)]
struct BlockCache(Mutex<Option<Box<dyn Any + Send>>>);

/// Neighbouring queries of a data set as whole blocks.
pub(crate) struct RowBlocks {
    data: Dataset,
    blocks: Vec<(Range<usize>, BlockCache)>,
    /// The number of the first block among those of all data.
    first_block: u64,
}

impl RowBlocks {
    /// Queries that begin with the block of that number.
    pub fn new(data: Dataset, first_block: u64) -> Self {
        let ranges = block_ranges(data.queries().sizes()).into_iter();
        let blocks = ranges.map(|queries| (queries, BlockCache::default())).collect();
        RowBlocks { data, blocks, first_block }
    }

    pub fn data(&self) -> &Dataset {
        &self.data
    }

    pub fn into_data(self) -> Dataset {
        self.data
    }

    /// The number of blocks.
    pub fn count(&self) -> u64 {
        self.blocks.len() as u64
    }

    /// Adds the answers of all blocks to a job. `step` receives the number of blocks done so far
    /// and may stop the work.
    pub fn answer(
        &self,
        job: &mut dyn Job,
        stop: &StopToken,
        mut step: impl FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let view = self.data.view();
        let mut done = 0;
        // Few blocks at a time, so that few answers are in memory.
        let at_once = blocks_at_once(job.answer_bytes(), 8 * rayon::current_num_threads());
        for blocks in self.blocks.chunks(at_once) {
            let blocks: Vec<Block<'_>> = blocks
                .iter()
                .map(|(queries, cache)| Block {
                    view: view.with_query_span(queries.clone()),
                    cache: Some(cache),
                    stop: StopToken::default(),
                })
                .collect();
            job.answer_blocks(self.first_block + done, &blocks, stop)?;
            done += blocks.len() as u64;
            step(done)?;
        }
        Ok(())
    }

    /// The block that holds no rows.
    pub fn empty_block(&self) -> Block<'_> {
        Block::of(self.data.view().with_query_span(0..0))
    }
}

/// Ranges of neighbouring queries that hold enough documents for one piece of work.
pub(crate) fn block_ranges(sizes: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    let (mut first, mut queries, mut documents) = (0, 0, 0);
    for (query, size) in sizes.enumerate() {
        queries = query + 1;
        documents += size;
        if documents >= BLOCK_DOCUMENTS {
            blocks.push(first..query + 1);
            (first, documents) = (query + 1, 0);
        }
    }
    if first < queries {
        blocks.push(first..queries);
    }
    blocks
}

/// Answers a pass from a view whose rows are in this process: the same blocks, merged in the same
/// order, as an engine that holds these rows. The request must have been checked. An error if the
/// token is stopped.
pub fn answer_view<P: Pass>(pass: &P, view: &View<'_>, stop: &StopToken) -> Result<P::Answer> {
    let queries: Vec<usize> = view.queries().collect();
    let blocks = block_ranges(view.rows().map(|rows| rows.len()));
    let block = |block: &Range<usize>| Block::of(view.with_queries(&queries[block.clone()]));
    let (mut tree, mut number) = (MergeTree::new(), 0);
    for some in blocks.chunks(blocks_at_once(pass.answer_bytes(), BLOCKS_IN_MEMORY)) {
        let some: Vec<Block<'_>> = some.iter().map(block).collect();
        for answer in answer_unless_stopped(pass, &some, stop)? {
            tree.push(Node::leaf(number, answer));
            number += 1;
        }
    }
    Ok(tree.finish().unwrap_or_else(|| pass.answer(&Block::of(view.with_query_span(0..0)))))
}
