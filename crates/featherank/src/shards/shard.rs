//! A shard: a process, or a part of one, that answers messages about rows of Parquet files.
//!
//! Every request names the rows, so a shard has no state that could be lost. Rows that were read
//! are kept for the next request about the same rows.

use std::sync::{Arc, Mutex, PoisonError};

use super::layout::Piece;
use super::message::{Opened, Reply, Request, decode, encode};
use super::passes::{ListedPass, Requested};
use super::store::Store;
use crate::data::{PartSource, Parts, ReadOptions};
use crate::engine::{Schema, thread_pool};
use crate::error::{Error, Result};

/// Answers messages about rows of files.
pub struct Shard {
    parts: Arc<Parts>,
    memory: u64,
    pool: rayon::ThreadPool,
    store: Mutex<Option<Arc<Store>>>,
}

impl Shard {
    /// Reads the footers of the files. `memory` is an approximate limit for rows, in bytes; 0
    /// threads means all cores.
    pub fn open(
        files: Vec<PartSource>,
        options: &ReadOptions,
        memory: u64,
        threads: usize,
    ) -> Result<Self> {
        let parts = Arc::new(Parts::open(files, options)?);
        Ok(Shard { parts, memory, pool: thread_pool(threads)?, store: Mutex::default() })
    }

    /// The reply to a request; a failure is a reply, too.
    pub fn reply(&self, request: &[u8]) -> Result<Vec<u8>> {
        let reply = decode(request)
            .and_then(|(request, pass)| self.pool.install(|| self.answer(request, pass)));
        reply.or_else(|error| encode(&Reply::Failed(error.to_string())))
    }

    /// `pass` is the encoded pass of a [`Request::Answer`].
    fn answer(&self, request: Request, pass: &[u8]) -> Result<Vec<u8>> {
        match request {
            Request::Open => {
                let features = self.parts.features().iter().map(|(_, f)| (f.id, f.name.clone()));
                encode(&Reply::Opened(Opened {
                    release: env!("CARGO_PKG_VERSION").into(),
                    features: features.collect(),
                    index: self.parts.index().clone(),
                    group_starts: self.parts.group_starts(),
                }))
            }
            Request::Scan(rows) => encode(&Reply::Scanned(self.parts.scan(rows)?)),
            Request::Describe(pieces) => {
                let part = self.store(pieces).describe(|_| Ok(()))?;
                let part =
                    part.ok_or_else(|| Error::invalid("rows to describe", "none", "at least one"))?;
                encode(&Reply::Described(part))
            }
            Request::Answer { pieces, pass: name, samples } => {
                let schema = Schema::of_features(self.parts.features().clone());
                let request = Requested { pass, samples: &samples, schema: &schema };
                let reply = encode(&Reply::Answered)?;
                ListedPass::named(&name)?.answer(&request, &self.store(pieces), reply)
            }
        }
    }

    /// The rows of these pieces; those of the last request if they are the same.
    fn store(&self, pieces: Vec<Piece>) -> Arc<Store> {
        let mut kept = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.as_ref().filter(|store| store.pieces() == pieces) {
            Some(store) => store.clone(),
            None => {
                // The old rows are freed before new ones are read.
                *kept = None;
                kept.insert(Arc::new(Store::new(self.parts.clone(), pieces, self.memory))).clone()
            }
        }
    }
}
