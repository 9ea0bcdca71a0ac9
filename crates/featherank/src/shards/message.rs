//! Messages between a driver and its shards: magic bytes, a version, a request or a reply, and for
//! passes the encoded pass or its encoded answers.
//!
//! A request holds everything that is needed to answer it, so that a shard that was lost and
//! restarted is simply asked again. Messages of other versions, and all other bytes, are refused.

use std::ops::Range;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::layout::Piece;
use crate::data::{QueryRows, RowIndex};
use crate::engine::codec::{append, take_first, unreadable};
use crate::engine::{QuerySample, SchemaPart};
use crate::error::{Error, Result};

/// The first bytes of every message.
const MAGIC: &[u8; 4] = b"ftrk";

/// Changes with every change of a request, a reply, a pass or an answer.
const VERSION: u16 = 5;

/// A request of a driver to a shard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Request {
    /// Describe the files.
    Open,
    /// List the queries in these rows.
    Scan(Range<u64>),
    /// Describe these rows.
    Describe(Vec<Piece>),
    /// The answer of these rows to a pass, which follows in the message.
    Answer {
        /// The rows.
        pieces: Vec<Piece>,
        /// The name of the pass.
        pass: String,
        /// Only queries in all of these samples answer.
        samples: Vec<QuerySample>,
    },
}

/// A reply of a shard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Reply {
    /// To [`Request::Open`].
    Opened(Opened),
    /// To [`Request::Scan`].
    Scanned(Vec<QueryRows>),
    /// To [`Request::Describe`].
    Described(SchemaPart),
    /// To [`Request::Answer`]; the answers follow in the message.
    Answered,
    /// The request failed, and why.
    Failed(String),
}

/// A description of files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Opened {
    /// The release of the shard's program: bits are equal within one release only.
    pub release: String,
    /// Ids and names of the features.
    pub features: Vec<(u32, Option<String>)>,
    /// Which rows are in which file.
    pub index: RowIndex,
    /// The first row of every row group, and the row after the last one.
    pub group_starts: Vec<u64>,
}

/// Encodes a message.
pub(super) fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>> {
    append([&MAGIC[..], &VERSION.to_le_bytes()].concat(), message)
}

/// Decodes a message from bytes of any origin, and returns the bytes that follow it: a pass, the
/// answers to one, or none.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, &[u8])> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return Err(unreadable("bad magic bytes".into()));
    };
    let Some((version, body)) = rest.split_first_chunk() else {
        return Err(unreadable("truncated".into()));
    };
    match u16::from_le_bytes(*version) {
        VERSION => take_first(body),
        version => Err(Error::message(
            format!("this message has version {version}, and this release reads version {VERSION}"),
            "install the same release of featherank everywhere",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_messages_of_this_version_are_read() {
        let request = Request::Scan(3..77);
        let bytes = encode(&request).unwrap();
        assert_eq!(decode::<Request>(&bytes).unwrap(), (request, &b""[..]));
        let followed = [&bytes[..], b"xyz"].concat();
        assert_eq!(decode::<Request>(&followed).unwrap().1, b"xyz");
        let refused = |bytes: &[u8]| decode::<Request>(bytes).unwrap_err().to_string();
        for end in 0..bytes.len() {
            assert!(refused(&bytes[..end]).contains("not a featherank message"), "{end}");
        }
        assert!(refused(b"PAR1\0\0\0\0").contains("bad magic bytes"));
        let mut newer = bytes.clone();
        newer[4] = 9;
        assert!(refused(&newer).contains("version 9"));
        let mut unknown = bytes;
        unknown[6] = 9;
        assert!(refused(&unknown).contains("not a featherank message"));
    }
}
