//! XGBoost: a booster as JSON for `Booster.load_model`, and the dump that search engines read.
//!
//! XGBoost goes left *below* the threshold, we go left up to it: thresholds are written as the next
//! larger 32-bit number. The largest number has no successor, so a split that sends every value
//! left is written with its children exchanged, below the smallest number. Leaves are 32-bit
//! numbers in XGBoost, and summed as such. Its predictor assumes that the right child is the node
//! after the left one, whatever the file says, so nodes are numbered in this way.

use serde_json::json;

use super::traverse::{Event, Side, TreeNode, traverse};
use super::{Export, TableColumns, Target, TargetContent, quoted};
use crate::error::Result;
use crate::rank::tree::Tree;

/// The model.
pub(super) const MODEL: Target = Target {
    name: "xgboost-json",
    summary: "XGBoost model in JSON format",
    holds: TargetContent::Trees,
    needs_featureset: false,
    write: |export| Ok((booster(export)?.to_string() + "\n").into_bytes()),
};

/// The dump.
pub(super) const DUMP: Target = Target {
    name: "xgboost-dump",
    summary: "trees in the JSON format of XGBoost's dump_model, which Vespa reads",
    holds: TargetContent::Trees,
    needs_featureset: false,
    write: |export| Ok((dump(export)? + "\n").into_bytes()),
};

/// The tree for splits that go left strictly below their threshold.
fn strict_tree(tree: Tree) -> Tree {
    let mut strict = tree.clone();
    for split in 0..tree.feature.len() {
        let next = tree.threshold[split].next_up();
        if next.is_finite() {
            strict.threshold[split] = next;
        } else {
            strict.threshold[split] = f32::MIN;
            (strict.left[split], strict.right[split]) = (tree.right[split], tree.left[split]);
            strict.missing_left[split] = !tree.missing_left[split];
        }
    }
    strict
}

fn strict_trees(export: &Export<'_>) -> Result<Vec<Tree>> {
    Ok(export.raw_trees(export.ensemble()?).into_iter().map(strict_tree).collect())
}

fn booster(export: &Export<'_>) -> Result<serde_json::Value> {
    let columns = TableColumns::of(export)?;
    let features = export.features();
    let column: Vec<usize> = features.iter().map(|feature| columns.of_feature(feature)).collect();
    let trees = strict_trees(export)?;
    // XGBoost compares names with those of the data, so an incomplete list would be worse than
    // none.
    let named =
        columns.count == features.len() && features.iter().all(|feature| feature.name.is_some());
    let names = if named {
        columns.names(&features, |feature| feature.label(), |_| String::new())
    } else {
        Vec::new()
    };
    let objects: Vec<_> =
        trees.iter().enumerate().map(|(i, t)| tree_object(i, t, &column, columns.count)).collect();
    let ends: Vec<usize> = (0..=trees.len()).collect();
    Ok(json!({
        "learner": {
            "attributes": {},
            "feature_names": names,
            "feature_types": vec!["float"; names.len()],
            "gradient_booster": {
                "model": {
                    "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": trees.len().to_string()},
                    "iteration_indptr": ends,
                    "tree_info": vec![0; trees.len()],
                    "trees": objects,
                },
                "name": "gbtree",
            },
            "learner_model_param": {
                "base_score": "0E0",
                "boost_from_average": "0",
                "num_class": "0",
                "num_feature": columns.count.to_string(),
                "num_target": "1",
            },
            "objective": {"name": "reg:squarederror", "reg_loss_param": {"scale_pos_weight": "1"}},
        },
        "version": [2, 1, 4],
    }))
}

/// Numbers of the nodes: the root is 0, a right child follows its left one, and children come after
/// their parents.
struct NodeNumbers {
    splits: Vec<usize>,
    leaves: Vec<usize>,
}

impl NodeNumbers {
    fn of(tree: &Tree) -> Self {
        let mut numbers =
            NodeNumbers { splits: vec![0; tree.feature.len()], leaves: vec![0; tree.leaf.len()] };
        let children = tree.left.iter().zip(&tree.right).flat_map(|(&left, &right)| [left, right]);
        for (number, child) in (1..).zip(children) {
            match TreeNode::of(child) {
                TreeNode::Split(split) => numbers.splits[split] = number,
                TreeNode::Leaf(leaf) => numbers.leaves[leaf] = number,
            }
        }
        numbers
    }

    fn get(&self, node: TreeNode) -> usize {
        match node {
            TreeNode::Split(split) => self.splits[split],
            TreeNode::Leaf(leaf) => self.leaves[leaf],
        }
    }

    /// A list with one entry per node, from the entries of splits and leaves.
    fn list<T: Copy + Default>(
        &self,
        splits: impl Fn(usize) -> T,
        leaves: impl Fn(usize) -> T,
    ) -> Vec<T> {
        let mut list = vec![T::default(); self.splits.len() + self.leaves.len()];
        self.splits.iter().enumerate().for_each(|(split, &number)| list[number] = splits(split));
        self.leaves.iter().enumerate().for_each(|(leaf, &number)| list[number] = leaves(leaf));
        list
    }
}

/// All nodes as lists.
fn tree_object(number: usize, tree: &Tree, column: &[usize], columns: usize) -> serde_json::Value {
    const NO_PARENT: usize = i32::MAX as usize;
    let numbers = NodeNumbers::of(tree);
    let nodes = tree.feature.len() + tree.leaf.len();
    let mut parents = vec![NO_PARENT; nodes];
    for (split, children) in tree.left.iter().zip(&tree.right).enumerate() {
        for &child in [children.0, children.1] {
            parents[numbers.get(TreeNode::of(child))] = numbers.splits[split];
        }
    }
    let children =
        |of: &[i32]| numbers.list(|split| numbers.get(TreeNode::of(of[split])) as i64, |_| -1);
    let leaf = |leaf: usize| tree.leaf[leaf] as f32;
    json!({
        "base_weights": numbers.list(|_| 0.0, leaf),
        "categories": [],
        "categories_nodes": [],
        "categories_segments": [],
        "categories_sizes": [],
        "default_left": numbers.list(|split| u8::from(tree.missing_left[split]), |_| 0),
        "id": number,
        "left_children": children(&tree.left),
        "loss_changes": numbers.list(|split| tree.gain[split] as f32, |_| 0.0),
        "parents": parents,
        "right_children": children(&tree.right),
        "split_conditions": numbers.list(|split| tree.threshold[split], leaf),
        "split_indices": numbers.list(|split| column[tree.feature[split] as usize], |_| 0),
        "split_type": vec![0; nodes],
        "sum_hessian": vec![0.0; nodes],
        "tree_param": {
            "num_deleted": "0",
            "num_feature": columns.to_string(),
            "num_nodes": nodes.to_string(),
            "size_leaf_vector": "1",
        },
    })
}

/// Trees nested as in `dump_model(…, dump_format="json")`, with features by name.
pub(super) fn dump(export: &Export<'_>) -> Result<String> {
    let names: Vec<String> =
        export.features().into_iter().map(|feature| quoted(&feature.label())).collect();
    let mut text = String::from("[");
    for (number, tree) in strict_trees(export)?.iter().enumerate() {
        text += if number == 0 { "\n" } else { ",\n" };
        let numbers = NodeNumbers::of(tree);
        traverse(tree, |event, depth| match event {
            Event::Leave(TreeNode::Split(_)) => text += "]}",
            Event::Leave(TreeNode::Leaf(_)) => {}
            Event::Enter(node, side) => {
                text += if side == Side::Right { "," } else { "" };
                text += &match node {
                    TreeNode::Leaf(leaf) => {
                        format!(
                            "{{\"nodeid\":{},\"leaf\":{:?}}}",
                            numbers.get(node),
                            tree.leaf[leaf] as f32
                        )
                    }
                    TreeNode::Split(split) => {
                        let [left, right] = [tree.left[split], tree.right[split]]
                            .map(|c| numbers.get(TreeNode::of(c)));
                        format!(
                            "{{\"nodeid\":{},\"depth\":{depth},\"split\":{},\"split_condition\":{:?},\"yes\":{left},\
                             \"no\":{right},\"missing\":{},\"children\":[",
                            numbers.splits[split],
                            names[tree.feature[split] as usize],
                            tree.threshold[split],
                            if tree.missing_left[split] { left } else { right },
                        )
                    }
                };
            }
        });
    }
    Ok(text + "\n]")
}
