//! `featherank._core`: the library as the Python package sees it.
//!
//! Python checks and describes; this module takes arrays in, runs the library without the
//! interpreter's lock, and hands documents back as JSON. Nothing here knows a method by name: all
//! of that is in the registry.

mod columns;
mod command;
mod comparisons;
mod data;
mod errors;
mod experiment;
mod measures;
mod methods;
mod model;
mod registry;
mod shards;
mod watch;

/// What `featherank._core` holds.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use super::command::run_command;
    #[pymodule_export]
    use super::comparisons::{
        bootstrap_mean, geo_risk, holm, non_inferior, paired_t, risk_report, wilcoxon,
    };
    #[pymodule_export]
    use super::data::{Columns, Data};
    #[pymodule_export]
    use super::errors::remedy_words;
    #[pymodule_export]
    use super::experiment::compare;
    #[pymodule_export]
    use super::measures::{canonical_measure, measure_per_query, measure_summary};
    #[pymodule_export]
    use super::methods::{select, train};
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::registry::registry;
    #[pymodule_export]
    use super::shards::{Cluster, Shard};
}
