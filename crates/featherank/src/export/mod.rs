//! Exporters: write a model in the formats of other systems.
//!
//! [`TARGETS`] lists the formats, each with the models it supports; [`target`] finds one by name.
//! An exported model takes the same decisions for every value, or the export fails: thresholds
//! learnt on z-scores are converted to raw values exactly, and what a target cannot represent is an
//! error.

mod elasticsearch;
mod featureset;
mod fold;
mod lightgbm;
mod onnx;
mod protobuf;
mod ranklib;
mod solr;
mod traverse;
mod xgboost;

use crate::data::{Feature, Normaliser, Scale};
use crate::error::{Error, Result};
use crate::names::unknown;
use crate::rank::tree::Tree;
use crate::rank::{LinearModel, Model, Scorer, TreeEnsemble};
use crate::remedy;

/// All targets, in the order of their listing.
pub static TARGETS: &[&Target] = &[
    &ranklib::MODEL,
    &ranklib::FEATURES,
    &lightgbm::MODEL,
    &xgboost::MODEL,
    &xgboost::DUMP,
    &onnx::MODEL,
    &solr::MODEL,
    &solr::FEATURES,
    &elasticsearch::MODEL,
    &elasticsearch::FEATURES,
];

/// Other names of targets, as people write them.
const ALIASES: [(&str, &str); 5] = [
    ("opensearch", "elasticsearch"),
    ("opensearch-featureset", "elasticsearch-featureset"),
    ("xgboost", "xgboost-json"),
    ("lgbm", "lightgbm"),
    ("lgb", "lightgbm"),
];

/// A target of exports.
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// A summary of one line.
    pub summary: &'static str,
    /// The part of a model that it represents.
    pub holds: TargetContent,
    /// Whether it needs the file that defines the features in the target system.
    pub needs_featureset: bool,
    write: fn(&Export<'_>) -> Result<Vec<u8>>,
}

/// The part of a model that a target represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetContent {
    /// The features that the model needs, whatever the model is.
    Features,
    /// Trees.
    Trees,
    /// Trees and linear models.
    Models,
}

/// Options for exporting.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExportOptions {
    /// The model's name in the target system.
    pub name: Option<String>,
    /// The text of the file that defines the features in the target system.
    pub featureset: Option<String>,
    /// The number of columns of the data, for targets that identify features by column; by default
    /// as many as needed.
    pub columns: Option<usize>,
    /// Distinguish missing values from zeros, if the target has the choice.
    pub keep_missing: bool,
}

/// A model with the options of its export.
struct Export<'a> {
    model: &'a Model,
    options: &'a ExportOptions,
}

/// The target with this name.
pub fn target(name: &str) -> Result<&'static Target> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let known = alias.map_or(name, |(_, known)| *known);
    let found = TARGETS.iter().find(|target| target.name == known).copied();
    found.ok_or_else(|| unknown("export target", name, TARGETS.iter().map(|target| target.name)))
}

impl Target {
    /// The model in the target's format; an error if the target cannot represent it.
    pub fn export(&self, model: &Model, options: &ExportOptions) -> Result<Vec<u8>> {
        self.check(model)?;
        if self.needs_featureset && options.featureset.is_none() {
            return Err(Error::settings(
                format!("{} needs the definitions of the features", self.name),
                remedy!["give the definitions of all features with ", FeatureSet],
            ));
        }
        (self.write)(&Export { model, options })
    }

    fn check(&self, model: &Model) -> Result<()> {
        let is_sum = matches!(model.scorer, Scorer::Linear(_));
        let fits = |target: &Target| {
            target.holds == TargetContent::Models
                || (target.holds == TargetContent::Trees && !is_sum)
        };
        if self.holds == TargetContent::Features {
            return Ok(());
        }
        if !fits(self) {
            let others: Vec<&str> =
                TARGETS.iter().filter(|target| fits(target)).map(|target| target.name).collect();
            return Err(Error::unsupported(
                format!("{} accepts tree models only, and this model is linear", self.name),
                format!("export it to {}", others.join(", ")),
            ));
        }
        let nothing = match &model.scorer {
            Scorer::Linear(_) => model.features().is_empty(),
            Scorer::Trees(ensemble) => ensemble.trees().is_empty(),
        };
        if nothing {
            return Err(Error::unsupported(
                "this model gives all documents the same score: there is nothing to export",
                "train it on data with relevant documents and features that vary",
            ));
        }
        match normaliser(model) {
            by_query @ (Normaliser::QueryMinmax | Normaliser::QueryZscore) => {
                let name = Normaliser::NAMES
                    .iter()
                    .find(|(_, known)| *known == by_query)
                    .map_or("", |(name, _)| name);
                Err(Error::unsupported(
                    format!(
                        "{} scores documents one by one, and this model normalises features per query ({name})",
                        self.name
                    ),
                    remedy![
                        "train without a normaliser, ",
                        NormaliseZscore.set(),
                        " for training, or score with ",
                        Command::Rank
                    ],
                ))
            }
            Normaliser::None | Normaliser::Zscore => Ok(()),
        }
    }
}

fn normaliser(model: &Model) -> Normaliser {
    model.scaler.as_ref().map_or(Normaliser::None, |scaler| scaler.normaliser())
}

impl Export<'_> {
    /// The model's name in the target system.
    fn name(&self) -> &str {
        self.options.name.as_deref().unwrap_or("featherank")
    }

    /// The features, in the model's order.
    fn features(&self) -> Vec<&Feature> {
        self.model.features()
    }

    /// Offset and divisor of each feature, if the model was trained on z-scores.
    fn scales(&self) -> Option<&[Scale]> {
        let scaler = self.model.scaler.as_ref()?;
        (scaler.normaliser() == Normaliser::Zscore).then(|| scaler.scales())
    }

    /// The trees for raw values, with finite thresholds, converted if the model was trained on
    /// z-scores.
    fn raw_trees(&self, ensemble: &TreeEnsemble) -> Vec<Tree> {
        ensemble.trees().iter().map(|tree| fold::raw_tree(tree, self.scales())).collect()
    }

    /// Weights and intercept for raw values.
    fn raw_weights(&self, model: &LinearModel) -> (Vec<f64>, f64) {
        let weights = model.weights().iter().map(|w| w.weight);
        match self.scales() {
            None => (weights.collect(), model.intercept()),
            Some(scales) => {
                let shift: f64 = weights
                    .clone()
                    .zip(scales)
                    .map(|(w, scale)| w * scale.offset / scale.divisor)
                    .sum();
                (
                    weights.zip(scales).map(|(w, scale)| w / scale.divisor).collect(),
                    model.intercept() - shift,
                )
            }
        }
    }

    /// The trees of the model; [`Target::check`] has ensured that it has some.
    fn ensemble(&self) -> Result<&TreeEnsemble> {
        match &self.model.scorer {
            Scorer::Trees(ensemble) => Ok(ensemble),
            Scorer::Linear(_) => {
                Err(Error::unsupported("this model has no trees", "export a tree model"))
            }
        }
    }
}

/// The maximum number of columns of an exported model: formats that identify features by column
/// list all columns, those between the features of the model too.
const MOST_COLUMNS: usize = 1_000_000;

/// The columns of a table that holds all features of the data: feature 1 is the first column, or
/// feature 0 if the ids of the data start at 0.
struct TableColumns {
    first: u32,
    count: usize,
}

impl TableColumns {
    fn of(export: &Export<'_>) -> Result<Self> {
        let ids = || export.features().into_iter().map(|feature| feature.id);
        let counts_from =
            export.model.trained.as_ref().map_or(1, |trained| trained.first_id.min(1));
        let first = ids().min().unwrap_or(1).min(counts_from);
        let needed = ids().map(|id| (id - first) as usize + 1).max().unwrap_or(0);
        let count = export.options.columns.unwrap_or(needed);
        match count {
            count if count < needed => Err(Error::invalid(
                "number of columns",
                count,
                format!("at least {needed}, the last column that the model uses"),
            )),
            count if count > MOST_COLUMNS => {
                Err(Error::invalid("number of columns", count, format!("at most {MOST_COLUMNS}")))
            }
            count => Ok(TableColumns { first, count }),
        }
    }

    fn of_feature(&self, feature: &Feature) -> usize {
        (feature.id - self.first) as usize
    }

    /// The names of all columns; `gap` names those that the model does not need.
    fn names(
        &self,
        features: &[&Feature],
        of: impl Fn(&Feature) -> String,
        gap: impl Fn(usize) -> String,
    ) -> Vec<String> {
        let mut names: Vec<String> = (0..self.count).map(gap).collect();
        features.iter().for_each(|feature| names[self.of_feature(feature)] = of(feature));
        names
    }
}

/// JSON with a final newline.
fn json_bytes(value: &impl serde::Serialize) -> Result<Vec<u8>> {
    let text = serde_json::to_string_pretty(value).map_err(|e| {
        Error::internal(format!("cannot write the model: {e}"), crate::error::REPORT_DEFECT)
    })?;
    Ok((text + "\n").into_bytes())
}

/// A text as a JSON string, with quotes.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests;
