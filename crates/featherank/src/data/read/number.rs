//! Correctly rounded conversion of decimal numbers to 32-bit floats, fast enough for a text reader.

/// Powers of ten that are exact in 64 bits.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Parses a plain decimal (`-12.345`) at the start of `bytes`: its value and its length.
///
/// `None` means that the general parser must be used: no digits, an exponent, too many digits, or a
/// value whose rounding cannot be decided here. Digits up to 2^53 divided by an exact power of ten
/// are rounded once in 64 bits; rounding again to 32 bits is correct unless the 64-bit value is
/// exactly half-way between two 32-bit values.
#[inline]
pub(crate) fn plain_decimal(bytes: &[u8]) -> Option<(f32, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let mut at = usize::from(negative);
    let mut digits: u64 = 0;
    let start = at;
    while let Some(digit) = digit_at(bytes, at) {
        digits = digits.wrapping_mul(10).wrapping_add(digit);
        at += 1;
    }
    let mut count = at - start;
    let mut decimals = 0;
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        let first = at;
        while let Some(digit) = digit_at(bytes, at) {
            digits = digits.wrapping_mul(10).wrapping_add(digit);
            at += 1;
        }
        decimals = at - first;
        count += decimals;
    }
    // Nineteen digits cannot overflow 64 bits.
    if count == 0 || count > 19 || digits > 1 << 53 || decimals >= POWERS.len() {
        return None;
    }
    let wide = digits as f64 / POWERS[decimals];
    const HALF_WAY: u64 = 1 << 28;
    let undecided = wide.to_bits() & (2 * HALF_WAY - 1) == HALF_WAY;
    let subnormal = wide < f64::from(f32::MIN_POSITIVE) && digits != 0;
    if undecided || subnormal {
        return None;
    }
    let value = wide as f32;
    Some((if negative { -value } else { value }, at))
}

#[inline]
fn digit_at(bytes: &[u8], at: usize) -> Option<u64> {
    let digit = bytes.get(at)?.wrapping_sub(b'0');
    (digit < 10).then_some(u64::from(digit))
}

/// Parses an unsigned integer at the start of `bytes`: its value (`None` if it is too large) and
/// its length.
#[inline]
pub(crate) fn unsigned(bytes: &[u8]) -> (Option<u32>, usize) {
    let (mut value, mut at) = (0u64, 0);
    while let Some(digit) = digit_at(bytes, at) {
        value = (value * 10 + digit).min(1 << 40);
        at += 1;
    }
    (u32::try_from(value).ok(), at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever the fast path accepts equals the correctly rounded result of the standard
        /// library, bit for bit.
        #[test]
        fn equals_the_standard_library(text in "-?[0-9]{0,12}(\\.[0-9]{0,12})?") {
            if let Some((value, length)) = plain_decimal(text.as_bytes()) {
                prop_assert_eq!(length, text.len());
                prop_assert_eq!(value.to_bits(), text.parse::<f32>().unwrap().to_bits());
            }
        }

        /// Decimals next to the midpoint of two 32-bit numbers, where double rounding goes wrong.
        #[test]
        fn rounds_correctly_near_half_way_points(bits in 0x3000_0000u32..0x5000_0000, nudge in -2i64..=2) {
            let low = f32::from_bits(bits);
            let middle = (f64::from(low) + f64::from(f32::from_bits(bits + 1))) / 2.0;
            let text = format!("{:.15}", f64::from_bits((middle.to_bits() as i64 + nudge) as u64));
            if let Some((value, _)) = plain_decimal(text.as_bytes()) {
                prop_assert_eq!(value.to_bits(), text.parse::<f32>().unwrap().to_bits());
            }
        }
    }

    #[test]
    fn stops_at_the_end_of_the_number() {
        assert_eq!(plain_decimal(b"3.5 2:1"), Some((3.5, 3)));
        assert_eq!(plain_decimal(b"-0"), Some((-0.0, 2)));
        assert_eq!(plain_decimal(b"7."), Some((7.0, 2)));
        for general in [&b""[..], b"-", b".", b"nan", b"99999999999999999999"] {
            assert_eq!(plain_decimal(general), None);
        }
        assert_eq!(unsigned(b"46:0.5"), (Some(46), 2));
        assert_eq!(unsigned(b"99999999999999999999999:"), (None, 23));
    }
}
