//! What passes cost: how many of each kind were sent, the bytes that moved and the time they took.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::memory::Memory;
use super::message::encode;
use super::{Engine, Moved, Outcome, Pass, Schema};
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
struct Ledger(Mutex<BTreeMap<&'static str, Cost>>);

impl Ledger {
    fn add(&self, pass: &Pass, Moved { sent, received }: Moved, time: Duration) {
        let mut costs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cost = costs.entry(pass.name()).or_default();
        *cost = *cost + Cost { passes: 1, sent, received, seconds: time.as_secs_f64() };
    }

    fn costs(&self) -> Vec<(&'static str, Cost)> {
        let costs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        costs.iter().map(|(&name, &cost)| (name, cost)).collect()
    }
}

impl std::ops::Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost {
            passes: self.passes + other.passes,
            sent: self.sent + other.sent,
            received: self.received + other.received,
            seconds: self.seconds + other.seconds,
        }
    }
}

/// An engine whose passes are counted, with the bytes that they move, or would move to and from one
/// shard.
pub struct Explained {
    engine: Arc<dyn Engine>,
    ledger: Ledger,
    /// What is not asked again is not counted again.
    memory: Memory,
}

impl Explained {
    /// Counts from now on.
    pub fn new(engine: Arc<dyn Engine>) -> Self {
        Explained { engine, ledger: Ledger::default(), memory: Memory::default() }
    }

    /// What passes cost so far, by their names.
    pub fn costs(&self) -> Vec<(&'static str, Cost)> {
        self.ledger.costs()
    }
}

impl Engine for Explained {
    fn schema(&self) -> &Schema {
        self.engine.schema()
    }

    fn run(&self, pass: &Pass) -> Result<Outcome> {
        self.memory.or_ask(pass, || {
            let start = Instant::now();
            let (outcome, moved) = self.engine.run_counted(pass)?;
            let time = start.elapsed();
            let moved = match moved {
                Some(moved) => moved,
                None => Moved {
                    sent: encode(pass)?.len() as u64,
                    received: encode(&outcome)?.len() as u64,
                },
            };
            self.ledger.add(pass, moved, time);
            Ok(outcome)
        })
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
