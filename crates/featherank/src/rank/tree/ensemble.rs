//! A sum of regression trees.

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data::{Feature, FeatureId, View};
use crate::error::Result;
use crate::stop::StopToken;

/// An additive tree ensemble. A document's score is the sum of its leaf values over all trees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SavedEnsemble")]
pub struct TreeEnsemble {
    features: Vec<Feature>,
    trees: Vec<Tree>,
}

/// How the importance of a feature in an ensemble is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Importance {
    /// The total improvement of the fit by its splits.
    Gain,
    /// The number of splits that use it.
    Count,
}

/// A binary tree in parallel arrays: entry `i` of all arrays except `leaf` describes split `i`; the
/// root is split 0.
///
/// A document goes left if the value of its feature is at most the threshold; `missing_left`
/// decides for a missing value. A child of 0 or more is the index of a split, always larger than
/// its parent's; a child `c` below 0 is leaf `-1 - c`. A tree without splits consists of one leaf.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Tree {
    /// The feature, as an index into the ensemble's list.
    pub feature: Vec<u32>,
    /// The largest value that goes left.
    pub threshold: Vec<f32>,
    /// Whether missing values go left.
    pub missing_left: Vec<bool>,
    /// The left child.
    pub left: Vec<i32>,
    /// The right child.
    pub right: Vec<i32>,
    /// The improvement of the fit by the split.
    pub gain: Vec<f64>,
    /// The contribution of each leaf to the score.
    pub leaf: Vec<f64>,
}

impl Tree {
    /// The leaf of a document; `value` returns the values of its features.
    pub fn leaf_of(&self, value: impl Fn(u32) -> f32) -> usize {
        let mut node = if self.left.is_empty() { -1 } else { 0 };
        while node >= 0 {
            let split = node as usize;
            let x = value(self.feature[split]);
            let left =
                if x.is_nan() { self.missing_left[split] } else { x <= self.threshold[split] };
            node = if left { self.left[split] } else { self.right[split] };
        }
        (-1 - node) as usize
    }

    /// Adds the tree's output to the scores of a view's documents; `columns` are the features that
    /// splits refer to.
    pub(super) fn add_scores(&self, view: &View<'_>, columns: &[&[f32]], scores: &mut [f64]) {
        let mut rest = scores;
        let mut queries = Vec::with_capacity(view.query_count());
        for rows in view.rows() {
            let (own, more) = rest.split_at_mut(rows.len());
            queries.push((rows, own));
            rest = more;
        }
        queries.into_par_iter().with_min_len(64).for_each(|(rows, scores)| {
            for (row, score) in rows.zip(scores) {
                *score += self.leaf[self.leaf_of(|f| columns[f as usize][row])];
            }
        });
    }

    /// Describes an inconsistency of the tree, if it has any.
    fn problem(&self, features: usize) -> Option<&'static str> {
        let splits = self.feature.len();
        let same =
            [self.threshold.len(), self.missing_left.len(), self.left.len(), self.right.len()];
        if same.iter().any(|&len| len != splits) || self.gain.len() != splits {
            return Some("a tree's lists differ in length");
        }
        if self.leaf.len() != splits + 1 || !self.leaf.iter().all(|value| value.is_finite()) {
            return Some("a tree needs one finite leaf more than it has splits");
        }
        if self.feature.iter().any(|&f| f as usize >= features)
            || self.threshold.iter().any(|t| t.is_nan())
        {
            return Some("a tree splits on a feature or value that is not there");
        }
        let mut seen = vec![false; 2 * splits + 1];
        for (split, &child) in self.left.iter().enumerate().chain(self.right.iter().enumerate()) {
            let place = if child >= 0 { child as usize } else { splits + (-1 - child) as usize };
            let forward = child < 0 || child as usize > split;
            if !forward || place >= seen.len() || (child >= 0 && place >= splits) || seen[place] {
                return Some("a tree's nodes do not form a tree");
            }
            seen[place] = true;
        }
        None
    }
}

/// The ensemble as stored in a file, before validation.
#[derive(Deserialize)]
struct SavedEnsemble {
    features: Vec<Feature>,
    trees: Vec<Tree>,
}

impl TryFrom<SavedEnsemble> for TreeEnsemble {
    type Error = String;
    fn try_from(saved: SavedEnsemble) -> Result<Self, String> {
        match saved
            .trees
            .iter()
            .enumerate()
            .find_map(|(i, tree)| Some((i, tree.problem(saved.features.len())?)))
        {
            Some((i, problem)) => Err(format!("tree {}: {problem}", i + 1)),
            None => Ok(TreeEnsemble { features: saved.features, trees: saved.trees }),
        }
    }
}

impl TreeEnsemble {
    /// Trees over the given features.
    pub fn new(features: Vec<Feature>, trees: Vec<Tree>) -> Self {
        debug_assert!(trees.iter().all(|tree| tree.problem(features.len()).is_none()));
        TreeEnsemble { features, trees }
    }

    /// Builds an ensemble from trees over a longer list of features, and drops the features that no
    /// split uses.
    pub(super) fn used(features: Vec<Feature>, mut trees: Vec<Tree>) -> Self {
        let mut place = vec![None; features.len()];
        trees.iter().flat_map(|tree| &tree.feature).for_each(|&f| place[f as usize] = Some(0));
        let mut kept = Vec::new();
        for (feature, place) in features.into_iter().zip(&mut place) {
            if let Some(place) = place {
                *place = kept.len() as u32;
                kept.push(feature);
            }
        }
        for f in trees.iter_mut().flat_map(|tree| &mut tree.feature) {
            *f = place[*f as usize].unwrap_or(0);
        }
        TreeEnsemble::new(kept, trees)
    }

    /// The importance of each feature, in the order of the features.
    pub fn importance(&self, importance: Importance) -> Vec<f64> {
        let mut values = vec![0.0; self.features.len()];
        for tree in &self.trees {
            for (&f, &gain) in tree.feature.iter().zip(&tree.gain) {
                values[f as usize] += match importance {
                    Importance::Gain => gain,
                    Importance::Count => 1.0,
                };
            }
        }
        values
    }

    /// The features that splits refer to.
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// The features that splits refer to, to name them.
    pub(crate) fn features_mut(&mut self) -> &mut [Feature] {
        &mut self.features
    }

    /// The trees.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// Scores of a view's documents; `columns` are the ensemble's features in the view's data.
    pub(crate) fn score(
        &self,
        view: &View<'_>,
        columns: &[FeatureId],
        stop: &StopToken,
    ) -> Result<Vec<f32>> {
        let columns: Vec<&[f32]> = columns.iter().map(|&f| view.data().column(f)).collect();
        let of_row = |row: usize| {
            let values =
                self.trees.iter().map(|tree| tree.leaf[tree.leaf_of(|f| columns[f as usize][row])]);
            values.sum::<f64>() as f32
        };
        let queries: Vec<_> = view.rows().collect();
        let of_query = |rows: Range<usize>| match stop.is_stopped() {
            false => rows.map(of_row).collect(),
            true => vec![0.0; rows.len()],
        };
        let scores = queries.into_par_iter().flat_map_iter(of_query).collect();
        stop.check().map(|()| scores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, FeatureTable, Queries};

    /// Feature 1 at most 2 → leaf 0; else feature 2 at most 5 → leaf 1, else leaf 2; missing goes
    /// right, then left.
    fn tree() -> Tree {
        Tree {
            feature: vec![0, 1],
            threshold: vec![2.0, 5.0],
            missing_left: vec![false, true],
            left: vec![-1, -2],
            right: vec![1, -3],
            gain: vec![1.0, 1.0],
            leaf: vec![10.0, 20.0, 30.0],
        }
    }

    #[test]
    fn documents_reach_the_expected_leaves() {
        let values = vec![2.0, 3.0, f32::NAN, 9.0, /* */ 0.0, 6.0, f32::NAN, 5.0];
        let data = Dataset::new(
            values,
            vec![0.; 4],
            Queries::from_sizes(&[1, 3]),
            FeatureTable::numbered(2, 1),
        );
        let features = data.features().iter().map(|(_, f)| f.clone()).collect();
        let stump = Tree { leaf: vec![1.0], ..Tree::default() };
        let ensemble = TreeEnsemble::new(features, vec![tree(), stump]);
        let columns = [FeatureId(0), FeatureId(1)];
        let scores = ensemble.score(&data.view(), &columns, &StopToken::default()).unwrap();
        assert_eq!(scores, [11., 31., 21., 21.]);
    }

    #[test]
    fn malformed_trees_are_rejected() {
        assert_eq!(tree().problem(2), None);
        let damaged = [
            Tree { right: vec![0, -3], ..tree() },
            Tree { left: vec![-1, -1], ..tree() },
            Tree { right: vec![1, -9], ..tree() },
            Tree { right: vec![7, -3], ..tree() },
            Tree { feature: vec![0, 2], ..tree() },
            Tree { leaf: vec![1.0], ..tree() },
            Tree { gain: vec![], ..tree() },
            Tree { threshold: vec![f32::NAN, 1.0], ..tree() },
        ];
        assert!(damaged.iter().all(|tree| tree.problem(2).is_some()));
    }
}
