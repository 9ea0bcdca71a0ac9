//! Apache Parquet: row groups on all cores, a wave of them at a time, each in batches of rows.
//!
//! Columns are read as the plain types Parquet itself knows: what Arrow writers add (dictionaries, views, large strings)
//! is left aside, so that a column means the same whichever library wrote it.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::reader::ChunkReader;
use rayon::prelude::*;

use super::FileFeatures;
use super::assemble::{Assembler, Block};
use super::columns::{Columns, Layout};
use super::options::ReadOptions;
use super::pages::{CheckedGroup, check_footer};
use super::record_batch::{BatchReader, is_id, is_number};
use super::source::Source;
use crate::error::{Error, Location, Problem, Result};

/// Rows decoded at a time: few enough that a batch of a few hundred columns stays in the cache's reach.
const BATCH_ROWS: usize = 8192;

/// Reads one file into the assembler.
pub(crate) fn read(
    mut source: Source,
    options: &ReadOptions,
    into: &mut Assembler<'_>,
) -> Result<FileFeatures> {
    let name = source.name().to_owned();
    into.start_file(&name);
    match source.plain_file().map(Path::to_owned) {
        // Opened once per row group: handles that share a position cannot be used from several threads.
        Some(path) => {
            let open = || File::open(&path).map_err(|e| Error::io("open", &path, e));
            read_from(open, &name, options, into)
        }
        None => {
            let bytes = Bytes::from(source.read_all(options.max_bytes)?);
            read_from(|| Ok(bytes.clone()), &name, options, into)
        }
    }
}

fn read_from<R: ChunkReader + 'static>(
    open: impl Fn() -> Result<R> + Sync,
    name: &str,
    options: &ReadOptions,
    into: &mut Assembler<'_>,
) -> Result<FileFeatures> {
    let file = open()?;
    let metadata = guarded(name, || {
        check_footer(&file)?;
        // The embedded Arrow schema says how the writer held the columns in memory, which is no concern of ours.
        let metadata =
            ArrowReaderMetadata::load(&file, ArrowReaderOptions::new().with_skip_arrow_metadata(true))?;
        check_extents(&metadata, file.len())?;
        check_compression(&metadata)?;
        Ok(metadata)
    })?;
    let columns = assign_columns(&metadata, name, options)?;
    into.check_coming(count_rows(&metadata), columns.features.len())?;
    let batches = BatchReader::new(&columns, metadata.schema(), options, name);
    let roots = ProjectionMask::roots(metadata.parquet_schema(), batches.projection());
    let levels =
        guarded(name, || parquet_to_arrow_field_levels(metadata.parquet_schema(), roots.clone(), None))?;
    let read_group = |(group, first_row): (usize, u64)| -> Result<Vec<Block>> {
        let file = open()?;
        let mut rows = guarded(name, || {
            let pages = CheckedGroup { file: Arc::new(file), metadata: metadata.metadata().clone(), group };
            ParquetRecordBatchReader::try_new_with_row_groups(&levels, &pages, BATCH_ROWS, None)
        })?;
        let (mut blocks, mut row) = (Vec::new(), first_row);
        while let Some(batch) = guarded(name, || rows.next().transpose().map_err(ParquetError::from))? {
            blocks.push(batches.block(&batch, row)?);
            row += batch.num_rows() as u64;
        }
        Ok(blocks)
    };
    let mut starts = Vec::new();
    let mut next_row = 1;
    for (group, rows) in metadata.metadata().row_groups().iter().enumerate() {
        starts.push((group, next_row));
        next_row += rows.num_rows() as u64;
    }
    for wave in starts.chunks(rayon::current_num_threads()) {
        let groups: Vec<Result<Vec<Block>>> = wave.par_iter().copied().map(read_group).collect();
        // In file order, so that the first mistake of the file is the one reported.
        for blocks in groups {
            blocks?.into_iter().try_for_each(|block| into.push(block))?;
        }
    }
    Ok(FileFeatures { table: columns.table, flexible: false })
}

/// Which column is what, and whether each has a type it can have.
fn assign_columns(metadata: &ArrowReaderMetadata, name: &str, options: &ReadOptions) -> Result<Columns> {
    let layout = noted_layout(metadata, name)?;
    let fields = metadata.schema().fields();
    let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
    let columns = Columns::assign(&names, layout.as_ref(), options, name)?;
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
            let problem = Problem::ColumnType { column: names[place].clone(), kind: kind(place).to_string() };
            Err(problem.at(Location::file(name)))
        }
        None => Ok(columns),
    }
}

/// What our own writer noted about the columns.
fn noted_layout(metadata: &ArrowReaderMetadata, name: &str) -> Result<Option<Layout>> {
    let entries = metadata.metadata().file_metadata().key_value_metadata();
    let Some(note) = entries.into_iter().flatten().find(|entry| entry.key == Layout::KEY) else {
        return Ok(None);
    };
    let layout: Layout = serde_json::from_str(note.value.as_deref().unwrap_or_default())
        .map_err(|error| damaged(name, format!("metadata entry `{}`: {error}", Layout::KEY)))?;
    if layout.version > Layout::VERSION {
        return Err(Error::Document {
            what: format!("this file has layout version {}, newer than this release knows", layout.version),
            path: name.into(),
            help: "read it with a newer featherank".into(),
        });
    }
    Ok(Some(layout))
}

/// Refuses compressions that are not built in, which the decoder would report as damage.
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

/// Refuses metadata that points beyond the file, before anything is allocated on its word.
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

fn count_rows(metadata: &ArrowReaderMetadata) -> u64 {
    let rows = metadata.metadata().row_groups().iter().map(|group| group.num_rows() as u64);
    rows.fold(0, u64::saturating_add)
}

/// Runs a piece of the Parquet decoder. On damaged files it not only fails but sometimes panics, which must not take
/// the user's program down; nothing but the decoder itself runs in here, so no mistake of ours is hidden.
fn guarded<T>(name: &str, decode: impl FnOnce() -> Result<T, ParquetError>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(Ok(decoded)) => Ok(decoded),
        Ok(Err(ParquetError::NYI(what))) => Err(Error::Document {
            what: format!("this Parquet file uses something that cannot be read: {what}"),
            path: name.into(),
            help: "write it again with zstd or snappy compression and the usual encodings".into(),
        }),
        Ok(Err(error)) => Err(damaged(name, error.to_string())),
        Err(_) => Err(damaged(name, "its pages contradict each other".into())),
    }
}

fn damaged(name: &str, reason: String) -> Error {
    Problem::Damaged { format: "Parquet", reason }.at(Location::file(name))
}
