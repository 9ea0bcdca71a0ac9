//! Blocks of rows, from readers to the assembler.
//!
//! Dense values are kept in anonymous memory maps, which return to the system as soon as they are
//! dropped.

use memmap2::MmapMut;

use crate::data::text_column::TextColumn;
use crate::error::{Error, Result};

/// Consecutive rows of one query within a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueryRun {
    pub query: String,
    /// First row of the run, counted within the block.
    pub first_row: usize,
    /// Line of that row in its file.
    pub line: u64,
}

/// Consecutive rows of a file.
#[derive(Default)]
pub(crate) struct RowBlock {
    pub values: BlockValues,
    pub labels: Vec<f32>,
    /// Empty if rows do not say to which query they belong.
    pub runs: Vec<QueryRun>,
    pub documents: Option<TextColumn>,
    /// Features that first occur in later blocks are missing here, not 0.
    pub later_missing: bool,
}

impl RowBlock {
    /// The memory that queries and document texts will take in the data set, in bytes.
    pub fn text_bytes(&self) -> u64 {
        /// The place of a query in a hash table, its group and its run.
        const QUERY: u64 = 256;
        // An id is in the run and in the list of queries.
        let queries = self.runs.iter().map(|run| QUERY + 2 * run.query.len() as u64).sum::<u64>();
        queries + self.documents.as_ref().map_or(0, TextColumn::bytes)
    }
}

/// The values of a block, in whichever form is smaller.
pub(crate) enum BlockValues {
    /// Column-major, with `width` columns.
    Dense { width: usize, columns: MmapMut },
    /// Row-major; `ends[i]` is the end of row `i`.
    Sparse { ends: Vec<usize>, features: Vec<u32>, values: Vec<f32> },
}

impl Default for BlockValues {
    fn default() -> Self {
        BlockValues::Sparse { ends: Vec::new(), features: Vec::new(), values: Vec::new() }
    }
}

impl BlockValues {
    /// Dense values from row-major ones.
    pub fn from_rows(rows: &[f32], width: usize) -> Result<BlockValues> {
        let count = rows.len().checked_div(width).unwrap_or(0);
        let mut columns = anonymous(rows.len())?;
        let cells: &mut [f32] = bytemuck::cast_slice_mut(&mut columns[..rows.len() * 4]);
        // Sixteen rows at a time, so that their cache lines are fully used before they are evicted.
        for (tile, rows) in rows.chunks(16 * width.max(1)).enumerate() {
            for feature in 0..width {
                let column = &mut cells[feature * count + tile * 16..];
                rows.chunks_exact(width).zip(column).for_each(|(row, cell)| *cell = row[feature]);
            }
        }
        Ok(BlockValues::Dense { width, columns })
    }

    /// Dense values column by column; `fill` writes the values of a feature.
    #[cfg(feature = "parquet")]
    pub fn from_columns(
        rows: usize,
        width: usize,
        mut fill: impl FnMut(usize, &mut [f32]) -> Result<()>,
    ) -> Result<BlockValues> {
        let mut columns = anonymous(rows * width)?;
        let cells: &mut [f32] = bytemuck::cast_slice_mut(&mut columns[..rows * width * 4]);
        let mut features = cells.chunks_exact_mut(rows.max(1)).enumerate();
        features.try_for_each(|(feature, cells)| fill(feature, cells))?;
        Ok(BlockValues::Dense { width, columns })
    }

    /// Sparse values, converted to dense ones if these take less memory.
    pub fn from_sparse(
        ends: Vec<usize>,
        features: Vec<u32>,
        values: Vec<f32>,
    ) -> Result<BlockValues> {
        let width = features.iter().max().map_or(0, |&f| f as usize + 1);
        if ends.len().saturating_mul(width) > 2 * values.len() {
            return Ok(BlockValues::Sparse { ends, features, values });
        }
        let count = ends.len();
        let mut columns = anonymous(count * width)?;
        let cells: &mut [f32] = bytemuck::cast_slice_mut(&mut columns[..count * width * 4]);
        for_each_cell(&ends, &features, &values, |row, feature, value| {
            cells[feature * count + row] = value
        });
        Ok(BlockValues::Dense { width, columns })
    }

    /// The number of columns that occur.
    pub fn width(&self) -> usize {
        match self {
            BlockValues::Dense { width, .. } => *width,
            BlockValues::Sparse { features, .. } => {
                features.iter().max().map_or(0, |&f| f as usize + 1)
            }
        }
    }
}

/// Calls `cell` with row, feature and value of every value of a sparse block.
pub(super) fn for_each_cell(
    ends: &[usize],
    features: &[u32],
    values: &[f32],
    mut cell: impl FnMut(usize, usize, f32),
) {
    let mut start = 0;
    for (row, &end) in ends.iter().enumerate() {
        for (feature, value) in features[start..end].iter().zip(&values[start..end]) {
            cell(row, *feature as usize, *value);
        }
        start = end;
    }
}

/// Zeroed memory for `cells` numbers, outside the allocator: see the module documentation.
fn anonymous(cells: usize) -> Result<MmapMut> {
    MmapMut::map_anon((cells * 4).max(1))
        .map_err(|e| Error::io("reserve memory for", "the data", e))
}
