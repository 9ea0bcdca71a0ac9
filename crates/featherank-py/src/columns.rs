//! Copies arrays of any memory layout into columns of 32-bit floats.

use featherank::{Location, Problem, Result};
use numpy::ndarray::{ArrayView1, ArrayView2, Axis};
use rayon::prelude::*;

/// Columns written together, because their values of one row share a cache line.
const COLUMNS_PER_BATCH: usize = 16;
/// Rows copied per column before the next column of the batch.
const TILE: usize = 64;
/// Number of cells above which several threads are faster than one.
const PARALLEL_CELLS: usize = 1 << 20;

/// An element type of input arrays.
pub trait Number: Copy + Send + Sync {
    /// The value as stored.
    fn narrow(self) -> f32;
    /// The value as given, for error messages.
    fn wide(self) -> f64;
}

impl Number for f32 {
    fn narrow(self) -> f32 {
        self
    }
    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl Number for f64 {
    fn narrow(self) -> f32 {
        self as f32
    }
    fn wide(self) -> f64 {
        self
    }
}

/// A value that cannot be stored.
#[derive(Debug, Clone, Copy)]
pub struct BadCell {
    row: usize,
    column: usize,
    value: f64,
}

impl BadCell {
    /// The error, with the name of the feature and the position of the cell.
    pub fn error(self, label: &str) -> featherank::Error {
        let what = format!("the value of feature {label}");
        let problem = match self.value.is_finite() {
            true => Problem::BeyondF32 { what, text: format!("{:e}", self.value) },
            false => Problem::NotFinite { what, text: self.value.to_string() },
        };
        problem.at(Location::file(format!("X[{}, {}]", self.row, self.column)))
    }

    /// The column of the cell.
    pub fn column(self) -> usize {
        self.column
    }
}

/// Copies a matrix in row or column order into columns. Returns the first cell of the first column
/// that cannot be stored, if any.
pub fn fill_block<T: Number>(
    block: ArrayView2<'_, T>,
    values: &mut [f32],
    keep_missing: bool,
) -> Option<BadCell> {
    let rows = block.nrows();
    if rows == 0 {
        return None;
    }
    let by_column = block.strides()[0].unsigned_abs() <= block.strides()[1].unsigned_abs();
    let together = if by_column { 1 } else { COLUMNS_PER_BATCH };
    let parts: Vec<_> = block.axis_chunks_iter(Axis(1), together).collect();
    let fill = |(part, (columns, block)): (usize, (&mut [f32], &ArrayView2<'_, T>))| {
        transpose(block, columns);
        let mut places = columns.chunks(rows).zip(block.columns()).enumerate();
        places.find_map(|(place, (stored, given))| {
            let (row, value) = bad_value(stored, keep_missing, |row| given[row].wide())?;
            Some(BadCell { row, column: part * together + place, value })
        })
    };
    // A temporary thread pool, so that no threads remain when the process forks.
    let pool = (block.len() >= PARALLEL_CELLS)
        .then(|| rayon::ThreadPoolBuilder::new().build().ok())
        .flatten();
    match pool {
        Some(pool) => pool.install(|| {
            let parts = values.par_chunks_mut(rows * together).zip(&parts).enumerate();
            parts.filter_map(fill).min_by_key(|bad| bad.column)
        }),
        None => values.chunks_mut(rows * together).zip(&parts).enumerate().find_map(fill),
    }
}

/// Copies tile by tile to stay within the cache.
fn transpose<T: Number>(block: &ArrayView2<'_, T>, columns: &mut [f32]) {
    let rows = block.nrows();
    for start in (0..rows).step_by(TILE) {
        let end = (start + TILE).min(rows);
        for (place, column) in columns.chunks_mut(rows).enumerate() {
            let given = block.column(place);
            (start..end).for_each(|row| column[row] = given[row].narrow());
        }
    }
}

/// Copies one column.
pub fn fill_column<T: Number>(
    given: ArrayView1<'_, T>,
    column: usize,
    stored: &mut [f32],
    keep_missing: bool,
) -> Option<BadCell> {
    stored.iter_mut().zip(given).for_each(|(stored, given)| *stored = given.narrow());
    bad_value(stored, keep_missing, |row| given[row].wide()).map(|(row, value)| BadCell {
        row,
        column,
        value,
    })
}

/// The first value that cannot be stored: infinite, out of range for 32 bits, or NaN unless NaN
/// means missing.
fn bad_value(
    stored: &[f32],
    keep_missing: bool,
    given: impl Fn(usize) -> f64,
) -> Option<(usize, f64)> {
    // Most columns are finite; this sum checks that without branches.
    if stored.iter().map(|value| value * 0.0).sum::<f32>() == 0.0 {
        return None;
    }
    stored.iter().position(|&value| !is_stored(value, keep_missing)).map(|row| (row, given(row)))
}

/// Whether a value can be stored.
fn is_stored(value: f32, keep_missing: bool) -> bool {
    value.is_finite() || (keep_missing && value.is_nan())
}

/// A sparse matrix in compressed column format (scipy's CSC).
pub struct Sparse<'a, T, R> {
    /// Start of each column, and end of the last one.
    pub starts: ArrayView1<'a, i64>,
    /// The row of each value.
    pub rows: ArrayView1<'a, R>,
    /// The values.
    pub values: ArrayView1<'a, T>,
}

impl<T: Number, R: Copy + TryInto<usize>> Sparse<'_, T, R> {
    /// Adds the values to zero columns; duplicate entries are summed, as in scipy.
    pub fn fill(
        &self,
        height: usize,
        values: &mut [f32],
        keep_missing: bool,
    ) -> Result<Option<BadCell>> {
        let damaged =
            || featherank::Error::invalid("sparse matrix", "X", "indices within its shape");
        for (column, stored) in values.chunks_mut(height.max(1)).enumerate() {
            let bounds = (self.starts.get(column), self.starts.get(column + 1));
            let (Some(&start), Some(&end)) = bounds else { return Err(damaged()) };
            for place in start..end {
                let place = usize::try_from(place).map_err(|_| damaged())?;
                let (row, value) = (self.rows.get(place), self.values.get(place));
                let (Some(&row), Some(value)) = (row, value) else { return Err(damaged()) };
                let row: usize = row.try_into().map_err(|_| damaged())?;
                *stored.get_mut(row).ok_or_else(damaged)? += value.narrow();
                if !is_stored(stored[row], keep_missing) {
                    return Ok(Some(BadCell { row, column, value: value.wide() }));
                }
            }
        }
        Ok(None)
    }
}
