//! Feature logs: search responses of Elasticsearch, OpenSearch or Solr with the logged features of
//! each document.
//!
//! One JSON document per query, one after the other (on separate lines or not), or all of them in
//! one array. One response is in memory at a time. Features are identified by name, in the order in
//! which the names first appear.

use std::collections::HashMap;

use serde_json::Value;

use super::FileFeatures;
use super::assemble::Assembler;
use super::options::{Missing, ReadOptions, shorten};
use super::responses;
use super::row_collector::RowCollector;
use super::search_hit::{self, Hit, Logged};
use super::side_files::{self, Judgments};
use super::source::Source;
use crate::data::features::FeatureTable;
use crate::error::{Location, Problem, Result};

/// Reads one file into the assembler.
pub(crate) fn read(
    source: Source,
    options: &ReadOptions,
    into: &mut Assembler<'_>,
) -> Result<FileFeatures> {
    let name = source.name().to_owned();
    into.start_file(&name);
    let read = |path| side_files::read_judgments(path, options.max_bytes);
    let judgments = options.judgments.as_deref().map(read).transpose()?;
    let mut rows = LogRows {
        name: &name,
        options,
        judgments: judgments.unwrap_or_default(),
        places: HashMap::new(),
        names: Vec::new(),
        first_dense: None,
        sparse: false,
        later_missing: false,
        collected: RowCollector::new(0),
        into,
    };
    responses::for_each(source, options.max_bytes, &mut |response, line| {
        rows.response(response, line)
    })?;
    rows.flush()?;
    Ok(FileFeatures { table: FeatureTable::named(rows.names), flexible: rows.sparse })
}

/// The rows of a log while the set of its features grows.
struct LogRows<'a, 'b> {
    name: &'a str,
    options: &'a ReadOptions,
    judgments: Judgments,
    places: HashMap<String, usize>,
    names: Vec<String>,
    /// Line of the first document whose log should list every feature.
    first_dense: Option<u64>,
    sparse: bool,
    /// Features absent from the rows collected now are missing, not 0.
    later_missing: bool,
    collected: RowCollector,
    into: &'a mut Assembler<'b>,
}

impl LogRows<'_, '_> {
    fn response(&mut self, response: &Value, line: u64) -> Result<()> {
        let name = self.name;
        let here = |problem: Problem| problem.at(Location::line(name, line));
        let response = search_hit::parse(response).map_err(here)?;
        for hit in &response.hits {
            let query = response.query.as_deref().or(hit.query.as_deref());
            let query = query.ok_or(Problem::MissingQuery).map_err(here)?;
            let Some(label) = self.label(hit, query).map_err(here)? else { continue };
            self.add_features(hit, line)?;
            let values = self.values(hit).map_err(here)?;
            let later_missing = !hit.sparse && self.options.missing == Missing::Keep;
            if later_missing != self.later_missing {
                self.flush()?;
                self.later_missing = later_missing;
            }
            self.collected.set_later_missing(later_missing);
            self.sparse |= hit.sparse;
            if !hit.sparse {
                self.first_dense.get_or_insert(line);
            }
            self.collected.push(&values, label, query, Some(&hit.document), line);
            if self.collected.is_full() {
                self.into.push(self.collected.take()?)?;
            }
        }
        Ok(())
    }

    /// The document's own label, or else the one in the judgments.
    fn label(&self, hit: &Hit<'_>, query: &str) -> Result<Option<f32>, Problem> {
        match hit.label {
            Some(Value::String(text)) => self.options.parse_label(text.trim()),
            Some(Value::Number(number)) => {
                self.options.label(number.as_f64().unwrap_or(f64::NAN) as f32)
            }
            Some(other) => {
                Err(Problem::NotANumber { what: "label".into(), text: shorten(&other.to_string()) })
            }
            None => match self.judgments.get(&(query.to_owned(), hit.document.clone())) {
                Some(&label) => self.options.label(label),
                None => self.options.no_label(query, || hit.document.clone()),
            },
        }
    }

    /// Adds columns for features that have not occurred before.
    fn add_features(&mut self, hit: &Hit<'_>, line: u64) -> Result<()> {
        let known = self.names.len();
        for (name, _) in &hit.features {
            if !self.places.contains_key(*name) {
                self.places.insert((*name).to_owned(), self.names.len());
                self.names.push((*name).to_owned());
            }
        }
        let Some(new) = self.names.get(known) else { return Ok(()) };
        // Documents before this one should have had the new features too.
        if let Some(earlier) = self.first_dense {
            self.options.missing_value(|| feature(new)).map_err(|problem| {
                let note = format!("first logged at line {line}");
                problem.at(Location::line(self.name, earlier).with_note(note))
            })?;
        }
        self.flush()?;
        self.collected = RowCollector::new(self.names.len());
        Ok(())
    }

    fn values(&self, hit: &Hit<'_>) -> Result<Vec<f32>, Problem> {
        let mut values = vec![None; self.names.len()];
        for (name, logged) in &hit.features {
            let what = || feature(name);
            let value = match *logged {
                Logged::Missing => self.options.missing_value(what)?,
                Logged::Number(number) => self.options.value(number, what)?,
                Logged::Text(text) => self.options.parse_value(text, what)?,
            };
            if values[self.places[*name]].replace(value).is_some() {
                let reason =
                    format!("feature `{name}` is logged twice for document {}", hit.document);
                return Err(Problem::NotALog { reason });
            }
        }
        let fill = |(value, name): (Option<f32>, &String)| match value {
            Some(value) => Ok(value),
            None if hit.sparse => Ok(0.0),
            None => self.options.missing_value(|| feature(name)),
        };
        values.into_iter().zip(&self.names).map(fill).collect()
    }

    fn flush(&mut self) -> Result<()> {
        match self.collected.is_empty() {
            true => Ok(()),
            false => self.into.push(self.collected.take()?),
        }
    }
}

fn feature(name: &str) -> String {
    format!("the value of feature `{name}`")
}

#[cfg(test)]
mod tests {
    use crate::data::{Dataset, Missing, ReadOptions, read_bytes};

    fn hit(id: &str, features: &str) -> String {
        format!(r#"{{"id":"{id}","label":1,"[features]":"{features}"}}"#)
    }

    fn response(query: &str, hits: &[String]) -> String {
        format!("{{\"qid\":\"{query}\",\n\"response\":{{\"docs\":[{}]}}}}", hits.join(","))
    }

    fn read(text: String, missing: Missing) -> crate::Result<Dataset> {
        read_bytes(text.into(), "log.json", &ReadOptions { missing, ..ReadOptions::default() })
    }

    #[test]
    fn responses_may_be_concatenated_or_in_an_array() {
        let (one, two) =
            (response("x", &[hit("1", "a=1,b=2")]), response("y", &[hit("2", "b=3,a=4")]));
        for text in [
            format!("{one}\n{two}\n"),
            format!("{one}{two}"),
            format!(" [{one},\n{two}\n]"),
            format!("\u{feff}{one}{two}"),
        ] {
            let data = read(text, Missing::Error).unwrap();
            assert_eq!(data.values(), [1.0, 4.0, 2.0, 3.0]);
            assert_eq!(data.queries().ids(), ["x", "y"]);
            assert_eq!(data.document_id(1), "2");
        }
    }

    /// The second response starts on line 3, however the two are combined.
    #[test]
    fn a_problem_names_the_line_on_which_its_response_starts() {
        let (one, two) = (response("x", &[hit("1", "a=1")]), response("y", &[hit("2", "a=oops")]));
        for text in [format!("{one}\n{two}\n"), format!("[{one},\n{two}\n]")] {
            let error = read(text, Missing::Error).unwrap_err().to_string();
            assert!(
                error.contains("log.json, line 3\n") && error.contains("feature `a`"),
                "{error}"
            );
        }
    }

    #[test]
    fn features_that_appear_late_are_missing_before() {
        let text = response("x", &[hit("1", "a=1"), hit("2", "a=2,b=5"), hit("3", "c:7 b:1")]);
        let error = read(text.clone(), Missing::Error).unwrap_err().to_string();
        assert!(error.contains("feature `b` is missing"), "{error}");
        let data = read(text, Missing::Zero).unwrap();
        assert_eq!(data.values(), [1.0, 2.0, 0.0, 0.0, 5.0, 1.0, 0.0, 0.0, 7.0]);
    }

    /// A document without features is still a row.
    #[test]
    fn features_may_appear_after_documents_without_any() {
        let text = response("x", &[hit("1", ""), hit("2", "a=5")]);
        assert_eq!(read(text, Missing::Zero).unwrap().values(), [0.0, 5.0]);
    }

    /// One response has many features, the others hardly any: the memory limit applies to all
    /// columns.
    #[test]
    fn wide_logs_respect_the_memory_limit() {
        let wide: String = (0..200_000).map(|i| format!("{i}:1 ")).collect();
        let mut hits = vec![hit("1", &wide)];
        hits.extend((0..4000).map(|i| hit(&format!("d{i}"), "1:1")));
        let options = ReadOptions { max_bytes: 32 << 20, ..ReadOptions::default() };
        let error =
            read_bytes(response("x", &hits).into(), "log.json", &options).unwrap_err().to_string();
        assert!(error.contains("42 documents × 200000 features"), "{error}");
    }

    #[test]
    fn sparse_logs_have_no_missing_values() {
        let data =
            read(response("x", &[hit("1", "a:1"), hit("2", "b:5")]), Missing::Error).unwrap();
        assert_eq!(data.values(), [1.0, 0.0, 0.0, 5.0]);
    }

    #[test]
    fn a_feature_logged_twice_is_rejected() {
        let error =
            read(response("x", &[hit("1", "a=1,a=2")]), Missing::Error).unwrap_err().to_string();
        assert!(error.contains("logged twice for document 1"), "{error}");
    }
}
