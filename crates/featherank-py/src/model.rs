//! Trained models.

use std::path::PathBuf;
use std::sync::Arc;

use featherank::export::{ExportOptions, target};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::background::run_observed;
use crate::data::Data;
use crate::errors::OrRaise;

/// A trained model: scores documents, can be saved, and can be exported to other systems.
#[pyclass(module = "featherank._core", frozen, name = "Model")]
pub struct PyModel(Arc<featherank::rank::Model>);

impl From<featherank::rank::Model> for PyModel {
    fn from(model: featherank::rank::Model) -> Self {
        PyModel(Arc::new(model))
    }
}

#[pymethods]
impl PyModel {
    /// Parses the JSON document of a model.
    #[classmethod]
    fn from_json(_: &Bound<'_, PyType>, py: Python<'_>, text: &str) -> PyResult<Self> {
        featherank::rank::Model::from_json(text).map(PyModel::from).or_raise(py)
    }

    /// Reads a model written by `save` or `featherank train`.
    #[classmethod]
    fn load(_: &Bound<'_, PyType>, py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        featherank::rank::Model::load(&path).map(PyModel::from).or_raise(py)
    }

    /// Writes the model atomically.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.0.save(&path).or_raise(py)
    }

    /// The JSON document of the model.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        self.0.to_json().or_raise(py)
    }

    /// Ids and names of the features that the model uses.
    fn features(&self) -> Vec<(u32, Option<String>)> {
        self.0.features().into_iter().map(|feature| (feature.id, feature.name.clone())).collect()
    }

    /// The importance of each feature: the gain of its splits (trees) or the absolute weight.
    fn importances(&self) -> Vec<f64> {
        self.0.importances()
    }

    /// The scores of the documents, in their order.
    fn score<'py>(
        &self,
        py: Python<'py>,
        data: &mut Data,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let (model, data) = (self.0.clone(), data.take()?);
        let scores = run_observed(py, threads, None, move |_| model.score(&data.view()))?;
        Ok(PyArray1::from_vec(py, scores))
    }

    /// The model in the format of another system.
    #[pyo3(signature = (to, *, name = None, featureset = None, columns = None, keep_missing = false))]
    fn export(
        &self,
        py: Python<'_>,
        to: &str,
        name: Option<String>,
        featureset: Option<String>,
        columns: Option<usize>,
        keep_missing: bool,
    ) -> PyResult<Vec<u8>> {
        let options = ExportOptions { name, featureset, columns, keep_missing };
        target(to).and_then(|target| target.export(&self.0, &options)).or_raise(py)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_json")?, (slf.get().to_json(slf.py())?,)))
    }
}
