//! Measures the cost of passes on shards: `scale_costs FILE.parquet SHARDS…` prints a line of JSON for each
//! pass and number of shards.
//!
//! Shards run in this process, one after the other on one thread, and exchange the same bytes as in
//! a cluster. The times of shards and driver are measured separately, without a network.
#![allow(clippy::unwrap_used, reason = "a measurement may fail loudly")]

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use featherank::data::{FeatureId, PartSource, ReadOptions};
use featherank::engine::passes::{
    Centring, GramPass, LinearMeasuresPass, MergeGainsPass, PairwiseHingePass,
};
use featherank::engine::{Engine, FeatureMeasuresPass, Pass, RemoteEngine, Shard, Shards};
use featherank::measure::Measure;
use featherank::run::Silent;

/// Shards, and the seconds of their last replies.
struct Timed {
    shards: Vec<Shard>,
    seconds: Mutex<Vec<f64>>,
}

impl Shards for Timed {
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
        let (features, _) = (&engine as &dyn Engine).alive()?;
        for pass in passes(&features)? {
            // Run once before timing, to fill the caches.
            engine.run(&pass)?;
            let start = Instant::now();
            let moved = engine.run_counted(&pass)?.1.unwrap_or_default();
            let total = start.elapsed().as_secs_f64();
            let seconds = shards.seconds.lock().unwrap().clone();
            let asked = seconds.len() as f64;
            let line = serde_json::json!({
                "pass": pass.name(),
                "documents": engine.schema().documents(),
                "queries": engine.schema().queries(),
                "features": features.len(),
                "shards": asked,
                "bytes_out": moved.sent as f64 / asked,
                "bytes_back": moved.received as f64 / asked,
                "shard_seconds": seconds.iter().sum::<f64>() / asked,
                "slowest_shard_seconds": seconds.iter().copied().fold(0.0, f64::max),
                "driver_seconds": total - seconds.iter().sum::<f64>(),
            });
            println!("{line}");
        }
    }
    Ok(())
}

/// One example of each frequent pass.
fn passes(features: &[FeatureId]) -> featherank::Result<Vec<Pass>> {
    let measure: Measure = "ndcg[ties=expected]@10".parse()?;
    let features = features.to_vec();
    let weight = |model: usize, f: usize| ((model * 7 + f * 3) % 11) as f32 - 5.0;
    let linear = LinearMeasuresPass {
        measure: measure.clone(),
        weights: (0..75).map(|m| (0..features.len()).map(|f| weight(m, f)).collect()).collect(),
        features: features.clone(),
    };
    Ok(vec![
        Pass::Moments,
        Pass::FeatureMeans(FeatureMeasuresPass {
            measure: measure.clone(),
            features: features.clone(),
        }),
        Pass::Gram(GramPass::new(features.clone(), Centring::PerQuery)),
        Pass::LinearMeasures(linear.clone()),
        Pass::LinearMeans(linear),
        Pass::PairwiseHinge(PairwiseHingePass {
            weights: (0..features.len()).map(|f| f64::from(weight(1, f)) * 1e-4).collect(),
            features: features.clone(),
            ..PairwiseHingePass::default()
        }),
        Pass::MergeGains(MergeGainsPass {
            measure,
            relevant_from: 1.0,
            live: features.clone(),
            chosen: features[..1].to_vec(),
            candidates: features[1..].to_vec(),
        }),
    ])
}
