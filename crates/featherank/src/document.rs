//! Saved documents: versioned JSON with a checksum, written atomically; kind, version and checksum
//! are checked on reading.
//!
//! Selections, models, plans and results may be edited: without the field `checksum` they are
//! accepted as they are. Checkpoints and cells are never edited: without it they are refused.

mod checksum;

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::data::{write_atomically, write_bytes};
use crate::error::{Error, REPORT_DEFECT, Result};
use checksum::{Checksum, Scan};

/// The fields at the start of every document.
#[derive(Deserialize)]
struct Header {
    featherank: String,
    version: u32,
    #[serde(default)]
    checksum: Option<String>,
}

#[derive(Serialize)]
struct Document<'a, T> {
    featherank: &'a str,
    version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
    #[serde(flatten)]
    content: &'a T,
}

impl<'a, T: Serialize> Document<'a, T> {
    fn new(kind: &'a str, version: u32, content: &'a T) -> Self {
        Document { featherank: kind, version, checksum: None, content }
    }

    /// The same document with the checksum of its text.
    fn sealed(mut self) -> serde_json::Result<Self> {
        let mut sum = Checksum::default();
        serde_json::to_writer(&mut sum, &self)?;
        self.checksum = Some(sum.text());
        Ok(self)
    }
}

/// A document's text, with a final newline.
pub(crate) fn to_json<T: Serialize>(kind: &str, version: u32, content: &T) -> Result<String> {
    let sealed = Document::new(kind, version, content).sealed();
    let text = sealed.and_then(|document| serde_json::to_string_pretty(&document));
    text.map(|text| text + "\n")
        .map_err(|e| Error::internal(format!("cannot write the {kind}: {e}"), REPORT_DEFECT))
}

/// Writes a document on one line: half the bytes, for files that are not meant to be read by
/// people.
pub(crate) fn save_compact<T: Serialize>(
    kind: &str,
    version: u32,
    content: &T,
    path: &Path,
) -> Result<()> {
    let failed = |e: serde_json::Error| Error::io("write", path, e.into());
    let document = Document::new(kind, version, content).sealed().map_err(failed)?;
    write_atomically(path, |file| {
        serde_json::to_writer(std::io::BufWriter::new(file), &document).map_err(failed)
    })
}

/// Writes a document.
pub(crate) fn save<T: Serialize>(kind: &str, version: u32, content: &T, path: &Path) -> Result<()> {
    write_bytes(path, to_json(kind, version, content)?.as_bytes())
}

/// Reads a document of the given kind, of this or an older version.
pub(crate) fn load<T: DeserializeOwned>(kind: &str, version: u32, path: &Path) -> Result<T> {
    parse(kind, version, &read(kind, path)?, path)
}

/// The kind of a document; `None` if the file is not a document of featherank.
pub(crate) fn kind(path: &Path) -> Result<Option<String>> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
    Ok(serde_json::from_str(without_mark(&text)).ok().map(|header: Header| header.featherank))
}

/// Parses a document; `path` is used in error messages.
pub(crate) fn parse<T: DeserializeOwned>(
    kind: &str,
    version: u32,
    text: &str,
    path: &Path,
) -> Result<T> {
    const HELP: &str =
        "write it again; remove the field `checksum` if you edited the file on purpose";
    check_text(kind, version, text, path, HELP)?;
    content(kind, text, path)
}

/// Reads the text of a document that must have a checksum, because it is never edited.
pub(crate) fn read_state(kind: &str, version: u32, path: &Path) -> Result<String> {
    const HELP: &str = "delete the file to repeat its work";
    let text = read(kind, path)?;
    match check_text(kind, version, &text, path, HELP)? {
        true => Ok(text),
        false => {
            let what = format!("this {kind} has no checksum, so it cannot be trusted");
            Err(refused(path, what, HELP))
        }
    }
}

/// The content of a document whose text has been checked.
pub(crate) fn content<T: DeserializeOwned>(kind: &str, text: &str, path: &Path) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|e| refused(path, format!("this {kind} is damaged: {e}"), "write it again"))
}

fn read(kind: &str, path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::InvalidData => {
            refused(path, format!("this {kind} is damaged: it is not UTF-8"), "write it again")
        }
        _ => Error::io("read", path, e),
    })?;
    Ok(without_mark(&text).to_owned())
}

/// The text without the byte order mark that editors on Windows write.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Checks kind, version and checksum of a text; whether it has a checksum. `help` is for a wrong
/// one.
fn check_text(
    kind: &str,
    version: u32,
    text: &str,
    path: &Path,
    help: &'static str,
) -> Result<bool> {
    let header: Header = serde_json::from_str(text).map_err(|e| {
        refused(path, format!("this is not a featherank {kind}: {e}"), "check the path")
    })?;
    check(&header, kind, version, path)?;
    let scan = Scan::of(text);
    match &header.checksum {
        None if scan.is_damaged => {
            let what = format!("this {kind} is damaged: the name of its checksum field is damaged");
            Err(refused(path, what, "write it again"))
        }
        Some(noted) if *noted != scan.found => Err(refused(
            path,
            format!("the checksum of this {kind} is wrong: the file was damaged or edited"),
            help,
        )),
        noted => Ok(noted.is_some()),
    }
}

/// Returns an error if the file is a document of another kind or of a newer version and so must not
/// be replaced. A damaged document may be replaced.
#[cfg(feature = "experiments")]
pub(crate) fn check_replaceable(kind: &str, version: u32, path: &Path) -> Result<()> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
    serde_json::from_str(without_mark(&text))
        .map_or(Ok(()), |header| check(&header, kind, version, path))
}

fn check(header: &Header, kind: &str, version: u32, path: &Path) -> Result<()> {
    if header.featherank != kind {
        let what = format!("this is a featherank {}, not a {kind}", header.featherank);
        return Err(refused(path, what, "check the path"));
    }
    if header.version > version {
        let what = format!(
            "this {kind} has version {}; this release reads up to {version}",
            header.version
        );
        return Err(refused(path, what, "use the newer featherank that wrote it"));
    }
    Ok(())
}

/// The text of a document with the checksum of its present content; `None` if it has no checksum.
/// For tests and fuzzing: whatever a checksum would refuse must not panic either.
#[doc(hidden)]
pub fn resealed(text: &str) -> Option<String> {
    let header: Header = serde_json::from_str(text).ok()?;
    let noted = header.checksum.filter(|noted| !noted.is_empty())?;
    Some(text.replacen(&format!("\"{noted}\""), &format!("\"{}\"", Scan::of(text).found), 1))
}

fn refused(path: &Path, what: String, help: &'static str) -> Error {
    Error::document(what, path, help)
}

/// `#[serde(with)]` for an optional document nested in another one.
pub(crate) mod inside {
    use serde::de::{DeserializeOwned, Error};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Document;

    #[derive(Deserialize)]
    struct Read<T> {
        featherank: String,
        version: u32,
        #[serde(flatten)]
        content: T,
    }

    /// Writes the header, then the content.
    pub fn serialize<T: Serialize, S: Serializer>(
        kind: &str,
        version: u32,
        content: Option<&T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        content.map(|content| Document::new(kind, version, content)).serialize(to)
    }

    /// Returns an error for another kind of document or a newer version.
    pub fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
        kind: &str,
        version: u32,
        from: D,
    ) -> Result<Option<T>, D::Error> {
        match Option::<Read<T>>::deserialize(from)? {
            None => Ok(None),
            Some(read) if read.featherank == kind && read.version <= version => {
                Ok(Some(read.content))
            }
            Some(read) => Err(D::Error::custom(format!(
                "it holds a {} of version {}, where a {kind} of version {version} is expected",
                read.featherank, read.version
            ))),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Flips bits of a file, one at a time: each is an error that names the file.
    pub(crate) fn every_flip_is_refused<T>(path: &Path, load: impl Fn() -> Result<T>) {
        /// The header and the first fields.
        const START: usize = 120 * 8;
        const OTHERS: usize = 3000;
        let whole = std::fs::read(path).unwrap();
        assert!(load().is_ok());
        let bits = whole.len() * 8;
        // An odd stride visits all bits of a byte.
        let stride = (bits / OTHERS) | 1;
        for bit in (0..START.min(bits)).chain((START..bits).step_by(stride)) {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(path, &damaged).unwrap();
            let text = String::from_utf8_lossy(&damaged);
            let Err(error) = load() else { panic!("bit {bit} of {}: {text}", path.display()) };
            let said = error.to_string();
            assert!(said.contains(&*path.to_string_lossy()), "bit {bit}: {said}");
        }
        std::fs::write(path, &whole).unwrap();
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct SavedExample {
        values: Vec<f64>,
        text: String,
    }

    fn content() -> SavedExample {
        SavedExample {
            values: vec![0.1 + 0.2, -1e-300, 7.0, 0.0],
            text: "a \"b\" \\ \u{e9}".into(),
        }
    }

    #[test]
    fn flipped_bits_are_refused_however_the_document_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("content.json");
        save("content", 3, &content(), &path).unwrap();
        every_flip_is_refused(&path, || load::<SavedExample>("content", 3, &path));
        save_compact("content", 3, &content(), &path).unwrap();
        every_flip_is_refused(&path, || load::<SavedExample>("content", 3, &path));
    }

    #[test]
    fn edited_documents_can_be_sealed_again() {
        let path = Path::new("content.json");
        let text = to_json("content", 3, &content()).unwrap().replace("7.0", "8.0");
        assert!(parse::<SavedExample>("content", 3, &text, path).is_err());
        let sealed = resealed(&text).unwrap();
        assert_eq!(parse::<SavedExample>("content", 3, &sealed, path).unwrap().values[2], 8.0);
        assert_eq!(resealed("{}"), None);
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_document() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("content.json");
        let text = to_json("content", 3, &content()).unwrap();
        std::fs::write(&path, format!("\u{feff}{text}")).unwrap();
        assert_eq!(load::<SavedExample>("content", 3, &path).unwrap(), content());
        assert_eq!(kind(&path).unwrap().as_deref(), Some("content"));
    }

    /// States are refused without a checksum, so that removing it is no remedy.
    #[test]
    fn edited_states_have_a_remedy_that_works() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        let text = to_json("state", 3, &content()).unwrap();
        std::fs::write(&path, text.replace("7.0", "8.0")).unwrap();
        let said = read_state("state", 3, &path).unwrap_err().to_string();
        assert!(said.contains("is wrong") && said.contains("delete the file"), "{said}");
        assert!(!said.contains("remove the field"), "{said}");
    }

    #[test]
    fn documents_may_be_indented_edited_without_checksum_and_old() {
        let path = Path::new("content.json");
        let parsed = |text: &str| parse::<SavedExample>("content", 3, text, path);
        let text = to_json("content", 3, &content()).unwrap();
        assert_eq!(parsed(&text).unwrap(), content());
        let indented = text.replace("\n  ", "\n\t\t");
        assert_eq!(parsed(&indented).unwrap(), content());
        let edited = text.replace("7.0", "8.0");
        let said = parsed(&edited).unwrap_err().to_string();
        assert!(
            said.contains("is wrong") && said.contains("remove the field `checksum`"),
            "{said}"
        );
        let line = text.lines().find(|line| line.contains("\"checksum\"")).unwrap();
        let without = edited.replace(&format!("{line}\n"), "");
        assert_eq!(parsed(&without).unwrap().values[2], 8.0);
        let old = without.replace("\"version\": 3", "\"version\": 1");
        assert_eq!(parsed(&old).unwrap().values[2], 8.0);
    }
}
