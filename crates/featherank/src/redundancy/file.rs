//! Saves the result as a JSON document, or the ordered matrix as a table.

use std::io::Write;
use std::path::Path;

use super::Redundancy;
use crate::data::{not_a_formula, write_atomically};
use crate::document;
use crate::error::{Error, Result};

const KIND: &str = "redundancy";
/// Version 2: with a checksum.
const VERSION: u32 = 2;

/// The content of a file, chosen by its suffix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileForm {
    /// Everything, as a versioned JSON document.
    Json,
    /// The matrix, with a header and a first column of names; undefined cells are empty.
    Csv,
    /// The matrix separated by tabs.
    Tsv,
}

impl FileForm {
    /// The form for the suffix of a file name.
    pub fn of(path: &Path) -> Result<Self> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("json") => Ok(FileForm::Json),
            Some("csv") => Ok(FileForm::Csv),
            Some("tsv") => Ok(FileForm::Tsv),
            _ => Err(Error::invalid(
                "output file",
                path.display(),
                "a name that ends in .json, .csv or .tsv",
            )),
        }
    }
}

impl Redundancy {
    /// The JSON document.
    pub fn to_json(&self) -> Result<String> {
        document::to_json(KIND, VERSION, self)
    }

    /// Writes the form for the file's suffix, atomically.
    pub fn save(&self, path: &Path) -> Result<()> {
        match FileForm::of(path)? {
            FileForm::Json => document::save(KIND, VERSION, self, path),
            FileForm::Csv => self.save_matrix(path, b','),
            FileForm::Tsv => self.save_matrix(path, b'\t'),
        }
    }

    fn save_matrix(&self, path: &Path, delimiter: u8) -> Result<()> {
        write_atomically(path, |out| {
            self.write_matrix(out, delimiter).map_err(|e| Error::io("write", path, e))
        })
    }

    fn write_matrix(&self, out: impl Write, delimiter: u8) -> std::io::Result<()> {
        let mut table = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
        let labels: Vec<String> =
            self.features.iter().map(|f| not_a_formula(&f.feature.label()).into_owned()).collect();
        table.write_record(std::iter::once("feature").chain(labels.iter().map(String::as_str)))?;
        for (label, row) in labels.iter().zip(&self.matrix) {
            let cells =
                row.iter().map(|cell| cell.map_or(String::new(), |value| value.to_string()));
            table.write_record(std::iter::once(label.clone()).chain(cells))?;
        }
        table.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Feature;
    use crate::engine::Scope;
    use crate::engine::passes::Correlation;
    use crate::redundancy::ComparedFeature;

    fn example() -> Redundancy {
        let feature = |id, name: &str, vif| ComparedFeature {
            feature: Feature { id, name: Some(name.into()) },
            alone: 0.5,
            vif,
            inflated: vif.is_none(),
        };
        Redundancy {
            correlation: Correlation::Kendall,
            scope: Scope::Query,
            level: 0.9,
            measure: "map".parse().unwrap(),
            features: vec![
                feature(2, "a, b", None),
                feature(1, "c", Some(1.5)),
                feature(3, "d", Some(1.0)),
            ],
            matrix: vec![
                vec![Some(1.0), Some(-0.25), None],
                vec![Some(-0.25), Some(1.0), Some(0.5)],
                vec![None, Some(0.5), Some(1.0)],
            ],
            groups: Vec::new(),
            could_go: Vec::new(),
            constant_within_queries: Vec::new(),
            incomplete: Vec::new(),
        }
    }

    #[test]
    fn tables_quote_names_and_leave_undefined_cells_empty() {
        let folder = tempfile::tempdir().unwrap();
        let saved = |name: &str| {
            let path = folder.path().join(name);
            example().save(&path).unwrap();
            std::fs::read_to_string(path).unwrap()
        };
        assert_eq!(
            saved("m.CSV"),
            "feature,\"a, b\",c,d\n\"a, b\",1,-0.25,\nc,-0.25,1,0.5\nd,,0.5,1\n"
        );
        assert_eq!(
            saved("m.tsv"),
            "feature\ta, b\tc\td\na, b\t1\t-0.25\t\nc\t-0.25\t1\t0.5\nd\t\t0.5\t1\n"
        );
        let document: serde_json::Value = serde_json::from_str(&saved("m.json")).unwrap();
        assert_eq!(
            (&document["featherank"], &document["version"]),
            (&"redundancy".into(), &2.into())
        );
        assert!(document["features"][0]["vif"].is_null() && document["matrix"][0][2].is_null());
        assert_eq!(document["features"][1]["name"], "c");
    }

    #[test]
    fn other_suffixes_are_rejected() {
        for name in ["matrix", "matrix.xlsx", "matrix.csv.gz", "-"] {
            assert!(
                FileForm::of(Path::new(name))
                    .unwrap_err()
                    .to_string()
                    .contains(".json, .csv or .tsv")
            );
        }
    }
}
