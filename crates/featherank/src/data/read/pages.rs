//! Checks the pages of a Parquet file before the decoder allocates memory for them.
//!
//! A file of a few hundred bytes can claim pages of gigabytes. Running out of memory ends the whole
//! program, which no caller can catch, so claimed sizes are compared with what a column of that
//! many rows can have.

use std::io::Read;
use std::sync::Arc;

use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;

use super::thrift::{self, for_each_field, signed, skip, varint};
use super::unpacked::UnpackedLimit;

/// One row group of a file for the decoder, with checked pages.
pub(crate) struct CheckedGroup<R> {
    pub file: Arc<R>,
    pub metadata: Arc<ParquetMetaData>,
    pub group: usize,
    /// The memory that its pages may take.
    pub limit: Arc<UnpackedLimit>,
}

impl<R: ChunkReader + 'static> RowGroups for CheckedGroup<R> {
    fn num_rows(&self) -> usize {
        self.metadata.row_group(self.group).num_rows() as usize
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>> {
        let group = self.metadata.row_group(self.group);
        let chunk =
            group.columns().get(column).ok_or_else(|| implausible("a column is not there"))?;
        check_headers(&*self.file, chunk, group.num_rows() as u64, &self.limit)?;
        let pages = SerializedPageReader::new(self.file.clone(), chunk, self.num_rows(), None)?;
        let optional = chunk.column_descr().max_def_level() > 0;
        // Columns of texts are ids.
        let limit = (chunk.column_type() == Type::BYTE_ARRAY).then(|| self.limit.clone());
        Ok(Box::new(OneChunk(Some(CheckedPages { pages, optional, limit }))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(self.metadata.row_group(self.group)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The pages of one column chunk.
struct OneChunk<R: ChunkReader>(Option<CheckedPages<R>>);

impl<R: ChunkReader + 'static> Iterator for OneChunk<R> {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(|pages| Ok(Box::new(pages) as Box<dyn PageReader>))
    }
}

impl<R: ChunkReader + 'static> PageIterator for OneChunk<R> {}

struct CheckedPages<R: ChunkReader> {
    pages: SerializedPageReader<R>,
    /// Values may be null: pages begin with definition levels.
    optional: bool,
    /// The limit of texts.
    limit: Option<Arc<UnpackedLimit>>,
}

impl<R: ChunkReader> Iterator for CheckedPages<R> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<R: ChunkReader> PageReader for CheckedPages<R> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        if let Some(page) = &page {
            check_page(page, self.optional, self.limit.as_deref())?;
            self.limit.as_ref().map_or(Ok(()), |limit| limit.check_dictionary(page))?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

/// Texts with their lengths up front: the decoder allocates as many lengths as the page claims.
/// Texts that share their beginnings may be much longer than the page.
fn check_page(page: &Page, optional: bool, limit: Option<&UnpackedLimit>) -> Result<()> {
    let streams = match page.encoding() {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
        Encoding::DELTA_BYTE_ARRAY => 2,
        _ => return Ok(()),
    };
    let (bytes, levels) = match page {
        Page::DataPage { buf, .. } if optional => (
            buf,
            buf.first_chunk().map_or(usize::MAX, |length| 4 + u32::from_le_bytes(*length) as usize),
        ),
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            (buf, *def_levels_byte_len as usize + *rep_levels_byte_len as usize)
        }
        Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => (buf, 0),
    };
    let more_texts = || implausible("a page has more texts than values");
    let most = u64::from(page.num_values());
    let first = bytes.get(levels..).ok_or_else(more_texts)?;
    let second = after_lengths(first, most).ok_or_else(more_texts)?;
    if streams == 2 {
        after_lengths(second, most).ok_or_else(more_texts)?;
        if let Some(limit) = limit {
            limit.check_id(longest_joined(DeltaLengths::new(first), DeltaLengths::new(second)))?;
        }
    }
    Ok(())
}

/// The length of the longest of some texts, each of which begins with some bytes of the one before
/// it and ends with its own.
fn longest_joined(prefixes: DeltaLengths<'_>, suffixes: DeltaLengths<'_>) -> u64 {
    let (mut length, mut longest) = (0u64, 0);
    for (prefix, suffix) in prefixes.zip(suffixes) {
        // The decoder takes the whole text if the prefix is longer.
        length = length.min(prefix.into()) + u64::from(suffix);
        longest = longest.max(length);
    }
    longest
}

/// The lengths of a list whose form [`after_lengths`] has checked; it ends early at damage, which
/// the decoder reports.
#[derive(Default)]
struct DeltaLengths<'a> {
    /// The bytes after the current part.
    bytes: &'a [u8],
    /// The number of parts in a block, and of values in a part.
    parts: usize,
    part: u64,
    /// Values that are not returned yet, and the next one.
    left: u64,
    next: i64,
    /// The least difference of the current block, and the widths of its parts to come.
    least: i64,
    widths: &'a [u8],
    /// The current part: its bytes, the width of its values, and the place of the next one.
    packed: &'a [u8],
    width: usize,
    place: u64,
}

impl<'a> DeltaLengths<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self::started(bytes).unwrap_or_default()
    }

    fn started(mut bytes: &'a [u8]) -> Option<Self> {
        let block = varint(&mut bytes).ok()?;
        let parts = usize::try_from(varint(&mut bytes).ok()?).ok()?;
        let left = varint(&mut bytes).ok()?;
        let part = block.checked_div(parts as u64)?;
        let next = signed(&mut bytes).ok()?;
        // The first difference begins a part.
        Some(DeltaLengths { bytes, parts, part, left, next, place: part, ..Self::default() })
    }

    /// The difference of the next two lengths.
    fn difference(&mut self) -> Option<i64> {
        if self.place >= self.part {
            self.start_part()?;
        }
        let start = usize::try_from(self.place).ok()?.checked_mul(self.width)?;
        self.place += 1;
        let mut bits = 0u64;
        for bit in 0..self.width {
            let at = start + bit;
            let byte = self.packed.get(at / 8)?;
            bits |= u64::from((byte >> (at % 8)) & 1) << bit;
        }
        Some(self.least.wrapping_add(bits as i64))
    }

    fn start_part(&mut self) -> Option<()> {
        if self.part == 0 {
            return None;
        }
        if self.widths.is_empty() {
            self.least = signed(&mut self.bytes).ok()?;
            (self.widths, self.bytes) = self.bytes.split_at_checked(self.parts)?;
        }
        let (&width, widths) = self.widths.split_first()?;
        let size = usize::try_from(self.part.checked_mul(width.into())? / 8).ok()?;
        // The last part may be truncated after its last value.
        (self.packed, self.bytes) = self.bytes.split_at(size.min(self.bytes.len()));
        (self.widths, self.place) = (widths, 0);
        self.width = Some(usize::from(width)).filter(|&width| width <= 64)?;
        Some(())
    }
}

impl Iterator for DeltaLengths<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        // Lengths have 32 bits, and the decoder lets them overflow.
        let length = self.next as u32;
        if self.left > 0 {
            match self.difference() {
                Some(difference) => self.next = self.next.wrapping_add(difference),
                None => self.left = 0,
            }
        }
        Some(length)
    }
}

/// The bytes after a list of delta-encoded lengths; `None` if it has more than `most` of them.
fn after_lengths(mut bytes: &[u8], most: u64) -> Option<&[u8]> {
    let block = varint(&mut bytes).ok()?;
    let parts = usize::try_from(varint(&mut bytes).ok()?).ok()?;
    let count = varint(&mut bytes).ok().filter(|&count| count <= most)?;
    let part = block.checked_div(parts as u64)?;
    varint(&mut bytes).ok()?;
    // The first one is in the header.
    let mut left = count.saturating_sub(1);
    while left > 0 && part > 0 {
        varint(&mut bytes).ok()?;
        let (widths, rest) = bytes.split_at_checked(parts)?;
        bytes = rest;
        for &width in widths {
            let size = if left == 0 { 0 } else { part.checked_mul(width.into())? / 8 };
            // The last part may be truncated after its last value.
            bytes = bytes.get(usize::try_from(size).ok()?.min(bytes.len())..)?;
            left = left.saturating_sub(part);
        }
    }
    Some(bytes)
}

/// The header of a page.
#[derive(Default)]
struct PageHeader {
    kind: u64,
    unpacked: u64,
    packed: u64,
    values: u64,
}

const INDEX_PAGE: u64 = 1;
const DICTIONARY_PAGE: u64 = 2;

fn check_headers<R: ChunkReader>(
    file: &R,
    chunk: &ColumnChunkMetaData,
    rows: u64,
    limit: &UnpackedLimit,
) -> Result<()> {
    let (mut at, length) = chunk.byte_range();
    let end = at.saturating_add(length);
    let mut values = 0u64;
    while at < end {
        let mut bytes = Counted { reader: file.get_read(at)?.take(end - at), count: 0 };
        let header = read_header(&mut bytes)?;
        at = at.saturating_add(bytes.count).saturating_add(header.packed);
        if at > end {
            return Err(implausible("a page reaches beyond the end of its column"));
        }
        if header.kind == INDEX_PAGE {
            continue;
        }
        if header.unpacked > most_bytes(chunk, rows, header.packed) {
            return Err(implausible("a page claims more bytes than it can have"));
        }
        limit.check_page_size(header.unpacked)?;
        if header.kind == DICTIONARY_PAGE {
            if header.values > header.unpacked {
                return Err(implausible("a dictionary claims more values than bytes"));
            }
            continue;
        }
        values = values.saturating_add(header.values);
        if values > rows {
            return Err(implausible("a column has more values than rows"));
        }
    }
    Ok(())
}

/// The maximum number of bytes of an uncompressed page.
fn most_bytes(chunk: &ColumnChunkMetaData, rows: u64, packed: u64) -> u64 {
    // An upper bound for all supported compressions: zstd reaches 128 KiB out of four bytes.
    const RATIO: u64 = 1 << 15;
    // A number with its share of levels and dictionary, plus the padding of small pages.
    const NUMBER: u64 = 64;
    const PADDING: u64 = 4096;
    let by_ratio = packed.saturating_mul(RATIO).saturating_add(PADDING);
    match chunk.column_type() {
        Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => by_ratio,
        _ => by_ratio.min(rows.saturating_mul(NUMBER).saturating_add(PADDING)),
    }
}

fn read_header(bytes: &mut impl Read) -> Result<PageHeader> {
    let mut header = PageHeader::default();
    for_each_field(bytes, |id, kind, bytes| {
        let number = if kind == thrift::I32 { Some(signed(bytes)?) } else { None };
        match (id, number) {
            (1, Some(kind)) => header.kind = size(kind)?,
            (2, Some(unpacked)) => header.unpacked = size(unpacked)?,
            (3, Some(packed)) => header.packed = size(packed)?,
            (_, Some(_)) => {}
            // The headers of data pages and dictionaries all begin with the number of values.
            (5 | 7 | 8, None) if kind == thrift::STRUCT => {
                for_each_field(bytes, |id, kind, bytes| match id {
                    1 if kind == thrift::I32 => {
                        size(signed(bytes)?).map(|values| header.values = values)
                    }
                    _ => skip(kind, bytes, 0),
                })?
            }
            (_, None) => skip(kind, bytes, 0)?,
        }
        Ok(())
    })?;
    Ok(header)
}

pub(super) fn size(number: i64) -> Result<u64> {
    u64::try_from(number).map_err(|_| implausible("a page has a negative size"))
}

/// A reader that counts the bytes read.
struct Counted<R> {
    reader: R,
    count: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.count += count as u64;
        Ok(count)
    }
}

pub(super) fn implausible(what: &str) -> ParquetError {
    ParquetError::General(what.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ReadOptions, read_bytes};
    use arrow_array::{ArrayRef, Float32Array, Int32Array, RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::file::properties::{WriterProperties, WriterVersion};

    const ROWS: usize = 1000;

    fn file(
        encoding: Encoding,
        version: WriterVersion,
        nullable: bool,
        compression: Compression,
    ) -> Vec<u8> {
        let ids: Vec<String> = (0..ROWS).map(|row| format!("query {}", 1000 + row / 7)).collect();
        let last = if nullable { None } else { Some("end") };
        let documents = (0..ROWS).map(|row| if row + 1 == ROWS { last } else { Some("d") });
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("label", Arc::new(Int32Array::from_iter_values((0..ROWS as i32).map(|row| row % 5)))),
            ("qid", Arc::new(StringArray::from_iter_values(ids))),
            ("docid", Arc::new(documents.collect::<StringArray>())),
            ("a", Arc::new(Float32Array::from_iter_values((0..ROWS).map(|row| row as f32)))),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let properties = WriterProperties::builder()
            .set_writer_version(version)
            .set_compression(compression)
            .set_dictionary_enabled(false)
            .set_column_encoding("qid".into(), encoding)
            .set_column_encoding("docid".into(), encoding)
            .set_data_page_row_count_limit(300)
            .set_write_batch_size(100)
            .build();
        let mut bytes = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        bytes
    }

    /// The checks accept every form of a valid file.
    #[test]
    fn valid_pages_pass() {
        let zstd = Compression::ZSTD(ZstdLevel::default());
        for encoding in
            [Encoding::PLAIN, Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY]
        {
            for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
                for (nullable, compression) in [(false, Compression::SNAPPY), (true, zstd)] {
                    let bytes = file(encoding, version, nullable, compression);
                    let data = read_bytes(bytes, "a.parquet", &ReadOptions::default()).unwrap();
                    assert_eq!(data.queries().id(142), "query 1142");
                    assert_eq!(data.values()[ROWS - 1], 999.0);
                    assert_eq!(data.document_texts().unwrap().get(5), "d");
                }
            }
        }
    }

    /// From the third byte on, a page header holds the uncompressed size of the page.
    #[test]
    fn a_page_that_claims_a_gigabyte_is_rejected() {
        let (version, snappy) = (WriterVersion::PARQUET_1_0, Compression::SNAPPY);
        let good = file(Encoding::PLAIN, version, false, snappy);
        let file =
            parquet::file::reader::SerializedFileReader::new(bytes::Bytes::from(good.clone()))
                .unwrap();
        let group = parquet::file::reader::FileReader::metadata(&file).row_group(0);
        // 1200 bytes of 300 labels, and the texts of 300 ids: two and three bytes of a varint.
        for (column, claim) in [(0, &[0xff, 0x7f][..]), (1, &[0xff, 0x7f])] {
            let mut bytes = good.clone();
            let start = group.column(column).byte_range().0 as usize;
            assert_eq!((bytes[start], bytes[start + 1], bytes[start + 2]), (0x15, 0, 0x15));
            bytes[start + 3..start + 3 + claim.len()].copy_from_slice(claim);
            let error =
                read_bytes(bytes, "a.parquet", &ReadOptions::default()).unwrap_err().to_string();
            assert!(error.contains("the Parquet data is damaged"), "{error}");
        }
    }

    #[test]
    fn page_sizes_are_bounded_by_rows_and_compression() {
        let chunk = |kind| {
            let leaf =
                parquet::schema::types::Type::primitive_type_builder("a", kind).build().unwrap();
            let path = parquet::schema::types::ColumnPath::new(vec!["a".into()]);
            let column = parquet::schema::types::ColumnDescriptor::new(Arc::new(leaf), 0, 0, path);
            ColumnChunkMetaData::builder(Arc::new(column)).build().unwrap()
        };
        assert_eq!(most_bytes(&chunk(Type::DOUBLE), 1000, 100), 64_000 + 4096);
        assert_eq!(most_bytes(&chunk(Type::BYTE_ARRAY), 3, 100), (100 << 15) + 4096);
    }

    /// Two texts of lengths 3 and 5, and the same list with false claims.
    #[test]
    fn lists_of_lengths_cannot_claim_more_than_the_page() {
        let list = [128, 1, 4, 2, 6, 4, 0, 0, 0, 0, b'x'];
        assert_eq!(after_lengths(&list, 2), Some(&b"x"[..]));
        assert_eq!(after_lengths(&list, 1), None);
        let mut endless = list.to_vec();
        endless.splice(3..4, [0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]);
        assert_eq!(after_lengths(&endless, 1000), None);
        let no_parts = [128, 1, 0, 2, 6, 4];
        assert_eq!(after_lengths(&no_parts, 2), None);
    }

    #[test]
    fn lengths_are_decoded() {
        let list = [128, 1, 4, 2, 6, 4, 0, 0, 0, 0, b'x'];
        assert_eq!(DeltaLengths::new(&list).collect::<Vec<u32>>(), [3, 5]);
        assert_eq!(DeltaLengths::new(&list[..4]).count(), 0);
        // 7, and the differences 1 + 0, 1 + 1, 1 + 2, 1 + 3 and 1 + 0 in two bits each.
        let list = [128u8, 1, 4, 6, 14, 2, 2, 0, 0, 0, 0b1110_0100, 0];
        assert_eq!(DeltaLengths::new(&list).collect::<Vec<u32>>(), [7, 8, 10, 13, 17, 18]);
        assert_eq!(after_lengths(&list, 6), Some(&b""[..]));
        // 7, 7 + 8, 10 + 10, 13 + 13, 17 + 17, 18 + 18: the first two prefixes are too long.
        assert_eq!(longest_joined(DeltaLengths::new(&list), DeltaLengths::new(&list)), 36);
    }

    #[test]
    fn implausible_headers_are_rejected() {
        for bytes in [
            &b""[..],
            // A negative size, and a list of booleans.
            &[0x25, 1, 0],
            &[0x19, 0x11, 0],
        ] {
            assert!(read_header(&mut &bytes[..]).is_err(), "{bytes:?}");
        }
        let header =
            read_header(&mut &[0x15, 0, 0x15, 20, 0x15, 8, 0x2c, 0x15, 6, 0, 0][..]).unwrap();
        assert_eq!((header.kind, header.unpacked, header.packed, header.values), (0, 10, 4, 3));
    }
}
