//! Messages between a driver and its shards, in both directions.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use featherank::Result;
use featherank::data::{PartSource, ReadOptions, WriteOptions, write};
use featherank::engine::Ask;
use featherank::engine::passes::{Labels, Moments};
use featherank::registry::selector;
use featherank::run::{Constraints, Run, Silent};
use featherank::shards::{RemoteEngine, Shard, ShardTransport};

use crate::sample::DATA;
use crate::workspace::file;

/// Bytes of rows that a shard keeps.
const MEMORY: u64 = 1 << 20;

static SHARD: LazyLock<Shard> = LazyLock::new(|| {
    let path = file("rows.parquet");
    write(&DATA, &path, &WriteOptions::default()).expect("a file");
    let options = ReadOptions { max_bytes: 16 << 20, ..ReadOptions::default() };
    Shard::open(vec![PartSource::File(path)], &options, MEMORY, 1).expect("a shard")
});

/// Passes messages on, keeps them, and may replace one of the replies.
#[derive(Default)]
struct RecordingTransport {
    kept: Mutex<Vec<(Vec<u8>, Vec<u8>)>>,
    replaced: Option<(usize, Vec<u8>)>,
}

impl RecordingTransport {
    fn kept(&self) -> std::sync::MutexGuard<'_, Vec<(Vec<u8>, Vec<u8>)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ShardTransport for RecordingTransport {
    fn count(&self) -> usize {
        1
    }

    fn ask(
        &self,
        requests: Vec<Vec<u8>>,
        done: &(dyn Fn(u64) -> Result<()> + Sync),
    ) -> Result<Vec<Vec<u8>>> {
        let reply = |request: Vec<u8>| {
            let number = self.kept().len();
            let reply = match &self.replaced {
                Some((place, reply)) if *place == number => reply.clone(),
                _ => SHARD.reply(&request)?,
            };
            self.kept().push((request, reply.clone()));
            done(1)?;
            Ok(reply)
        };
        requests.into_iter().map(reply).collect()
    }
}

/// All messages of the methods with the most different passes.
fn exchanged() -> Vec<(Vec<u8>, Vec<u8>)> {
    let transport = Arc::new(RecordingTransport::default());
    let engine =
        RemoteEngine::open(transport.clone(), MEMORY, Arc::new(Silent)).expect("an engine");
    let run = Run::new(1, Constraints { k: Some(2), ..Constraints::default() });
    for method in ["top-k", "best-gain", "mrmr", "gas", "fenchelrank", "rankfilter"] {
        // A method that does not work without rows sends what it can.
        if let Ok(spec) = selector(method) {
            drop(spec.run(&[], &run, &engine));
        }
    }
    std::mem::take(&mut *transport.kept())
}

/// What drivers send.
pub fn requests() -> Vec<Vec<u8>> {
    exchanged().into_iter().map(|(request, _)| request).collect()
}

/// A request to a shard.
pub fn request(input: &[u8]) -> bool {
    let reply = SHARD.reply(input).expect("a shard always replies");
    let failed = |reply: &[u8]| reply.get(6) == Some(&4);
    !failed(&reply)
}

/// The number of replies that [`ask`] receives.
const REPLIES: usize = 5;

/// What shards send; the first byte is the place of the reply.
pub fn replies() -> Vec<Vec<u8>> {
    let transport = Arc::new(RecordingTransport::default());
    drop(ask(&transport));
    let kept = transport.kept();
    assert_eq!(kept.len(), REPLIES);
    let numbered = (0u8..).zip(kept.iter());
    numbered.map(|(place, (_, reply))| [&[place], &reply[..]].concat()).collect()
}

/// A reply to a driver.
pub fn reply(input: &[u8]) -> bool {
    let Some((&place, reply)) = input.split_first() else { return false };
    let replaced = Some((usize::from(place) % REPLIES, reply.to_vec()));
    ask(&Arc::new(RecordingTransport { replaced, ..RecordingTransport::default() })).is_ok()
}

fn ask(transport: &Arc<RecordingTransport>) -> Result<()> {
    let engine = RemoteEngine::open(transport.clone(), MEMORY, Arc::new(Silent))?;
    engine.ask(&Labels)?;
    engine.ask(&Moments)?;
    Ok(())
}
