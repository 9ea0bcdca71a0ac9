//! Checks the footer of a Parquet file before the decoder reads it.

use std::io::Read;

use parquet::errors::Result;
use parquet::file::reader::ChunkReader;

use super::pages::{implausible, size};
use super::thrift::{self, for_each_field, signed, skip};

/// Returns an error for a footer that would keep the decoder busy or make it allocate any amount of
/// memory; other errors are left to the decoder, which reports them better.
pub(crate) fn check_footer<R: ChunkReader>(file: &R) -> Result<()> {
    let Some(tail) = file.len().checked_sub(8) else { return Ok(()) };
    let bytes = file.get_bytes(tail, 8)?;
    let Some((length, b"PAR1")) = bytes.split_first_chunk() else { return Ok(()) };
    let length = u32::from_le_bytes(*length);
    match tail.checked_sub(length.into()) {
        Some(start) => {
            let mut footer = &file.get_bytes(start, length as usize)?[..];
            for_each_field(&mut footer, |id, kind, bytes| match (id, kind) {
                (2, thrift::LIST) => check_schema(bytes),
                (2, _) => Err(implausible("the schema is not a list")),
                _ => skip(kind, bytes, 0),
            })
        }
        None => Ok(()),
    }
}

/// The schema is a list of groups, each before its children, whose number it states. The decoder
/// allocates them in advance, and recurses for nested groups.
fn check_schema(bytes: &mut impl Read) -> Result<()> {
    // Far more than any ranking data has; lists and maps in structs take a few.
    const DEEPEST: usize = 64;
    let (count, kind) = thrift::list(bytes)?;
    // The number of children still to come, for each open group.
    let mut open: Vec<u64> = Vec::new();
    for _ in 0..count {
        let mut children = 0;
        match kind {
            thrift::STRUCT => for_each_field(bytes, |id, kind, bytes| match (id, kind) {
                (5, thrift::I32) => size(signed(bytes)?).map(|count| children = count),
                (5, _) => Err(implausible("the schema has a group without a size")),
                _ => skip(kind, bytes, 0),
            })?,
            _ => return Err(implausible("the schema is not a list of columns")),
        }
        while open.pop_if(|left| *left == 0).is_some() {}
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        if children > 0 {
            open.push(children);
        }
        if children > count || open.len() > DEEPEST {
            return Err(implausible(
                "the schema has a group larger than itself, or groups nested too deeply",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::data::{ReadOptions, read_bytes};

    /// Found by fuzzing: a list of 2^31 booleans, which take no bytes, in an unknown field.
    #[test]
    fn footers_with_excessive_decoding_time_are_rejected() {
        let footer = [0xf9, 0xf1, 0xff, 0xff, 0xff, 0xff, 7, 0];
        let bytes = [b"PAR1", &footer[..], &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat();
        let error =
            read_bytes(bytes, "a.parquet", &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.contains("a header has a list of booleans"), "{error}");
    }

    fn with_schema(elements: &[&[u8]]) -> Vec<u8> {
        let mut footer = vec![0x15, 2, 0x19, 0xfc];
        footer.extend([elements.len() as u8 | 128, (elements.len() >> 7) as u8]);
        footer.extend(elements.concat());
        footer.push(0);
        [b"PAR1", &footer[..], &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat()
    }

    /// Found by fuzzing: a group that claims a billion columns. And a schema for which the decoder
    /// would recurse once per level.
    #[test]
    fn a_schema_that_claims_too_much_is_rejected() {
        let group = |children: &[u8]| [&[0x48, 1, b'a', 0x15][..], children, &[0]].concat();
        let (huge, one) = (group(&[0xfe, 0xff, 0xff, 0xff, 0x0f]), group(&[2]));
        for elements in [vec![&one[..], &huge], vec![&one[..]; 5000], vec![&group(&[1])[..]]] {
            let error = read_bytes(with_schema(&elements), "a.parquet", &ReadOptions::default());
            let error = error.unwrap_err().to_string();
            assert!(
                error.contains("the schema has a group") || error.contains("negative"),
                "{error}"
            );
        }
    }
}
