//! The engine for rows in this process: blocks of queries on all cores, merged in order.

use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::passes::{MergeMemory, without};
use super::{Engine, Outcome, Pass, Schema};
use crate::data::{Dataset, View};
use crate::error::{Error, Result};
use crate::run::{Observer, Silent, Step};

/// Documents per block, at least. Fixed, because results must not depend on the machine.
const BLOCK_DOCUMENTS: usize = 4096;

/// Queries that are asked together, and what is remembered of them between passes. Memory saves time only: answers are the
/// same without it.
struct Block {
    queries: Range<usize>,
    merges: Mutex<MergeMemory>,
}

/// Rows in memory, asked by a pool of threads.
pub struct LocalEngine {
    data: Dataset,
    schema: Schema,
    blocks: Vec<Block>,
    pool: rayon::ThreadPool,
    observer: Arc<dyn Observer>,
}

impl LocalEngine {
    /// An engine over these rows; 0 threads means all cores.
    pub fn new(data: Dataset, threads: usize) -> Result<Self> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|e| Error::invalid("number of threads", threads, e.to_string()))?;
        let block = |queries| Block { queries, merges: Mutex::default() };
        let blocks = blocks(data.queries().sizes()).into_iter().map(block).collect();
        let schema = pool.install(|| Schema::of(&data));
        Ok(LocalEngine { data, schema, blocks, pool, observer: Arc::new(Silent) })
    }

    /// The same engine, telling this observer how its passes go.
    #[must_use]
    pub fn observed_by(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// Gives the data back.
    pub fn into_data(self) -> Dataset {
        self.data
    }
}

/// Blocks whose answers are in memory at a time, where an answer is large.
pub(crate) const BLOCKS_AT_A_TIME: usize = 32;

/// Runs of neighbouring queries that hold enough documents for one piece of work.
pub(crate) fn blocks(sizes: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
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

impl Engine for LocalEngine {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn run(&self, pass: &Pass) -> Result<Outcome> {
        let view = self.data.view();
        let mut merged: Option<Outcome> = None;
        // Waves keep few answers in memory at once. The order of merging, and so the result, does not depend on them.
        for (wave, blocks) in self.blocks.chunks(8 * self.pool.current_num_threads()).enumerate() {
            let outcomes: Vec<Outcome> =
                self.pool.install(|| blocks.par_iter().map(|block| answer(pass, &view, block)).collect());
            merged = outcomes.into_iter().fold(merged, |all, next| {
                Some(match all {
                    Some(all) => all.merge(next),
                    None => next,
                })
            });
            let done = (wave * 8 * self.pool.current_num_threads() + blocks.len()) as u64;
            let step = Step { what: pass.describe(), done, total: Some(self.blocks.len() as u64) };
            self.step(&step)?;
        }
        Ok(merged.unwrap_or_else(|| answer(pass, &view, &Block { queries: 0..0, merges: Mutex::default() })))
    }

    fn local(&self) -> Option<&Dataset> {
        Some(&self.data)
    }

    /// On one of the threads that answer: waking one up for every pass takes longer than a small pass itself.
    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        self.pool.install(work);
    }

    fn step(&self, step: &Step) -> Result<()> {
        match self.observer.on_step(step) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(stop) => Err(Error::Stopped(stop)),
        }
    }
}

fn answer(pass: &Pass, view: &View<'_>, Block { queries, merges }: &Block) -> Outcome {
    answer_of(pass, &view.with_query_span(queries.clone()), merges)
}

/// What the queries of a view answer.
fn answer_of(pass: &Pass, block: &View<'_>, merges: &Mutex<MergeMemory>) -> Outcome {
    match pass {
        Pass::Moments => Outcome::Moments(super::Moments::of(block)),
        Pass::Labels => Outcome::Labels(super::Labels::of(block)),
        Pass::Without(part) => answer_of(&part.pass, &without(block, &part.leave_out), merges),
        Pass::FeatureMeasures(pass) => Outcome::FeatureMeasures(super::FeatureMeasures::of(pass, block)),
        Pass::Gram(pass) => Outcome::Gram(super::Gram::of(pass, block)),
        Pass::LinearMeasures(pass) => Outcome::LinearMeasures(super::LinearMeasures::of(pass, block)),
        Pass::ModelMeasures(pass) => Outcome::ModelMeasures(super::ModelMeasures::of(pass, block)),
        Pass::Correlations(pass) => Outcome::Correlations(super::Correlations::of(pass, block)),
        Pass::PairwiseHinge(pass) => Outcome::PairwiseHinge(super::PairwiseHinge::of(pass, block)),
        Pass::LeaveQueryOut(pass) => Outcome::LeaveQueryOut(super::LeaveQueryOut::of(pass, block)),
        Pass::NdcgPairs(pass) => Outcome::NdcgPairs(super::NdcgPairs::of(pass, block)),
        Pass::Relief(pass) => Outcome::Relief(super::Relief::of(pass, block)),
        Pass::MergeGains(pass) => {
            let mut memory = merges.lock().unwrap_or_else(PoisonError::into_inner);
            Outcome::MergeGains(super::MergeGains::of(pass, block, &mut memory))
        }
    }
}
