//! The engine: the same bits for any number of threads, and the arithmetic of passes.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use featherank::data::synth::{SynthConfig, generate};
use featherank::data::{Dataset, FeatureId, FeatureTable, Queries};
use featherank::engine::passes::{
    Centring, Correlation, CorrelationsPass, GramPass, LeaveQueryOutPass, LinearMeasuresPass,
    ModelMeasuresPass, NdcgPairsPass, PairwiseHingePass, PartPass, PlacedModel,
};
use featherank::engine::{Deal, Engine, FeatureMeasuresPass, LocalEngine, PartEngine, Pass};
use featherank::measure::Measure;
use featherank::rank::LinearModel;

fn engine(threads: usize) -> LocalEngine {
    // Enough documents for several blocks.
    let config = SynthConfig {
        queries: 600,
        documents: 30_000,
        max_documents: 200,
        ..SynthConfig::default()
    };
    LocalEngine::new(generate(&config).unwrap().0, threads).unwrap()
}

/// One of every kind.
pub fn passes() -> Vec<Pass> {
    let features: Vec<FeatureId> = (0..20).map(FeatureId).collect();
    let measure = |name: &str| {
        Pass::FeatureMeasures(FeatureMeasuresPass {
            measure: name.parse().unwrap(),
            features: features.clone(),
        })
    };
    vec![
        Pass::Moments,
        Pass::Labels,
        Pass::FeatureMeans(FeatureMeasuresPass {
            measure: "gmap".parse().unwrap(),
            features: features.clone(),
        }),
        Pass::ModelMeasures(ModelMeasuresPass {
            models: vec![PlacedModel {
                model: LinearModel::new(&FeatureTable::numbered(3, 1), &[(FeatureId(2), 0.1)])
                    .into(),
                columns: vec![FeatureId(2)],
            }],
            measures: vec!["map".parse().unwrap(), "ndcg[empty=skip]@5".parse().unwrap()],
        }),
        Pass::Part(PartPass {
            parts: vec![Deal::new(&[1, 2, 3], 3, 7).drawn(|part| part != 1)],
            pass: Box::new(Pass::Moments),
        }),
        measure("ndcg[ties=expected]@10"),
        measure("map[empty=skip]"),
        Pass::Gram(GramPass::new(features.clone(), Centring::Overall)),
        Pass::Gram(GramPass::new(features.clone(), Centring::PerQuery)),
        Pass::Gram(GramPass::new(features.clone(), Centring::PerPair)),
        Pass::LinearMeasures(linear("ndcg[empty=skip]@10", &features)),
        Pass::LinearMeans(linear("gmap", &features)),
        Pass::Correlations(CorrelationsPass {
            kind: Correlation::Pearson,
            features: features.clone(),
        }),
        Pass::Correlations(CorrelationsPass {
            kind: Correlation::Spearman,
            features: features.clone(),
        }),
        Pass::Correlations(CorrelationsPass {
            kind: Correlation::Kendall,
            features: features.clone(),
        }),
        Pass::Correlations(CorrelationsPass {
            kind: Correlation::TopTen,
            features: features.clone(),
        }),
        Pass::PairwiseHinge(PairwiseHingePass {
            curved: vec![0, 3, 7],
            towards: Some(vec![1e-6; 20]),
            ..hinge(&features)
        }),
        Pass::NdcgPairs(NdcgPairsPass {
            weights: hinge(&features).weights,
            features: features.clone(),
            ..NdcgPairsPass::default()
        }),
        Pass::LeaveQueryOut(LeaveQueryOutPass {
            divisors: vec![1.0; 20],
            centring: Centring::PerPair,
            weights: Vec::new(),
            penalised: Vec::new(),
            projections: Vec::new(),
            slopes: (0..20).map(f64::from).collect(),
            curvatures: vec![1e12; 20],
            features,
        }),
    ]
}

fn linear(measure: &str, features: &[FeatureId]) -> LinearMeasuresPass {
    let weight = |model: usize, f: usize| ((model * 7 + f * 3) % 11) as f32 - 5.0;
    let weights =
        (0..9).map(|model| (0..features.len()).map(|f| weight(model, f)).collect()).collect();
    LinearMeasuresPass { measure: measure.parse().unwrap(), weights, features: features.to_vec() }
}

/// Weights small enough for features of any size to leave some pairs violated and others not.
fn hinge(features: &[FeatureId]) -> PairwiseHingePass {
    let weights = (0..features.len()).map(|f| (f as f64 * 3.0 % 11.0 - 5.0) * 1e-4).collect();
    PairwiseHingePass { features: features.to_vec(), weights, ..PairwiseHingePass::default() }
}

/// Asking some queries is the same as having no others.
#[test]
fn other_queries_do_not_count() {
    let whole = engine(2);
    let data = whole.local().unwrap();
    let deal = Deal::new(&whole.schema().query_keys, 3, 5);
    let asked = PartEngine::of(&whole, deal.drawn(|part| part != 1)).unwrap();
    let part = LocalEngine::new(data.subset(asked.places()), 2).unwrap();
    let (whole, asked, part): (&dyn Engine, &dyn Engine, &dyn Engine) = (&whole, &asked, &part);
    let features: Vec<FeatureId> = (0..20).map(FeatureId).collect();
    let close = |a: &[f64], b: &[f64]| {
        let largest = b.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        assert!(
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * largest),
            "{a:?} {b:?}"
        );
    };
    let pass = PairwiseHingePass { curved: vec![1, 2], ..hinge(&features) };
    let expected = part.pairwise_hinge(pass.clone()).unwrap();
    let got = asked.pairwise_hinge(pass.clone()).unwrap();
    assert_eq!(got.pairs, expected.pairs);
    assert_ne!(whole.pairwise_hinge(pass).unwrap().pairs, expected.pairs);
    close(&[got.loss], &[expected.loss]);
    close(&got.slope, &expected.slope);
    close(&got.curvature, &expected.curvature);
    let pass = NdcgPairsPass {
        weights: hinge(&features).weights,
        features: features.clone(),
        ..NdcgPairsPass::default()
    };
    let (got, expected) = (asked.ndcg_pairs(pass.clone()).unwrap(), part.ndcg_pairs(pass).unwrap());
    close(&[got.loss], &[expected.loss]);
    close(&got.slope, &expected.slope);
    let gram = GramPass::new(features, Centring::PerQuery);
    let (got, expected) = (asked.gram(gram.clone()).unwrap(), part.gram(gram).unwrap());
    assert_eq!(got.count, expected.count);
    close(&got.products, &expected.products);
}

/// Means are those of the values of all queries.
#[test]
fn means_are_those_of_the_values_per_query() {
    let engine = engine(2);
    let engine: &dyn Engine = &engine;
    let features: Vec<FeatureId> = (0..20).map(FeatureId).collect();
    for name in ["ndcg[empty=skip]@10", "gmap", "err@5"] {
        let pass = linear(name, &features);
        let expected = engine.linear_measures(pass.clone()).unwrap().summaries(&pass.measure);
        let means = engine.linear_means(pass.clone()).unwrap().summaries(&pass.measure);
        assert!(means.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "{name}");
    }
}

/// Compared as text, which holds every bit of every number.
#[test]
fn outcomes_are_bit_identical_for_any_number_of_threads() {
    let text = |engine: &LocalEngine, pass: &Pass| {
        serde_json::to_string(&engine.run(pass).unwrap()).unwrap()
    };
    let (one, two, seven) = (engine(1), engine(2), engine(7));
    for pass in passes() {
        let expected = text(&one, &pass);
        assert_eq!(text(&two, &pass), expected, "{pass:?}");
        assert_eq!(text(&seven, &pass), expected, "{pass:?}");
    }
}

/// Sums of products against a direct calculation over all documents at once.
#[test]
fn the_gram_matrix_equals_a_direct_calculation() {
    let engine = engine(2);
    let data = engine.local().unwrap();
    let features: Vec<FeatureId> = (0..20).map(FeatureId).collect();
    let engine: &dyn Engine = &engine;
    let gram = engine.gram(GramPass::new(features.clone(), Centring::Overall)).unwrap();
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

/// Many models at once give what each gives alone: small whole numbers, so that scores are exact in
/// any order of summation, and many documents tie.
#[test]
fn many_linear_models_at_once_equal_each_alone() {
    let round = |column: &[f32]| {
        column.iter().map(|x| x.clamp(-1e3, 1e3).round() % 4.0).collect::<Vec<f32>>()
    };
    let original = engine(1).into_data();
    let features: Vec<FeatureId> = (0..20).map(FeatureId).collect();
    let values = features.iter().flat_map(|&f| round(original.column(f))).collect();
    let data = Dataset::new(
        values,
        original.labels().to_vec(),
        original.queries().clone(),
        FeatureTable::numbered(20, 1),
    );
    let engine = LocalEngine::new(data, 2).unwrap();
    let data = engine.local().unwrap();
    let weights: Vec<Vec<f32>> = (0..75)
        .map(|model| (0..20).map(|f| ((model * 7 + f * 5) % 9) as f32 - 4.0).collect())
        .collect();
    for name in [
        "ndcg@10",
        "ndcg[letor4]@10",
        "map",
        "p@5",
        "mrr@3",
        "err@10",
        "ndcg[ties=expected]@10",
        "ndcg[ties=worst]@3",
    ] {
        let measure: Measure = name.parse().unwrap();
        let pass = LinearMeasuresPass {
            measure: measure.clone(),
            features: features.clone(),
            weights: weights.clone(),
        };
        let all = (&engine as &dyn Engine).linear_measures(pass).unwrap();
        for (weights, got) in weights.iter().zip(&all.per_query) {
            let score = |row| {
                features.iter().zip(weights).map(|(&f, w)| data.column(f)[row] * w).sum::<f32>()
            };
            let scores: Vec<f32> = (0..data.documents()).map(score).collect();
            assert_eq!(*got, measure.per_query(&scores, &data.view()), "{name}");
        }
    }
}

/// Documents with equal values tie, wherever they stand in a block: 31 copies of one document score
/// a constant's NDCG.
#[test]
fn equal_documents_get_equal_scores() {
    let documents = 31 * 40;
    let values =
        (0..136).flat_map(|f| std::iter::repeat_n(1.0 / (f as f32 + 1.1), documents)).collect();
    let labels: Vec<f32> = (0..documents).map(|i| (i * 7 % 3) as f32).collect();
    let data = Dataset::new(
        values,
        labels,
        Queries::from_sizes(&[31; 40]),
        FeatureTable::numbered(136, 1),
    );
    let measure: Measure = "ndcg@10".parse().unwrap();
    let expected = measure.per_query(&vec![0.0; documents], &data.view());
    let engine = LocalEngine::new(data, 2).unwrap();
    let weights = (0..13).map(|m| (0..136).map(|f| (m * f) as f32 / 7.3).collect()).collect();
    let features = (0..136).map(FeatureId).collect();
    let pass = LinearMeasuresPass { measure, features, weights };
    let got = (&engine as &dyn Engine).linear_measures(pass).unwrap();
    assert!(got.per_query.iter().all(|values| *values == expected));
    let short = LinearMeasuresPass {
        measure: "map".parse().unwrap(),
        features: vec![FeatureId(0)],
        weights: vec![vec![]],
    };
    assert!((&engine as &dyn Engine).linear_measures(short).is_err());
}
