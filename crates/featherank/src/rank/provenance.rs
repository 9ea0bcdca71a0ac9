//! The provenance of a model: ranker, parameters, seed and training data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data::View;
use crate::params::Params;
use crate::run::Run;

/// Provenance of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// The ranker's name.
    pub ranker: String,
    /// All its parameters.
    pub params: BTreeMap<String, String>,
    /// The seed.
    pub seed: u64,
    /// Fingerprint of the data set, if the model was trained on a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// The smallest feature id of the data, at which its numbering starts.
    #[serde(default = "one")]
    pub first_id: u32,
    /// Number of training queries.
    pub queries: usize,
    /// Number of training documents.
    pub documents: usize,
}

fn one() -> u32 {
    1
}

impl Training {
    pub(super) fn new(ranker: &str, params: &Params, run: &Run, train: &View<'_>) -> Self {
        Training {
            ranker: ranker.into(),
            params: params
                .iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            seed: run.seed,
            // Computing the fingerprint would read the whole data; the code that saves the model
            // adds it.
            data: None,
            first_id: train
                .data()
                .features()
                .iter()
                .map(|(_, feature)| feature.id)
                .min()
                .unwrap_or(1),
            queries: train.query_count(),
            documents: train.documents(),
        }
    }
}
