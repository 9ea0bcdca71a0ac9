//! Saved documents: versioned JSON, written atomically, with kind and version checked on reading.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::data::write_atomically;
use crate::error::{Error, REPORT_DEFECT, Result};

/// The fields at the start of every document.
#[derive(Serialize, Deserialize)]
struct Header {
    featherank: String,
    version: u32,
}

#[derive(Serialize)]
struct Document<'a, T> {
    featherank: &'a str,
    version: u32,
    #[serde(flatten)]
    content: &'a T,
}

/// A document's text, with a final newline.
pub(crate) fn to_json<T: Serialize>(kind: &str, version: u32, content: &T) -> Result<String> {
    let text = serde_json::to_string_pretty(&Document { featherank: kind, version, content });
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
    let document = Document { featherank: kind, version, content };
    write_atomically(path, |file| {
        let failed = |e: serde_json::Error| Error::io("write", path, e.into());
        serde_json::to_writer(std::io::BufWriter::new(file), &document).map_err(failed)
    })
}

/// Writes a document.
pub(crate) fn save<T: Serialize>(kind: &str, version: u32, content: &T, path: &Path) -> Result<()> {
    let text = to_json(kind, version, content)?;
    write_atomically(path, |file| {
        file.write_all(text.as_bytes()).map_err(|e| Error::io("write", path, e))
    })
}

/// Reads a document of the given kind, of this or an older version.
pub(crate) fn load<T: DeserializeOwned>(kind: &str, version: u32, path: &Path) -> Result<T> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
    parse(kind, version, &text, path)
}

/// Parses a document; `path` is used in error messages.
pub(crate) fn parse<T: DeserializeOwned>(
    kind: &str,
    version: u32,
    text: &str,
    path: &Path,
) -> Result<T> {
    let header: Header = serde_json::from_str(text).map_err(|e| {
        refused(path, format!("this is not a featherank {kind}: {e}"), "check the path")
    })?;
    check(&header, kind, version, path)?;
    serde_json::from_str(text)
        .map_err(|e| refused(path, format!("this {kind} is damaged: {e}"), "write it again"))
}

/// Returns an error if the file is a document of another kind or of a newer version and so must not
/// be replaced. A damaged document may be replaced.
#[cfg(feature = "experiments")]
pub(crate) fn check_replaceable(kind: &str, version: u32, path: &Path) -> Result<()> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?;
    serde_json::from_str(&text).map_or(Ok(()), |header| check(&header, kind, version, path))
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
        content.map(|content| Document { featherank: kind, version, content }).serialize(to)
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
