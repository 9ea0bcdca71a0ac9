//! Bytes of requests and answers, for engines whose rows are in other processes.
//!
//! The format is postcard's, which carries no types and therefore runs no code when it is read.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// Appends an encoded value to a message.
pub(crate) fn append<T: Serialize + ?Sized>(message: Vec<u8>, value: &T) -> Result<Vec<u8>> {
    postcard::to_extend(value, message).map_err(|e| unreadable(e.to_string()))
}

/// Decodes a value from the start of some bytes, and returns the bytes after it.
pub(crate) fn take_first<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, &[u8])> {
    postcard::take_from_bytes(bytes).map_err(|e| unreadable(e.to_string()))
}

/// Decodes a value from all of some bytes.
pub(crate) fn take<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    match take_first(bytes)? {
        (value, []) => Ok(value),
        (_, rest) => Err(unreadable(format!("{} bytes are left over", rest.len()))),
    }
}

/// The error for bytes that are no message.
pub(crate) fn unreadable(why: String) -> Error {
    Error::message(
        format!("not a featherank message: {why}"),
        "install the same release of featherank everywhere",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_after_the_value_are_rejected() {
        let bytes = append(Vec::new(), &7u64).unwrap();
        assert_eq!(take::<u64>(&bytes).unwrap(), 7);
        let error = take::<u64>(&[&bytes[..], b"xy"].concat()).unwrap_err().to_string();
        assert!(error.contains("2 bytes are left over"), "{error}");
    }
}
