//! The feature table: the features of a data set with their ids and names.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::error::Result;

/// A feature's position in its data set, from 0. Its id and name are in the [`FeatureTable`]. A
/// data set orders its features by [identity](FeatureTable::identity_order), not as they were
/// given.
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

    /// What stays the same if columns are reordered: the name, or the id of a feature without a
    /// name. Shorter names come first, so that `f2` precedes `f10`.
    fn identity(&self) -> (Option<(usize, &str)>, u32) {
        (self.name.as_deref().map(|name| (name.len(), name)), self.id)
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

    /// The features in the order of their identity: those without names by id, then the others by
    /// name, shorter names first. Data sets keep their columns in this order, so that ties, random
    /// draws and sums do not depend on the order of columns in a file.
    pub fn identity_order(&self) -> Vec<FeatureId> {
        let mut order: Vec<FeatureId> = (0..self.len()).map(FeatureId::from).collect();
        order.sort_by(|&a, &b| self.get(a).identity().cmp(&self.get(b).identity()));
        order
    }

    /// The features in the order of their ids: the order of the columns in a table's file.
    pub fn by_id(&self) -> Vec<FeatureId> {
        let mut order: Vec<FeatureId> = (0..self.len()).map(FeatureId::from).collect();
        order.sort_by_key(|&f| self.get(f).id);
        order
    }

    /// The table with its features in another order, given by their places in this one.
    #[must_use]
    pub fn reordered(&self, order: &[FeatureId]) -> Self {
        FeatureTable { features: order.iter().map(|&f| self.get(f).clone()).collect() }
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
        by_name.or_else(by_id).map(|(id, _)| id).ok_or_else(|| self.unknown(wanted))
    }

    /// Finds a feature by its id, even if another one is named like it.
    pub fn with_id(&self, id: u32) -> Result<FeatureId> {
        let found = self.iter().find(|(_, feature)| feature.id == id);
        found.map(|(place, _)| place).ok_or_else(|| self.unknown(&id.to_string()))
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
pub(super) fn canonical_id(text: &str) -> Option<u32> {
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
    fn features_are_identified_by_name_or_else_by_id() {
        let named = FeatureTable::named(["f10", "tf", "f2", "f1"].map(String::from).to_vec());
        let order = named.identity_order();
        let labels: Vec<String> = order.iter().map(|&f| named.label(f)).collect();
        assert_eq!(labels, ["f1", "f2", "tf", "f10"]);
        let ordered = named.reordered(&order);
        assert_eq!(ordered.identity_order(), [0, 1, 2, 3].map(FeatureId));
        let file: Vec<String> = ordered.by_id().iter().map(|&f| ordered.label(f)).collect();
        assert_eq!(file, ["f10", "tf", "f2", "f1"]);
        let numbers = FeatureTable::named(vec!["8".into(), "3".into()]);
        assert_eq!(numbers.identity_order(), [1, 0].map(FeatureId));
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
