//! The plan of a synthetic data set: every column's role, parent, weight and raw scale.

use rand::seq::SliceRandom;

use super::config::SynthConfig;
use super::scale::RawScale;
use super::truth::{Role, TrueFeature, Truth, VERSION};
use crate::data::{Feature, FeatureTable};
use crate::random::{Purpose, stream};

/// The stream of the features' constants; list sizes use the next one.
const FEATURES: u64 = 0;

/// The plan of one column.
pub(super) struct ColumnPlan {
    pub(super) role: Role,
    /// The column of the useful feature that a redundant one copies, or of the query-dependent one
    /// that a switch belongs to.
    pub(super) parent: Option<usize>,
    /// The columns that have this one as their parent.
    pub(super) children: Vec<usize>,
    pub(super) weight: f64,
    pub(super) scale: RawScale,
}

pub(super) struct SynthPlan {
    pub(super) columns: Vec<ColumnPlan>,
}

impl SynthPlan {
    /// The plan for checked settings. Roles and strengths are shuffled over the columns, so that
    /// positions reveal nothing.
    pub(super) fn new(config: &SynthConfig) -> SynthPlan {
        let counts = [
            (Role::Useful, config.useful),
            (Role::Redundant, config.redundant),
            (Role::Noisy, config.noisy),
            (Role::QueryDependent, config.query_dependent),
            (Role::Risky, config.risky),
            (Role::Constant, config.constant),
            (Role::Switch, config.switches),
        ];
        let mut random = stream(config.seed, Purpose::SynthFeatures, FEATURES);
        let mut slots: Vec<(Role, usize)> = counts
            .iter()
            .flat_map(|&(role, count)| (0..count).map(move |rank| (role, rank)))
            .collect();
        slots.shuffle(&mut random);

        // The strongest useful feature first; copies are assigned round-robin, so that strong
        // features have copies before weak ones.
        let (mut useful, mut dependent) = (vec![0; config.useful], vec![0; config.query_dependent]);
        for (column, &(role, rank)) in slots.iter().enumerate() {
            match role {
                Role::Useful => useful[rank] = column,
                Role::QueryDependent => dependent[rank] = column,
                _ => {}
            }
        }
        let unit = unit_weight(config);
        let mut columns: Vec<ColumnPlan> = slots
            .iter()
            .map(|&(role, rank)| ColumnPlan {
                role,
                parent: match role {
                    Role::Redundant => Some(useful[rank % useful.len()]),
                    Role::Switch => Some(dependent[rank % dependent.len()]),
                    _ => None,
                },
                children: Vec::new(),
                weight: if affects_relevance(role) {
                    rounded(unit * relative_weight(rank))
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
        for child in 0..columns.len() {
            if let Some(parent) = columns[child].parent {
                columns[parent].children.push(child);
            }
        }
        SynthPlan { columns }
    }

    pub(super) fn truth(&self, config: &SynthConfig) -> Truth {
        let feature = |(index, column): (usize, &ColumnPlan)| TrueFeature {
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

fn affects_relevance(role: Role) -> bool {
    matches!(role, Role::Useful | Role::QueryDependent | Role::Risky)
}

/// Weights fall with the square root of the rank within a role: a few strong features and many of
/// medium strength.
fn relative_weight(rank: usize) -> f64 {
    1.0 / (rank as f64 + 1.0).sqrt()
}

/// Rounds to six decimals, so that the truth file is readable and holds exactly the weights used.
fn rounded(weight: f64) -> f64 {
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
        let truth = SynthPlan::new(&config).truth(&config);
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
            SynthPlan::new(&config).columns.iter().map(|c| c.role).collect::<Vec<_>>()
        };
        assert_eq!(roles(1), roles(1));
        assert_ne!(roles(1), roles(2));
    }

    #[test]
    fn names_reveal_nothing() {
        let config = SynthConfig { names: true, ..SynthConfig::default() };
        let plan = SynthPlan::new(&config);
        assert_eq!(plan.table(&config).label(crate::data::FeatureId(2)), "f3");
        assert_eq!(plan.truth(&config).features[2].name.as_deref(), Some("f3"));
    }
}
