//! Pages of a Parquet file, checked before the decoder allocates memory on their word.
//!
//! A file of a few hundred bytes can claim pages of gigabytes. Where memory runs out the whole program ends, and no
//! caller can catch that, so sizes are compared here with what a column of so many rows can have.

use std::io::Read;
use std::sync::Arc;

use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;

type Result<T> = std::result::Result<T, ParquetError>;

/// One row group of a file, as the decoder wants it, with checked pages.
pub(crate) struct CheckedGroup<R> {
    pub file: Arc<R>,
    pub metadata: Arc<ParquetMetaData>,
    pub group: usize,
}

impl<R: ChunkReader + 'static> RowGroups for CheckedGroup<R> {
    fn num_rows(&self) -> usize {
        self.metadata.row_group(self.group).num_rows() as usize
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>> {
        let group = self.metadata.row_group(self.group);
        let chunk = group.columns().get(column).ok_or_else(|| implausible("a column is not there"))?;
        check_headers(&*self.file, chunk, group.num_rows() as u64)?;
        let pages = SerializedPageReader::new(self.file.clone(), chunk, self.num_rows(), None)?;
        let optional = chunk.column_descr().max_def_level() > 0;
        Ok(Box::new(OneChunk(Some(CheckedPages { pages, optional }))))
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
    /// Values may be null: pages begin with levels that say which are.
    optional: bool,
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
        page.iter().try_for_each(|page| check_page(page, self.optional))?;
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

/// Texts with their lengths up front: the decoder makes room for as many lengths as the page says there are.
fn check_page(page: &Page, optional: bool) -> Result<()> {
    let streams = match page.encoding() {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
        Encoding::DELTA_BYTE_ARRAY => 2,
        _ => return Ok(()),
    };
    let (bytes, levels) = match page {
        Page::DataPage { buf, .. } if optional => {
            (buf, buf.first_chunk().map_or(usize::MAX, |length| 4 + u32::from_le_bytes(*length) as usize))
        }
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            (buf, *def_levels_byte_len as usize + *rep_levels_byte_len as usize)
        }
        Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => (buf, 0),
    };
    let mut values = bytes.get(levels..);
    for _ in 0..streams {
        values = values.and_then(|values| after_lengths(values, u64::from(page.num_values())));
    }
    values.map(|_| ()).ok_or_else(|| implausible("a page has more texts than values"))
}

/// What follows a list of lengths, packed as differences in blocks; `None` where it has more than `most` of them.
fn after_lengths(mut bytes: &[u8], most: u64) -> Option<&[u8]> {
    let block = varint(&mut bytes).ok()?;
    let parts = usize::try_from(varint(&mut bytes).ok()?).ok()?;
    let count = varint(&mut bytes).ok().filter(|&count| count <= most)?;
    let part = block.checked_div(parts as u64)?;
    varint(&mut bytes).ok()?;
    // The first one stands in the header.
    let mut left = count.saturating_sub(1);
    while left > 0 && part > 0 {
        varint(&mut bytes).ok()?;
        let (widths, rest) = bytes.split_at_checked(parts)?;
        bytes = rest;
        for &width in widths {
            let size = if left == 0 { 0 } else { part.checked_mul(width.into())? / 8 };
            // The last part may be cut off where its values end.
            bytes = bytes.get(usize::try_from(size).ok()?.min(bytes.len())..)?;
            left = left.saturating_sub(part);
        }
    }
    Some(bytes)
}

/// What the header of a page says.
#[derive(Default)]
struct Header {
    kind: u64,
    unpacked: u64,
    packed: u64,
    values: u64,
}

const INDEX_PAGE: u64 = 1;
const DICTIONARY_PAGE: u64 = 2;

fn check_headers<R: ChunkReader>(file: &R, chunk: &ColumnChunkMetaData, rows: u64) -> Result<()> {
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

/// Bytes a page can have once it is unpacked.
fn most_bytes(chunk: &ColumnChunkMetaData, rows: u64, packed: u64) -> u64 {
    // No compression in use makes more out of less: zstd reaches 128 KiB out of four bytes.
    const RATIO: u64 = 1 << 15;
    // A number and its share of levels and dictionary, with room for the padding of small pages.
    const NUMBER: u64 = 64;
    const PADDING: u64 = 4096;
    let by_ratio = packed.saturating_mul(RATIO).saturating_add(PADDING);
    match chunk.column_type() {
        Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => by_ratio,
        _ => by_ratio.min(rows.saturating_mul(NUMBER).saturating_add(PADDING)),
    }
}

fn read_header(bytes: &mut impl Read) -> Result<Header> {
    let mut header = Header::default();
    for_each_field(bytes, |id, kind, bytes| {
        let number = if kind == Thrift::I32 { Some(signed(bytes)?) } else { None };
        match (id, number) {
            (1, Some(kind)) => header.kind = size(kind)?,
            (2, Some(unpacked)) => header.unpacked = size(unpacked)?,
            (3, Some(packed)) => header.packed = size(packed)?,
            (_, Some(_)) => {}
            // The headers of data pages and dictionaries all begin with the number of values.
            (5 | 7 | 8, None) if kind == Thrift::STRUCT => {
                for_each_field(bytes, |id, kind, bytes| match id {
                    1 if kind == Thrift::I32 => size(signed(bytes)?).map(|values| header.values = values),
                    _ => skip(kind, bytes, 0),
                })?
            }
            (_, None) => skip(kind, bytes, 0)?,
        }
        Ok(())
    })?;
    Ok(header)
}

fn size(number: i64) -> Result<u64> {
    u64::try_from(number).map_err(|_| implausible("a page has a negative size"))
}

/// The types of Thrift's compact protocol that matter here.
struct Thrift;

impl Thrift {
    const TRUE: u8 = 1;
    const FALSE: u8 = 2;
    const BYTE: u8 = 3;
    const I16: u8 = 4;
    const I32: u8 = 5;
    const I64: u8 = 6;
    const DOUBLE: u8 = 7;
    const BINARY: u8 = 8;
    const STRUCT: u8 = 12;
}

/// Visits the fields of a struct with their ids and types; the visitor takes each value.
fn for_each_field<R: Read>(
    bytes: &mut R,
    mut visit: impl FnMut(i64, u8, &mut R) -> Result<()>,
) -> Result<()> {
    let mut id = 0i64;
    loop {
        let byte = one(bytes)?;
        let (step, kind) = (byte >> 4, byte & 15);
        if kind == 0 {
            return Ok(());
        }
        id = if step == 0 { signed(bytes)? } else { id.wrapping_add(step.into()) };
        visit(id, kind, bytes)?;
    }
}

/// Passes over a value. Page headers hold no lists or maps, and structs (statistics) only one in another.
fn skip<R: Read>(kind: u8, bytes: &mut R, depth: usize) -> Result<()> {
    match kind {
        Thrift::TRUE | Thrift::FALSE => Ok(()),
        Thrift::BYTE => pass(bytes, 1),
        Thrift::I16 | Thrift::I32 | Thrift::I64 => varint(bytes).map(|_| ()),
        Thrift::DOUBLE => pass(bytes, 8),
        Thrift::BINARY => {
            let length = varint(bytes)?;
            pass(bytes, length)
        }
        Thrift::STRUCT if depth < 8 => for_each_field(bytes, |_, kind, bytes| skip(kind, bytes, depth + 1)),
        _ => Err(implausible("a page header of an unknown form")),
    }
}

fn pass(bytes: &mut impl Read, count: u64) -> Result<()> {
    match std::io::copy(&mut bytes.take(count), &mut std::io::sink())? == count {
        true => Ok(()),
        false => Err(ParquetError::EOF("a page header is cut off".into())),
    }
}

fn one(bytes: &mut impl Read) -> Result<u8> {
    let mut byte = [0];
    bytes.read_exact(&mut byte)?;
    Ok(byte[0])
}

fn varint(bytes: &mut impl Read) -> Result<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = one(bytes)?;
        value |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Ok(value);
        }
    }
    Err(implausible("a number of more than 64 bits"))
}

fn signed(bytes: &mut impl Read) -> Result<i64> {
    let zigzag = varint(bytes)?;
    Ok((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
}

/// A reader that knows how much was read.
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

fn implausible(what: &str) -> ParquetError {
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

    fn file(encoding: Encoding, version: WriterVersion, nullable: bool, compression: Compression) -> Vec<u8> {
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
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        bytes
    }

    /// The checks know every form that a good file can have.
    #[test]
    fn good_pages_pass() {
        let zstd = Compression::ZSTD(ZstdLevel::default());
        for encoding in [Encoding::PLAIN, Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
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

    /// The third byte on of a page header is the size of the page once it is unpacked.
    #[test]
    fn a_page_that_claims_a_gigabyte_is_refused() {
        let (version, snappy) = (WriterVersion::PARQUET_1_0, Compression::SNAPPY);
        let good = file(Encoding::PLAIN, version, false, snappy);
        let file =
            parquet::file::reader::SerializedFileReader::new(bytes::Bytes::from(good.clone())).unwrap();
        let group = parquet::file::reader::FileReader::metadata(&file).row_group(0);
        // 1200 bytes of 300 labels, and the texts of 300 ids: two and three bytes of a varint.
        for (column, claim) in [(0, &[0xff, 0x7f][..]), (1, &[0xff, 0x7f])] {
            let mut bytes = good.clone();
            let start = group.column(column).byte_range().0 as usize;
            assert_eq!((bytes[start], bytes[start + 1], bytes[start + 2]), (0x15, 0, 0x15));
            bytes[start + 3..start + 3 + claim.len()].copy_from_slice(claim);
            let error = read_bytes(bytes, "a.parquet", &ReadOptions::default()).unwrap_err().to_string();
            assert!(error.contains("the Parquet data is damaged"), "{error}");
        }
    }

    #[test]
    fn sizes_of_pages_are_bounded_by_rows_and_compression() {
        let chunk = |kind| {
            let leaf = parquet::schema::types::Type::primitive_type_builder("a", kind).build().unwrap();
            let path = parquet::schema::types::ColumnPath::new(vec!["a".into()]);
            let column = parquet::schema::types::ColumnDescriptor::new(Arc::new(leaf), 0, 0, path);
            ColumnChunkMetaData::builder(Arc::new(column)).build().unwrap()
        };
        assert_eq!(most_bytes(&chunk(Type::DOUBLE), 1000, 100), 64_000 + 4096);
        assert_eq!(most_bytes(&chunk(Type::BYTE_ARRAY), 3, 100), (100 << 15) + 4096);
    }

    /// Two texts of lengths 3 and 5, and what happens to such a list when it claims more.
    #[test]
    fn lists_of_lengths_cannot_claim_more_than_there_are() {
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
    fn headers_that_make_no_sense_are_refused() {
        for bytes in [
            &b""[..],
            // A negative size, a list, structs in structs in structs, a text of any length.
            &[0x25, 1, 0],
            &[0x19, 0x11, 0],
            &[0x1c; 40],
            &[0x18, 0xff, 0xff, 0xff, 0xff, 0x7f],
            &[0xff; 30],
        ] {
            assert!(read_header(&mut &bytes[..]).is_err(), "{bytes:?}");
        }
        let header = read_header(&mut &[0x15, 0, 0x15, 20, 0x15, 8, 0x2c, 0x15, 6, 0, 0][..]).unwrap();
        assert_eq!((header.kind, header.unpacked, header.packed, header.values), (0, 10, 4, 3));
    }
}
