//! Decompression of text files: gzip, zstd and xz.

#[cfg(not(feature = "compression"))]
pub(super) use disabled::{decompressed, memory_limit_exceeded};
#[cfg(feature = "compression")]
pub(super) use enabled::{decompressed, memory_limit_exceeded};

#[cfg(feature = "compression")]
mod enabled {
    use std::io::{self, BufReader, Read};

    use liblzma::stream::Stream;

    use crate::error::{Error, Result};

    /// The maximum memory for decoding an xz file, unless the system allows less. Its header can
    /// request any amount; files written by `xz -9` need 65 MiB.
    const XZ_MEMORY: u64 = 512 << 20;

    /// The maximum memory for decoding a zstd file: the largest window that `zstd` writes without
    /// options that exceed it.
    const ZSTD_WINDOW_LOG: u32 = 27;

    fn xz_memory() -> u64 {
        XZ_MEMORY.min(crate::memory::limit())
    }

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
            "zstd" => {
                let failed = |e| Error::io("read", name, e);
                let mut decoder = zstd::Decoder::new(file).map_err(failed)?;
                decoder.window_log_max(ZSTD_WINDOW_LOG).map_err(failed)?;
                Box::new(decoder)
            }
            _ => {
                let stream = Stream::new_stream_decoder(xz_memory(), liblzma::stream::CONCATENATED)
                    .map_err(|e| Error::io("read", name, e.into()))?;
                Box::new(liblzma::read::XzDecoder::new_stream(file, stream))
            }
        })
    }

    /// The maximum, if reading failed because a file needs more memory to be unpacked.
    pub fn memory_limit_exceeded(error: &io::Error) -> Option<u64> {
        match error.get_ref()?.downcast_ref() {
            Some(liblzma::stream::Error::MemLimit) => Some(xz_memory()),
            // The library reports the name of its error only.
            None if error.to_string().contains("too much memory") => Some(1 << ZSTD_WINDOW_LOG),
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

    pub fn memory_limit_exceeded(_: &io::Error) -> Option<u64> {
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
        assert!(error.contains("more than the limit of 512 MiB"), "{error}");
    }

    /// A frame header that requests a window of 2 GiB.
    #[test]
    fn the_memory_of_zstd_files_is_limited() {
        let bytes = b"\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00".to_vec();
        let source = Source::from_reader(Box::new(io::Cursor::new(bytes)), "t".into());
        let error = source.unwrap().read_all(1).unwrap_err().to_string();
        assert!(error.contains("more than the limit of 128 MiB"), "{error}");
    }
}
