//! The cost of passes: their number, the bytes that they move and the time that they take.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::message::{Reply, Request, encode};
use crate::data::Dataset;
use crate::engine::{AnswerCache, Engine, Job, Schema, Traffic};
use crate::error::Result;
use crate::run::Step;
use crate::stop::StopToken;

/// The cost of all passes of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct PassCost {
    /// Number of passes.
    pub passes: u64,
    /// Bytes of requests, to all shards together.
    pub sent: u64,
    /// Bytes of replies, of all shards together.
    pub received: u64,
    /// Seconds until they were answered.
    pub seconds: f64,
}

/// Costs by the name of the pass.
#[derive(Debug, Default)]
struct CostLedger(Mutex<BTreeMap<&'static str, PassCost>>);

impl CostLedger {
    fn add(&self, pass: &'static str, Traffic { sent, received }: Traffic, time: Duration) {
        let mut costs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cost = costs.entry(pass).or_default();
        *cost = *cost + PassCost { passes: 1, sent, received, seconds: time.as_secs_f64() };
    }

    fn costs(&self) -> Vec<(&'static str, PassCost)> {
        let costs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        costs.iter().map(|(&name, &cost)| (name, cost)).collect()
    }
}

impl std::ops::Add for PassCost {
    type Output = PassCost;

    fn add(self, other: PassCost) -> PassCost {
        PassCost {
            passes: self.passes + other.passes,
            sent: self.sent + other.sent,
            received: self.received + other.received,
            seconds: self.seconds + other.seconds,
        }
    }
}

/// An engine that counts its passes and the bytes that they move, or would move to and from one
/// shard if the rows are in this process.
pub struct CostedEngine {
    engine: Arc<dyn Engine>,
    ledger: CostLedger,
    /// A cached answer is not counted again.
    cache: AnswerCache,
}

impl CostedEngine {
    /// Counts the passes of an engine from now on.
    pub fn new(engine: Arc<dyn Engine>) -> Self {
        CostedEngine { engine, ledger: CostLedger::default(), cache: AnswerCache::default() }
    }

    /// The costs so far, by the names of passes.
    pub fn costs(&self) -> Vec<(&'static str, PassCost)> {
        self.ledger.costs()
    }
}

impl Engine for CostedEngine {
    fn schema(&self) -> &Schema {
        self.engine.schema()
    }

    fn run(&self, job: &mut dyn Job) -> Result<()> {
        self.cache.or_run(job, |job| {
            let start = Instant::now();
            self.engine.run(job)?;
            let time = start.elapsed();
            let traffic = match job.traffic().take() {
                Some(traffic) => traffic,
                None => traffic_with_one_shard(job)?,
            };
            self.ledger.add(job.name(), traffic, time);
            Ok(())
        })
    }

    fn local(&self) -> Option<&Dataset> {
        self.engine.local()
    }

    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        self.engine.within(work);
    }

    fn memory_limit(&self) -> u64 {
        self.engine.memory_limit()
    }

    fn step(&self, step: &Step) -> Result<()> {
        self.engine.step(step)
    }

    fn stop(&self) -> StopToken {
        self.engine.stop()
    }
}

/// What a job would move to and from one shard that holds all rows.
fn traffic_with_one_shard(job: &dyn Job) -> Result<Traffic> {
    let (pass, samples) = (job.name().to_owned(), job.query_samples());
    let message = encode(&Request::Answer { pieces: Vec::new(), pass, samples })?;
    let sent = job.append_request(message)?.len() as u64;
    Ok(Traffic { sent, received: encode(&Reply::Answered)?.len() as u64 + job.answer_size()? })
}
