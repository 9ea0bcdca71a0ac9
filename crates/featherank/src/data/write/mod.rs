//! Writers: from a [`Dataset`] to LETOR text or Parquet, written atomically.

mod atomic;
mod compress;
mod letor;
mod lock;
#[cfg(feature = "parquet")]
mod parquet;

use std::path::{Path, PathBuf};

use super::dataset::Dataset;
use super::read::Format;
use crate::error::{Error, Location, Problem, Result};
pub use atomic::{check_target, discard_unfinished_writes, write_atomically, write_bytes};
pub(crate) use atomic::{followed, is_stream, probe};
pub(crate) use lock::PathLock;

/// Options for writing data.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WriteOptions {
    /// Omit values that are 0 from text rows.
    pub sparse: bool,
    /// Also write the names of the features, as `id<TAB>name`, to this file: LETOR text cannot hold
    /// them.
    pub names: Option<PathBuf>,
}

/// Writes a data set in the format implied by the file name; `-` is text on standard output.
///
/// Text files may have the suffix `.gz`, `.zst` or `.xz`. The file appears when it is complete: a
/// run that is stopped leaves the previous file.
///
/// ```no_run
/// use featherank::data::{ReadOptions, WriteOptions, read, write};
/// let data = read(&["train.txt"], &ReadOptions::default())?;
/// write(&data, "train.parquet".as_ref(), &WriteOptions::default())?;
/// # Ok::<(), featherank::Error>(())
/// ```
pub fn write(data: &Dataset, path: &Path, options: &WriteOptions) -> Result<()> {
    let write_names =
        || options.names.as_ref().map_or(Ok(()), |names| letor::write_names(data, names));
    // A stream comes last, because its reader may close it early.
    match is_stream(path) {
        true => write_names().and_then(|()| write_rows(data, path, options)),
        false => write_rows(data, path, options).and_then(|()| write_names()),
    }
}

fn write_rows(data: &Dataset, path: &Path, options: &WriteOptions) -> Result<()> {
    let name = path.display().to_string();
    if name == "-" {
        let mut out = std::io::stdout().lock();
        letor::write(data, options, &mut out).map_err(|e| e.at(path))?;
    } else {
        match Format::from_name(&name) {
            Some(Format::Letor) => write_atomically(path, |out| {
                compress::compressed(path, out, |out| letor::write(data, options, out))
                    .map_err(|e| e.at(path))
            })?,
            Some(Format::Parquet) if compress::Compression::of(path).is_some() => {
                return Err(Error::unsupported(
                    format!("{name}: Parquet is already compressed"),
                    "leave out the second extension",
                ));
            }
            #[cfg(feature = "parquet")]
            Some(Format::Parquet) => parquet::write(data, path)?,
            #[cfg(not(feature = "parquet"))]
            Some(Format::Parquet) => {
                return Err(super::needs_feature(&name, "Parquet", "parquet"));
            }
            Some(other) => return Err(unwritable(&name, other)),
            None => return Err(Problem::UnknownFormat.at(Location::file(name))),
        }
    }
    Ok(())
}

/// A cell of a table that no spreadsheet takes for a formula: text that begins like one gets an
/// apostrophe in front.
pub(crate) fn not_a_formula(cell: &str) -> std::borrow::Cow<'_, str> {
    let begins = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    match begins && cell.parse::<f64>().is_err() {
        true => format!("'{cell}").into(),
        false => cell.into(),
    }
}

fn unwritable(name: &str, format: Format) -> Error {
    let known =
        Format::NAMES.iter().find(|(_, known)| *known == format).map_or("this", |(known, _)| known);
    Error::unsupported(
        format!("{name}: the {known} format can be read but not written"),
        "give the file an extension such as .txt, .txt.gz, .txt.zst, .txt.xz or .parquet",
    )
}

/// Why writing failed, before the file's name is known.
enum WriteFailure {
    Io(std::io::Error),
    Other(Error),
}

impl WriteFailure {
    fn at(self, path: &Path) -> Error {
        match self {
            WriteFailure::Io(error) => Error::io("write", path, error),
            WriteFailure::Other(error) => error,
        }
    }
}

impl From<std::io::Error> for WriteFailure {
    fn from(error: std::io::Error) -> Self {
        WriteFailure::Io(error)
    }
}

impl From<Error> for WriteFailure {
    fn from(error: Error) -> Self {
        WriteFailure::Other(error)
    }
}

#[cfg(test)]
mod tests {
    use super::not_a_formula;

    #[test]
    fn cells_never_begin_a_formula() {
        for (cell, written) in [
            ("=1+1", "'=1+1"),
            ("@x", "'@x"),
            ("+x", "'+x"),
            ("-2+3", "'-2+3"),
            ("-0.5", "-0.5"),
            ("bm25", "bm25"),
        ] {
            assert_eq!(not_a_formula(cell), written);
        }
    }
}
