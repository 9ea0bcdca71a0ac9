//! Parses a block of lines in LETOR format into rows.

use super::number;
use super::options::{ReadOptions, shorten};
use super::row_block::{BlockValues, QueryRun, RowBlock};
use crate::data::text_column::TextColumn;
use crate::error::{Location, Problem, Result};

/// The rows of one block of text.
pub(super) struct ParsedBlock {
    pub rows: RowBlock,
    /// Whether some row omits features.
    pub sparse: bool,
    /// The first line without `qid:`.
    pub without_query: Option<u64>,
}

/// The rows of one block while it is parsed.
///
/// Rows are assumed to be dense, with ids 1, 2, 3 … up to the width of the first row, until one is
/// not; only then are ids stored. Most files are dense, and parsing them takes no memory beyond the
/// values.
pub(super) struct BlockParser<'a> {
    options: &'a ReadOptions,
    line: u64,
    first_id: u32,
    values: Vec<f32>,
    labels: Vec<f32>,
    runs: Vec<QueryRun>,
    documents: Option<TextColumn>,
    width: usize,
    sparse: Option<SparseRows>,
    without_query: Option<u64>,
}

#[derive(Default)]
struct SparseRows {
    ends: Vec<usize>,
    features: Vec<u32>,
}

impl<'a> BlockParser<'a> {
    pub fn new(options: &'a ReadOptions, first_line: u64) -> Self {
        BlockParser {
            options,
            line: first_line,
            first_id: u32::from(!options.zero_based),
            values: Vec::new(),
            labels: Vec::new(),
            runs: Vec::new(),
            documents: None,
            width: 0,
            sparse: None,
            without_query: None,
        }
    }

    pub fn parse(mut self, bytes: &[u8], file: &str) -> Result<ParsedBlock> {
        let mut start = 0;
        while start < bytes.len() {
            let end =
                memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |length| start + length);
            self.row(&bytes[start..end])
                .map_err(|problem| problem.at(Location::line(file, self.line)))?;
            self.line += 1;
            start = end + 1;
        }
        self.finish()
    }

    /// Parses one line: blank, a comment, or a document.
    fn row(&mut self, line: &[u8]) -> Result<(), Problem> {
        // Only the line end is removed: a comment keeps trailing blanks, so that writing it again
        // changes nothing.
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let (row, comment) = match memchr::memchr(b'#', line) {
            Some(hash) => (&line[..hash], Some(&line[hash + 1..])),
            None => (line, None),
        };
        let row = row.trim_ascii_end();
        let Some(label_start) = row.iter().position(|b| !b.is_ascii_whitespace()) else {
            return Ok(());
        };
        let label_end = word_end(row, label_start);
        let Some(label) = self.options.parse_label(utf8(&row[label_start..label_end])?)? else {
            return Ok(());
        };
        let mut at = next_word(row, label_end);
        if row[at..].starts_with(b"qid:") {
            let end = word_end(row, at);
            self.query(&row[at + 4..end])?;
            at = next_word(row, end);
        } else if self.without_query.is_none() {
            self.without_query = Some(self.line);
        }
        self.features(row, at)?;
        self.document(comment)?;
        self.labels.push(label);
        Ok(())
    }

    fn query(&mut self, id: &[u8]) -> Result<(), Problem> {
        if id.is_empty() {
            return Err(Problem::MissingQuery);
        }
        if self.runs.last().is_none_or(|run| run.query.as_bytes() != id) {
            let query = utf8(id)?.to_owned();
            self.runs.push(QueryRun { query, first_row: self.labels.len(), line: self.line });
        }
        Ok(())
    }

    /// Parses the `id:value` words of a row, from `at` on.
    fn features(&mut self, row: &[u8], mut at: usize) -> Result<(), Problem> {
        let row_start = self.values.len();
        let mut next = 0u32;
        while at < row.len() {
            let (id, length) = number::unsigned(&row[at..]);
            if length == 0 || row.get(at + length) != Some(&b':') {
                return Err(not_a_feature(row, at));
            }
            // The number of features must also fit into 32 bits.
            let limit = self.options.max_feature_id.min(u32::MAX - 1);
            let feature = match id.filter(|&id| id <= limit) {
                Some(id) if id >= self.first_id => id - self.first_id,
                Some(_) => return Err(Problem::FeatureZero),
                None => {
                    return Err(Problem::FeatureBeyondLimit {
                        id: text(&row[at..at + length]),
                        limit: limit.into(),
                    });
                }
            };
            if feature < next {
                let (id, previous) =
                    (u64::from(feature + self.first_id), u64::from(next - 1 + self.first_id));
                return Err(match id == previous {
                    true => Problem::DuplicateFeature { id },
                    false => Problem::DescendingFeature { id, previous },
                });
            }
            if feature != next && self.sparse.is_none() {
                self.become_sparse(row_start);
            }
            next = feature + 1;
            at += length + 1;
            let end = self.value(row, at, feature)?;
            if let Some(sparse) = &mut self.sparse {
                sparse.features.push(feature);
            }
            at = next_word(row, end);
        }
        if self.labels.is_empty() && self.sparse.is_none() {
            self.width = next as usize;
        } else if next as usize != self.width && self.sparse.is_none() {
            self.become_sparse(row_start);
        }
        if let Some(sparse) = &mut self.sparse {
            sparse.ends.push(self.values.len());
        }
        Ok(())
    }

    /// Parses the value that starts at `at`; returns where it ends.
    #[inline]
    fn value(&mut self, row: &[u8], at: usize, feature: u32) -> Result<usize, Problem> {
        if let Some((value, length)) = number::plain_decimal(&row[at..])
            && row.get(at + length).is_none_or(u8::is_ascii_whitespace)
        {
            self.values.push(value);
            return Ok(at + length);
        }
        let end = word_end(row, at);
        let what = || format!("the value of feature {}", feature + self.first_id);
        self.values.push(self.options.parse_value(utf8(&row[at..end])?, what)?);
        Ok(end)
    }

    /// Stores the ids of the dense rows so far, and of the row that starts at `row_start`.
    fn become_sparse(&mut self, row_start: usize) {
        let mut sparse = SparseRows::default();
        for row in 0..self.labels.len() {
            sparse.features.extend(0..self.width as u32);
            sparse.ends.push((row + 1) * self.width);
        }
        sparse.features.extend(0..(self.values.len() - row_start) as u32);
        self.sparse = Some(sparse);
    }

    fn document(&mut self, comment: Option<&[u8]>) -> Result<(), Problem> {
        match (comment, &mut self.documents) {
            (None, None) => {}
            (comment, Some(texts)) => texts.push(utf8(comment.unwrap_or_default())?),
            (Some(comment), none) => {
                let texts = none.insert(TextColumn::default());
                (0..self.labels.len()).for_each(|_| texts.push(""));
                texts.push(utf8(comment)?);
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<ParsedBlock> {
        let sparse = self.sparse.is_some();
        let values = match self.sparse {
            Some(SparseRows { ends, features }) => {
                BlockValues::from_sparse(ends, features, self.values)?
            }
            None => BlockValues::from_rows(&self.values, self.width)?,
        };
        let rows = RowBlock {
            values,
            labels: self.labels,
            runs: self.runs,
            documents: self.documents,
            later_missing: false,
        };
        Ok(ParsedBlock { rows, sparse, without_query: self.without_query })
    }
}

fn word_end(row: &[u8], at: usize) -> usize {
    row[at..].iter().position(u8::is_ascii_whitespace).map_or(row.len(), |length| at + length)
}

#[inline]
fn next_word(row: &[u8], mut at: usize) -> usize {
    while row.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

fn utf8(bytes: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(bytes).map_err(|_| Problem::NotUtf8)
}

fn text(bytes: &[u8]) -> String {
    shorten(&String::from_utf8_lossy(bytes))
}

fn not_a_feature(row: &[u8], at: usize) -> Problem {
    let word = &row[at..word_end(row, at)];
    match word.starts_with(b"qid:") {
        true => Problem::NotAFeature { text: "a second qid:".into() },
        false => Problem::NotAFeature { text: text(word) },
    }
}
