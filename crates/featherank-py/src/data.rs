//! Ranking data from arrays.

use std::collections::HashMap;

use featherank::data::{Dataset, FeatureId, FeatureTable, Queries};
use featherank::internals::text::counted;
use featherank::{Error, Location, Problem, Result};
use numpy::{PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::columns::{BadCell, Sparse, fill_block, fill_column};
use crate::errors::OrRaise;

/// Columns of 32-bit floats, filled from arrays.
#[pyclass(name = "Columns")]
pub struct ColumnBuffer {
    values: Vec<f32>,
    rows: usize,
    features: FeatureTable,
    keep_missing: bool,
}

/// A matrix of 32-bit or 64-bit floats.
#[derive(FromPyObject)]
pub enum Matrix<'py> {
    /// 32 bits.
    Narrow(PyReadonlyArray2<'py, f32>),
    /// 64 bits.
    Wide(PyReadonlyArray2<'py, f64>),
}

/// A vector of 32-bit or 64-bit floats.
#[derive(FromPyObject)]
pub enum Vector<'py> {
    /// 32 bits.
    Narrow(PyReadonlyArray1<'py, f32>),
    /// 64 bits.
    Wide(PyReadonlyArray1<'py, f64>),
}

/// Row indices; scipy uses 32 bits if they suffice.
#[derive(FromPyObject)]
pub enum RowIndices<'py> {
    /// 32 bits.
    Narrow(PyReadonlyArray1<'py, i32>),
    /// 64 bits.
    Wide(PyReadonlyArray1<'py, i64>),
}

#[pymethods]
impl ColumnBuffer {
    /// Columns of zeros. Features without names get ids from 1, as in LETOR files.
    #[new]
    #[pyo3(signature = (rows, features, names, keep_missing))]
    fn new(
        py: Python<'_>,
        rows: usize,
        features: usize,
        names: Option<Vec<String>>,
        keep_missing: bool,
    ) -> PyResult<Self> {
        let table = match names {
            Some(names) => FeatureTable::named(names),
            None => FeatureTable::numbered(features, 1),
        };
        if table.len() != features {
            return Err(PyValueError::new_err(format!(
                "{} for {}",
                counted(table.len(), "name"),
                counted(features, "feature")
            )));
        }
        if let Some(column) = table.first_duplicate() {
            let error = Problem::DuplicateColumn { column }.at(Location::file("X"));
            return Err(error).or_raise(py);
        }
        Ok(ColumnBuffer { values: vec![0.0; rows * features], rows, features: table, keep_missing })
    }

    /// Fills all columns from a matrix.
    fn fill_block(&mut self, py: Python<'_>, block: Matrix<'_>) -> PyResult<()> {
        let (keep, values) = (self.keep_missing, &mut self.values);
        let shape = match &block {
            Matrix::Narrow(block) => block.as_array().dim(),
            Matrix::Wide(block) => block.as_array().dim(),
        };
        if shape != (self.rows, self.features.len()) {
            return Err(PyValueError::new_err("the matrix has another shape"));
        }
        let bad = match &block {
            Matrix::Narrow(block) => {
                let block = block.as_array();
                py.detach(|| fill_block(block, values, keep))
            }
            Matrix::Wide(block) => {
                let block = block.as_array();
                py.detach(|| fill_block(block, values, keep))
            }
        };
        self.refuse(bad).or_raise(py)
    }

    /// Fills one column.
    fn fill_column(&mut self, py: Python<'_>, column: usize, values: Vector<'_>) -> PyResult<()> {
        let length = match &values {
            Vector::Narrow(values) => values.as_array().len(),
            Vector::Wide(values) => values.as_array().len(),
        };
        let (rows, keep) = (self.rows, self.keep_missing);
        let stored =
            self.values.get_mut(column * rows..(column + 1) * rows).filter(|_| length == rows);
        let stored =
            stored.ok_or_else(|| PyValueError::new_err("the column has another length"))?;
        let bad = match &values {
            Vector::Narrow(values) => fill_column(values.as_array(), column, stored, keep),
            Vector::Wide(values) => fill_column(values.as_array(), column, stored, keep),
        };
        self.refuse(bad).or_raise(py)
    }

    /// Fills all columns from a sparse matrix that is compressed by column.
    fn fill_sparse(
        &mut self,
        py: Python<'_>,
        starts: PyReadonlyArray1<'_, i64>,
        rows: RowIndices<'_>,
        values: Vector<'_>,
    ) -> PyResult<()> {
        let (starts, height, keep, all) =
            (starts.as_array(), self.rows, self.keep_missing, &mut self.values);
        let bad = match (&rows, &values) {
            (RowIndices::Narrow(rows), Vector::Narrow(values)) => {
                Sparse { starts, rows: rows.as_array(), values: values.as_array() }
                    .fill(height, all, keep)
            }
            (RowIndices::Narrow(rows), Vector::Wide(values)) => {
                Sparse { starts, rows: rows.as_array(), values: values.as_array() }
                    .fill(height, all, keep)
            }
            (RowIndices::Wide(rows), Vector::Narrow(values)) => {
                Sparse { starts, rows: rows.as_array(), values: values.as_array() }
                    .fill(height, all, keep)
            }
            (RowIndices::Wide(rows), Vector::Wide(values)) => {
                Sparse { starts, rows: rows.as_array(), values: values.as_array() }
                    .fill(height, all, keep)
            }
        };
        bad.and_then(|bad| self.refuse(bad)).or_raise(py)
    }
}

impl ColumnBuffer {
    fn refuse(&self, bad: Option<BadCell>) -> Result<()> {
        bad.map_or(Ok(()), |bad| Err(bad.error(&self.features.label(bad.column().into()))))
    }
}

/// The columns of the features that an item of a list names.
pub fn matching(features: &FeatureTable, order: &ColumnOrder, item: &str) -> Result<Vec<usize>> {
    Ok(features.matching(item)?.into_iter().map(|feature| order.column(feature)).collect())
}

/// Ranking data; each object can be used once.
#[pyclass]
pub struct Data {
    data: Option<Dataset>,
    order: ColumnOrder,
}

/// The features of a data set in the order in which Python has their columns.
#[derive(Clone)]
pub struct ColumnOrder(Vec<FeatureId>);

impl ColumnOrder {
    /// The order of a table before a data set orders its columns by identity.
    fn given(table: &FeatureTable) -> Self {
        let mut columns = vec![FeatureId(0); table.len()];
        for (place, given) in table.identity_order().into_iter().enumerate() {
            columns[given.index()] = FeatureId::from(place);
        }
        ColumnOrder(columns)
    }

    /// The order of the columns in the files of a data set.
    pub fn of_files(table: &FeatureTable) -> Self {
        ColumnOrder(table.by_id())
    }

    /// The features, by column.
    pub fn features(&self) -> &[FeatureId] {
        &self.0
    }

    /// The column of a feature.
    pub fn column(&self, feature: FeatureId) -> usize {
        self.0.iter().position(|&own| own == feature).unwrap_or_else(|| feature.index())
    }
}

#[pymethods]
impl Data {
    /// Combines columns, labels and queries. The columns are moved, not copied.
    #[new]
    fn new(
        py: Python<'_>,
        columns: &mut ColumnBuffer,
        labels: PyReadonlyArray1<'_, f64>,
        queries: Vec<String>,
        sizes: Vec<usize>,
    ) -> PyResult<Self> {
        let labels = checked_labels(&labels.to_vec()?).or_raise(py)?;
        let queries = checked_queries(queries, &sizes, labels.len()).or_raise(py)?;
        let values = std::mem::take(&mut columns.values);
        if values.len() != labels.len() * columns.features.len() {
            return Err(PyValueError::new_err("labels and columns have different lengths"));
        }
        let order = ColumnOrder::given(&columns.features);
        let data = Dataset::new(values, labels, queries, columns.features.clone());
        Ok(Data { data: Some(data), order })
    }

    /// The ids of the features, in the order of the columns.
    fn feature_ids(&self) -> PyResult<Vec<u32>> {
        let table = self.get()?.features();
        Ok(self.order.features().iter().map(|&feature| table.get(feature).id).collect())
    }

    /// The columns of a feature name, an id, a range of ids or a pattern of names.
    fn matching(&self, py: Python<'_>, item: &str) -> PyResult<Vec<usize>> {
        matching(self.get()?.features(), &self.order, item).or_raise(py)
    }

    /// Changes with any value, label, query or feature.
    fn fingerprint(&self) -> PyResult<String> {
        Ok(self.get()?.fingerprint())
    }
}

impl Data {
    fn get(&self) -> PyResult<&Dataset> {
        self.data.as_ref().ok_or_else(used)
    }

    /// Costs by column in the order of ids.
    pub fn costs_by_id(&self, costs: &[f64]) -> PyResult<Vec<f64>> {
        let features = self.get()?.features().by_id().into_iter();
        Ok(features.filter_map(|f| costs.get(self.order.column(f)).copied()).collect())
    }

    /// The features by column.
    pub fn order(&self) -> &ColumnOrder {
        &self.order
    }

    /// Removes and returns the data.
    pub fn take(&mut self) -> PyResult<Dataset> {
        self.data.take().ok_or_else(used)
    }
}

fn used() -> PyErr {
    PyValueError::new_err("this data was used already")
}

/// Checks labels: finite and not negative.
pub fn checked_labels(labels: &[f64]) -> Result<Vec<f32>> {
    let checked = |(row, &label): (usize, &f64)| {
        let narrow = label as f32;
        let problem = match narrow {
            _ if !narrow.is_finite() => {
                Problem::NotFinite { what: "label".into(), text: label.to_string() }
            }
            _ if narrow < 0.0 => Problem::NegativeLabel { label: narrow },
            _ => return Ok(narrow),
        };
        Err(problem.at(Location::file(format!("y[{row}]"))))
    };
    labels.iter().enumerate().map(checked).collect()
}

/// Checks queries: sizes match the rows, and no query appears twice.
pub fn checked_queries(ids: Vec<String>, sizes: &[usize], rows: usize) -> Result<Queries> {
    let sum: usize = sizes.iter().sum();
    if sum != rows {
        let problem = Problem::GroupSizes { sizes: sum as u64, rows: rows as u64 };
        return Err(problem.at(Location::file("group")));
    }
    if ids.len() != sizes.len() {
        return Err(Error::invalid(
            "number of query ids",
            ids.len(),
            format!("{}, one per query size", sizes.len()),
        ));
    }
    let mut first = HashMap::with_capacity(ids.len());
    let mut row = 0;
    for (id, size) in ids.iter().zip(sizes) {
        if let Some(seen) = first.insert(id.as_str(), row) {
            let at = Location::file(format!("qid[{row}]"))
                .with_note(format!("first seen at qid[{seen}]"));
            return Err(Problem::QueryNotContiguous { query: id.clone() }.at(at));
        }
        row += size;
    }
    Ok(Queries::new(sizes, ids))
}
