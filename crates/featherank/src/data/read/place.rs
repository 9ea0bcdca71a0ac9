//! Random access to the bytes of a Parquet file: on disk, in memory, or behind a [`RangeSource`].

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::{Buf, Bytes};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use crate::error::{Error, Location, Problem, Result};

/// Random access to bytes outside of this library, such as those of an object store.
pub trait RangeSource: Send + Sync {
    /// The number of bytes.
    fn length(&self) -> u64;
    /// The bytes of a range, all of them.
    fn read_range(&self, start: u64, length: usize) -> io::Result<Bytes>;
}

/// Where a file is.
#[derive(Clone)]
pub(crate) enum FilePlace {
    File(PathBuf),
    Memory(Bytes),
    Elsewhere(Arc<dyn RangeSource>),
}

/// An open file.
pub(crate) enum Handle {
    File(File),
    Memory(Bytes),
    Elsewhere(Arc<dyn RangeSource>),
    /// Ranges that were fetched, with their offsets.
    Fetched(Vec<(u64, Bytes)>),
}

/// Ranges are fetched together if the gap between them is at most this: a request costs more than a
/// few bytes.
const GAP: u64 = 1 << 20;

impl FilePlace {
    /// A handle with a position of its own.
    pub fn open(&self) -> Result<Handle> {
        match self {
            FilePlace::File(path) => match File::open(path) {
                Ok(file) => Ok(Handle::File(file)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    Err(Problem::NoSuchFile.at(Location::file(path.display().to_string())))
                }
                Err(error) => Err(Error::io("open", path, error)),
            },
            FilePlace::Memory(bytes) => Ok(Handle::Memory(bytes.clone())),
            FilePlace::Elsewhere(source) => Ok(Handle::Elsewhere(source.clone())),
        }
    }

    /// A handle for ranges of the file in ascending order. Remote ranges are fetched in as few
    /// requests as possible.
    pub fn open_ranges(&self, ranges: impl Iterator<Item = Range<u64>>) -> Result<Handle> {
        let FilePlace::Elsewhere(source) = self else { return self.open() };
        let mut joined: Vec<Range<u64>> = Vec::new();
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.start <= last.end.saturating_add(GAP) => {
                    last.end = last.end.max(range.end)
                }
                _ => joined.push(range),
            }
        }
        let fetch = |range: Range<u64>| {
            let bytes = source.read_range(range.start, (range.end - range.start) as usize);
            Ok((range.start, bytes.map_err(|e| Error::io("read", "a row group", e))?))
        };
        Ok(Handle::Fetched(joined.into_iter().map(fetch).collect::<Result<_>>()?))
    }
}

/// The fetched bytes from an offset on.
fn fetched(ranges: &[(u64, Bytes)], start: u64) -> Result<Bytes, ParquetError> {
    let range =
        ranges.partition_point(|(begin, _)| *begin <= start).checked_sub(1).map(|at| &ranges[at]);
    let inside =
        range.and_then(|(begin, bytes)| Some((bytes, usize::try_from(start - begin).ok()?)));
    match inside {
        Some((bytes, offset)) if offset <= bytes.len() => Ok(bytes.slice(offset..)),
        _ => Err(ParquetError::EOF("a page lies outside of its column".into())),
    }
}

impl Length for Handle {
    fn len(&self) -> u64 {
        match self {
            Handle::File(file) => file.len(),
            Handle::Memory(bytes) => bytes.len() as u64,
            Handle::Elsewhere(source) => source.length(),
            Handle::Fetched(ranges) => {
                ranges.last().map_or(0, |(start, bytes)| start + bytes.len() as u64)
            }
        }
    }
}

impl ChunkReader for Handle {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(match self {
            Handle::File(file) => Box::new(file.get_read(start)?),
            Handle::Memory(bytes) => Box::new(bytes.get_read(start)?),
            Handle::Elsewhere(source) => {
                Box::new(Window { source: source.clone(), start, bytes: Bytes::new() })
            }
            Handle::Fetched(ranges) => Box::new(fetched(ranges, start)?.reader()),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        match self {
            Handle::File(file) => file.get_bytes(start, length),
            Handle::Memory(bytes) => bytes.get_bytes(start, length),
            Handle::Elsewhere(source) => {
                let inside =
                    start.checked_add(length as u64).is_some_and(|end| end <= source.length());
                match inside {
                    true => Ok(source.read_range(start, length)?),
                    false => {
                        Err(ParquetError::EOF("a range reaches beyond the end of the file".into()))
                    }
                }
            }
            Handle::Fetched(ranges) => {
                let bytes = fetched(ranges, start)?;
                match length <= bytes.len() {
                    true => Ok(bytes.slice(..length)),
                    false => Err(ParquetError::EOF("a page reaches beyond its column".into())),
                }
            }
        }
    }
}

/// Bytes requested at a time for sequential reads.
const WINDOW: u64 = 1 << 16;

/// Reads sequentially, one window at a time.
struct Window {
    source: Arc<dyn RangeSource>,
    /// Where the current bytes begin.
    start: u64,
    bytes: Bytes,
}

impl Read for Window {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.bytes.is_empty() {
            let left = self.source.length().saturating_sub(self.start);
            if left == 0 {
                return Ok(0);
            }
            self.bytes = self.source.read_range(self.start, left.min(WINDOW) as usize)?;
        }
        let taken = self.bytes.split_to(buffer.len().min(self.bytes.len()));
        buffer[..taken.len()].copy_from_slice(&taken);
        self.start += taken.len() as u64;
        Ok(taken.len())
    }
}
