//! The plan of a synthetic data set: every column's role, parent, weight and raw scale, before any
//! document is drawn.

use rand::seq::SliceRandom;

use super::config::SynthConfig;
use super::scale::RawScale;
use super::truth::{Role, TrueFeature, Truth, VERSION};
use crate::data::{Feature, FeatureTable};
use crate::random::{Purpose, stream};

/// The stream of the features' constants; list sizes have the next one.
const FEATURES: u64 = 0;

/// What one column is made of.
pub(super) struct Column {
    pub(super) role: Role,
    /// The column of the useful feature that a redundant one copies.
    pub(super) parent: Option<usize>,
    /// The columns that copy this one.
    pub(super) copies: Vec<usize>,
    pub(super) weight: f64,
    pub(super) scale: RawScale,
}

pub(super) struct Plan {
    pub(super) columns: Vec<Column>,
}

impl Plan {
    /// Lays out checked settings. Roles and strengths are shuffled over the columns: a position
    /// tells nothing.
    pub(super) fn new(config: &SynthConfig) -> Plan {
        let counts = [
            (Role::Useful, config.useful),
            (Role::Redundant, config.redundant),
            (Role::Noisy, config.noisy),
            (Role::QueryDependent, config.query_dependent),
            (Role::Risky, config.risky),
            (Role::Constant, config.constant),
        ];
        let mut random = stream(config.seed, Purpose::SynthFeatures, FEATURES);
        let mut seats: Vec<(Role, usize)> = counts
            .iter()
            .flat_map(|&(role, count)| (0..count).map(move |rank| (role, rank)))
            .collect();
        seats.shuffle(&mut random);

        // Strongest useful feature first; the copies go round them, so that strong features have
        // copies before weak ones.
        let mut useful = vec![0; config.useful];
        for (column, &(role, rank)) in seats.iter().enumerate() {
            if role == Role::Useful {
                useful[rank] = column;
            }
        }
        let unit = unit_weight(config);
        let mut columns: Vec<Column> = seats
            .iter()
            .map(|&(role, rank)| Column {
                role,
                parent: (role == Role::Redundant).then(|| useful[rank % useful.len()]),
                copies: Vec::new(),
                weight: if bears_on_relevance(role) {
                    readable(unit * relative_weight(rank))
                } else {
                    0.0
                },
                scale: if config.heavy_tails {
                    RawScale::draw(&mut random)
                } else {
                    RawScale::PLAIN
                },
            })
            .collect();
        for copy in 0..columns.len() {
            if let Some(parent) = columns[copy].parent {
                columns[parent].copies.push(copy);
            }
        }
        Plan { columns }
    }

    pub(super) fn truth(&self, config: &SynthConfig) -> Truth {
        let feature = |(index, column): (usize, &Column)| TrueFeature {
            id: id(index),
            name: name(config, index),
            role: column.role,
            parent: column.parent.map(id),
            weight: column.weight,
        };
        let features = self.columns.iter().enumerate().map(feature).collect();
        Truth { version: VERSION, config: config.clone(), features }
    }

    pub(super) fn table(&self, config: &SynthConfig) -> FeatureTable {
        let feature = |index| Feature { id: id(index), name: name(config, index) };
        FeatureTable::from_features((0..self.columns.len()).map(feature).collect())
    }
}

fn id(column: usize) -> u32 {
    column as u32 + 1
}

fn name(config: &SynthConfig, column: usize) -> Option<String> {
    config.names.then(|| format!("f{}", id(column)))
}

fn bears_on_relevance(role: Role) -> bool {
    matches!(role, Role::Useful | Role::QueryDependent | Role::Risky)
}

/// Strengths fall with the square root of the rank inside a role: a few strong features and a long
/// middle.
fn relative_weight(rank: usize) -> f64 {
    1.0 / (rank as f64 + 1.0).sqrt()
}

/// Six decimals: the truth file can be read by people, and holds exactly the weights that were
/// used.
fn readable(weight: f64) -> f64 {
    (weight * 1e6).round() / 1e6
}

/// The weight of the strongest feature, such that features explain the share `signal` of a variance
/// of 1.
fn unit_weight(config: &SynthConfig) -> f64 {
    let squares = |count: usize| (0..count).map(|rank| relative_weight(rank).powi(2)).sum::<f64>();
    let variance = squares(config.useful)
        + config.active_share * squares(config.query_dependent)
        + squares(config.risky);
    if variance > 0.0 { (config.signal / variance).sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_parents_and_the_explained_variance_are_as_set() {
        let config = SynthConfig { redundant: 12, ..SynthConfig::default() };
        let truth = Plan::new(&config).truth(&config);
        assert_eq!(truth.with_role(Role::Useful).count(), 5);
        assert_eq!(truth.with_role(Role::Redundant).count(), 12);
        for copy in truth.with_role(Role::Redundant) {
            let parent = copy.parent.unwrap() as usize - 1;
            assert_eq!(truth.features[parent].role, Role::Useful);
        }
        let squares = |role| truth.with_role(role).map(|f| f.weight * f.weight).sum::<f64>();
        let explained =
            squares(Role::Useful) + 0.4 * squares(Role::QueryDependent) + squares(Role::Risky);
        assert!((explained - config.signal).abs() < 1e-5);
    }

    #[test]
    fn seeds_shuffle_roles_over_ids() {
        let roles = |seed| {
            let config = SynthConfig { seed, ..SynthConfig::default() };
            Plan::new(&config).columns.iter().map(|c| c.role).collect::<Vec<_>>()
        };
        assert_eq!(roles(1), roles(1));
        assert_ne!(roles(1), roles(2));
    }

    #[test]
    fn names_tell_nothing() {
        let config = SynthConfig { names: true, ..SynthConfig::default() };
        let plan = Plan::new(&config);
        assert_eq!(plan.table(&config).label(crate::data::FeatureId(2)), "f3");
        assert_eq!(plan.truth(&config).features[2].name.as_deref(), Some("f3"));
    }
}
