//! Rows in memory, answering passes block by block on all cores.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::passes::{
    Correlations, FeatureMeasures, Gram, Labels, LeaveQueryOut, LinearMeasures, Means, MergeGains,
    MergeMemory, ModelMeasures, Moments, NdcgPairs, PairwiseHinge, Relief,
};
use super::tree::{Node, Tree};
use super::{Outcome, Pass};
use crate::data::{Dataset, View};
use crate::error::Result;

/// Documents per block, at least. Fixed, because results must not depend on the machine.
const BLOCK_DOCUMENTS: usize = 4096;

/// Queries that are asked together, and what is remembered of them between passes. Memory saves
/// time only: answers are the same without it.
struct Block {
    queries: Range<usize>,
    merges: Mutex<MergeMemory>,
}

/// Neighbouring queries of a data set, whole blocks of them.
pub(super) struct Rows {
    data: Dataset,
    blocks: Vec<Block>,
    /// The number of the first block among those of all data.
    first_block: u64,
}

impl Rows {
    /// These queries begin with the block of that number.
    pub fn new(data: Dataset, first_block: u64) -> Self {
        let block = |queries| Block { queries, merges: Mutex::default() };
        let blocks = blocks(data.queries().sizes()).into_iter().map(block).collect();
        Rows { data, blocks, first_block }
    }

    pub fn data(&self) -> &Dataset {
        &self.data
    }

    pub fn into_data(self) -> Dataset {
        self.data
    }

    /// The number of blocks.
    pub fn blocks(&self) -> u64 {
        self.blocks.len() as u64
    }

    /// Adds the answers of all blocks to a tree; `step` hears how many are done, and may say stop.
    pub fn answer(
        &self,
        pass: &Pass,
        tree: &mut Tree<Outcome>,
        mut step: impl FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let view = self.data.view();
        let mut number = self.first_block;
        // Waves keep few answers in memory at once.
        for blocks in self.blocks.chunks(8 * rayon::current_num_threads()) {
            let outcomes: Vec<Outcome> =
                blocks.par_iter().map(|block| answer(pass, &view, block)).collect();
            for outcome in outcomes {
                tree.push(Node::leaf(number, outcome));
                number += 1;
            }
            step(number - self.first_block)?;
        }
        Ok(())
    }

    /// The answer of no rows at all.
    pub fn nothing(&self, pass: &Pass) -> Outcome {
        answer(pass, &self.data.view(), &Block { queries: 0..0, merges: Mutex::default() })
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

fn answer(pass: &Pass, view: &View<'_>, Block { queries, merges }: &Block) -> Outcome {
    answer_of(pass, &view.with_query_span(queries.clone()), merges)
}

/// What the queries of a view answer.
fn answer_of(pass: &Pass, block: &View<'_>, merges: &Mutex<MergeMemory>) -> Outcome {
    match pass {
        Pass::Moments => Outcome::Moments(Moments::of(block)),
        Pass::Labels => Outcome::Labels(Labels::of(block)),
        Pass::Part(part) => answer_of(&part.pass, &part.of(block), merges),
        Pass::FeatureMeasures(pass) => Outcome::FeatureMeasures(FeatureMeasures::of(pass, block)),
        Pass::FeatureMeans(pass) => {
            Outcome::Means(Means::of(&pass.measure, &FeatureMeasures::of(pass, block).per_query))
        }
        Pass::Gram(pass) => Outcome::Gram(Gram::of(pass, block)),
        Pass::LinearMeasures(pass) => Outcome::LinearMeasures(LinearMeasures::of(pass, block)),
        Pass::LinearMeans(pass) => {
            Outcome::Means(Means::of(&pass.measure, &LinearMeasures::of(pass, block).per_query))
        }
        Pass::ModelMeasures(pass) => Outcome::ModelMeasures(ModelMeasures::of(pass, block)),
        Pass::Correlations(pass) => Outcome::Correlations(Correlations::of(pass, block)),
        Pass::PairwiseHinge(pass) => Outcome::PairwiseHinge(PairwiseHinge::of(pass, block)),
        Pass::LeaveQueryOut(pass) => Outcome::LeaveQueryOut(LeaveQueryOut::of(pass, block)),
        Pass::NdcgPairs(pass) => Outcome::NdcgPairs(NdcgPairs::of(pass, block)),
        Pass::Relief(pass) => Outcome::Relief(Relief::of(pass, block)),
        Pass::MergeGains(pass) => {
            let mut memory = merges.lock().unwrap_or_else(PoisonError::into_inner);
            Outcome::MergeGains(MergeGains::of(pass, block, &mut memory))
        }
    }
}
