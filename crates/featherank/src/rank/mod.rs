//! Rankers: methods that learn to score documents, and the models they leave.

mod linear_model;
pub mod single_feature;

use std::path::Path;

use crate::data::{FeatureId, FeatureTable, View};
use crate::document;
use crate::error::Result;
use crate::params::{Param, Params};
use crate::registry::Status;
use crate::run::Run;
pub use linear_model::LinearModel;
use serde::{Deserialize, Serialize};

/// A method that learns to score documents.
pub trait Ranker: Send + Sync {
    /// Learns from training data; validation data, where given, stops or tunes it.
    fn fit(&self, run: &Run, train: &View<'_>, valid: Option<&View<'_>>) -> Result<Model>;
}

/// What the registry holds of a ranker.
pub struct RankerSpec {
    /// Its name everywhere.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Keys of papers.
    pub cites: &'static [&'static str],
    /// How close to its paper.
    pub status: Status,
    /// Needs passes only, never rows.
    pub scales_out: bool,
    /// Its parameters.
    pub params: &'static [Param],
    /// Makes the ranker from checked parameters.
    pub build: fn(&Params) -> Result<Box<dyn Ranker>>,
}

impl RankerSpec {
    /// Checks parameters and learns.
    pub fn fit(
        &self,
        set: &[(String, String)],
        run: &Run,
        train: &View<'_>,
        valid: Option<&View<'_>>,
    ) -> Result<Model> {
        (self.build)(&Params::new(self.name, self.params, set)?)?.fit(run, train, valid)
    }
}

/// A learnt model, as it is saved and read back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Model {
    /// A weighted sum of features.
    Linear(LinearModel),
}

const KIND: &str = "model";
const VERSION: u32 = 1;

impl Model {
    /// Scores of a view's documents, in the view's order; an error when it lacks one of the model's features.
    pub fn score(&self, view: &View<'_>) -> Result<Vec<f32>> {
        match self {
            Model::Linear(model) => model.score(view),
        }
    }

    /// The features the model needs, as columns of a table.
    pub fn features(&self, table: &FeatureTable) -> Result<Vec<FeatureId>> {
        match self {
            Model::Linear(model) => model.columns(table),
        }
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
