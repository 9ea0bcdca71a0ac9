//! The engine for data that is larger than memory: pieces of Parquet files, read one after the
//! other for every pass.

use std::path::PathBuf;
use std::sync::Arc;

use super::layout::Layout;
use super::store::{Store, piece_documents};
use crate::data::{Dataset, Format, PartSource, Parts, ReadOptions};
use crate::engine::{AnswerCache, Engine, Job, Schema, thread_pool};
use crate::error::{Location, Problem, Result};
use crate::progress::report;
use crate::run::{Observer, Step};
use crate::stop::StopToken;

/// Rows are read into memory as a whole only if they fit into this fraction (1/n) of the memory
/// limit; methods need the rest.
const SHARE_OF_ROWS: u64 = 2;

/// Opens Parquet files to be read in pieces if their rows are too large for a memory limit in
/// bytes. `None` for smaller files, and for files of other formats.
pub fn parts_beyond_memory(
    files: &[PathBuf],
    options: &ReadOptions,
    memory: u64,
) -> Result<Option<Parts>> {
    let is_parquet = |path: &PathBuf| {
        options.format.or_else(|| Format::from_name(&path.display().to_string()))
            == Some(Format::Parquet)
    };
    if !files.iter().all(is_parquet) {
        return Ok(None);
    }
    let parts = Parts::open(files.iter().cloned().map(PartSource::File).collect(), options)?;
    let bytes = parts.rows().saturating_mul(4 * parts.features().len() as u64);
    Ok((bytes > memory / SHARE_OF_ROWS).then_some(parts))
}

/// Rows in Parquet files, only some of them in memory at the same time.
pub struct StreamEngine {
    store: Store,
    blocks: u64,
    schema: Schema,
    cache: AnswerCache,
    pool: rayon::ThreadPool,
    observer: Arc<dyn Observer>,
    memory: u64,
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
        let step = |done| report(observer.as_ref(), &Step::pass("reading", done, Some(blocks)));
        let found = pool.install(|| store.describe(step))?;
        let schema =
            found.ok_or_else(|| Problem::Empty.at(Location::file("no input")))?.schema(features);
        Ok(StreamEngine {
            store,
            blocks,
            schema,
            cache: AnswerCache::default(),
            pool,
            observer,
            memory,
        })
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
            let step = |done| self.step(&Step::pass(what, done, total));
            self.pool.install(|| {
                self.store.answer(job, self.observer.stop(), step)?;
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

    fn memory_limit(&self) -> u64 {
        self.memory
    }

    fn step(&self, step: &Step) -> Result<()> {
        report(self.observer.as_ref(), step)
    }

    fn stop(&self) -> StopToken {
        self.observer.stop().clone()
    }
}
