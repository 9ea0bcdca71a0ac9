//! Small files beside the data: query sizes, feature names, judgments.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::options::{ReadOptions, shorten};
use super::source::{Source, TextBlocks};
use crate::data::features::{FeatureId, FeatureTable};
use crate::error::{Location, Problem, Result};

/// The memory for a line besides its text: its number and what is made of it.
const LINE: u64 = 64;

/// Lines of a file that are read at a time, in bytes.
const BLOCK: usize = 1 << 20;

/// The query sizes of a text file: from the file that the user named or, for rows without `qid:`,
/// from the one that LightGBM (`train.txt.query`) or XGBoost (`train.txt.group`) would use.
pub(crate) fn query_sizes(
    data: &Path,
    options: &ReadOptions,
    wanted: bool,
) -> Result<Option<Vec<usize>>> {
    let beside = || {
        let with = |ending: &str| PathBuf::from(format!("{}{ending}", data.display()));
        [".query", ".group"].map(with).into_iter().find(|path| path.is_file())
    };
    match options.groups.clone().or_else(|| wanted.then(beside).flatten()) {
        Some(path) => read_sizes(&path, options.max_bytes).map(Some),
        None => Ok(None),
    }
}

/// One query size per line.
fn read_sizes(path: &Path, max_bytes: u64) -> Result<Vec<usize>> {
    let mut sizes = Vec::new();
    for (line, text) in lines(path, max_bytes)? {
        let size = text.parse::<u32>().map_err(|_| {
            let problem = Problem::NotANumber { what: "query size".into(), text: shorten(&text) };
            problem.at(Location::line(path.display().to_string(), line))
        })?;
        sizes.push(size as usize);
    }
    Ok(sizes)
}

/// Names the features of a table from a file: one name per line in the order of the features, or
/// `id<TAB>name`.
pub(crate) fn name_features(
    features: &mut FeatureTable,
    path: &Path,
    max_bytes: u64,
) -> Result<()> {
    let lines = lines(path, max_bytes)?;
    let at = |line: Option<u64>| Location { file: path.display().to_string(), line, note: None };
    let by_id: Option<Vec<(u32, String, u64)>> = lines
        .iter()
        .map(|(line, text)| {
            let (id, name) = text.split_once('\t')?;
            Some((id.trim().parse().ok()?, name.trim().to_owned(), *line))
        })
        .collect();
    let names: Vec<String> = match by_id {
        Some(by_id) => {
            let mut names: Vec<String> = features.iter().map(|(_, f)| f.label()).collect();
            let places: HashMap<u32, FeatureId> =
                features.iter().map(|(place, f)| (f.id, place)).collect();
            for (id, name, line) in by_id {
                let found = features.len();
                let place = places.get(&id).ok_or_else(|| {
                    Problem::FeatureBeyondLimit { id: id.to_string(), limit: found as u64 }
                        .at(at(Some(line)))
                })?;
                names[place.index()] = name;
            }
            names
        }
        None => lines.into_iter().map(|(_, name)| name).collect(),
    };
    if names.len() != features.len() {
        return Err(
            Problem::NameCount { found: names.len(), expected: features.len() }.at(at(None))
        );
    }
    features.set_names(names);
    match features.first_duplicate() {
        Some(column) => Err(Problem::DuplicateColumn { column }.at(at(None))),
        None => Ok(()),
    }
}

/// Labels by query and document.
pub(crate) type Judgments = HashMap<(String, String), f32>;

/// TREC qrels: `query iteration document label`.
pub(crate) fn read_judgments(path: &Path, max_bytes: u64) -> Result<Judgments> {
    // A line is in the list of lines, and its query and document in two tables.
    const COPIES: u64 = 3;
    let mut judgments = Judgments::new();
    let mut lines_of = HashMap::new();
    for (line, text) in lines(path, max_bytes / COPIES)? {
        let words: Vec<&str> = text.split_whitespace().collect();
        let here = || Location::line(path.display().to_string(), line);
        let [query, _, document, label] = words[..] else {
            return Err(Problem::RaggedRow { expected: 4, found: words.len() }.at(here()));
        };
        let what = || "label".to_owned();
        let parsed: f32 = label
            .parse()
            .map_err(|_| Problem::NotANumber { what: what(), text: shorten(label) }.at(here()))?;
        if !parsed.is_finite() {
            return Err(Problem::NotFinite { what: what(), text: shorten(label) }.at(here()));
        }
        let key = (query.to_owned(), document.to_owned());
        let first = *lines_of.entry(key.clone()).or_insert(line);
        match judgments.insert(key, parsed) {
            Some(earlier) if earlier != parsed => {
                let problem = Problem::Contradiction {
                    what: format!("label of document {document} of query {query}"),
                    found: parsed.to_string(),
                    earlier: earlier.to_string(),
                };
                return Err(problem.at(here().with_note(format!("first seen at line {first}"))));
            }
            _ => {}
        }
    }
    Ok(judgments)
}

/// The nonblank lines with their numbers, without comment lines, which start with `#`. Limited,
/// because a compressed file of a few kilobytes can hold any number of them.
fn lines(path: &Path, max_bytes: u64) -> Result<Vec<(u64, String)>> {
    let (mut lines, mut bytes) = (Vec::new(), 0);
    for block in TextBlocks::new(Source::open(path)?, BLOCK) {
        let block = block?;
        let text = std::str::from_utf8(&block.bytes)
            .map_err(|_| Problem::NotUtf8.at(Location::file(path.display().to_string())))?;
        for (number, line) in (block.first_line..).zip(text.lines().map(str::trim_end)) {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let line = line.trim_start_matches(' ').to_owned();
            bytes += LINE + line.len() as u64;
            lines.push((number, line));
        }
        if bytes > max_bytes {
            let problem = Problem::UnpackedTooLarge { limit_mib: max_bytes >> 20 };
            return Err(problem.at(Location::file(path.display().to_string())));
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judgments(text: &str) -> Result<Judgments> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("qrels.txt");
        std::fs::write(&path, text).unwrap();
        read_judgments(&path, 1 << 20)
    }

    #[test]
    fn judgments_that_disagree_are_rejected() {
        let error = judgments("1 0 a 2\n1 0 b 0\n1 0 a 1\n").unwrap_err().to_string();
        assert!(error.contains("is 1 here and 2 before"), "{error}");
        assert!(error.contains("line 3 (first seen at line 1)"), "{error}");
        assert_eq!(judgments("\u{feff}1 0 a 2\n1 0 a 2.0\n").unwrap().len(), 1);
    }

    #[test]
    fn long_side_files_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sizes.txt");
        std::fs::write(&path, "1\n".repeat(20_000)).unwrap();
        assert_eq!(read_sizes(&path, 2 << 20).unwrap().len(), 20_000);
        let mut features = FeatureTable::numbered(1, 1);
        for error in [
            read_sizes(&path, 1 << 20).unwrap_err(),
            name_features(&mut features, &path, 1 << 20).unwrap_err(),
            read_judgments(&path, 3 << 20).unwrap_err(),
        ] {
            let text = error.to_string();
            assert!(text.contains("more than the limit of 1 MiB"), "{text}");
        }
    }

    #[test]
    fn judgments_are_finite_numbers() {
        for label in ["nan", "inf", "x"] {
            let error = judgments(&format!("1 0 a 2\n1 0 b {label}\n")).unwrap_err().to_string();
            assert!(error.contains("line 2") && !error.contains("missing"), "{error}");
        }
    }
}
