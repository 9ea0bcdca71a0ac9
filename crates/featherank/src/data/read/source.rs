//! The bytes of a file or of standard input, decompressed.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::decompress::{decompressed, memory_limit_exceeded};
use crate::error::{Error, Location, Problem, Result};

/// An open input with the name to use in messages.
pub(crate) struct Source {
    reader: Box<dyn Read + Send>,
    name: String,
    compression: Option<&'static str>,
    plain_file: Option<PathBuf>,
}

/// UTF-8's byte order mark, which is no part of the text.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes read ahead to recognise a compression by its magic number, whatever the file is called.
const MAGIC: usize = 6;

impl Source {
    /// Opens a path; `-` is standard input.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        if name == "-" {
            return Source::from_reader(Box::new(io::stdin()), name);
        }
        let file = File::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Problem::NoSuchFile.at(Location::file(&name)),
            _ => Error::io("open", path, error),
        })?;
        let kind = file.metadata().map_err(|e| Error::io("read", path, e))?.file_type();
        if kind.is_dir() {
            return Err(Problem::Folder.at(Location::file(&name)));
        }
        let mut source = Source::from_reader(Box::new(file), name)?;
        source.plain_file =
            (kind.is_file() && source.compression.is_none()).then(|| path.to_owned());
        Ok(source)
    }

    /// Wraps a reader.
    pub fn from_reader(mut raw: Box<dyn Read + Send>, name: String) -> Result<Self> {
        let mut magic = Vec::with_capacity(MAGIC);
        raw.by_ref()
            .take(MAGIC as u64)
            .read_to_end(&mut magic)
            .map_err(|e| Error::io("read", &name, e))?;
        let compression = match magic.as_slice() {
            [0x1f, 0x8b, ..] => Some("gzip"),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some("zstd"),
            [0xfd, b'7', b'z', b'X', b'Z', 0] => Some("xz"),
            _ => None,
        };
        let whole = io::Cursor::new(magic).chain(raw);
        let reader: Box<dyn Read + Send> = match compression {
            Some(format) => decompressed(format, whole, &name)?,
            None => Box::new(whole),
        };
        Ok(Source { reader, name, compression, plain_file: None })
    }

    /// The file behind the source, if it can be read in any order: not for pipes and compressed
    /// files.
    #[cfg(feature = "parquet")]
    pub fn plain_file(&self) -> Option<&Path> {
        self.plain_file.as_deref()
    }

    /// The name for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads until `buffer` holds `target` bytes or the input ends; returns whether it ended.
    pub fn fill(&mut self, buffer: &mut Vec<u8>, target: usize) -> Result<bool> {
        let missing = target.saturating_sub(buffer.len()) as u64;
        match self.reader.by_ref().take(missing).read_to_end(buffer) {
            Ok(read) => Ok((read as u64) < missing),
            Err(error) => Err(self.explain(error)),
        }
    }

    /// Reads everything, for formats that cannot be read incrementally. Limited, because a
    /// compressed file of a few kilobytes can expand to any size.
    #[cfg(any(feature = "parquet", test))]
    pub fn read_all(&mut self, limit: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let most = limit.saturating_add(1);
        self.reader.by_ref().take(most).read_to_end(&mut bytes).map_err(|e| self.explain(e))?;
        match bytes.len() as u64 > limit {
            true => {
                Err(Problem::FileTooLong { limit_mib: limit >> 20 }.at(Location::file(&self.name)))
            }
            false => Ok(bytes),
        }
    }

    /// Converts a read error: in a compressed file it nearly always means that the file is
    /// truncated.
    pub fn explain(&self, error: io::Error) -> Error {
        match self.compression {
            Some(format) if error.raw_os_error().is_none() => {
                let problem = match memory_limit_exceeded(&error) {
                    Some(limit) => Problem::UnpackedTooLarge { limit_mib: limit >> 20 },
                    None => Problem::Damaged { format, reason: error.to_string() },
                };
                problem.at(Location::file(&self.name))
            }
            _ => Error::io("read", &self.name, error),
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

/// Consecutive whole lines.
pub(crate) struct TextBlock {
    /// The lines with their line ends, except perhaps the last one of the file.
    pub bytes: Vec<u8>,
    /// Number of the first line, from 1.
    pub first_line: u64,
}

/// Splits a source into blocks of whole lines.
///
/// Blocks instead of a memory map: compressed files and standard input use the same path, and pages
/// of the text never count against the memory of the data.
pub(crate) struct TextBlocks {
    source: Source,
    rest: Vec<u8>,
    next_line: u64,
    size: usize,
    ended: bool,
}

impl TextBlocks {
    /// The maximum number of bytes of a line; a dense row of a million features takes less than a
    /// third of it. Without a limit, a binary file would be collected in memory in search of its
    /// first line end.
    const LONGEST_LINE: usize = 64 << 20;

    pub fn new(source: Source, size: usize) -> Self {
        TextBlocks { source, rest: Vec::new(), next_line: 1, size: size.max(1), ended: false }
    }

    /// Blocks of about `bytes` bytes in total; none at the end.
    pub fn wave(&mut self, bytes: usize) -> Result<Vec<TextBlock>> {
        let (mut blocks, mut size) = (Vec::new(), 0);
        while size < bytes
            && let Some(block) = self.next().transpose()?
        {
            size += block.bytes.len();
            blocks.push(block);
        }
        Ok(blocks)
    }

    fn next_block(&mut self) -> Result<Option<TextBlock>> {
        if self.ended {
            return Ok(None);
        }
        let mut bytes = Vec::with_capacity(self.size);
        bytes.append(&mut self.rest);
        let mut searched = 0;
        loop {
            let target = self.size.max(bytes.len() + self.size / 2 + 1);
            self.ended = self.source.fill(&mut bytes, target)?;
            if self.ended {
                break;
            }
            // A block grows until it contains the end of its line.
            if let Some(end) = memchr::memrchr(b'\n', &bytes[searched..]) {
                self.rest = bytes.split_off(searched + end + 1);
                break;
            }
            searched = bytes.len();
            if searched > Self::LONGEST_LINE {
                let problem =
                    Problem::TooLong { what: "line", limit_mib: Self::LONGEST_LINE as u64 >> 20 };
                return Err(problem.at(Location::line(self.source.name(), self.next_line)));
            }
        }
        // Editors on Windows write a byte order mark.
        if self.next_line == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let first_line = self.next_line;
        self.next_line += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        Ok(Some(TextBlock { bytes, first_line }))
    }
}

impl Iterator for TextBlocks {
    type Item = Result<TextBlock>;

    fn next(&mut self) -> Option<Self::Item> {
        let block = self.next_block().transpose();
        self.ended |= matches!(block, Some(Err(_)));
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise a few kilobytes of compressed data could use up all memory.
    #[test]
    fn endless_input_is_rejected() {
        let source = |reader| Source::from_reader(reader, "t".into()).unwrap();
        let message = |error: Error| error.to_string();
        let lines = io::Cursor::new("one\ntwo\n").chain(io::repeat(b'x'));
        let mut blocks = TextBlocks::new(source(Box::new(lines)), 1 << 20);
        let error = message(blocks.wave(usize::MAX).err().unwrap());
        assert!(error.contains("this line is longer than 64 MiB\n  --> t, line 3\n"), "{error}");
        assert!(blocks.next().is_none());
        let error = message(source(Box::new(io::repeat(0))).read_all(3 << 20).unwrap_err());
        assert!(error.contains("this file is longer than 3 MiB"), "{error}");
        assert_eq!(source(Box::new(io::repeat(7).take(9))).read_all(9).unwrap(), [7; 9]);
    }

    #[test]
    fn a_wave_ends_once_it_has_enough_bytes() {
        let text = format!("{}\n", "x".repeat(99)).repeat(10);
        let source = Source::from_reader(Box::new(io::Cursor::new(text)), "t".into()).unwrap();
        let mut blocks = TextBlocks::new(source, 16);
        let waves: Vec<usize> =
            std::iter::from_fn(|| Some(blocks.wave(150).unwrap().len()).filter(|&n| n > 0))
                .collect();
        assert_eq!(waves, [2; 5]);
    }

    fn blocks(text: &str, size: usize) -> Vec<(String, u64)> {
        let source =
            Source::from_reader(Box::new(io::Cursor::new(text.to_owned())), "t".into()).unwrap();
        TextBlocks::new(source, size)
            .map(|b| b.map(|b| (String::from_utf8(b.bytes).unwrap(), b.first_line)).unwrap())
            .collect()
    }

    #[test]
    fn blocks_hold_whole_lines_with_their_line_numbers() {
        for size in 1..30 {
            let parts = blocks("one\ntwo\n\na much longer line\nend", size);
            let joined: String = parts.iter().map(|(text, _)| text.as_str()).collect();
            assert_eq!(joined, "one\ntwo\n\na much longer line\nend", "block size {size}");
            let mut line = 1;
            for (text, first) in &parts {
                assert_eq!(*first, line);
                line += text.matches('\n').count() as u64;
            }
            assert!(parts[..parts.len() - 1].iter().all(|(text, _)| text.ends_with('\n')));
        }
        assert!(blocks("", 8).is_empty());
    }
}
