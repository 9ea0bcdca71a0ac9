//! A shard: some rows of Parquet files, wherever it runs, that answers messages.
//!
//! Which rows are its own is said with every request. What it has read is kept for the next one
//! about the same rows.

use std::sync::{Arc, Mutex, PoisonError};

use super::layout::Piece;
use super::local::pool;
use super::message::{Opened, Reply, Request, decode, encode};
use super::store::Store;
use super::tree::Tree;
use crate::data::{PartSource, Parts, ReadOptions};
use crate::error::{Error, Result};

/// Answers messages about rows of some files.
pub struct Shard {
    parts: Arc<Parts>,
    memory: u64,
    pool: rayon::ThreadPool,
    store: Mutex<Option<Arc<Store>>>,
}

impl Shard {
    /// Reads the footers of the files. `memory` is the most that rows may take, in bytes, about; 0
    /// threads means all cores.
    pub fn open(
        files: Vec<PartSource>,
        options: &ReadOptions,
        memory: u64,
        threads: usize,
    ) -> Result<Self> {
        let parts = Arc::new(Parts::open(files, options)?);
        Ok(Shard { parts, memory, pool: pool(threads)?, store: Mutex::default() })
    }

    /// The reply to a request. What goes wrong is a reply, too.
    pub fn reply(&self, request: &[u8]) -> Result<Vec<u8>> {
        let reply = decode(request).and_then(|request| self.pool.install(|| self.answer(request)));
        encode(&reply.unwrap_or_else(|error| Reply::Failed(error.to_string())))
    }

    fn answer(&self, request: Request) -> Result<Reply> {
        let undisturbed = |_| Ok(());
        match request {
            Request::Open => {
                let features = self.parts.features().iter().map(|(_, f)| (f.id, f.name.clone()));
                Ok(Reply::Opened(Opened {
                    release: env!("CARGO_PKG_VERSION").into(),
                    features: features.collect(),
                    index: self.parts.index().clone(),
                    group_starts: self.parts.group_starts(),
                }))
            }
            Request::Scan(rows) => Ok(Reply::Scanned(self.parts.scan(rows)?)),
            Request::Describe(pieces) => {
                let found = self.store(pieces).describe(undisturbed)?;
                found.map(Reply::Described).ok_or_else(|| nothing("rows to describe"))
            }
            Request::Answer(pieces, pass) => {
                pass.check(self.parts.features().len())?;
                let mut tree = Tree::new();
                self.store(pieces).answer(&pass, &mut tree, undisturbed)?;
                Ok(Reply::Answered(tree.into_nodes()))
            }
        }
    }

    /// The rows of these pieces, those of the last request where they are the same.
    fn store(&self, pieces: Vec<Piece>) -> Arc<Store> {
        let mut kept = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.as_ref().filter(|store| store.pieces() == pieces) {
            Some(store) => store.clone(),
            None => {
                // The old rows go before the new ones come.
                *kept = None;
                kept.insert(Arc::new(Store::new(self.parts.clone(), pieces, self.memory))).clone()
            }
        }
    }
}

fn nothing(what: &str) -> Error {
    Error::invalid(what, "none", "at least one")
}
