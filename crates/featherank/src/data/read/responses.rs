//! The responses of a feature log, one at a time: a sequence of JSON documents or an array of them.

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer as _, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Deserializer, Value};

use super::source::{BYTE_ORDER_MARK, Source};
use crate::error::{Error, Location, Problem, Result};

/// The maximum number of bytes of a response: it is in memory as a whole.
const LONGEST: u64 = 128 << 20;

/// The memory for a byte of a response: a number of one digit takes a value of 32 bytes, in a list
/// that may have twice the length it needs.
const MEMORY_PER_BYTE: u64 = 32;

/// Responses of this size are read under any limit on the memory.
const SHORT: u64 = 4 << 20;

/// The maximum for a limit on the memory.
fn longest(max_bytes: u64) -> u64 {
    (max_bytes / MEMORY_PER_BYTE).clamp(SHORT, LONGEST)
}

/// Passes each response to `accept`, with the line on which it starts, before the next is read.
pub(super) fn for_each(
    source: Source,
    max_bytes: u64,
    accept: &mut dyn FnMut(&Value, u64) -> Result<()>,
) -> Result<()> {
    for_each_up_to(longest(max_bytes), source, accept)
}

fn for_each_up_to(
    longest: u64,
    source: Source,
    accept: &mut dyn FnMut(&Value, u64) -> Result<()>,
) -> Result<()> {
    let name = source.name().to_owned();
    let position =
        Position { longest, line: Cell::new(1), start: Cell::new(None), length: Cell::new(0) };
    let mut text = Tracked { text: BufReader::new(source), position: &position };
    let start = text.text.fill_buf().map(|start| start.starts_with(BYTE_ORDER_MARK));
    if start.map_err(|error| text.text.get_ref().explain(error))? {
        text.text.consume(BYTE_ORDER_MARK.len());
    }
    let mut responses = Responses { accept, position: &position, failure: None };
    let ended = responses.read(&mut Deserializer::from_reader(&mut text));
    if let Some(failure) = responses.failure.take() {
        return Err(failure);
    }
    if let (true, Some(start)) = (position.is_too_long(), position.start.get()) {
        let problem = Problem::TooLong { what: "response", limit_mib: longest >> 20 };
        return Err(problem.at(Location::line(&name, start)));
    }
    ended.map_err(|error| {
        let at = Location::line(&name, (error.line() as u64).max(1));
        let reason = error.to_string();
        match error.classify() {
            serde_json::error::Category::Io => text.text.get_ref().explain(error.into()),
            serde_json::error::Category::Data => Problem::NotALog { reason }.at(at),
            _ => Problem::Damaged { format: "JSON", reason }.at(at),
        }
    })
}

/// The parser's position, and where the current response began.
struct Position {
    longest: u64,
    line: Cell<u64>,
    start: Cell<Option<u64>>,
    /// Bytes of the response so far.
    length: Cell<u64>,
}

impl Position {
    /// Resets the position before the next response.
    fn between_responses(&self) {
        self.start.set(None);
        self.length.set(0);
    }

    fn is_too_long(&self) -> bool {
        self.length.get() > self.longest
    }
}

/// Text that updates the position. The parser reads byte by byte with a lookahead of at most one.
struct Tracked<'a> {
    text: BufReader<Source>,
    position: &'a Position,
}

impl Read for Tracked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.position.is_too_long() {
            return Err(io::Error::other("too long"));
        }
        let count = self.text.read(buffer)?;
        for byte in &buffer[..count] {
            match byte {
                b'\n' => self.position.line.set(self.position.line.get() + 1),
                // May precede a response in an array.
                b' ' | b'\t' | b'\r' | b',' | b'[' => {}
                _ if self.position.start.get().is_none() => {
                    self.position.start.set(Some(self.position.line.get()));
                }
                _ => {}
            }
        }
        if self.position.start.get().is_some() {
            self.position.length.update(|length| length + count as u64);
        }
        Ok(count)
    }
}

/// Takes responses from the parser and processes each one before the next is read.
struct Responses<'a> {
    accept: &'a mut dyn FnMut(&Value, u64) -> Result<()>,
    position: &'a Position,
    /// Why we stopped the parser, whose own error cannot carry the reason.
    failure: Option<Error>,
}

impl Responses<'_> {
    fn read<R: Read>(
        &mut self,
        json: &mut Deserializer<serde_json::de::IoRead<R>>,
    ) -> serde_json::Result<()> {
        loop {
            self.position.between_responses();
            match json.end() {
                Ok(()) => return Ok(()),
                Err(error) if error.is_io() => return Err(error),
                // Another response follows.
                Err(_) => json.deserialize_any(&mut *self)?,
            }
        }
    }

    fn response<E: serde::de::Error>(&mut self, response: &Value) -> Result<(), E> {
        let line = self.position.start.get().unwrap_or_else(|| self.position.line.get());
        (self.accept)(response, line).map_err(|failure| {
            self.failure = Some(failure);
            E::custom("stopped")
        })
    }
}

impl<'de> Visitor<'de> for &mut Responses<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a search response or an array of them")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.response(&Value::deserialize(MapAccessDeserializer::new(map))?)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut responses: A) -> Result<(), A::Error> {
        while let Some(response) = responses.next_element::<Value>()? {
            if !response.is_object() {
                return Err(A::Error::custom("expected an array of search responses"));
            }
            self.response(&response)?;
            self.position.between_responses();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise a few kilobytes of compressed data could use up all memory.
    #[test]
    fn an_unterminated_response_is_rejected() {
        let text = Read::chain(&b"\n\n{\"a\": \""[..], io::repeat(b'x'));
        let source = Source::from_reader(Box::new(text), "log.json".into()).unwrap();
        let error = for_each_up_to(2 << 20, source, &mut |_, _| Ok(())).unwrap_err().to_string();
        assert!(
            error.contains("this response is longer than 2 MiB\n  --> log.json, line 3\n"),
            "{error}"
        );
    }
}
