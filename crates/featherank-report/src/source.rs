//! The input of a report: results of an experiment, a directory that contains them, or a selection.

use std::path::{Path, PathBuf};

use featherank::experiment::Results;
use featherank::select::Selection;
use featherank::{Error, Location, Problem, Result, remedy};
use serde::Deserialize;

use crate::{render_as, render_selection};

/// A document to report on, with its path.
pub struct ReportSource {
    path: PathBuf,
    document: ReportDocument,
}

enum ReportDocument {
    Results(Box<Results>),
    Selection(Box<Selection>),
}

/// The file names to look for in a directory, in this order.
const NAMES: [&str; 2] = ["results.json", "selection.json"];

/// The field that identifies the kind of a document.
#[derive(Deserialize)]
struct DocumentKind {
    featherank: String,
}

impl ReportSource {
    /// Reads results or a selection; in a directory, `results.json` or else `selection.json`.
    ///
    /// # Errors
    /// A path that does not exist, a directory that contains neither file, or a document that this
    /// version cannot read.
    pub fn open(path: &Path) -> Result<Self> {
        let place = || Location::file(path.display().to_string());
        if !path.exists() {
            return Err(Problem::NoSuchFile.at(place()));
        }
        let path = if path.is_dir() { inside(path)? } else { path.to_owned() };
        let text = std::fs::read_to_string(&path).map_err(|e| Error::io("read", &path, e))?;
        let is_selection = serde_json::from_str(&text)
            .is_ok_and(|kind: DocumentKind| kind.featherank == "selection");
        // Other documents are refused by the reader of results.
        let document = match is_selection {
            true => ReportDocument::Selection(Box::new(Selection::load(&path)?)),
            false => ReportDocument::Results(Box::new(Results::load(&path)?)),
        };
        Ok(ReportSource { path, document })
    }

    /// The file that was read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Renders the page.
    ///
    /// # Errors
    /// An inconsistent document.
    pub fn render(&self) -> Result<String> {
        match &self.document {
            ReportDocument::Results(results) => render_as(results, &self.path),
            ReportDocument::Selection(selection) => render_selection(selection, &self.path),
        }
    }
}

fn inside(folder: &Path) -> Result<PathBuf> {
    let found = NAMES.iter().map(|name| folder.join(name)).find(|path| path.exists());
    found.ok_or_else(|| Error::Document {
        what: format!("this folder holds neither {} nor {}", NAMES[0], NAMES[1]),
        path: folder.to_owned(),
        help: remedy![
            "name the output folder of ",
            Command::Compare,
            " or the output file of ",
            Command::Select
        ],
    })
}
