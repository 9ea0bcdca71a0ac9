//! Correlations of features, ordered by cluster.

use featherank::experiment::FeatureSimilarity;
use serde::Serialize;

/// The heat map.
#[derive(Serialize)]
pub struct RedundancyTab {
    pub correlation: String,
    pub features: Vec<u32>,
    pub matrix: Vec<Vec<Option<f64>>>,
    pub groups: Vec<Vec<u32>>,
    /// Number of features omitted because there are too many to show.
    pub left_out: usize,
}

/// The maximum number of features shown.
const MOST: usize = 400;

/// The heat map of all features; if there are too many, of the first groups and then of other
/// features up to the maximum.
pub fn of(similarity: &FeatureSimilarity) -> RedundancyTab {
    let mut shown: Vec<bool> = vec![similarity.features.len() <= MOST; similarity.features.len()];
    let mut left = MOST;
    let alone = similarity
        .features
        .iter()
        .filter(|id| !similarity.groups.iter().any(|group| group.contains(id)));
    for id in similarity.groups.iter().flatten().chain(alone) {
        if let Some(place) = similarity.features.iter().position(|known| known == id)
            && left > 0
            && !shown[place]
        {
            shown[place] = true;
            left -= 1;
        }
    }
    let places: Vec<usize> = (0..shown.len()).filter(|&place| shown[place]).collect();
    // Colours cannot show more than three decimals.
    let rounded = |value: Option<f64>| value.map(|value| (value * 1000.0).round() / 1000.0);
    let row = |&i: &usize| places.iter().map(|&j| rounded(similarity.matrix[i][j])).collect();
    RedundancyTab {
        correlation: similarity.correlation.clone(),
        features: places.iter().map(|&place| similarity.features[place]).collect(),
        matrix: places.iter().map(row).collect(),
        groups: similarity.groups.clone(),
        left_out: similarity.features.len() - places.len(),
    }
}
