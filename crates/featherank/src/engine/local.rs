//! The engine for rows in this process: blocks of queries on all cores, merged in order.

use std::sync::Arc;

use super::answer_cache::AnswerCache;
use super::block::RowBlocks;
use super::{Engine, Job, Schema};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::progress::{Observer, Silent, Step, report};
use crate::stop::StopToken;

/// Rows in memory, and a pool of threads that answers passes.
pub struct LocalEngine {
    rows: RowBlocks,
    schema: Schema,
    cache: AnswerCache,
    pool: rayon::ThreadPool,
    observer: Arc<dyn Observer>,
}

impl LocalEngine {
    /// An engine over these rows; 0 threads means all cores.
    pub fn new(data: Dataset, threads: usize) -> Result<Self> {
        let pool = thread_pool(threads)?;
        let schema = pool.install(|| Schema::of(&data));
        Ok(LocalEngine {
            rows: RowBlocks::new(data, 0),
            schema,
            cache: AnswerCache::default(),
            pool,
            observer: Arc::new(Silent),
        })
    }

    /// The same engine; it reports the progress of its passes to this observer.
    #[must_use]
    pub fn observed_by(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// Gives the data back.
    pub fn into_data(self) -> Dataset {
        self.rows.into_data()
    }
}

/// Threads that answer passes; 0 means one for each core.
pub(crate) fn thread_pool(threads: usize) -> Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|e| Error::threads(threads, e))
}

impl Engine for LocalEngine {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn run(&self, job: &mut dyn Job) -> Result<()> {
        self.cache.or_run(job, |job| {
            let (what, total) = (job.activity(), Some(self.rows.count()));
            let step = |done| self.step(&Step::pass(what, done, total));
            self.pool.install(|| {
                self.rows.answer(job, self.observer.stop(), step)?;
                if self.rows.count() == 0 {
                    job.answer_blocks(0, &[self.rows.empty_block()], self.observer.stop())?;
                }
                job.complete()
            })
        })
    }

    fn local(&self) -> Option<&Dataset> {
        Some(self.rows.data())
    }

    /// On one of the threads that answer: waking up a thread for every pass takes longer than a
    /// small pass itself.
    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        self.pool.install(work);
    }

    fn memory_limit(&self) -> u64 {
        self.rows.data().memory_limit()
    }

    fn step(&self, step: &Step) -> Result<()> {
        report(self.observer.as_ref(), step)
    }

    fn stop(&self) -> StopToken {
        self.observer.stop().clone()
    }
}
