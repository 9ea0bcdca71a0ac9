//! Assembles blocks of rows from readers into one column-major [`Dataset`].
//!
//! This module is designed for low memory use. Blocks are kept in anonymous memory maps, which
//! return to the system as soon as they are dropped; the final columns are zero pages that take no
//! memory until written. Copying one block after the other and dropping each therefore never needs
//! more than the data itself plus one block.

use std::collections::HashMap;

use rayon::prelude::*;

use super::options::ReadOptions;
use super::row_block::{BlockValues, RowBlock, for_each_cell};
use crate::data::dataset::Dataset;
use crate::data::features::FeatureTable;
use crate::data::queries::Queries;
use crate::data::text_column::TextColumn;
use crate::error::{Location, Problem, Result};
use crate::stop::StopToken;

/// Collects the blocks of one or more files and assembles them.
pub(crate) struct Assembler<'a> {
    options: &'a ReadOptions,
    /// Blocks with their first rows: the values of a block without features do not determine its
    /// number of rows.
    blocks: Vec<(usize, RowBlock)>,
    runs: Vec<InputRun>,
    files: Vec<String>,
    rows: usize,
    width: usize,
    /// The memory for queries and document texts.
    text_bytes: u64,
    stop: StopToken,
}

/// Consecutive rows of one query in the whole input.
struct InputRun {
    query: String,
    first_row: usize,
    file: usize,
    line: u64,
}

impl<'a> Assembler<'a> {
    pub fn new(options: &'a ReadOptions) -> Self {
        Assembler {
            options,
            blocks: Vec::new(),
            runs: Vec::new(),
            files: Vec::new(),
            rows: 0,
            width: 0,
            text_bytes: 0,
            stop: StopToken::default(),
        }
    }

    /// The same assembler, which fails when the token is stopped.
    #[must_use]
    pub fn stopped_by(self, stop: &StopToken) -> Self {
        Assembler { stop: stop.clone(), ..self }
    }

    /// Starts a file, to which the following blocks belong.
    pub fn start_file(&mut self, name: &str) {
        self.files.push(name.to_owned());
    }

    /// The number of rows so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Adds the next block of the current file.
    pub fn push(&mut self, mut block: RowBlock) -> Result<()> {
        self.stop.check()?;
        self.text_bytes += block.text_bytes();
        let file = self.files.len().saturating_sub(1);
        for run in block.runs.drain(..) {
            if self.runs.last().is_none_or(|last| last.query != run.query) {
                let first_row = self.rows + run.first_row;
                self.runs.push(InputRun { query: run.query, first_row, file, line: run.line });
            }
        }
        let first_row = self.rows;
        self.rows += block.labels.len();
        self.width = self.width.max(block.values.width());
        self.check_size(self.width)?;
        self.blocks.push((first_row, block));
        Ok(())
    }

    /// Sets the queries of rows of the current file without query ids, from the sizes in a side
    /// file.
    pub fn set_sizes(&mut self, first_row: usize, sizes: &[usize]) {
        let file = self.files.len().saturating_sub(1);
        let mut row = first_row;
        for (i, size) in sizes.iter().enumerate().filter(|(_, size)| **size > 0) {
            self.runs.push(InputRun {
                query: (self.runs.len() + 1).to_string(),
                first_row: row,
                file,
                line: (i + 1) as u64,
            });
            row += size;
        }
    }

    fn check_size(&self, width: usize) -> Result<()> {
        self.check_coming(0, width)
    }

    /// Returns an error if the announced rows would exceed the memory limit.
    pub fn check_coming(&self, rows: u64, width: usize) -> Result<()> {
        let (documents, features) = ((self.rows as u64).saturating_add(rows), width as u64);
        let bytes = documents.saturating_mul(4).saturating_mul(features);
        let limit = self.options.max_bytes;
        let here = Location::file(self.files.last().cloned().unwrap_or_default());
        if bytes.saturating_add(self.text_bytes) <= limit {
            return Ok(());
        }
        if bytes <= limit {
            return Err(Problem::UnpackedTooLarge { limit_mib: limit >> 20 }.at(here));
        }
        let gib = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
        Err(Problem::TooLarge { documents, features, gib: gib(bytes), limit_gib: gib(limit) }
            .at(here))
    }

    /// Returns an error if there are no rows, no features, or too many of them for the limit.
    pub fn check(&self, features: &FeatureTable) -> Result<()> {
        let here = Location::file(self.files.last().cloned().unwrap_or_default());
        if self.rows == 0 {
            return Err(Problem::Empty.at(here));
        }
        if features.is_empty() {
            return Err(Problem::NoFeatures.at(here));
        }
        self.check_size(features.len())
    }

    /// Assembles one data set with these features, at least as many as the widest row has.
    pub fn finish(mut self, features: FeatureTable) -> Result<Dataset> {
        self.check(&features)?;
        let (queries, order) = self.queries()?;
        let (labels, documents) = self.labels_and_documents();
        let values = self.columns(features.len());
        let data = Dataset::new(values, labels, Queries::from_sizes(&[self.rows]), features)
            .with_documents(documents)
            .with_memory_limit(self.options.max_bytes);
        Ok(match order {
            None => data.with_queries(queries),
            Some(order) => data.reordered(&order, queries),
        })
    }

    /// The queries, and the order into which `regroup` has to bring the rows, if it moves any.
    fn queries(&self) -> Result<(Queries, Option<Vec<usize>>)> {
        let mut place: HashMap<&str, usize> = HashMap::with_capacity(self.runs.len());
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (index, run) in self.runs.iter().enumerate() {
            match place.get(run.query.as_str()) {
                None => {
                    place.insert(&run.query, groups.len());
                    groups.push(vec![index]);
                }
                Some(&group) if self.options.regroup => groups[group].push(index),
                Some(&group) => {
                    let first = &self.runs[groups[group][0]];
                    let note = match first.file == run.file {
                        true => format!("first seen at line {}", first.line),
                        false => {
                            format!("first seen in {}, line {}", self.files[first.file], first.line)
                        }
                    };
                    let at = Location::line(&self.files[run.file], run.line).with_note(note);
                    return Err(Problem::QueryNotContiguous { query: run.query.clone() }.at(at));
                }
            }
        }
        let end = |index: usize| self.runs.get(index + 1).map_or(self.rows, |next| next.first_row);
        let rows = |index: &usize| self.runs[*index].first_row..end(*index);
        let sizes: Vec<usize> =
            groups.iter().map(|runs| runs.iter().map(|i| rows(i).len()).sum()).collect();
        let ids = groups.iter().map(|runs| self.runs[runs[0]].query.clone()).collect();
        let moved = groups.len() < self.runs.len();
        let order = moved.then(|| groups.iter().flatten().flat_map(rows).collect());
        Ok((Queries::new(&sizes, ids), order))
    }

    fn labels_and_documents(&mut self) -> (Vec<f32>, Option<TextColumn>) {
        let mut labels = Vec::with_capacity(self.rows);
        let known = self.blocks.iter().any(|(_, block)| block.documents.is_some());
        let mut documents = known.then(TextColumn::default);
        for (_, block) in &mut self.blocks {
            if let Some(all) = &mut documents {
                match block.documents.take() {
                    Some(texts) => all.append(&texts),
                    None => (0..block.labels.len()).for_each(|_| all.push("")),
                }
            }
            labels.append(&mut block.labels);
            block.labels.shrink_to_fit();
        }
        (labels, documents)
    }

    fn columns(&mut self, width: usize) -> Vec<f32> {
        let rows = self.rows;
        let mut all = vec![0.0f32; rows * width];
        let starts: Vec<usize> =
            self.blocks.iter().map(|(start, _)| *start).chain([rows]).collect();
        for (place, (start, block)) in self.blocks.drain(..).enumerate() {
            if block.later_missing {
                let later = all.par_chunks_mut(rows).skip(block.values.width());
                later.for_each(|to| to[start..starts[place + 1]].fill(f32::NAN));
            }
            match block.values {
                BlockValues::Dense { width, columns } if width > 0 => {
                    let count = columns.len() / 4 / width;
                    let cells: &[f32] = bytemuck::cast_slice(&columns[..count * width * 4]);
                    let filled = all.par_chunks_mut(rows).zip(cells.par_chunks_exact(count.max(1)));
                    filled.for_each(|(to, from)| to[start..start + count].copy_from_slice(from));
                }
                BlockValues::Dense { .. } => {}
                BlockValues::Sparse { ends, features, values } => {
                    for_each_cell(&ends, &features, &values, |row, f, value| {
                        all[f * rows + start + row] = value
                    });
                }
            }
        }
        all
    }
}
