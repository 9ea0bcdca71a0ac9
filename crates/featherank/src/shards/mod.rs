//! Data that is larger than memory, or in other processes.
//!
//! [`StreamEngine`] reads pieces of Parquet files one after the other. [`RemoteEngine`] sends the
//! same passes as bytes to [`Shard`]s in any process; [`ShardTransport`] carries the messages.
//! Answers have the same bits as if all rows were in memory, because pieces and shards consist of
//! the same blocks, merged in the same order. [`CostedEngine`] counts passes and the bytes that
//! they move.

pub(crate) mod costs;
mod layout;
mod message;
mod passes;
mod remote;
mod shard;
mod store;
pub(crate) mod stream;

pub use remote::{RemoteEngine, ShardTransport};
pub use shard::Shard;
pub use stream::StreamEngine;
