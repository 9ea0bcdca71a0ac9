//! Assigns roles to the columns of a table: label, query, document and features.
//!
//! CSV, TSV and Parquet share these rules: the user's options come first, then what the writer of
//! the file noted (see [`ColumnLayout`]), then the usual names. Ambiguity is an error: a label
//! taken for a feature would make every selection look excellent.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::options::ReadOptions;
use crate::data::features::{Feature, FeatureTable};
use crate::error::{Location, Problem, Result};
use crate::names::{near_names, unknown_of_many};

/// What our own Parquet writer notes about its columns, so that reading restores ids, names and
/// roles exactly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ColumnLayout {
    pub version: u32,
    pub label: String,
    pub query: String,
    pub document: Option<String>,
    pub features: Vec<Feature>,
}

impl ColumnLayout {
    /// The key of the Parquet metadata entry.
    #[cfg(feature = "parquet")]
    pub const KEY: &str = "featherank";
    /// The newest version that this release supports.
    #[cfg(feature = "parquet")]
    pub const VERSION: u32 = 1;
}

/// The columns of a table by role, as positions in the table.
#[derive(Debug, PartialEq)]
pub(crate) struct ColumnRoles {
    pub label: usize,
    pub query: usize,
    pub document: Option<usize>,
    pub features: Vec<usize>,
    /// The feature table, in the order of `features`.
    pub table: FeatureTable,
}

/// A role of a column: its name in messages and the usual names of such columns.
struct ColumnRole {
    name: &'static str,
    usual: &'static [&'static str],
}

const LABEL: ColumnRole = ColumnRole {
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
const QUERY: ColumnRole = ColumnRole {
    name: "query",
    usual: &["qid", "query_id", "queryid", "query", "group", "group_id", "srch_id"],
};
const DOCUMENT: ColumnRole = ColumnRole {
    name: "document",
    usual: &["docid", "doc_id", "document", "document_id", "doc", "url"],
};

impl ColumnRoles {
    /// Assigns a role to every column of `file`.
    pub fn assign(
        names: &[String],
        layout: Option<&ColumnLayout>,
        options: &ReadOptions,
        file: &str,
    ) -> Result<ColumnRoles> {
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
            let place = places.get(name.as_str()).ok_or_else(|| {
                let kind = format!("column to ignore in {file}");
                unknown_of_many(kind, name, names.iter().map(String::as_str))
            })?;
            ignored.insert(*place);
        }
        let noted: HashMap<String, &Feature> =
            layout.iter().flat_map(|l| &l.features).map(|f| (f.label(), f)).collect();
        let mut search = RoleSearch { names, places: &places, taken: ignored, noted: &noted };
        let roles = [
            (LABEL, &options.label_column, layout.map(|l| &l.label)),
            (QUERY, &options.query_column, layout.map(|l| &l.query)),
            (DOCUMENT, &options.document_column, layout.and_then(|l| l.document.as_ref())),
        ];
        // Columns named by the user are assigned first, so that no guess for another role uses
        // them.
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
        let needed = |place: Option<usize>, role: ColumnRole| {
            place.ok_or_else(|| {
                let reason = format!("no column is called {}", role.usual.join(", "));
                here(Problem::NoColumn { role: role.name, reason })
            })
        };
        let (label, query) = (needed(label, LABEL)?, needed(query, QUERY)?);
        // A column noted as label never becomes a feature, not even if the user ranks by another
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
        Ok(ColumnRoles { label, query, document, features, table })
    }
}

impl ColumnRoles {
    /// Only the columns needed to identify queries and the documents that count.
    #[cfg(feature = "parquet")]
    pub fn without_features(&self) -> ColumnRoles {
        let (label, query) = (self.label, self.query);
        ColumnRoles {
            label,
            query,
            document: None,
            features: Vec::new(),
            table: FeatureTable::default(),
        }
    }
}

/// The name under which pandas stores row numbers, which are not a property of a document.
fn is_row_index(name: &str) -> bool {
    name.starts_with("__index_level_") && name.ends_with("__")
}

/// The search for the columns of each role.
struct RoleSearch<'a> {
    names: &'a [String],
    places: &'a HashMap<&'a str, usize>,
    taken: HashSet<usize>,
    noted: &'a HashMap<String, &'a Feature>,
}

impl RoleSearch<'_> {
    /// The column that the user named for a role.
    fn named(&mut self, role: &ColumnRole, name: &str) -> Result<usize, Problem> {
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

    /// The column that the file's writer noted for a role, or else the one with a usual name.
    fn likely(&mut self, role: &ColumnRole, noted: Option<&str>) -> Result<Option<usize>, Problem> {
        let free = |place: &usize| !self.taken.contains(place);
        let noted = noted.and_then(|name| self.places.get(name)).copied().filter(free);
        // A column noted as a feature stays one, whatever its name.
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

    fn assign(names: &str, options: &ReadOptions) -> Result<ColumnRoles> {
        let names: Vec<String> = names.split(',').map(String::from).collect();
        ColumnRoles::assign(&names, None, options, "t.csv")
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
    fn the_options_take_precedence() {
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
    fn ambiguity_is_an_error_that_names_the_columns() {
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
    fn a_noted_layout_precedes_the_usual_names() {
        let feature = |id, name: &str| Feature { id, name: Some(name.into()) };
        let layout = ColumnLayout {
            version: 1,
            label: "__label".into(),
            query: "qid".into(),
            document: None,
            features: vec![feature(4, "label"), feature(9, "url")],
        };
        let names = ["__label", "qid", "label", "url"].map(String::from);
        let found =
            ColumnRoles::assign(&names, Some(&layout), &ReadOptions::default(), "t").unwrap();
        assert_eq!((found.label, found.query, found.document), (0, 1, None));
        assert_eq!(found.table, FeatureTable::from_features(layout.features.clone()));
        let options = ReadOptions { label_column: Some("url".into()), ..ReadOptions::default() };
        assert_eq!(
            ColumnRoles::assign(&names, Some(&layout), &options, "t").unwrap().features,
            [2]
        );
    }
}
