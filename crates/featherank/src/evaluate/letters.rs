//! Significance letters: the other rankings that a ranking is significantly better than.

use super::PairComparison;
use crate::error::{Error, Result};

/// The test for the letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairedTest {
    /// Paired t-test.
    T,
    /// Wilcoxon signed-rank test.
    Wilcoxon,
}

/// The letter of the ranking at an index: a, b, …, z, a1, b1, …
pub fn letter(index: usize) -> String {
    let first = char::from(b'a' + (index % 26) as u8);
    if index < 26 { first.to_string() } else { format!("{first}{}", index / 26) }
}

/// Returns an error for a significance level out of range.
pub fn check_level(level: f64) -> Result<()> {
    match level > 0.0 && level < 1.0 {
        true => Ok(()),
        false => Err(Error::invalid("significance level", level, "above 0 and below 1")),
    }
}

/// The letters of the rankings that the one at `index` is significantly better than under a
/// measure, after Holm's correction.
pub fn beaten(
    comparisons: &[PairComparison],
    measure: usize,
    index: usize,
    test: PairedTest,
    level: f64,
) -> String {
    let mut letters = String::new();
    for c in comparisons.iter().filter(|c| c.measure == measure && (c.a == index || c.b == index)) {
        let (other, ahead) =
            if c.a == index { (c.b, c.difference > 0.0) } else { (c.a, c.difference < 0.0) };
        let p = match test {
            PairedTest::T => c.t_p_holm,
            PairedTest::Wilcoxon => c.wilcoxon_p_holm,
        };
        if ahead && p < level {
            letters += &letter(other);
        }
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_continue_after_z() {
        assert_eq!([0, 25, 26, 53].map(letter), ["a", "z", "a1", "b2"]);
    }
}
