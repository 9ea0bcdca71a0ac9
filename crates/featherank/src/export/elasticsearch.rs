//! Elasticsearch and OpenSearch with the learning-to-rank plugin: bodies of `_createmodel` and
//! `_featureset`.
//!
//! The plugin runs every query of a feature set, whether the model uses it or not: a model saves
//! time only with a feature set of its own. `elasticsearch-featureset` is that set: the needed part
//! of the complete one, including the features from which others are computed
//! (`derived_expression`, `script_feature`). Weights are a `model/linear`, with normalizers if the
//! model was trained on z-scores; an intercept changes no ranking and is omitted. Trees are a
//! `model/xgboost+json` with z-scores folded into the thresholds. Only newer plugins follow the
//! tree for missing values; older ones read 0.

use serde_json::{Value, json};

use super::featureset::Featureset;
use super::{Export, Target, TargetContent, json_bytes, xgboost};
use crate::error::Error;
use crate::rank::{LinearModel, Scorer};

/// The model.
pub(super) const MODEL: Target = Target {
    name: "elasticsearch",
    summary: "_createmodel request for the learning-to-rank plugin of Elasticsearch or OpenSearch",
    holds: TargetContent::Models,
    needs_featureset: false,
    write: |export| {
        let model = match &export.model.scorer {
            Scorer::Linear(model) => linear(export, model),
            Scorer::Trees(ensemble) if ensemble.trees().is_empty() => {
                return Err(Error::unsupported(
                    "this model has no trees, and the plugin needs at least one",
                    "train a model with at least one tree",
                ));
            }
            Scorer::Trees(_) => {
                json!({"type": "model/xgboost+json", "definition": xgboost::dump(export)?})
            }
        };
        json_bytes(&json!({"model": {"name": export.name(), "model": model}}))
    },
};

/// The feature set.
pub(super) const FEATURES: Target = Target {
    name: "elasticsearch-featureset",
    summary: "_featureset request with only the features that the model uses",
    holds: TargetContent::Features,
    needs_featureset: true,
    write: |export| {
        let computed = |feature: &Value| {
            let language = feature.get("template_language").and_then(Value::as_str);
            matches!(language, Some("derived_expression" | "script_feature"))
        };
        let kept = Featureset::of(export)?.kept(&export.features(), computed)?;
        json_bytes(&json!({"featureset": {"features": kept}}))
    },
};

fn linear(export: &Export<'_>, model: &LinearModel) -> Value {
    let labels: Vec<String> =
        export.features().into_iter().map(|feature| feature.label()).collect();
    let weights: serde_json::Map<String, Value> = labels
        .iter()
        .cloned()
        .zip(model.weights().iter().map(|w| json!(w.weight as f32)))
        .collect();
    let mut linear =
        json!({"type": "model/linear", "definition": Value::Object(weights).to_string()});
    if let Some(scales) = export.scales() {
        let standard = labels.into_iter().zip(scales).map(|(label, scale)| {
            (label, json!({"standard": {"mean": scale.offset as f32, "standard_deviation": scale.divisor as f32}}))
        });
        linear["feature_normalizers"] = Value::Object(standard.collect());
    }
    linear
}
