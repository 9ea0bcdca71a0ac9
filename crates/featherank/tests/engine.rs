//! The engine: the same bits for any number of threads, requests and answers that travel as text.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use featherank::data::FeatureId;
use featherank::data::synth::{SynthConfig, generate};
use featherank::engine::passes::{Centring, GramPass};
use featherank::engine::{Engine, FeatureMeasuresPass, LocalEngine, Outcome, Pass};

fn engine(threads: usize) -> LocalEngine {
    // Enough documents for several blocks.
    let config =
        SynthConfig { queries: 600, documents: 30_000, max_documents: 200, ..SynthConfig::default() };
    LocalEngine::new(generate(&config).unwrap().0, threads).unwrap()
}

fn passes() -> Vec<Pass> {
    let features: Vec<FeatureId> = (0..20).map(FeatureId).collect();
    let measure = |name: &str| {
        Pass::FeatureMeasures(FeatureMeasuresPass {
            measure: name.parse().unwrap(),
            features: features.clone(),
        })
    };
    vec![
        Pass::Moments,
        measure("ndcg[ties=expected]@10"),
        measure("map[empty=skip]"),
        Pass::Gram(GramPass { features: features.clone(), centring: Centring::Overall }),
        Pass::Gram(GramPass { features, centring: Centring::PerQuery }),
    ]
}

/// Compared as text, which holds every bit of every number.
#[test]
fn outcomes_are_bit_identical_for_any_number_of_threads() {
    let text = |engine: &LocalEngine, pass: &Pass| serde_json::to_string(&engine.run(pass).unwrap()).unwrap();
    let (one, two, seven) = (engine(1), engine(2), engine(7));
    for pass in passes() {
        let expected = text(&one, &pass);
        assert_eq!(text(&two, &pass), expected, "{pass:?}");
        assert_eq!(text(&seven, &pass), expected, "{pass:?}");
    }
}

#[test]
fn passes_and_outcomes_travel_as_text() {
    let engine = engine(2);
    for pass in passes() {
        let sent: Pass = serde_json::from_str(&serde_json::to_string(&pass).unwrap()).unwrap();
        assert_eq!(sent, pass);
        let text = serde_json::to_string(&engine.run(&sent).unwrap()).unwrap();
        let received: Outcome = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&received).unwrap(), text);
    }
}

/// Sums of products against a direct calculation over all documents at once.
#[test]
fn the_gram_matrix_equals_a_direct_calculation() {
    let engine = engine(2);
    let data = engine.local().unwrap();
    let features: Vec<FeatureId> = (0..20).map(FeatureId).collect();
    let engine: &dyn Engine = &engine;
    let gram = engine.gram(GramPass { features: features.clone(), centring: Centring::Overall }).unwrap();
    let centred = |values: &[f32]| {
        let mean = values.iter().map(|&x| f64::from(x)).sum::<f64>() / values.len() as f64;
        values.iter().map(|&x| f64::from(x) - mean).collect::<Vec<f64>>()
    };
    let mut columns: Vec<Vec<f64>> = features.iter().map(|&f| centred(data.column(f))).collect();
    columns.push(centred(data.labels()));
    for (i, a) in columns.iter().enumerate() {
        for (j, b) in columns.iter().enumerate() {
            let expected: f64 = a.iter().zip(b).map(|(x, y)| x * y).sum();
            let scale = (gram.product(i, i) * gram.product(j, j)).sqrt().max(1e-300);
            assert!((gram.product(i, j) - expected).abs() <= 1e-10 * scale, "{i} {j}");
        }
    }
}
