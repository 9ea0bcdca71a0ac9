//! Measures the cost of passes on shards: `scale_costs FILE.parquet SHARDS…` prints a line of JSON
//! for each pass and number of shards.
//!
//! Shards run in this process, one after the other on one thread, and exchange the same bytes as in
//! a cluster. The times of shards and driver are measured separately, without a network.
#![allow(clippy::unwrap_used, reason = "a measurement may fail loudly")]

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use featherank::data::{FeatureId, PartSource, ReadOptions};
use featherank::engine::passes::{
    Centring, FeatureMeans, FeatureMeasures, Gram, LinearMeans, LinearMeasures, MergeGains, Moments,
};
use featherank::engine::{Ask, Engine, Pass};
use featherank::internals::rank_passes::PairwiseHinge;
use featherank::measure::Measure;
use featherank::run::Silent;
use featherank::shards::{RemoteEngine, Shard, ShardTransport};

/// Shards, and the seconds of their last replies.
struct Timed {
    shards: Vec<Shard>,
    seconds: Mutex<Vec<f64>>,
}

impl ShardTransport for Timed {
    fn count(&self) -> usize {
        self.shards.len()
    }

    fn ask(
        &self,
        requests: Vec<Vec<u8>>,
        _: &(dyn Fn(u64) -> featherank::Result<()> + Sync),
    ) -> featherank::Result<Vec<Vec<u8>>> {
        let mut seconds = Vec::new();
        let mut replies = Vec::new();
        for (shard, request) in self.shards.iter().zip(&requests) {
            let start = Instant::now();
            replies.push(shard.reply(request)?);
            seconds.push(start.elapsed().as_secs_f64());
        }
        *self.seconds.lock().unwrap() = seconds;
        Ok(replies)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = PathBuf::from(arguments.next().ok_or("scale_costs FILE.parquet SHARDS…")?);
    for count in arguments {
        let open = |_| {
            Shard::open(vec![PartSource::File(file.clone())], &ReadOptions::default(), 16 << 30, 1)
        };
        let shards = (0..count.parse::<usize>()?).map(open).collect::<featherank::Result<_>>()?;
        let shards = Arc::new(Timed { shards, seconds: Mutex::default() });
        let engine = RemoteEngine::open(shards.clone(), 16 << 30, Arc::new(Silent))?;
        let (features, _) = engine.ask(&Moments)?.varying_within_queries();
        for pass in passes(&features)? {
            // Run once before timing, to fill the caches of the blocks.
            (pass.ask)(&engine)?;
            let (start, before) = (Instant::now(), engine.moved());
            (pass.ask)(&engine)?;
            let after = engine.moved();
            let total = start.elapsed().as_secs_f64();
            let seconds = shards.seconds.lock().unwrap().clone();
            let asked = seconds.len() as f64;
            let line = serde_json::json!({
                "pass": pass.name,
                "documents": engine.schema().documents(),
                "queries": engine.schema().queries(),
                "features": features.len(),
                "shards": asked,
                "bytes_out": (after.sent - before.sent) as f64 / asked,
                "bytes_back": (after.received - before.received) as f64 / asked,
                "shard_seconds": seconds.iter().sum::<f64>() / asked,
                "slowest_shard_seconds": seconds.iter().copied().fold(0.0, f64::max),
                "driver_seconds": total - seconds.iter().sum::<f64>(),
            });
            println!("{line}");
        }
    }
    Ok(())
}

/// Sends a pass to an engine and drops the answer.
type AskPass = dyn Fn(&RemoteEngine) -> featherank::Result<()>;

/// A type-erased pass.
struct AnyPass {
    name: &'static str,
    ask: Box<AskPass>,
}

impl AnyPass {
    fn of<P: Pass>(pass: P) -> Self {
        AnyPass { name: P::NAME, ask: Box::new(move |engine| engine.ask(&pass).map(|_| ())) }
    }
}

/// One example of each frequent pass.
fn passes(features: &[FeatureId]) -> featherank::Result<Vec<AnyPass>> {
    let measure: Measure = "ndcg[ties=expected]@10".parse()?;
    let features = features.to_vec();
    let weight = |model: usize, f: usize| ((model * 7 + f * 3) % 11) as f32 - 5.0;
    let linear = LinearMeasures {
        measure: measure.clone(),
        weights: (0..75).map(|m| (0..features.len()).map(|f| weight(m, f)).collect()).collect(),
        features: features.clone(),
    };
    Ok(vec![
        AnyPass::of(FeatureMeans(FeatureMeasures::new(&measure, &features))),
        AnyPass::of(Gram::new(features.clone(), Centring::PerQuery)),
        AnyPass::of(linear.clone()),
        AnyPass::of(LinearMeans(linear)),
        AnyPass::of(PairwiseHinge {
            weights: (0..features.len()).map(|f| f64::from(weight(1, f)) * 1e-4).collect(),
            features: features.clone(),
            ..PairwiseHinge::default()
        }),
        AnyPass::of(MergeGains {
            measure,
            relevant_from: 1.0,
            varying: features.clone(),
            chosen: features[..1].to_vec(),
            candidates: features[1..].to_vec(),
        }),
    ])
}
