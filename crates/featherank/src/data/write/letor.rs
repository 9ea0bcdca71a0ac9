//! LETOR text: `2 qid:7 1:0.5 2:3.1 # comment`, formatted on all cores, written in order.

use std::fmt::Write as _;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::{WriteFailure, WriteOptions, write_atomically};
use crate::data::dataset::Dataset;
use crate::data::features::FeatureId;
use crate::error::{Error, Result};

/// Rows formatted as one piece: a few hundred KiB of text.
const PIECE_ROWS: usize = 1024;

/// Writes all rows.
pub(super) fn write(
    data: &Dataset,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> std::result::Result<(), WriteFailure> {
    let rows = RowFormatter::new(data, options)?;
    let pieces = pieces(data);
    // One wave at a time: all cores format, and no more text than one wave is in memory.
    for wave in pieces.chunks(4 * rayon::current_num_threads()) {
        let texts: Vec<String> =
            wave.par_iter().map(|queries| rows.format(queries.clone())).collect();
        for text in texts {
            out.write_all(text.as_bytes())?;
        }
    }
    Ok(out.flush()?)
}

/// Consecutive queries with about [`PIECE_ROWS`] documents.
fn pieces(data: &Dataset) -> Vec<Range<usize>> {
    let (mut pieces, mut start, mut rows) = (Vec::new(), 0, 0);
    for (query, size) in data.queries().sizes().enumerate() {
        rows += size;
        if rows >= PIECE_ROWS || query + 1 == data.queries().len() {
            pieces.push(start..query + 1);
            (start, rows) = (query + 1, 0);
        }
    }
    pieces
}

struct RowFormatter<'a> {
    data: &'a Dataset,
    sparse: bool,
    /// Columns with ` id:`, in ascending order of id, as readers of the format require.
    features: Vec<(FeatureId, String)>,
}

impl<'a> RowFormatter<'a> {
    fn new(data: &'a Dataset, options: &WriteOptions) -> Result<Self> {
        let mut ids: Vec<(u32, FeatureId)> =
            data.features().iter().map(|(at, f)| (f.id, at)).collect();
        ids.sort_unstable();
        if let Some(pair) = ids.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(Error::unsupported(
                format!("two features have the id {}, which text rows cannot hold", pair[0].0),
                "write Parquet, which distinguishes features by name",
            ));
        }
        if let Some(id) = data.queries().ids().iter().find(|id| !is_word(id)) {
            return Err(Error::unsupported(
                format!(
                    "the query id `{id}` is empty or contains a space or `#`, which text rows cannot hold"
                ),
                "write Parquet, or rename the query",
            ));
        }
        let breaks = |text: &&str| text.contains('\n');
        if let Some(text) = data.document_texts().and_then(|texts| texts.iter().find(breaks)) {
            return Err(Error::unsupported(
                format!(
                    "the document text {text:?} contains a line break, which text rows cannot hold"
                ),
                "write Parquet, or remove the line breaks from the document column",
            ));
        }
        let features = ids.into_iter().map(|(id, at)| (at, format!(" {id}:"))).collect();
        Ok(RowFormatter { data, sparse: options.sparse, features })
    }

    fn format(&self, queries: Range<usize>) -> String {
        let mut text = String::new();
        for query in queries {
            let id = self.data.queries().id(query);
            for row in self.data.queries().rows(query) {
                push_number(&mut text, self.data.labels()[row]);
                text.push_str(" qid:");
                text.push_str(id);
                self.push_features(&mut text, row);
                if let Some(texts) = self.data.document_texts() {
                    text.push_str(" #");
                    text.push_str(texts.get(row));
                }
                text.push('\n');
            }
        }
        text
    }

    fn push_features(&self, text: &mut String, row: usize) {
        for (place, (feature, id)) in self.features.iter().enumerate() {
            let value = self.data.column(*feature)[row];
            // The first row always has the last feature, so that a reader learns their number. -0
            // is not omitted: it would be read back as +0.
            let last_of_first_row = row == 0 && place + 1 == self.features.len();
            if self.sparse && value.to_bits() == 0 && !last_of_first_row {
                continue;
            }
            text.push_str(id);
            match value.is_nan() {
                true => text.push_str("NULL"),
                false => push_number(text, value),
            }
        }
    }
}

fn is_word(id: &str) -> bool {
    !id.is_empty() && !id.contains(|c: char| c.is_whitespace() || c == '#')
}

/// The shortest text that reads back as the same number, with an exponent for very large and small
/// ones.
fn push_number(text: &mut String, value: f32) {
    let plain = value == 0.0 || (1e-5..1e9).contains(&value.abs());
    // Writing to a string cannot fail.
    let _ = if plain { write!(text, "{value}") } else { write!(text, "{value:e}") };
}

/// Writes the names of the features, one `id<TAB>name` per line.
pub(super) fn write_names(data: &Dataset, path: &Path) -> Result<()> {
    let mut text = String::new();
    for feature in data.features().by_id().into_iter().map(|f| data.features().get(f)) {
        let name = feature.label();
        if name.contains(['\n', '\r']) || name.trim() != name || name.is_empty() {
            return Err(Error::unsupported(
                format!("the feature name {name:?} is empty or contains a line break"),
                "rename the feature",
            ));
        }
        text.push_str(&format!("{}\t{name}\n", feature.id));
    }
    write_atomically(path, |out| {
        out.write_all(text.as_bytes()).map_err(|e| Error::io("write", path, e))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, Feature, FeatureTable, Queries, TextColumn};

    fn text(data: &Dataset, sparse: bool) -> std::result::Result<String, Error> {
        let mut out = Vec::new();
        write(data, &WriteOptions { sparse, names: None }, &mut out)
            .map_err(|e| e.at(Path::new("t")))?;
        Ok(String::from_utf8(out).unwrap())
    }

    fn small() -> Dataset {
        let queries = Queries::new(&[1, 1], vec!["a".into(), "b".into()]);
        let features = [7, 3].map(|id| Feature { id, name: None }).to_vec();
        Dataset::new(
            vec![0., -0., 1e30, 0.],
            vec![2., 0.5],
            queries,
            FeatureTable::from_features(features),
        )
    }

    #[test]
    fn rows_have_the_expected_format() {
        assert_eq!(text(&small(), false).unwrap(), "2 qid:a 3:1e30 7:0\n0.5 qid:b 3:0 7:-0\n");
        assert_eq!(text(&small(), true).unwrap(), "2 qid:a 3:1e30 7:0\n0.5 qid:b 7:-0\n");
    }

    #[test]
    fn numbers_are_short_and_read_back_exactly() {
        for (value, expected) in
            [(3.0, "3"), (0.1, "0.1"), (1e30, "1e30"), (1e-40, "1e-40"), (-2.5e-7, "-2.5e-7")]
        {
            let mut text = String::new();
            push_number(&mut text, value);
            assert_eq!(text, expected);
            assert_eq!(text.parse::<f32>().unwrap().to_bits(), value.to_bits());
        }
    }

    #[test]
    fn data_that_text_cannot_hold_is_rejected() {
        let twice = FeatureTable::from_features(vec![Feature { id: 1, name: None }; 2]);
        let one = |id: &str| Queries::new(&[1], vec![id.into()]);
        let data =
            |id: &str| Dataset::new(vec![1.0], vec![0.0], one(id), FeatureTable::numbered(1, 1));
        let broken: TextColumn = ["two\nlines"].into_iter().collect();
        for (data, message) in [
            (data("a b"), "`a b`"),
            (data("a#b"), "`a#b`"),
            (data("").with_documents(None), "empty"),
            (data("a").with_documents(Some(broken)), "line break"),
            (Dataset::new(vec![1.0; 2], vec![0.0], one("a"), twice), "the id 1"),
        ] {
            let error = text(&data, false).unwrap_err().to_string();
            assert!(error.contains(message) && error.contains("help:"), "{error}");
        }
    }
}
