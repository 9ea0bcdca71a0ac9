//! Run files: TREC runs, tables, or one score per line. [`read_scores`](super::read_scores)
//! restores the same ranking from what is written here.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use crate::data::{Dataset, not_a_formula, write_atomically};
use crate::error::{Error, Result};
use crate::remedy;

/// The format of a run file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunForm {
    /// `query Q0 document rank score tag`, each query's best document first.
    Trec,
    /// One score per line, in the order of the data.
    Scores,
    /// A table with the columns query, document, rank and score, each query's best document first.
    Tsv,
}

/// Options for writing a run file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOptions {
    /// The format.
    pub form: RunForm,
    /// The name of the run, in TREC runs.
    pub tag: String,
    /// The number of documents of each query to write, the best ones; `None` for all.
    pub depth: Option<usize>,
}

/// Writes a ranking of a data set; `-` is standard output. Documents with equal scores keep the
/// order of the data.
pub fn write_run(data: &Dataset, scores: &[f32], options: &RunOptions, path: &Path) -> Result<()> {
    check(data, options)?;
    let failed = |e| Error::io("write", path, e);
    write_atomically(path, |out| write_to(data, scores, options, out).map_err(failed))
}

/// Returns an error for what could not be read back: fields are words, and documents are identified
/// by their ids.
fn check(data: &Dataset, options: &RunOptions) -> Result<()> {
    let word = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    match options.form {
        RunForm::Scores if options.depth.is_some() => {
            return Err(Error::settings(
                "a depth does not apply to a file with one score per document",
                remedy!["leave out ", Depth, "; to write a TREC run, ", FormTrec.set()],
            ));
        }
        RunForm::Scores => return Ok(()),
        RunForm::Trec if !word(&options.tag) => {
            return Err(Error::invalid("tag", &options.tag, "one word"));
        }
        _ => {}
    }
    if options.depth == Some(0) {
        return Err(Error::invalid("depth", 0, "at least 1"));
    }
    for (query, rows) in data.queries().iter().enumerate() {
        let id = data.queries().id(query);
        let refuse = |what| {
            Err(Error::unsupported(
                what,
                remedy!["to write one score per line, ", FormScores.set()],
            ))
        };
        if !word(id) || id.starts_with('#') {
            return refuse(format!("a TREC run cannot hold the query id `{id}`"));
        }
        let mut seen = HashSet::with_capacity(rows.len());
        if let Some(twice) =
            rows.map(|row| data.document_id(row)).find(|document| !seen.insert(document.clone()))
        {
            return refuse(format!("query {id} has two documents with the id {twice}"));
        }
    }
    Ok(())
}

fn write_to(
    data: &Dataset,
    scores: &[f32],
    options: &RunOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    match options.form {
        RunForm::Scores => return scores.iter().try_for_each(|score| writeln!(out, "{score}")),
        RunForm::Tsv => writeln!(out, "query\tdocument\trank\tscore")?,
        RunForm::Trec => {}
    }
    for (query, rows) in data.queries().iter().enumerate() {
        let id = data.queries().id(query);
        let mut best_first: Vec<usize> = rows.collect();
        // Adding 0 makes −0 equal to 0.
        best_first.sort_by(|&a, &b| (scores[b] + 0.0).total_cmp(&(scores[a] + 0.0)));
        let depth = options.depth.unwrap_or(best_first.len());
        for (rank, &row) in (1..).zip(best_first.iter().take(depth)) {
            let (document, score) = (data.document_id(row), scores[row]);
            match options.form {
                RunForm::Tsv => {
                    let (id, document) = (not_a_formula(id), not_a_formula(&document));
                    writeln!(out, "{id}\t{document}\t{rank}\t{score}")?;
                }
                _ => writeln!(out, "{id} Q0 {document} {rank} {score} {}", options.tag)?,
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::read_scores;
    use super::*;
    use crate::data::{ReadOptions, read_bytes};

    fn data(text: &str) -> Dataset {
        read_bytes(text.into(), "data.txt", &ReadOptions::default()).unwrap()
    }

    const ROWS: &str =
        "1 qid:a 1:1 # docid = x\n0 qid:a 1:2 # docid = y\n0 qid:a 1:2 # docid = z\n2 qid:b 1:0\n";

    fn options(form: RunForm, depth: Option<usize>) -> RunOptions {
        RunOptions { form, tag: "me".into(), depth }
    }

    fn text(form: RunForm, depth: Option<usize>) -> String {
        let mut out = Vec::new();
        write_to(&data(ROWS), &[0.5, 1.5, 0.5, -1e-30], &options(form, depth), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_best_are_first_and_ties_keep_their_order() {
        let tiny = -1e-30f32;
        let run =
            format!("a Q0 y 1 1.5 me\na Q0 x 2 0.5 me\na Q0 z 3 0.5 me\nb Q0 4 1 {tiny} me\n");
        assert_eq!(text(RunForm::Trec, None), run);
        assert_eq!(text(RunForm::Scores, None), format!("0.5\n1.5\n0.5\n{tiny}\n"));
        let table = format!("query\tdocument\trank\tscore\na\ty\t1\t1.5\nb\t4\t1\t{tiny}\n");
        assert_eq!(text(RunForm::Tsv, Some(1)), table);
    }

    /// Numbers stay numbers, and TREC runs keep their ids.
    #[test]
    fn cells_of_a_table_are_no_formulas() {
        let rows = "1 qid:=1+1 1:1 # docid = @x\n0 qid:=1+1 1:2 # docid = -3\n";
        let text = |form| {
            let mut out = Vec::new();
            write_to(&data(rows), &[-0.5, -1.5], &options(form, None), &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let table = "query\tdocument\trank\tscore\n'=1+1\t'@x\t1\t-0.5\n'=1+1\t-3\t2\t-1.5\n";
        assert_eq!(text(RunForm::Tsv), table);
        assert_eq!(text(RunForm::Trec), "=1+1 Q0 @x 1 -0.5 me\n=1+1 Q0 -3 2 -1.5 me\n");
    }

    #[test]
    fn runs_are_read_back() {
        let (data, scores) = (data(ROWS), [0.1f32, f32::MAX, -0.0, f32::MIN_POSITIVE]);
        let folder = tempfile::tempdir().unwrap();
        for form in [RunForm::Trec, RunForm::Scores] {
            let path = folder.path().join("run.txt");
            write_run(&data, &scores, &options(form, None), &path).unwrap();
            assert_eq!(read_scores(&path, &data).unwrap().scores, scores);
        }
    }

    #[test]
    fn runs_that_cannot_be_read_back_are_rejected() {
        let twice = "1 qid:a 1:1 # x 1\n0 qid:a 1:2 # x 2\n";
        // Text cannot hold such an id, but tables can.
        let table = "qid,label,x\na b,1,2\n";
        let spaced = read_bytes(table.into(), "data.csv", &ReadOptions::default()).unwrap();
        for (data, options, says) in [
            (data(twice), options(RunForm::Trec, None), "two documents with the id x"),
            (spaced, options(RunForm::Tsv, None), "a TREC run cannot hold the query id `a b`"),
            (data(ROWS), options(RunForm::Scores, Some(3)), "form = trec"),
            (data(ROWS), options(RunForm::Trec, Some(0)), "at least 1"),
            (
                data(ROWS),
                RunOptions { tag: "my run".into(), ..options(RunForm::Trec, None) },
                "one word",
            ),
        ] {
            let error = check(&data, &options).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        assert!(check(&data(twice), &options(RunForm::Scores, None)).is_ok());
    }
}
