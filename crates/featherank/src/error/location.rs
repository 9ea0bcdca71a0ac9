//! Places in the input.

use std::fmt;

/// A place in the input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Location {
    /// The file as the user named it; `-` is standard input.
    pub file: String,
    /// Line number, from 1; for Parquet the row number.
    pub line: Option<u64>,
    /// A second place ("first seen at line 40").
    pub note: Option<String>,
}

impl Location {
    /// A whole file.
    pub fn file(file: impl Into<String>) -> Self {
        Location { file: file.into(), line: None, note: None }
    }

    /// A line of a file, counted from 1.
    pub fn line(file: impl Into<String>, line: u64) -> Self {
        Location { file: file.into(), line: Some(line), note: None }
    }

    /// The same place with a note.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.file == "-" { "standard input" } else { &self.file })?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        match &self.note {
            Some(note) => write!(f, " ({note})"),
            None => Ok(()),
        }
    }
}
