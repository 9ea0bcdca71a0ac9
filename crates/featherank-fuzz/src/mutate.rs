//! Mutations of inputs, from a seeded generator.

use rand::RngExt;
use rand::seq::IndexedRandom;

use featherank::internals::random::Stream;

/// The longest input.
const LONGEST: usize = 1 << 14;

/// Texts on which readers have failed, or which are special in some format.
const TOKENS: &[&[u8]] = &[
    b"0",
    b"-1",
    b"1e999",
    b"-1e-999",
    b"NaN",
    b"inf",
    b"null",
    b"NULL",
    b"true",
    b"[]",
    b"{}",
    b"\"\"",
    b"4294967295",
    b"4294967296",
    b"18446744073709551615",
    b"-9223372036854775808",
    b"1e300",
    b"1e38",
    b"0.30000000000000004",
    b" ",
    b"\t",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\\u0000",
    b"\\ud800",
    b"\"",
    b",",
    b":",
    b"#",
    b"qid:",
    b"[[[[[[[[",
    b"{\"a\":",
    b"PAR1",
    b"ftrk",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\xc3\xa9",
];

/// Changes an input in one to eight places; `other` is another input to take a part of.
pub fn mutated(input: &[u8], other: &[u8], rng: &mut Stream) -> Vec<u8> {
    let mut bytes = input.to_vec();
    let changes = 1 << rng.random_range(0..4u32);
    for _ in 0..rng.random_range(1..=changes) {
        change(&mut bytes, other, rng);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Stream) {
    let at = rng.random_range(0..=bytes.len());
    let part = |length: usize, rng: &mut Stream| {
        let start = rng.random_range(0..=length);
        start..(start + rng.random_range(0..=32usize)).min(length)
    };
    match rng.random_range(0..9u32) {
        0 | 1 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8u32),
        2 if at < bytes.len() => bytes[at] = rng.random(),
        3 => {
            let removed = part(bytes.len(), rng);
            bytes.drain(removed);
        }
        4 => {
            let range = part(bytes.len(), rng);
            let copy = bytes[range].to_vec();
            insert(bytes, at, &copy);
        }
        5 => {
            let range = part(other.len(), rng);
            insert(bytes, at, &other[range]);
        }
        6 => {
            let token: &[u8] = TOKENS.choose(rng).copied().unwrap_or_default();
            insert(bytes, at, token);
        }
        7 => replace_number(bytes, at, rng),
        _ => bytes.truncate(at.max(1)),
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, part: &[u8]) {
    bytes.splice(at..at, part.iter().copied());
}

/// Replaces the next number by a special one.
fn replace_number(bytes: &mut Vec<u8>, from: usize, rng: &mut Stream) {
    let is_number = |byte: &u8| byte.is_ascii_digit() || b".-+eE".contains(byte);
    let Some(start) = bytes[from..].iter().position(u8::is_ascii_digit).map(|place| from + place)
    else {
        return;
    };
    let length = bytes[start..].iter().take_while(|byte| is_number(byte)).count();
    let token = TOKENS.choose(rng).copied().unwrap_or_default();
    bytes.splice(start..start + length, token.iter().copied());
}
