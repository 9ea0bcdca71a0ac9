//! The engine for rows that lie with shards: the same request goes to all of them, and what they
//! answer is merged.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use super::layout::{Layout, Piece};
use super::local::told;
use super::memory::Memory;
use super::message::{Opened, Reply, Request, decode, encode};
use super::store::piece_documents;
use super::tree::{Merge, Tree};
use super::{Engine, Moved, Outcome, Pass, Schema};
use crate::data::{Dataset, Feature, FeatureTable, QueryRows};
use crate::error::{Error, Result};
use crate::run::{Observer, Step};

/// Whoever carries messages to shards and back.
pub trait Shards: Send + Sync {
    /// How many shards there are.
    fn count(&self) -> usize;
    /// Sends one request to each shard, from the first on, and returns their replies in the same
    /// order. `done` is told from time to time how many have replied, and may say stop.
    fn ask(
        &self,
        requests: Vec<Vec<u8>>,
        done: &(dyn Fn(u64) -> Result<()> + Sync),
    ) -> Result<Vec<Vec<u8>>>;
}

/// Rows with shards.
pub struct RemoteEngine {
    shards: Arc<dyn Shards>,
    /// What each shard holds.
    held: Vec<Vec<Piece>>,
    schema: Schema,
    memory: Memory,
    observer: RwLock<Arc<dyn Observer>>,
    /// Bytes that went to shards, and those that came back.
    moved: (AtomicU64, AtomicU64),
}

impl RemoteEngine {
    /// Finds out which query is where, and who shall hold what. `memory` is what rows may take with
    /// each shard, in bytes.
    pub fn open(shards: Arc<dyn Shards>, memory: u64, observer: Arc<dyn Observer>) -> Result<Self> {
        let asking = Asking { shards: shards.as_ref(), observer: observer.as_ref() };
        let opened = asking.open()?;
        let queries = asking.queries(&opened)?;
        let rows = opened.group_starts.last().copied().unwrap_or(0);
        let layout = Layout::new(&queries, rows);
        let documents = piece_documents(memory, opened.features.len());
        let runs = layout.shards(shards.count());
        let pieces: Vec<Vec<Piece>> =
            runs.into_iter().map(|run| layout.pieces(run, documents)).collect();
        let requests = pieces.iter().map(|pieces| Request::Describe(pieces.clone()));
        let mut parts = Vec::new();
        for (shard, reply) in asking.ask("reading", requests)?.replies.into_iter().enumerate() {
            match reply {
                Reply::Described(part) => parts.push(part),
                _ => return Err(confused(shard)),
            }
        }
        let features = opened.features.into_iter().map(|(id, name)| Feature { id, name }).collect();
        let features = FeatureTable::from_features(features);
        let whole = parts.into_iter().reduce(Merge::merge).ok_or_else(|| confused(0))?;
        Ok(RemoteEngine {
            held: pieces,
            schema: whole.schema(features),
            memory: Memory::default(),
            observer: RwLock::new(observer.clone()),
            moved: Default::default(),
            shards,
        })
    }

    /// From now on this observer hears how passes go.
    pub fn watch(&self, observer: Arc<dyn Observer>) {
        *self.observer.write().unwrap_or_else(PoisonError::into_inner) = observer;
    }

    /// Bytes that passes have moved so far.
    pub fn moved(&self) -> Moved {
        Moved {
            sent: self.moved.0.load(Ordering::Relaxed),
            received: self.moved.1.load(Ordering::Relaxed),
        }
    }

    fn observer(&self) -> Arc<dyn Observer> {
        self.observer.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Engine for RemoteEngine {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn run(&self, pass: &Pass) -> Result<Outcome> {
        self.memory.or_ask(pass, || Ok(self.run_counted(pass)?.0))
    }

    fn run_counted(&self, pass: &Pass) -> Result<(Outcome, Option<Moved>)> {
        let observer = self.observer();
        let asking = Asking { shards: self.shards.as_ref(), observer: observer.as_ref() };
        let requests = self.held.iter().map(|pieces| Request::Answer(pieces.clone(), pass.clone()));
        let Asked { replies, moved } = asking.ask(pass.describe(), requests)?;
        self.moved.0.fetch_add(moved.sent, Ordering::Relaxed);
        self.moved.1.fetch_add(moved.received, Ordering::Relaxed);
        let mut tree = Tree::new();
        let mut next = 0;
        for (shard, reply) in replies.into_iter().enumerate() {
            let Reply::Answered(nodes) = reply else { return Err(confused(shard)) };
            for node in nodes {
                if node.first != next || !node.is_aligned() || !pass.is_answered_by(&node.answer) {
                    return Err(confused(shard));
                }
                next = node.end();
                tree.push(node);
            }
        }
        Ok((tree.finish().ok_or_else(|| confused(0))?, Some(moved)))
    }

    fn local(&self) -> Option<&Dataset> {
        None
    }

    fn step(&self, step: &Step) -> Result<()> {
        told(self.observer().as_ref(), step)
    }
}

/// Replies, and how many bytes went both ways.
struct Asked {
    replies: Vec<Reply>,
    moved: Moved,
}

struct Asking<'a> {
    shards: &'a dyn Shards,
    observer: &'a dyn Observer,
}

impl Asking<'_> {
    /// Sends requests to the first shards, one each.
    fn ask(&self, what: &'static str, requests: impl Iterator<Item = Request>) -> Result<Asked> {
        let requests: Vec<Vec<u8>> =
            requests.map(|request| encode(&request)).collect::<Result<_>>()?;
        let (count, sent) = (requests.len(), requests.iter().map(|bytes| bytes.len() as u64).sum());
        let total = Some(count as u64);
        let bytes =
            self.shards.ask(requests, &|done| told(self.observer, &Step { what, done, total }))?;
        if bytes.len() != count {
            return Err(confused(bytes.len()));
        }
        let received = bytes.iter().map(|bytes| bytes.len() as u64).sum();
        let reply = |(shard, bytes): (usize, &Vec<u8>)| match decode(bytes) {
            Ok(Reply::Failed(message)) => Err(Error::Shard { shard: shard + 1, message }),
            Ok(reply) => Ok(reply),
            Err(error) => Err(Error::Shard { shard: shard + 1, message: error.to_string() }),
        };
        let replies = bytes.iter().enumerate().map(reply).collect::<Result<_>>()?;
        Ok(Asked { replies, moved: Moved { sent, received } })
    }

    /// What the files are like: all shards must see the same.
    fn open(&self) -> Result<Opened> {
        let requests = (0..self.shards.count()).map(|_| Request::Open);
        let mut all: Option<Opened> = None;
        for (shard, reply) in self.ask("opening files", requests)?.replies.into_iter().enumerate() {
            let Reply::Opened(opened) = reply else { return Err(confused(shard)) };
            let own = env!("CARGO_PKG_VERSION");
            if opened.release != own {
                let message =
                    format!("it runs featherank {}, and the driver {own}", opened.release);
                return Err(Error::Shard { shard: shard + 1, message });
            }
            if all.as_ref().is_some_and(|first| *first != opened) {
                let message = "it sees other files than the first shard".into();
                return Err(Error::Shard { shard: shard + 1, message });
            }
            all = Some(opened);
        }
        all.ok_or_else(|| Error::invalid("number of shards", 0, "at least 1"))
    }

    /// Which queries there are, found by all shards together, each looking at its own row groups.
    fn queries(&self, opened: &Opened) -> Result<Vec<QueryRows>> {
        let group_starts = &opened.group_starts;
        let groups = group_starts.len().saturating_sub(1);
        let count = self.shards.count().min(groups).max(1);
        let border = |i: usize| group_starts.get(i * groups / count).copied().unwrap_or(0);
        let requests = (0..count).map(|i| Request::Scan(border(i)..border(i + 1)));
        let mut scans = Vec::new();
        for (shard, reply) in
            self.ask("looking for queries", requests)?.replies.into_iter().enumerate()
        {
            let Reply::Scanned(scan) = reply else { return Err(confused(shard)) };
            scans.push(scan);
        }
        opened.index.join(scans)
    }
}

fn confused(shard: usize) -> Error {
    Error::Shard { shard: shard + 1, message: "its answer does not fit what it was asked".into() }
}
