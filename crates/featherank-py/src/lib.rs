//! `featherank._core`: the bindings behind the Python package.
//!
//! The Python code validates arguments and documents classes; this module converts arrays, runs the
//! library without holding the GIL, and returns documents as JSON. It contains no method names:
//! classes are generated from the registry.

mod background;
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

/// The contents of `featherank._core`.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use super::command::run_command;
    #[pymodule_export]
    use super::comparisons::{
        bootstrap_mean, geo_risk, holm, non_inferior, paired_t, risk_report, wilcoxon,
    };
    #[pymodule_export]
    use super::data::{ColumnBuffer, Data};
    #[pymodule_export]
    use super::errors::{counted, problem_texts, remedy_words};
    #[pymodule_export]
    use super::experiment::compare;
    #[pymodule_export]
    use super::measures::{canonical_measure, measure_per_query, measure_summary};
    #[pymodule_export]
    use super::methods::{select, train, verdict};
    #[pymodule_export]
    use super::model::PyModel;
    #[pymodule_export]
    use super::registry::registry;
    #[pymodule_export]
    use super::shards::{PyCluster, PyShard};
}
