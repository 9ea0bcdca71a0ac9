//! RankLib: model files, and lists of features for `-feature`.
//!
//! Trees are written as a LambdaMART model, whose splits go left up to the threshold as ours do.
//! Weights are written as a Linear Regression model if there is an intercept, and as a Coordinate
//! Ascent model otherwise. RankLib has no missing values: it reads them as 0, so directions of
//! missing values are omitted. Z-scores are folded into thresholds and weights, because RankLib's
//! own normalisers work on each query and are not saved with a model.

use std::fmt::Write;

use super::traverse::{Event, Side, TreeNode, traverse};
use super::{Export, Target, TargetContent};
use crate::data::Feature;
use crate::error::{Error, Result};
use crate::rank::{LinearModel, Scorer, TreeEnsemble};

/// The model.
pub(super) const MODEL: Target = Target {
    name: "ranklib",
    summary: "RankLib model file",
    holds: TargetContent::Models,
    needs_featureset: false,
    write: |export| {
        check_ids(&export.features())?;
        let text = match &export.model.scorer {
            Scorer::Linear(model) => linear(export, model),
            Scorer::Trees(ensemble) => trees(export, ensemble),
        };
        Ok(text.into_bytes())
    },
};

/// The features.
pub(super) const FEATURES: Target = Target {
    name: "ranklib-features",
    summary: "feature list for RankLib's option -feature",
    holds: TargetContent::Features,
    needs_featureset: false,
    write: |export| {
        check_ids(&export.features())?;
        let line = |feature: &&Feature| match &feature.name {
            Some(name) => format!("{}\t{}\n", feature.id, name.replace(['\n', '\r'], " ")),
            None => format!("{}\n", feature.id),
        };
        Ok(export.features().iter().map(line).collect::<String>().into_bytes())
    },
};

fn check_ids(features: &[&Feature]) -> Result<()> {
    match features.iter().any(|feature| feature.id == 0) {
        true => Err(Error::unsupported(
            "RankLib numbers features from 1, and this model uses feature 0",
            "train on data whose features are numbered from 1",
        )),
        false => Ok(()),
    }
}

fn linear(export: &Export<'_>, model: &LinearModel) -> String {
    let (weights, intercept) = export.raw_weights(model);
    let weights = export
        .features()
        .into_iter()
        .zip(weights)
        .map(|(feature, weight)| format!("{}:{weight:?}", feature.id));
    if intercept == 0.0 {
        let weights: Vec<String> = weights.collect();
        return format!(
            "## Coordinate Ascent\n## Restart = 0\n## MaxIteration = 0\n## StepBase = 0.0\n## StepScale = 0.0\n\
             ## Tolerance = 0.0\n## Regularized = false\n## Slack = 0.0\n{}\n",
            weights.join(" ")
        );
    }
    let weights: Vec<String> = std::iter::once(format!("0:{intercept:?}")).chain(weights).collect();
    format!("## Linear Regression\n## Lambda = 0.0\n{}\n", weights.join(" "))
}

fn trees(export: &Export<'_>, ensemble: &TreeEnsemble) -> String {
    let trees = export.raw_trees(ensemble);
    let leaves = trees.iter().map(|tree| tree.leaf.len()).max().unwrap_or(0);
    let mut text = format!(
        "## LambdaMART\n## No. of trees = {}\n## No. of leaves = {leaves}\n## No. of threshold candidates = -1\n\
         ## Learning rate = 1.0\n## Stop early = 0\n\n<ensemble>\n",
        trees.len()
    );
    for (number, tree) in (1..).zip(&trees) {
        text += &format!("\t<tree id=\"{number}\" weight=\"1.0\">\n");
        traverse(tree, |event, depth| {
            let indent = "\t".repeat(depth.min(20) + 2);
            // Writing to a `String` cannot fail.
            let _ = match event {
                Event::Leave(_) => writeln!(text, "{indent}</split>"),
                Event::Enter(node, side) => {
                    text += &indent;
                    text += match side {
                        Side::Root => "<split>\n",
                        Side::Left => "<split pos=\"left\">\n",
                        Side::Right => "<split pos=\"right\">\n",
                    };
                    match node {
                        TreeNode::Leaf(leaf) => {
                            writeln!(text, "{indent}\t<output> {:?} </output>", tree.leaf[leaf])
                        }
                        TreeNode::Split(split) => {
                            let id = ensemble.features()[tree.feature[split] as usize].id;
                            let threshold = tree.threshold[split];
                            writeln!(
                                text,
                                "{indent}\t<feature> {id} </feature>\n{indent}\t<threshold> {threshold:?} </threshold>"
                            )
                        }
                    }
                }
            };
        });
        text += "\t</tree>\n";
    }
    text + "</ensemble>\n"
}
