//! LETOR and SVMlight text: `2 qid:7 1:0.5 2:3.1 # comment`, parsed in blocks of lines on all
//! cores.
//!
//! Blanks and tabs separate words; a row may omit features, which are then 0; `#` starts a comment,
//! which is kept as the document's text; blank lines and comment lines are skipped. Labels and
//! values may be any number, query ids any word. Feature ids must ascend within a row, as all
//! writers of the format ensure.

use std::path::Path;

use rayon::prelude::*;

use super::FileFeatures;
use super::assemble::Assembler;
use super::letor_block::{BlockParser, ParsedBlock};
use super::options::ReadOptions;
use super::side_files;
use super::source::{Source, TextBlock, TextBlocks};
use crate::data::features::FeatureTable;
use crate::error::{Location, Problem, Result};

/// Text per block: small enough that several fit into the cache, large enough that the work per
/// block exceeds the cost of passing it to another thread.
const BLOCK_BYTES: usize = 2 << 20;

/// Reads one file into the assembler.
pub(crate) fn read(
    source: Source,
    options: &ReadOptions,
    into: &mut Assembler<'_>,
) -> Result<FileFeatures> {
    read_blocks(source, BLOCK_BYTES, options, into)
}

fn read_blocks(
    source: Source,
    size: usize,
    options: &ReadOptions,
    into: &mut Assembler<'_>,
) -> Result<FileFeatures> {
    let name = source.name().to_owned();
    into.start_file(&name);
    let first_row = into.rows();
    let (mut sparse, mut width, mut with_query, mut without_query) = (false, None, false, None);
    let mut blocks = TextBlocks::new(source, size);
    // One wave of blocks at a time: all cores parse while the next wave is read and decompressed,
    // and no more text than these two waves is in memory.
    let wave = 2 * rayon::current_num_threads() * size;
    let parse =
        |text: TextBlock| BlockParser::new(options, text.first_line).parse(&text.bytes, &name);
    let mut next = blocks.wave(wave);
    loop {
        let texts = next?;
        if texts.is_empty() {
            break;
        }
        let parsed: Vec<Result<ParsedBlock>>;
        (next, parsed) =
            rayon::join(|| blocks.wave(wave), || texts.into_par_iter().map(parse).collect());
        // In file order, so that the first problem of the file is reported.
        for block in parsed {
            let block = block?;
            if !block.rows.labels.is_empty() {
                let here = block.rows.values.width();
                sparse |= block.sparse || width.is_some_and(|before| before != here);
                width = width.max(Some(here));
            }
            with_query |= !block.rows.runs.is_empty();
            without_query = without_query.or(block.without_query);
            into.push(block.rows)?;
        }
    }
    let features = FileFeatures {
        table: FeatureTable::numbered(width.unwrap_or(0), u32::from(!options.zero_based)),
        flexible: sparse,
    };
    let sizes = side_files::query_sizes(Path::new(&name), options, without_query.is_some())?;
    match (sizes, without_query) {
        (None, Some(line)) => Err(Problem::MissingQuery.at(Location::line(&name, line))),
        (None, None) => Ok(features),
        (Some(_), _) if with_query => Err(Problem::GroupsTwice.at(Location::file(&name))),
        (Some(sizes), _) => {
            let rows = into.rows() - first_row;
            let total: usize = sizes.iter().sum();
            if total != rows {
                let problem = Problem::GroupSizes { sizes: total as u64, rows: rows as u64 };
                return Err(problem.at(Location::file(&name)));
            }
            into.set_sizes(first_row, &sizes);
            Ok(features)
        }
    }
}

/// Reads text in memory, in blocks of a given size, so that tests can vary the block boundaries.
#[cfg(test)]
pub(crate) fn read_text(
    text: &str,
    block: usize,
    options: &ReadOptions,
) -> Result<crate::data::Dataset> {
    let bytes = std::io::Cursor::new(text.to_owned());
    let mut assembler = Assembler::new(options);
    let source = Source::from_reader(Box::new(bytes), "test.txt".into())?;
    let features = read_blocks(source, block, options, &mut assembler)?;
    assembler.finish(features.table)
}

#[cfg(test)]
mod tests {
    use super::super::options::{Missing, Unjudged};
    use super::*;

    const ROWS: &str =
        "2 qid:a 1:0.5 2:3 # docid = 7\n0 qid:a\t1:1e-3  2:-4\r\n\n# only a comment\n1 qid:b 2:7";

    /// The same data set for every position of the block boundaries.
    #[test]
    fn the_block_size_does_not_matter() {
        for block in 1..80 {
            let data = read_text(ROWS, block, &ReadOptions::default()).unwrap();
            assert_eq!(data.values(), [0.5, 1e-3, 0.0, 3.0, -4.0, 7.0], "blocks of {block}");
            assert_eq!(data.labels(), [2.0, 0.0, 1.0]);
            assert_eq!(data.queries().ids(), ["a", "b"]);
            assert_eq!(data.queries().sizes().collect::<Vec<_>>(), [2, 1]);
            assert_eq!(
                data.document_texts().unwrap().iter().collect::<Vec<_>>(),
                [" docid = 7", "", ""]
            );
        }
    }

    /// A block of rows without features still has rows.
    #[test]
    fn rows_without_features_may_fill_blocks() {
        let text = "1 qid:a\n0 qid:a\n2 qid:b 1:5 2:6\n0 qid:b 2:7\n1 qid:c\n";
        let whole = read_text(text, 1 << 16, &ReadOptions::default()).unwrap();
        assert_eq!(whole.values(), [0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 6.0, 7.0, 0.0]);
        for block in 1..text.len() {
            assert_eq!(
                read_text(text, block, &ReadOptions::default()).unwrap(),
                whole,
                "blocks of {block}"
            );
        }
    }

    #[test]
    fn the_largest_feature_id_is_rejected() {
        for zero_based in [false, true] {
            let options =
                ReadOptions { max_feature_id: u32::MAX, zero_based, ..ReadOptions::default() };
            let error =
                read_text("0 qid:1 4294967295:1\n", 1 << 16, &options).unwrap_err().to_string();
            assert!(error.contains("beyond the limit of 4294967294"), "{error}");
        }
    }

    #[test]
    fn comments_keep_their_blanks_but_not_windows_line_ends() {
        let data =
            read_text("1 qid:1 1:1 # a b  \r\n0 qid:1 1:2 #c \n", 1 << 16, &ReadOptions::default())
                .unwrap();
        assert_eq!(data.document_texts().unwrap().iter().collect::<Vec<_>>(), [" a b  ", "c "]);
    }

    fn problem(text: &str) -> (Problem, Option<u64>) {
        match read_text(text, 1 << 16, &ReadOptions::default()) {
            Err(crate::Error::Input { problem, at }) => (problem, at.line),
            other => panic!("expected a problem, got {other:?}"),
        }
    }

    #[test]
    fn problems_are_reported_with_their_line() {
        for (row, expected) in [
            ("0 qid:1 1:1 1:2", Problem::DuplicateFeature { id: 1 }),
            ("0 qid:1 3:1 2:2", Problem::DescendingFeature { id: 2, previous: 3 }),
            ("0 qid:1 0:1", Problem::FeatureZero),
            (
                "0 qid:1 1:x",
                Problem::NotANumber { what: "the value of feature 1".into(), text: "x".into() },
            ),
            (
                "0 qid:1 1:nan",
                Problem::NotFinite { what: "the value of feature 1".into(), text: "NaN".into() },
            ),
            (
                "0 qid:1 1:-inf",
                Problem::NotFinite { what: "the value of feature 1".into(), text: "-inf".into() },
            ),
            (
                "0 qid:1 1:1e39",
                Problem::BeyondF32 { what: "the value of feature 1".into(), text: "1e39".into() },
            ),
            ("0 qid:1 1:NULL", Problem::MissingValue { what: "the value of feature 1".into() }),
            ("-1 qid:1 1:1", Problem::NegativeLabel { label: -1.0 }),
            ("good qid:1 1:1", Problem::NotANumber { what: "label".into(), text: "good".into() }),
            ("0 1:1", Problem::MissingQuery),
            ("0 qid: 1:1", Problem::MissingQuery),
            ("0 qid:1 bm25:1", Problem::NotAFeature { text: "bm25:1".into() }),
            ("0 qid:1 7", Problem::NotAFeature { text: "7".into() }),
            ("0 qid:1 qid:2 1:1", Problem::NotAFeature { text: "a second qid:".into() }),
            (
                "0 qid:1 99999999999:1",
                Problem::FeatureBeyondLimit { id: "99999999999".into(), limit: 1_000_000 },
            ),
        ] {
            assert_eq!(problem(&format!("0 qid:1 1:1\n{row}\n")), (expected, Some(2)), "{row}");
        }
        let again = "0 qid:1 1:1\n0 qid:2 1:1\n0 qid:1 1:1\n";
        assert_eq!(problem(again), (Problem::QueryNotContiguous { query: "1".into() }, Some(3)));
        assert_eq!(problem("# nothing\n\n"), (Problem::Empty, None));
        assert_eq!(problem("0 qid:1\n"), (Problem::NoFeatures, None));
    }

    #[test]
    fn options_accept_irregular_input() {
        let options = ReadOptions {
            missing: Missing::Zero,
            clip: true,
            unjudged: Unjudged::Drop,
            regroup: true,
            zero_based: true,
            ..ReadOptions::default()
        };
        let text =
            "1 qid:x 0:1 1:NULL #d1\n-1 qid:x 0:9 #d2\n0 qid:y 0:2 1:5\n2 qid:x 0:3 1:1e300 #d4\n";
        let data = read_text(text, 1 << 16, &options).unwrap();
        assert_eq!(data.labels(), [1.0, 2.0, 0.0]);
        assert_eq!(data.values(), [1.0, 3.0, 2.0, 0.0, f32::MAX, 5.0]);
        assert_eq!(data.queries().ids(), ["x", "y"]);
        assert_eq!(data.document_texts().unwrap().iter().collect::<Vec<_>>(), ["d1", "d4", ""]);
        assert_eq!(data.features().get(crate::data::FeatureId(0)).id, 0);
    }

    #[test]
    fn wide_sparse_rows_respect_the_memory_limit() {
        let text = "0 qid:1 1000000:1\n".repeat(3000);
        let options = ReadOptions { max_bytes: 1 << 30, ..ReadOptions::default() };
        let error = read_text(&text, 1 << 12, &options).unwrap_err();
        assert!(
            matches!(error, crate::Error::Input { problem: Problem::TooLarge { .. }, .. }),
            "{error}"
        );
    }
}
