//! ONNX: a graph of `ai.onnx.ml` operators that any ONNX runtime runs.
//!
//! Input `features`: 32-bit numbers, one row per document and one column for each feature that the
//! model needs, in the model's order, which the metadata records. Output `score`: one row per
//! document, one column. Trees are a TreeEnsembleRegressor, with z-scores folded into its
//! thresholds; weights are a LinearRegressor, after a Scaler if the model was trained on z-scores.

use super::protobuf::Message;
use super::traverse::TreeNode;
use super::{Export, Target, TargetContent};
use crate::error::{Error, Result};
use crate::rank::tree::Tree;
use crate::rank::{LinearModel, Scorer, TreeEnsemble};

/// The model.
pub(super) const MODEL: Target = Target {
    name: "onnx",
    summary: "ONNX model",
    holds: TargetContent::Models,
    needs_featureset: false,
    write: |export| Ok(model(export)?.into_bytes()),
};

const ML: &str = "ai.onnx.ml";
const INPUT: &str = "features";
const SCALED: &str = "scaled";
const OUTPUT: &str = "score";

fn model(export: &Export<'_>) -> Result<Message> {
    let features = export.features();
    if features.is_empty() {
        return Err(Error::unsupported(
            "this model uses no features, and an ONNX graph needs an input",
            "train a model that uses at least one feature",
        ));
    }
    let nodes = match &export.model.scorer {
        Scorer::Trees(ensemble) => vec![tree_ensemble(export, ensemble)],
        Scorer::Linear(model) => linear(export, model),
    };
    let graph = nodes.into_iter().fold(Message::default(), |graph, node| graph.message(1, node));
    let graph = graph
        .bytes(2, export.name())
        .message(11, matrix(INPUT, features.len()))
        .message(12, matrix(OUTPUT, 1));
    let labels: Vec<String> = features.iter().map(|feature| feature.label()).collect();
    let ids: Vec<u32> = features.iter().map(|feature| feature.id).collect();
    let property = |key: &str, value: String| Message::default().bytes(1, key).bytes(2, value);
    let opset = |domain: &str, version| Message::default().bytes(1, domain).int(2, version);
    Ok(Message::default()
        .int(1, 8)
        .bytes(2, "featherank")
        .bytes(3, env!("CARGO_PKG_VERSION"))
        .message(7, graph)
        .message(8, opset("", 15))
        .message(8, opset(ML, 3))
        .message(14, property("features", serde_json::json!(labels).to_string()))
        .message(14, property("feature_ids", serde_json::json!(ids).to_string())))
}

/// A named matrix of 32-bit numbers with any number of rows.
fn matrix(name: &str, columns: usize) -> Message {
    let rows = Message::default().bytes(2, "documents");
    let columns = Message::default().int(1, columns as i64);
    let shape = Message::default().message(1, rows).message(1, columns);
    let tensor = Message::default().int(1, 1).message(2, shape);
    Message::default().bytes(1, name).message(2, Message::default().message(1, tensor))
}

fn node(operator: &str, input: &str, output: &str, attributes: Vec<Message>) -> Message {
    let node =
        Message::default().bytes(1, input).bytes(2, output).bytes(3, operator).bytes(4, operator);
    attributes.into_iter().fold(node, |node, attribute| node.message(5, attribute)).bytes(7, ML)
}

fn int(name: &str, value: i64) -> Message {
    Message::default().bytes(1, name).int(3, value).int(20, 2)
}

fn text(name: &str, value: &str) -> Message {
    Message::default().bytes(1, name).bytes(4, value).int(20, 3)
}

fn floats(name: &str, values: &[f32]) -> Message {
    Message::default().bytes(1, name).floats(7, values).int(20, 6)
}

fn ints(name: &str, values: &[i64]) -> Message {
    Message::default().bytes(1, name).ints(8, values).int(20, 7)
}

fn texts(name: &str, values: &[&str]) -> Message {
    let start = Message::default().bytes(1, name);
    values.iter().fold(start, |list, value| list.bytes(9, value)).int(20, 8)
}

fn linear(export: &Export<'_>, model: &LinearModel) -> Vec<Message> {
    let weights: Vec<f32> = model.weights().iter().map(|w| w.weight as f32).collect();
    let regressor = |input: &str| {
        let attributes = vec![
            floats("coefficients", &weights),
            floats("intercepts", &[model.intercept() as f32]),
            int("targets", 1),
            text("post_transform", "NONE"),
        ];
        node("LinearRegressor", input, OUTPUT, attributes)
    };
    match export.scales() {
        None => vec![regressor(INPUT)],
        Some(scales) => {
            let offsets: Vec<f32> = scales.iter().map(|scale| scale.offset as f32).collect();
            let factors: Vec<f32> =
                scales.iter().map(|scale| (1.0 / scale.divisor) as f32).collect();
            let attributes = vec![floats("offset", &offsets), floats("scale", &factors)];
            vec![node("Scaler", INPUT, SCALED, attributes), regressor(SCALED)]
        }
    }
}

/// All nodes of all trees as lists, the splits of a tree before its leaves.
#[derive(Default)]
struct Nodes {
    trees: Vec<i64>,
    numbers: Vec<i64>,
    features: Vec<i64>,
    values: Vec<f32>,
    modes: Vec<&'static str>,
    left: Vec<i64>,
    right: Vec<i64>,
    missing_left: Vec<i64>,
    leaf_trees: Vec<i64>,
    leaf_numbers: Vec<i64>,
    leaf_values: Vec<f32>,
}

impl Nodes {
    fn add(&mut self, number: i64, tree: &Tree) {
        let child = |child: i32| TreeNode::of(child).number(tree) as i64;
        for split in 0..tree.feature.len() {
            self.features.push(i64::from(tree.feature[split]));
            self.values.push(tree.threshold[split]);
            self.modes.push("BRANCH_LEQ");
            self.left.push(child(tree.left[split]));
            self.right.push(child(tree.right[split]));
            self.missing_left.push(i64::from(tree.missing_left[split]));
        }
        for (leaf, &value) in tree.leaf.iter().enumerate() {
            self.features.push(0);
            self.values.push(0.0);
            self.modes.push("LEAF");
            self.left.push(0);
            self.right.push(0);
            self.missing_left.push(0);
            self.leaf_trees.push(number);
            self.leaf_numbers.push(TreeNode::Leaf(leaf).number(tree) as i64);
            self.leaf_values.push(value as f32);
        }
        let nodes = tree.feature.len() + tree.leaf.len();
        self.trees.extend(std::iter::repeat_n(number, nodes));
        self.numbers.extend(0..nodes as i64);
    }
}

fn tree_ensemble(export: &Export<'_>, ensemble: &TreeEnsemble) -> Message {
    let mut nodes = Nodes::default();
    let trees = export.raw_trees(ensemble);
    (0..).zip(&trees).for_each(|(number, tree)| nodes.add(number, tree));
    let attributes = vec![
        int("n_targets", 1),
        text("aggregate_function", "SUM"),
        text("post_transform", "NONE"),
        ints("nodes_treeids", &nodes.trees),
        ints("nodes_nodeids", &nodes.numbers),
        ints("nodes_featureids", &nodes.features),
        floats("nodes_values", &nodes.values),
        texts("nodes_modes", &nodes.modes),
        ints("nodes_truenodeids", &nodes.left),
        ints("nodes_falsenodeids", &nodes.right),
        ints("nodes_missing_value_tracks_true", &nodes.missing_left),
        ints("target_treeids", &nodes.leaf_trees),
        ints("target_nodeids", &nodes.leaf_numbers),
        ints("target_ids", &vec![0; nodes.leaf_values.len()]),
        floats("target_weights", &nodes.leaf_values),
    ];
    node("TreeEnsembleRegressor", INPUT, OUTPUT, attributes)
}
