//! What a report can be made of: results of an experiment, a folder that holds them, or a
//! selection.

use std::path::{Path, PathBuf};

use featherank::experiment::Results;
use featherank::select::Selection;
use featherank::{Error, Location, Problem, Result, remedy};
use serde::Deserialize;

use crate::{render_as, render_selection};

/// A document to report on, and where it was found.
pub struct Source {
    path: PathBuf,
    document: Document,
}

enum Document {
    Results(Box<Results>),
    Selection(Box<Selection>),
}

/// What folders are searched for, in this order.
const NAMES: [&str; 2] = ["results.json", "selection.json"];

/// The line that says what a document is.
#[derive(Deserialize)]
struct Kind {
    featherank: String,
}

impl Source {
    /// Reads results or a selection; of a folder the `results.json` in it, or the `selection.json`.
    ///
    /// # Errors
    /// A path where nothing is, a folder that holds neither, or a document that this release cannot
    /// read.
    pub fn open(path: &Path) -> Result<Self> {
        let place = || Location::file(path.display().to_string());
        if !path.exists() {
            return Err(Problem::NoSuchFile.at(place()));
        }
        let path = if path.is_dir() { inside(path)? } else { path.to_owned() };
        let text = std::fs::read_to_string(&path).map_err(|e| Error::io("read", &path, e))?;
        let is_selection =
            serde_json::from_str(&text).is_ok_and(|kind: Kind| kind.featherank == "selection");
        // Anything that is neither is refused by the reader of results, in its words.
        let document = match is_selection {
            true => Document::Selection(Box::new(Selection::load(&path)?)),
            false => Document::Results(Box::new(Results::load(&path)?)),
        };
        Ok(Source { path, document })
    }

    /// The file that was read.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The page.
    ///
    /// # Errors
    /// A document that contradicts itself.
    pub fn render(&self) -> Result<String> {
        match &self.document {
            Document::Results(results) => render_as(results, &self.path),
            Document::Selection(selection) => render_selection(selection, &self.path),
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
