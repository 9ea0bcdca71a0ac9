//! The truth file: the role of every feature of a synthetic data set, against which a selection can
//! be evaluated.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::config::SynthConfig;

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
    /// Has one value in each query, so that it cannot rank anything.
    Constant,
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
    /// The id of the useful feature that a redundant feature copies.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_serialised_as_displayed() {
        for role in [Role::Useful, Role::QueryDependent, Role::Constant] {
            assert_eq!(serde_json::to_string(&role).unwrap(), format!("\"{role}\""));
        }
    }
}
