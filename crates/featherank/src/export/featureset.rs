//! The definitions of features in a search engine, and those that a model needs.

use serde_json::Value;

use super::Export;
use crate::data::Feature;
use crate::error::{Error, Result};
use crate::names::unknown_of_many;

/// The features defined in a search engine: objects with a `name`.
pub(super) struct Featureset {
    features: Vec<Value>,
}

impl Featureset {
    /// The features of the given file: a list, or an object that holds it (`featureset`, `_source`,
    /// `features`), as the engines export and import feature sets.
    pub(super) fn of(export: &Export<'_>) -> Result<Self> {
        let text = export.options.featureset.as_deref().unwrap_or_default();
        let refuse = |reason: String| {
            let what = format!("the feature set cannot be read: {reason}");
            Error::unsupported(what, "give the JSON that the search engine exports")
        };
        let mut found: Value =
            serde_json::from_str(text).map_err(|e| refuse(format!("not JSON: {e}")))?;
        while let Some(key) =
            ["_source", "featureset", "features"].iter().find(|key| found.get(key).is_some())
        {
            found = found[*key].take();
        }
        match found {
            Value::Array(features) if features.iter().all(|feature| name(feature).is_some()) => {
                Ok(Featureset { features })
            }
            _ => Err(refuse("no list of features with names".into())),
        }
    }

    /// The definitions of a model's features, and of those from which they are computed if `refers`
    /// is true; in the order of the file, so that definitions that precede their uses still do.
    pub(super) fn kept(
        &self,
        features: &[&Feature],
        refers: impl Fn(&Value) -> bool,
    ) -> Result<Vec<Value>> {
        let known = || self.features.iter().filter_map(name);
        let mut wanted = vec![false; self.features.len()];
        let mut pending = Vec::new();
        for feature in features {
            let label = feature.label();
            let place = known().position(|known| known == label);
            let place = place
                .ok_or_else(|| unknown_of_many("feature in the feature set", &label, known()))?;
            pending.push(place);
        }
        while let Some(place) = pending.pop() {
            if std::mem::replace(&mut wanted[place], true) || !refers(&self.features[place]) {
                continue;
            }
            let words = words_of(&self.features[place]["template"]);
            let used =
                known().enumerate().filter(|(_, name)| words.iter().any(|word| word == name));
            pending.extend(used.map(|(place, _)| place));
        }
        let kept = self.features.iter().zip(&wanted).filter(|(_, wanted)| **wanted);
        Ok(kept.map(|(feature, _)| feature.clone()).collect())
    }
}

fn name(feature: &Value) -> Option<&str> {
    feature.get("name")?.as_str()
}

/// The words of all texts in a template: a formula or a script names the features that it uses.
/// Quoted texts count as words too, because names of features may contain blanks.
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
