//! What a search among subsets went through, as a selection tells it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How a search went and what it had to choose from in the end.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Searched {
    /// One after the other; the first one is random. None of a method that searches in several
    /// phases.
    pub generations: Vec<Generation>,
    /// The subsets that no other one dominates.
    pub front: Vec<Member>,
}

/// How those that survived a generation do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// The effectiveness of the best.
    pub best: f64,
    /// The mean effectiveness of all.
    pub mean: f64,
    /// The mean number of features of all.
    pub features: f64,
    /// How many are not dominated.
    pub front: usize,
}

/// A subset that no other one dominates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Ids of its features.
    pub features: Vec<u32>,
    /// Its objectives by name, as they are reported: greater effectiveness is better, less risk is.
    pub objectives: BTreeMap<String, f64>,
    /// Whether this one was chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chosen: bool,
}
