//! The course of an evolutionary search, as reported in a selection.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The generations of a search and its final front.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Searched {
    /// One after the other; the first one is random. Empty for methods that search in several
    /// phases.
    pub generations: Vec<Generation>,
    /// The nondominated subsets.
    pub front: Vec<Member>,
}

/// Statistics of the survivors of a generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// The effectiveness of the best.
    pub best: f64,
    /// The mean effectiveness of all.
    pub mean: f64,
    /// The mean number of features of all.
    pub features: f64,
    /// The number of nondominated subsets.
    pub front: usize,
}

/// A nondominated subset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Ids of its features.
    pub features: Vec<u32>,
    /// Its objectives by name, as they are reported: greater effectiveness is better, less risk is.
    pub objectives: BTreeMap<String, f64>,
    /// Whether this subset was chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chosen: bool,
}
