//! The engine for data that is larger than memory: pieces of Parquet files, read one after the other
//! for every pass.

use std::sync::Arc;

use super::layout::Layout;
use super::store::{Store, piece_documents};
use crate::data::{Dataset, Parts};
use crate::engine::{AnswerCache, Engine, Job, Schema, report, thread_pool};
use crate::error::{Location, Problem, Result};
use crate::run::{Observer, Step};

/// Rows in Parquet files, only some of them in memory at the same time.
pub struct StreamEngine {
    store: Store,
    blocks: u64,
    schema: Schema,
    cache: AnswerCache,
    pool: rayon::ThreadPool,
    observer: Arc<dyn Observer>,
}

impl StreamEngine {
    /// Reads all rows once. `memory` is an approximate limit in bytes; 0 threads means all cores.
    pub fn open(
        parts: Parts,
        memory: u64,
        threads: usize,
        observer: Arc<dyn Observer>,
    ) -> Result<Self> {
        let pool = thread_pool(threads)?;
        let queries = pool.install(|| parts.index().join([parts.scan(0..parts.rows())?]))?;
        let layout = Layout::new(&queries, parts.rows());
        let documents = piece_documents(memory, parts.features().len());
        let pieces = layout.pieces(0..layout.blocks(), documents);
        let (features, blocks) = (parts.features().clone(), layout.blocks() as u64);
        let store = Store::new(Arc::new(parts), pieces, memory);
        let step =
            |done| report(observer.as_ref(), &Step { what: "reading", done, total: Some(blocks) });
        let found = pool.install(|| store.describe(step))?;
        let schema =
            found.ok_or_else(|| Problem::Empty.at(Location::file("no input")))?.schema(features);
        Ok(StreamEngine { store, blocks, schema, cache: AnswerCache::default(), pool, observer })
    }

    /// The number of pieces, and how many of them stay in memory.
    pub fn pieces(&self) -> (usize, usize) {
        (self.store.pieces().len(), self.store.resident())
    }
}

impl Engine for StreamEngine {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn run(&self, job: &mut dyn Job) -> Result<()> {
        self.cache.or_run(job, |job| {
            let (what, total) = (job.activity(), Some(self.blocks));
            let step = |done| self.step(&Step { what, done, total });
            self.pool.install(|| {
                self.store.answer(job, step)?;
                job.complete()
            })
        })
    }

    fn local(&self) -> Option<&Dataset> {
        None
    }

    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        self.pool.install(work);
    }

    fn step(&self, step: &Step) -> Result<()> {
        report(self.observer.as_ref(), step)
    }
}
