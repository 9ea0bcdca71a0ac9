//! The files that data was read from, as documents record them; reports print commands that run
//! with them.

use serde::{Deserialize, Serialize};

/// The files that data was read from, and how. Front ends that read files record it; paths are
/// absolute.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DataSources {
    /// The files of the training data; empty if it was not read from files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub train: Vec<String>,
    /// The files of the validation data.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub valid: Vec<String>,
    /// The file with the costs of the features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<String>,
    /// The options of the command that say how files are read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

impl DataSources {
    /// Whether there is nothing to record.
    pub fn is_empty(&self) -> bool {
        *self == DataSources::default()
    }
}
