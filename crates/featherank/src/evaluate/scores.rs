//! Score files: one number per line in the order of the data, or a TREC run; and single features as
//! scores.

use std::collections::HashMap;
use std::path::Path;

use super::Ranking;
use crate::data::{Dataset, FeatureId, FeatureTable, shorten};
use crate::error::{Error, Location, Problem, Result};

/// Reads scores for a data set: one number per line, or TREC lines `query Q0 document rank score
/// tag`.
pub fn read_scores(path: &Path, data: &Dataset) -> Result<Ranking> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
    let lines = (1..)
        .zip(text.strip_prefix('\u{feff}').unwrap_or(&text).lines())
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let lines: Vec<(u64, Vec<&str>)> =
        lines.map(|(number, line)| (number, line.split_whitespace().collect())).collect();
    let run = lines.first().is_some_and(|(_, words)| words.len() == 6);
    let scores =
        if run { trec_scores(&name, &lines, data)? } else { plain_scores(&name, &lines, data)? };
    Ok(Ranking { name, scores })
}

fn score(name: &str, line: u64, text: &str) -> Result<f32> {
    let what = || "score".to_owned();
    let problem = match text.parse::<f32>() {
        Ok(score) if score.is_finite() => return Ok(score),
        Ok(_) if text.parse::<f64>().is_ok_and(f64::is_finite) => {
            Problem::BeyondF32 { what: what(), text: shorten(text) }
        }
        Ok(_) => Problem::NotFinite { what: what(), text: shorten(text) },
        Err(_) => Problem::NotANumber { what: what(), text: shorten(text) },
    };
    Err(problem.at(Location::line(name, line)))
}

fn plain_scores(name: &str, lines: &[(u64, Vec<&str>)], data: &Dataset) -> Result<Vec<f32>> {
    let mut scores = Vec::with_capacity(lines.len());
    for (line, words) in lines {
        match words[..] {
            [text] => scores.push(score(name, *line, text)?),
            _ => {
                return Err(Problem::RaggedRow { expected: 1, found: words.len() }
                    .at(Location::line(name, *line)));
            }
        }
    }
    if scores.len() != data.documents() {
        let problem = Problem::ScoreCount { found: scores.len(), documents: data.documents() };
        return Err(problem.at(Location::file(name)));
    }
    Ok(scores)
}

fn trec_scores(name: &str, lines: &[(u64, Vec<&str>)], data: &Dataset) -> Result<Vec<f32>> {
    let mut known: HashMap<(&str, &str), (f32, u64)> = HashMap::with_capacity(lines.len());
    for (line, words) in lines {
        let [query, _, document, _, text, _] = words[..] else {
            return Err(Problem::RaggedRow { expected: 6, found: words.len() }
                .at(Location::line(name, *line)));
        };
        let found = score(name, *line, text)?;
        let &mut (earlier, first) = known.entry((query, document)).or_insert((found, *line));
        if earlier != found {
            let problem = Problem::Contradiction {
                what: format!("score of document {document} of query {query}"),
                found: found.to_string(),
                earlier: earlier.to_string(),
            };
            let note = format!("first seen at line {first}");
            return Err(problem.at(Location::line(name, *line).with_note(note)));
        }
    }
    let mut scores = Vec::with_capacity(data.documents());
    for (query, rows) in data.queries().iter().enumerate() {
        for row in rows {
            let (query, document) = (data.queries().id(query), data.document_id(row));
            let missing =
                || Problem::MissingScore { document: document.clone(), query: query.into() };
            let found = known
                .get(&(query, document.as_str()))
                .ok_or_else(|| missing().at(Location::file(name)))?;
            scores.push(found.0);
        }
    }
    Ok(scores)
}

/// The name of the ranking by a single feature.
pub(super) fn feature_name(table: &FeatureTable, feature: FeatureId) -> String {
    format!("feature {}", table.label(feature))
}

/// A feature's values as scores.
pub fn feature_scores(data: &Dataset, feature: FeatureId) -> Ranking {
    Ranking { name: feature_name(data.features(), feature), scores: data.column(feature).to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ReadOptions, read_bytes};

    fn data() -> Dataset {
        let text = "1 qid:a 1:1 # docid = x\n0 qid:a 1:2 # docid = y\n";
        read_bytes(text.into(), "data.txt", &ReadOptions::default()).unwrap()
    }

    fn read(text: &str) -> Result<Vec<f32>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scores.txt");
        std::fs::write(&path, text).unwrap();
        read_scores(&path, &data()).map(|ranking| ranking.scores)
    }

    #[test]
    fn both_formats_are_read() {
        assert_eq!(read("0.5\n-1e3\n").unwrap(), [0.5, -1000.0]);
        assert_eq!(read("\u{feff}0.5\n-1e3\n").unwrap(), [0.5, -1000.0]);
        let twice = "a Q0 y 1 3.5 me\na Q0 x 2 1.5 me\na Q0 y 1 3.5 me\n";
        assert_eq!(read(twice).unwrap(), [1.5, 3.5], "equal lines agree");
        assert_eq!(read("a Q0 y 1 3.5 me\na Q0 x 2 1.5 me\n").unwrap(), [1.5, 3.5]);
    }

    #[test]
    fn invalid_files_are_rejected() {
        for (text, says) in [
            ("1\n", "1 score for 2 documents"),
            ("1\nnan\n", "line 2"),
            ("1\n1e39\n", "score is 1e39, beyond the largest 32-bit number"),
            ("1\n1e39\n", "rescale or correct them"),
            ("a Q0 y 1 3.5 me\na Q0 x 2 1 me\na Q0 y 3 2 me\n", "is 2 here and 3.5 before"),
            ("a Q0 y 1 3.5 me\na Q0 x 2 1 me\na Q0 y 3 2 me\n", "first seen at line 1"),
            ("1\nx\n", "score `x` is not a number"),
            ("1 2\n3 4\n", "line 1"),
            ("a Q0 y 1 3.5 me\n", "no score for document x of query a"),
            ("a Q0 y 1 3.5 me\na Q0 x\n", "line 2"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text:?}: {error}");
        }
    }
}
