//! Writes a pass: a question about the rows that every engine can answer.
//!
//! A pass runs on blocks of queries, on as many threads as the engine has, and its answers are
//! merged in an order that depends on the data alone. Methods never see rows, so the same method
//! runs on data in memory and on data in many processes.
//!
//! `cargo run -p featherank --example own_pass`

use featherank::Result;
use featherank::data::FeatureId;
use featherank::data::synth::{Preset, generate};
use featherank::engine::{Ask, Block, Engine, LocalEngine, Merge, Pass};
use serde::{Deserialize, Serialize};

/// The request: how often does the document with the largest value have the best label?
#[derive(Serialize, Deserialize)]
struct TopHits {
    features: Vec<FeatureId>,
}

/// The answer: queries, and hits by feature.
#[derive(Clone, Serialize, Deserialize)]
struct Hits {
    queries: u64,
    by_feature: Vec<u64>,
}

impl Merge for Hits {
    fn merge(mut self, next: Self) -> Self {
        self.queries += next.queries;
        for (own, other) in self.by_feature.iter_mut().zip(next.by_feature) {
            *own += other;
        }
        self
    }
}

impl Pass for TopHits {
    type Answer = Hits;
    const NAME: &'static str = "top-hits";
    const ACTIVITY: &'static str = "counting top hits";

    /// What one block of queries contributes.
    fn answer(&self, block: &Block<'_>) -> Hits {
        let data = block.data();
        let mut hits = Hits { queries: 0, by_feature: vec![0; self.features.len()] };
        for rows in block.rows() {
            hits.queries += 1;
            let labels = &data.labels()[rows.clone()];
            let best = labels.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            for (count, &feature) in hits.by_feature.iter_mut().zip(&self.features) {
                let values = &data.column(feature)[rows.clone()];
                let top = (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b]));
                *count += u64::from(top.is_some_and(|top| labels[top] == best));
            }
        }
        hits
    }
}

pub(crate) fn main() -> Result<()> {
    let (data, truth) = generate(&Preset::Tiny.config())?;
    let engine = LocalEngine::new(data, 0)?;
    let features: Vec<FeatureId> = engine.schema().features.iter().map(|(id, _)| id).collect();

    // `ask` returns the answer type of the pass.
    let hits = engine.ask(&TopHits { features })?;
    for (feature, count) in truth.features.iter().zip(&hits.by_feature) {
        println!("feature {:>2} ({}): {count} of {}", feature.id, feature.role, hits.queries);
    }
    assert!(hits.by_feature.iter().all(|&count| count <= hits.queries));
    Ok(())
}
