//! LightGBM: the text of a booster, for `lightgbm.Booster(model_file=…)`.
//!
//! LightGBM splits as we do: left up to the threshold, missing values as the split says, and
//! negative children are leaves. Features are identified by their column, the first of which is
//! feature 1. Thresholds are 64-bit numbers there, so ours are exact; z-scores are folded into
//! them.

use std::collections::HashSet;

use super::{Export, TableColumns, Target, TargetContent};
use crate::data::Feature;
use crate::error::Result;
use crate::rank::tree::Tree;

/// The model.
pub(super) const MODEL: Target = Target {
    name: "lightgbm",
    summary: "LightGBM model in text format",
    holds: TargetContent::Trees,
    needs_featureset: false,
    write: |export| Ok(booster(export)?.into_bytes()),
};

/// Decision types: numerical comparison, with missing values as NaN that go right (8) or left (8 +
/// 2).
const NAN_RIGHT: u8 = 8;
const NAN_LEFT: u8 = 10;

fn booster(export: &Export<'_>) -> Result<String> {
    let ensemble = export.ensemble()?;
    let columns = TableColumns::of(export)?;
    let column: Vec<usize> =
        ensemble.features().iter().map(|feature| columns.of_feature(feature)).collect();
    let blocks: Vec<String> = (0..)
        .zip(export.raw_trees(ensemble))
        .map(|(number, tree): (usize, Tree)| {
            format!("Tree={number}\n{}\n\n", block(&tree, &column))
        })
        .collect();
    let mut names =
        columns.names(&export.features(), plain_name, |column| format!("Column_{column}"));
    // A generated name may equal another feature's own name.
    let mut seen = HashSet::new();
    for name in &mut names {
        while !seen.insert(name.clone()) {
            name.push('_');
        }
    }
    let sizes: Vec<usize> = blocks.iter().map(String::len).collect();
    Ok(format!(
        "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx={}\n\
         objective=regression\nfeature_names={}\nfeature_infos={}\ntree_sizes={}\n\n{}end of trees\n\n\
         feature_importances:\n\nparameters:\nend of parameters\n\npandas_categorical:null\n",
        columns.count.saturating_sub(1),
        names.join(" "),
        vec!["none"; columns.count].join(" "),
        joined(&sizes),
        blocks.concat(),
    ))
}

/// LightGBM separates names by blanks, and rejects characters that JSON would have to escape.
fn plain_name(feature: &Feature) -> String {
    let plain = |name: &&String| {
        !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "\",:[]{}\\".contains(c))
    };
    feature.name.as_ref().filter(plain).cloned().unwrap_or_else(|| format!("f{}", feature.id))
}

fn block(tree: &Tree, column: &[usize]) -> String {
    let splits = tree.feature.len();
    let mut lines = vec![format!("num_leaves={}", tree.leaf.len()), "num_cat=0".into()];
    if splits > 0 {
        let features: Vec<usize> = tree.feature.iter().map(|&f| column[f as usize]).collect();
        let thresholds: Vec<f64> = tree.threshold.iter().map(|&t| f64::from(t)).collect();
        let decisions: Vec<u8> =
            tree.missing_left.iter().map(|&left| if left { NAN_LEFT } else { NAN_RIGHT }).collect();
        lines.extend([
            format!("split_feature={}", joined(&features)),
            format!("split_gain={}", joined(&tree.gain)),
            format!("threshold={}", joined(&thresholds)),
            format!("decision_type={}", joined(&decisions)),
            format!("left_child={}", joined(&tree.left)),
            format!("right_child={}", joined(&tree.right)),
        ]);
    }
    lines.push(format!("leaf_value={}", joined(&tree.leaf)));
    if splits > 0 {
        // The number of documents that reached a node is not part of a model, but LightGBM requires
        // the lines.
        let (leaves, inner) = (vec![0; splits + 1], vec![0; splits]);
        lines.extend([
            format!("leaf_weight={}", joined(&leaves)),
            format!("leaf_count={}", joined(&leaves)),
            format!("internal_value={}", joined(&inner)),
            format!("internal_weight={}", joined(&inner)),
            format!("internal_count={}", joined(&inner)),
        ]);
    }
    lines.extend(["is_linear=0".into(), "shrinkage=1".into()]);
    lines.join("\n") + "\n"
}

fn joined<T: std::fmt::Debug>(values: &[T]) -> String {
    values.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(" ")
}
