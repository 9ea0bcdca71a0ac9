//! The course of an evolutionary search, as reported in a selection.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The generations of a search and its final front.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Searched {
    /// In order; the first one is random. Empty for methods that search in several phases.
    pub generations: Vec<Generation>,
    /// The nondominated subsets.
    pub front: Vec<FrontSubset>,
}

/// Statistics of the survivors of a generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// The effectiveness of the best survivor.
    pub best: f64,
    /// The mean effectiveness of the survivors.
    pub mean: f64,
    /// The mean number of features of the survivors.
    pub features: f64,
    /// The number of nondominated subsets.
    pub front: usize,
}

/// A nondominated subset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrontSubset {
    /// Ids of its features.
    pub features: Vec<u32>,
    /// Its objectives by name, as they are reported: higher effectiveness and lower risk are
    /// better.
    pub objectives: BTreeMap<String, f64>,
    /// Whether this subset was chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chosen: bool,
}
