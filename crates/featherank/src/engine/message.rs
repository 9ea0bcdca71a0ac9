//! What is said between a driver and its shards: bytes that begin with what they are and in which
//! version.
//!
//! A request says everything that is needed to answer it, so that a shard that was lost and made
//! anew is simply asked again. Messages are postcard's, which has no types of its own to run code
//! with; those of another version, and anything else, are refused.

use std::ops::Range;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::layout::Piece;
use super::schema::SchemaPart;
use super::tree::Node;
use super::{Outcome, Pass};
use crate::data::{QueryRows, RowIndex};
use crate::error::{Error, Result};

/// The first bytes of every message.
const MAGIC: &[u8; 4] = b"ftrk";

/// Changes whenever a request, a reply, a pass or an outcome does.
const VERSION: u16 = 2;

/// What a driver asks a shard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Request {
    /// What the files are like.
    Open,
    /// Which queries are in these rows.
    Scan(Range<u64>),
    /// What these rows are like.
    Describe(Vec<Piece>),
    /// What these rows answer to a pass.
    Answer(Vec<Piece>, Pass),
}

/// What a shard replies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Reply {
    /// To [`Request::Open`].
    Opened(Opened),
    /// To [`Request::Scan`].
    Scanned(Vec<QueryRows>),
    /// To [`Request::Describe`].
    Described(SchemaPart),
    /// To [`Request::Answer`].
    Answered(Vec<Node<Outcome>>),
    /// It cannot be done, and why.
    Failed(String),
}

/// What files are like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Opened {
    /// The release of the shard's program: numbers are only promised to be equal within one.
    pub release: String,
    /// Ids and names of the features.
    pub features: Vec<(u32, Option<String>)>,
    /// Which rows are in which file.
    pub index: RowIndex,
    /// The first row of every row group, and the row after the last one.
    pub group_starts: Vec<u64>,
}

/// As bytes.
pub(super) fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>> {
    let start = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
    postcard::to_extend(message, start).map_err(|e| unreadable(e.to_string()))
}

/// From bytes of anybody.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return Err(unreadable("bad magic bytes".into()));
    };
    let Some((version, body)) = rest.split_first_chunk() else {
        return Err(unreadable("truncated".into()));
    };
    match u16::from_le_bytes(*version) {
        VERSION => {}
        version => {
            return Err(Error::message(
                format!(
                    "this message has version {version}, and this release reads version {VERSION}"
                ),
                "install the same release of featherank everywhere",
            ));
        }
    }
    match postcard::take_from_bytes(body) {
        Ok((message, [])) => Ok(message),
        Ok((_, rest)) => Err(unreadable(format!("{} bytes are left over", rest.len()))),
        Err(error) => Err(unreadable(error.to_string())),
    }
}

fn unreadable(why: String) -> Error {
    Error::message(
        format!("not a featherank message: {why}"),
        "install the same release of featherank everywhere",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_messages_of_this_version_are_understood() {
        let request = Request::Scan(3..77);
        let bytes = encode(&request).unwrap();
        assert_eq!(decode::<Request>(&bytes).unwrap(), request);
        let refused = |bytes: &[u8]| decode::<Request>(bytes).unwrap_err().to_string();
        for end in 0..bytes.len() {
            assert!(refused(&bytes[..end]).contains("not a featherank message"), "{end}");
        }
        assert!(refused(&[&bytes[..], b"x"].concat()).contains("left over"));
        assert!(refused(b"PAR1\0\0\0\0").contains("bad magic bytes"));
        let mut newer = bytes.clone();
        newer[4] = 9;
        assert!(refused(&newer).contains("version 9"));
        let mut unknown = bytes;
        unknown[6] = 9;
        assert!(refused(&unknown).contains("not a featherank message"));
    }
}
