//! Converts Arrow record batches to blocks: numbers of any type become 32-bit values, ids of any
//! type become text.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Schema};

use super::columns::ColumnRoles;
use super::options::ReadOptions;
use super::row_block::{BlockValues, QueryRun, RowBlock};
use crate::data::text_column::TextColumn;
use crate::error::{Location, Problem, Result};

/// Whether a type can be a label or a feature.
pub(crate) fn is_number(kind: &DataType) -> bool {
    kind.is_integer() || kind.is_floating() || *kind == DataType::Boolean
}

/// Whether a type can identify a query or a document. Some older writers store text as binary.
pub(crate) fn is_id(kind: &DataType) -> bool {
    kind.is_integer() || matches!(kind, DataType::Utf8 | DataType::Binary)
}

/// Converts the batches of one file to blocks.
pub(crate) struct BatchReader<'a> {
    options: &'a ReadOptions,
    file: &'a str,
    projection: Vec<usize>,
    /// Positions within a batch, which holds the projected columns in file order.
    label: usize,
    query: usize,
    document: Option<usize>,
    features: Vec<(usize, &'a str)>,
}

impl<'a> BatchReader<'a> {
    pub fn new(
        columns: &ColumnRoles,
        schema: &'a Schema,
        options: &'a ReadOptions,
        file: &'a str,
    ) -> Self {
        let mut projection = columns.features.clone();
        projection.extend([columns.label, columns.query].into_iter().chain(columns.document));
        projection.sort_unstable();
        let place = |column: usize| projection.partition_point(|&earlier| earlier < column);
        let features = columns.features.iter();
        BatchReader {
            options,
            file,
            label: place(columns.label),
            query: place(columns.query),
            document: columns.document.map(place),
            features: features.map(|&f| (place(f), schema.field(f).name().as_str())).collect(),
            projection,
        }
    }

    /// The columns that a batch must hold.
    pub fn projection(&self) -> impl Iterator<Item = usize> {
        self.projection.iter().copied()
    }

    /// The rows of a batch whose first row has the given number.
    pub fn block(&self, batch: &RecordBatch, first_row: u64) -> Result<RowBlock> {
        let line = |row: usize| first_row + row as u64;
        let placed =
            |(row, problem): (usize, Problem)| problem.at(Location::line(self.file, line(row)));
        let mut queries = TextColumn::default();
        for_each_id(batch.column(self.query), |_, id| {
            queries.push(id.filter(|id| !id.is_empty()).ok_or(Problem::MissingQuery)?);
            Ok(())
        })
        .map_err(placed)?;
        let documents = self.document.map(|place| {
            let mut texts = TextColumn::default();
            for_each_id(batch.column(place), |_, id| {
                texts.push(id.unwrap_or_default());
                Ok(())
            })
            .map(|()| texts)
        });
        let documents = documents.transpose().map_err(placed)?;
        let name = |row| {
            documents.as_ref().map_or(format!("in row {}", line(row)), |d| d.get(row).to_owned())
        };

        let (mut labels, mut kept) = (Vec::new(), Vec::new());
        for_each_number(batch.column(self.label), |row, label| {
            let label = match label {
                Some(label) => self.options.label(label as f32)?,
                None => self.options.no_label(queries.get(row), || name(row))?,
            };
            labels.extend(label);
            kept.push(label.is_some());
            Ok(())
        })
        .map_err(placed)?;

        let values =
            BlockValues::from_columns(labels.len(), self.features.len(), |feature, cells| {
                let (place, name) = self.features[feature];
                self.fill(batch.column(place), name, &kept, cells).map_err(placed)
            })?;
        let rows = || (0..kept.len()).filter(|&row| kept[row]);
        let mut runs: Vec<QueryRun> = Vec::new();
        for (place, row) in rows().enumerate() {
            let query = queries.get(row);
            if runs.last().is_none_or(|run| run.query != query) {
                runs.push(QueryRun { query: query.to_owned(), first_row: place, line: line(row) });
            }
        }
        let documents = documents.map(|texts| rows().map(|row| texts.get(row)).collect());
        Ok(RowBlock { values, labels, runs, documents, later_missing: false })
    }

    /// Writes the values of the rows that are kept.
    fn fill(
        &self,
        array: &dyn Array,
        name: &str,
        kept: &[bool],
        cells: &mut [f32],
    ) -> Result<(), (usize, Problem)> {
        // The usual case, and what our own writer produces: nothing to convert.
        if *array.data_type() == DataType::Float32
            && array.null_count() == 0
            && cells.len() == kept.len()
        {
            let values = array.as_primitive::<Float32Type>().values();
            if values.iter().all(|value| value.is_finite()) {
                cells.copy_from_slice(values);
                return Ok(());
            }
        }
        let what = || format!("the value of column `{name}`");
        let mut cells = cells.iter_mut();
        for_each_number(array, |row, value| {
            if let Some(cell) = kept[row].then(|| cells.next()).flatten() {
                *cell = match value {
                    Some(value) => self.options.value(value, what)?,
                    None => self.options.missing_value(what)?,
                };
            }
            Ok(())
        })
    }
}

/// Visits all numbers of an array, `None` for a null; an error is returned with its row.
fn for_each_number(
    array: &dyn Array,
    mut visit: impl FnMut(usize, Option<f64>) -> Result<(), Problem>,
) -> Result<(), (usize, Problem)> {
    macro_rules! each {
        ($values:expr, $number:expr) => {
            (0..).zip($values.iter()).try_for_each(|(row, value)| {
                visit(row, value.map($number)).map_err(|problem| (row, problem))
            })
        };
    }
    match array.data_type() {
        DataType::Boolean => each!(array.as_boolean(), |v| f64::from(u8::from(v))),
        DataType::Int8 => each!(array.as_primitive::<Int8Type>(), f64::from),
        DataType::Int16 => each!(array.as_primitive::<Int16Type>(), f64::from),
        DataType::Int32 => each!(array.as_primitive::<Int32Type>(), f64::from),
        DataType::Int64 => each!(array.as_primitive::<Int64Type>(), |v| v as f64),
        DataType::UInt8 => each!(array.as_primitive::<UInt8Type>(), f64::from),
        DataType::UInt16 => each!(array.as_primitive::<UInt16Type>(), f64::from),
        DataType::UInt32 => each!(array.as_primitive::<UInt32Type>(), f64::from),
        DataType::UInt64 => each!(array.as_primitive::<UInt64Type>(), |v| v as f64),
        DataType::Float16 => each!(array.as_primitive::<Float16Type>(), f64::from),
        DataType::Float32 => each!(array.as_primitive::<Float32Type>(), f64::from),
        DataType::Float64 => each!(array.as_primitive::<Float64Type>(), |v| v),
        // Types were checked when roles were assigned to columns.
        _ => Ok(()),
    }
}

/// Visits all ids of an array, `None` for a null; an error is returned with its row.
fn for_each_id(
    array: &dyn Array,
    mut visit: impl FnMut(usize, Option<&str>) -> Result<(), Problem>,
) -> Result<(), (usize, Problem)> {
    macro_rules! each {
        ($values:expr, $text:expr) => {
            (0..).zip($values.iter()).try_for_each(|(row, value)| {
                let text = value.map($text).transpose();
                text.and_then(|text| visit(row, text.as_deref())).map_err(|problem| (row, problem))
            })
        };
    }
    match array.data_type() {
        DataType::Utf8 => each!(array.as_string::<i32>(), |v| Ok(Cow::Borrowed(v))),
        DataType::Binary => each!(array.as_binary::<i32>(), |v| match std::str::from_utf8(v) {
            Ok(text) => Ok(Cow::Borrowed(text)),
            Err(_) => Err(Problem::NotUtf8),
        }),
        DataType::Int8 => each!(array.as_primitive::<Int8Type>(), decimal),
        DataType::Int16 => each!(array.as_primitive::<Int16Type>(), decimal),
        DataType::Int32 => each!(array.as_primitive::<Int32Type>(), decimal),
        DataType::Int64 => each!(array.as_primitive::<Int64Type>(), decimal),
        DataType::UInt8 => each!(array.as_primitive::<UInt8Type>(), decimal),
        DataType::UInt16 => each!(array.as_primitive::<UInt16Type>(), decimal),
        DataType::UInt32 => each!(array.as_primitive::<UInt32Type>(), decimal),
        DataType::UInt64 => each!(array.as_primitive::<UInt64Type>(), decimal),
        _ => Ok(()),
    }
}

fn decimal(id: impl ToString) -> Result<Cow<'static, str>, Problem> {
    Ok(Cow::Owned(id.to_string()))
}
