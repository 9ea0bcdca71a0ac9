//! The engine for data that is larger than memory: pieces of Parquet files, read and asked one
//! after the other.
//!
//! Pieces consist of the same blocks, merged in the same order, as if all rows were in memory:
//! answers have the same bits.

use std::sync::Arc;

use super::layout::Layout;
use super::local::{pool, told};
use super::memory::Memory;
use super::store::{Store, piece_documents};
use super::tree::Tree;
use super::{Engine, Outcome, Pass, Schema};
use crate::data::{Dataset, Parts};
use crate::error::{Location, Problem, Result};
use crate::run::{Observer, Step};

/// Rows in files, of which only some are in memory at a time.
pub struct StreamEngine {
    store: Store,
    blocks: u64,
    schema: Schema,
    memory: Memory,
    pool: rayon::ThreadPool,
    observer: Arc<dyn Observer>,
}

impl StreamEngine {
    /// Looks at all rows once. `memory` is in bytes, about; 0 threads means all cores.
    pub fn open(
        parts: Parts,
        memory: u64,
        threads: usize,
        observer: Arc<dyn Observer>,
    ) -> Result<Self> {
        let pool = pool(threads)?;
        let queries = pool.install(|| parts.index().join([parts.scan(0..parts.rows())?]))?;
        let layout = Layout::new(&queries, parts.rows());
        let documents = piece_documents(memory, parts.features().len());
        let pieces = layout.pieces(0..layout.blocks(), documents);
        let (features, blocks) = (parts.features().clone(), layout.blocks() as u64);
        let store = Store::new(Arc::new(parts), pieces, memory);
        let step =
            |done| told(observer.as_ref(), &Step { what: "reading", done, total: Some(blocks) });
        let found = pool.install(|| store.describe(step))?;
        let schema =
            found.ok_or_else(|| Problem::Empty.at(Location::file("no input")))?.schema(features);
        Ok(StreamEngine { store, blocks, schema, memory: Memory::default(), pool, observer })
    }

    /// How many pieces there are, and how many of them stay in memory.
    pub fn pieces(&self) -> (usize, usize) {
        (self.store.pieces().len(), self.store.staying())
    }
}

impl Engine for StreamEngine {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn run(&self, pass: &Pass) -> Result<Outcome> {
        self.memory.or_ask(pass, || {
            let mut tree = Tree::new();
            let step =
                |done| self.step(&Step { what: pass.describe(), done, total: Some(self.blocks) });
            self.pool.install(|| self.store.answer(pass, &mut tree, step))?;
            tree.finish().ok_or_else(|| Problem::Empty.at(Location::file("the data")))
        })
    }

    fn local(&self) -> Option<&Dataset> {
        None
    }

    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        self.pool.install(work);
    }

    fn step(&self, step: &Step) -> Result<()> {
        told(self.observer.as_ref(), step)
    }
}
