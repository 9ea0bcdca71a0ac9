//! XGBoost: a booster as JSON for `Booster.load_model`, and the dump that search engines read.
//!
//! XGBoost goes left *below* the threshold, we go left up to it: thresholds go out as the next larger 32-bit number. After
//! the largest number there is no next one, so a split that sends every value left goes out with its children exchanged,
//! below the smallest number. Leaves are 32-bit numbers in XGBoost, and added up as such.

use serde_json::json;

use super::walk::{Event, Node, Side, walk};
use super::{Columns, Export, Holds, Target, quoted};
use crate::error::Result;
use crate::rank::tree::Tree;

/// The model.
pub(super) const MODEL: Target = Target {
    name: "xgboost-json",
    summary: "a booster of XGBoost as JSON",
    holds: Holds::Trees,
    needs_featureset: false,
    write: |export| Ok((booster(export)?.to_string() + "\n").into_bytes()),
};

/// The dump.
pub(super) const DUMP: Target = Target {
    name: "xgboost-dump",
    summary: "trees as XGBoost's dump_model writes them as JSON; Vespa reads them",
    holds: Holds::Trees,
    needs_featureset: false,
    write: |export| Ok((dump(export)? + "\n").into_bytes()),
};

/// The tree for splits that go left below their threshold.
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
    let columns = Columns::of(export)?;
    let features = export.features();
    let column: Vec<usize> = features.iter().map(|feature| columns.of_feature(feature)).collect();
    let trees = strict_trees(export)?;
    // XGBoost compares names with those of the data, so that half of them would be worse than none.
    let named = columns.count == features.len() && features.iter().all(|feature| feature.name.is_some());
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

/// All nodes in lists, splits first.
fn tree_object(number: usize, tree: &Tree, column: &[usize], columns: usize) -> serde_json::Value {
    let (splits, nodes) = (tree.feature.len(), tree.feature.len() + tree.leaf.len());
    const NO_PARENT: usize = i32::MAX as usize;
    let mut parents = vec![NO_PARENT; nodes];
    let place = |&child: &i32| Node::of(child).number(tree) as i64;
    for split in 0..splits {
        for child in [tree.left[split], tree.right[split]] {
            parents[Node::of(child).number(tree)] = split;
        }
    }
    let with_leaves = |children: &[i32]| -> Vec<i64> {
        children.iter().map(place).chain(std::iter::repeat_n(-1, splits + 1)).collect()
    };
    let leaves: Vec<f32> = tree.leaf.iter().map(|&value| value as f32).collect();
    let conditions = [&tree.threshold[..], &leaves[..]].concat();
    let gains: Vec<f32> =
        tree.gain.iter().map(|&gain| gain as f32).chain(leaves.iter().map(|_| 0.0)).collect();
    let indices: Vec<usize> =
        tree.feature.iter().map(|&f| column[f as usize]).chain(leaves.iter().map(|_| 0)).collect();
    let left: Vec<u8> = tree.missing_left.iter().map(|&l| l.into()).chain(leaves.iter().map(|_| 0)).collect();
    json!({
        "base_weights": vec![0.0; splits].into_iter().chain(leaves.iter().copied()).collect::<Vec<f32>>(),
        "categories": [],
        "categories_nodes": [],
        "categories_segments": [],
        "categories_sizes": [],
        "default_left": left,
        "id": number,
        "left_children": with_leaves(&tree.left),
        "loss_changes": gains,
        "parents": parents,
        "right_children": with_leaves(&tree.right),
        "split_conditions": conditions,
        "split_indices": indices,
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

/// Trees nested as `dump_model(…, dump_format="json")` nests them, features by name.
pub(super) fn dump(export: &Export<'_>) -> Result<String> {
    let names: Vec<String> = export.features().into_iter().map(|feature| quoted(&feature.label())).collect();
    let mut text = String::from("[");
    for (number, tree) in strict_trees(export)?.iter().enumerate() {
        text += if number == 0 { "\n" } else { ",\n" };
        walk(tree, |event, depth| match event {
            Event::Leave(Node::Split(_)) => text += "]}",
            Event::Leave(Node::Leaf(_)) => {}
            Event::Enter(node, side) => {
                text += if side == Side::Right { "," } else { "" };
                text += &match node {
                    Node::Leaf(leaf) => {
                        format!("{{\"nodeid\":{},\"leaf\":{:?}}}", node.number(tree), tree.leaf[leaf] as f32)
                    }
                    Node::Split(split) => {
                        let [left, right] =
                            [tree.left[split], tree.right[split]].map(|c| Node::of(c).number(tree));
                        format!(
                            "{{\"nodeid\":{split},\"depth\":{depth},\"split\":{},\"split_condition\":{:?},\"yes\":{left},\
                             \"no\":{right},\"missing\":{},\"children\":[",
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
