//! The definitions of features in a search engine, and which of them a model needs.

use serde_json::Value;

use super::Export;
use crate::data::Feature;
use crate::error::{Error, Result};
use crate::names::near_names;

/// The features that a search engine knows: objects with a `name`.
pub(super) struct Featureset {
    features: Vec<Value>,
}

impl Featureset {
    /// The features of the file that was given: a list, or what holds it (`featureset`, `_source`,
    /// `features`), as the engines give feature sets out and take them in.
    pub(super) fn of(export: &Export<'_>) -> Result<Self> {
        let text = export.options.featureset.as_deref().unwrap_or_default();
        let refuse = |reason: String| Error::invalid("feature set", "the file", reason);
        let mut found: Value =
            serde_json::from_str(text).map_err(|e| refuse(format!("it must be JSON: {e}")))?;
        while let Some(key) =
            ["_source", "featureset", "features"].iter().find(|key| found.get(key).is_some())
        {
            found = found[*key].take();
        }
        match found {
            Value::Array(features) if features.iter().all(|feature| name(feature).is_some()) => {
                Ok(Featureset { features })
            }
            _ => Err(refuse("it must hold a list of features with names".into())),
        }
    }

    /// The definitions of a model's features, and of those that they are computed from as `refers`
    /// says; in the order of the file, so that definitions stand before those that use them if they
    /// did.
    pub(super) fn kept(
        &self,
        features: &[&Feature],
        refers: impl Fn(&Value) -> bool,
    ) -> Result<Vec<Value>> {
        let known = || self.features.iter().filter_map(name);
        let mut wanted = vec![false; self.features.len()];
        let mut ahead = Vec::new();
        for feature in features {
            let label = feature.label();
            let place = known().position(|known| known == label).ok_or_else(|| Error::Unknown {
                kind: "feature in the feature set".into(),
                near: near_names(&label, known()),
                name: label,
            })?;
            ahead.push(place);
        }
        while let Some(place) = ahead.pop() {
            if std::mem::replace(&mut wanted[place], true) || !refers(&self.features[place]) {
                continue;
            }
            let words = words_of(&self.features[place]["template"]);
            let used =
                known().enumerate().filter(|(_, name)| words.iter().any(|word| word == name));
            ahead.extend(used.map(|(place, _)| place));
        }
        let kept = self.features.iter().zip(&wanted).filter(|(_, wanted)| **wanted);
        Ok(kept.map(|(feature, _)| feature.clone()).collect())
    }
}

fn name(feature: &Value) -> Option<&str> {
    feature.get("name")?.as_str()
}

/// The words of all texts inside a template: a formula or a script names the features that it uses.
/// A word may be a whole text as well, because names of features may hold blanks.
fn words_of(template: &Value) -> Vec<String> {
    match template {
        Value::String(text) => {
            let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            let plain = text.split(|c: char| !word(c));
            let quoted = text.split(['\'', '"']);
            // `feature_vector.title` names `title`.
            let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            plain
                .chain(quoted)
                .chain(parts)
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect()
        }
        Value::Array(items) => items.iter().flat_map(words_of).collect(),
        Value::Object(map) => map.values().flat_map(words_of).collect(),
        _ => Vec::new(),
    }
}
