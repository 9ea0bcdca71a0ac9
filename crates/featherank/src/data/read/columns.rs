//! Which column of a table is the label, the query, the document, and which ones are features.
//!
//! CSV, TSV and Parquet share these rules: what the user says counts first, then what the writer of
//! the file noted down (see [`Layout`]), then the usual names. Doubt is an error: a label taken for
//! a feature would make every selection look wonderful.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::options::ReadOptions;
use crate::data::features::{Feature, FeatureTable};
use crate::error::{Error, Location, Problem, Result};
use crate::names::near_names;

/// What our own Parquet writer notes about its columns, so that reading restores ids, names and
/// roles exactly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Layout {
    pub version: u32,
    pub label: String,
    pub query: String,
    pub document: Option<String>,
    pub features: Vec<Feature>,
}

impl Layout {
    /// The key of the Parquet metadata entry.
    pub const KEY: &str = "featherank";
    /// The newest version this release knows.
    pub const VERSION: u32 = 1;
}

/// The columns of a table by what they are for; numbers are positions in the table.
#[derive(Debug, PartialEq)]
pub(crate) struct Columns {
    pub label: usize,
    pub query: usize,
    pub document: Option<usize>,
    pub features: Vec<usize>,
    /// The feature table, in the order of `features`.
    pub table: FeatureTable,
}

/// A role a column can have: its name in messages and the column names that usually mean it.
struct Role {
    name: &'static str,
    usual: &'static [&'static str],
}

const LABEL: Role = Role {
    name: "label",
    usual: &[
        "label",
        "relevance",
        "rel",
        "grade",
        "rating",
        "judgment",
        "judgement",
        "target",
        "y",
    ],
};
const QUERY: Role = Role {
    name: "query",
    usual: &["qid", "query_id", "queryid", "query", "group", "group_id", "srch_id"],
};
const DOCUMENT: Role =
    Role { name: "document", usual: &["docid", "doc_id", "document", "document_id", "doc", "url"] };

impl Columns {
    /// Gives every column of `file` its role.
    pub fn assign(
        names: &[String],
        layout: Option<&Layout>,
        options: &ReadOptions,
        file: &str,
    ) -> Result<Columns> {
        let here = |problem: Problem| problem.at(Location::file(file));
        let mut places = HashMap::with_capacity(names.len());
        for (place, name) in names.iter().enumerate() {
            if name.is_empty() {
                return Err(here(Problem::UnnamedColumn { position: place + 1 }));
            }
            if places.insert(name.as_str(), place).is_some() {
                return Err(here(Problem::DuplicateColumn { column: name.clone() }));
            }
        }
        let mut ignored = HashSet::new();
        for name in &options.ignore {
            let place = places.get(name.as_str()).ok_or_else(|| Error::Unknown {
                kind: format!("column to ignore in {file}"),
                name: name.clone(),
                near: near_names(name, names.iter().map(String::as_str)),
            })?;
            ignored.insert(*place);
        }
        let noted: HashMap<String, &Feature> =
            layout.iter().flat_map(|l| &l.features).map(|f| (f.label(), f)).collect();
        let mut search = Search { names, places: &places, taken: ignored, noted: &noted };
        let roles = [
            (LABEL, &options.label_column, layout.map(|l| &l.label)),
            (QUERY, &options.query_column, layout.map(|l| &l.query)),
            (DOCUMENT, &options.document_column, layout.and_then(|l| l.document.as_ref())),
        ];
        // What the user names is taken first, so that no guess for another role gets hold of it.
        let mut found = [None; 3];
        for (place, (role, wanted, _)) in found.iter_mut().zip(&roles) {
            *place =
                wanted.as_ref().map(|name| search.named(role, name)).transpose().map_err(here)?;
        }
        for (place, (role, _, noted)) in
            found.iter_mut().zip(&roles).filter(|(place, _)| place.is_none())
        {
            *place = search.likely(role, noted.map(String::as_str)).map_err(here)?;
        }
        let [label, query, document] = found;
        let needed = |place: Option<usize>, role: Role| {
            place.ok_or_else(|| {
                let reason = format!("no column is called {}", role.usual.join(", "));
                here(Problem::NoColumn { role: role.name, reason })
            })
        };
        let (label, query) = (needed(label, LABEL)?, needed(query, QUERY)?);
        // A column noted as label never becomes a feature, not even where the user ranks by another
        // label.
        search
            .taken
            .extend(roles.iter().filter_map(|(_, _, noted)| places.get(noted.as_ref()?.as_str())));
        let is_feature =
            |place: &usize| !search.taken.contains(place) && !is_row_index(&names[*place]);
        let features: Vec<usize> = (0..names.len()).filter(is_feature).collect();
        if features.is_empty() {
            return Err(here(Problem::NoFeatures));
        }
        let known: Option<Vec<Feature>> =
            features.iter().map(|&place| noted.get(&names[place]).map(|&f| f.clone())).collect();
        let table = match known {
            Some(known) => FeatureTable::from_features(known),
            None => {
                FeatureTable::named(features.iter().map(|&place| names[place].clone()).collect())
            }
        };
        Ok(Columns { label, query, document, features, table })
    }
}

impl Columns {
    /// What is needed to tell queries apart, and documents that count from others.
    pub fn without_features(&self) -> Columns {
        let (label, query) = (self.label, self.query);
        Columns {
            label,
            query,
            document: None,
            features: Vec::new(),
            table: FeatureTable::default(),
        }
    }
}

/// The name under which pandas stores row numbers: they say nothing about a document.
fn is_row_index(name: &str) -> bool {
    name.starts_with("__index_level_") && name.ends_with("__")
}

/// The columns that still have no role.
struct Search<'a> {
    names: &'a [String],
    places: &'a HashMap<&'a str, usize>,
    taken: HashSet<usize>,
    noted: &'a HashMap<String, &'a Feature>,
}

impl Search<'_> {
    /// The column the user named for a role.
    fn named(&mut self, role: &Role, name: &str) -> Result<usize, Problem> {
        let reason = match self.places.get(name) {
            Some(&place) if self.taken.insert(place) => return Ok(place),
            Some(_) => format!("column `{name}` has another role or is ignored"),
            None => match near_names(name, self.names.iter().map(String::as_str)).as_slice() {
                [] => format!("there is no column `{name}`"),
                near => format!("there is no column `{name}`; did you mean {}?", near.join(" or ")),
            },
        };
        Err(Problem::NoColumn { role: role.name, reason })
    }

    /// The column the file's writer noted for a role, else the one with a usual name.
    fn likely(&mut self, role: &Role, noted: Option<&str>) -> Result<Option<usize>, Problem> {
        let free = |place: &usize| !self.taken.contains(place);
        let noted = noted.and_then(|name| self.places.get(name)).copied().filter(free);
        // A column noted as a feature stays one, whatever it is called.
        let usual = |place: &usize| {
            let name = &self.names[*place];
            !self.noted.contains_key(name)
                && role.usual.iter().any(|usual| name.eq_ignore_ascii_case(usual))
        };
        let place = match noted {
            Some(place) => Some(place),
            None => {
                let candidates: Vec<usize> =
                    (0..self.names.len()).filter(free).filter(usual).collect();
                if let [first, second, ..] = candidates[..] {
                    let (first, second) = (&self.names[first], &self.names[second]);
                    let reason = format!(
                        "it could be `{first}` or `{second}`; say which, and ignore the other"
                    );
                    return Err(Problem::NoColumn { role: role.name, reason });
                }
                candidates.first().copied()
            }
        };
        self.taken.extend(place);
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assign(names: &str, options: &ReadOptions) -> Result<Columns> {
        let names: Vec<String> = names.split(',').map(String::from).collect();
        Columns::assign(&names, None, options, "t.csv")
    }

    #[test]
    fn usual_names_are_recognised_in_any_case() {
        let found =
            assign("QID,Relevance,bm25,docid,pagerank,__index_level_0__", &ReadOptions::default())
                .unwrap();
        assert_eq!((found.query, found.label, found.document), (0, 1, Some(3)));
        assert_eq!(found.features, [2, 4]);
        assert_eq!(found.table.label(1.into()), "pagerank");
    }

    #[test]
    fn the_user_decides_first() {
        let options = ReadOptions {
            label_column: Some("clicks".into()),
            query_column: Some("url".into()),
            ignore: vec!["label".into()],
            ..ReadOptions::default()
        };
        let found = assign("label,clicks,qid,url", &options).unwrap();
        assert_eq!((found.label, found.query, found.document), (1, 3, None));
        assert_eq!(found.features, [2]);
    }

    #[test]
    fn doubt_is_an_error_that_names_the_columns() {
        let plain = ReadOptions::default();
        let ignoring =
            |name: &str| ReadOptions { ignore: vec![name.into()], ..ReadOptions::default() };
        let labelled =
            |name: &str| ReadOptions { label_column: Some(name.into()), ..ReadOptions::default() };
        for (names, options, message) in [
            ("label,grade,qid,a", &plain, "`label` or `grade`"),
            ("qid,a", &plain, "no label column"),
            ("label,a", &plain, "no query column"),
            ("label,qid,a,a", &plain, "two columns are called `a`"),
            ("label,qid,,a", &plain, "column 3 has no name"),
            ("label,qid,docid", &plain, "this file has no features"),
            ("label,qid,bm25", &ignoring("bm24"), "did you mean `bm25`"),
            ("label,qid,bm25", &labelled("bm24"), "did you mean `bm25`"),
            ("label,qid,bm25", &labelled("qid"), "no query column"),
        ] {
            let error = assign(names, options).unwrap_err().to_string();
            assert!(error.contains(message) && error.contains("t.csv"), "{names}: {error}");
        }
    }

    #[test]
    fn a_noted_layout_beats_the_usual_names() {
        let feature = |id, name: &str| Feature { id, name: Some(name.into()) };
        let layout = Layout {
            version: 1,
            label: "__label".into(),
            query: "qid".into(),
            document: None,
            features: vec![feature(4, "label"), feature(9, "url")],
        };
        let names = ["__label", "qid", "label", "url"].map(String::from);
        let found = Columns::assign(&names, Some(&layout), &ReadOptions::default(), "t").unwrap();
        assert_eq!((found.label, found.query, found.document), (0, 1, None));
        assert_eq!(found.table, FeatureTable::from_features(layout.features.clone()));
        let options = ReadOptions { label_column: Some("url".into()), ..ReadOptions::default() };
        assert_eq!(Columns::assign(&names, Some(&layout), &options, "t").unwrap().features, [2]);
    }
}
