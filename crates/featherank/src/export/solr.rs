//! Solr: models and feature stores of its learning-to-rank module.
//! Weights are a LinearModel, with a StandardNormalizer for each feature if the model was trained
//! on z-scores; an intercept changes no ranking and is omitted. Trees are a
//! MultipleAdditiveTreesModel with z-scores folded into the thresholds. Solr adds 1e-6 to every
//! threshold when it reads a model; the number written is the largest one that is at most the
//! threshold after that addition.
//!
//! A document without a value has 0 in Solr. With `keep_missing` values may be missing (Solr 9.2
//! and later): splits state where such documents go, and the features of the store get NaN as their
//! default.

use std::fmt::Write;

use serde_json::{Value, json};

use super::featureset::Featureset;
use super::traverse::{Event, Side, TreeNode, traverse};
use super::{Export, Target, TargetContent, fold, json_bytes, quoted};
use crate::rank::{LinearModel, Scorer, TreeEnsemble};

/// The model.
pub(super) const MODEL: Target = Target {
    name: "solr",
    summary: "model for Solr's learning-to-rank module",
    holds: TargetContent::Models,
    needs_featureset: false,
    write: |export| match &export.model.scorer {
        Scorer::Linear(model) => json_bytes(&linear(export, model)),
        Scorer::Trees(ensemble) => Ok(trees(export, ensemble).into_bytes()),
    },
};

/// The feature store.
pub(super) const FEATURES: Target = Target {
    name: "solr-features",
    summary: "Solr feature store with only the features that the model uses",
    holds: TargetContent::Features,
    needs_featureset: true,
    write: |export| {
        let store = Featureset::of(export)?;
        let mut kept = store.kept(&export.features(), |_| false)?;
        if export.options.keep_missing {
            kept.iter_mut().for_each(default_to_nan);
        }
        json_bytes(&kept)
    },
};

fn default_to_nan(feature: &mut Value) {
    if let Some(feature) = feature.as_object_mut() {
        let params = feature.entry("params").or_insert_with(|| json!({}));
        if let Some(params) = params.as_object_mut() {
            params.insert("defaultValue".into(), "NaN".into());
        }
    }
}

const STANDARD: &str = "org.apache.solr.ltr.norm.StandardNormalizer";

fn linear(export: &Export<'_>, model: &LinearModel) -> Value {
    let labels: Vec<String> =
        export.features().into_iter().map(|feature| feature.label()).collect();
    let norm = |i: usize| {
        let scale = export.scales()?.get(i)?;
        // Solr parses these texts to 32-bit numbers.
        let (avg, std) = (scale.offset as f32, scale.divisor as f32);
        Some(
            json!({"class": STANDARD, "params": {"avg": format!("{avg:?}"), "std": format!("{std:?}")}}),
        )
    };
    let entry = |(i, label): (usize, &String)| match norm(i) {
        Some(norm) => json!({"name": label, "norm": norm}),
        None => json!({"name": label}),
    };
    let features: Vec<Value> = labels.iter().enumerate().map(entry).collect();
    let weights: serde_json::Map<String, Value> = labels
        .iter()
        .cloned()
        .zip(model.weights().iter().map(|w| json!(w.weight as f32)))
        .collect();
    json!({
        "class": "org.apache.solr.ltr.model.LinearModel",
        "name": export.name(),
        "features": features,
        "params": {"weights": weights},
    })
}

/// The number that Solr adds to thresholds.
const SLACK: f32 = 1e-6;

fn trees(export: &Export<'_>, ensemble: &TreeEnsemble) -> String {
    let labels: Vec<String> =
        ensemble.features().iter().map(|feature| quoted(&feature.label())).collect();
    let names: Vec<String> = labels.iter().map(|label| format!("{{\"name\":{label}}}")).collect();
    let missing = export.options.keep_missing;
    let mut text = format!(
        "{{\n\"class\":\"org.apache.solr.ltr.model.MultipleAdditiveTreesModel\",\n\"name\":{},\n\"features\":[{}],\n\
         \"params\":{{{}\"trees\":[",
        quoted(export.name()),
        names.join(","),
        if missing { "\"isNullSameAsZero\":\"false\"," } else { "" },
    );
    for (number, tree) in export.raw_trees(ensemble).iter().enumerate() {
        text += if number == 0 { "\n" } else { ",\n" };
        text += "{\"weight\":\"1\",\"root\":";
        traverse(tree, |event, _| match event {
            Event::Leave(TreeNode::Split(_)) => text += "}",
            Event::Leave(TreeNode::Leaf(_)) => {}
            Event::Enter(node, side) => {
                text += match side {
                    Side::Root => "",
                    Side::Left => ",\"left\":",
                    Side::Right => ",\"right\":",
                };
                // Writing to a `String` cannot fail.
                let _ = match node {
                    TreeNode::Leaf(leaf) => {
                        write!(text, "{{\"value\":\"{:?}\"}}", tree.leaf[leaf] as f32)
                    }
                    TreeNode::Split(split) => {
                        let threshold = tree.threshold[split];
                        let written = fold::largest(|x| x + SLACK <= threshold).unwrap_or(f32::MIN);
                        let _ = write!(
                            text,
                            "{{\"feature\":{},\"threshold\":\"{written:?}\"",
                            labels[tree.feature[split] as usize]
                        );
                        match (missing, tree.missing_left[split]) {
                            (false, _) => Ok(()),
                            (true, true) => write!(text, ",\"missing\":\"left\""),
                            (true, false) => write!(text, ",\"missing\":\"right\""),
                        }
                    }
                };
            }
        });
        text += "}";
    }
    text + "\n]}\n}\n"
}
