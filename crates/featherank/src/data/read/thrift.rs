//! The part of Thrift's compact protocol that is needed to traverse the headers of a Parquet file.

use std::io::Read;

use parquet::errors::{ParquetError, Result};

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
pub(crate) const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
pub(crate) const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
pub(crate) const STRUCT: u8 = 12;
const UUID: u8 = 13;

/// The maximum nesting of structs and lists; the decoder has the same limit.
const DEEPEST: usize = 64;

/// Visits the fields of a struct with their ids and types; the visitor must consume each value.
pub(crate) fn for_each_field<R: Read>(
    bytes: &mut R,
    mut visit: impl FnMut(i64, u8, &mut R) -> Result<()>,
) -> Result<()> {
    let mut id = 0i64;
    loop {
        let byte = one(bytes)?;
        let (step, kind) = (byte >> 4, byte & 15);
        if kind == 0 {
            return Ok(());
        }
        id = if step == 0 { signed(bytes)? } else { id.wrapping_add(step.into()) };
        visit(id, kind, bytes)?;
    }
}

/// Skips a value.
///
/// Lists and maps of booleans are rejected. Parquet headers have none, and the decoder treats them
/// as empty elements: a list of two billion of them fits into six bytes and keeps it busy for
/// seconds.
pub(crate) fn skip<R: Read>(kind: u8, bytes: &mut R, depth: usize) -> Result<()> {
    if depth >= DEEPEST {
        return Err(malformed("structs that are nested too deeply"));
    }
    match kind {
        TRUE | FALSE => Ok(()),
        BYTE => skip_bytes(bytes, 1),
        I16 | I32 | I64 => varint(bytes).map(|_| ()),
        DOUBLE => skip_bytes(bytes, 8),
        BINARY => {
            let length = varint(bytes)?;
            skip_bytes(bytes, length)
        }
        LIST | SET => {
            let (count, kind) = list(bytes)?;
            (0..count).try_for_each(|_| skip_element(kind, bytes, depth))
        }
        MAP => {
            let count = varint(bytes)?;
            let kinds = if count == 0 { 0 } else { one(bytes)? };
            (0..count).try_for_each(|_| {
                skip_element(kinds >> 4, bytes, depth)?;
                skip_element(kinds & 15, bytes, depth)
            })
        }
        STRUCT => for_each_field(bytes, |_, kind, bytes| skip(kind, bytes, depth + 1)),
        UUID => skip_bytes(bytes, 16),
        _ => Err(malformed("a value of an unknown type")),
    }
}

/// The number and the type of the elements that follow.
pub(crate) fn list(bytes: &mut impl Read) -> Result<(u64, u8)> {
    let header = one(bytes)?;
    let count = if header >> 4 == 15 { varint(bytes)? } else { u64::from(header >> 4) };
    Ok((count, header & 15))
}

/// Skips an element of a list, which takes at least one byte, so that the end of the data ends
/// every list.
fn skip_element<R: Read>(kind: u8, bytes: &mut R, depth: usize) -> Result<()> {
    match kind {
        TRUE | FALSE => Err(malformed("a list of booleans")),
        _ => skip(kind, bytes, depth + 1),
    }
}

fn skip_bytes(bytes: &mut impl Read, count: u64) -> Result<()> {
    match std::io::copy(&mut bytes.take(count), &mut std::io::sink())? == count {
        true => Ok(()),
        false => Err(malformed("a value that is cut off")),
    }
}

fn one(bytes: &mut impl Read) -> Result<u8> {
    let mut byte = [0];
    bytes.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// An unsigned integer, seven bits per byte.
pub(crate) fn varint(bytes: &mut impl Read) -> Result<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = one(bytes)?;
        value |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Ok(value);
        }
    }
    Err(malformed("a number of more than 64 bits"))
}

/// A signed integer in zigzag encoding: 0, -1, 1, -2 …
pub(crate) fn signed(bytes: &mut impl Read) -> Result<i64> {
    let zigzag = varint(bytes)?;
    Ok((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
}

fn malformed(what: &str) -> ParquetError {
    ParquetError::General(format!("a header has {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remaining(mut bytes: &[u8]) -> Option<usize> {
        skip(STRUCT, &mut bytes, 0).ok().map(|()| bytes.len())
    }

    #[test]
    fn values_of_all_types_are_skipped() {
        assert_eq!(remaining(&[0x11, 0x12, 0x13, 9, 0x15, 0x80, 1, 0x18, 2, 7, 7, 0, 99]), Some(1));
        // A list of two numbers, a map from a string to a byte, an empty map, a struct, a double, a
        // field with a long id.
        assert_eq!(
            remaining(&[0x19, 0x25, 1, 2, 0x1b, 1, 0x83, 1, 7, 7, 0x1b, 0, 0x1c, 0, 0]),
            Some(0)
        );
        assert_eq!(remaining(&[0x17, 1, 2, 3, 4, 5, 6, 7, 8, 0x05, 0x90, 3, 4, 0]), Some(0));
    }

    /// Found by fuzzing: the decoder counted to 2^31 for six bytes.
    #[test]
    fn lists_that_take_no_bytes_are_rejected() {
        for kind in [TRUE, FALSE] {
            assert_eq!(remaining(&[0x19, 0xf0 | kind, 0xff, 0xff, 0xff, 0xff, 7, 0]), None);
            assert_eq!(remaining(&[0x1b, 0xff, 0xff, 0xff, 0xff, 7, kind << 4 | kind, 0]), None);
        }
    }

    #[test]
    fn unterminated_values_are_rejected() {
        for bytes in [
            &[][..],
            &[0x1c; 200],
            &[0x18, 0xff, 0xff, 0xff, 0x7f],
            &[0xff; 30],
            &[0x19; 300],
            &[0x1e],
        ] {
            assert_eq!(remaining(bytes), None, "{bytes:?}");
        }
    }
}
