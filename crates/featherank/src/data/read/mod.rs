//! Readers: from files of any supported format to one [`Dataset`].

mod assemble;
mod columns;
mod decompress;
mod feature_log;
#[cfg(feature = "parquet")]
mod footer;
mod letor;
mod letor_block;
mod number;
mod options;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parts;
#[cfg(feature = "parquet")]
mod place;
#[cfg(feature = "parquet")]
mod record_batch;
mod responses;
mod row_block;
mod row_collector;
mod search_hit;
mod side_files;
mod source;
mod table;
#[cfg(feature = "parquet")]
mod thrift;
#[cfg(feature = "parquet")]
mod unpacked;

use std::path::Path;

use super::dataset::Dataset;
use super::features::FeatureTable;
use crate::error::{Location, Problem, Result};
use crate::stop::StopToken;
use assemble::Assembler;
#[cfg(feature = "parquet")]
pub(crate) use columns::ColumnLayout;
pub(crate) use options::shorten;
pub use options::{Format, Missing, ReadOptions, Unjudged};
#[cfg(feature = "parquet")]
pub use parts::{PartSource, Parts};
#[cfg(feature = "shards")]
pub(crate) use parts::{QueryRows, RowIndex};
#[cfg(feature = "parquet")]
pub use place::RangeSource;
use source::Source;
pub use table::guessed_separator;

/// Reads one or more files into one data set, in the order given. `-` is standard input.
///
/// ```no_run
/// use featherank::data::{ReadOptions, read};
/// let data = read(&["Fold1/train.txt"], &ReadOptions::default())?;
/// println!("{} documents", data.documents());
/// # Ok::<(), featherank::Error>(())
/// ```
pub fn read<P: AsRef<Path>>(files: &[P], options: &ReadOptions) -> Result<Dataset> {
    read_until(files, options, &StopToken::default())
}

/// Like [`read`]; an error if the token is stopped.
pub fn read_until<P: AsRef<Path>>(
    files: &[P],
    options: &ReadOptions,
    stop: &StopToken,
) -> Result<Dataset> {
    read_all(files, options, None, stop)
}

/// Reads files that must have the features of `like`; `other` names that data in messages.
pub fn read_like<P: AsRef<Path>>(
    files: &[P],
    options: &ReadOptions,
    like: &Dataset,
    other: &str,
) -> Result<Dataset> {
    read_like_until(files, options, like, other, &StopToken::default())
}

/// Like [`read_like`]; an error if the token is stopped.
pub fn read_like_until<P: AsRef<Path>>(
    files: &[P],
    options: &ReadOptions,
    like: &Dataset,
    other: &str,
    stop: &StopToken,
) -> Result<Dataset> {
    // Files have their columns by id; a data set has them in the order of their names.
    let known = like.features();
    let by_id = known.by_id().into_iter().map(|f| known.get(f).clone()).collect();
    let features = FileFeatures { table: FeatureTable::from_features(by_id), flexible: false };
    read_all(files, options, Some((features, other.to_owned())), stop)
}

/// Reads a data set from bytes in memory, with the format of a file of that name.
pub fn read_bytes(bytes: Vec<u8>, name: &str, options: &ReadOptions) -> Result<Dataset> {
    let mut assembler = Assembler::new(options);
    let source = Source::from_reader(Box::new(std::io::Cursor::new(bytes)), name.to_owned())?;
    let features = read_one(source, options, &mut assembler)?;
    finish(assembler, features.table, options)
}

/// The features of one file.
pub(crate) struct FileFeatures {
    pub table: FeatureTable,
    /// Rows may omit features, so that the table only covers those that occur.
    pub flexible: bool,
}

fn read_all<P: AsRef<Path>>(
    files: &[P],
    options: &ReadOptions,
    mut known: Option<(FileFeatures, String)>,
    stop: &StopToken,
) -> Result<Dataset> {
    let mut assembler = Assembler::new(options).stopped_by(stop);
    for file in files {
        let source = Source::open(file.as_ref())?;
        let name = source.name().to_owned();
        let found = read_one(source, options, &mut assembler)?;
        known = Some(match known {
            None => (found, name),
            Some((earlier, other)) => (reconcile(earlier, found, &other, &name, options)?, other),
        });
    }
    match known {
        Some((features, _)) if !files.is_empty() => finish(assembler, features.table, options),
        _ => Err(Problem::Empty.at(Location::file("no input"))),
    }
}

fn read_one(
    source: Source,
    options: &ReadOptions,
    into: &mut Assembler<'_>,
) -> Result<FileFeatures> {
    let name = source.name().to_owned();
    let by_name = if name == "-" { Some(Format::Letor) } else { Format::from_name(&name) };
    match options
        .format
        .or(by_name)
        .ok_or_else(|| Problem::UnknownFormat.at(Location::file(&name)))?
    {
        Format::Letor => letor::read(source, options, into),
        Format::Csv => table::read(source, b',', options, into),
        Format::Tsv => table::read(source, b'\t', options, into),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::read(source, options, into),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(super::needs_feature(&name, "Parquet", "parquet")),
        Format::Log => feature_log::read(source, options, into),
    }
}

fn finish(
    assembler: Assembler<'_>,
    mut features: FeatureTable,
    options: &ReadOptions,
) -> Result<Dataset> {
    assembler.check(&features)?;
    // Before columns are ordered: a file of names follows the order of the columns.
    if let Some(names) = &options.names {
        side_files::name_features(&mut features, names, options.max_bytes)?;
    }
    assembler.finish(features)
}

/// The common features of two files, or an error if they do not match.
fn reconcile(
    earlier: FileFeatures,
    found: FileFeatures,
    other: &str,
    name: &str,
    options: &ReadOptions,
) -> Result<FileFeatures> {
    let named = |table: &FeatureTable| table.iter().any(|(_, feature)| feature.name.is_some());
    let by_name = named(&earlier.table) && named(&found.table);
    for ((id, a), (_, b)) in earlier.table.iter().zip(found.table.iter()) {
        if (by_name && a.name != b.name) || (!by_name && a.id != b.id) {
            let (position, found, expected) = (id.index() + 1, b.label(), a.label());
            let problem =
                Problem::FeatureNames { position, found, expected, other: other.to_owned() };
            return Err(problem.at(Location::file(name)));
        }
    }
    let (expected, count) = (earlier.table.len(), found.table.len());
    let narrower_may_be_filled = match count.cmp(&expected) {
        std::cmp::Ordering::Equal => true,
        std::cmp::Ordering::Less => found.flexible || options.missing == Missing::Zero,
        std::cmp::Ordering::Greater => earlier.flexible,
    };
    if !narrower_may_be_filled {
        let problem = Problem::FeatureCount { found: count, expected, other: other.to_owned() };
        return Err(problem.at(Location::file(name)));
    }
    let wider = if count > expected { found.table } else { earlier.table };
    Ok(FileFeatures { table: wider, flexible: earlier.flexible && found.flexible })
}
