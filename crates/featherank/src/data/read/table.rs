//! CSV and TSV with a header, read row by row, never with the whole file in memory.

use std::io::{self, Cursor, Read};
use std::path::Path;

use super::FileFeatures;
use super::assemble::Assembler;
use super::columns::ColumnRoles;
use super::number;
use super::options::{Format, ReadOptions};
use super::row_collector::RowCollector;
use super::source::{BYTE_ORDER_MARK, Source};
use crate::error::{Error, Location, Problem, Result};

/// Reads one file into the assembler.
pub(crate) fn read(
    source: Source,
    separator: u8,
    options: &ReadOptions,
    into: &mut Assembler<'_>,
) -> Result<FileFeatures> {
    let name = source.name().to_owned();
    into.start_file(&name);
    let mut rows = TableRows::open(source, separator, options.max_bytes)?;
    let Some(_) = rows.next()? else { return Err(Problem::Empty.at(Location::file(&name))) };
    rows.check_header()?;
    let header = header(&rows.record).map_err(|problem| problem.at(Location::file(&name)))?;
    let columns = ColumnRoles::assign(&header, None, options, &name)?;
    let mut collected = RowCollector::new(columns.features.len());
    let mut row = RowParser { header: &header, columns: &columns, options, values: Vec::new() };
    while let Some(line) = rows.next()? {
        row.parse(&rows.record, line, &mut collected)
            .map_err(|problem| problem.at(Location::line(&name, line)))?;
        if collected.is_full() {
            into.push(collected.take()?)?;
        }
    }
    into.push(collected.take()?)?;
    Ok(FileFeatures { table: columns.table, flexible: false })
}

/// The start of the file, the rest of it, and two more line ends. The first ends the last row; the
/// second is read only if the first did not, within a quote.
struct Input {
    start: Cursor<Vec<u8>>,
    source: Source,
    line_ends: usize,
    /// Bytes that may still be read for the current row.
    remaining: usize,
    /// The cells of the header, while it is read.
    header: Option<HeaderCells>,
}

/// The number of cells in a header. A cell takes one byte of the file, or almost none if it is
/// compressed, and much more when its name is stored.
struct HeaderCells {
    separator: u8,
    /// Separators so far.
    separators: u64,
    /// The memory limit, in bytes.
    limit: u64,
}

impl HeaderCells {
    /// What a cell takes, in bytes: its end in the row, its name as text, as the key of a table and
    /// as the name of a feature.
    const CELL: u64 = 128;
    /// Headers that take this much are read under any limit on the memory.
    const ALWAYS: u64 = 1 << 20;

    fn new(separator: u8, max_bytes: u64) -> Self {
        HeaderCells { separator, separators: 0, limit: max_bytes.max(Self::ALWAYS) }
    }

    fn allows(&self, cells: u64) -> bool {
        cells.saturating_mul(Self::CELL) <= self.limit
    }

    fn exceeded(&self) -> bool {
        !self.allows(self.separators + 1)
    }

    fn problem(&self) -> Problem {
        Problem::UnpackedTooLarge { limit_mib: self.limit >> 20 }
    }
}

impl Input {
    /// The maximum number of bytes of a row. Otherwise an unclosed quote would bring the rest of
    /// the file into memory.
    const LONGEST_ROW: usize = 64 << 20;
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.remaining == 0 {
            return Err(io::Error::other("too long"));
        }
        // What was read before belongs to the header: otherwise it would be complete.
        if self.header.as_ref().is_some_and(HeaderCells::exceeded) {
            return Err(io::Error::other("too many columns"));
        }
        let mut count = self.start.read(buffer)?;
        if count == 0 {
            count = self.source.read(buffer)?;
        }
        if count == 0 && self.line_ends < 2 {
            self.line_ends += 1;
            count = (&b"\n"[..]).read(buffer)?;
        }
        self.remaining = self.remaining.saturating_sub(count);
        if let Some(header) = &mut self.header {
            let read = buffer.get(..count).unwrap_or_default();
            header.separators += memchr::memchr_iter(header.separator, read).count() as u64;
        }
        Ok(count)
    }
}

/// The separator that is used: a semicolon if the header has some and no commas. Spreadsheets write
/// this in locales with a decimal comma.
fn separator_of(start: &[u8], given: u8) -> u8 {
    let header = first_line(start).unwrap_or(start);
    let has = |byte| memchr::memchr(byte, header).is_some();
    if given == b',' && !has(b',') && has(b';') { b';' } else { given }
}

/// The separator that [`read`](crate::data::read) uses for a CSV file, if it is not a comma.
pub fn guessed_separator(path: &Path, options: &ReadOptions) -> Result<Option<char>> {
    let name = path.display().to_string();
    // A pipe can be read only once.
    if !path.is_file() || options.format.or(Format::from_name(&name)) != Some(Format::Csv) {
        return Ok(None);
    }
    let start = TableRows::start(&mut Source::open(path)?)?;
    Ok(Some(char::from(separator_of(&start, b','))).filter(|&separator| separator != ','))
}

/// The records of a table with their line numbers.
struct TableRows {
    reader: csv::Reader<Input>,
    record: csv::ByteRecord,
}

impl TableRows {
    /// Enough of a file to hold the header of any reasonable table.
    const HEADER_BYTES: usize = 1 << 20;

    fn open(mut source: Source, separator: u8, max_bytes: u64) -> Result<Self> {
        let start = Self::start(&mut source)?;
        let separator = separator_of(&start, separator);
        let reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .has_headers(false)
            // Ragged rows are reported by our own error.
            .flexible(true)
            .terminator(csv::Terminator::Any(b'\n'))
            .buffer_capacity(1 << 17)
            .from_reader(Input {
                start: Cursor::new(start),
                source,
                line_ends: 0,
                remaining: Input::LONGEST_ROW,
                header: Some(HeaderCells::new(separator, max_bytes)),
            });
        Ok(TableRows { reader, record: csv::ByteRecord::new() })
    }

    /// The start of a table, with at least its header.
    fn start(source: &mut Source) -> Result<Vec<u8>> {
        let mut start = Vec::new();
        while first_line(&start).is_none() && start.len() < Self::HEADER_BYTES {
            let target = start.len() + (1 << 13);
            if source.fill(&mut start, target)? {
                break;
            }
        }
        if start.starts_with(BYTE_ORDER_MARK) {
            start.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(start)
    }

    /// Ends the header, which is the current row; an error if it has too many cells for the limit.
    fn check_header(&mut self) -> Result<()> {
        match self.reader.get_mut().header.take() {
            Some(header) if !header.allows(self.record.len() as u64) => {
                let name = self.reader.get_ref().source.name();
                Err(header.problem().at(Location::file(name)))
            }
            _ => Ok(()),
        }
    }

    /// Reads the next nonblank row into `record`; returns the line on which it starts.
    fn next(&mut self) -> Result<Option<u64>> {
        loop {
            self.reader.get_mut().remaining = Input::LONGEST_ROW;
            let start = self.reader.position().line();
            let more = self.reader.read_byte_record(&mut self.record);
            let input = self.reader.get_ref();
            let at = |line| Location::line(input.source.name(), line);
            match more {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(_) if input.remaining == 0 => {
                    let limit_mib = Input::LONGEST_ROW as u64 >> 20;
                    return Err(Problem::TooLong { what: "row", limit_mib }.at(at(start)));
                }
                Err(error) => {
                    return Err(match input.header.as_ref().filter(|header| header.exceeded()) {
                        Some(header) => header.problem().at(Location::file(input.source.name())),
                        None => explain(error, &input.source),
                    });
                }
            }
            let blank = self.record.len() == 1 && self.record[0].trim_ascii().is_empty();
            if !blank {
                // Every record ends with a line feed, the last one because of the one added. The
                // record's own position would be that of the blank lines before it.
                let inside = memchr::memchr_iter(b'\n', self.record.as_slice()).count() as u64;
                let end = self.reader.position().line();
                return match input.line_ends {
                    2 => Err(Problem::UnclosedQuote.at(at(end - inside))),
                    _ => Ok(Some(end - 1 - inside)),
                };
            }
        }
    }
}

/// The first nonblank line, if it is complete.
fn first_line(bytes: &[u8]) -> Option<&[u8]> {
    let start = bytes.iter().position(|b| !b.is_ascii_whitespace())?;
    let length = memchr::memchr(b'\n', &bytes[start..])?;
    Some(&bytes[start..start + length])
}

fn explain(error: csv::Error, source: &Source) -> Error {
    let message = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(error) => source.explain(error),
        _ => Error::io("read", source.name(), std::io::Error::other(message)),
    }
}

fn header(record: &csv::ByteRecord) -> Result<Vec<String>, Problem> {
    let names: Vec<String> =
        record.iter().map(|cell| text(cell).map(String::from)).collect::<Result<_, _>>()?;
    match names.iter().all(|name| name.parse::<f64>().is_ok()) {
        true => Err(Problem::NoHeader),
        false => Ok(names),
    }
}

fn text(cell: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(cell.trim_ascii()).map_err(|_| Problem::NotUtf8)
}

struct RowParser<'a> {
    header: &'a [String],
    columns: &'a ColumnRoles,
    options: &'a ReadOptions,
    values: Vec<f32>,
}

impl RowParser<'_> {
    fn parse(
        &mut self,
        row: &csv::ByteRecord,
        line: u64,
        into: &mut RowCollector,
    ) -> Result<(), Problem> {
        if row.len() != self.header.len() {
            return Err(Problem::RaggedRow { expected: self.header.len(), found: row.len() });
        }
        let query = text(&row[self.columns.query])?;
        if query.is_empty() {
            return Err(Problem::MissingQuery);
        }
        let document = self.columns.document.map(|place| text(&row[place])).transpose()?;
        let label = match text(&row[self.columns.label])? {
            "" => self
                .options
                .no_label(query, || document.map_or(format!("on line {line}"), String::from))?,
            label => self.options.parse_label(label)?,
        };
        let Some(label) = label else { return Ok(()) };
        self.values.clear();
        for &place in &self.columns.features {
            let value = self.value(row[place].trim_ascii(), place)?;
            self.values.push(value);
        }
        into.push(&self.values, label, query, document, line);
        Ok(())
    }

    fn value(&self, cell: &[u8], place: usize) -> Result<f32, Problem> {
        match number::plain_decimal(cell) {
            Some((value, length)) if length == cell.len() => Ok(value),
            _ => {
                let what = || format!("the value of column `{}`", self.header[place]);
                self.options.parse_value(text(cell)?, what)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{ReadOptions, read_bytes};

    fn error(text: &str) -> String {
        read_bytes(text.into(), "t.csv", &ReadOptions::default()).unwrap_err().to_string()
    }

    /// Blank lines, Windows line ends and quoted line feeds all count as lines.
    #[test]
    fn lines_are_counted_as_an_editor_does() {
        for text in [
            "label,qid,a\n0,1,1\n\n\n0,1,x\n",
            "label,qid,a\r\n\r\n0,1,1\r\n\r\n0,1,x",
            "label,qid,a\n0,\"1\n2\",1\n0,3,1\n0,3,x",
        ] {
            assert!(error(text).contains("t.csv, line 5\n"), "{text:?}: {}", error(text));
        }
    }

    #[test]
    fn an_unclosed_quote_is_reported_with_its_row() {
        for text in
            ["label,qid,a\n\n0,\"1,1\n0,2,3\n", "label,qid,a\n0,1,1\n0,1,\"2", "\n\n\"label,qid"]
        {
            let message = error(text);
            assert!(
                message.contains("opens a quote") && message.contains("t.csv, line 3\n"),
                "{message}"
            );
        }
        let closed = "label,qid,a\n0,\"1\n\",1\n0,1,\"2\"";
        assert!(read_bytes(closed.into(), "t.csv", &ReadOptions::default()).is_ok());
    }

    /// Otherwise a few kilobytes of compressed data could use up all memory.
    #[test]
    fn an_endless_row_is_rejected() {
        let text = std::io::Read::chain(&b"label,qid,a\n0,1,\""[..], std::io::repeat(b'x'));
        let source = super::Source::from_reader(Box::new(text), "t.csv".into()).unwrap();
        let options = ReadOptions::default();
        let error = super::read(source, b',', &options, &mut super::Assembler::new(&options))
            .err()
            .unwrap();
        let error = error.to_string();
        assert!(error.contains("this row is longer than 64 MiB\n  --> t.csv, line 2\n"), "{error}");
    }

    /// Names take much more memory than the commas between them, which compress to almost nothing.
    #[test]
    fn the_cells_of_a_header_count_against_the_limit() {
        let options = ReadOptions { max_bytes: 2 << 20, ..ReadOptions::default() };
        for columns in [20_000, 2_000_000] {
            let text = format!("label,qid{}\n0,1\n", ",".repeat(columns));
            let error = read_bytes(text.into(), "t.csv", &options).unwrap_err().to_string();
            assert!(error.contains("more than the limit of 2 MiB"), "{error}");
        }
        let names: String = (0..16_000).map(|i| format!(",f{i}")).collect();
        let text = format!("label,qid{names}\n1,1{}\n", ",0".repeat(16_000));
        assert_eq!(read_bytes(text.into(), "t.csv", &options).unwrap().documents(), 1);
    }

    #[test]
    fn a_numeric_header_is_data() {
        assert!(error("0,1,0.5\n1,1,0.7\n").contains("looks like data"));
    }

    #[test]
    fn rows_keep_their_order_across_blocks() {
        let rows: String = (0..10_000).map(|i| format!("{},{},{i}\n", i % 3, i / 7)).collect();
        let data =
            read_bytes(format!("label,qid,a\n{rows}").into(), "t.csv", &ReadOptions::default())
                .unwrap();
        assert!(data.values().iter().enumerate().all(|(i, &v)| v == i as f32));
        assert_eq!(data.queries().len(), 1429);
    }
}
