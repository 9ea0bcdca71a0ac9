//! Risk measures and significance tests on per-query values.

use featherank::measure::risk;
use featherank::measure::significance::{self, WilcoxonMethod};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::background::run_observed;
use crate::errors::to_json;

/// The values of two systems on the same queries.
fn pair(
    a: &PyReadonlyArray1<'_, f64>,
    b: &PyReadonlyArray1<'_, f64>,
) -> PyResult<(Vec<f64>, Vec<f64>)> {
    let (a, b) = (a.as_array().to_vec(), b.as_array().to_vec());
    match a.len() == b.len() {
        true => Ok((a, b)),
        false => Err(PyValueError::new_err(format!(
            "{} values and {}: both systems need one value per query",
            a.len(),
            b.len()
        ))),
    }
}

/// All risk measures of a model against a baseline, as JSON.
#[pyfunction]
pub fn risk_report(
    model: PyReadonlyArray1<'_, f64>,
    baseline: PyReadonlyArray1<'_, f64>,
    alpha: f64,
) -> PyResult<String> {
    let (model, baseline) = pair(&model, &baseline)?;
    to_json(&risk::risk_report(&model, &baseline, alpha))
}

/// Z_RISK and GeoRisk of several systems, as JSON.
#[pyfunction]
pub fn geo_risk(systems: Vec<Vec<f64>>, alpha: f64) -> PyResult<String> {
    if systems.iter().any(|system| system.len() != systems[0].len()) {
        return Err(PyValueError::new_err("every system needs one value per query"));
    }
    to_json(&risk::geo_risk(&systems, alpha))
}

/// Paired t-test, as JSON.
#[pyfunction]
pub fn paired_t(a: PyReadonlyArray1<'_, f64>, b: PyReadonlyArray1<'_, f64>) -> PyResult<String> {
    let (a, b) = pair(&a, &b)?;
    to_json(&significance::paired_t(&a, &b))
}

/// Wilcoxon signed-rank test, as JSON.
#[pyfunction]
pub fn wilcoxon(a: PyReadonlyArray1<'_, f64>, b: PyReadonlyArray1<'_, f64>) -> PyResult<String> {
    let (a, b) = pair(&a, &b)?;
    to_json(&significance::wilcoxon(&a, &b, WilcoxonMethod::Auto))
}

/// p-values adjusted by Holm's method.
#[pyfunction]
pub fn holm(p_values: Vec<f64>) -> Vec<f64> {
    significance::holm(&p_values)
}

/// Non-inferiority test of a new system within a margin, as JSON.
#[pyfunction]
pub fn non_inferior(
    new: PyReadonlyArray1<'_, f64>,
    reference: PyReadonlyArray1<'_, f64>,
    margin: f64,
    level: f64,
) -> PyResult<String> {
    let (new, reference) = pair(&new, &reference)?;
    if !(margin >= 0.0 && level > 0.0 && level < 1.0) {
        return Err(PyValueError::new_err(
            "the margin must be 0 or more, and the level between 0 and 1",
        ));
    }
    to_json(&significance::non_inferior(&new, &reference, margin, level))
}

/// Bootstrap confidence interval of a mean.
#[pyfunction]
pub fn bootstrap_mean(
    py: Python<'_>,
    values: PyReadonlyArray1<'_, f64>,
    level: f64,
    resamples: usize,
    seed: u64,
) -> PyResult<(f64, f64)> {
    let values = values.as_array().to_vec();
    let interval = run_observed(py, 0, None, move |_| {
        Ok(significance::bootstrap_mean(&values, level, resamples, seed))
    })?;
    Ok((interval.low, interval.high))
}
