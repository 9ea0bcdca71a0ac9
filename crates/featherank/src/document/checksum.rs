//! The checksum of a document: a hash of its JSON text without the field itself.
//!
//! White space outside strings does not count, so that a document may be indented or not. The hash
//! is FNV-1a: each step is a bijection of its state, so any change within one byte changes the
//! result, and others go unnoticed with a probability of about 2⁻⁶⁴. It guards against damage, not
//! against forgery.

use std::io::{self, Write};

use crate::data::Fnv;

const FIELD: &[u8] = b"\"checksum\"";

/// The hash of a text that is written to it.
#[derive(Default)]
pub(super) struct Checksum(Fnv);

impl Checksum {
    /// The hash in 16 hexadecimal digits.
    pub fn text(&self) -> String {
        format!("{:016x}", self.0.value())
    }

    fn push(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0.byte(byte));
    }
}

impl Write for Checksum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A JSON text, scanned for its checksum.
pub(super) struct Scan {
    /// The checksum of everything except the field.
    pub found: String,
    /// Whether a field's name differs from that of the checksum in one byte: a damaged name must
    /// not pass for a document without a checksum.
    pub is_damaged: bool,
}

impl Scan {
    /// Scans a valid JSON object.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut sum, mut is_damaged) = (Checksum::default(), false);
        let (mut at, mut depth, mut last) = (0, 0usize, 0);
        // A comma between fields is hashed together with the field that follows it.
        let mut comma = false;
        while let Some(&byte) = bytes.get(at) {
            let mut end = at + 1;
            match byte {
                b' ' | b'\n' | b'\r' | b'\t' => {
                    at = end;
                    continue;
                }
                b',' if depth == 1 => {
                    (comma, last, at) = (true, byte, end);
                    continue;
                }
                b'"' => {
                    end = string_end(bytes, at);
                    let name = &bytes[at..end];
                    let is_name = depth == 1 && matches!(last, b'{' | b',');
                    if is_name && comma && name == FIELD {
                        (comma, last, at) = (false, b'"', value_end(bytes, end));
                        continue;
                    }
                    is_damaged |= is_name && differs_in_one_byte(name);
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if std::mem::take(&mut comma) {
                sum.push(b",");
            }
            sum.push(&bytes[at..end]);
            (last, at) = (byte, end);
        }
        Scan { found: sum.text(), is_damaged }
    }
}

fn differs_in_one_byte(name: &[u8]) -> bool {
    name.len() == FIELD.len() && name.iter().zip(FIELD).filter(|(a, b)| a != b).count() == 1
}

/// The place after the string that starts here.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The place after the string value whose name ends here.
fn value_end(bytes: &[u8], name_end: usize) -> usize {
    match bytes[name_end..].iter().position(|&byte| byte == b'"') {
        Some(start) => string_end(bytes, name_end + start),
        None => name_end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_and_the_field_itself_do_not_count() {
        let of = |text: &str| Scan::of(text).found;
        let mut sum = Checksum::default();
        sum.write_all(br#"{"a":"x \" , y","b":[1,{"checksum":"inner"}]}"#).unwrap();
        let expected = sum.text();
        for same in [
            r#"{"a":"x \" , y","b":[1,{"checksum":"inner"}]}"#,
            r#"{"a":"x \" , y", "checksum": "12\"3" ,"b":[1,{"checksum":"inner"}]}"#,
            "{\n\t\"a\": \"x \\\" , y\",\r\n \"b\": [1, {\"checksum\": \"inner\"}],\"checksum\":\"\"}\n",
        ] {
            assert_eq!(of(same), expected, "{same}");
        }
        for other in [
            r#"{"a":"x \" , z","b":[1,{"checksum":"inner"}]}"#,
            r#"{"a":"x \" ,  y","b":[1,{"checksum":"inner"}]}"#,
            r#"{"a":"x \" , y","b":[1,{"checksum":"other"}]}"#,
            r#"{"a":"x \" , y","b":[1,{"checksum":"inner"}],"c":0}"#,
        ] {
            assert_ne!(of(other), expected, "{other}");
        }
        assert!(Scan::of(r#"{"a":1,"checksul":"0"}"#).is_damaged);
        assert!(!Scan::of(r#"{"a":"checksul","b":{"checksul":"0"}}"#).is_damaged);
    }

    #[test]
    fn texts_of_any_kind_are_scanned() {
        for text in ["", "\"", "\"\\", "}", "{\"a\",\"checksum\"", "{,\"checksum\":", "]]]"] {
            Scan::of(text);
        }
    }
}
