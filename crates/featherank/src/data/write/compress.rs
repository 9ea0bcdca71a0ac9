//! Compression chosen by the suffix of a file name.

use std::io::Write;
use std::path::Path;

use super::WriteFailure;

/// The compressions in which text can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    Gzip,
    Zstd,
    Xz,
}

impl Compression {
    /// The compression implied by a file's suffix.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "gz" => Some(Compression::Gzip),
            "zst" => Some(Compression::Zstd),
            "xz" => Some(Compression::Xz),
            _ => None,
        }
    }
}

/// Calls `content` with a writer that compresses according to the path's suffix.
pub(super) fn compressed(
    path: &Path,
    out: &mut dyn Write,
    content: impl FnOnce(&mut dyn Write) -> Result<(), WriteFailure>,
) -> Result<(), WriteFailure> {
    match Compression::of(path) {
        None => content(out)?,
        #[cfg(not(feature = "compression"))]
        Some(_) => {
            let (name, format) = (path.display().to_string(), "compressed files");
            return Err(crate::data::needs_feature(&name, format, "compression").into());
        }
        #[cfg(feature = "compression")]
        Some(Compression::Gzip) => {
            let mut encoder = flate2::write::GzEncoder::new(out, flate2::Compression::default());
            content(&mut encoder)?;
            encoder.finish()?;
        }
        #[cfg(feature = "compression")]
        Some(Compression::Zstd) => {
            let mut encoder = zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?;
            encoder.include_checksum(true)?;
            content(&mut encoder)?;
            encoder.finish()?;
        }
        #[cfg(feature = "compression")]
        Some(Compression::Xz) => {
            let mut encoder = liblzma::write::XzEncoder::new(out, 6);
            content(&mut encoder)?;
            encoder.finish()?;
        }
    }
    Ok(())
}
