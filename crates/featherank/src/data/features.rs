//! The feature table: the features of a data set with their ids and names.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A feature's position in its data set, from 0. Its id and name are in the [`FeatureTable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FeatureId(pub u32);

impl FeatureId {
    /// The position as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<usize> for FeatureId {
    fn from(index: usize) -> Self {
        FeatureId(index as u32)
    }
}

/// The id and name of a feature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feature {
    /// The id in text files; for tables the column's position from 1.
    pub id: u32,
    /// The name, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Feature {
    /// The name, or the id if the feature has no name.
    pub fn label(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.id.to_string())
    }
}

/// All features of a data set, in column order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FeatureTable {
    features: Vec<Feature>,
}

impl FeatureTable {
    /// Features without names, numbered from `first`.
    pub fn numbered(count: usize, first: u32) -> Self {
        FeatureTable {
            features: (0..count as u32).map(|i| Feature { id: first + i, name: None }).collect(),
        }
    }

    /// Features named by the columns of a table. If all names are numbers they are taken as ids:
    /// formats that require column names store unnamed features in this way.
    pub fn named(names: Vec<String>) -> Self {
        let ids: Option<Vec<u32>> = names.iter().map(|name| canonical_id(name)).collect();
        let features = match ids {
            Some(ids) => ids.into_iter().map(|id| Feature { id, name: None }).collect(),
            None => (1..).zip(names).map(|(id, name)| Feature { id, name: Some(name) }).collect(),
        };
        FeatureTable { features }
    }

    /// A table of the given features.
    pub fn from_features(features: Vec<Feature>) -> Self {
        FeatureTable { features }
    }

    /// Number of features.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Whether there are no features.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// The features in column order.
    pub fn iter(&self) -> impl Iterator<Item = (FeatureId, &Feature)> {
        self.features.iter().enumerate().map(|(i, feature)| (FeatureId::from(i), feature))
    }

    /// One feature.
    pub fn get(&self, id: FeatureId) -> &Feature {
        &self.features[id.index()]
    }

    /// The name or id of a feature, for display.
    pub fn label(&self, id: FeatureId) -> String {
        self.get(id).label()
    }

    /// Names every feature; `names[i]` belongs to column `i`.
    pub fn set_names(&mut self, names: Vec<String>) {
        for (feature, name) in self.features.iter_mut().zip(names) {
            feature.name = Some(name);
        }
    }

    /// Finds a feature by its name, or by its id if no feature has that name.
    pub fn resolve(&self, wanted: &str) -> Result<FeatureId> {
        let by_name = self.iter().find(|(_, f)| f.name.as_deref() == Some(wanted));
        let by_id = || canonical_id(wanted).and_then(|id| self.iter().find(|(_, f)| f.id == id));
        by_name.or_else(by_id).map(|(id, _)| id).ok_or_else(|| Error::Unknown {
            kind: "feature".into(),
            name: wanted.into(),
            near: crate::names::near_names(
                wanted,
                self.features.iter().filter_map(|f| f.name.as_deref()),
            ),
        })
    }

    /// Resolves a list such as `bm25,3,10-15`: names, ids and ranges of ids.
    pub fn resolve_list(&self, list: &str) -> Result<Vec<FeatureId>> {
        let mut found: Vec<FeatureId> = Vec::new();
        for item in list.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let range =
                item.split_once('-').and_then(|(a, b)| Some((canonical_id(a)?, canonical_id(b)?)));
            match range {
                Some((first, last)) if self.resolve(item).is_err() => {
                    let inside = self
                        .iter()
                        .filter(|(_, f)| (first..=last).contains(&f.id))
                        .map(|(id, _)| id);
                    let before = found.len();
                    found.extend(inside);
                    if found.len() == before {
                        return Err(Error::invalid(
                            "feature range",
                            item,
                            "no feature has an id inside it",
                        ));
                    }
                }
                _ => found.push(self.resolve(item)?),
            }
        }
        // Duplicates are dropped.
        let mut seen = HashSet::new();
        found.retain(|&feature| seen.insert(feature));
        Ok(found)
    }

    /// The first name or id that occurs twice, if any.
    pub fn first_duplicate(&self) -> Option<String> {
        let mut seen = HashMap::new();
        self.features
            .iter()
            .map(Feature::label)
            .find(|label| seen.insert(label.clone(), ()).is_some())
    }
}

/// `7` is an id; `07`, `+7` and `7.0` are names.
fn canonical_id(text: &str) -> Option<u32> {
    text.parse::<u32>().ok().filter(|id| id.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_column_names_are_ids_and_mixed_ones_are_names() {
        let ids = FeatureTable::named(vec!["3".into(), "8".into()]);
        assert_eq!(ids.get(FeatureId(1)), &Feature { id: 8, name: None });
        let names = FeatureTable::named(vec!["3".into(), "bm25".into()]);
        assert_eq!(names.get(FeatureId(1)), &Feature { id: 2, name: Some("bm25".into()) });
    }

    #[test]
    fn lists_take_names_ids_and_ranges() {
        let mut table = FeatureTable::numbered(5, 1);
        table.set_names(["a", "b", "c-1", "d", "e"].map(String::from).to_vec());
        assert_eq!(table.resolve_list("a, c-1,4-5").unwrap(), [0, 2, 3, 4].map(FeatureId));
        assert_eq!(table.resolve_list("2-4,3,a,b").unwrap(), [1, 2, 3, 0].map(FeatureId));
        assert!(table.resolve_list("7-9").is_err());
        assert!(table.resolve("nothing").is_err());
    }
}
