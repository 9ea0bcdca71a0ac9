//! Rows that are read one by one, collected into blocks.

use super::row_block::{BlockValues, QueryRun, RowBlock};
use crate::error::Result;

/// Collects rows one by one into blocks.
pub(crate) struct RowCollector {
    width: usize,
    values: Vec<f32>,
    text: usize,
    block: RowBlock,
}

impl RowCollector {
    /// The number of rows to collect before passing them on.
    const ENOUGH_ROWS: usize = 4096;
    /// The number of values to collect: wide rows must not exceed the memory limit unnoticed.
    const ENOUGH_VALUES: usize = 1 << 22;
    /// The number of bytes of document texts and query ids to collect.
    const ENOUGH_TEXT: usize = 1 << 22;

    pub fn new(width: usize) -> Self {
        RowCollector { width, values: Vec::new(), text: 0, block: RowBlock::default() }
    }

    /// Adds a row of exactly the collector's width.
    pub fn push(
        &mut self,
        row: &[f32],
        label: f32,
        query: &str,
        document: Option<&str>,
        line: u64,
    ) {
        self.values.extend_from_slice(row);
        self.text += query.len() + document.map_or(0, str::len);
        let block = &mut self.block;
        if block.runs.last().is_none_or(|run| run.query != query) {
            block.runs.push(QueryRun {
                query: query.to_owned(),
                first_row: block.labels.len(),
                line,
            });
        }
        if let Some(document) = document {
            block.documents.get_or_insert_default().push(document);
        }
        block.labels.push(label);
    }

    /// Sets whether features that first occur in later rows are missing in the rows of this block,
    /// not 0.
    pub fn set_later_missing(&mut self, missing: bool) {
        self.block.later_missing = missing;
    }

    /// Whether no rows are collected.
    pub fn is_empty(&self) -> bool {
        self.block.labels.is_empty()
    }

    /// Whether the rows should be passed on.
    pub fn is_full(&self) -> bool {
        self.block.labels.len() >= Self::ENOUGH_ROWS
            || self.values.len() >= Self::ENOUGH_VALUES
            || self.text >= Self::ENOUGH_TEXT
    }

    /// The rows collected so far as a block; the collector is empty afterwards.
    pub fn take(&mut self) -> Result<RowBlock> {
        self.text = 0;
        let values = BlockValues::from_rows(&std::mem::take(&mut self.values), self.width)?;
        Ok(RowBlock { values, ..std::mem::take(&mut self.block) })
    }
}
