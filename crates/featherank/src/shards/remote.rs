//! The engine for rows on shards: all shards receive the same request, and their answers are
//! merged.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use super::layout::{Layout, Piece};
use super::message::{Opened, Reply, Request, decode, encode};
use super::passes::ListedPass;
use super::store::piece_documents;
use crate::data::{Dataset, Feature, FeatureTable, QueryRows};
use crate::engine::{AnswerCache, Engine, Job, Merge, Schema, Traffic};
use crate::error::{Error, Result};
use crate::progress::report;
use crate::run::{Observer, Step};
use crate::stop::StopToken;

/// Carries messages to shards and back.
pub trait ShardTransport: Send + Sync {
    /// The number of shards.
    fn count(&self) -> usize;
    /// Sends one request to each shard, from the first on, and returns their replies in the same
    /// order. Calls `done` from time to time with the number of replies; an error stops the work.
    fn ask(
        &self,
        requests: Vec<Vec<u8>>,
        done: &(dyn Fn(u64) -> Result<()> + Sync),
    ) -> Result<Vec<Vec<u8>>>;
}

/// Rows on shards.
pub struct RemoteEngine {
    shards: Arc<dyn ShardTransport>,
    /// The rows of each shard.
    held: Vec<Vec<Piece>>,
    schema: Schema,
    cache: AnswerCache,
    observer: RwLock<Arc<dyn Observer>>,
    /// Bytes that went to shards, and those that came back.
    moved: (AtomicU64, AtomicU64),
}

impl RemoteEngine {
    /// Finds the rows of every query and assigns them to shards. `memory` is an approximate limit
    /// for the rows of each shard, in bytes.
    pub fn open(
        shards: Arc<dyn ShardTransport>,
        memory: u64,
        observer: Arc<dyn Observer>,
    ) -> Result<Self> {
        let driver = Driver { shards: shards.as_ref(), observer: observer.as_ref() };
        let opened = driver.open()?;
        let queries = driver.queries(&opened)?;
        let rows = opened.group_starts.last().copied().unwrap_or(0);
        let layout = Layout::new(&queries, rows);
        let documents = piece_documents(memory, opened.features.len());
        let runs = layout.shards(shards.count());
        let pieces: Vec<Vec<Piece>> =
            runs.into_iter().map(|run| layout.pieces(run, documents)).collect();
        let requests = pieces.iter().map(|pieces| Request::Describe(pieces.clone()));
        let mut parts = Vec::new();
        for (shard, reply) in driver.request("reading", requests)?.into_iter().enumerate() {
            match reply {
                Reply::Described(part) => parts.push(part),
                _ => return Err(unexpected(shard)),
            }
        }
        let features = opened.features.into_iter().map(|(id, name)| Feature { id, name }).collect();
        let features = FeatureTable::from_features(features);
        let whole = parts.into_iter().reduce(Merge::merge).ok_or_else(|| unexpected(0))?;
        Ok(RemoteEngine {
            held: pieces,
            schema: whole.schema(features),
            cache: AnswerCache::default(),
            observer: RwLock::new(observer.clone()),
            moved: Default::default(),
            shards,
        })
    }

    /// From now on passes report their progress to this observer.
    pub fn set_observer(&self, observer: Arc<dyn Observer>) {
        *self.observer.write().unwrap_or_else(PoisonError::into_inner) = observer;
    }

    /// Bytes that passes moved so far.
    pub fn moved(&self) -> Traffic {
        Traffic {
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

    fn run(&self, job: &mut dyn Job) -> Result<()> {
        ListedPass::of_job(job)?;
        self.cache.or_run(job, |job| {
            let observer = self.observer();
            let driver = Driver { shards: self.shards.as_ref(), observer: observer.as_ref() };
            let request = |pieces: &Vec<Piece>| {
                let (pieces, pass) = (pieces.clone(), job.name().to_owned());
                let request = Request::Answer { pieces, pass, samples: job.query_samples() };
                job.append_request(encode(&request)?)
            };
            let requests = self.held.iter().map(request).collect::<Result<_>>()?;
            let Replies { replies, traffic } = driver.send(job.activity(), requests)?;
            self.moved.0.fetch_add(traffic.sent, Ordering::Relaxed);
            self.moved.1.fetch_add(traffic.received, Ordering::Relaxed);
            let total = job.traffic().get_or_insert_default();
            *total = *total + traffic;
            let mut next = 0;
            for (shard, (reply, answers)) in replies.into_iter().enumerate() {
                match reply {
                    Reply::Answered => {
                        next = job.accept(&answers, next).map_err(|_| unexpected(shard))?;
                    }
                    _ => return Err(unexpected(shard)),
                }
            }
            job.complete().map_err(|_| unexpected(0))
        })
    }

    fn local(&self) -> Option<&Dataset> {
        None
    }

    fn step(&self, step: &Step) -> Result<()> {
        report(self.observer().as_ref(), step)
    }

    fn stop(&self) -> StopToken {
        self.observer().stop().clone()
    }
}

/// Replies with the bytes that follow them, and the number of bytes moved.
struct Replies {
    replies: Vec<(Reply, Vec<u8>)>,
    traffic: Traffic,
}

struct Driver<'a> {
    shards: &'a dyn ShardTransport,
    observer: &'a dyn Observer,
}

impl Driver<'_> {
    /// Sends messages to the first shards, one each.
    fn send(&self, what: &'static str, requests: Vec<Vec<u8>>) -> Result<Replies> {
        let (count, sent) = (requests.len(), requests.iter().map(|bytes| bytes.len() as u64).sum());
        let total = Some(count as u64);
        let bytes = self
            .shards
            .ask(requests, &|done| report(self.observer, &Step::pass(what, done, total)))?;
        if bytes.len() != count {
            return Err(unexpected(bytes.len()));
        }
        let received = bytes.iter().map(|bytes| bytes.len() as u64).sum();
        let reply = |(shard, bytes): (usize, Vec<u8>)| match decode(&bytes) {
            Ok((Reply::Failed(message), _)) => Err(Error::shard(shard + 1, message)),
            Ok((reply, rest)) => Ok((reply, rest.to_vec())),
            Err(error) => Err(Error::shard(shard + 1, error.to_string())),
        };
        let replies = bytes.into_iter().enumerate().map(reply).collect::<Result<_>>()?;
        Ok(Replies { replies, traffic: Traffic { sent, received } })
    }

    /// Sends requests other than passes to the first shards, one each.
    fn request(
        &self,
        what: &'static str,
        requests: impl Iterator<Item = Request>,
    ) -> Result<Vec<Reply>> {
        let requests = requests.map(|request| encode(&request)).collect::<Result<_>>()?;
        let replies = self.send(what, requests)?.replies.into_iter().enumerate();
        let alone = |(shard, (reply, rest)): (usize, (Reply, Vec<u8>))| match rest.is_empty() {
            true => Ok(reply),
            false => Err(unexpected(shard)),
        };
        replies.map(alone).collect()
    }

    /// Describes the files, which must be the same for all shards.
    fn open(&self) -> Result<Opened> {
        let requests = (0..self.shards.count()).map(|_| Request::Open);
        let mut all: Option<Opened> = None;
        for (shard, reply) in self.request("opening files", requests)?.into_iter().enumerate() {
            let Reply::Opened(opened) = reply else { return Err(unexpected(shard)) };
            let own = env!("CARGO_PKG_VERSION");
            if opened.release != own {
                let message =
                    format!("it runs featherank {}, and the driver {own}", opened.release);
                return Err(Error::shard(shard + 1, message));
            }
            if all.as_ref().is_some_and(|first| *first != opened) {
                let message = "it sees other files than the first shard";
                return Err(Error::shard(shard + 1, message));
            }
            all = Some(opened);
        }
        all.ok_or_else(|| Error::invalid("number of shards", 0, "at least 1"))
    }

    /// Lists the queries; each shard scans its own row groups.
    fn queries(&self, opened: &Opened) -> Result<Vec<QueryRows>> {
        let group_starts = &opened.group_starts;
        let groups = group_starts.len().saturating_sub(1);
        let count = self.shards.count().min(groups).max(1);
        let border = |i: usize| group_starts.get(i * groups / count).copied().unwrap_or(0);
        let requests = (0..count).map(|i| Request::Scan(border(i)..border(i + 1)));
        let mut scans = Vec::new();
        for (shard, reply) in self.request("looking for queries", requests)?.into_iter().enumerate()
        {
            let Reply::Scanned(scan) = reply else { return Err(unexpected(shard)) };
            scans.push(scan);
        }
        opened.index.join(scans)
    }
}

fn unexpected(shard: usize) -> Error {
    Error::shard(shard + 1, "its reply does not match the request")
}
