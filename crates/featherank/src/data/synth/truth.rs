//! The truth file: the role of every feature of a synthetic data set, against which a selection can
//! be evaluated.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::config::SynthConfig;
use crate::data::write_bytes;
use crate::error::{Error, REPORT_DEFECT, Result};

/// The version of the truth file that this release writes.
pub(super) const VERSION: u32 = 1;

/// The role of a synthetic feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Affects relevance in every query, independently of all other useful features.
    Useful,
    /// A noisy copy of a useful feature: good alone, of little use beside its parent.
    Redundant,
    /// Independent of relevance.
    Noisy,
    /// Affects relevance in some queries and is noise in the others.
    QueryDependent,
    /// Helps most queries and misleads in a few: good on average, but risky.
    Risky,
    /// Has one value in each query, independent of relevance.
    Constant,
    /// Has one value in each query, which shows whether a query-dependent feature matters there:
    /// useless alone and in linear models, useful for trees.
    Switch,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Useful => "useful",
            Role::Redundant => "redundant",
            Role::Noisy => "noisy",
            Role::QueryDependent => "query-dependent",
            Role::Risky => "risky",
            Role::Constant => "constant",
            Role::Switch => "switch",
        })
    }
}

/// All that is known about a synthetic data set; a versioned document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Truth {
    /// Version of this document.
    pub version: u32,
    /// The settings of the data set.
    pub config: SynthConfig,
    /// The features in column order.
    pub features: Vec<TrueFeature>,
}

/// How many features of a role a selection contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoleCount {
    /// The role.
    pub role: Role,
    /// How many of its features were chosen.
    pub chosen: usize,
    /// How many there are.
    pub all: usize,
}

/// One synthetic feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrueFeature {
    /// The id in the data set, from 1.
    pub id: u32,
    /// The name in the data set, if features have names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its role.
    pub role: Role,
    /// The id of the useful feature that a redundant feature copies, or of the query-dependent one
    /// that a switch belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// By how many standard deviations (within queries) relevance rises with one of the feature's,
    /// in queries where the feature matters and does not mislead. 0 for features without an effect
    /// of their own.
    pub weight: f64,
}

impl Truth {
    /// The features of a role, in column order.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &TrueFeature> {
        self.features.iter().filter(move |feature| feature.role == role)
    }

    /// Writes the document, atomically.
    pub fn save(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(|e| {
            Error::internal(format!("cannot write the truth file: {e}"), REPORT_DEFECT)
        })?;
        write_bytes(path, (text + "\n").as_bytes())
    }

    /// For each role, in alphabetical order of its name: how many of its features are among these
    /// ids, and how many exist.
    pub fn count_roles(&self, ids: &[u32]) -> Vec<RoleCount> {
        let mut counts: Vec<RoleCount> = Vec::new();
        for feature in &self.features {
            let chosen = usize::from(ids.contains(&feature.id));
            match counts.iter_mut().find(|count| count.role == feature.role) {
                Some(count) => (count.chosen, count.all) = (count.chosen + chosen, count.all + 1),
                None => counts.push(RoleCount { role: feature.role, chosen, all: 1 }),
            }
        }
        counts.sort_by_key(|count| count.role.to_string());
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_serialised_as_displayed() {
        for role in [Role::Useful, Role::QueryDependent, Role::Switch] {
            assert_eq!(serde_json::to_string(&role).unwrap(), format!("\"{role}\""));
        }
    }
}
