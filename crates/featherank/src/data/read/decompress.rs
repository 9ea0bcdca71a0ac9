//! Decompression of text files: gzip, zstd and xz.

#[cfg(not(feature = "compression"))]
pub(super) use disabled::{decompressed, exceeds_memory_limit};
#[cfg(feature = "compression")]
pub(super) use enabled::{decompressed, exceeds_memory_limit};

#[cfg(feature = "compression")]
mod enabled {
    use std::io::{self, BufReader, Read};

    use liblzma::stream::Stream;

    use crate::error::{Error, Result};

    /// The maximum memory for decoding an xz file. Its header can request any amount; files
    /// written by `xz -9` need 65 MiB.
    const XZ_MEMORY: u64 = 512 << 20;

    /// The content of a file in one of the three formats; `name` is for messages.
    pub fn decompressed(
        format: &str,
        file: impl Read + Send + 'static,
        name: &str,
    ) -> Result<Box<dyn Read + Send>> {
        Ok(match format {
            "gzip" => {
                let buffered = BufReader::with_capacity(1 << 17, file);
                Box::new(flate2::read::MultiGzDecoder::new(buffered))
            }
            "zstd" => Box::new(zstd::Decoder::new(file).map_err(|e| Error::io("read", name, e))?),
            _ => {
                let stream = Stream::new_stream_decoder(XZ_MEMORY, liblzma::stream::CONCATENATED)
                    .map_err(|e| Error::io("read", name, e.into()))?;
                Box::new(liblzma::read::XzDecoder::new_stream(file, stream))
            }
        })
    }

    /// The reason if reading failed because an xz file needs more memory than the maximum.
    pub fn exceeds_memory_limit(error: &io::Error) -> Option<String> {
        match error.get_ref()?.downcast_ref()? {
            liblzma::stream::Error::MemLimit => Some(format!(
                "it asks for more than {} MiB of memory to be unpacked",
                XZ_MEMORY >> 20
            )),
            _ => None,
        }
    }
}

/// The same functions in a build that cannot read compressed files.
#[cfg(not(feature = "compression"))]
mod disabled {
    use std::io::{self, Read};

    use crate::error::Result;

    pub fn decompressed(
        format: &str,
        _: impl Read + Send + 'static,
        name: &str,
    ) -> Result<Box<dyn Read + Send>> {
        Err(crate::data::needs_feature(name, format, "compression"))
    }

    pub fn exceeds_memory_limit(_: &io::Error) -> Option<String> {
        None
    }
}

#[cfg(all(test, feature = "compression"))]
mod tests {
    use std::io;

    use super::super::source::Source;

    /// An otherwise valid header that requests a dictionary of 4 GiB.
    #[test]
    fn the_memory_of_xz_files_is_limited() {
        let mut bytes = b"\xfd7zXZ\0\0\0\xff\x12\xd9\x41".to_vec();
        // Block header: 12 bytes, one filter, LZMA2 with dictionary size code 40, padding, CRC32.
        let header = [2, 0, 0x21, 1, 40, 0, 0, 0];
        bytes.extend(header);
        let mut crc = flate2::Crc::new();
        crc.update(&header);
        bytes.extend(crc.sum().to_le_bytes());
        let source = Source::from_reader(Box::new(io::Cursor::new(bytes)), "t".into());
        let error = source.unwrap().read_all(1).unwrap_err().to_string();
        assert!(error.contains("more than 512 MiB of memory"), "{error}");
    }
}
