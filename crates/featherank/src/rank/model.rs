//! A learnt model: how it scores, how it wants its features scaled, and where it came from.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{LinearModel, TreeEnsemble};
use crate::data::{Feature, FeatureId, FeatureTable, Scaler, View};
use crate::document;
use crate::error::Result;
use crate::params::Params;
use crate::run::Run;

/// A learnt model, as it is saved and read back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Where it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trained: Option<Training>,
    /// What must be done to the model's features, in their order, before they are scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scaler: Option<Scaler>,
    /// How it scores.
    #[serde(flatten)]
    pub scorer: Scorer,
}

/// How a model scores documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Scorer {
    /// A weighted sum of features.
    Linear(LinearModel),
    /// A sum of trees.
    Trees(TreeEnsemble),
}

/// Where a model came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// The ranker's name.
    pub ranker: String,
    /// All its parameters.
    pub params: BTreeMap<String, String>,
    /// The seed.
    pub seed: u64,
    /// Fingerprint of the data set.
    pub data: String,
    /// Queries it learnt from.
    pub queries: usize,
    /// Documents it learnt from.
    pub documents: usize,
}

impl Training {
    pub(super) fn new(ranker: &str, params: &Params, run: &Run, train: &View<'_>) -> Self {
        Training {
            ranker: ranker.into(),
            params: params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            seed: run.seed,
            data: train.data().fingerprint(),
            queries: train.query_count(),
            documents: train.documents(),
        }
    }
}

const KIND: &str = "model";
const VERSION: u32 = 1;

impl Model {
    /// Scores of a view's documents, in the view's order; an error when it lacks one of the model's features.
    pub fn score(&self, view: &View<'_>) -> Result<Vec<f32>> {
        let columns = self.columns(view.data().features())?;
        let Some(scaler) = &self.scaler else {
            return Ok(self.scorer.score(view, &columns));
        };
        let mut scaled = view.copy(&columns);
        scaler.apply(&mut scaled);
        let columns: Vec<FeatureId> = (0..columns.len()).map(FeatureId::from).collect();
        Ok(self.scorer.score(&scaled.view(), &columns))
    }

    /// The features the model needs, as their owner knows them.
    pub fn features(&self) -> Vec<&Feature> {
        match &self.scorer {
            Scorer::Linear(model) => model.features().collect(),
            Scorer::Trees(model) => model.features().iter().collect(),
        }
    }

    /// The features the model needs, as columns of a table.
    pub fn columns(&self, table: &FeatureTable) -> Result<Vec<FeatureId>> {
        self.features().into_iter().map(|feature| table.resolve(&feature.label())).collect()
    }

    /// Writes the model, atomically.
    pub fn save(&self, path: &Path) -> Result<()> {
        document::save(KIND, VERSION, self, path)
    }

    /// Reads a model back.
    pub fn load(path: &Path) -> Result<Self> {
        document::load(KIND, VERSION, path)
    }
}

impl Scorer {
    fn score(&self, view: &View<'_>, columns: &[FeatureId]) -> Vec<f32> {
        match self {
            Scorer::Linear(model) => model.score(view, columns),
            Scorer::Trees(model) => model.score(view, columns),
        }
    }
}

impl From<LinearModel> for Model {
    fn from(model: LinearModel) -> Self {
        Model { trained: None, scaler: None, scorer: Scorer::Linear(model) }
    }
}

impl From<TreeEnsemble> for Model {
    fn from(model: TreeEnsemble) -> Self {
        Model { trained: None, scaler: None, scorer: Scorer::Trees(model) }
    }
}
