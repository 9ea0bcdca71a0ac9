//! The memory that the unpacked columns of a Parquet file may take.
//!
//! A file of a few hundred kilobytes can hold pages of gigabytes, or a dictionary with one long
//! text that every row refers to. Both are valid, so that they are not reported as damage: they
//! exceed the memory limit. The decoder turns errors of pages into texts, and the limit therefore
//! records that it was exceeded.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parquet::basic::Encoding;
use parquet::column::page::Page;
use parquet::errors::ParquetError;

use super::pages::implausible;
use crate::error::Problem;

/// The longest id of a query or document. A batch of rows may refer to the longest text of its
/// dictionary in every row.
pub(crate) const LONGEST_ID: u64 = 64 << 10;

/// The limit of one reading.
#[derive(Debug)]
pub(crate) struct UnpackedLimit {
    most: u64,
    /// The texts of ids so far.
    texts: AtomicU64,
    exceeded: AtomicBool,
    /// Whether an id is too long.
    long_id: AtomicBool,
}

impl UnpackedLimit {
    pub fn new(most: u64) -> Self {
        UnpackedLimit {
            most,
            texts: AtomicU64::new(0),
            exceeded: AtomicBool::new(false),
            long_id: AtomicBool::new(false),
        }
    }

    /// The memory limit, in bytes.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Rejects a page that takes more memory than the limit.
    pub fn check_page_size(&self, unpacked: u64) -> Result<(), ParquetError> {
        self.check(unpacked <= self.most, &self.exceeded)
    }

    /// Rejects a dictionary with texts that are too long for ids.
    pub fn check_dictionary(&self, page: &Page) -> Result<(), ParquetError> {
        match page {
            Page::DictionaryPage { buf, encoding: Encoding::PLAIN, .. } => {
                self.check_id(longest_text(buf))
            }
            _ => Ok(()),
        }
    }

    /// Rejects a text that is too long for an id.
    pub fn check_id(&self, length: u64) -> Result<(), ParquetError> {
        self.check(length <= LONGEST_ID, &self.long_id)
    }

    /// Counts the texts of ids.
    pub fn add_texts(&self, bytes: u64) -> Result<(), Problem> {
        let all = self.texts.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if all > self.most { Err(self.problem()) } else { Ok(()) }
    }

    /// The problem, if the limit was exceeded.
    pub fn exceeded(&self) -> Option<Problem> {
        if self.long_id.load(Ordering::Relaxed) {
            return Some(Problem::IdTooLong { limit_kib: LONGEST_ID >> 10 });
        }
        self.exceeded.load(Ordering::Relaxed).then(|| self.problem())
    }

    fn check(&self, fits: bool, failed: &AtomicBool) -> Result<(), ParquetError> {
        if fits {
            return Ok(());
        }
        failed.store(true, Ordering::Relaxed);
        Err(implausible("a column exceeds the memory limit"))
    }

    fn problem(&self) -> Problem {
        Problem::UnpackedTooLarge { limit_mib: self.most >> 20 }
    }
}

/// The length of the longest of some texts, each after its length in four bytes.
fn longest_text(mut bytes: &[u8]) -> u64 {
    let mut longest = 0;
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let length = u32::from_le_bytes(*length);
        longest = longest.max(u64::from(length));
        bytes = rest.get(length as usize..).unwrap_or_default();
    }
    longest
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::{Dataset, ReadOptions, read_bytes};
    use arrow_array::{ArrayRef, Float32Array, RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};

    /// A zstd-compressed file whose query ids are a text of some length.
    fn file(rows: usize, length: usize, dictionary: bool) -> Vec<u8> {
        let query = "q".repeat(length);
        let properties = WriterProperties::builder().set_dictionary_enabled(dictionary);
        written(vec![query.as_str(); rows], properties)
    }

    /// A file whose query ids have these lengths; each begins with the one before it.
    fn shared_prefixes(lengths: impl Iterator<Item = usize>) -> Vec<u8> {
        let queries: Vec<String> = lengths.map(|length| "q".repeat(length)).collect();
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_column_encoding("qid".into(), Encoding::DELTA_BYTE_ARRAY);
        written(queries.iter().map(String::as_str).collect(), properties)
    }

    fn written(queries: Vec<&str>, properties: WriterPropertiesBuilder) -> Vec<u8> {
        let ones = vec![1.0f32; queries.len()];
        let queries: ArrayRef = Arc::new(StringArray::from(queries));
        let numbers = || Arc::new(Float32Array::from(ones.clone())) as ArrayRef;
        let columns = [("label", numbers()), ("qid", queries), ("a", numbers())];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let properties = properties
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_dictionary_page_size_limit(1 << 30)
            .set_data_page_size_limit(1 << 30)
            .set_write_batch_size(1 << 20)
            .build();
        let mut bytes = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        bytes
    }

    fn read(bytes: Vec<u8>, max_bytes: u64) -> Result<Dataset, String> {
        let options = ReadOptions { max_bytes, ..ReadOptions::default() };
        read_bytes(bytes, "a.parquet", &options).map_err(|error| error.to_string())
    }

    /// A page of 16 MB in a file of some kilobytes, and one text of 200 kB that all rows refer to.
    #[test]
    fn small_files_that_unpack_to_more_than_the_limit_are_refused() {
        for (bytes, limit) in
            [(file(4_000, 4_000, false), "8 MiB"), (file(4_000, 200_000, true), "64 KiB")]
        {
            assert!(bytes.len() < 200_000, "{}", bytes.len());
            let size = bytes.len();
            let error =
                read(bytes, 8 << 20).map(|data| data.documents()).expect_err(&size.to_string());
            assert!(error.contains(limit) && !error.contains("damaged"), "{error}");
        }
        assert_eq!(read(file(4_000, 1_000, true), 8 << 20).unwrap().documents(), 4_000);
    }

    /// A page of 200 kB whose texts take 20 MB, and texts that are just short enough.
    #[test]
    fn ids_that_share_a_prefix_are_limited_too() {
        let error = read(shared_prefixes(std::iter::repeat_n(200_000, 100)), 64 << 20).unwrap_err();
        assert!(error.contains("64 KiB") && !error.contains("damaged"), "{error}");
        let longest = LONGEST_ID as usize;
        for (last, fits) in [(longest, true), (longest + 1, false)] {
            let lengths = (0..200).map(|row| row * row + 1).chain([last]);
            let found = read(shared_prefixes(lengths), 64 << 20).map(|data| data.documents());
            assert_eq!(found.is_ok_and(|documents| documents == 201), fits, "{last}");
        }
    }

    #[test]
    fn the_longest_text_of_a_dictionary() {
        assert_eq!(longest_text(b""), 0);
        assert_eq!(longest_text(b"\x01\0\0\0a\x03\0\0\0abc\x02\0\0\0ab"), 3);
        assert_eq!(longest_text(b"\xff\xff\xff\xffa"), u64::from(u32::MAX), "a false claim");
    }
}
