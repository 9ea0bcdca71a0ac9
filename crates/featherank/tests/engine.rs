//! The engine: the same bits for any number of threads, and the arithmetic of passes.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail loudly")]

use featherank::data::synth::{SynthConfig, generate};
use featherank::data::{Dataset, FeatureId, FeatureTable, Queries};
use featherank::engine::passes::{
    Centring, Correlation, Correlations, FeatureMeans, FeatureMeasures, Gram, Labels, LinearMeans,
    LinearMeasures, MergeGains, Moments, Relief,
};
use featherank::engine::{Ask, Block, Engine, LocalEngine, Merge, PartEngine, Pass, QueryFolds};
use featherank::internals::rank_passes::{
    AddedFeature, LeaveQueryOut, ModelMeasures, NdcgPairs, PairwiseHinge, PlacedModel,
};
use featherank::measure::Measure;
use featherank::rank::LinearModel;
use serde::{Deserialize, Serialize};

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

/// Asks an engine, and renders the answer as text.
type AnswerText = dyn Fn(&dyn Engine) -> String;

/// A type-erased pass: its name, and its answer as text, which shows every bit of every number.
pub struct AnyPass {
    pub name: &'static str,
    pub answer: Box<AnswerText>,
}

impl AnyPass {
    fn of<P: Pass<Answer: std::fmt::Debug>>(pass: P) -> Self {
        let answer = move |engine: &dyn Engine| format!("{:?}", engine.ask(&pass).unwrap());
        AnyPass { name: P::NAME, answer: Box::new(answer) }
    }

    /// Two of three folds of the queries.
    fn of_part<P: Pass<Answer: std::fmt::Debug>>(pass: P) -> Self {
        let answer = move |engine: &dyn Engine| {
            let folds = QueryFolds::new(&engine.schema().query_keys, 3, 7);
            let part = PartEngine::of(engine, folds.sample(|fold| fold != 1)).unwrap();
            format!("{:?}", part.ask(&pass).unwrap())
        };
        AnyPass { name: P::NAME, answer: Box::new(answer) }
    }
}

/// At least one request for every pass.
pub fn passes() -> Vec<AnyPass> {
    let features: Vec<FeatureId> = (0..20).map(FeatureId).collect();
    let measure = |name: &str| FeatureMeasures::new(&name.parse().unwrap(), &features);
    let gram = |centring| Gram::new(features.clone(), centring);
    let correlations = |kind| Correlations { kind, features: features.clone() };
    let merge = || MergeGains {
        measure: "map".parse().unwrap(),
        relevant_from: 1.0,
        varying: features.clone(),
        chosen: vec![FeatureId(3), FeatureId(1)],
        candidates: features.clone(),
    };
    vec![
        AnyPass::of(Moments),
        AnyPass::of(Labels),
        AnyPass::of(FeatureMeans(measure("gmap"))),
        AnyPass::of(ModelMeasures {
            models: vec![PlacedModel {
                model: LinearModel::new(&FeatureTable::numbered(3, 1), &[(FeatureId(2), 0.1)])
                    .into(),
                columns: vec![FeatureId(2)],
            }],
            measures: vec!["map".parse().unwrap(), "ndcg[empty=skip]@5".parse().unwrap()],
        }),
        AnyPass::of_part(Moments),
        AnyPass::of_part(gram(Centring::PerQuery)),
        AnyPass::of_part(merge()),
        AnyPass::of(merge()),
        AnyPass::of(measure("ndcg[ties=expected]@10")),
        AnyPass::of(measure("map[empty=skip]")),
        AnyPass::of(gram(Centring::Overall)),
        AnyPass::of(gram(Centring::PerQuery)),
        AnyPass::of(gram(Centring::PerPair)),
        AnyPass::of(linear("ndcg[empty=skip]@10", &features)),
        AnyPass::of(LinearMeans(linear("gmap", &features))),
        AnyPass::of(correlations(Correlation::Pearson)),
        AnyPass::of(correlations(Correlation::Spearman)),
        AnyPass::of(correlations(Correlation::Kendall)),
        AnyPass::of(correlations(Correlation::TopTen)),
        AnyPass::of(Relief {
            features: features[..5].to_vec(),
            neighbours: 3,
            ranges: None,
            distance_weights: None,
        }),
        AnyPass::of(PairwiseHinge {
            hessian_features: vec![0, 3, 7],
            direction_to: Some(vec![1e-6; 20]),
            ..hinge(&features)
        }),
        AnyPass::of(NdcgPairs {
            weights: hinge(&features).weights,
            features: features.clone(),
            ..NdcgPairs::default()
        }),
        AnyPass::of(LeaveQueryOut {
            divisors: vec![1.0; 20],
            centring: Centring::PerPair,
            added: vec![AddedFeature { place: 3, curvature: 1e12, products: vec![1e6; 21] }],
            gradients: (0..20).map(f64::from).collect(),
            curvatures: vec![1e12; 20],
            features,
        }),
    ]
}

/// A pass that is defined outside the crate.
#[derive(Serialize, Deserialize)]
pub struct CountDocuments;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DocumentCount(pub u64);

impl Merge for DocumentCount {
    fn merge(self, next: Self) -> Self {
        DocumentCount(self.0 + next.0)
    }
}

impl Pass for CountDocuments {
    type Answer = DocumentCount;
    const NAME: &'static str = "count-documents";
    const ACTIVITY: &'static str = "counting documents";

    fn answer(&self, block: &Block<'_>) -> DocumentCount {
        DocumentCount(block.documents() as u64)
    }
}

#[test]
fn engines_answer_passes_of_other_crates() {
    let engine = engine(2);
    assert_eq!(engine.ask(&CountDocuments).unwrap().0, engine.schema().documents());
    let empty = LocalEngine::new(engine.local().unwrap().subset(&[]), 1).unwrap();
    assert_eq!(empty.ask(&CountDocuments).unwrap(), DocumentCount(0));
}

/// A request for features that the data does not have is an error, not a panic.
#[test]
fn unknown_features_are_rejected() {
    let engine = engine(1);
    let gram = Gram::new(vec![FeatureId(5000)], Centring::Overall);
    assert!(engine.ask(&gram).unwrap_err().to_string().contains("5000"));
}

fn linear(measure: &str, features: &[FeatureId]) -> LinearMeasures {
    let weight = |model: usize, f: usize| ((model * 7 + f * 3) % 11) as f32 - 5.0;
    let weights =
        (0..9).map(|model| (0..features.len()).map(|f| weight(model, f)).collect()).collect();
    LinearMeasures { measure: measure.parse().unwrap(), weights, features: features.to_vec() }
}

/// Weights small enough that, for features of any scale, some pairs are violated and others are
/// not.
fn hinge(features: &[FeatureId]) -> PairwiseHinge {
    let weights = (0..features.len()).map(|f| (f as f64 * 3.0 % 11.0 - 5.0) * 1e-4).collect();
    PairwiseHinge { features: features.to_vec(), weights, ..PairwiseHinge::default() }
}

/// A pass over some queries equals a pass over data with only these queries.
#[test]
fn passes_over_a_part_ignore_other_queries() {
    let whole = engine(2);
    let data = whole.local().unwrap();
    let folds = QueryFolds::new(&whole.schema().query_keys, 3, 5);
    let asked = PartEngine::of(&whole, folds.sample(|fold| fold != 1)).unwrap();
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
    let pass = PairwiseHinge { hessian_features: vec![1, 2], ..hinge(&features) };
    let expected = part.ask(&pass).unwrap();
    let got = asked.ask(&pass).unwrap();
    assert_eq!(got.pairs, expected.pairs);
    assert_ne!(whole.ask(&pass).unwrap().pairs, expected.pairs);
    close(&[got.loss], &[expected.loss]);
    close(&got.gradient, &expected.gradient);
    close(&got.curvature, &expected.curvature);
    let pass = NdcgPairs {
        weights: hinge(&features).weights,
        features: features.clone(),
        ..NdcgPairs::default()
    };
    let (got, expected) = (asked.ask(&pass).unwrap(), part.ask(&pass).unwrap());
    close(&[got.loss], &[expected.loss]);
    close(&got.gradient, &expected.gradient);
    let gram = Gram::new(features, Centring::PerQuery);
    let (got, expected) = (asked.ask(&gram).unwrap(), part.ask(&gram).unwrap());
    assert_eq!(got.count, expected.count);
    close(&got.products, &expected.products);
}

/// Means equal the means of the values per query.
#[test]
fn means_are_those_of_the_values_per_query() {
    let engine = engine(2);
    let engine: &dyn Engine = &engine;
    let features: Vec<FeatureId> = (0..20).map(FeatureId).collect();
    for name in ["ndcg[empty=skip]@10", "gmap", "err@5"] {
        let pass = linear(name, &features);
        let expected = engine.ask(&pass).unwrap().summaries(&pass.measure);
        let means = engine.ask(&LinearMeans(pass.clone())).unwrap().summaries(&pass.measure);
        assert!(means.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "{name}");
    }
}

#[test]
fn answers_have_the_same_bits_for_any_number_of_threads() {
    let (one, two, seven) = (engine(1), engine(2), engine(7));
    for pass in passes() {
        let expected = (pass.answer)(&one);
        assert_eq!((pass.answer)(&two), expected, "{}", pass.name);
        assert_eq!((pass.answer)(&seven), expected, "{}", pass.name);
    }
}

/// Sums of products against a direct calculation over all documents at once.
#[test]
fn gram_matrix_equals_a_direct_calculation() {
    let engine = engine(2);
    let data = engine.local().unwrap();
    let features: Vec<FeatureId> = (0..20).map(FeatureId).collect();
    let engine: &dyn Engine = &engine;
    let gram = engine.ask(&Gram::new(features.clone(), Centring::Overall)).unwrap();
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

/// Many models at once equal each alone: small integers, so that scores are exact in any order of
/// summation, and many documents tie.
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
        let pass = LinearMeasures {
            measure: measure.clone(),
            features: features.clone(),
            weights: weights.clone(),
        };
        let all = engine.ask(&pass).unwrap();
        for (weights, got) in weights.iter().zip(&all.per_query) {
            let score = |row| {
                features.iter().zip(weights).map(|(&f, w)| data.column(f)[row] * w).sum::<f32>()
            };
            let scores: Vec<f32> = (0..data.documents()).map(score).collect();
            assert_eq!(*got, measure.per_query(&scores, &data.view()), "{name}");
        }
    }
}

/// Documents with equal values tie, at any position in a block: 31 copies of one document have the
/// NDCG of constant scores.
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
    let pass = LinearMeasures { measure, features, weights };
    let got = engine.ask(&pass).unwrap();
    assert!(got.per_query.iter().all(|values| *values == expected));
    let short = LinearMeasures {
        measure: "map".parse().unwrap(),
        features: vec![FeatureId(0)],
        weights: vec![vec![]],
    };
    assert!(engine.ask(&short).is_err());
}
