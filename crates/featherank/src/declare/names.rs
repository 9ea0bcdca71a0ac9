//! Texts of declarations, converted at compile time.

/// A doc comment as one line: without the leading space and the final full stop.
pub const fn plain(doc: &'static str) -> &'static str {
    let doc = doc.trim_ascii();
    match doc.as_bytes() {
        [.., b'.'] => doc.split_at(doc.len() - 1).0,
        _ => doc,
    }
}

/// The bytes of a field's name with hyphens instead of underscores, the spelling of parameters.
pub const fn hyphenated<const N: usize>(name: &str) -> [u8; N] {
    let (mut bytes, mut i) = ([0; N], 0);
    while i < N {
        bytes[i] = if name.as_bytes()[i] == b'_' { b'-' } else { name.as_bytes()[i] };
        i += 1;
    }
    bytes
}
