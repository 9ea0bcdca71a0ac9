//! How alike features are, in the order of their clusters.

use featherank::experiment::Alike;
use serde::Serialize;

/// The heat map.
#[derive(Serialize)]
pub struct Redundancy {
    pub correlation: String,
    pub features: Vec<u32>,
    pub matrix: Vec<Vec<Option<f64>>>,
    pub groups: Vec<Vec<u32>>,
    /// Features that the picture leaves out, because there are too many.
    pub left_out: usize,
}

/// More than that no screen shows.
const MOST: usize = 400;

/// Of all features, or where they are too many of those in the first groups, and of the others as
/// many as there is room for.
pub fn of(alike: &Alike) -> Redundancy {
    let mut shown: Vec<bool> = vec![alike.features.len() <= MOST; alike.features.len()];
    let mut room = MOST;
    let alone =
        alike.features.iter().filter(|id| !alike.groups.iter().any(|group| group.contains(id)));
    for id in alike.groups.iter().flatten().chain(alone) {
        if let Some(place) = alike.features.iter().position(|known| known == id)
            && room > 0
            && !shown[place]
        {
            shown[place] = true;
            room -= 1;
        }
    }
    let places: Vec<usize> = (0..shown.len()).filter(|&place| shown[place]).collect();
    // A thousandth is more than colours tell.
    let rounded = |value: Option<f64>| value.map(|value| (value * 1000.0).round() / 1000.0);
    let row = |&i: &usize| places.iter().map(|&j| rounded(alike.matrix[i][j])).collect();
    Redundancy {
        correlation: alike.correlation.clone(),
        features: places.iter().map(|&place| alike.features[place]).collect(),
        matrix: places.iter().map(row).collect(),
        groups: alike.groups.clone(),
        left_out: alike.features.len() - places.len(),
    }
}
