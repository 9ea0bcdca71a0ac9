//! The data that documents and messages are about.

use std::sync::LazyLock;

use featherank::data::synth::{SynthConfig, generate};
use featherank::data::{Dataset, FeatureTable};

/// A few queries with named features.
pub static DATA: LazyLock<Dataset> = LazyLock::new(|| {
    let config = SynthConfig {
        queries: 6,
        documents: 48,
        min_documents: 4,
        max_documents: 12,
        useful: 2,
        redundant: 1,
        noisy: 1,
        risky: 1,
        query_dependent: 0,
        constant: 1,
        heavy_tails: false,
        ..SynthConfig::default()
    };
    let data = generate(&config).expect("a valid configuration").0;
    let names = (0..data.features().len()).map(|i| format!("f{i}")).collect();
    data.with_names(names)
});

/// Its features.
pub fn features() -> &'static FeatureTable {
    DATA.features()
}
