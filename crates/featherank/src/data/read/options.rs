//! Options for reading: the format, the roles of columns, and the meaning of irregular values.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Problem, Result};

/// The formats that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// `2 qid:7 1:0.5 2:3.1 # comment`
    Letor,
    /// Comma-separated values with a header.
    Csv,
    /// Tab-separated values with a header.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// Search responses with logged features: `_ltrlog` of the Elasticsearch and OpenSearch
    /// learning-to-rank plugins, or `[features]` of Solr, recognised by their structure.
    Log,
}

impl Format {
    /// All formats with their names.
    pub const NAMES: [(&'static str, Format); 5] = [
        ("letor", Format::Letor),
        ("csv", Format::Csv),
        ("tsv", Format::Tsv),
        ("parquet", Format::Parquet),
        ("log", Format::Log),
    ];

    /// The format implied by a file name, with or without a compression suffix.
    pub fn from_name(file: &str) -> Option<Format> {
        let mut stem = file.to_ascii_lowercase();
        for compressed in [".gz", ".zst", ".xz"] {
            if let Some(shorter) = stem.strip_suffix(compressed) {
                stem = shorter.to_owned();
                break;
            }
        }
        match stem.rsplit_once('.')?.1 {
            "txt" | "letor" | "svm" | "svmlight" | "libsvm" | "dat" | "train" | "vali" | "test" => {
                Some(Format::Letor)
            }
            "csv" => Some(Format::Csv),
            "tsv" | "tab" => Some(Format::Tsv),
            "parquet" | "pq" => Some(Format::Parquet),
            "json" | "jsonl" | "ndjson" => Some(Format::Log),
            _ => None,
        }
    }
}

impl std::str::FromStr for Format {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self> {
        let found = Format::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, format)| *format).ok_or_else(|| {
            Error::invalid(
                "format",
                name,
                format!("one of {}", Format::NAMES.map(|(known, _)| known).join(", ")),
            )
        })
    }
}

/// The treatment of missing values (`NULL`, an empty cell, NaN). A feature omitted from a sparse
/// text row is always 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// An error with its location.
    #[default]
    Error,
    /// The value 0.
    Zero,
    /// Kept as missing, represented by NaN, which tree rankers distinguish from every number.
    Keep,
}

/// The treatment of documents without a judgment (a label below 0, or none in a log).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unjudged {
    /// An error with its location.
    #[default]
    Error,
    /// The document is omitted.
    Drop,
    /// The document is not relevant.
    Zero,
}

/// Options for reading data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReadOptions {
    /// The format, if the file name does not imply it.
    pub format: Option<Format>,
    /// Treatment of missing values.
    pub missing: Missing,
    /// Clip infinities and values beyond the 32-bit range to the largest 32-bit number.
    pub clip: bool,
    /// Treatment of unjudged documents.
    pub unjudged: Unjudged,
    /// Group the rows of each query, in the order of their first appearance.
    pub regroup: bool,
    /// Text files number features from 0.
    pub zero_based: bool,
    /// Name of the label column of a table; by default recognised by the usual names.
    pub label_column: Option<String>,
    /// Name of the query column of a table.
    pub query_column: Option<String>,
    /// Name of the document-id column of a table.
    pub document_column: Option<String>,
    /// Columns of a table that are not features.
    pub ignore: Vec<String>,
    /// Side file with one query size per line, for text rows without `qid:`.
    pub groups: Option<PathBuf>,
    /// File with feature names, one per line.
    pub names: Option<PathBuf>,
    /// TREC qrels with the labels of logged documents.
    pub judgments: Option<PathBuf>,
    /// The largest allowed feature id of a text file.
    pub max_feature_id: u32,
    /// The maximum memory, in bytes, for the values; by default what the machine and the control
    /// groups of the process allow.
    pub max_bytes: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            format: None,
            missing: Missing::default(),
            clip: false,
            unjudged: Unjudged::default(),
            regroup: false,
            zero_based: false,
            label_column: None,
            query_column: None,
            document_column: None,
            ignore: Vec::new(),
            groups: None,
            names: None,
            judgments: None,
            max_feature_id: 1_000_000,
            max_bytes: crate::memory::limit(),
        }
    }
}

impl ReadOptions {
    /// The value to store for a number, or why it cannot be stored. `what` is called only on
    /// failure.
    pub(crate) fn value(&self, number: f64, what: impl Fn() -> String) -> Result<f32, Problem> {
        let narrow = number as f32;
        if narrow.is_finite() {
            return Ok(narrow);
        }
        match self {
            _ if number.is_nan() && self.missing == Missing::Zero => Ok(0.0),
            _ if number.is_nan() && self.missing == Missing::Keep => Ok(f32::NAN),
            _ if !number.is_nan() && self.clip => Ok(f32::MAX.copysign(narrow)),
            _ if number.is_finite() => {
                Err(Problem::BeyondF32 { what: what(), text: format!("{number:e}") })
            }
            _ => Err(Problem::NotFinite { what: what(), text: number.to_string() }),
        }
    }

    /// The value to store for a missing one.
    pub(crate) fn missing_value(&self, what: impl Fn() -> String) -> Result<f32, Problem> {
        match self.missing {
            Missing::Zero => Ok(0.0),
            Missing::Keep => Ok(f32::NAN),
            Missing::Error => Err(Problem::MissingValue { what: what() }),
        }
    }

    /// Parses a value: a number, or one of the usual words for a missing or infinite one.
    pub(crate) fn parse_value(
        &self,
        text: &str,
        what: impl Fn() -> String,
    ) -> Result<f32, Problem> {
        if let Ok(value) = text.parse::<f32>() {
            // Rounded once, from the text: going through 64 bits could round twice.
            if value.is_finite() {
                return Ok(value);
            }
            let wide = text.parse::<f64>().unwrap_or(f64::from(value));
            return self.value(wide, what);
        }
        match text.to_ascii_lowercase().as_str() {
            "" | "null" | "na" | "n/a" | "none" | "?" => self.missing_value(what),
            // Written by pandas for boolean columns.
            "true" => Ok(1.0),
            "false" => Ok(0.0),
            _ => Err(Problem::NotANumber { what: what(), text: shorten(text) }),
        }
    }

    /// The label to store, `None` for a document to be omitted.
    pub(crate) fn label(&self, label: f32) -> Result<Option<f32>, Problem> {
        match self.unjudged {
            _ if label >= 0.0 && label.is_finite() => Ok(Some(label)),
            _ if !label.is_finite() => {
                Err(Problem::NotFinite { what: "label".into(), text: label.to_string() })
            }
            Unjudged::Error => Err(Problem::NegativeLabel { label }),
            Unjudged::Drop => Ok(None),
            Unjudged::Zero => Ok(Some(0.0)),
        }
    }

    /// The label of an unjudged document, `None` for a document to be omitted.
    pub(crate) fn no_label(
        &self,
        query: &str,
        document: impl Fn() -> String,
    ) -> Result<Option<f32>, Problem> {
        match self.unjudged {
            Unjudged::Error => {
                Err(Problem::Unjudged { document: document(), query: query.to_owned() })
            }
            Unjudged::Drop => Ok(None),
            Unjudged::Zero => Ok(Some(0.0)),
        }
    }

    /// Parses a label, `None` for a document to be omitted.
    pub(crate) fn parse_label(&self, text: &str) -> Result<Option<f32>, Problem> {
        match text.parse::<f32>() {
            Ok(label) if label.is_finite() => self.label(label),
            Ok(label) => Err(Problem::NotFinite { what: "label".into(), text: label.to_string() }),
            Err(_) => Err(Problem::NotANumber { what: "label".into(), text: shorten(text) }),
        }
    }
}

/// The start of a text, short enough for a message.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_recognised_by_the_usual_suffixes() {
        for (file, format) in [
            ("Fold1/train.txt", Some(Format::Letor)),
            ("a.SVM.gz", Some(Format::Letor)),
            ("a.csv.zst", Some(Format::Csv)),
            ("a.b.parquet", Some(Format::Parquet)),
            ("log.json", Some(Format::Log)),
            ("noending", None),
            ("a.docx", None),
        ] {
            assert_eq!(Format::from_name(file), format, "{file}");
        }
    }

    #[test]
    fn irregular_values_follow_the_options() {
        let strict = ReadOptions::default();
        let lenient = ReadOptions { missing: Missing::Zero, clip: true, ..ReadOptions::default() };
        let keeping = ReadOptions { missing: Missing::Keep, ..ReadOptions::default() };
        let what = || "value".to_owned();
        for text in ["NULL", "nan", "NaN", ""] {
            assert!(strict.parse_value(text, what).is_err(), "{text}");
            assert_eq!(lenient.parse_value(text, what), Ok(0.0), "{text}");
            assert!(keeping.parse_value(text, what).is_ok_and(f32::is_nan), "{text}");
        }
        assert!(keeping.parse_value("inf", what).is_err(), "an infinity is not missing");
        for (text, value) in
            [("inf", f32::MAX), ("-1e39", f32::MIN), ("1.79769313486e+308", f32::MAX)]
        {
            assert!(strict.parse_value(text, what).is_err(), "{text}");
            assert_eq!(lenient.parse_value(text, what), Ok(value), "{text}");
        }
        assert!(lenient.parse_value("abc", what).is_err());
        assert_eq!(
            (strict.parse_value("True", what), strict.parse_value("false", what)),
            (Ok(1.0), Ok(0.0))
        );
        assert_eq!(strict.parse_value("1e-50", what), Ok(0.0));
    }

    #[test]
    fn negative_labels_follow_the_unjudged_option() {
        let with = |unjudged| ReadOptions { unjudged, ..ReadOptions::default() };
        assert!(with(Unjudged::Error).parse_label("-1").is_err());
        assert_eq!(with(Unjudged::Drop).parse_label("-1"), Ok(None));
        assert_eq!(with(Unjudged::Zero).parse_label("-1"), Ok(Some(0.0)));
        assert!(with(Unjudged::Drop).parse_label("nan").is_err());
    }
}
