//! What passes cost: how many of each kind were sent, the bytes that moved and the time they took.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::message::encode;
use super::{Engine, Outcome, Pass, Schema};
use crate::data::Dataset;
use crate::error::Result;
use crate::run::Step;

/// Passes of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Cost {
    /// How many were sent.
    pub passes: u64,
    /// Bytes of requests, to all shards together.
    pub sent: u64,
    /// Bytes of replies, of all shards together.
    pub received: u64,
    /// Seconds until they were answered.
    pub seconds: f64,
}

/// Costs by kind of pass.
#[derive(Debug, Default)]
pub struct Ledger(Mutex<BTreeMap<&'static str, Cost>>);

impl Ledger {
    pub(super) fn add(&self, pass: &Pass, sent: u64, received: u64, time: Duration) {
        let mut costs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cost = costs.entry(pass.name()).or_default();
        cost.passes += 1;
        cost.sent += sent;
        cost.received += received;
        cost.seconds += time.as_secs_f64();
    }

    /// The costs so far, by the name of the pass.
    pub fn costs(&self) -> Vec<(&'static str, Cost)> {
        let costs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        costs.iter().map(|(&name, &cost)| (name, cost)).collect()
    }
}

/// An engine whose passes are counted, with the bytes that they would move to and from one shard.
pub struct Explained {
    engine: Arc<dyn Engine>,
    ledger: Ledger,
}

impl Explained {
    /// Counts from now on.
    pub fn new(engine: Arc<dyn Engine>) -> Self {
        Explained { engine, ledger: Ledger::default() }
    }

    /// What was asked so far.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

impl Engine for Explained {
    fn schema(&self) -> &Schema {
        self.engine.schema()
    }

    fn run(&self, pass: &Pass) -> Result<Outcome> {
        let start = Instant::now();
        let outcome = self.engine.run(pass)?;
        let time = start.elapsed();
        let (sent, received) = (encode(pass)?.len() as u64, encode(&outcome)?.len() as u64);
        self.ledger.add(pass, sent, received, time);
        Ok(outcome)
    }

    fn local(&self) -> Option<&Dataset> {
        self.engine.local()
    }

    fn within(&self, work: &mut (dyn FnMut() + Send)) {
        self.engine.within(work);
    }

    fn step(&self, step: &Step) -> Result<()> {
        self.engine.step(step)
    }
}
