//! The engine for rows in this process: blocks of queries on all cores, merged in order.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::memory::Memory;
use super::rows::Rows;
use super::tree::Tree;
use super::{Engine, Outcome, Pass, Schema};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::run::{Observer, Silent, Step};

/// Rows in memory, asked by a pool of threads.
pub struct LocalEngine {
    rows: Rows,
    schema: Schema,
    memory: Memory,
    pool: rayon::ThreadPool,
    observer: Arc<dyn Observer>,
}

impl LocalEngine {
    /// An engine over these rows; 0 threads means all cores.
    pub fn new(data: Dataset, threads: usize) -> Result<Self> {
        let pool = pool(threads)?;
        let schema = pool.install(|| Schema::of(&data));
        Ok(LocalEngine {
            rows: Rows::new(data, 0),
            schema,
            memory: Memory::default(),
            pool,
            observer: Arc::new(Silent),
        })
    }

    /// The same engine, telling this observer how its passes go.
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
pub(super) fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|e| Error::invalid("number of threads", threads, e.to_string()))
}

/// Tells an observer; an error when it says stop.
pub(super) fn told(observer: &dyn Observer, step: &Step) -> Result<()> {
    match observer.on_step(step) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(stop) => Err(Error::Stopped(stop)),
    }
}

impl Engine for LocalEngine {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn run(&self, pass: &Pass) -> Result<Outcome> {
        self.memory.or_ask(pass, || {
            let mut tree = Tree::new();
            let total = Some(self.rows.blocks());
            let step = |done| self.step(&Step { what: pass.describe(), done, total });
            self.pool.install(|| self.rows.answer(pass, &mut tree, step))?;
            Ok(tree.finish().unwrap_or_else(|| self.rows.nothing(pass)))
        })
    }

    fn local(&self) -> Option<&Dataset> {
        Some(self.rows.data())
    }

    /// On one of the threads that answer: waking one up for every pass takes longer than a small
    /// pass itself.
    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        self.pool.install(work);
    }

    fn step(&self, step: &Step) -> Result<()> {
        told(self.observer.as_ref(), step)
    }
}
