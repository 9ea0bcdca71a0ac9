//! Parquet files as one data set that is never in memory as a whole: a scan that locates the
//! queries, then reads of any rows.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::assemble::Assembler;
use super::options::{Format, ReadOptions};
use super::parquet::ParquetFile;
use super::place::{FilePlace, RangeSource};
use super::{FileFeatures, reconcile, side_files};
use crate::data::dataset::Dataset;
use crate::data::features::FeatureTable;
use crate::error::{Error, Location, Problem, Result};
use crate::remedy;

/// A Parquet file on disk or behind a [`RangeSource`].
pub enum PartSource {
    /// On disk.
    File(PathBuf),
    /// Elsewhere, with the name to use in messages.
    Elsewhere(String, Arc<dyn RangeSource>),
}

/// Files whose footers have been read. Rows are numbered from 0 across all files.
pub struct Parts {
    files: Vec<ParquetFile>,
    index: RowIndex,
    options: ReadOptions,
    /// In the order of the columns.
    columns: FeatureTable,
    /// In the order of data sets.
    features: FeatureTable,
}

/// Which rows are in which file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RowIndex {
    files: Vec<String>,
    /// The number of each file's first row, and the total number of rows.
    starts: Vec<u64>,
    query_column: String,
}

/// Consecutive rows of one query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryRows {
    /// The query's id.
    pub query: String,
    /// The number of the first row.
    pub first: u64,
    /// The number of documents that count.
    pub documents: u64,
}

impl Parts {
    /// Reads the footers.
    pub fn open(sources: Vec<PartSource>, options: &ReadOptions) -> Result<Self> {
        let mut known: Option<(FileFeatures, String)> = None;
        let mut files: Vec<ParquetFile> = Vec::new();
        let mut index = RowIndex { starts: vec![0], ..RowIndex::default() };
        for source in sources {
            let (name, place) = match source {
                PartSource::File(path) => (path.display().to_string(), FilePlace::File(path)),
                PartSource::Elsewhere(name, source) => (name, FilePlace::Elsewhere(source)),
            };
            if options.format.or_else(|| Format::from_name(&name)) != Some(Format::Parquet) {
                return Err(Error::unsupported(
                    format!("{name} is not a Parquet file, and only Parquet can be read in pieces"),
                    remedy!["convert it with ", Command::Convert],
                ));
            }
            let file = ParquetFile::open(name.clone(), place, options)?;
            let found = FileFeatures { table: file.columns.table.clone(), flexible: false };
            known = Some(match known {
                None => (found, name),
                Some((earlier, other)) => {
                    (reconcile(earlier, found, &other, file.name(), options)?, other)
                }
            });
            index.push(&file);
            files.push(file);
        }
        if options.regroup {
            return Err(Error::unsupported(
                "data that is read in pieces cannot be regrouped by query",
                "sort the data by query first",
            ));
        }
        let Some((FileFeatures { mut table, .. }, _)) = known else {
            return Err(Problem::Empty.at(Location::file("no input")));
        };
        if let Some(names) = &options.names {
            side_files::name_features(&mut table, names, options.max_bytes)?;
        }
        let features = table.reordered(&table.identity_order());
        Ok(Parts { files, index, options: options.clone(), columns: table, features })
    }

    /// The features, in the order of the data sets that are read.
    pub fn features(&self) -> &FeatureTable {
        &self.features
    }

    /// Which rows are in which file.
    pub fn index(&self) -> &RowIndex {
        &self.index
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.index.starts.last().copied().unwrap_or(0)
    }

    /// The number of the first row of each row group, and the total number of rows.
    pub fn group_starts(&self) -> Vec<u64> {
        let groups = self.files.iter().flat_map(ParquetFile::group_rows);
        let mut starts = vec![0];
        let mut end = 0u64;
        starts.extend(groups.map(|rows| {
            end = end.saturating_add(rows);
            end
        }));
        starts
    }

    /// The queries of a range of rows.
    pub fn scan(&self, rows: Range<u64>) -> Result<Vec<QueryRows>> {
        let mut found: Vec<QueryRows> = Vec::new();
        for (file, rows) in self.of_files(&rows) {
            let start = self.index.starts[file];
            let columns = self.files[file].columns.without_features();
            self.files[file].read(&columns, rows, &self.options, |block| {
                let ends =
                    block.runs.iter().skip(1).map(|run| run.first_row).chain([block.labels.len()]);
                for (run, end) in block.runs.iter().zip(ends) {
                    let documents = (end - run.first_row) as u64;
                    match found.last_mut().filter(|last| last.query == run.query) {
                        Some(last) => last.documents += documents,
                        None => {
                            let first = start + run.line - 1;
                            found.push(QueryRows { query: run.query.clone(), first, documents });
                        }
                    }
                }
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// Reads a range of rows, which must consist of whole queries.
    pub fn read(&self, rows: Range<u64>) -> Result<Dataset> {
        let mut assembler = Assembler::new(&self.options);
        for (file, rows) in self.of_files(&rows) {
            let file = &self.files[file];
            assembler.start_file(file.name());
            file.read(&file.columns, rows, &self.options, |block| assembler.push(block))?;
        }
        assembler.finish(self.columns.clone())
    }

    /// The files that hold some of the rows, with the rows numbered within each file.
    fn of_files(&self, rows: &Range<u64>) -> impl Iterator<Item = (usize, Range<u64>)> {
        let part = |(file, own): (usize, &[u64])| {
            let (start, end) = (rows.start.max(own[0]), rows.end.min(own[1]));
            (start < end).then(|| (file, start - own[0]..end - own[0]))
        };
        self.index.starts.windows(2).enumerate().filter_map(part)
    }
}

impl RowIndex {
    fn push(&mut self, file: &ParquetFile) {
        self.starts.push(self.starts.last().copied().unwrap_or(0).saturating_add(file.rows()));
        self.files.push(file.name().to_owned());
        self.query_column = file.query_column().to_owned();
    }

    /// Joins the results of consecutive scans. Rows of one query must be consecutive.
    pub fn join(&self, scans: impl IntoIterator<Item = Vec<QueryRows>>) -> Result<Vec<QueryRows>> {
        let mut all: Vec<QueryRows> = Vec::new();
        for next in scans.into_iter().flatten() {
            match all.last_mut().filter(|last| last.query == next.query) {
                Some(last) => last.documents += next.documents,
                None => all.push(next),
            }
        }
        let mut seen: HashMap<&str, u64> = HashMap::with_capacity(all.len());
        for rows in &all {
            if let Some(first) = seen.insert(&rows.query, rows.first) {
                return Err(self.scattered(&rows.query, first, rows.first));
            }
        }
        match all.is_empty() {
            true => Err(Problem::Empty.at(self.location(0))),
            false => Ok(all),
        }
    }

    fn scattered(&self, query: &str, first: u64, again: u64) -> Error {
        let (query, column) = (query.to_owned(), self.query_column.clone());
        let first = format!("first seen at {}", self.location(first));
        Problem::QueryNotContiguousInPieces { query, column }
            .at(self.location(again).with_note(first))
    }

    /// The file and row of a row number.
    fn location(&self, row: u64) -> Location {
        let file = self.starts.partition_point(|&start| start <= row).saturating_sub(1);
        match self.files.get(file) {
            Some(name) => Location::line(name, row - self.starts[file] + 1),
            None => Location::file(self.files.last().map_or("no input", String::as_str)),
        }
    }
}
