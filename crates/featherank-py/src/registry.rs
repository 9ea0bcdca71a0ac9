//! The registry, from which the Python classes are generated.

use featherank::params::{Kind, Param};
use featherank::registry::{Category, RANKERS, SELECTORS, Status};
use pyo3::prelude::*;
use serde::Serialize;

use crate::errors::to_json;

#[derive(Serialize)]
struct Registry {
    selectors: Vec<MethodEntry>,
    rankers: Vec<MethodEntry>,
}

/// A selector or a ranker.
#[derive(Serialize)]
struct MethodEntry {
    name: &'static str,
    /// The name of its class.
    class: &'static str,
    summary: &'static str,
    category: Option<Category>,
    status: Status,
    cites: &'static [&'static str],
    /// Accepts missing values.
    takes_missing: bool,
    /// Uses validation data.
    uses_valid: bool,
    /// Trains a model.
    leaves_model: bool,
    /// Writes checkpoints, and returns the best result so far at the time limit.
    resumes: bool,
    parameters: Vec<Parameter>,
}

#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    kind: &'static str,
    default: &'static str,
    range: String,
    meaning: &'static str,
    choices: &'static [&'static str],
}

impl From<&Param> for Parameter {
    fn from(param: &Param) -> Self {
        let (kind, choices): (_, &'static [&'static str]) = match param.kind {
            Kind::Measure => ("measure", &[]),
            Kind::Real { .. } | Kind::Threshold { .. } => ("real", &[]),
            Kind::Whole { .. } => ("whole", &[]),
            Kind::Auto { .. } | Kind::AutoWhole { .. } => ("auto", &[]),
            Kind::Values { .. } => ("values", &[]),
            Kind::Flag => ("flag", &["true", "false"]),
            Kind::Choice(words) => ("choice", words),
            Kind::Feature => ("feature", &[]),
            Kind::Ranker => ("ranker", &[]),
            Kind::Settings => ("settings", &[]),
            Kind::Words(_) => ("words", &[]),
        };
        let &Param { name, default, meaning, .. } = param;
        Parameter { name, kind, default, range: param.kind.range(), meaning, choices }
    }
}

/// All selectors and rankers with their parameters, as JSON.
#[pyfunction]
pub fn registry() -> PyResult<String> {
    let selectors = SELECTORS.iter().map(|spec| MethodEntry {
        name: spec.name,
        class: spec.type_name,
        summary: spec.summary,
        category: Some(spec.category),
        status: spec.status,
        cites: spec.cites,
        takes_missing: false,
        uses_valid: spec.uses_valid,
        leaves_model: spec.leaves_model,
        resumes: spec.resumes,
        parameters: spec.params.iter().map(Parameter::from).collect(),
    });
    let rankers = RANKERS.iter().map(|spec| MethodEntry {
        name: spec.name,
        class: spec.type_name,
        summary: spec.summary,
        category: None,
        status: spec.status,
        cites: spec.cites,
        takes_missing: spec.takes_missing,
        uses_valid: true,
        leaves_model: true,
        resumes: false,
        parameters: spec.params.iter().map(Parameter::from).collect(),
    });
    to_json(&Registry { selectors: selectors.collect(), rankers: rankers.collect() })
}
