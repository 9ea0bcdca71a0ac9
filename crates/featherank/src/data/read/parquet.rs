//! Apache Parquet: row groups on all cores, one wave at a time, each in batches of rows.
//!
//! Columns are read as Parquet's own types: what Arrow writers add (dictionaries, views, large
//! strings) is ignored, so that a column means the same whichever library wrote it.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, RowSelection,
};
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::{Compression, Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::Length;
use rayon::prelude::*;

use super::FileFeatures;
use super::assemble::Assembler;
use super::columns::{ColumnLayout, ColumnRoles};
use super::footer::check_footer;
use super::options::ReadOptions;
use super::pages::CheckedGroup;
use super::place::FilePlace;
use super::record_batch::{BatchReader, is_id, is_number};
use super::row_block::RowBlock;
use super::source::Source;
use super::unpacked::{LONGEST_ID, UnpackedLimit};
use crate::error::{Error, Location, Problem, Result};

/// Rows decoded at a time: few enough that a batch of a few hundred columns fits into the cache.
const BATCH_ROWS: usize = 8192;

/// Reads one file into the assembler.
pub(crate) fn read(
    mut source: Source,
    options: &ReadOptions,
    into: &mut Assembler<'_>,
) -> Result<FileFeatures> {
    let name = source.name().to_owned();
    into.start_file(&name);
    let place = match source.plain_file().map(Path::to_owned) {
        Some(path) => FilePlace::File(path),
        None => FilePlace::Memory(source.read_all(options.max_bytes)?.into()),
    };
    let file = ParquetFile::open(name, place, options)?;
    into.check_coming(file.rows(), file.columns.features.len())?;
    file.read(&file.columns, 0..file.rows(), options, |block| into.push(block))?;
    Ok(FileFeatures { table: file.columns.table, flexible: false })
}

/// A file whose footer has been read.
pub(crate) struct ParquetFile {
    name: String,
    place: FilePlace,
    metadata: ArrowReaderMetadata,
    pub columns: ColumnRoles,
}

/// The wanted rows of one row group, as row numbers of the file.
struct GroupRows {
    group: usize,
    rows: Range<u64>,
    wanted: Range<u64>,
}

impl ParquetFile {
    /// Reads the footer and assigns roles to the columns.
    pub fn open(name: String, place: FilePlace, options: &ReadOptions) -> Result<Self> {
        let file = place.open()?;
        let metadata = guarded(&name, || {
            check_footer(&file)?;
            // The embedded Arrow schema describes how the writer held the columns in memory, which
            // is irrelevant here.
            let metadata = ArrowReaderMetadata::load(
                &file,
                ArrowReaderOptions::new().with_skip_arrow_metadata(true),
            )?;
            check_extents(&metadata, file.len())?;
            check_compression(&metadata)?;
            Ok(metadata)
        })?;
        let columns = assign_columns(&metadata, &name, options)?;
        Ok(ParquetFile { name, place, metadata, columns })
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the query column.
    pub fn query_column(&self) -> &str {
        self.metadata.schema().field(self.columns.query).name()
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.group_rows().fold(0, u64::saturating_add)
    }

    /// Number of rows of each row group.
    pub fn group_rows(&self) -> impl Iterator<Item = u64> {
        self.metadata.metadata().row_groups().iter().map(|group| group.num_rows() as u64)
    }

    /// Reads the rows `wanted`, numbered from 0, of some columns, and passes them to `take` in
    /// order.
    pub fn read(
        &self,
        columns: &ColumnRoles,
        wanted: Range<u64>,
        options: &ReadOptions,
        mut take: impl FnMut(RowBlock) -> Result<()>,
    ) -> Result<()> {
        let batches = BatchReader::new(columns, self.metadata.schema(), options, &self.name);
        let schema = self.metadata.parquet_schema();
        let roots = ProjectionMask::roots(schema, batches.projection());
        let levels =
            guarded(&self.name, || parquet_to_arrow_field_levels(schema, roots.clone(), None))?;
        let limit = Arc::new(UnpackedLimit::new(options.max_bytes));
        for wave in self.groups_of(&wanted).chunks(rayon::current_num_threads()) {
            let groups: Vec<Result<Vec<RowBlock>>> = wave
                .par_iter()
                .map(|group| self.read_group(group, &roots, &levels, &batches, &limit))
                .collect();
            // In file order, so that the first problem of the file is reported.
            for blocks in groups {
                blocks?.into_iter().try_for_each(&mut take)?;
            }
        }
        Ok(())
    }

    /// The row groups that hold some of the rows.
    fn groups_of(&self, wanted: &Range<u64>) -> Vec<GroupRows> {
        let mut end = 0u64;
        let group = |(group, rows): (usize, u64)| {
            let rows = end..end.saturating_add(rows);
            end = rows.end;
            let wanted = rows.start.max(wanted.start)..rows.end.min(wanted.end);
            GroupRows { group, rows, wanted }
        };
        let groups = self.group_rows().enumerate().map(group);
        groups.filter(|group| group.wanted.start < group.wanted.end).collect()
    }

    fn read_group(
        &self,
        group: &GroupRows,
        roots: &ProjectionMask,
        levels: &FieldLevels,
        batches: &BatchReader<'_>,
        limit: &Arc<UnpackedLimit>,
    ) -> Result<Vec<RowBlock>> {
        let GroupRows { group, rows, wanted } = group;
        let chunks = self.metadata.metadata().row_group(*group).columns();
        let mut ranges: Vec<Range<u64>> = (0..chunks.len())
            .filter(|&leaf| roots.leaf_included(leaf))
            .map(|leaf| chunks[leaf].byte_range())
            .map(|(start, length)| start..start + length)
            .collect();
        ranges.sort_unstable_by_key(|range| range.start);
        // Opened once per row group: handles that share a position cannot be used from several
        // threads.
        let file = Arc::new(self.place.open_ranges(ranges.into_iter())?);
        let selection = (rows != wanted).then(|| {
            let part = (wanted.start - rows.start) as usize..(wanted.end - rows.start) as usize;
            RowSelection::from_consecutive_ranges(
                [part].into_iter(),
                (rows.end - rows.start) as usize,
            )
        });
        let metadata = self.metadata.metadata().clone();
        let mut reader = self.within(limit, || {
            let pages = CheckedGroup { file, metadata, group: *group, limit: limit.clone() };
            let rows = self.batch_rows(*group, roots, limit.most());
            ParquetRecordBatchReader::try_new_with_row_groups(levels, &pages, rows, selection)
        })?;
        let (mut blocks, mut row) = (Vec::new(), wanted.start + 1);
        while let Some(batch) =
            self.within(limit, || reader.next().transpose().map_err(ParquetError::from))?
        {
            let block = batches.block(&batch, row)?;
            limit
                .add_texts(block.text_bytes())
                .map_err(|problem| problem.at(Location::file(&self.name)))?;
            blocks.push(block);
            row += batch.num_rows() as u64;
        }
        Ok(blocks)
    }

    /// The number of rows to decode at a time: every row may refer to the longest text of a
    /// dictionary.
    fn batch_rows(&self, group: usize, roots: &ProjectionMask, max_bytes: u64) -> usize {
        /// The part of the memory that the batches of all threads may take.
        const PART: u64 = 4;
        let chunks = self.metadata.metadata().row_group(group).columns().iter().enumerate();
        let of_texts = |(leaf, chunk): (usize, &ColumnChunkMetaData)| {
            let is_text = roots.leaf_included(leaf) && chunk.column_type() == Type::BYTE_ARRAY;
            is_text.then(|| LONGEST_ID.min(chunk.uncompressed_size().max(0).unsigned_abs()))
        };
        let longest: u64 = chunks.filter_map(of_texts).sum();
        let threads = rayon::current_num_threads() as u64;
        let fit = max_bytes / PART / (longest * threads).max(1);
        usize::try_from(fit).unwrap_or(BATCH_ROWS).clamp(16, BATCH_ROWS)
    }

    /// Runs a part of the decoder; what exceeds the memory limit is not reported as damage.
    fn within<T>(
        &self,
        limit: &UnpackedLimit,
        decode: impl FnOnce() -> Result<T, ParquetError>,
    ) -> Result<T> {
        guarded(&self.name, decode).map_err(|error| match limit.exceeded() {
            Some(problem) => problem.at(Location::file(&self.name)),
            None => error,
        })
    }
}

/// Assigns roles to columns and checks that each has a suitable type.
fn assign_columns(
    metadata: &ArrowReaderMetadata,
    name: &str,
    options: &ReadOptions,
) -> Result<ColumnRoles> {
    let layout = noted_layout(metadata, name)?;
    let fields = metadata.schema().fields();
    let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
    let columns = ColumnRoles::assign(&names, layout.as_ref(), options, name)?;
    let kind = |place: usize| fields[place].data_type();
    let wrong = |role, place: usize, must: &str| {
        let reason = format!("column `{}` holds {}, and {must}", names[place], kind(place));
        Err(Problem::NoColumn { role, reason }.at(Location::file(name)))
    };
    if !is_number(kind(columns.label)) {
        return wrong("label", columns.label, "labels must be numbers");
    }
    for (role, place) in [("query", Some(columns.query)), ("document", columns.document)] {
        if let Some(place) = place.filter(|&place| !is_id(kind(place))) {
            return wrong(role, place, "ids must be text or whole numbers");
        }
    }
    match columns.features.iter().find(|&&place| !is_number(kind(place))) {
        Some(&place) => {
            let problem =
                Problem::ColumnType { column: names[place].clone(), kind: kind(place).to_string() };
            Err(problem.at(Location::file(name)))
        }
        None => Ok(columns),
    }
}

/// The layout that our own writer noted in the metadata.
fn noted_layout(metadata: &ArrowReaderMetadata, name: &str) -> Result<Option<ColumnLayout>> {
    let entries = metadata.metadata().file_metadata().key_value_metadata();
    let Some(note) = entries.into_iter().flatten().find(|entry| entry.key == ColumnLayout::KEY)
    else {
        return Ok(None);
    };
    let layout: ColumnLayout = serde_json::from_str(note.value.as_deref().unwrap_or_default())
        .map_err(|error| {
            damaged(name, format!("metadata entry `{}`: {error}", ColumnLayout::KEY))
        })?;
    if layout.version > ColumnLayout::VERSION {
        return Err(Error::Document {
            what: format!(
                "this file has layout version {}, newer than this release knows",
                layout.version
            ),
            path: name.into(),
            help: "read it with a newer release of featherank".into(),
        });
    }
    Ok(Some(layout))
}

/// Returns an error for compressions that are not built in, which the decoder would report as
/// damage.
fn check_compression(metadata: &ArrowReaderMetadata) -> Result<(), ParquetError> {
    let chunks = metadata.metadata().row_groups().iter().flat_map(|group| group.columns());
    match chunks
        .map(|chunk| chunk.compression())
        .find(|c| matches!(c, Compression::BROTLI(_) | Compression::LZO))
    {
        Some(compression) => Err(ParquetError::NYI(format!("compression {compression}"))),
        None => Ok(()),
    }
}

/// Returns an error for metadata that points beyond the file, before anything is allocated because
/// of it.
fn check_extents(metadata: &ArrowReaderMetadata, length: u64) -> Result<(), ParquetError> {
    for group in metadata.metadata().row_groups() {
        let within = |column: &parquet::file::metadata::ColumnChunkMetaData| {
            let (start, size) = column.byte_range();
            start.checked_add(size).is_some_and(|end| end <= length)
        };
        if group.num_rows() < 0 || !group.columns().iter().all(within) {
            return Err(ParquetError::EOF("a row group reaches beyond the end of the file".into()));
        }
    }
    Ok(())
}

/// Runs a part of the Parquet decoder. On damaged files it sometimes panics, which must not end the
/// user's program. Nothing but the decoder runs in here, so that no mistake of ours is hidden.
fn guarded<T>(name: &str, decode: impl FnOnce() -> Result<T, ParquetError>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(Ok(decoded)) => Ok(decoded),
        Ok(Err(ParquetError::NYI(what))) => Err(Error::Document {
            what: format!("this Parquet file uses an unsupported feature: {what}"),
            path: name.into(),
            help: "rewrite it with zstd or snappy compression and the default encodings".into(),
        }),
        Ok(Err(error)) => Err(damaged(name, error.to_string())),
        Err(_) => Err(damaged(name, "its pages contradict each other".into())),
    }
}

fn damaged(name: &str, reason: String) -> Error {
    Problem::Damaged { format: "Parquet", reason }.at(Location::file(name))
}
