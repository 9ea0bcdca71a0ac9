//! Tests common to all targets. What each one writes is tested with its real readers in
//! `python/tests`.

use super::*;
use crate::data::{Dataset, FeatureId, FeatureTable, Queries};

fn names() -> FeatureTable {
    let mut table = FeatureTable::numbered(3, 1);
    table.set_names(["bm25", "page rank", "age"].map(String::from).to_vec());
    table
}

fn data() -> Dataset {
    let values = vec![1., 2., 4., 8., 0., 0.5, -1., 2., 7., 7., 7., 7.];
    Dataset::new(values, vec![0.; 4], Queries::from_sizes(&[4]), names())
}

fn linear() -> Model {
    LinearModel::new(&names(), &[(FeatureId(0), 0.5), (FeatureId(1), -2.0)])
        .with_intercept(0.25)
        .into()
}

fn trees() -> Model {
    let tree = Tree {
        feature: vec![0, 1],
        threshold: vec![2.0, 0.5],
        missing_left: vec![true, false],
        left: vec![-1, -2],
        right: vec![1, -3],
        gain: vec![1.0, 0.5],
        leaf: vec![0.1, 0.2, 0.3],
    };
    let stump = Tree { leaf: vec![-1.0], ..Tree::default() };
    let features = names().iter().take(2).map(|(_, feature)| feature.clone()).collect();
    TreeEnsemble::new(features, vec![tree, stump]).into()
}

fn normalised(model: Model, how: Normaliser) -> Model {
    Model { scaler: Some(how.fit(&data()).restricted(&[FeatureId(0), FeatureId(1)])), ..model }
}

const FEATURESET: &str = r#"{"_source": {"name": "set", "featureset": {"features": [
    {"name": "bm25", "params": ["k"], "template_language": "derived_expression", "template": "length * 2"},
    {"name": "length", "params": [], "template_language": "mustache", "template": {"match_all": {}}},
    {"name": "age", "params": [], "template_language": "mustache", "template": {"match": {"x": "bm25"}}},
    {"name": "page rank", "template_language": "script_feature",
     "template": {"source": "params.feature_vector.get('clicks') + params.feature_vector.age"}},
    {"name": "clicks", "template_language": "mustache", "template": {"match": {"x": "length"}}}
]}}}"#;

fn options() -> ExportOptions {
    ExportOptions { featureset: Some(FEATURESET.into()), ..ExportOptions::default() }
}

fn text(target_name: &str, model: &Model) -> String {
    String::from_utf8(target(target_name).unwrap().export(model, &options()).unwrap()).unwrap()
}

#[test]
fn every_target_accepts_declared_models_and_rejects_others_with_a_remedy() {
    for target in TARGETS {
        for how in
            [Normaliser::None, Normaliser::Zscore, Normaliser::QueryMinmax, Normaliser::QueryZscore]
        {
            for (model, held) in [(linear(), target.holds != TargetContent::Trees), (trees(), true)]
            {
                let by_query = matches!(how, Normaliser::QueryMinmax | Normaliser::QueryZscore);
                let fits = target.holds == TargetContent::Features || (held && !by_query);
                match target.export(&normalised(model, how), &options()) {
                    Ok(bytes) => assert!(fits && !bytes.is_empty(), "{} {how:?}", target.name),
                    Err(error) => {
                        assert!(
                            !fits && error.is_usage() && error.to_string().contains("help:"),
                            "{error}"
                        );
                    }
                }
            }
        }
    }
    let error = target("lightgbm").unwrap().export(&linear(), &options()).unwrap_err().to_string();
    assert!(error.contains("export it to ranklib, onnx, solr, elasticsearch"), "{error}");
    assert!(target("lightgmb").err().unwrap().to_string().contains("`lightgbm`"));
}

#[test]
fn feature_sets_keep_the_needed_features_in_file_order() {
    let kept = |target_name: &str| -> Vec<String> {
        let found: serde_json::Value = serde_json::from_str(&text(target_name, &trees())).unwrap();
        let list =
            found.pointer("/featureset/features").unwrap_or(&found).as_array().unwrap().clone();
        list.iter().map(|feature| feature["name"].as_str().unwrap().to_owned()).collect()
    };
    // The formula of bm25 needs length, the script of page rank needs clicks and age; the query of
    // clicks only mentions length.
    assert_eq!(kept("elasticsearch-featureset"), ["bm25", "length", "age", "page rank", "clicks"]);
    assert_eq!(kept("solr-features"), ["bm25", "page rank"]);
    let first = LinearModel::new(&names(), &[(FeatureId(0), 1.0)]).into();
    let only: serde_json::Value =
        serde_json::from_str(&text("elasticsearch-featureset", &first)).unwrap();
    let whole: serde_json::Value = serde_json::from_str(FEATURESET).unwrap();
    let all = &whole["_source"]["featureset"]["features"];
    assert_eq!(only["featureset"]["features"], serde_json::json!([all[0], all[1]]));
}

#[test]
fn invalid_feature_sets_are_rejected() {
    let refused = |featureset: Option<&str>| {
        let options =
            ExportOptions { featureset: featureset.map(String::from), ..ExportOptions::default() };
        target("solr-features").unwrap().export(&trees(), &options).unwrap_err().to_string()
    };
    assert!(refused(None).contains("`featureset`"));
    assert!(refused(Some("[{]")).contains("not JSON"));
    assert!(refused(Some("{\"features\": [{}]}")).contains("with names"));
    assert!(refused(Some("[{\"name\": \"bm52\"}]")).contains("did you mean `bm52`"));
}

#[test]
fn ranklib_reads_ids_weights_and_splits() {
    let weights = text("ranklib", &linear());
    assert_eq!(weights, "## Linear Regression\n## Lambda = 0.0\n0:0.25 1:0.5 2:-2.0\n");
    let plain = LinearModel::new(&names(), &[(FeatureId(2), 1.5)]).into();
    assert!(text("ranklib", &plain).starts_with("## Coordinate Ascent\n"));
    assert!(text("ranklib", &plain).ends_with("\n3:1.5\n"));
    assert_eq!(text("ranklib-features", &trees()), "1\tbm25\n2\tpage rank\n");
    let trees = text("ranklib", &trees());
    assert!(
        trees.contains("<feature> 2 </feature>") && trees.contains("<threshold> 0.5 </threshold>"),
        "{trees}"
    );
    let zero = LinearModel::new(&FeatureTable::numbered(1, 0), &[(FeatureId(0), 1.0)]).into();
    let error = target("ranklib").unwrap().export(&zero, &options()).unwrap_err().to_string();
    assert!(error.contains("numbers features from 1"), "{error}");
}

#[test]
fn columns_cover_the_ids() {
    let with = |columns| ExportOptions { columns, ..ExportOptions::default() };
    let lightgbm = |columns| target("lightgbm").unwrap().export(&trees(), &with(columns));
    let wide = String::from_utf8(lightgbm(Some(5)).unwrap()).unwrap();
    assert!(wide.contains("max_feature_idx=4\n"), "{wide}");
    assert!(wide.contains("feature_names=bm25 f2 Column_2 Column_3 Column_4\n"), "{wide}");
    assert!(lightgbm(Some(1)).unwrap_err().to_string().contains("at least 2"));
}

/// Solr adds 1e-6 in 32 bits to the threshold it reads: the sum must be our threshold, or the
/// nearest possible number below it.
#[test]
fn solrs_slack_is_subtracted() {
    for threshold in [0.0f32, 1e-6, 0.5, 1.0, 0.1, 123.456, 1e9, -0.5, -1e-6, f32::MAX] {
        let tree = Tree { threshold: vec![threshold, 0.0], ..tree_of(&trees()) };
        let model =
            TreeEnsemble::new(names().iter().take(2).map(|(_, f)| f.clone()).collect(), vec![tree])
                .into();
        let found: serde_json::Value = serde_json::from_str(&text("solr", &model)).unwrap();
        let root = &found["params"]["trees"][0]["root"];
        let written: f32 = root["threshold"].as_str().unwrap().parse().unwrap();
        assert_eq!(written + 1e-6, threshold, "{threshold:e}");
    }
}

fn tree_of(model: &Model) -> Tree {
    match &model.scorer {
        Scorer::Trees(ensemble) => ensemble.trees()[0].clone(),
        Scorer::Linear(_) => Tree::default(),
    }
}

/// Long chains of splits must not overflow the stack.
#[test]
fn deep_trees_are_written() {
    let splits = 200_000;
    let tree = Tree {
        feature: vec![0; splits],
        threshold: vec![1.0; splits],
        missing_left: vec![true; splits],
        left: (0..splits as i32).map(|split| -1 - split).collect(),
        right: (1..=splits as i32)
            .map(|next| if (next as usize) < splits { next } else { -1 - next })
            .collect(),
        gain: vec![1.0; splits],
        leaf: vec![0.5; splits + 1],
    };
    let model = TreeEnsemble::new(vec![names().get(FeatureId(0)).clone()], vec![tree]).into();
    for target in TARGETS.iter().filter(|target| target.holds != TargetContent::Features) {
        assert!(target.export(&model, &options()).is_ok(), "{}", target.name);
    }
}

/// Data whose ids start at 0, and a model that does not need feature 0: its feature 1 is still the
/// second column.
#[test]
fn columns_start_at_the_first_id_of_the_data() {
    let run = crate::run::Run::new(1, crate::run::Constraints::default());
    let values = vec![0., 0., 0., 0., 1., 2., 3., 4.];
    let labels = vec![0., 0., 1., 1.];
    for first in [0, 1] {
        let features = FeatureTable::numbered(2, first);
        let data =
            Dataset::new(values.clone(), labels.clone(), Queries::from_sizes(&[4]), features);
        let ranker = crate::registry::ranker("regression-tree").unwrap();
        let model = ranker.fit(&[], &run, &data.view(), None).unwrap();
        assert_eq!(model.features().len(), 1);
        let text = text("lightgbm", &model);
        assert!(
            text.contains("max_feature_idx=1") && text.contains("split_feature=1"),
            "{first}: {text}"
        );
    }
}

#[test]
fn constant_models_are_rejected() {
    let empty = LinearModel::new(&names(), &[]).into();
    for target in TARGETS.iter().filter(|target| target.holds == TargetContent::Models) {
        let error = target.export(&empty, &options()).unwrap_err().to_string();
        assert!(error.contains("nothing to export"), "{}: {error}", target.name);
    }
}
